#include "bound/plane_cull.h"

#include "base/assert.h"
#include "geom/geom.h"

#include <math.h>
#include <string.h>

enum { SLOTS_OF_A_TASK = 2048, STAR_BLOCKS_OF_A_TASK = 256, LEAVES_OF_A_TASK = 128 };

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// bounds 4, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;
// A margin is made twice as large as needed, and stays until it is too small or this many times too large.
static const double MARGIN_WASTE = 4;

// ---- topology, once for each build of the BVH ----

static bool reserve(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t slots = bvh->slot_count;
    snag__buffer *memory = plane_cull->memory;
    const snag__room rooms[] = {
        {&memory[SNAG__PLANE_CULL_BLOCKS], &plane_cull->blocks, slots / SNAG__LEAF_ELEMENTS + 1, sizeof *plane_cull->blocks},
        {&memory[SNAG__PLANE_CULL_TURNS], &plane_cull->turns, slots + SNAG__LEAF_ELEMENTS, sizeof *plane_cull->turns},
        {&memory[SNAG__PLANE_CULL_F32], &plane_cull->f32, slots + 1, sizeof *plane_cull->f32},
        {&memory[SNAG__PLANE_CULL_TREES], &plane_cull->trees, bvh->tree_count + 1u, sizeof *plane_cull->trees},
    };
    if (!snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    plane_cull->turns[slots] = SNAG__TURN_NONE;
    return true;
}

static bool learn_topology(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t triangles = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        triangles += bvh->trees[i].mesh->triangle_count;
    uint32_t *slot_of;  // by triangle
    const snag__room room = {&plane_cull->memory[SNAG__PLANE_CULL_SCRATCH], &slot_of, triangles + 1, sizeof *slot_of};
    if (!snag__rooms_reserve(allocator, &room, 1) || !snag__vertex_stars_start(&plane_cull->vertex_stars, bvh, allocator) ||
        !snag__leaf_adjacency_start(&plane_cull->adjacency, bvh, allocator))
        return false;
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++)
            if (snag__bvh_slot_is_used(bvh, slot))
                slot_of[bvh->elements[slot]] = slot;
        plane_cull->trees[i].first_star_block = plane_cull->vertex_stars.star_block_count;
        if (!snag__vertex_stars_learn(&plane_cull->vertex_stars, bvh, tree, slot_of, allocator) ||
            !snag__leaf_adjacency_learn(&plane_cull->adjacency, bvh, tree, slot_of, SNAG__STAR_ROWS_MAX, allocator))
            return false;
        plane_cull->trees[i].star_block_count = plane_cull->vertex_stars.star_block_count - plane_cull->trees[i].first_star_block;
    }
    return snag__leaf_adjacency_fit(&plane_cull->adjacency, allocator);
}

// ---- every step ----

typedef struct refit {
    snag__plane_cull *plane_cull;
    const snag__bvh *bvh;
    const snag__tree *tree;
    const snag__plane_cull_tree *plane_cull_tree;
    const snag__plane_cull_kernels *kernels;
    const snag__vertex_star_kernels *vertex_star_kernels;
    const snag__leaf_adjacency_kernels *adjacent_kernels;
} refit;

static void fill_task(void *context, uint32_t task)
{
    const refit *r = context;
    snag__range slots = snag__task_range(r->tree->first_slot, r->tree->first_slot + r->tree->slot_count, SLOTS_OF_A_TASK, task);
    r->kernels->fill(r->tree->mesh, (const uint32_t(*)[3])r->bvh->vertices, slots.first, slots.last - slots.first, r->plane_cull,
                     NULL);
}

static void prove_vertex_stars(void *context, uint32_t task)
{
    const refit *r = context;
    snag__vertex_stars *vertex_stars = &r->plane_cull->vertex_stars;
    uint32_t first = r->plane_cull_tree->first_star_block;
    snag__range blocks = snag__task_range(first, first + r->plane_cull_tree->star_block_count, STAR_BLOCKS_OF_A_TASK, task);
    r->vertex_star_kernels->prove(vertex_stars, r->plane_cull->turns, blocks.first, blocks.last,
                                  vertex_stars->proven + r->tree->first_vertex);
}

// Updates the adjacency tables of a leaf if one of its stars has changed; most have not.
static void note_leaf(const refit *r, uint32_t first, uint32_t count)
{
    atomic_uchar *changed = &r->plane_cull->vertex_stars.changed[first / SNAG__LEAF_ELEMENTS];
    if (!atomic_load_explicit(changed, memory_order_relaxed))
        return;
    atomic_store_explicit(changed, 0, memory_order_relaxed);
    const uint8_t *proven = r->plane_cull->vertex_stars.proven + r->tree->first_vertex;
    const uint32_t *vertex = r->bvh->vertices + 3 * (size_t)first;
    snag__leaf_table all_or_none[3] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            all_or_none[c].row[i] = (uint16_t)(0 - proven[vertex[3 * i + c]]);
    r->adjacent_kernels->note(&r->plane_cull->adjacency, first / SNAG__LEAF_ELEMENTS, all_or_none);
}

static void note_leaves(void *context, uint32_t task)
{
    const refit *r = context;
    snag__range slots = snag__task_range(r->tree->first_slot, r->tree->first_slot + r->tree->slot_count, SLOTS_OF_A_TASK, task);
    for (uint32_t first = slots.first; first < slots.last; first += SNAG__LEAF_ELEMENTS)
        note_leaf(r, first, slots.last - first < SNAG__LEAF_ELEMENTS ? slots.last - first : SNAG__LEAF_ELEMENTS);
}

// Planes contain the margin, so they are kept while it is large enough and not much too large.
static bool margin_fits(const snag__plane_cull *plane_cull)
{
    double least = plane_cull->local_origin.reach * MARGIN;
    return (double)plane_cull->margin >= least && (double)plane_cull->margin <= MARGIN_WASTE * least;
}

bool snag__plane_cull_fit(const snag__plane_cull *plane_cull, const snag__bvh *bvh)
{
    SNAG__ASSERT(plane_cull->builds <= bvh->builds);
    return plane_cull->builds != 0 && plane_cull->builds == bvh->builds;
}

void snag__plane_cull_note_filled(snag__plane_cull *plane_cull, uint32_t index, const snag__tree *tree)
{
    SNAG__ASSERT(plane_cull->builds != 0);
    plane_cull->trees[index].filled = tree->pose;
}

// Whether the arrays by slot have to be filled again, with another origin or margin.
static bool fit_local_origin(snag__plane_cull *plane_cull, const snag__bvh *bvh, bool rebuilt)
{
    snag__local_origin_fit(&plane_cull->local_origin, bvh, rebuilt);
    if (!rebuilt && margin_fits(plane_cull))
        return false;
    plane_cull->margin = (float)(2 * plane_cull->local_origin.reach * MARGIN);
    return true;
}

// Forgets what was learnt of an earlier build, in memory that the next may need.
static void forget_topology(snag__plane_cull *plane_cull, const snag__bvh *bvh)
{
    plane_cull->learnt = 0;
    plane_cull->vertex_stars.star_block_count = plane_cull->adjacency.count = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        plane_cull->trees[i] = (snag__plane_cull_tree){0};
}

bool snag__plane_cull_refit(snag__plane_cull *plane_cull, const snag__bvh *bvh, bool learn, const snag_allocator *allocator,
                            const snag__parallel *parallel, snag_isa isa)
{
    SNAG__ASSERT(bvh->kind == SNAG_TRIANGLE && bvh->slot_count <= SNAG__PLANE_CULL_SLOTS_MAX);
    bool rebuilt = !snag__plane_cull_fit(plane_cull, bvh);
    if (rebuilt) {
        plane_cull->builds = 0;
        plane_cull->sparse = false;
        if (!reserve(plane_cull, bvh, allocator))
            return false;
        forget_topology(plane_cull, bvh);
        plane_cull->builds = bvh->builds;
    }
    if (learn && plane_cull->learnt != bvh->builds) {
        if (!learn_topology(plane_cull, bvh, allocator)) {
            forget_topology(plane_cull, bvh);
            plane_cull->builds = 0;
            return false;
        }
        plane_cull->learnt = bvh->builds;
    }
    rebuilt = fit_local_origin(plane_cull, bvh, rebuilt);

    refit r = {
        .plane_cull = plane_cull,
        .bvh = bvh,
        .kernels = snag__plane_cull_kernels_for(isa),
        .vertex_star_kernels = snag__vertex_star_kernels_for(isa),
        .adjacent_kernels = snag__leaf_adjacency_kernels_for(isa),
    };
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = r.tree = &bvh->trees[i];
        snag__plane_cull_tree *plane_cull_tree = &plane_cull->trees[i];
        r.plane_cull_tree = plane_cull_tree;
        if (rebuilt || plane_cull_tree->filled != tree->pose)
            snag__parallel_for(parallel, snag__task_count(tree->slot_count, SLOTS_OF_A_TASK), fill_task, &r);
        snag__plane_cull_note_filled(plane_cull, i, tree);
        if (plane_cull->learnt == 0 || (!rebuilt && plane_cull_tree->pose == tree->pose))
            continue;
        snag__parallel_for(parallel, snag__task_count(plane_cull_tree->star_block_count, STAR_BLOCKS_OF_A_TASK), prove_vertex_stars,
                           &r);
        snag__parallel_for(parallel, snag__task_count(tree->slot_count, SLOTS_OF_A_TASK), note_leaves, &r);
        plane_cull_tree->pose = tree->pose;
    }
    return true;
}

// ---- sparse: leaves that meet ----

bool snag__plane_cull_start_sparse(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    SNAG__ASSERT(bvh->kind == SNAG_TRIANGLE && bvh->slot_count <= SNAG__PLANE_CULL_SLOTS_MAX);
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS;
    bool rebuilt = !plane_cull->sparse || plane_cull->sparse_builds != bvh->builds;
    if (rebuilt) {
        plane_cull->builds = plane_cull->sparse_builds = plane_cull->learnt = 0;
        snag__vertex_stars_free(allocator, &plane_cull->vertex_stars);
        snag__leaf_adjacency_free(allocator, &plane_cull->adjacency);
        const snag__room room = {&plane_cull->memory[SNAG__PLANE_CULL_MARKS], &plane_cull->marks, leaves + 1,
                                 sizeof *plane_cull->marks};
        if (!reserve(plane_cull, bvh, allocator) || !snag__rooms_reserve(allocator, &room, 1))
            return false;
        plane_cull->sparse = true;
        plane_cull->sparse_builds = bvh->builds;
    }
    fit_local_origin(plane_cull, bvh, rebuilt);
    for (size_t i = 0; i < leaves; i++)
        atomic_init(&plane_cull->marks[i], 0);
    return true;
}

static void fill_marked_leaves(void *context, uint32_t task)
{
    const refit *r = context;
    snag__range leaves = snag__task_range(0, r->bvh->slot_count / SNAG__LEAF_ELEMENTS, LEAVES_OF_A_TASK, task);
    for (uint32_t leaf = leaves.first; leaf < leaves.last; leaf++) {
        if (!atomic_load_explicit(&r->plane_cull->marks[leaf], memory_order_relaxed))
            continue;
        const snag__node *node = &r->bvh->nodes[r->bvh->leaves[leaf]];
        r->kernels->fill(r->bvh->trees[node->tree].mesh, (const uint32_t(*)[3])r->bvh->vertices, node->first, node->count,
                         r->plane_cull, NULL);
    }
}

void snag__plane_cull_fill_marked(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag__parallel *parallel, snag_isa isa)
{
    SNAG__ASSERT(plane_cull->sparse && plane_cull->sparse_builds == bvh->builds);
    refit r = {.plane_cull = plane_cull, .bvh = bvh, .kernels = snag__plane_cull_kernels_for(isa)};
    uint32_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS;
    snag__parallel_for(parallel, snag__task_count(leaves, LEAVES_OF_A_TASK), fill_marked_leaves, &r);
}

// ---- triangles of zero area ----

// Whether a full leaf has a needle.
static bool any_unsure(const uint16_t *turns)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        any |= turns[i];
    return (any & SNAG__TURN_UNSURE) != 0;
}

typedef struct counting {
    const snag__plane_cull *plane_cull;
    const snag__bvh *bvh;
    const snag__tree *tree;
    atomic_size_t count;
} counting;

static void count_in_leaf(counting *c, uint32_t first, uint32_t last)
{
    const double(*x)[3] = (const double(*)[3])c->tree->mesh->x_t1;
    for (uint32_t slot = first; slot < last; slot++) {
        const uint32_t *v = c->bvh->vertices + 3 * (size_t)slot;
        if (c->plane_cull->turns[slot] & SNAG__TURN_UNSURE && snag__bvh_slot_is_used(c->bvh, slot))
            atomic_fetch_add_explicit(&c->count, snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]), memory_order_relaxed);
    }
}

static void count_in_task(void *context, uint32_t task)
{
    counting *c = context;
    snag__range slots = snag__task_range(c->tree->first_slot, c->tree->first_slot + c->tree->slot_count, SLOTS_OF_A_TASK, task);
    for (uint32_t first = slots.first; first < slots.last; first += SNAG__LEAF_ELEMENTS) {
        uint32_t last = slots.last - first < SNAG__LEAF_ELEMENTS ? slots.last : first + SNAG__LEAF_ELEMENTS;
        if (last - first < SNAG__LEAF_ELEMENTS || any_unsure(c->plane_cull->turns + first))
            count_in_leaf(c, first, last);
    }
}

size_t snag__plane_cull_degenerate(const snag__plane_cull *plane_cull, const snag__bvh *bvh, uint32_t tree,
                                   const snag__parallel *parallel)
{
    SNAG__ASSERT(!plane_cull->sparse && tree < bvh->tree_count && plane_cull->trees[tree].filled == bvh->trees[tree].pose);
    counting c = {plane_cull, bvh, &bvh->trees[tree], 0};
    snag__parallel_for(parallel, snag__task_count(c.tree->slot_count, SLOTS_OF_A_TASK), count_in_task, &c);
    return c.count;
}

void snag__plane_cull_free(const snag_allocator *allocator, snag__plane_cull *plane_cull)
{
    snag__buffers_free(allocator, plane_cull->memory, SNAG__PLANE_CULL_BUFFERS);
    snag__vertex_stars_free(allocator, &plane_cull->vertex_stars);
    snag__leaf_adjacency_free(allocator, &plane_cull->adjacency);
    *plane_cull = (snag__plane_cull){0};
}

const snag__plane_cull_kernels *snag__plane_cull_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__plane_cull_kernels, isa)
}
