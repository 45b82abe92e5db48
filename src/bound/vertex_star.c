#include "bound/vertex_star.h"

#include <string.h>

// More slots than this have no number that is a spoke: then no vertex star is known.
static const uint32_t SLOTS_WITH_STAR_ROWS = UINT32_MAX / SNAG__STAR_ROW_SLOT - 1;

// Among so many vertices those with the same number of triangles are put together.
enum { WINDOW = 256 };

// Whether the triangles at a vertex form a vertex star.
typedef enum vertex_star_kind { VERTEX_STAR_NONE, VERTEX_STAR_OPEN, VERTEX_STAR_CLOSED } vertex_star_kind;

// The other corners of a triangle at a vertex, in their order.
typedef struct rim {
    uint32_t next, last;
} rim;

// Whether triangles at a vertex, each of which follows on another by a common edge, form one vertex star.
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

// Vertices that are found and not yet put side by side.
typedef struct window {
    uint32_t vertex[WINDOW];
    uint8_t star_row_count[WINDOW], closed[WINDOW];
    uint32_t count;
} window;

// What the star blocks of one tree are learnt from.
typedef struct lesson {
    snag__vertex_stars *vertex_stars;
    const snag__mesh *mesh;
    const uint32_t *slot_of;  // by triangle
    uint32_t nowhere;  // the slot behind the last
    const snag_allocator *allocator;
    window found;
} lesson;

// Puts a vertex into the window, if its triangles form a vertex star.
static void add_vertex(lesson *l, uint32_t v)
{
    const snag__mesh *mesh = l->mesh;
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
    window *w = &l->found;
    w->vertex[w->count] = v;
    w->star_row_count[w->count] = (uint8_t)count;
    w->closed[w->count++] = vertex_star == VERTEX_STAR_CLOSED;
}

// Those with the fewest triangles first; else in their order.
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

static void fill_lane(const lesson *l, uint32_t v, snag__star_row *rows, uint32_t row_count, uint32_t lane)
{
    const snag__csr *around = &l->mesh->vertex_triangles;
    const uint32_t *items = around->items + around->start[v];
    uint32_t count = around->start[v + 1] - around->start[v];
    for (uint32_t i = 0; i < row_count; i++)
        rows[i].lane[lane] = i < count ? SNAG__STAR_ROW_SLOT * l->slot_of[items[i]] + 3 * corner_of(l->mesh->triangles[items[i]], v)
                                       : SNAG__STAR_ROW_SLOT * l->nowhere;
}

// The next star blocks: up to eight of the window. Lanes without a vertex repeat the last one, which then is proven more than once.
static bool add_star_blocks(lesson *l, const uint32_t *which, uint32_t count)
{
    snag__vertex_stars *vertex_stars = l->vertex_stars;
    const window *w = &l->found;
    uint32_t rows = w->star_row_count[which[count - 1]];
    if (!snag__buffer_reserve(l->allocator, &vertex_stars->memory[0], vertex_stars->star_block_count,
                              vertex_stars->star_block_count + 1u, sizeof *vertex_stars->star_blocks) ||
        !snag__buffer_reserve(l->allocator, &vertex_stars->memory[1], vertex_stars->row_count, vertex_stars->row_count + rows,
                              sizeof *vertex_stars->star_rows))
        return false;
    vertex_stars->star_blocks = vertex_stars->memory[0].data;
    vertex_stars->star_rows = vertex_stars->memory[1].data;
    snag__star_block *star_blocks = &vertex_stars->star_blocks[vertex_stars->star_block_count++];
    *star_blocks = (snag__star_block){.first_row = vertex_stars->row_count, .row_count = (uint16_t)rows};
    for (uint32_t lane = 0; lane < SNAG__STAR_LANES; lane++) {
        uint32_t i = which[lane < count ? lane : count - 1];
        star_blocks->vertex[lane] = w->vertex[i];
        star_blocks->closed |= (uint8_t)(w->closed[i] << lane);
        fill_lane(l, w->vertex[i], vertex_stars->star_rows + star_blocks->first_row, rows, lane);
    }
    vertex_stars->row_count += rows;
    return true;
}

static bool empty_window(lesson *l)
{
    uint32_t order[WINDOW], count = l->found.count;
    order_window(&l->found, order);
    for (uint32_t i = 0; i < count; i += SNAG__STAR_LANES)
        if (!add_star_blocks(l, order + i, count - i < SNAG__STAR_LANES ? count - i : SNAG__STAR_LANES))
            return false;
    l->found.count = 0;
    return true;
}

bool snag__vertex_stars_start(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t vertices = 0, leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS + 1u;  // one for the slot behind the last
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        vertices += bvh->trees[i].mesh->vertex_count;
    if (!snag__buffer_reserve(allocator, &vertex_stars->memory[2], 0, vertices + 1, sizeof *vertex_stars->proven) ||
        !snag__buffer_reserve(allocator, &vertex_stars->memory[3], 0, leaves, sizeof *vertex_stars->changed))
        return false;
    vertex_stars->proven = vertex_stars->memory[2].data;
    vertex_stars->changed = vertex_stars->memory[3].data;
    vertex_stars->star_block_count = vertex_stars->row_count = 0;
    memset(vertex_stars->proven, 0, vertices);
    for (size_t i = 0; i < leaves; i++)
        atomic_init(&vertex_stars->changed[i], 0);
    return true;
}

bool snag__vertex_stars_learn(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag__tree *tree,
                              const uint32_t *slot_of, const snag_allocator *allocator)
{
    if (bvh->slot_count > SLOTS_WITH_STAR_ROWS)
        return true;
    lesson l = {vertex_stars, tree->mesh, slot_of, bvh->slot_count, allocator, {.count = 0}};
    uint8_t *seen = vertex_stars->proven + tree->first_vertex;
    for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t v = bvh->vertices[3 * (size_t)slot + c];
            if (!seen[v])
                add_vertex(&l, v);
            seen[v] = 1;
            if (l.found.count == WINDOW && !empty_window(&l))
                return false;
        }
    memset(seen, 0, tree->mesh->vertex_count);
    return empty_window(&l);
}

void snag__vertex_stars_free(const snag_allocator *allocator, snag__vertex_stars *vertex_stars)
{
    for (size_t i = 0; i < sizeof vertex_stars->memory / sizeof *vertex_stars->memory; i++)
        snag__buffer_free(allocator, &vertex_stars->memory[i]);
    *vertex_stars = (snag__vertex_stars){0};
}

const snag__vertex_star_kernels *snag__vertex_star_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__vertex_star_kernels, isa)
}
