// The hierarchy of `active`: see active_tree.h.
#include "method/active_tree.h"

#include <math.h>
#include <stdlib.h>

enum {
    SLOTS_OF_A_SLICE = 512,  // about 3 microseconds of work
    NODES_OF_A_SLICE = 256,
    FRONTIER = 2048,  // pairs of nodes: draws are then spread evenly
    FRONTIER_LEAST = 64,  // with a budget there are fewer, but at least these
    US_OF_A_PAIR = 3,  // microseconds of budget for each pair: a few hundredths of the budget
    WIDENED = 64,  // pairs of children that one pair of nodes makes at most: 8 by 8
};

// Boxes with 8 children: draws need a cheap refit more than tight bounds.
static const snag__tree_shape shape = {.k = 6, .arity = 8};

// Nodes with twice the surface they had when built cost more than a new tree.
static const double DEGRADED = 2.0;

// Bounds are inflated by this part of the distance, and stay valid until a body has moved that far.
static const double LAZY_MARGIN = 0.5;
// A sweep starts when a body has used a quarter of its margin. It lasts for some asks, and its bounds are used until the next one is
// done: twice as long, and some more.
static const double SWEEP_AT = 0.25, SWEEP_MARGIN = 2.5;

// Whether the bounds of a tree still contain its body.
static bool still_holds(const snag__active_fit *fit, const snag__body *body)
{
    return fit->jumps == body->jumps && body->displacement - fit->displacement <= fit->margin;
}

// ---- refit ----

static bool reserve_bodies(snag__active_tree *tree, const snag__ask *ask)
{
    size_t count = ask->body_count + 1u;
    if (!snag__buffer_reserve(ask->allocator, &tree->bodies, 0, count, sizeof(snag__bvh_body)) ||
        !snag__buffer_reserve(ask->allocator, &tree->poses, 0, count, sizeof(uint64_t)) ||
        !snag__buffer_reserve(ask->allocator, &tree->fits, tree->bvh.tree_count, count, sizeof(snag__active_fit)))
        return false;
    snag__bvh_body *bodies = tree->bodies.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        bodies[i] = (snag__bvh_body){&body->mesh, body->topology, NULL};
    }
    return true;
}

static bool is_degraded(const snag__bvh *bvh)
{
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        if (snag__tree_degradation(bvh, i) > DEGRADED)
            return true;
    return false;
}

// Refits the trees of bodies that have moved farther than their margin, in one go. False if there is no memory.
static bool refit_all(snag__active_tree *tree, const snag__ask *ask, bool anew)
{
    snag__active_fit *fits = tree->fits.data;
    uint64_t *poses = tree->poses.data;
    double margin = LAZY_MARGIN * ask->def->distance, inflate = snag__reach(ask) + margin;
    // Slices do not update the reference positions that a lazy refit compares with.
    if (tree->sliced)
        tree->bvh.inflate = -1;
    anew = anew || tree->bvh.inflate != inflate;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        bool keep = !anew && still_holds(&fits[i], body) && !(tree->sweeping && tree->sweep_tree == i);
        poses[i] = keep ? tree->bvh.trees[i].pose : body->pose;
        if (!keep)
            fits[i] = (snag__active_fit){.displacement = body->displacement, .jumps = body->jumps, .margin = margin};
    }
    tree->sweeping = tree->sliced = false;
    snag__refit_def refit = {.poses = poses, .inflate = inflate, .lazy = ask->def->lazy};
    tree->sliced = !snag__bvh_refit(&tree->bvh, &refit, ask->allocator, ask->parallel, ask->isa);
    return !tree->sliced;
}

// Begins the sweep of the next tree whose bounds have become or will soon become invalid. False if there is none.
static bool begin_sweep(snag__active_tree *tree, const snag__ask *ask)
{
    snag__active_fit *fits = tree->fits.data;
    for (uint32_t n = 0; n < ask->body_count; n++) {
        uint32_t i = (tree->sweep_tree + 1 + n) % ask->body_count;
        const snag__body *body = ask->bodies[i];
        double moved = body->displacement - fits[i].displacement;
        if (fits[i].jumps == body->jumps && moved <= fits[i].margin * SWEEP_AT)
            continue;
        fits[i].next_margin = fmax(SWEEP_MARGIN * fmax(moved, fits[i].sweep_displacement), LAZY_MARGIN * ask->def->distance);
        fits[i].begun_displacement = body->displacement;
        fits[i].begun_jumps = body->jumps;
        fits[i].begun_pose = body->pose;
        tree->sweep_tree = i;
        tree->sweep_level = tree->bvh.trees[i].levels;
        tree->sweep_next = 0;
        return tree->sweeping = tree->sliced = true;
    }
    return false;
}

// One slice of a sweep: some elements, or some nodes of a level. Levels are swept from the bottom up.
static void sweep_slice(snag__active_tree *tree, const snag__ask *ask)
{
    snag__bvh *bvh = &tree->bvh;
    SNAG__ASSERT(tree->sweeping && tree->sweep_tree < bvh->tree_count);
    snag__tree *swept = &bvh->trees[tree->sweep_tree];
    snag__active_fit *fit = (snag__active_fit *)tree->fits.data + tree->sweep_tree;
    bool elements = tree->sweep_level == swept->levels;
    uint32_t level = elements ? 0 : tree->sweep_level;
    uint32_t first = elements ? swept->first_slot : swept->level_first[level];
    uint32_t end = elements ? first + swept->slot_count : swept->level_first[level + 1];
    uint32_t from = first + tree->sweep_next, slice = elements ? SLOTS_OF_A_SLICE : NODES_OF_A_SLICE;
    uint32_t count = end - from < slice ? end - from : slice;
    SNAG__ASSERT(from <= end);
    if (elements)
        snag__box_kernels_for(ask->isa)->kdop_from_elements(NULL, (const double(*)[3])swept->mesh->x_t1, bvh->vertices,
                                                            bvh->corners, from, count, snag__reach(ask) + fit->next_margin,
                                                            &bvh->slot_bounds);
    else
        tree->kernels->merge(bvh, from, from + count);
    tree->sweep_next += count;
    if (from + count < end)
        return;
    tree->sweep_next = 0;
    if (tree->sweep_level-- > 0)
        return;
    tree->sweeping = false;
    fit->sweep_displacement = ask->bodies[tree->sweep_tree]->displacement - fit->begun_displacement;
    fit->margin = fit->next_margin;
    fit->displacement = fit->begun_displacement;
    fit->jumps = fit->begun_jumps;
    swept->pose = fit->begun_pose;
}

static void refit_in_slices(snag__active_tree *tree, const snag__ask *ask, uint64_t until_us)
{
    for (uint32_t sweeps = 0; sweeps < ask->body_count; sweeps += !tree->sweeping) {
        if (!tree->sweeping && !begin_sweep(tree, ask))
            return;
        while (tree->sweeping) {
            if (snag__ask_now(ask) >= until_us)
                return;
            sweep_slice(tree, ask);
        }
    }
}

// Whether all bounds contain their bodies. A tree that is being swept has older and newer bounds: both must.
static bool all_hold(const snag__active_tree *tree, const snag__ask *ask)
{
    const snag__active_fit *fits = tree->fits.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        bool swept = tree->sweeping && tree->sweep_tree == i;
        if (!still_holds(&fits[i], body) || (swept && body->displacement - fits[i].begun_displacement > fits[i].next_margin))
            return false;
    }
    return true;
}

// ---- frontier ----

// A tree and where its box begins along x.
typedef struct begin {
    float lo;
    uint32_t tree;
} begin;

static int by_begin(const void *a, const void *b)
{
    const begin *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return x->tree < y->tree ? -1 : x->tree > y->tree;
}

static bool roots_overlap(const snag__bvh *bvh, uint32_t a, uint32_t b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(bvh->node_bounds.lo[axis][a] <= bvh->node_bounds.hi[axis][b] &&
              bvh->node_bounds.lo[axis][b] <= bvh->node_bounds.hi[axis][a]))
            return false;
    return true;
}

static bool add_pair(snag__active_tree *tree, const snag__ask *ask, uint32_t i, uint32_t j)
{
    const snag__bvh *bvh = &tree->bvh;
    uint32_t a = bvh->trees[i].root, b = bvh->trees[j].root;
    if (!roots_overlap(bvh, a, b) || !snag__wanted(ask, i, j))
        return true;
    if (!snag__buffer_reserve(ask->allocator, &tree->frontier[0], tree->pair_count, tree->pair_count + 1, sizeof(snag__node_pair)))
        return false;
    ((snag__node_pair *)tree->frontier[0].data)[tree->pair_count++] = (snag__node_pair){a, b};
    return true;
}

// Pairs of bodies whose boxes meet, by a sweep along x.
static snag_status start_at_roots(snag__active_tree *tree, const snag__ask *ask)
{
    const snag__bvh *bvh = &tree->bvh;
    tree->pair_count = 0;
    if (!snag__buffer_reserve(ask->allocator, &tree->order, 0, ask->body_count + 1u, sizeof(begin)))
        return SNAG_ERROR_MEMORY;
    begin *order = tree->order.data;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (bvh->trees[i].slot_count > 0)
            order[count++] = (begin){bvh->node_bounds.lo[0][bvh->trees[i].root], i};
    qsort(order, count, sizeof *order, by_begin);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = order[i].tree;
        float end = bvh->node_bounds.hi[0][bvh->trees[one].root];
        for (uint32_t k = i; k < count && order[k].lo <= end; k++) {
            uint32_t other = order[k].tree;
            if (!add_pair(tree, ask, one < other ? one : other, one < other ? other : one))
                return SNAG_ERROR_MEMORY;
        }
    }
    return SNAG_OK;
}

// Opens pairs until there are enough to spread draws over.
static snag_status widen_frontier(snag__active_tree *tree, const snag__ask *ask, size_t enough)
{
    int now = 0;
    for (int step = 0; step < SNAG__TREE_LEVELS && tree->pair_count > 0 && tree->pair_count < enough; step++) {
        if (!snag__buffer_reserve(ask->allocator, &tree->frontier[!now], 0, WIDENED * (tree->pair_count + 1),
                                  sizeof(snag__node_pair)))
            return SNAG_ERROR_MEMORY;
        tree->pair_count =
            tree->kernels->widen(&tree->search, tree->frontier[now].data, tree->pair_count, tree->frontier[!now].data);
        now = !now;
    }
    tree->pairs = tree->frontier[now].data;
    return SNAG_OK;
}

snag_status snag__active_tree_update(snag__active_tree *tree, const snag__ask *ask, uint64_t until_us)
{
    if (!reserve_bodies(tree, ask))
        return SNAG_ERROR_MEMORY;
    tree->kernels = snag__bvh_kernels_for(ask->isa);
    tree->search = (snag__bvh_search){.rows = &tree->bvh, .columns = &tree->bvh, .symmetric = true};
    const snag__bvh_body *bodies = tree->bodies.data;
    bool fits = snag__bvh_fits(&tree->bvh, SNAG_TRIANGLE, shape, bodies, ask->body_count);
    bool bound = until_us != UINT64_MAX;
    if (fits && bound && snag__reach(ask) == tree->reach)
        refit_in_slices(tree, ask, until_us);
    else if (fits && !refit_all(tree, ask, false))
        return SNAG_ERROR_MEMORY;
    if (!fits || (!bound && is_degraded(&tree->bvh)))
        if (!snag__bvh_build(&tree->bvh, SNAG_TRIANGLE, shape, bodies, ask->body_count, ask->allocator, ask->parallel,
                             &tree->scratch) ||
            !refit_all(tree, ask, true))
            return SNAG_ERROR_MEMORY;
    tree->reach = snag__reach(ask);
    tree->holds = all_hold(tree, ask);
    snag_status status = start_at_roots(tree, ask);
    uint64_t enough = bound ? ask->def->budget_us / US_OF_A_PAIR : FRONTIER;
    enough = enough < FRONTIER_LEAST ? FRONTIER_LEAST : enough > FRONTIER ? FRONTIER : enough;
    return status == SNAG_OK ? widen_frontier(tree, ask, (size_t)enough) : status;
}

// ---- draws ----

bool snag__active_tree_draw(const snag__active_tree *tree, size_t from, snag__random *random, snag__drawn_leaves *pair)
{
    SNAG__ASSERT(from < tree->pair_count);
    snag__node_pair at = tree->pairs[from], next[2 * WIDENED];
    const snag__node *nodes = tree->bvh.nodes;
    pair->weight = (double)tree->pair_count;
    for (int step = 0; step < 2 * SNAG__TREE_LEVELS && !(nodes[at.a].leaf && nodes[at.b].leaf); step++) {
        size_t count = tree->kernels->widen(&tree->search, &at, 1, next);
        if (count == 0)
            return false;
        SNAG__ASSERT(count <= (size_t)2 * WIDENED);
        pair->weight *= (double)count;
        at = next[snag__random_below(random, (uint32_t)count)];
    }
    pair->a = at.a;
    pair->b = at.b;
    return true;
}

size_t snag__active_tree_compare(const snag__active_tree *tree, const snag__drawn_leaves *pair, uint32_t *rows, uint32_t *columns)
{
    SNAG__ASSERT(tree->bvh.nodes[pair->a].leaf && tree->bvh.nodes[pair->b].leaf);
    snag__node_pair leaves = {pair->a, pair->b};
    size_t next = 0;
    return tree->kernels->compare(&tree->search, &leaves, 1, &next, rows, columns, SNAG__LEAF_HITS);
}

void snag__active_tree_free(const snag_allocator *allocator, snag__active_tree *tree)
{
    snag__bvh_free(allocator, &tree->bvh);
    snag__buffer *buffers[] = {&tree->bodies, &tree->poses,       &tree->scratch,    &tree->fits,
                               &tree->order,  &tree->frontier[0], &tree->frontier[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
}
