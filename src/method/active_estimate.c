// Estimates which part of all contacts `active` has found, from random probes of pairs of triangles. See active.c.
#include "method/active_step.h"

#include <math.h>

enum {
    NEW_PAIRS = 200,  // by default; half of them are probes
    PROBED = 8,  // pairs of triangles of a probe
    PROBED_IN_A_HURRY = 2,  // the same with a budget: more probes tell more than larger ones
};
#define GOLDEN_RATIO 0.6180339887498949  // its multiples, modulo 1, are spread evenly
// Limits of the effort, and of its change in a step.
static const double EFFORT_MIN = 1.0 / 16, EFFORT_MAX = 64, SLOWER = 0.5, FASTER = 1.3;

typedef snag__active_pair pair;
typedef snag__active_queue queue;
typedef snag__active_step step;
typedef snag__active_state active_state;

double snag__active_wanted_pairs(const step *s, double effort)
{
    double base = s->ask->def->new_pairs > 0 ? s->ask->def->new_pairs : NEW_PAIRS;
    return fmin(fmax(rint(base * effort), 1), UINT32_MAX);
}

// The contacts of a probe go to a list of their own.
static void flush_probe(step *s, queue *q)
{
    snag__record_list *list = &s->state->probe;
    if (!s->failed && !snag__record_list_reserve(s->ask->allocator, list, list->count + q->count + 1))
        s->failed = true;
    if (!s->failed)
        snag__narrow_phase(s->ask, list, &q->pass, q->row_body, q->column_body, (const uint32_t(*)[2])q->pairs, q->count);
    q->count = 0;
}

static void queue_probe(step *s, queue *q, uint32_t row, uint32_t column)
{
    if (q->count == SNAG__ACTIVE_QUEUE)
        flush_probe(s, q);
    SNAG__ASSERT(q->count < SNAG__ACTIVE_QUEUE);
    q->pairs[q->count][0] = row;
    q->pairs[q->count++][1] = column;
}

// Queues the vertex-triangle and edge-edge pairs of two triangles.
static void queue_triangles(step *s, queue queues[3], uint32_t t, uint32_t u)
{
    const snag__mesh *a = snag__active_mesh_of(s, queues[0].row_body), *b = snag__active_mesh_of(s, queues[0].column_body);
    if (snag__is_hole(a->triangles[t], 3) || snag__is_hole(b->triangles[u], 3))
        return;
    for (int c = 0; c < 3; c++) {
        queue_probe(s, &queues[0], t, b->triangles[u][c]);
        queue_probe(s, &queues[1], u, a->triangles[t][c]);
        uint32_t e = a->triangle_edges[t][c];
        for (int d = 0; d < 3 && e != SNAG__NO_EDGE; d++)
            if (b->triangle_edges[u][d] != SNAG__NO_EDGE)
                queue_probe(s, &queues[2], e, b->triangle_edges[u][d]);
    }
}

// Finds the contacts of some pairs of triangles of two leaves, drawn at random; divides the weight by the part that was drawn.
static void probe_leaves(step *s, snag__drawn_leaves *leaves, queue queues[3])
{
    const snag__bvh *bvh = &s->state->tree.bvh;
    uint32_t rows[SNAG__LEAF_HITS], columns[SNAG__LEAF_HITS];
    size_t hits = snag__active_tree_compare(&s->state->tree, leaves, rows, columns);
    size_t most = s->budget_ns > 0 ? PROBED_IN_A_HURRY : PROBED, drawn = hits < most ? hits : most,
           from = hits > 0 ? snag__random_below(&s->random, (uint32_t)hits) : 0;
    for (int i = 0; i < 3; i++) {
        queues[i].row_body = bvh->nodes[i == 1 ? leaves->b : leaves->a].tree;
        queues[i].column_body = bvh->nodes[i == 1 ? leaves->a : leaves->b].tree;
    }
    s->state->probe.count = 0;
    // Spread over all: neighbours have nearly the same contacts.
    for (size_t i = 0; i < drawn; i++) {
        size_t at = (from + i * hits / drawn) % hits;
        queue_triangles(s, queues, bvh->elements[rows[at]], bvh->elements[columns[at]]);
    }
    for (int i = 0; i < 3; i++)
        flush_probe(s, &queues[i]);
    leaves->weight *= drawn > 0 ? (double)hits / (double)drawn : 0;
}

// The pair with this key.
static pair pair_of(const step *s, uint64_t key, int *kind)
{
    uint32_t first = (uint32_t)(key >> 32), second = (uint32_t)key;
    pair p = {.body_a = snag__body_of(s->ask, first), .body_b = snag__body_of(s->ask, second)};
    const snag__mesh *a = snag__active_mesh_of(s, p.body_a), *b = snag__active_mesh_of(s, p.body_b);
    p.a = first - s->ask->first_element[p.body_a];
    p.b = second - s->ask->first_element[p.body_b];
    p.squared = (float)s->contact2;
    *kind = p.a < a->vertex_count ? SNAG__ACTIVE_POINTS : SNAG__ACTIVE_EDGES;
    p.a -= *kind == SNAG__ACTIVE_POINTS ? 0 : a->vertex_count;
    p.b -= *kind == SNAG__ACTIVE_POINTS ? b->vertex_count + b->edge_count : b->vertex_count;
    SNAG__ASSERT(*kind == SNAG__ACTIVE_POINTS || p.a < a->edge_count);
    SNAG__ASSERT(p.b < (*kind == SNAG__ACTIVE_POINTS ? b->triangle_count : b->edge_count));
    return p;
}

static uint32_t length_of(const snag__csr *lists, uint32_t i)
{
    return lists->start[i + 1] - lists->start[i];
}

// How many pairs of triangles contain a contact.
static double multiplicity_of(const step *s, int kind, const pair *p)
{
    const snag__mesh *a = snag__active_mesh_of(s, p->body_a), *b = snag__active_mesh_of(s, p->body_b);
    if (kind == SNAG__ACTIVE_POINTS)
        return length_of(&a->vertex_triangles, p->a);
    return (double)length_of(&a->edge_triangles, p->a) * (double)length_of(&b->edge_triangles, p->b);
}

// Draws two leaves, finds all contacts of some of their triangles, and counts those that were known. The others are not reported,
// so that probes measure only what was found without them; they become pairs of the next step.
static void probe(step *s, size_t from, queue queues[3], snag__tally *sum)
{
    snag__drawn_leaves leaves;
    double x = 0, y = 0;
    if (!snag__active_tree_draw(&s->state->tree, from, &s->random, &leaves)) {
        snag__tally_add(sum, 0, 0);
        return;
    }
    probe_leaves(s, &leaves, queues);
    const snag__record_list *list = &s->state->probe;
    for (size_t i = 0; i < list->count && !s->failed; i++) {
        int kind;
        pair p = pair_of(s, list->records[i].key, &kind);
        bool known = snag__hash_set_has(&s->state->visited, list->records[i].key);
        double part = leaves.weight / multiplicity_of(s, kind, &p);
        x += part;
        y += known ? part : 0;
        if (!known)
            snag__active_append(s, kind, &p);
    }
    snag__tally_add(sum, x, y);
}

void snag__active_set_ratio(snag__ask *ask, snag__ratio ratio)
{
    SNAG__ASSERT(ratio.low >= 0 && ratio.low <= ratio.ratio && ratio.ratio <= ratio.high && ratio.high <= 1);
    ask->ratio = ratio.ratio;
    ask->ratio_low = ratio.low;
    ask->ratio_high = ratio.high;
}

void snag__active_estimate(step *s, double share)
{
    const snag__active_tree *tree = &s->state->tree;
    static const snag__pass points = {SNAG_TRIANGLE, SNAG_VERTEX}, edges = {SNAG_EDGE, SNAG_EDGE};
    queue queues[3] = {{.pass = points}, {.pass = points}, {.pass = edges}};
    active_state *state = s->state;
    snag__tally sum = {0};
    if (tree->pair_count == 0 && tree->holds) {
        snag__active_set_ratio(s->ask, (snag__ratio){1, 1, 1});
        return;
    }
    double offset = snag__random_unit(&s->random), wanted = floor(snag__active_wanted_pairs(s, 1) / 2);
    uint64_t began = 0;
    for (uint32_t i = 0; i < wanted && tree->pair_count > 0 && !s->failed; i++) {
        if (!snag__active_has_time_for(s, &s->state->probe_ns, share, &began))
            break;
        double at = fmod((i * GOLDEN_RATIO + offset), 1) * (double)tree->pair_count;
        probe(s, (size_t)at < tree->pair_count ? (size_t)at : tree->pair_count - 1, queues, &sum);
    }
    s->new_pairs += (uint32_t)sum.probes;
    double found = (double)s->ask->scratch->lists[0].count;
    state->next_sum = snag__tally_join(&state->sum, state->found, &sum, found, s->memory);
    state->next_all = snag__census_join(&state->all, &sum, s->memory);
    snag__ratio ratio = snag__ratio_from_probes(&state->next_sum, &state->next_all, found);
    // Nothing was found: the ratio is 0 if probes did find contacts; else there may be none, and the ratio is unknown.
    if (found == 0)
        ratio = sum.x > 0 ? (snag__ratio){0, 0, 0} : snag__ratio_unknown();
    snag__active_set_ratio(s->ask, ratio);
    if (!tree->holds)
        s->ask->ratio_low = 0;
}

void snag__active_adapt(const snag__ask *ask, active_state *state, double found_before)
{
    double target = ask->def->target_ratio;
    bool known = ask->ratio_high - ask->ratio_low < 1 && ask->ratio > 0;
    double coming = ask->ratio * fmin(fmax((state->found + 1) / (found_before + 1), 1), 2);
    if (target <= 0)
        state->effort = 1;
    else if (known)
        state->effort = fmin(fmax(state->effort * fmin(fmax(target / coming, SLOWER), FASTER), EFFORT_MIN), EFFORT_MAX);
    // A third of the correction at a time, since the ratio is only an estimate.
    state->keep = target > 0 && known && ask->ratio > target ? 1 - (1 - target / ask->ratio) / 3 : 1;
}
