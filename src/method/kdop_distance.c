// The question `distance` by trees of k-DOPs: the closest features of two bodies.
//
// Branch and bound: pairs of nodes wait with a lower bound of their distance; the nearest is followed first, and pairs farther apart
// than the best so far are dropped. The first descent gives a distance to begin with; the remaining pairs are dealt out to tasks.
#include "method/kdop.h"
#include "method/nearest.h"

#include <float.h>
#include <math.h>

enum {
    LEAVES_FIRST = 8,  // pairs of leaves of the first descent
    FRONTIER = 128,  // pairs of nodes to deal out: two for each task
    WAITING = 2 * SNAG__TREE_LEVELS * SNAG__ARITY_MAX,  // a descent adds a node's children for each level of both trees
};

// A pair of nodes and a lower bound of the square of their distance.
typedef struct waiting {
    snag__node_pair nodes;
    float squared;
} waiting;

// The search between two bodies.
typedef struct search {
    snag__ask *ask;
    snag__near_bodies body_pair;
    const snag__bvh *bvhs;  // by element kind
    const snag__bvh *rows, *columns;
    const snag__bvh_kernels *kernels;
    const snag__distance_kernels *sieves;
    snag__nearest known;  // the best before the work is dealt out
    waiting frontier[FRONTIER + WAITING];
    size_t frontier_count;
    snag__nearest found[SNAG__MAX_TASKS];  // by task
    // With rounds, by task: the pairs that wait, and the index of the next pair of the frontier.
    waiting (*stacks)[WAITING];
    size_t stack_count[SNAG__MAX_TASKS], at[SNAG__MAX_TASKS];
} search;

// Pairs with a squared lower bound above this are farther apart than the best.
static float threshold_of(const search *s, const snag__nearest *best)
{
    float reach = snag__nearest_reach(&s->body_pair, best);
    return reach * reach * (1 + 0x1p-16f) + FLT_MIN;
}

// ---- elements of leaves ----

// Filters pairs of elements by SIMD and offers those that may be as close as the best.
static void offer_pairs(const search *s, const uint32_t (*pairs)[2], size_t count, snag__nearest *best)
{
    const snag__mesh *rows = &s->body_pair.ask->bodies[s->body_pair.row_body]->mesh;
    const snag__mesh *columns = &s->body_pair.ask->bodies[s->body_pair.column_body]->mesh;
    double d = snag__nearest_reach(&s->body_pair, best);
    uint32_t near[SNAG__LEAF_ELEMENTS * SNAG__LEAF_ELEMENTS];
    SNAG__ASSERT(count <= sizeof near / sizeof *near);
    if (s->body_pair.pass.column == SNAG_TRIANGLE || s->body_pair.pass.row >= SNAG__ROD || !(d < FLT_MAX)) {
        for (size_t i = 0; i < count; i++)
            snag__nearest_offer(&s->body_pair, pairs[i][0], pairs[i][1], best);
        return;
    }
    size_t left;
    if (s->body_pair.pass.column == SNAG_EDGE)
        left = s->sieves->edge_edges_near(&(snag__edge_edges){(const double(*)[3])rows->x_t1, (const double(*)[3])columns->x_t1,
                                                              (const uint32_t(*)[2])rows->edges,
                                                              (const uint32_t(*)[2])columns->edges, pairs, count},
                                          d, near);
    else
        left = s->sieves->vertex_triangles_near(&(snag__vertex_triangles){(const double(*)[3])columns->x_t1,
                                                                          (const double(*)[3])rows->x_t1,
                                                                          (const uint32_t(*)[3])rows->triangles, pairs, count},
                                                d, near);
    for (size_t i = 0; i < left; i++)
        snag__nearest_offer(&s->body_pair, pairs[near[i]][0], pairs[near[i]][1], best);
}

static void box_of(const snag__kdops *bounds, uint32_t i, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = bounds->lo[axis][i];
        hi[axis] = bounds->hi[axis][i];
    }
}

static void compare_leaves(const search *s, snag__node_pair leaves, snag__nearest *best)
{
    const snag__node *a = &s->rows->nodes[leaves.a], *b = &s->columns->nodes[leaves.b];
    float threshold = threshold_of(s, best), lo[3], hi[3], to_b[16], squared[16];
    uint32_t pairs[SNAG__LEAF_ELEMENTS * SNAG__LEAF_ELEMENTS][2];
    size_t count = 0;
    SNAG__ASSERT(a->leaf && b->leaf && a->count <= SNAG__LEAF_ELEMENTS && b->count <= SNAG__LEAF_ELEMENTS);
    box_of(&s->columns->node_bounds, leaves.b, lo, hi);
    s->kernels->gaps(&s->rows->slot_bounds, a->first, a->count, lo, hi, to_b);
    for (uint32_t i = 0; i < a->count; i++) {
        if (!(to_b[i] <= threshold))
            continue;
        box_of(&s->rows->slot_bounds, a->first + i, lo, hi);
        s->kernels->gaps(&s->columns->slot_bounds, b->first, b->count, lo, hi, squared);
        for (uint32_t j = 0; j < b->count; j++) {
            pairs[count][0] = s->rows->elements[a->first + i];
            pairs[count][1] = s->columns->elements[b->first + j];
            count += squared[j] <= threshold;
        }
    }
    offer_pairs(s, (const uint32_t(*)[2])pairs, count, best);
}

// ---- pairs of nodes ----

static bool are_leaves(const search *s, snag__node_pair nodes)
{
    return s->rows->nodes[nodes.a].leaf && s->columns->nodes[nodes.b].leaf;
}

static float size_of(const snag__kdops *bounds, uint32_t node)
{
    float size = 0;
    for (int axis = 0; axis < 3; axis++)
        size = fmaxf(size, bounds->hi[axis][node] - bounds->lo[axis][node]);
    return size;
}

// Opens the larger node: pairs its children with the other node, if they are near enough, the nearest last.
static size_t open_pair(const search *s, snag__node_pair nodes, float threshold, waiting *out)
{
    const snag__node *a = &s->rows->nodes[nodes.a], *b = &s->columns->nodes[nodes.b];
    const snag__kdops *rows = &s->rows->node_bounds, *columns = &s->columns->node_bounds;
    bool rows_open = b->leaf || (!a->leaf && size_of(rows, nodes.a) >= size_of(columns, nodes.b));
    const snag__node *open = rows_open ? a : b;
    float lo[3], hi[3], squared[16];
    box_of(rows_open ? columns : rows, rows_open ? nodes.b : nodes.a, lo, hi);
    s->kernels->gaps(rows_open ? rows : columns, open->first, open->count, lo, hi, squared);
    size_t count = 0;
    for (uint32_t i = 0; i < open->count; i++) {
        if (!(squared[i] <= threshold))
            continue;
        size_t at = count++;
        for (; at > 0 && out[at - 1].squared < squared[i]; at--)
            out[at] = out[at - 1];
        uint32_t child = open->first + i;
        out[at] = (waiting){{rows_open ? child : nodes.a, rows_open ? nodes.b : child}, squared[i]};
    }
    return count;
}

// Processes waiting pairs until `leaves` pairs of leaves have been compared or the round is over; returns how many pairs still wait.
static size_t follow(const search *s, waiting *stack, size_t count, size_t leaves, snag__nearest *best)
{
    float threshold = threshold_of(s, best);
    while (count > 0 && leaves > 0) {
        SNAG__ASSERT(count <= WAITING - SNAG__ARITY_MAX);
        waiting next = stack[--count];
        if (!(next.squared <= threshold))
            continue;
        if (are_leaves(s, next.nodes)) {
            compare_leaves(s, next.nodes, best);
            threshold = threshold_of(s, best);
            leaves--;
            if (snag__round_over(s->ask))
                break;
        } else {
            count += open_pair(s, next.nodes, threshold, stack + count);
        }
    }
    return count;
}

// ---- tasks ----

// A task takes every SNAG__MAX_TASKS-th pair of the frontier, and continues where its last round ended.
static void run_task(void *context, uint32_t index)
{
    search *s = context;
    snag__nearest *best = &s->found[index];
    *best = s->known;
    if (snag__budget_over(s->ask))
        return;
    waiting own[WAITING], *stack = s->stacks != NULL ? s->stacks[index] : own;
    for (;;) {
        if (s->stack_count[index] == 0) {
            if (s->at[index] >= s->frontier_count)
                return;
            stack[0] = s->frontier[s->at[index]];
            s->stack_count[index] = 1;
            s->at[index] += SNAG__MAX_TASKS;
        }
        s->stack_count[index] = follow(s, stack, s->stack_count[index], SIZE_MAX, best);
        if (s->stack_count[index] > 0 || snag__round_over(s->ask))
            return;
    }
}

// The part of the frontier that is done; 1 only if nothing waits.
static double part_done(const search *s, uint32_t tasks)
{
    size_t left = 0, taken = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        left += s->stack_count[i] > 0 || s->at[i] < s->frontier_count;
        taken += (s->at[i] - i) / SNAG__MAX_TASKS;
    }
    return left == 0 ? 1 : fmin(0.999, (double)taken / (double)(s->frontier_count + tasks));
}

// Opens waiting pairs, the farthest first, until there are enough to deal out.
static void widen_frontier(search *s, const snag__nearest *best)
{
    float threshold = threshold_of(s, best);
    size_t count = s->frontier_count, at = 0;
    while (at < count && count < FRONTIER) {
        waiting next = s->frontier[at];
        if (are_leaves(s, next.nodes)) {
            at++;
            continue;
        }
        s->frontier[at] = s->frontier[--count];
        count += open_pair(s, next.nodes, threshold, s->frontier + count);
    }
    SNAG__ASSERT(count <= FRONTIER + WAITING);
    s->frontier_count = count;
}

// On one thread: one stack, and nothing to deal out.
static bool follow_alone(search *s, const snag__near_bodies *body_pair, snag__nearest *best)
{
    size_t count = 1;
    while ((count = follow(s, s->frontier, count, SIZE_MAX, best)) > 0)
        if (!snag__nearest_go_on(s->ask, body_pair, 0))
            return false;
    return true;
}

static bool compare_kinds(void *context, const snag__near_bodies *body_pair, snag__nearest *best)
{
    search *s = context;
    const snag__parallel *parallel = s->ask->parallel;
    s->body_pair = *body_pair;
    s->rows = &s->bvhs[s->body_pair.pass.row];
    s->columns = &s->bvhs[s->body_pair.pass.column];
    s->frontier[0] = (waiting){{s->rows->trees[s->body_pair.row_body].root, s->columns->trees[s->body_pair.column_body].root}, 0};
    if (parallel->threads == 1)
        return follow_alone(s, body_pair, best);
    s->frontier_count = follow(s, s->frontier, 1, LEAVES_FIRST, best);
    widen_frontier(s, best);
    uint32_t tasks = s->frontier_count < SNAG__MAX_TASKS ? (uint32_t)s->frontier_count : SNAG__MAX_TASKS;
    for (uint32_t i = 0; i < tasks; i++) {
        s->stack_count[i] = 0;
        s->at[i] = i;
    }
    for (;;) {
        s->known = *best;
        snag__parallel_for(parallel, tasks, run_task, s);
        for (uint32_t i = 0; i < tasks; i++)
            snag__nearest_join(best, &s->found[i]);
        double done = part_done(s, tasks);
        if (done == 1)
            return true;
        if (!snag__nearest_go_on(s->ask, body_pair, done))
            return false;
    }
}

static snag_status search_body_pair(void *context, const snag__near_bodies *body_pair, snag__nearest *best)
{
    snag__nearest_passes(body_pair, compare_kinds, context, best);
    return SNAG_OK;
}

// ---- all bodies ----

static snag_status update_bvhs(snag__ask *ask, snag__kdop_state *state)
{
    const snag_element_kind kinds[] = {SNAG_VERTEX, SNAG_EDGE, SNAG_TRIANGLE, SNAG__ROD, SNAG__THIN_VERTEX};
    snag_status status = SNAG_OK;
    for (int i = 0; i < (ask->thin ? 5 : 3) && status == SNAG_OK; i++)
        status = snag__kdop_update(ask, state, kinds[i]);
    return status;
}

snag_status snag__kdop_distance(snag__ask *ask)
{
    snag__kdop_state *state = snag__kdop_state_of(ask);
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = update_bvhs(ask, state);
    if (status != SNAG_OK)
        return status;
    // Without rounds each task finishes in one go, with a stack of its own.
    bool rounds = ask->def->budget_us > 0 || ask->def->progress != NULL;
    if (rounds && !snag__buffer_reserve(ask->allocator, &state->frontier[0], 0, SNAG__MAX_TASKS, sizeof(waiting[WAITING])))
        return SNAG_ERROR_MEMORY;
    search s = {
        .ask = ask,
        .stacks = rounds ? state->frontier[0].data : NULL,
        .bvhs = state->bvhs,
        .kernels = snag__bvh_kernels_for(ask->isa),
        .sieves = snag__distance_kernels_for(ask->isa),
    };
    return snag__nearest_find(ask, search_body_pair, &s);
}
