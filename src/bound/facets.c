#include "bound/facets.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

enum { PLACES_OF_A_PIECE = 8192, HUBS_OF_A_PIECE = 8192, SPOKES_MAX = 64 };

// More places than this have no number that is a spoke: then no fan is known.
static const uint32_t PLACES_WITH_SPOKES = UINT32_MAX / 4;

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// bounds 4, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;

// ---- topology, once for each forest ----

// Whether the triangles at a vertex form a fan.
typedef enum fan_kind { FAN_NONE, FAN_OPEN, FAN_CLOSED } fan_kind;

// The other corners of a triangle at a vertex, in their order.
typedef struct rim {
    uint32_t next, last;
} rim;

// Whether triangles at a vertex, each of which follows on another by a common edge, form one fan.
static fan_kind fan_of(const rim *rims, uint32_t count)
{
    uint32_t follower[SPOKES_MAX], first = UINT32_MAX;
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
            return FAN_NONE;
        if (before == 0) {
            starts++;
            first = i;
        }
    }
    if (starts > 1)
        return FAN_NONE;
    uint32_t i = starts == 1 ? first : 0, walked = 0;
    do {
        walked++;
        i = follower[i];
    } while (i != UINT32_MAX && i != (starts == 1 ? first : 0) && walked <= count);
    if (walked != count)
        return FAN_NONE;
    return starts == 1 ? FAN_OPEN : FAN_CLOSED;
}

static uint32_t corner_of(const uint32_t triangle[3], uint32_t v)
{
    return triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2;
}

// Makes a vertex the next hub, if its triangles form a fan; returns how many spokes it has. `place_of` by triangle.
static uint32_t add_hub(snag__facets *facets, const snag__mesh *mesh, uint32_t v, uint32_t first_spoke, const uint32_t *place_of,
                        uint32_t *hub_count)
{
    const uint32_t *items = mesh->vertex_triangles.items + mesh->vertex_triangles.start[v];
    uint32_t count = mesh->vertex_triangles.start[v + 1] - mesh->vertex_triangles.start[v];
    if (count == 0 || count > SPOKES_MAX)
        return 0;
    rim rims[SPOKES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *triangle = mesh->triangles[items[i]];
        uint32_t c = corner_of(triangle, v);
        rims[i] = (rim){triangle[(c + 1) % 3], triangle[(c + 2) % 3]};
        facets->spokes[first_spoke + i] = 4 * place_of[items[i]] + c;
    }
    fan_kind fan = fan_of(rims, count);
    if (fan == FAN_NONE)
        return 0;
    facets->hubs[(*hub_count)++] = (snag__hub){v, first_spoke, (uint16_t)count, fan == FAN_CLOSED};
    return count;
}

// The hubs of one tree, and their spokes.
static void find_hubs(snag__facets *facets, const snag__forest *forest, const snag__tree *tree, const uint32_t *place_of,
                      uint32_t *hub_count, uint32_t *spoke_count)
{
    if (forest->place_count > PLACES_WITH_SPOKES)
        return;
    uint8_t *seen = facets->proven + tree->first_vertex;
    for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t v = forest->vertices[3 * (size_t)place + c];
            if (!seen[v])
                *spoke_count += add_hub(facets, tree->mesh, v, *spoke_count, place_of, hub_count);
            seen[v] = 1;
        }
    memset(seen, 0, tree->mesh->vertex_count);
}

static bool reserve(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t vertices = 0, triangles = 0, places = forest->place_count;
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        vertices += forest->trees[i].mesh->vertex_count;
        triangles += forest->trees[i].mesh->triangle_count;
    }
    const size_t counts[7][2] = {
        {places / SNAG__LEAF_ELEMENTS + 1, sizeof *facets->blocks},
        {places + SNAG__LEAF_ELEMENTS, sizeof *facets->turns},
        {3 * triangles + 1, sizeof *facets->spokes},
        {vertices + 1, sizeof *facets->hubs},
        {vertices + 1, sizeof *facets->proven},
        {forest->tree_count + 1u, sizeof *facets->trees},
        {places + 1, sizeof *facets->near},
    };
    for (int i = 0; i < 7; i++)
        if (!snag__buffer_reserve(allocator, &facets->memory[i], 0, counts[i][0], counts[i][1]))
            return false;
    if (!snag__buffer_reserve(allocator, &facets->scratch, 0, triangles + 1, sizeof(uint32_t)))
        return false;
    facets->blocks = facets->memory[0].data;
    facets->turns = facets->memory[1].data;
    facets->spokes = facets->memory[2].data;
    facets->hubs = facets->memory[3].data;
    facets->proven = facets->memory[4].data;
    facets->trees = facets->memory[5].data;
    facets->near = facets->memory[6].data;
    memset(facets->proven, 0, vertices);
    return snag__links_start(&facets->links, forest, allocator);
}

static bool learn_topology(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    uint32_t *place_of = facets->scratch.data, hubs = 0, spokes = 0;
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = &forest->trees[i];
        for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++)
            place_of[forest->elements[place]] = place;
        facets->trees[i].first_hub = hubs;
        find_hubs(facets, forest, tree, place_of, &hubs, &spokes);
        facets->trees[i].hub_count = hubs - facets->trees[i].first_hub;
        if (!snag__links_learn(&facets->links, forest, tree, place_of, SPOKES_MAX, allocator))
            return false;
    }
    return true;
}

// ---- every step ----

typedef struct refit {
    snag__facets *facets;
    const snag__forest *forest;
    const snag__tree *tree;
    const snag__facet_tree *facet_tree;
    const snag__facet_kernels *kernels;
} refit;

static void fill_piece(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t done = piece * PLACES_OF_A_PIECE, left = r->tree->place_count - done;
    r->kernels->fill(r->tree->mesh, (const uint32_t(*)[3])r->forest->vertices, (size_t)r->tree->first_place + done,
                     left < PLACES_OF_A_PIECE ? left : PLACES_OF_A_PIECE, r->facets, NULL);
}

// Whether the triangles of a hub are apart but for what they share. Seen along an axis that all of them face one way they go
// around it in one sense, each by less than half a turn; so each turn passes the level of the hub once upwards and once
// downwards. All axes are looked at together, one bit for each.
static bool goes_around_once(const uint16_t *turns, const snag__hub *hub, const uint32_t *spokes)
{
    uint32_t common = UINT32_MAX, once = 0, twice = 0, thrice = 0;
    for (uint32_t i = 0; i < hub->spoke_count; i++) {
        uint32_t turn = turns[spokes[i] / 4], passes = turn >> 3 * (spokes[i] % 4);
        common &= turn;
        thrice |= twice & passes;
        twice |= once & passes;
        once |= passes;
    }
    uint32_t one_way = common >> SNAG__TURN_FACING | common >> (SNAG__TURN_FACING + 3);
    return (one_way & (hub->closed ? twice & ~thrice : ~twice) & 7) != 0;
}

static void prove_fans(void *context, uint32_t piece)
{
    const refit *r = context;
    const snag__facets *facets = r->facets;
    uint8_t *proven = facets->proven + r->tree->first_vertex;
    uint32_t done = piece * HUBS_OF_A_PIECE, left = r->facet_tree->hub_count - done;
    const snag__hub *hub = facets->hubs + r->facet_tree->first_hub + done;
    const snag__hub *last = hub + (left < HUBS_OF_A_PIECE ? left : HUBS_OF_A_PIECE);
    for (; hub < last; hub++) {
        uint32_t before = proven[hub->vertex] & SNAG__FAN_PROVEN;
        uint32_t now = goes_around_once(facets->turns, hub, facets->spokes + hub->first_spoke);
        uint8_t state = (uint8_t)(now | (now ^ before) * SNAG__FAN_CHANGED);
        // Other threads have vertices in the same cache line: it stays theirs where nothing is new.
        if (proven[hub->vertex] != state)
            proven[hub->vertex] = state;
    }
}

// Most leaves keep all they have from one step to the next.
static void note_leaf(const refit *r, uint32_t first, uint32_t count)
{
    const uint8_t *proven = r->facets->proven + r->tree->first_vertex;
    const uint32_t *vertex = r->forest->vertices + 3 * (size_t)first;
    uint32_t any = 0;
    for (uint32_t i = 0; i < 3 * count; i++)
        any |= proven[vertex[i]];
    if (!(any & SNAG__FAN_CHANGED))
        return;
    snag__leaf_table all_or_none[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            all_or_none[c].row[i] = (uint16_t)(0 - (proven[vertex[3 * i + c]] & SNAG__FAN_PROVEN));
    snag__links_note(&r->facets->links, first / SNAG__LEAF_ELEMENTS, all_or_none);
}

static void note_leaves(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t end = r->tree->place_count, first = piece * PLACES_OF_A_PIECE;
    uint32_t last = end - first < PLACES_OF_A_PIECE ? end : first + PLACES_OF_A_PIECE;
    for (uint32_t i = first; i < last; i += SNAG__LEAF_ELEMENTS)
        note_leaf(r, r->tree->first_place + i, last - i < SNAG__LEAF_ELEMENTS ? last - i : SNAG__LEAF_ELEMENTS);
}

// What was made with another margin has to be made again: it stays while it is large enough and not much too large.
static bool margin_fits(const snag__facets *facets)
{
    double least = facets->frame.reach * MARGIN;
    return (double)facets->margin >= least && (double)facets->margin <= 4 * least;
}

static uint32_t pieces_of(uint32_t count, uint32_t of_a_piece)
{
    return (count + of_a_piece - 1) / of_a_piece;
}

bool snag__facets_fit(const snag__facets *facets, const snag__forest *forest)
{
    return facets->builds != 0 && facets->builds == forest->builds;
}

bool snag__facets_refit(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa)
{
    bool rebuilt = !snag__facets_fit(facets, forest);
    if (rebuilt) {
        facets->builds = 0;
        if (!reserve(facets, forest, allocator) || !learn_topology(facets, forest, allocator))
            return false;
        facets->builds = forest->builds;
    }
    snag__frame_fit(&facets->frame, forest, rebuilt);
    if (rebuilt || !margin_fits(facets)) {
        facets->margin = (float)(2 * facets->frame.reach * MARGIN);
        rebuilt = true;
    }

    refit r = {facets, forest, NULL, NULL, snag__facet_kernels_for(isa)};
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = r.tree = &forest->trees[i];
        snag__facet_tree *facet_tree = &facets->trees[i];
        r.facet_tree = facet_tree;
        if (rebuilt || facet_tree->filled != tree->pose)
            snag__parallel_for(parallel, pieces_of(tree->place_count, PLACES_OF_A_PIECE), fill_piece, &r);
        facet_tree->filled = tree->pose;
        if (!rebuilt && facet_tree->pose == tree->pose)
            continue;
        snag__parallel_for(parallel, pieces_of(facet_tree->hub_count, HUBS_OF_A_PIECE), prove_fans, &r);
        snag__parallel_for(parallel, pieces_of(tree->place_count, PLACES_OF_A_PIECE), note_leaves, &r);
        facet_tree->pose = tree->pose;
    }
    return true;
}

size_t snag__facets_degenerate(const snag__facets *facets, const snag__forest *forest, uint32_t tree_index)
{
    const snag__tree *tree = &forest->trees[tree_index];
    const double(*x)[3] = (const double(*)[3])tree->mesh->x_t1;
    size_t count = 0;
    for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++) {
        if (!(facets->turns[place] & SNAG__TURN_UNSURE))
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
    snag__links_free(allocator, &facets->links);
    snag__buffer_free(allocator, &facets->scratch);
    *facets = (snag__facets){0};
}

const snag__facet_kernels *snag__facet_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__facet_kernels, isa)
}
