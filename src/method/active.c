// Active pairs: pairs of primitives that walk to local minima of their distance. Finds a part of the proximities, as much as the
// time allows, and estimates how much that is.
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, sections 3 and 5.
// Differs: edge-edge pairs are found by tracing an edge over the other surface, clusters grow around a part of the pairs in
// each step, leaves are drawn from the tree one at a time, a budget is kept, and the detection ratio is estimated (see
// docs/design/active.md).
//
// A step:
//     update the active pairs of the last step -> start new pairs at random -> grow clusters around the pairs
//     -> probe leaves at random to estimate the ratio (active_estimate.c)
// Pairs that are close enough go to the exact test all the while. New pairs start before clusters grow, so that a budget leaves
// time for them.
#include "method/active_step.h"
#include "method/active_walk.h"

#include <math.h>
#include <string.h>

enum {
    QUEUE_IN_A_HURRY = 128,  // queue size with a budget, so that the clock is checked often enough
    POINT_STEPS = 32,  // two points that need more steps to come close started too far away
    LEAF_STEPS = 8,  // the same for points of overlapping leaves, which start close
    TRIANGLE_STEPS = 64,
    TRACED = 128,  // most triangles that one edge is traced over
    TRIES = 8,  // to draw bodies that are wanted
    PERIOD = 8,  // a cluster grows around every eighth of the old pairs in a step, and around all new ones
    SORTED = 8,  // steps between two sorts
    FETCH = 16,  // how many pairs ahead memory is prefetched
    LEFT_OVER = 256,  // pairs that are kept in any case when there is no time to update them
    LOOK = 16,  // pairs between two checks of the clock
    RINGS_MAX = 8,  // rings that a cluster grows by in a step
};

// Pairs up to this many times the distance are kept, so that they are there when bodies approach.
static const double NEAR = 1.25;
// Squared distances are compared with this much more than the exact limit: the exact test decides.
static const double HAIR = 1 + 1e-9;
// How slowly the number of pairs that can be updated in a step is forgotten: by a half in 34 steps.
static const double CAPACITY_MEMORY = 0.98;
// When the stages end, as parts of the budget: the refit of the tree, updates, new pairs, growing, probes. New pairs and probes get
// at least their least share.
static const double REFIT_END = 0.2, UPDATE_END = 0.7, START_END = 0.8, GROW_END = 0.82, PROBE_END = 0.92;
static const double START_SHARE = 0.1, PROBE_SHARE = 0.15;

typedef snag__active_pair pair;
typedef snag__active_queue queue;
typedef snag__active_step step;
typedef snag__active_state active_state;
typedef snag__active_list pair_list;
typedef snag__active_settling settling;

// ---- pairs ---------------------------------------------------------------------------------------------------------

static bool is_wanted(step *s, uint32_t i, uint32_t j)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    if (low != s->wanted_a || high != s->wanted_b) {
        s->wanted = snag__wanted(s->ask, low, high);
        s->wanted_a = low;
        s->wanted_b = high;
    }
    return s->wanted;
}

static uint64_t key_of(const step *s, int kind, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b)
{
    uint64_t first = s->ask->first_element[body_a] + a, second = s->ask->first_element[body_b] + b;
    const snag__mesh *mesh = snag__active_mesh_of(s, body_b);
    if (kind == SNAG__ACTIVE_POINTS)
        return first << 32 | (second + mesh->vertex_count + mesh->edge_count);
    return (first + snag__active_mesh_of(s, body_a)->vertex_count) << 32 | (second + mesh->vertex_count);
}

// Adds a key; false if it was there already, or if there is no memory.
static bool add_key(step *s, snag__hash_set *set, uint64_t key)
{
    if (2 * (set->count + 1) > set->capacity && !snag__hash_set_reserve(s->ask->allocator, set, 2 * set->count + 64)) {
        s->failed = true;
        return false;
    }
    return snag__hash_set_add(set, key);
}

// Each element (vertex or edge, by number) remembers the last body and side that it has met in this step, so that neighbours need
// not start from it again. Earlier meetings are forgotten; then the pair is visited once more and found in `visited`.
static uint64_t meeting(const step *s, uint32_t body, bool above)
{
    SNAG__ASSERT(body < s->ask->body_count);
    return s->state->attempt << 33 | (uint64_t)body << 1 | above;
}

static bool has_met(const step *s, uint32_t number, uint32_t body, bool above)
{
    return ((const uint64_t *)s->state->met.data)[number] == meeting(s, body, above);
}

static void note_meeting(step *s, uint32_t number, uint32_t body, bool above)
{
    ((uint64_t *)s->state->met.data)[number] = meeting(s, body, above);
}

static void flush(step *s, queue *q)
{
    snag__record_list *list = &s->ask->scratch->lists[0];
    if (q->count == 0 || s->failed)
        return;
    if (!snag__record_list_reserve(s->ask->answer_allocator, list, list->count + q->count)) {
        s->failed = true;
        return;
    }
    uint64_t before = s->budget_ns > 0 ? snag__ask_now(s->ask) : 0;
    SNAG__ASSERT(q->count <= SNAG__ACTIVE_QUEUE);
    snag__narrow_phase(s->ask, list, &q->pass, q->row_body, q->column_body, (const uint32_t(*)[2])q->pairs, q->count);
    if (s->budget_ns > 0 && q->count >= QUEUE_IN_A_HURRY)
        snag__active_learn(&s->state->confirm_ns, 1e3 * (double)(snag__ask_now(s->ask) - before) / (double)q->count);
    q->count = 0;
}

static void queue_pair(step *s, int kind, const pair *p)
{
    SNAG__ASSERT(kind < SNAG__ACTIVE_KINDS && s->queue_size <= SNAG__ACTIVE_QUEUE);
    queue *q = &s->state->queues[kind];
    uint32_t row_body = kind == SNAG__ACTIVE_POINTS ? p->body_b : p->body_a,
             column_body = kind == SNAG__ACTIVE_POINTS ? p->body_a : p->body_b;
    if (q->count == s->queue_size || row_body != q->row_body || column_body != q->column_body)
        flush(s, q);
    q->row_body = row_body;
    q->column_body = column_body;
    q->pairs[q->count][0] = kind == SNAG__ACTIVE_POINTS ? p->b : p->a;
    q->pairs[q->count++][1] = kind == SNAG__ACTIVE_POINTS ? p->a : p->b;
}

void snag__active_append(step *s, int kind, const pair *p)
{
    pair_list *next = &s->state->next[kind];
    if (!snag__buffer_reserve(s->ask->allocator, &next->memory, next->count, next->count + 1, sizeof *p)) {
        s->failed = true;
        return;
    }
    ((pair *)next->memory.data)[next->count++] = *p;
}

// Keeps a visited pair if it is near and new, and queues it for the exact test if it is close enough. Returns whether it is near,
// new or not.
static bool offer(step *s, int kind, pair p, double squared)
{
    // Edges are found from others that are in contact, so only those in contact are kept.
    if (!(squared <= (kind == SNAG__ACTIVE_EDGES ? s->contact2 : s->near2)) || s->failed)
        return false;
    if (kind == SNAG__ACTIVE_EDGES && (p.body_a > p.body_b || (p.body_a == p.body_b && p.a > p.b)))
        p = (pair){p.body_b, p.body_a, p.b, p.a, 0};
    if (!add_key(s, &s->state->visited, key_of(s, kind, p.body_a, p.a, p.body_b, p.b)))
        return true;
    p.squared = (float)squared;
    snag__active_append(s, kind, &p);
    if (squared <= s->contact2 && !s->failed)
        queue_pair(s, kind, &p);
    return true;
}

// ---- visits --------------------------------------------------------------------------------------------------------

static bool has_corner(const uint32_t corner[3], uint32_t v)
{
    return corner[0] == v || corner[1] == v || corner[2] == v;
}

// A vertex walks over a body from triangle t to the nearest one. Returns whether that is near.
static bool visit_triangle(step *s, uint32_t body_a, uint32_t v, uint32_t body_b, uint32_t t)
{
    const snag__mesh *a = snag__active_mesh_of(s, body_a), *b = snag__active_mesh_of(s, body_b);
    uint32_t self = body_a == body_b ? v : SNAG__NOBODY;
    if (self != SNAG__NOBODY && has_corner(b->triangles[t], v))
        return false;
    snag__foot foot = {.squared = INFINITY};
    if (s->ask->def->every_pair)
        foot = snag__foot_on_triangle(a->x_t1[v], b, t);
    if (!(foot.squared <= s->near2))
        foot = snag__walk_triangle(a->x_t1[v], b, &t, self, TRIANGLE_STEPS);
    if (!(foot.squared <= s->near2))
        return false;
    note_meeting(s, s->ask->first_element[body_a] + v, body_b, foot.above);
    return offer(s, SNAG__ACTIVE_POINTS, (pair){body_a, body_b, v, t, 0}, foot.squared);
}

static bool share_vertex(const uint32_t a[2], const uint32_t b[2])
{
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

// Visits two edges. Returns whether they are near, and closest between their ends.
static bool visit_edges(step *s, uint32_t body_a, uint32_t e, uint32_t body_b, uint32_t f)
{
    const snag__mesh *a = snag__active_mesh_of(s, body_a), *b = snag__active_mesh_of(s, body_b);
    if (body_a == body_b && share_vertex(a->edges[e], b->edges[f]))
        return false;
    snag__edge_crossing crossing = snag__edges_crossing(a, e, b, f, s->ask->def->every_pair);
    return crossing.inside && offer(s, SNAG__ACTIVE_EDGES, (pair){body_a, body_b, e, f, 0}, crossing.squared);
}

// Traces edge e over the surface of a body from triangle t: across each edge that it passes close to, to the next triangle.
static void trace_edge(step *s, uint32_t body_a, uint32_t e, uint32_t body_b, uint32_t t)
{
    const snag__mesh *b = snag__active_mesh_of(s, body_b);
    uint32_t waiting[TRACED], count = 1, done = 0;
    waiting[0] = t;
    for (; done < count && !s->failed; done++)
        for (int side = 0; side < 3; side++) {
            uint32_t f = b->triangle_edges[waiting[done]][side];
            size_t before = s->state->next[SNAG__ACTIVE_EDGES].count;
            // Continue only across pairs that are new: the others were traced when they were found.
            if (f == SNAG__NO_EDGE || !visit_edges(s, body_a, e, body_b, f) || s->state->next[SNAG__ACTIVE_EDGES].count == before)
                continue;
            for (uint32_t k = b->edge_triangles.start[f]; k < b->edge_triangles.start[f + 1] && count < TRACED; k++)
                if (b->edge_triangles.items[k] != waiting[done])
                    waiting[count++] = b->edge_triangles.items[k];
        }
}

// Visits the neighbours of a pair of edges: each edge with those that share a triangle with the other.
static void visit_edges_around(step *s, const pair *p)
{
    for (int swap = 0; swap < 2; swap++) {
        uint32_t body = swap ? p->body_a : p->body_b, edge = swap ? p->a : p->b;
        uint32_t other_body = swap ? p->body_b : p->body_a, other = swap ? p->b : p->a;
        const snag__mesh *mesh = snag__active_mesh_of(s, body);
        for (uint32_t k = mesh->edge_triangles.start[edge]; k < mesh->edge_triangles.start[edge + 1]; k++) {
            const uint32_t *sides = mesh->triangle_edges[mesh->edge_triangles.items[k]];
            for (int side = 0; side < 3; side++)
                if (sides[side] != edge && sides[side] != SNAG__NO_EDGE)
                    visit_edges(s, other_body, other, body, sides[side]);
        }
    }
}

// ---- update --------------------------------------------------------------------------------------------------------

// Moves a vertex-triangle pair to the new local minimum. A pair that is far now, or not in contact and moving apart, is dropped.
static void update_points(step *s, const pair *p)
{
    pair_list *next = &s->state->next[SNAG__ACTIVE_POINTS];
    size_t before = next->count;
    if (!visit_triangle(s, p->body_a, p->a, p->body_b, p->b) || next->count != before + 1)
        return;
    const pair *now = (const pair *)next->memory.data + before;
    if ((double)now->squared > s->contact2 && now->squared > p->squared)
        next->count = before;
}

// Most edges that were in contact still are, so they go to the exact test at once. Those in contact are kept; the others are
// dropped after their neighbours have been visited.
static void settle_edges(step *s)
{
    settling *w = &s->state->settling;
    const snag__record_list *list = &s->ask->scratch->lists[0];
    size_t count = w->queue.count, at = list->count, lost = 0;
    flush(s, &w->queue);
    for (size_t i = 0; i < count && !s->failed; i++) {
        // Contacts are in the order of their candidates.
        if (at < list->count && list->records[at].key == w->keys[i]) {
            at++;
            snag__active_append(s, SNAG__ACTIVE_EDGES, &w->pairs[i]);
        } else {
            w->pairs[lost++] = w->pairs[i];
        }
    }
    for (size_t i = 0; i < lost && !s->failed; i++)
        visit_edges_around(s, &w->pairs[i]);
}

static void update_edges(step *s, const pair *p)
{
    settling *w = &s->state->settling;
    queue *q = &w->queue;
    if (q->count == s->queue_size || q->row_body != p->body_a || q->column_body != p->body_b)
        settle_edges(s);
    uint64_t key = key_of(s, SNAG__ACTIVE_EDGES, p->body_a, p->a, p->body_b, p->b);
    if (!add_key(s, &s->state->visited, key))
        return;
    q->row_body = p->body_a;
    q->column_body = p->body_b;
    q->pairs[q->count][0] = p->a;
    q->pairs[q->count][1] = p->b;
    w->keys[q->count] = key;
    w->pairs[q->count++] = *p;
}

// The index of the i-th pair to update. The newest pairs come first, in case there is no time for all.
static size_t slot_in_order(const pair_list *list, size_t i)
{
    if (i < list->fresh)
        return list->fresh_from + i;
    return i < list->fresh_from + list->fresh ? i - list->fresh : i;
}

// Pairs are in the order of their first elements in memory, but the data they refer to is not: it is prefetched, first the elements
// and the entry of the hash set, then the positions.
static void fetch_elements(const step *s, int kind, const pair *p)
{
    const snag__mesh *a = snag__active_mesh_of(s, p->body_a), *b = snag__active_mesh_of(s, p->body_b);
    snag__hash_set_fetch(&s->state->visited, key_of(s, kind, p->body_a, p->a, p->body_b, p->b));
    if (kind == SNAG__ACTIVE_POINTS) {
        __builtin_prefetch(a->x_t1[p->a]);
        __builtin_prefetch(b->triangles[p->b]);
        return;
    }
    __builtin_prefetch(a->edges[p->a]);
    __builtin_prefetch(b->edges[p->b]);
    __builtin_prefetch(&a->edge_triangles.start[p->a]);
    __builtin_prefetch(&b->edge_triangles.start[p->b]);
}

static void fetch_positions(const step *s, int kind, const pair *p)
{
    const snag__mesh *a = snag__active_mesh_of(s, p->body_a), *b = snag__active_mesh_of(s, p->body_b);
    if (kind == SNAG__ACTIVE_POINTS) {
        for (int c = 0; c < 3; c++)
            __builtin_prefetch(b->x_t1[b->triangles[p->b][c]]);
        return;
    }
    for (int end = 0; end < 2; end++) {
        __builtin_prefetch(a->x_t1[a->edges[p->a][end]]);
        __builtin_prefetch(b->x_t1[b->edges[p->b][end]]);
    }
    __builtin_prefetch(&a->edge_triangles.items[a->edge_triangles.start[p->a]]);
    __builtin_prefetch(&b->edge_triangles.items[b->edge_triangles.start[p->b]]);
}

static void update_list(step *s, int kind, double share)
{
    const pair_list *list = &s->state->lists[kind];
    const pair *pairs = list->memory.data;
    size_t i = 0;
    for (; i < list->count && !s->failed && (i % LOOK != 0 || snag__active_in_time(s, share)); i++) {
        const pair *p = &pairs[slot_in_order(list, i)];
        if (i + FETCH < list->count)
            fetch_elements(s, kind, &pairs[slot_in_order(list, i + FETCH)]);
        if (i + FETCH / 2 < list->count)
            fetch_positions(s, kind, &pairs[slot_in_order(list, i + FETCH / 2)]);
        bool kept = s->state->keep >= 1 || snag__random_unit(&s->random) < s->state->keep;
        if (kept && is_wanted(s, p->body_a, p->body_b))
            (kind == SNAG__ACTIVE_POINTS ? update_points : update_edges)(s, p);
        if (i + 1 == list->fresh) {
            settle_edges(s);
            s->fresh[kind] = s->state->next[kind].count;
        }
    }
    settle_edges(s);
    s->updated[kind] = i;
    s->survivors[kind] = s->state->next[kind].count;
    if (i < list->fresh)
        s->fresh[kind] = s->survivors[kind];
}

// Points lead to edges, so they come first, with half of the time.
static void update(step *s, double share)
{
    update_list(s, SNAG__ACTIVE_POINTS, share / 2);
    update_list(s, SNAG__ACTIVE_EDGES, share);
}

// Keeps the pairs that there was no time for, behind all others. If there are more than can be updated in two steps, the last ones
// are dropped, since they would never be reached.
static void keep_the_rest(step *s)
{
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++) {
        const pair_list *list = &s->state->lists[kind];
        pair_list *next = &s->state->next[kind];
        next->fresh_from = s->survivors[kind];
        next->fresh = next->count - s->survivors[kind];
        s->capacity[kind] = fmax((double)s->updated[kind], CAPACITY_MEMORY * s->state->capacity[kind]);
        size_t most = 2 * (size_t)s->capacity[kind] + LEFT_OVER;
        for (size_t i = s->updated[kind]; i < list->count && i < most && !s->failed; i++)
            snag__active_append(s, kind, (const pair *)list->memory.data + slot_in_order(list, i));
    }
}

// Sorts the pairs by their elements, so that pairs close in space are close in memory.
static void sort_survivors(step *s, int kind)
{
    pair_list *next = &s->state->next[kind];
    size_t count = s->survivors[kind];
    snag__record *records;
    pair *pairs = next->memory.data, *sorted;
    const snag__room rooms[] = {
        {&s->state->sorting, &records, 2 * count + 1, sizeof *records},
        {&s->state->spare, &sorted, count + 1, sizeof *sorted},
    };
    SNAG__ASSERT(count <= next->count);
    if (!snag__rooms_reserve(s->ask->allocator, rooms, sizeof rooms / sizeof *rooms)) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        records[i] = (snag__record){key_of(s, kind, pairs[i].body_a, pairs[i].a, pairs[i].body_b, pairs[i].b), 0, 0, (uint32_t)i};
    snag__sort_records(records, records + count, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = pairs[records[i].extra];
    if (count > 0)
        memcpy(pairs, sorted, count * sizeof *pairs);
}

// ---- clusters ------------------------------------------------------------------------------------------------------

// Starts a vertex at the triangle of its neighbour, unless it has met this side of the body already.
static void follow_neighbour(step *s, uint32_t body_a, uint32_t v, uint32_t body_b, uint32_t t)
{
    const snag__mesh *a = snag__active_mesh_of(s, body_a), *b = snag__active_mesh_of(s, body_b);
    bool above = snag__is_above(a->x_t1[v], b, t);
    if (!has_met(s, s->ask->first_element[body_a] + v, body_b, above))
        visit_triangle(s, body_a, v, body_b, t);
}

// Traces the edges at a vertex over the other surface, each once.
static void trace_edges_at(step *s, const pair *p, const uint32_t sides[3], bool above)
{
    const snag__mesh *a = snag__active_mesh_of(s, p->body_a);
    for (int side = 0; side < 3; side++) {
        uint32_t e = sides[side];
        if (e == SNAG__NO_EDGE || (a->edges[e][0] != p->a && a->edges[e][1] != p->a))
            continue;
        uint32_t number = s->ask->first_element[p->body_a] + a->vertex_count + e;
        if (has_met(s, number, p->body_b, above))
            continue;
        note_meeting(s, number, p->body_b, above);
        trace_edge(s, p->body_a, e, p->body_b, p->b);
    }
}

static void grow_points(step *s, const pair *p)
{
    const snag__mesh *a = snag__active_mesh_of(s, p->body_a), *b = snag__active_mesh_of(s, p->body_b);
    const snag__csr *star = &a->vertex_triangles;
    bool above = snag__is_above(a->x_t1[p->a], b, p->b);
    for (uint32_t k = star->start[p->a]; k < star->start[p->a + 1]; k++) {
        uint32_t t = star->items[k];
        for (int c = 0; c < 3; c++)
            if (a->triangles[t][c] != p->a)
                follow_neighbour(s, p->body_a, a->triangles[t][c], p->body_b, p->b);
        trace_edges_at(s, p, a->triangle_edges[t], above);
    }
    if (star->start[p->a] == star->start[p->a + 1])
        return;
    // The other way round: the triangle's corners over the surface of the vertex.
    for (int c = 0; c < 3; c++)
        follow_neighbour(s, p->body_b, b->triangles[p->b][c], p->body_a, star->items[star->start[p->a]]);
    if (!s->ask->def->every_pair)
        return;
    for (int side = 0; side < 3 && b->triangle_edges[p->b][side] != SNAG__NO_EDGE; side++) {
        uint32_t f = b->triangle_edges[p->b][side];
        for (uint32_t k = b->edge_triangles.start[f]; k < b->edge_triangles.start[f + 1]; k++)
            visit_triangle(s, p->body_a, p->a, p->body_b, b->edge_triangles.items[k]);
    }
}

static void grow_edges(step *s, const pair *p)
{
    visit_edges_around(s, p);
    // The ends of each edge, from a triangle of the other edge.
    for (int swap = 0; swap < 2; swap++) {
        uint32_t body = swap ? p->body_b : p->body_a, edge = swap ? p->b : p->a;
        uint32_t other_body = swap ? p->body_a : p->body_b, other = swap ? p->a : p->b;
        const snag__mesh *mesh = snag__active_mesh_of(s, body), *other_mesh = snag__active_mesh_of(s, other_body);
        uint32_t first = other_mesh->edge_triangles.start[other];
        for (int end = 0; end < 2 && first < other_mesh->edge_triangles.start[other + 1]; end++)
            follow_neighbour(s, body, mesh->edges[edge][end], other_body, other_mesh->edge_triangles.items[first]);
    }
}

// Visits the neighbours of every stride-th pair from `from` to `to` - 1 of this step.
static void grow_range(step *s, int kind, size_t from, size_t to, size_t stride, double share)
{
    uint64_t began = 0;
    for (size_t i = from; i < to && !s->failed && snag__active_has_time_for(s, &s->state->grow_ns, share, &began); i += stride) {
        // A copy, since the array may move while it grows.
        pair p = ((const pair *)s->state->next[kind].memory.data)[i];
        (kind == SNAG__ACTIVE_POINTS ? grow_points : grow_edges)(s, &p);
    }
}

// Grows clusters around the pairs that were found in the last step, and around every eighth of the older ones: bodies that slide
// get new neighbours, but slowly. With more effort, also around the pairs that are found here, ring by ring.
static void grow(step *s, double share)
{
    double effort = s->state->effort;
    size_t period = effort >= PERIOD ? 1 : (size_t)(PERIOD / effort), start[SNAG__ACTIVE_KINDS], rings = 1;
    SNAG__ASSERT(effort > 0);
    for (double e = effort; e >= 2 && rings < RINGS_MAX; e /= 2)
        rings++;
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++) {
        size_t old = s->fresh[kind] + s->state->step % period;
        start[kind] = s->state->next[kind].count;
        grow_range(s, kind, 0, s->fresh[kind], effort < 1 ? (size_t)(1 / effort) : 1, share);
        // Edges around old pairs are found from points.
        if (kind == SNAG__ACTIVE_POINTS)
            grow_range(s, kind, old, s->survivors[kind], period, share);
    }
    for (size_t ring = 1; ring < rings; ring++)
        for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++) {
            size_t end = s->state->next[kind].count;
            grow_range(s, kind, start[kind], end, 1, share);
            start[kind] = end;
        }
}

// ---- new pairs -----------------------------------------------------------------------------------------------------

// Where a new pair starts: a vertex of each of two bodies.
typedef struct start {
    uint32_t body_a, body_b, a, b;
} start;

// Pure: anywhere on the meshes.
static bool draw_anywhere(step *s, start *at)
{
    const uint32_t *before = s->state->vertices.data;
    uint32_t count = s->ask->body_count, all = before[count];
    for (int attempt = 0; attempt < TRIES && all > 0; attempt++) {
        uint32_t body[2], vertex[2];
        for (int k = 0; k < 2; k++) {
            uint32_t drawn = snag__random_below(&s->random, all), low = 0, high = count;
            while (high - low > 1) {
                uint32_t middle = low + (high - low) / 2;
                if (before[middle] <= drawn)
                    low = middle;
                else
                    high = middle;
            }
            body[k] = low;
            vertex[k] = drawn - before[low];
        }
        *at = (start){body[0], body[1], vertex[0], vertex[1]};
        if (is_wanted(s, body[0], body[1]))
            return true;
    }
    return false;
}

// Switches from two points that are closest to vertex-triangle and edge-edge pairs.
static bool switch_to_elements(step *s, const start *at)
{
    const snag__mesh *a = snag__active_mesh_of(s, at->body_a), *b = snag__active_mesh_of(s, at->body_b);
    const snag__csr *star_a = &a->vertex_triangles, *star_b = &b->vertex_triangles;
    uint32_t first_a = star_a->start[at->a], first_b = star_b->start[at->b];
    if (first_a == star_a->start[at->a + 1] || first_b == star_b->start[at->b + 1])
        return false;
    bool near = visit_triangle(s, at->body_a, at->a, at->body_b, star_b->items[first_b]);
    near |= visit_triangle(s, at->body_b, at->b, at->body_a, star_a->items[first_a]);
    for (uint32_t i = first_a; i < star_a->start[at->a + 1] && !near; i++)
        for (uint32_t k = first_b; k < star_b->start[at->b + 1]; k++)
            for (int side = 0; side < 9; side++) {
                uint32_t e = a->triangle_edges[star_a->items[i]][side / 3];
                uint32_t f = b->triangle_edges[star_b->items[k]][side % 3];
                if (e != SNAG__NO_EDGE && f != SNAG__NO_EDGE)
                    near |= visit_edges(s, at->body_a, e, at->body_b, f);
            }
    return near;
}

// The longest distance from a vertex to a corner of its triangles. Two vertices whose triangles are near may be apart by this much
// more, for each.
static double longest_side(const snag__mesh *mesh, uint32_t v)
{
    double longest = 0;
    const snag__csr *star = &mesh->vertex_triangles;
    for (uint32_t k = star->start[v]; k < star->start[v + 1]; k++)
        for (int c = 0; c < 3; c++)
            longest = fmax(longest, snag__squared_distance(mesh->x_t1[v], mesh->x_t1[mesh->triangles[star->items[k]][c]]));
    return sqrt(longest);
}

// Walks from two points to a local minimum of their distance. False if that is far.
static bool converge(step *s, start at)
{
    const snag__mesh *a = snag__active_mesh_of(s, at.body_a), *b = snag__active_mesh_of(s, at.body_b);
    if (at.body_a == at.body_b && snag__are_neighbours(a, at.a, at.b))
        return false;
    double squared = snag__walk_points(a, &at.a, b, &at.b, s->combined ? LEAF_STEPS : POINT_STEPS);
    if (!(sqrt(squared) <= sqrt(s->near2) + longest_side(a, at.a) + longest_side(b, at.b)))
        return false;
    return switch_to_elements(s, &at);
}

// Pure: a new pair starts anywhere.
static void start_anywhere(step *s)
{
    start at;
    size_t before = s->state->next[SNAG__ACTIVE_POINTS].count + s->state->next[SNAG__ACTIVE_EDGES].count;
    if (!draw_anywhere(s, &at) || !converge(s, at))
        return;
    s->landed++;
    s->landed_known += s->state->next[SNAG__ACTIVE_POINTS].count + s->state->next[SNAG__ACTIVE_EDGES].count == before;
}

// The vertex-triangle and edge-edge pairs of two triangles. Returns whether any are near.
static bool visit_triangles(step *s, uint32_t one, uint32_t t, uint32_t other, uint32_t u)
{
    const snag__mesh *a = snag__active_mesh_of(s, one), *b = snag__active_mesh_of(s, other);
    bool near = false;
    for (int c = 0; c < 3; c++) {
        near |= visit_triangle(s, one, a->triangles[t][c], other, u);
        near |= visit_triangle(s, other, b->triangles[u][c], one, t);
        uint32_t e = a->triangle_edges[t][c];
        for (int d = 0; d < 3 && e != SNAG__NO_EDGE; d++)
            if (b->triangle_edges[u][d] != SNAG__NO_EDGE)
                near |= visit_edges(s, one, e, other, b->triangle_edges[u][d]);
    }
    return near;
}

static bool draw_leaves(step *s, snag__drawn_leaves *leaves)
{
    const snag__active_tree *tree = &s->state->tree;
    bool drawn = false;
    for (int attempt = 0; attempt < TRIES && tree->pair_count > 0 && !drawn; attempt++) {
        size_t from = snag__random_below(&s->random, (uint32_t)tree->pair_count);
        drawn = snag__active_tree_draw(tree, from, &s->random, leaves);
    }
    return drawn;
}

// Combined: a new pair starts in two leaves that overlap, at two of their triangles whose bounds overlap. If there are none, or they
// are not near, at two points.
static void start_in_leaves(step *s)
{
    const snag__active_tree *tree = &s->state->tree;
    const snag__bvh *bvh = &tree->bvh;
    snag__drawn_leaves leaves;
    if (!draw_leaves(s, &leaves))
        return;
    uint32_t rows[SNAG__LEAF_HITS], columns[SNAG__LEAF_HITS];
    size_t hits = snag__active_tree_compare(tree, &leaves, rows, columns);
    const snag__node *a = &bvh->nodes[leaves.a], *b = &bvh->nodes[leaves.b];
    size_t hit = hits > 0 ? snag__random_below(&s->random, (uint32_t)hits) : 0;
    uint32_t row = hits > 0 ? rows[hit] : a->first + snag__random_below(&s->random, a->count);
    uint32_t column = hits > 0 ? columns[hit] : b->first + snag__random_below(&s->random, b->count);
    // Corners of a removed triangle are nowhere on the surface.
    if (snag__is_hole(bvh->vertices + 3 * (size_t)row, 3) || snag__is_hole(bvh->vertices + 3 * (size_t)column, 3))
        return;
    if (hits > 0 && visit_triangles(s, a->tree, bvh->elements[row], b->tree, bvh->elements[column]))
        return;
    converge(s, (start){a->tree, b->tree, bvh->vertices[3 * (size_t)row], bvh->vertices[3 * (size_t)column]});
}

// Combined: half of the new pairs are started here, the other half are probes for the ratio (snag__active_estimate).
static void start_new_pairs(step *s, double share)
{
    double wanted =
        s->combined ? ceil(snag__active_wanted_pairs(s, s->state->effort) / 2) : snag__active_wanted_pairs(s, s->state->effort);
    uint32_t i = 0;
    uint64_t began = 0;
    for (; i < wanted && !s->failed && snag__active_has_time_for(s, &s->state->start_ns, share, &began); i++)
        (s->combined ? start_in_leaves : start_anywhere)(s);
    s->new_pairs = i;
}

// Counts the candidates that the tree leaves in leaves where new pairs would start. Without the tree there are none.
static void count_candidates(step *s)
{
    double wanted = s->combined ? snag__active_wanted_pairs(s, 1) : 0;
    for (uint32_t i = 0; i < wanted; i++) {
        snag__drawn_leaves leaves;
        uint32_t rows[SNAG__LEAF_HITS], columns[SNAG__LEAF_HITS];
        if (draw_leaves(s, &leaves))
            s->ask->scratch->lists[0].pair_count += snag__active_tree_compare(&s->state->tree, &leaves, rows, columns);
    }
    snag__active_set_ratio(s->ask, snag__ratio_unknown());
}

// ---- a step --------------------------------------------------------------------------------------------------------

static bool begin(step *s)
{
    active_state *state = s->state;
    const snag__question *def = s->ask->def;
    size_t pairs = state->lists[SNAG__ACTIVE_POINTS].count + state->lists[SNAG__ACTIVE_EDGES].count;
    if (!snag__hash_set_clear(s->ask->allocator, &state->visited, pairs))
        return false;
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++)
        state->next[kind].count = 0;
    s->memory = snag__ratio_memory(snag__active_moved(s->ask, state), def->distance);
    state->next_settled = snag__ratio_settle(state->settled, s->memory);
    state->next_sum = (snag__tally){0};
    state->next_all = (snag__census){0};
    state->attempt++;
    static const snag__pass points = {SNAG_TRIANGLE, SNAG_VERTEX}, edges = {SNAG_EDGE, SNAG_EDGE};
    s->state->queues[SNAG__ACTIVE_POINTS].pass = points;
    s->state->queues[SNAG__ACTIVE_EDGES].pass = edges;
    s->state->settling.queue.pass = edges;
    s->state->queues[SNAG__ACTIVE_POINTS].count = s->state->queues[SNAG__ACTIVE_EDGES].count = s->state->settling.queue.count = 0;
    s->wanted_a = s->wanted_b = SNAG__NOBODY;
    s->combined = !def->pure;
    s->contact2 = def->distance * def->distance * HAIR;
    s->near2 = s->contact2 * NEAR * NEAR;
    s->budget_ns = def->budget_us > UINT64_MAX / 1000 ? 0 : def->budget_us * 1000;
    s->queue_size = s->budget_ns > 0 ? QUEUE_IN_A_HURRY : SNAG__ACTIVE_QUEUE;
    uint64_t mixed = def->seed ^ (state->step + 1) * 0x9e3779b97f4a7c15u;
    s->random.state = mixed;
    if (s->ask->scratch->finished > SNAG__ACTIVE_FINISHING)
        snag__active_learn(&state->finish_ns,
                           1e3 * s->ask->scratch->finish_us / (double)(s->ask->scratch->finished + SNAG__ACTIVE_FINISHING));
    return true;
}

// The answer is complete: the next step starts with the pairs of this one. A step that fails after `find` leaves no trace.
static void end(snag__ask *ask)
{
    active_state *state = ask->scratch->states[SNAG_METHOD_ACTIVE].data;
    if (ask->def->candidates)
        return;
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++) {
        pair_list swap = state->lists[kind];
        state->lists[kind] = state->next[kind];
        state->next[kind] = swap;
    }
    double found_before = state->found;
    state->sum = state->next_sum;
    state->all = state->next_all;
    state->settled = state->next_settled;
    snag__active_note_past(ask, state);
    state->found = (double)ask->scratch->lists[0].count;
    snag__active_adapt(ask, state, found_before);
    state->step++;
}

static snag_status find(snag__ask *ask)
{
    step s = {.ask = ask, .state = snag__active_state_of(ask)};
    if (s.state == NULL || !snag__active_meet_bodies(ask, s.state) || !begin(&s))
        return SNAG_ERROR_MEMORY;
    if (s.combined) {
        uint64_t budget_us = s.budget_ns / 1000;
        uint64_t until = budget_us > 0 ? ask->started_us + (uint64_t)(REFIT_END * (double)budget_us) : UINT64_MAX;
        snag_status status = snag__active_tree_update(&s.state->tree, ask, until);
        if (status != SNAG_OK)
            return status;
    }
    if (ask->def->candidates) {
        count_candidates(&s);
        return SNAG_OK;
    }
    update(&s, UPDATE_END);
    if (snag__go_on(ask, 0.4))
        start_new_pairs(&s, snag__active_share_of(&s, START_SHARE, START_END));
    if (!ask->stopped && snag__go_on(ask, 0.6))
        grow(&s, GROW_END);
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++)
        flush(&s, &s.state->queues[kind]);
    snag__active_set_ratio(ask, snag__ratio_unknown());
    if (!ask->stopped && snag__go_on(ask, 0.8)) {
        if (s.combined)
            snag__active_estimate(&s, snag__active_share_of(&s, PROBE_SHARE, PROBE_END));
        else if (ask->scratch->lists[0].count > 0)
            snag__active_set_ratio(ask, snag__ratio_from_landings(s.landed, s.landed_known, s.state->settled * s.memory));
    }
    keep_the_rest(&s);
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS && s.state->step % SORTED == SORTED - 1 && s.budget_ns == 0; kind++)
        sort_survivors(&s, kind);
    ask->statistics.new_pairs = s.new_pairs;
    memcpy(s.state->capacity, s.capacity, sizeof s.capacity);
    return s.failed ? SNAG_ERROR_MEMORY : SNAG_OK;
}

static snag_status read_options(const snag_method_options *options, snag__question *question, snag__words *message)
{
    const snag_active_options *own = (const snag_active_options *)options;
    if (!(own->target_ratio >= 0 && own->target_ratio <= 1))
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the target ratio must be 0 to 1, not %g", own->target_ratio);
    if (!snag__is_length(own->lazy))
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the margin of lazy updates must be finite and not negative, not %g",
                            own->lazy);
    question->new_pairs = own->new_pairs;
    question->seed = own->seed;
    question->target_ratio = own->target_ratio;
    question->lazy = own->lazy;
    SNAG__ASSERT(question->method == SNAG_METHOD_ACTIVE);
    return SNAG_OK;
}

const snag__method snag__active = {
    .method = SNAG_METHOD_ACTIVE,
    .questions = 1u << SNAG_PROXIMITIES,
    .partial = true,
    .counts_candidates = true,
    .follows_motion = true,
    .read_options = read_options,
    .find = find,
    .end = end,
    .free = snag__active_free,
};
