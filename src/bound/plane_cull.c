#include "bound/plane_cull.h"

#include "geom/geom.h"

#include <math.h>
#include <string.h>

enum { SLOTS_OF_A_TASK = 2048, STAR_BLOCKS_OF_A_TASK = 256, LEAVES_OF_A_TASK = 128 };

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// bounds 4, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;

// ---- topology, once for each BVH ----

// Room for what is by slot.
static bool reserve(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t slots = bvh->slot_count;
    const size_t counts[4][2] = {
        {slots / SNAG__LEAF_ELEMENTS + 1, sizeof *plane_cull->blocks},
        {slots + SNAG__LEAF_ELEMENTS, sizeof *plane_cull->turns},
        {bvh->tree_count + 1u, sizeof *plane_cull->trees},
        {slots + 1, sizeof *plane_cull->f32},
    };
    for (int i = 0; i < 4; i++)
        if (!snag__buffer_reserve(allocator, &plane_cull->memory[i], 0, counts[i][0], counts[i][1]))
            return false;
    plane_cull->blocks = plane_cull->memory[0].data;
    plane_cull->turns = plane_cull->memory[1].data;
    plane_cull->trees = plane_cull->memory[2].data;
    plane_cull->f32 = plane_cull->memory[3].data;
    plane_cull->turns[slots] = SNAG__TURN_NONE;
    return true;
}

static bool learn_topology(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t triangles = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        triangles += bvh->trees[i].mesh->triangle_count;
    if (!snag__buffer_reserve(allocator, &plane_cull->scratch, 0, triangles + 1, sizeof(uint32_t)) ||
        !snag__vertex_stars_start(&plane_cull->vertex_stars, bvh, allocator) ||
        !snag__leaf_adjacency_start(&plane_cull->adjacency, bvh, allocator))
        return false;
    uint32_t *slot_of = plane_cull->scratch.data;
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++)
            slot_of[bvh->elements[slot]] = slot;
        plane_cull->trees[i].first_star_block = plane_cull->vertex_stars.star_block_count;
        if (!snag__vertex_stars_learn(&plane_cull->vertex_stars, bvh, tree, slot_of, allocator) ||
            !snag__leaf_adjacency_learn(&plane_cull->adjacency, bvh, tree, slot_of, SNAG__STAR_ROWS_MAX, allocator))
            return false;
        plane_cull->trees[i].star_block_count = plane_cull->vertex_stars.star_block_count - plane_cull->trees[i].first_star_block;
    }
    return true;
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
    uint32_t done = task * SLOTS_OF_A_TASK, left = r->tree->slot_count - done;
    r->kernels->fill(r->tree->mesh, (const uint32_t(*)[3])r->bvh->vertices, (size_t)r->tree->first_slot + done,
                     left < SLOTS_OF_A_TASK ? left : SLOTS_OF_A_TASK, r->plane_cull, NULL);
}

static void prove_vertex_stars(void *context, uint32_t task)
{
    const refit *r = context;
    snag__vertex_stars *vertex_stars = &r->plane_cull->vertex_stars;
    uint32_t done = task * STAR_BLOCKS_OF_A_TASK, left = r->plane_cull_tree->star_block_count - done,
             first = r->plane_cull_tree->first_star_block + done;
    r->vertex_star_kernels->prove(vertex_stars, r->plane_cull->turns, first,
                                  first + (left < STAR_BLOCKS_OF_A_TASK ? left : STAR_BLOCKS_OF_A_TASK),
                                  vertex_stars->proven + r->tree->first_vertex);
}

// Most leaves keep all they have from one step to the next.
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
    uint32_t end = r->tree->slot_count, first = task * SLOTS_OF_A_TASK;
    uint32_t last = end - first < SLOTS_OF_A_TASK ? end : first + SLOTS_OF_A_TASK;
    for (uint32_t i = first; i < last; i += SNAG__LEAF_ELEMENTS)
        note_leaf(r, r->tree->first_slot + i, last - i < SNAG__LEAF_ELEMENTS ? last - i : SNAG__LEAF_ELEMENTS);
}

// What was made with another margin has to be made again: it stays while it is large enough and not much too large.
static bool margin_fits(const snag__plane_cull *plane_cull)
{
    double least = plane_cull->local_origin.reach * MARGIN;
    return (double)plane_cull->margin >= least && (double)plane_cull->margin <= 4 * least;
}

static uint32_t tasks_of(uint32_t count, uint32_t of_a_task)
{
    return (count + of_a_task - 1) / of_a_task;
}

bool snag__plane_cull_fit(const snag__plane_cull *plane_cull, const snag__bvh *bvh)
{
    return plane_cull->builds != 0 && plane_cull->builds == bvh->builds;
}

// Whether what is by slot has to be made again: with another frame or margin.
static bool fit_local_origin(snag__plane_cull *plane_cull, const snag__bvh *bvh, bool rebuilt)
{
    snag__local_origin_fit(&plane_cull->local_origin, bvh, rebuilt);
    if (!rebuilt && margin_fits(plane_cull))
        return false;
    plane_cull->margin = (float)(2 * plane_cull->local_origin.reach * MARGIN);
    return true;
}

bool snag__plane_cull_refit(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator,
                            const snag__parallel *parallel, snag_isa isa)
{
    bool rebuilt = !snag__plane_cull_fit(plane_cull, bvh);
    if (rebuilt) {
        plane_cull->builds = 0;
        plane_cull->sparse = false;
        if (!reserve(plane_cull, bvh, allocator) || !learn_topology(plane_cull, bvh, allocator))
            return false;
        plane_cull->builds = bvh->builds;
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
            snag__parallel_for(parallel, tasks_of(tree->slot_count, SLOTS_OF_A_TASK), fill_task, &r);
        plane_cull_tree->filled = tree->pose;
        if (!rebuilt && plane_cull_tree->pose == tree->pose)
            continue;
        snag__parallel_for(parallel, tasks_of(plane_cull_tree->star_block_count, STAR_BLOCKS_OF_A_TASK), prove_vertex_stars, &r);
        snag__parallel_for(parallel, tasks_of(tree->slot_count, SLOTS_OF_A_TASK), note_leaves, &r);
        plane_cull_tree->pose = tree->pose;
    }
    return true;
}

// ---- of leaves that meet ----

bool snag__plane_cull_start_sparse(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS;
    bool rebuilt = !plane_cull->sparse || plane_cull->sparse_builds != bvh->builds;
    if (rebuilt) {
        plane_cull->builds = plane_cull->sparse_builds = 0;
        snag__vertex_stars_free(allocator, &plane_cull->vertex_stars);
        snag__leaf_adjacency_free(allocator, &plane_cull->adjacency);
        if (!reserve(plane_cull, bvh, allocator) ||
            !snag__buffer_reserve(allocator, &plane_cull->memory[4], 0, leaves + 1, sizeof *plane_cull->marks))
            return false;
        plane_cull->marks = plane_cull->memory[4].data;
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
    uint32_t leaves = r->bvh->slot_count / SNAG__LEAF_ELEMENTS, first = task * LEAVES_OF_A_TASK;
    uint32_t last = leaves - first < LEAVES_OF_A_TASK ? leaves : first + LEAVES_OF_A_TASK;
    for (uint32_t leaf = first; leaf < last; leaf++) {
        if (!atomic_load_explicit(&r->plane_cull->marks[leaf], memory_order_relaxed))
            continue;
        const snag__node *node = &r->bvh->nodes[r->bvh->leaves[leaf]];
        r->kernels->fill(r->bvh->trees[node->tree].mesh, (const uint32_t(*)[3])r->bvh->vertices, node->first, node->count,
                         r->plane_cull, NULL);
    }
}

void snag__plane_cull_fill_marked(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag__parallel *parallel, snag_isa isa)
{
    refit r = {.plane_cull = plane_cull, .bvh = bvh, .kernels = snag__plane_cull_kernels_for(isa)};
    uint32_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS;
    snag__parallel_for(parallel, tasks_of(leaves, LEAVES_OF_A_TASK), fill_marked_leaves, &r);
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
        if (c->plane_cull->turns[slot] & SNAG__TURN_UNSURE)
            atomic_fetch_add_explicit(&c->count, snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]), memory_order_relaxed);
    }
}

static void count_in_task(void *context, uint32_t task)
{
    counting *c = context;
    uint32_t done = task * SLOTS_OF_A_TASK, left = c->tree->slot_count - done, first = c->tree->first_slot + done;
    uint32_t end = first + (left < SLOTS_OF_A_TASK ? left : SLOTS_OF_A_TASK);
    for (; first < end; first += SNAG__LEAF_ELEMENTS) {
        uint32_t last = end - first < SNAG__LEAF_ELEMENTS ? end : first + SNAG__LEAF_ELEMENTS;
        if (last - first < SNAG__LEAF_ELEMENTS || any_unsure(c->plane_cull->turns + first))
            count_in_leaf(c, first, last);
    }
}

size_t snag__plane_cull_degenerate(const snag__plane_cull *plane_cull, const snag__bvh *bvh, uint32_t tree,
                                   const snag__parallel *parallel)
{
    counting c = {plane_cull, bvh, &bvh->trees[tree], 0};
    snag__parallel_for(parallel, tasks_of(c.tree->slot_count, SLOTS_OF_A_TASK), count_in_task, &c);
    return c.count;
}

void snag__plane_cull_free(const snag_allocator *allocator, snag__plane_cull *plane_cull)
{
    for (size_t i = 0; i < sizeof plane_cull->memory / sizeof *plane_cull->memory; i++)
        snag__buffer_free(allocator, &plane_cull->memory[i]);
    snag__vertex_stars_free(allocator, &plane_cull->vertex_stars);
    snag__leaf_adjacency_free(allocator, &plane_cull->adjacency);
    snag__buffer_free(allocator, &plane_cull->scratch);
    *plane_cull = (snag__plane_cull){0};
}

const snag__plane_cull_kernels *snag__plane_cull_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__plane_cull_kernels, isa)
}
