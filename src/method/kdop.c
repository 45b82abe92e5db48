// The complete hierarchy: trees of k-DOPs over the elements of every body, searched from the roots down.
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, section 4.
// Differs: whole vectors of bounds are compared at a time, pairs of nodes are followed from a stack instead of by
// recursion, and pairs of triangles that are cheaply proven apart are dropped before the exact test (see docs/design/kdop.md).
#include "method/kdop.h"

#include "query/filter.h"
#include "query/impacts.h"
#include "query/sink.h"

#include <math.h>
#include <string.h>

enum {
    LEAF_PAIRS = 512,  // pairs of leaves that wait for their elements to be compared
    CANDIDATES = 4096,  // pairs of elements that wait for the exact test at most
    ENOUGH = 512,  // of them to be tested together
    FRONTIER = 1024,  // with so many pairs of nodes the work can be dealt out
    PAIRS_OF_A_TASK = 128,  // at most
    PAIRS_OF_A_ROUND = SNAG__MAX_TASKS * PAIRS_OF_A_TASK / 2,
    ROUNDS_TO_A_SINK = 64,  // or fewer
    FEW_RECORDS = 64,
    SAMPLE_STRIDE = 64,  // pairs of leaves, one of which is compared
    OPENED_TOGETHER = 32,  // pairs of nodes
    OPENED_MOST = SNAG__ARITY_MAX * SNAG__ARITY_MAX,  // pairs that come of one
};

// Best for surfaces with and without folds: see bench/bench_kdop.c.
static const snag__tree_shape best_shape = {.k = 6, .arity = 8};

// Nodes with twice the surface they had when new cost more than a new tree, as far as can be told before a search. What is
// less than that, the searches tell: see rebuild_policy.h.
static const double DEGRADED = 2.0;

// Bounds of a part of the move that is smaller have so few candidates that none need be looked at before all are.
static const double WORTH_A_SAMPLE = 0x1p-6;

// ---- state ----

snag__kdop_state *snag__kdop_state_of(snag__ask *ask)
{
    return snag__state_of(ask, SNAG_METHOD_KDOP, sizeof(snag__kdop_state));
}

static void free_state(const snag_allocator *allocator, snag__buffer *memory)
{
    snag__kdop_state *state = memory->data;
    if (state == NULL)
        return;
    for (int kind = 0; kind < SNAG__SEARCH_KINDS; kind++)
        snag__bvh_free(allocator, &state->bvhs[kind]);
    for (int i = 0; i < 4; i++)
        snag__leaf_masks_free(allocator, &state->masks[i / 2][i % 2]);
    snag__plane_cull_free(allocator, &state->plane_cull);
    snag__quantized_aabbs_free(allocator, &state->quantized);
    snag__body_pairs_free(allocator, &state->body_pairs);
    snag__buffer *buffers[] = {&state->bodies,      &state->poses,   &state->grow,   &state->boxes,  &state->frontier[0],
                               &state->frontier[1], &state->scratch, &state->part_x, &state->part_of};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    snag__buffer_free(allocator, memory);
}

// ---- update ----

static snag__tree_shape shape_of(const snag__question *def)
{
    return (snag__tree_shape){
        .k = def->k != 0 ? def->k : best_shape.k,
        .arity = def->arity != 0 ? def->arity : best_shape.arity,
    };
}

static bool is_degraded(const snag__bvh *bvh)
{
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        if (snag__tree_degradation(bvh, i) > DEGRADED)
            return true;
    return false;
}

// ---- a part of the move ----

// Marks bounds of a part: no stamp of positions is as large.
#define PART_POSE 0x8000000000000000u

static bool is_part(const snag__ask *ask, const snag__kdop_state *state)
{
    return ask->bounded && state->part < 1;
}

enum { VERTICES_OF_A_TASK = 8192 };

typedef struct placing {
    const snag__mesh *mesh;
    double t;
    double (*x)[3];
} placing;

static void place_some(void *context, uint32_t task)
{
    const placing *p = context;
    uint32_t first = task * VERTICES_OF_A_TASK, left = p->mesh->vertex_count - first;
    for (uint32_t i = first; i < first + (left < VERTICES_OF_A_TASK ? left : VERTICES_OF_A_TASK); i++)
        for (int axis = 0; axis < 3; axis++)
            p->x[i][axis] = p->mesh->x_t0[i][axis] + p->t * (p->mesh->x_t1[i][axis] - p->mesh->x_t0[i][axis]);
}

// Bounds need hold no more of the move than what is left to look at: from here on they do.
static snag_status begin_part(snag__ask *ask, snag__kdop_state *state)
{
    state->part = snag__impact_span(ask);
    if (!is_part(ask, state))
        return SNAG_OK;
    size_t vertices = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        vertices += ask->bodies[i]->mesh.vertex_count;
    if (!snag__buffer_reserve(ask->allocator, &state->part_x, 0, vertices + 1, 3 * sizeof(double)) ||
        !snag__buffer_reserve(ask->allocator, &state->part_of, 0, ask->body_count + 1u, sizeof(double *)))
        return SNAG_ERROR_MEMORY;
    double(*x)[3] = state->part_x.data, (**of)[3] = state->part_of.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        placing p = {.mesh = &ask->bodies[i]->mesh, .t = state->part, .x = of[i] = x};
        uint32_t count = p.mesh->vertex_count;
        snag__parallel_for(ask->parallel, (count + VERTICES_OF_A_TASK - 1u) / VERTICES_OF_A_TASK, place_some, &p);
        x += count;
    }
    state->parts++;
    return SNAG_OK;
}

// Boxes of both ends of a move leave a quarter of the candidates that those of the whole move leave. For parts of it, which are short
// where the earliest impact is wanted, they cost more than they save.
static bool is_two_ended(const snag__ask *ask)
{
    return ask->kind->swept && !ask->bounded && !ask->def->candidates && shape_of(ask->def).k == 6;
}

snag_status snag__kdop_update(snag__ask *ask, snag__kdop_state *state, snag_element_kind kind)
{
    if (!snag__buffer_reserve(ask->allocator, &state->bodies, 0, ask->body_count + 1u, sizeof(snag__bvh_body)) ||
        !snag__buffer_reserve(ask->allocator, &state->poses, 0, ask->body_count + 1u, sizeof(uint64_t)))
        return SNAG_ERROR_MEMORY;
    snag__bvh_body *bodies = state->bodies.data;
    uint64_t *poses = state->poses.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        bodies[i] = (snag__bvh_body){&body->mesh, body->topology, body->log};
        poses[i] = ask->kind->swept ? body->motion : body->pose;
        if (is_part(ask, state))
            poses[i] = PART_POSE | state->parts;
    }
    snag__bvh *bvh = &state->bvhs[kind];
    snag__tree_shape shape = shape_of(ask->def);
    if (ask->thick && !snag__buffer_reserve(ask->allocator, &state->grow, 0, ask->body_count + 1u, sizeof(double)))
        return SNAG_ERROR_MEMORY;
    for (uint32_t i = 0; i < ask->body_count && ask->thick; i++)
        ((double *)state->grow.data)[i] = snag__body_reach(ask, i) - snag__reach(ask);
    bool culled = ask->def->question == SNAG_INTERSECTIONS && kind == SNAG_TRIANGLE;
    snag__refit_def refit = {
        .poses = poses,
        .swept = ask->kind->swept,
        .two_ended = is_two_ended(ask),
        .x_t1 = is_part(ask, state) ? (const double(*const *)[3])state->part_of.data : NULL,
        .inflate = snag__reach(ask) + (is_part(ask, state) ? snag__impact_span_margin(ask) : 0),
        .grow = ask->thick ? state->grow.data : NULL,
        .lazy = ask->def->lazy,
        .plane_cull = culled ? &state->plane_cull : NULL,
        .quantized = culled ? &state->quantized : NULL,
    };
    bool fits =
        !state->rebuild_due[kind] && (snag__bvh_fits(bvh, kind, shape, bodies, ask->body_count) ||
                                      snag__bvh_repair(bvh, kind, shape, bodies, ask->body_count, ask->allocator, &state->scratch));
    if (fits) {
        if (!snag__bvh_refit(bvh, &refit, ask->allocator, ask->parallel, ask->isa))
            return SNAG_ERROR_MEMORY;
        fits = !is_degraded(bvh);
    }
    if (!fits && bvh->tree_count > 0)
        snag__ask_log(ask, SNAG_LOG_DEBUG, "kdop: trees are rebuilt, since %s",
                      state->rebuild_due[kind] ? "searches have become slow" : "bodies came, went or deformed");
    if (!fits && (!snag__bvh_build(bvh, kind, shape, bodies, ask->body_count, ask->allocator, ask->parallel, &state->scratch) ||
                  !snag__bvh_refit(bvh, &refit, ask->allocator, ask->parallel, ask->isa)))
        return SNAG_ERROR_MEMORY;
    state->rebuild_due[kind] = false;
    return SNAG_OK;
}

// The plane culls know where to look for triangles of zero area, so that not all of them need be looked at again.
static void count_degenerate(snag__ask *ask, const snag__kdop_state *state)
{
    if (state->plane_cull.sparse)
        return;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        snag__body *body = ask->bodies[i];
        if (body->degenerate_pose == body->pose)
            continue;
        body->degenerate = snag__plane_cull_degenerate(&state->plane_cull, &state->bvhs[SNAG_TRIANGLE], i, ask->parallel);
        body->degenerate_pose = body->pose;
    }
}

// ---- pairs of bodies ----

typedef struct candidates candidates;

// A pass over two BVHs, or over one with itself.
typedef struct search {
    snag__ask *ask;
    snag__pass pass;
    snag__bvh_search bvhs;
    const snag__bvh_kernels *kernels;
    const struct snag__f32_vertex *ends;  // of edges, by slot; may be NULL
    const snag__node_pair *pairs;  // of the frontier
    size_t pair_count, first_pair;
    size_t round_pairs;  // taken in one round
    // What is done with the first `count` pairs of leaves that wait.
    void (*visit)(const struct search *s, snag__record_list *list, candidates *h, size_t count);
    snag__plane_cull *marked;  // whose leaves are marked, in a first search that does no more
    size_t stride;  // one of so many pairs of leaves is compared
    size_t leaf_pairs[SNAG__MAX_TASKS];  // by task: how many were compared
} search;

static bool append_pair(snag__ask *ask, snag__buffer *buffer, size_t *count, uint32_t a, uint32_t b)
{
    if (!snag__buffer_reserve(ask->allocator, buffer, *count, *count + 1, sizeof(snag__node_pair)))
        return false;
    ((snag__node_pair *)buffer->data)[(*count)++] = (snag__node_pair){a, b};
    return true;
}

static bool roots_overlap(const snag__bvh *rows, uint32_t a, const snag__bvh *columns, uint32_t b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(rows->node_bounds.lo[axis][a] <= columns->node_bounds.hi[axis][b] &&
              columns->node_bounds.lo[axis][b] <= rows->node_bounds.hi[axis][a]))
            return false;
    return true;
}

// Adds the pair (row tree i, column tree j) if it is wanted and their boxes meet.
static bool add_bodies(const search *s, snag__buffer *buffer, size_t *count, uint32_t i, uint32_t j)
{
    uint32_t a = s->bvhs.rows->trees[i].root, b = s->bvhs.columns->trees[j].root;
    if (!roots_overlap(s->bvhs.rows, a, s->bvhs.columns, b) || !snag__wanted(s->ask, i, j))
        return true;
    return append_pair(s->ask, buffer, count, a, b);
}

// The box of a body's rows and columns together, so that an unsymmetric pass finds both directions.
static snag__body_box box_of_body(const search *s, uint32_t i)
{
    const snag__kdops *rows = &s->bvhs.rows->node_bounds, *columns = &s->bvhs.columns->node_bounds;
    uint32_t a = s->bvhs.rows->trees[i].root, b = s->bvhs.columns->trees[i].root;
    snag__body_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = fminf(rows->lo[axis][a], columns->lo[axis][b]);
        box.hi[axis] = fmaxf(rows->hi[axis][a], columns->hi[axis][b]);
    }
    return box;
}

// Pairs of bodies whose boxes meet.
static snag_status start_at_roots(const search *s, snag__kdop_state *state, size_t *count)
{
    uint32_t bodies = s->ask->body_count;
    *count = 0;
    if (!snag__buffer_reserve(s->ask->allocator, &state->boxes, 0, bodies + 1u, sizeof(snag__body_box)))
        return SNAG_ERROR_MEMORY;
    snag__body_box *boxes = state->boxes.data;
    for (uint32_t i = 0; i < bodies; i++)
        boxes[i] = box_of_body(s, i);
    if (!snag__body_pairs_find(&state->body_pairs, boxes, bodies, s->ask->allocator))
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < state->body_pairs.pair_count; i++) {
        uint32_t a = state->body_pairs.pairs[i].a, b = state->body_pairs.pairs[i].b;
        if (!add_bodies(s, &state->frontier[0], count, a, b) ||
            (a != b && !s->bvhs.symmetric && !add_bodies(s, &state->frontier[0], count, b, a)))
            return SNAG_ERROR_MEMORY;
    }
    return SNAG_OK;
}

typedef struct widening {
    const search *s;
    const snag__node_pair *pairs;
    size_t count;
    snag__node_pair *next;  // room for OPENED_MOST from each pair
    size_t opened[FRONTIER / OPENED_TOGETHER + 1];  // by task
} widening;

static void open_some(void *context, uint32_t task)
{
    widening *w = context;
    size_t first = (size_t)task * OPENED_TOGETHER, left = w->count - first;
    w->opened[task] = w->s->kernels->widen(&w->s->bvhs, w->pairs + first, left < OPENED_TOGETHER ? left : OPENED_TOGETHER,
                                           w->next + OPENED_MOST * first);
}

// Opens fewer than FRONTIER pairs. Returns how many come of them.
static size_t open_all(widening *w)
{
    uint32_t tasks = (uint32_t)((w->count + OPENED_TOGETHER - 1) / OPENED_TOGETHER);
    snag__parallel_for(w->s->ask->parallel, tasks, open_some, w);
    size_t count = w->opened[0];
    for (uint32_t i = 1; i < tasks; i++) {
        memmove(w->next + count, w->next + (size_t)OPENED_MOST * OPENED_TOGETHER * i, w->opened[i] * sizeof *w->next);
        count += w->opened[i];
    }
    return count;
}

// Opens the pairs at the front until there are enough to deal out.
static snag_status widen_frontier(search *s, snag__kdop_state *state, size_t count)
{
    int now = 0;
    for (int step = 0; step < SNAG__TREE_LEVELS && count > 0 && count < FRONTIER; step++) {
        snag__buffer *next = &state->frontier[!now];
        if (!snag__buffer_reserve(s->ask->allocator, next, 0, OPENED_MOST * (count + 1), sizeof(snag__node_pair)))
            return SNAG_ERROR_MEMORY;
        widening w = {.s = s, .pairs = state->frontier[now].data, .count = count, .next = next->data};
        count = open_all(&w);
        now = !now;
    }
    s->pairs = state->frontier[now].data;
    s->pair_count = count;
    s->round_pairs = PAIRS_OF_A_ROUND;
    // Records leave memory between rounds: these must be short.
    if (snag__spills(s->ask))
        s->round_pairs = count / ROUNDS_TO_A_SINK > SNAG__MAX_TASKS ? count / ROUNDS_TO_A_SINK : SNAG__MAX_TASKS;
    return SNAG_OK;
}

// ---- tasks ----

// What one task has found and not yet handed on: `count` slots of rows and columns, of two bodies.
struct candidates {
    snag__node_pair stack[SNAG__NODE_STACK + PAIRS_OF_A_TASK + 64], leaves[LEAF_PAIRS];
    uint32_t rows[CANDIDATES], columns[CANDIDATES];
    uint32_t pairs[CANDIDATES][2];
    size_t count;
    size_t leaf_pairs;  // that were compared so far
    uint32_t body_a, body_b;
};

// Pairs of triangles go to the exact test by their slots.
static void hand_on_slots(const search *s, snag__record_list *list, candidates *h)
{
    const snag__bvh *bvh = s->bvhs.rows;
    const snag__plane_cull *plane_cull = s->bvhs.plane_cull;
    const snag__slots slots = {
        .elements = bvh->elements,
        .vertices = (const uint32_t(*)[3])bvh->vertices,
        .f32 = plane_cull->f32,
        .f32_rounding = snag__f32_rounding(plane_cull->local_origin.reach),
    };
    for (size_t i = 0; i < h->count; i++) {
        h->pairs[i][0] = h->rows[i];
        h->pairs[i][1] = h->columns[i];
    }
    snag__narrow_phase_slots(s->ask, list, &slots, h->body_a, h->body_b, (const uint32_t(*)[2])h->pairs, h->count);
}

static void hand_on_elements(const search *s, snag__record_list *list, candidates *h)
{
    for (size_t i = 0; i < h->count; i++) {
        h->pairs[i][0] = s->bvhs.rows->elements[h->rows[i]];
        h->pairs[i][1] = s->bvhs.columns->elements[h->columns[i]];
    }
    snag__narrow_phase(s->ask, list, &s->pass, h->body_a, h->body_b, (const uint32_t(*)[2])h->pairs, h->count);
}

static void hand_on_element_slots(const search *s, snag__record_list *list, candidates *h)
{
    const snag__bvh *rows = s->bvhs.rows, *columns = s->bvhs.columns;
    const snag__element_slots slots = {rows->elements, columns->elements, rows->vertices, columns->vertices, s->ends};
    for (size_t i = 0; i < h->count; i++) {
        h->pairs[i][0] = h->rows[i];
        h->pairs[i][1] = h->columns[i];
    }
    snag__narrow_phase_elements(s->ask, list, &s->pass, &slots, h->body_a, h->body_b, (const uint32_t(*)[2])h->pairs, h->count);
}

// The candidates go to the exact test, many at a time.
static void hand_on(const search *s, snag__record_list *list, candidates *h)
{
    if (s->bvhs.plane_cull != NULL)
        hand_on_slots(s, list, h);
    else if (snag__takes_slots(s->ask, &s->pass))
        hand_on_element_slots(s, list, h);
    else
        hand_on_elements(s, list, h);
    h->count = 0;
}

static bool pairs_features(const snag__pass *pass)
{
    return (pass->row == SNAG_EDGE && pass->column == SNAG_EDGE) || (pass->row == SNAG_TRIANGLE && pass->column == SNAG_VERTEX);
}

// Elements of a body that share a vertex are no candidates of proximities and impacts. The narrow phase would drop them too.
static bool drops_shared(const search *s, const candidates *h)
{
    snag_question question = s->ask->def->question;
    return h->body_a == h->body_b && pairs_features(&s->pass) && !s->ask->def->candidates &&
           (question == SNAG_PROXIMITIES || question == SNAG_IMPACTS);
}

// Whether the masks of leaves leave out what `exclude_rings` does, and most of what `exclude_rest` does.
static bool drops_neighbours(const search *s, const candidates *h)
{
    return s->bvhs.masks != NULL && drops_shared(s, h) && snag__leaf_masks_know(s->bvhs.masks, h->body_a);
}

static void compare_leaves(const search *s, snag__record_list *list, candidates *h, size_t count)
{
    snag__bvh_search bvhs = s->bvhs;
    bvhs.unshared = drops_shared(s, h);
    bvhs.masks = drops_neighbours(s, h) ? s->bvhs.masks : NULL;
    h->leaf_pairs += count;
    for (size_t next = 0; next < count;) {
        h->count +=
            s->kernels->compare(&bvhs, h->leaves, count, &next, h->rows + h->count, h->columns + h->count, CANDIDATES - h->count);
        if (h->count >= ENOUGH)
            hand_on(s, list, h);
    }
}

// Compares a few of the pairs.
static void sample_leaves(const search *s, snag__record_list *list, candidates *h, size_t count)
{
    size_t kept = 0;
    for (size_t i = s->stride / 2; i < count; i += s->stride)
        h->leaves[kept++] = h->leaves[i];
    compare_leaves(s, list, h, kept);
}

static void mark_leaves(const search *s, snag__record_list *list, candidates *h, size_t count)
{
    (void)list;
    for (size_t i = 0; i < count; i++) {
        snag__plane_cull_mark(s->marked, s->bvhs.rows->nodes[h->leaves[i].a].first / SNAG__LEAF_ELEMENTS);
        snag__plane_cull_mark(s->marked, s->bvhs.columns->nodes[h->leaves[i].b].first / SNAG__LEAF_ELEMENTS);
    }
}

// Takes pairs of the frontier that are of the same two bodies, and follows all of them down to their elements. Returns how many.
static size_t follow(const search *s, snag__record_list *list, candidates *h, const snag__node_pair *pairs, size_t count)
{
    const snag__node *rows = s->bvhs.rows->nodes, *columns = s->bvhs.columns->nodes;
    uint32_t body_a = rows[pairs[0].a].tree, body_b = columns[pairs[0].b].tree;
    if (h->body_a != body_a || h->body_b != body_b)
        hand_on(s, list, h);
    h->body_a = body_a;
    h->body_b = body_b;
    size_t taken = 0, waiting = 0, leaves = 0;
    for (; taken < count && rows[pairs[taken].a].tree == body_a && columns[pairs[taken].b].tree == body_b; taken++) {
        if (rows[pairs[taken].a].leaf && columns[pairs[taken].b].leaf)
            h->leaves[leaves++] = pairs[taken];
        else
            h->stack[waiting++] = pairs[taken];
    }
    s->visit(s, list, h, leaves);
    while (waiting > 0) {
        leaves = s->kernels->descend(&s->bvhs, h->stack, &waiting, h->leaves, LEAF_PAIRS);
        s->visit(s, list, h, leaves);
    }
    return taken;
}

// Where a task of a round begins. Each is smaller than the one before, so that threads that take one after another finish at
// about the same time. Neighbours in the frontier share leaves: they stay together, and what one has read is still in the cache
// for the next.
static size_t first_of_task(size_t round, uint32_t index)
{
    return round * index * (2 * SNAG__MAX_TASKS - index) / ((size_t)SNAG__MAX_TASKS * SNAG__MAX_TASKS);
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    search *s = context;
    candidates h;
    h.count = h.leaf_pairs = h.body_a = h.body_b = 0;
    size_t left = s->pair_count - s->first_pair, round = left < s->round_pairs ? left : s->round_pairs;
    size_t last = first_of_task(round, index + 1);
    for (size_t i = first_of_task(round, index); i < last;)
        i += follow(s, list, &h, s->pairs + s->first_pair + i, last - i);
    hand_on(s, list, &h);
    s->leaf_pairs[index] = h.leaf_pairs;  // set, not added to: a task may be run again
}

// Whether plane culls are needed of leaves that meet only. Where all are there already, from a search of bodies with themselves, they
// stay: the next search may be such a one again.
static bool are_sparse(const snag__ask *ask, const snag__kdop_state *state)
{
    return !ask->def->self && !snag__plane_cull_fit(&state->plane_cull, &state->bvhs[SNAG_TRIANGLE]);
}

// What drops pairs of triangles that do not intersect, and boxes that are compared faster than the trees' own. What takes long to
// learn is learnt in the second search of the same trees: most meshes that are asked once are never asked again.
static bool prepare_plane_cull(snag__ask *ask, snag__kdop_state *state, snag__bvh_search *bvhs)
{
    bool again = snag__plane_cull_fit(&state->plane_cull, bvhs->rows);
    for (uint32_t i = 0; i < ask->body_count; i++)
        again = again && ask->bodies[i]->mesh.linked;
    bool prepared = are_sparse(ask, state)
                        ? snag__plane_cull_start_sparse(&state->plane_cull, bvhs->rows, ask->allocator)
                        : snag__plane_cull_refit(&state->plane_cull, bvhs->rows, again, ask->allocator, ask->parallel, ask->isa);
    if (!prepared)
        return false;
    bvhs->plane_cull = &state->plane_cull;
    if (bvhs->rows->shape.k != 6)
        return true;
    if (!snag__quantized_aabbs_refit(&state->quantized, bvhs->rows, ask->allocator, ask->parallel, ask->isa))
        return false;
    bvhs->quantized = snag__quantized_aabbs_usable(&state->quantized) ? &state->quantized : NULL;
    return true;
}

// Lists that have never held anything get room for a record an element, dealt out as the pairs of a round are: a task whose list is too
// short runs twice, so that a first search would do all of its work twice.
static bool expect_records(const search *s)
{
    const snag__ask *ask = s->ask;
    if (ask->bounded || ask->def->candidates || snag__spills(ask))
        return true;
    for (uint32_t i = 0; i < SNAG__MAX_TASKS; i++) {
        snag__record_list *list = &ask->scratch->lists[i];
        size_t room = first_of_task(s->bvhs.rows->slot_count, i + 1) - first_of_task(s->bvhs.rows->slot_count, i);
        if (list->capacity == 0 && !snag__record_list_reserve(ask->answer_allocator, list, room + FEW_RECORDS))
            return false;
    }
    return true;
}

// Runs the tasks of the frontier in rounds; `leaf_pairs` gets how many they compared.
static snag_status run_rounds(search *s, double done, double share, size_t *leaf_pairs)
{
    *leaf_pairs = 0;
    s->visit = compare_leaves;
    if (!expect_records(s))
        return SNAG_ERROR_MEMORY;
    for (; s->first_pair < s->pair_count; s->first_pair += s->round_pairs) {
        snag_status status = snag__run_tasks(s->ask, SNAG__MAX_TASKS, run_task, s);
        if (status != SNAG_OK)
            return status;
        for (uint32_t i = 0; i < SNAG__MAX_TASKS; i++)
            *leaf_pairs += s->leaf_pairs[i];
        double part = (double)(s->first_pair + s->round_pairs) / (double)s->pair_count;
        if (!snag__go_on(s->ask, done + share * fmin(part, 1)))
            break;
    }
    return SNAG_OK;
}

// Makes the plane culls of leaves that meet. The search for them is a small part of one that compares their elements.
static snag_status fill_sparse_plane_cull(search *s, snag__kdop_state *state)
{
    snag_status status = SNAG_OK;
    s->visit = mark_leaves;
    s->marked = &state->plane_cull;
    for (; s->first_pair < s->pair_count && status == SNAG_OK; s->first_pair += s->round_pairs)
        status = snag__run_tasks(s->ask, SNAG__MAX_TASKS, run_task, s);
    s->first_pair = 0;
    snag__plane_cull_fill_marked(&state->plane_cull, s->bvhs.rows, s->ask->parallel, s->ask->isa);
    return status;
}

static void note_rebuild(const search *s, snag__kdop_state *state, snag__rebuild_policy *rebuild, size_t leaf_pairs)
{
    const snag__bvh *rows = s->bvhs.rows, *columns = s->bvhs.columns;
    const snag__question *def = s->ask->def;
    snag__rebuild_case now = {
        .row_builds = rows->builds,
        .column_builds = columns->builds,
        .slots = rows->slot_count + (rows != columns ? columns->slot_count : 0),
        .reach = rows->inflate,
        .lazy = rows->lazy,
        .self = def->self,
        .between = def->between,
        .filter = def->filter,
        .context = def->filter_context,
    };
    if (snag__rebuild_policy_note(rebuild, &now, leaf_pairs))
        state->rebuild_due[s->pass.row] = state->rebuild_due[s->pass.column] = true;
}

static snag_status update_pass(snag__ask *ask, snag__kdop_state *state, snag__pass pass)
{
    snag_status status = begin_part(ask, state);
    if (status == SNAG_OK)
        status = snag__kdop_update(ask, state, pass.row);
    return status == SNAG_OK && pass.column != pass.row ? snag__kdop_update(ask, state, pass.column) : status;
}

// The pairs of nodes from which the search is dealt out.
static snag_status make_frontier(search *s, snag__kdop_state *state)
{
    size_t count;
    snag_status status = start_at_roots(s, state, &count);
    return status == SNAG_OK ? widen_frontier(s, state, count) : status;
}

// Where the earliest impact is wanted and none is known that is early, a few pairs of leaves are compared first: most often there is
// one that is much earlier, and bounds of the move up to that have few candidates.
static snag_status run_sample(search *s, snag__kdop_state *state)
{
    snag_status status = SNAG_OK;
    double before = state->part;
    s->visit = sample_leaves;
    s->stride = SAMPLE_STRIDE;
    for (; s->first_pair < s->pair_count && status == SNAG_OK; s->first_pair += s->round_pairs)
        status = snag__run_tasks(s->ask, SNAG__MAX_TASKS, run_task, s);
    s->first_pair = 0;
    if (status != SNAG_OK || snag__impact_span(s->ask) > before / 2)
        return status;
    status = update_pass(s->ask, state, s->pass);
    return status == SNAG_OK ? make_frontier(s, state) : status;
}

// Masks that fit, or those that were not used in the last search.
static snag__leaf_masks *masks_of(const search *s, snag__kdop_state *state, const snag__neighbours *neighbours)
{
    const bool edges = s->pass.row == SNAG_EDGE;
    bool *last = &state->masks_last[edges];
    if (!snag__leaf_masks_fit(&state->masks[edges][*last], s->bvhs.rows, s->bvhs.columns, neighbours))
        *last = !*last;
    return &state->masks[edges][*last];
}

// Whether bounds are grown so far that elements meet most of their neighbours: then masks are worth their making at once. Else they are
// made in the second search of the same trees: those of a mesh that is edited before every search would only cost.
static bool reaches_neighbours(const search *s)
{
    enum { SAMPLES = 256 };
    const snag__bvh *rows = s->bvhs.rows;
    double sides = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t slot = (uint32_t)((uint64_t)rows->slot_count * i / SAMPLES);
        if (slot >= rows->slot_count || !snag__bvh_slot_is_used(rows, slot))
            continue;
        for (int axis = 0; axis < 3; axis++)
            sides += (double)rows->slot_bounds.hi[axis][slot] - (double)rows->slot_bounds.lo[axis][slot] - 2 * rows->inflate;
        count++;
    }
    // The three sides of an element's box are about two edges long together: half an edge is enough.
    return count > 0 && rows->inflate + s->bvhs.columns->inflate >= sides / 4 / count;
}

// Masks of neighbours, where `exclude_rings` or `exclude_rest` leaves these out. Boxes of neighbours meet at almost any distance: they are most candidates.
static bool prepare_masks(search *s, snag__kdop_state *state)
{
    snag__ask *ask = s->ask;
    const snag__filter *filter = ask->filter;
    const snag__bvh *rows = s->bvhs.rows, *columns = s->bvhs.columns;
    s->bvhs.masks = NULL;
    bool collects = ask->def->candidates || ask->def->collect;  // candidates of any filter
    if (filter == NULL || (filter->rings == 0 && !(filter->rest > 0)) || collects || !pairs_features(&s->pass) ||
        rows->shape.k != 6)
        return true;
    const snag__neighbours neighbours = {filter->rings, filter->rest, filter->ring_tables, filter->rest_x};
    snag__leaf_masks *masks = masks_of(s, state, &neighbours);
    if (!snag__leaf_masks_fit(masks, rows, columns, &neighbours)) {
        snag__leaf_masks_note(masks, rows, columns, &neighbours);
        if (!reaches_neighbours(s))
            return true;
    }
    if (!masks->learnt && !snag__leaf_masks_learn(masks, rows, columns, &neighbours, ask->allocator))
        return false;
    s->bvhs.masks = masks;
    if (!masks->many && filter->rings > 0)
        snag__filter_skip_neighbours(ask, &s->pass, masks->known);
    return true;
}

static snag_status run_pass(snag__ask *ask, snag__kdop_state *state, uint32_t number, snag__pass pass, double done, double share)
{
    snag_status status = update_pass(ask, state, pass);
    if (status != SNAG_OK)
        return status;
    search s = {
        .ask = ask,
        .pass = pass,
        .bvhs = {&state->bvhs[pass.row], &state->bvhs[pass.column], pass.row == pass.column, NULL, NULL, is_two_ended(ask), false,
                 NULL},
        .kernels = snag__bvh_kernels_for(ask->isa),
    };
    if (ask->def->question == SNAG_INTERSECTIONS && s.bvhs.symmetric && s.bvhs.rows->slot_count <= SNAG__PLANE_CULL_SLOTS_MAX) {
        if (!prepare_plane_cull(ask, state, &s.bvhs))
            return SNAG_ERROR_MEMORY;
        count_degenerate(ask, state);
    }

    size_t leaf_pairs;
    status = make_frontier(&s, state);
    if (status == SNAG_OK && ask->bounded && ask->def->output == SNAG_OUTPUT_EARLIEST && state->part > WORTH_A_SAMPLE)
        status = run_sample(&s, state);
    if (status == SNAG_OK && s.bvhs.plane_cull != NULL && state->plane_cull.sparse)
        status = fill_sparse_plane_cull(&s, state);
    // A sample may have led to new trees.
    if (status == SNAG_OK && !prepare_masks(&s, state))
        status = SNAG_ERROR_MEMORY;
    if (pass.row == SNAG_EDGE && pass.column == SNAG_EDGE && snag__takes_slots(ask, &pass) && !snag__spills(ask))
        s.ends = snag__kdop_ends(ask, s.bvhs.rows);
    if (status == SNAG_OK)
        status = run_rounds(&s, done, share, &leaf_pairs);
    // Searches of parts of the move tell nothing about those of all of it.
    if (status == SNAG_OK && !ask->stopped && !is_part(ask, state))
        note_rebuild(&s, state, &state->rebuild[ask->def->question][number], leaf_pairs);
    return status;
}

static snag_status find(snag__ask *ask)
{
    if (ask->def->question == SNAG_DISTANCE)
        return snag__kdop_distance(ask);
    snag__kdop_state *state = snag__kdop_state_of(ask);
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    snag__pass passes[SNAG__MAX_PASSES];
    int pass_count = ask->kind->passes(ask, passes);
    snag_status status = SNAG_OK;
    for (int i = 0; i < pass_count && status == SNAG_OK && !ask->stopped; i++)
        status = run_pass(ask, state, (uint32_t)i, passes[i], (double)i / pass_count, 1.0 / pass_count);
    return status;
}

static snag_status read_options(const snag_method_options *options, snag__question *question, snag__words *message)
{
    const snag_kdop_options *own = (const snag_kdop_options *)options;
    if (own->k != 0 && own->k != 6 && own->k != 14 && own->k != 18 && own->k != 26)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: k must be 6, 14, 18 or 26, not %u", own->k);
    if (own->arity != 0 && own->arity != 2 && own->arity != 4 && own->arity != 8)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the arity must be 2, 4 or 8, not %u", own->arity);
    if (!snag__is_length(own->lazy))
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the margin of lazy updates must be finite and not negative, not %g",
                            own->lazy);
    question->k = own->k;
    question->arity = own->arity;
    question->lazy = own->lazy;
    return SNAG_OK;
}

const snag__method snag__kdop = {
    .method = SNAG_METHOD_KDOP,
    .questions =
        1u << SNAG_INTERSECTIONS | 1u << SNAG_PROXIMITIES | 1u << SNAG_PENETRATIONS | 1u << SNAG_IMPACTS | 1u << SNAG_DISTANCE,
    .counts_candidates = true,
    .read_options = read_options,
    .many_candidates = true,
    .thin = true,
    .find = find,
    .free = free_state,
};
