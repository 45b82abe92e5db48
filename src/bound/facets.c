#include "bound/facets.h"

#include "geom/geom.h"

#include <string.h>

enum { PLACES_OF_A_PIECE = 8192, VERTICES_OF_A_PIECE = 8192, SPOKES_MAX = 64, NO_SLOT = SNAG__NEIGHBOUR_LEAVES - 1 };

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// offset 3, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;

// ---- topology, once for each forest ----

// Whether the spokes of a vertex, each of which follows on another by a common edge, form one fan.
static snag__fan fan_of(const snag__spoke *spokes, uint32_t count)
{
    if (count == 0 || count > SPOKES_MAX)
        return SNAG__FAN_NONE;
    uint32_t follower[SPOKES_MAX], first = UINT32_MAX;
    uint32_t starts = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0, same = 0;
        follower[i] = UINT32_MAX;
        for (uint32_t j = 0; j < count; j++) {
            before += spokes[j].last == spokes[i].next;
            same += spokes[j].next == spokes[i].next;
            if (spokes[j].next == spokes[i].last)
                follower[i] = j;
        }
        if (before > 1 || same > 1)
            return SNAG__FAN_NONE;
        if (before == 0) {
            starts++;
            first = i;
        }
    }
    if (starts > 1)
        return SNAG__FAN_NONE;
    uint32_t i = starts == 1 ? first : 0, walked = 0;
    do {
        walked++;
        i = follower[i];
    } while (i != UINT32_MAX && i != (starts == 1 ? first : 0) && walked <= count);
    if (walked != count)
        return SNAG__FAN_NONE;
    return starts == 1 ? SNAG__FAN_OPEN : SNAG__FAN_CLOSED;
}

static uint32_t corner_of(const uint32_t triangle[3], uint32_t v)
{
    return triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2;
}

// Spokes and fans of one tree's vertices; `place_of` by triangle.
static void find_fans(snag__facets *facets, const snag__tree *tree, const uint32_t *place_of)
{
    const snag__mesh *mesh = tree->mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t first = facets->spokes_start[tree->first_vertex + v], count = 0;
        const uint32_t *items = mesh->vertex_triangles.items;
        for (uint32_t i = mesh->vertex_triangles.start[v]; i < mesh->vertex_triangles.start[v + 1]; i++) {
            const uint32_t *triangle = mesh->triangles[items[i]];
            uint32_t c = corner_of(triangle, v);
            facets->spokes[first + count++] = (snag__spoke){place_of[items[i]], triangle[(c + 1) % 3], triangle[(c + 2) % 3]};
        }
        facets->spokes_start[tree->first_vertex + v + 1] = first + count;
        facets->fans[tree->first_vertex + v] = (uint8_t)fan_of(facets->spokes + first, count);
    }
}

// The slot of a leaf among a triangle's, or the last, which takes none, if all are taken by others.
static uint32_t slot_of(snag__neighbours *neighbours, uint32_t *taken, uint16_t leaf)
{
    uint32_t slot = 0;
    while (slot < *taken && neighbours->leaf[slot] != leaf)
        slot++;
    if (slot == *taken && slot < NO_SLOT)
        neighbours->leaf[(*taken)++] = leaf;
    return slot;
}

static void find_neighbours(snag__facets *facets, const snag__forest *forest, const snag__tree *tree)
{
    for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++) {
        snag__neighbours *neighbours = &facets->neighbours[place];
        snag__corner_neighbours *corners = &facets->corner_neighbours[place];
        memset(corners, 0, sizeof *corners);
        memset(neighbours, 0, sizeof *neighbours);
        const uint32_t *triangle = tree->mesh->triangles[forest->elements[place]];
        uint32_t taken = 0;
        for (int c = 0; c < 3; c++) {
            uint32_t v = tree->first_vertex + triangle[c];
            for (uint32_t i = facets->spokes_start[v]; i < facets->spokes_start[v + 1]; i++) {
                uint32_t other = facets->spokes[i].place;
                int64_t after = (int64_t)(other / SNAG__LEAF_ELEMENTS) - place / SNAG__LEAF_ELEMENTS;
                if (other == place || after < INT16_MIN || after > INT16_MAX)
                    continue;
                uint32_t slot = slot_of(neighbours, &taken, (uint16_t)after);
                if (slot < NO_SLOT)
                    corners->corner[c][slot] |= (uint16_t)(1u << other % SNAG__LEAF_ELEMENTS);
            }
        }
    }
}

static bool reserve(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t vertices = 0, triangles = 0, places = forest->place_count;
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        vertices += forest->trees[i].mesh->vertex_count;
        triangles += forest->trees[i].mesh->triangle_count;
    }
    const size_t counts[10][2] = {
        {places / SNAG__LEAF_ELEMENTS + 1, sizeof *facets->blocks},
        {places + SNAG__LEAF_ELEMENTS, sizeof *facets->facing},
        {places + 1, sizeof *facets->neighbours},
        {3 * triangles + 1, sizeof *facets->spokes},
        {vertices + 1, sizeof *facets->spokes_start},
        {vertices + 1, sizeof *facets->fans},
        {vertices + 1, sizeof *facets->proven},
        {forest->tree_count + 1u, sizeof *facets->poses},
        {places + 1, sizeof *facets->corner_neighbours},
        {places + 1, sizeof *facets->near},
    };
    for (int i = 0; i < 10; i++)
        if (!snag__buffer_reserve(allocator, &facets->memory[i], 0, counts[i][0], counts[i][1]))
            return false;
    if (!snag__buffer_reserve(allocator, &facets->scratch, 0, triangles + 1, sizeof(uint32_t)))
        return false;
    facets->blocks = facets->memory[0].data;
    facets->facing = facets->memory[1].data;
    facets->neighbours = facets->memory[2].data;
    facets->spokes = facets->memory[3].data;
    facets->spokes_start = facets->memory[4].data;
    facets->fans = facets->memory[5].data;
    facets->proven = facets->memory[6].data;
    facets->poses = facets->memory[7].data;
    facets->corner_neighbours = facets->memory[8].data;
    facets->near = facets->memory[9].data;
    return true;
}

static void learn_topology(snag__facets *facets, const snag__forest *forest)
{
    uint32_t *place_of = facets->scratch.data;
    facets->spokes_start[0] = 0;
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = &forest->trees[i];
        for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++)
            place_of[forest->elements[place]] = place;
        find_fans(facets, tree, place_of);
        find_neighbours(facets, forest, tree);
    }
}

// ---- every step ----

typedef struct refit {
    snag__facets *facets;
    const snag__forest *forest;
    const snag__tree *tree;
    const snag__facet_kernels *kernels;
} refit;

static void fill_piece(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t done = piece * PLACES_OF_A_PIECE, left = r->tree->place_count - done;
    r->kernels->fill(r->tree->mesh, (const uint32_t(*)[3])r->forest->vertices, (size_t)r->tree->first_place + done,
                     left < PLACES_OF_A_PIECE ? left : PLACES_OF_A_PIECE, r->facets);
}

// Whether the triangles at a vertex, which all face one way along `axis`, are apart but for what they share. Seen from there
// they go around the vertex in one sense, each by less than half a turn; so each turn passes the level of the vertex once
// upwards and once downwards. Comparisons of coordinates are exact.
static bool goes_around_once(const double (*x)[3], uint32_t v, const snag__spoke *spokes, uint32_t count, snag__fan fan,
                             int axis)
{
    int height = (axis + 2) % 3;
    double level = x[v][height];
    uint32_t up = 0, down = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool from_below = x[spokes[i].next][height] < level, to_below = x[spokes[i].last][height] < level;
        up += from_below && !to_below;
        down += !from_below && to_below;
    }
    return fan == SNAG__FAN_CLOSED ? up == 1 : up + down <= 1;
}

static void prove_fans(void *context, uint32_t piece)
{
    const refit *r = context;
    const snag__facets *facets = r->facets;
    uint32_t first = piece * VERTICES_OF_A_PIECE, left = r->tree->mesh->vertex_count - first;
    uint32_t last = first + (left < VERTICES_OF_A_PIECE ? left : VERTICES_OF_A_PIECE);
    for (uint32_t v = first; v < last; v++) {
        uint32_t number = r->tree->first_vertex + v, start = facets->spokes_start[number];
        uint32_t count = facets->spokes_start[number + 1] - start, common = 0x3f;
        snag__fan fan = (snag__fan)facets->fans[number];
        facets->proven[number] = 0;
        if (fan == SNAG__FAN_NONE)
            continue;
        for (uint32_t i = start; i < start + count; i++)
            common &= facets->facing[facets->spokes[i].place];
        if (common != 0)
            facets->proven[number] = goes_around_once((const double(*)[3])r->tree->mesh->x_t1, v, facets->spokes + start,
                                                      count, fan, __builtin_ctz(common) / 2);
    }
}

static void note_neighbours(void *context, uint32_t piece)
{
    const refit *r = context;
    const uint8_t *proven = r->facets->proven + r->tree->first_vertex;
    uint32_t done = piece * PLACES_OF_A_PIECE, left = r->tree->place_count - done;
    uint32_t first = r->tree->first_place + done, last = first + (left < PLACES_OF_A_PIECE ? left : PLACES_OF_A_PIECE);
    for (uint32_t place = first; place < last; place++) {
        const uint32_t *vertex = r->forest->vertices + 3 * (size_t)place;
        typedef uint64_t slots __attribute__((vector_size(sizeof(uint16_t[SNAG__NEIGHBOUR_LEAVES]))));
        slots apart = {0};
        for (int c = 0; c < 3; c++) {
            slots at_corner;
            memcpy(&at_corner, r->facets->corner_neighbours[place].corner[c], sizeof at_corner);
            apart |= at_corner & (0 - (uint64_t)proven[vertex[c]]);
        }
        memcpy(r->facets->neighbours[place].apart, &apart, sizeof apart);
    }
}

static uint32_t pieces_of(uint32_t count, uint32_t of_a_piece)
{
    return (count + of_a_piece - 1) / of_a_piece;
}

bool snag__facets_refit(snag__facets *facets, const snag__forest *forest, bool rebuilt, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa)
{
    rebuilt |= !facets->complete;
    if (rebuilt) {
        facets->complete = false;
        if (!reserve(facets, forest, allocator))
            return false;
        learn_topology(facets, forest);
        facets->complete = true;
    }
    snag__frame_fit(&facets->frame, forest, rebuilt);
    facets->margin = (float)(facets->frame.reach * MARGIN);

    refit r = {facets, forest, NULL, snag__facet_kernels_for(isa)};
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = r.tree = &forest->trees[i];
        if (!rebuilt && facets->poses[i] == tree->pose)
            continue;
        snag__parallel_for(parallel, pieces_of(tree->place_count, PLACES_OF_A_PIECE), fill_piece, &r);
        snag__parallel_for(parallel, pieces_of(tree->mesh->vertex_count, VERTICES_OF_A_PIECE), prove_fans, &r);
        snag__parallel_for(parallel, pieces_of(tree->place_count, PLACES_OF_A_PIECE), note_neighbours, &r);
        facets->poses[i] = tree->pose;
    }
    return true;
}

size_t snag__facets_degenerate(const snag__facets *facets, const snag__forest *forest, uint32_t tree_index)
{
    const snag__tree *tree = &forest->trees[tree_index];
    const double(*x)[3] = (const double(*)[3])tree->mesh->x_t1;
    size_t count = 0;
    for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++) {
        if (!(facets->facing[place] & SNAG__FACING_UNSURE))
            continue;
        const uint32_t *v = forest->vertices + 3 * (size_t)place;
        count += snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]);
    }
    return count;
}

void snag__facets_free(const snag_allocator *allocator, snag__facets *facets)
{
    for (size_t i = 0; i < sizeof facets->memory / sizeof *facets->memory; i++)
        snag__buffer_free(allocator, &facets->memory[i]);
    snag__buffer_free(allocator, &facets->scratch);
    *facets = (snag__facets){0};
}

const snag__facet_kernels *snag__facet_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__facet_kernels, isa)
}
