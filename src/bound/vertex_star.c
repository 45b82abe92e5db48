#include "bound/vertex_star.h"

#include "base/assert.h"

#include <string.h>

// Star rows hold 32 * slot in 32 bits: a BVH with more slots than this has no vertex stars.
static const uint32_t SLOTS_WITH_STAR_ROWS = UINT32_MAX / SNAG__STAR_ROW_SLOT - 1;

// Vertices are sorted by their number of triangles within windows of this size.
enum { WINDOW = 256 };

typedef enum vertex_star_kind { VERTEX_STAR_NONE, VERTEX_STAR_OPEN, VERTEX_STAR_CLOSED } vertex_star_kind;

// The other two corners of a triangle at a vertex, in its winding order.
typedef struct rim {
    uint32_t next, last;
} rim;

// Whether the triangles at a vertex, taken in the order of their common edges, form one star.
static vertex_star_kind vertex_star_of(const rim *rims, uint32_t count)
{
    uint32_t follower[SNAG__STAR_ROWS_MAX], first = UINT32_MAX;
    uint32_t starts = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0, same = 0;
        follower[i] = UINT32_MAX;
        for (uint32_t j = 0; j < count; j++) {
            before += rims[j].last == rims[i].next;
            same += rims[j].next == rims[i].next;
            if (rims[j].next == rims[i].last)
                follower[i] = j;
        }
        if (before > 1 || same > 1)
            return VERTEX_STAR_NONE;
        if (before == 0) {
            starts++;
            first = i;
        }
    }
    if (starts > 1)
        return VERTEX_STAR_NONE;
    uint32_t i = starts == 1 ? first : 0, walked = 0;
    do {
        walked++;
        i = follower[i];
    } while (i != UINT32_MAX && i != (starts == 1 ? first : 0) && walked <= count);
    if (walked != count)
        return VERTEX_STAR_NONE;
    return starts == 1 ? VERTEX_STAR_OPEN : VERTEX_STAR_CLOSED;
}

static uint32_t corner_of(const uint32_t triangle[3], uint32_t v)
{
    return triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2;
}

// Vertices with a star that are not in a block yet.
typedef struct window {
    uint32_t vertex[WINDOW];
    uint8_t star_row_count[WINDOW], closed[WINDOW];
    uint32_t count;
} window;

// The stars of one tree while they are found.
typedef struct finder {
    snag__vertex_stars *vertex_stars;
    const snag__mesh *mesh;
    const uint32_t *slot_of;  // by triangle
    uint32_t nowhere;  // the slot after the last
    const snag_allocator *allocator;
    window found;
} finder;

// Puts a vertex into the window if its triangles form a star.
static void add_vertex(finder *f, uint32_t v)
{
    const snag__mesh *mesh = f->mesh;
    const uint32_t *items = mesh->vertex_triangles.items + mesh->vertex_triangles.start[v];
    uint32_t count = mesh->vertex_triangles.start[v + 1] - mesh->vertex_triangles.start[v];
    if (count == 0 || count > SNAG__STAR_ROWS_MAX)
        return;
    rim rims[SNAG__STAR_ROWS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *triangle = mesh->triangles[items[i]];
        uint32_t c = corner_of(triangle, v);
        rims[i] = (rim){triangle[(c + 1) % 3], triangle[(c + 2) % 3]};
    }
    vertex_star_kind vertex_star = vertex_star_of(rims, count);
    if (vertex_star == VERTEX_STAR_NONE)
        return;
    window *w = &f->found;
    w->vertex[w->count] = v;
    w->star_row_count[w->count] = (uint8_t)count;
    w->closed[w->count++] = vertex_star == VERTEX_STAR_CLOSED;
}

// Sorts the window by the number of triangles; stable.
static void order_window(const window *w, uint32_t order[WINDOW])
{
    uint32_t start[SNAG__STAR_ROWS_MAX + 2] = {0};
    for (uint32_t i = 0; i < w->count; i++)
        start[w->star_row_count[i] + 1]++;
    for (uint32_t i = 1; i < SNAG__STAR_ROWS_MAX + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < w->count; i++)
        order[start[w->star_row_count[i]]++] = i;
}

static void fill_lane(const finder *f, uint32_t v, snag__star_row *rows, uint32_t row_count, uint32_t lane)
{
    const snag__csr *around = &f->mesh->vertex_triangles;
    const uint32_t *items = around->items + around->start[v];
    uint32_t count = around->start[v + 1] - around->start[v];
    for (uint32_t i = 0; i < row_count; i++)
        rows[i].lane[lane] = i < count ? SNAG__STAR_ROW_SLOT * f->slot_of[items[i]] + 3 * corner_of(f->mesh->triangles[items[i]], v)
                                       : SNAG__STAR_ROW_SLOT * f->nowhere;
}

// Appends a star block of up to eight vertices of the window. Lanes without a vertex repeat the last one.
static bool add_star_block(finder *f, const uint32_t *which, uint32_t count)
{
    snag__vertex_stars *stars = f->vertex_stars;
    const window *w = &f->found;
    uint32_t rows = w->star_row_count[which[count - 1]], blocks = stars->star_block_count;
    const snag__room block_room = {&stars->memory[SNAG__STARS_BLOCKS], &stars->star_blocks, blocks + 1u,
                                   sizeof *stars->star_blocks};
    const snag__room row_room = {&stars->memory[SNAG__STARS_ROWS], &stars->star_rows, stars->row_count + rows,
                                 sizeof *stars->star_rows};
    if (!snag__rooms_grow(f->allocator, &block_room, 1, blocks) || !snag__rooms_grow(f->allocator, &row_room, 1, stars->row_count))
        return false;
    snag__star_block *block = &stars->star_blocks[stars->star_block_count++];
    *block = (snag__star_block){.first_row = stars->row_count, .row_count = (uint16_t)rows};
    for (uint32_t lane = 0; lane < SNAG__STAR_LANES; lane++) {
        uint32_t i = which[lane < count ? lane : count - 1];
        block->vertex[lane] = w->vertex[i];
        block->closed |= (uint8_t)(w->closed[i] << lane);
        fill_lane(f, w->vertex[i], stars->star_rows + block->first_row, rows, lane);
    }
    stars->row_count += rows;
    return true;
}

static bool empty_window(finder *f)
{
    uint32_t order[WINDOW], count = f->found.count;
    order_window(&f->found, order);
    for (uint32_t i = 0; i < count; i += SNAG__STAR_LANES)
        if (!add_star_block(f, order + i, count - i < SNAG__STAR_LANES ? count - i : SNAG__STAR_LANES))
            return false;
    f->found.count = 0;
    return true;
}

bool snag__vertex_stars_start(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag_allocator *allocator)
{
    SNAG__ASSERT(bvh->kind == SNAG_TRIANGLE && bvh->slot_count % SNAG__LEAF_ELEMENTS == 0);
    size_t vertices = 0, leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS + 1u;  // one for the slot after the last
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        vertices += bvh->trees[i].mesh->vertex_count;
    const snag__room rooms[] = {
        {&vertex_stars->memory[SNAG__STARS_PROVEN], &vertex_stars->proven, vertices + 1, sizeof *vertex_stars->proven},
        {&vertex_stars->memory[SNAG__STARS_CHANGED], &vertex_stars->changed, leaves, sizeof *vertex_stars->changed},
    };
    if (!snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    vertex_stars->star_block_count = vertex_stars->row_count = 0;
    memset(vertex_stars->proven, 0, vertices);
    for (size_t i = 0; i < leaves; i++)
        atomic_init(&vertex_stars->changed[i], 0);
    return true;
}

bool snag__vertex_stars_learn(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag__tree *tree,
                              const uint32_t *slot_of, const snag_allocator *allocator)
{
    SNAG__ASSERT(slot_of != NULL && tree->first_slot + tree->slot_count <= bvh->slot_count);
    if (bvh->slot_count > SLOTS_WITH_STAR_ROWS)
        return true;
    finder f = {vertex_stars, tree->mesh, slot_of, bvh->slot_count, allocator, {.count = 0}};
    uint8_t *seen = vertex_stars->proven + tree->first_vertex;
    for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++)
        for (size_t c = 0; c < 3 && snag__bvh_slot_is_used(bvh, slot); c++) {
            uint32_t v = bvh->vertices[3 * (size_t)slot + c];
            if (!seen[v])
                add_vertex(&f, v);
            seen[v] = 1;
            if (f.found.count == WINDOW && !empty_window(&f))
                return false;
        }
    memset(seen, 0, tree->mesh->vertex_count);
    return empty_window(&f);
}

void snag__vertex_stars_free(const snag_allocator *allocator, snag__vertex_stars *vertex_stars)
{
    snag__buffers_free(allocator, vertex_stars->memory, SNAG__STARS_BUFFERS);
    *vertex_stars = (snag__vertex_stars){0};
}

const snag__vertex_star_kernels *snag__vertex_star_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__vertex_star_kernels, isa)
}
