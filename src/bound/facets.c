#include "bound/facets.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

enum { PLACES_OF_A_PIECE = 2048, HUBS_OF_A_PIECE = 256, LEAVES_OF_A_PIECE = 128 };

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// bounds 4, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;

// ---- topology, once for each forest ----

// Room for what is by place.
static bool reserve(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t places = forest->place_count;
    const size_t counts[4][2] = {
        {places / SNAG__LEAF_ELEMENTS + 1, sizeof *facets->blocks},
        {places + SNAG__LEAF_ELEMENTS, sizeof *facets->turns},
        {forest->tree_count + 1u, sizeof *facets->trees},
        {places + 1, sizeof *facets->near},
    };
    for (int i = 0; i < 4; i++)
        if (!snag__buffer_reserve(allocator, &facets->memory[i], 0, counts[i][0], counts[i][1]))
            return false;
    facets->blocks = facets->memory[0].data;
    facets->turns = facets->memory[1].data;
    facets->trees = facets->memory[2].data;
    facets->near = facets->memory[3].data;
    facets->turns[places] = SNAG__TURN_NONE;
    return true;
}

static bool learn_topology(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t triangles = 0;
    for (uint32_t i = 0; i < forest->tree_count; i++)
        triangles += forest->trees[i].mesh->triangle_count;
    if (!snag__buffer_reserve(allocator, &facets->scratch, 0, triangles + 1, sizeof(uint32_t)) ||
        !snag__fans_start(&facets->fans, forest, allocator) || !snag__links_start(&facets->links, forest, allocator))
        return false;
    uint32_t *place_of = facets->scratch.data;
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = &forest->trees[i];
        for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++)
            place_of[forest->elements[place]] = place;
        facets->trees[i].first_hub = facets->fans.hub_count;
        if (!snag__fans_learn(&facets->fans, forest, tree, place_of, allocator) ||
            !snag__links_learn(&facets->links, forest, tree, place_of, SNAG__SPOKES_MAX, allocator))
            return false;
        facets->trees[i].hub_count = facets->fans.hub_count - facets->trees[i].first_hub;
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
    const snag__fan_kernels *fan_kernels;
    const snag__link_kernels *link_kernels;
} refit;

static void fill_piece(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t done = piece * PLACES_OF_A_PIECE, left = r->tree->place_count - done;
    r->kernels->fill(r->tree->mesh, (const uint32_t(*)[3])r->forest->vertices, (size_t)r->tree->first_place + done,
                     left < PLACES_OF_A_PIECE ? left : PLACES_OF_A_PIECE, r->facets, NULL);
}

static void prove_fans(void *context, uint32_t piece)
{
    const refit *r = context;
    snag__fans *fans = &r->facets->fans;
    uint32_t done = piece * HUBS_OF_A_PIECE, left = r->facet_tree->hub_count - done, first = r->facet_tree->first_hub + done;
    r->fan_kernels->prove(fans, r->facets->turns, first, first + (left < HUBS_OF_A_PIECE ? left : HUBS_OF_A_PIECE),
                          fans->proven + r->tree->first_vertex);
}

// Most leaves keep all they have from one step to the next.
static void note_leaf(const refit *r, uint32_t first, uint32_t count)
{
    atomic_uchar *changed = &r->facets->fans.changed[first / SNAG__LEAF_ELEMENTS];
    if (!atomic_load_explicit(changed, memory_order_relaxed))
        return;
    atomic_store_explicit(changed, 0, memory_order_relaxed);
    const uint8_t *proven = r->facets->fans.proven + r->tree->first_vertex;
    const uint32_t *vertex = r->forest->vertices + 3 * (size_t)first;
    snag__leaf_table all_or_none[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            all_or_none[c].row[i] = (uint16_t)(0 - proven[vertex[3 * i + c]]);
    r->link_kernels->note(&r->facets->links, first / SNAG__LEAF_ELEMENTS, all_or_none);
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

// Whether what is by place has to be made again: with another frame or margin.
static bool fit_frame(snag__facets *facets, const snag__forest *forest, bool rebuilt)
{
    snag__frame_fit(&facets->frame, forest, rebuilt);
    if (!rebuilt && margin_fits(facets))
        return false;
    facets->margin = (float)(2 * facets->frame.reach * MARGIN);
    return true;
}

bool snag__facets_refit(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa)
{
    bool rebuilt = !snag__facets_fit(facets, forest);
    if (rebuilt) {
        facets->builds = 0;
        facets->sparse = false;
        if (!reserve(facets, forest, allocator) || !learn_topology(facets, forest, allocator))
            return false;
        facets->builds = forest->builds;
    }
    rebuilt = fit_frame(facets, forest, rebuilt);

    refit r = {
        .facets = facets,
        .forest = forest,
        .kernels = snag__facet_kernels_for(isa),
        .fan_kernels = snag__fan_kernels_for(isa),
        .link_kernels = snag__link_kernels_for(isa),
    };
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

// ---- of leaves that meet ----

bool snag__facets_start_sparse(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t leaves = forest->place_count / SNAG__LEAF_ELEMENTS;
    bool rebuilt = !facets->sparse || facets->sparse_builds != forest->builds;
    if (rebuilt) {
        facets->builds = facets->sparse_builds = 0;
        snag__fans_free(allocator, &facets->fans);
        snag__links_free(allocator, &facets->links);
        if (!reserve(facets, forest, allocator) ||
            !snag__buffer_reserve(allocator, &facets->memory[4], 0, leaves + 1, sizeof *facets->marks))
            return false;
        facets->marks = facets->memory[4].data;
        facets->sparse = true;
        facets->sparse_builds = forest->builds;
    }
    fit_frame(facets, forest, rebuilt);
    for (size_t i = 0; i < leaves; i++)
        atomic_init(&facets->marks[i], 0);
    return true;
}

static void fill_marked_leaves(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t leaves = r->forest->place_count / SNAG__LEAF_ELEMENTS, first = piece * LEAVES_OF_A_PIECE;
    uint32_t last = leaves - first < LEAVES_OF_A_PIECE ? leaves : first + LEAVES_OF_A_PIECE;
    for (uint32_t leaf = first; leaf < last; leaf++) {
        if (!atomic_load_explicit(&r->facets->marks[leaf], memory_order_relaxed))
            continue;
        const snag__node *node = &r->forest->nodes[r->forest->leaves[leaf]];
        r->kernels->fill(r->forest->trees[node->tree].mesh, (const uint32_t(*)[3])r->forest->vertices, node->first, node->count,
                         r->facets, NULL);
    }
}

void snag__facets_fill_marked(snag__facets *facets, const snag__forest *forest, const snag__parallel *parallel, snag_isa isa)
{
    refit r = {.facets = facets, .forest = forest, .kernels = snag__facet_kernels_for(isa)};
    uint32_t leaves = forest->place_count / SNAG__LEAF_ELEMENTS;
    snag__parallel_for(parallel, pieces_of(leaves, LEAVES_OF_A_PIECE), fill_marked_leaves, &r);
}

// ---- what is flat ----

// Of a whole leaf.
static bool any_unsure(const uint16_t *turns)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        any |= turns[i];
    return (any & SNAG__TURN_UNSURE) != 0;
}

typedef struct counting {
    const snag__facets *facets;
    const snag__forest *forest;
    const snag__tree *tree;
    atomic_size_t count;
} counting;

static void count_in_leaf(counting *c, uint32_t first, uint32_t last)
{
    const double(*x)[3] = (const double(*)[3])c->tree->mesh->x_t1;
    for (uint32_t place = first; place < last; place++) {
        const uint32_t *v = c->forest->vertices + 3 * (size_t)place;
        if (c->facets->turns[place] & SNAG__TURN_UNSURE)
            atomic_fetch_add_explicit(&c->count, snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]), memory_order_relaxed);
    }
}

static void count_in_piece(void *context, uint32_t piece)
{
    counting *c = context;
    uint32_t done = piece * PLACES_OF_A_PIECE, left = c->tree->place_count - done, first = c->tree->first_place + done;
    uint32_t end = first + (left < PLACES_OF_A_PIECE ? left : PLACES_OF_A_PIECE);
    for (; first < end; first += SNAG__LEAF_ELEMENTS) {
        uint32_t last = end - first < SNAG__LEAF_ELEMENTS ? end : first + SNAG__LEAF_ELEMENTS;
        if (last - first < SNAG__LEAF_ELEMENTS || any_unsure(c->facets->turns + first))
            count_in_leaf(c, first, last);
    }
}

size_t snag__facets_degenerate(const snag__facets *facets, const snag__forest *forest, uint32_t tree, const snag__parallel *parallel)
{
    counting c = {facets, forest, &forest->trees[tree], 0};
    snag__parallel_for(parallel, pieces_of(c.tree->place_count, PLACES_OF_A_PIECE), count_in_piece, &c);
    return c.count;
}

void snag__facets_free(const snag_allocator *allocator, snag__facets *facets)
{
    for (size_t i = 0; i < sizeof facets->memory / sizeof *facets->memory; i++)
        snag__buffer_free(allocator, &facets->memory[i]);
    snag__fans_free(allocator, &facets->fans);
    snag__links_free(allocator, &facets->links);
    snag__buffer_free(allocator, &facets->scratch);
    *facets = (snag__facets){0};
}

const snag__facet_kernels *snag__facet_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__facet_kernels, isa)
}
