// The closest point of bodies to a point: the kernels list the few elements that may be closest, and exact comparisons decide.
#include "geom/distance.h"
#include "mesh/thin.h"
#include "probe/probe_kernel.h"

#include <math.h>
#include <string.h>

// How much the square of a measured distance may be too small: see snag__gap.
#define MEASURED_UP (1 + 0x1p-24)

// The closest element so far.
typedef struct best {
    bool found;
    uint32_t body, element, count;  // `count` vertices of the feature that is closest, ascending
    uint32_t vertex[3];
    snag_element_kind kind;
    snag__near_element where;
    snag__features features;
    snag__gap gap;
} best;

typedef struct point_query {
    const snag__probe_search *search;
    double p[3];
    best best;
} point_query;

// ---- exactly ----

static void sort_vertices(uint32_t *vertex, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && vertex[k - 1] > vertex[k]; k--) {
            uint32_t swap = vertex[k];
            vertex[k] = vertex[k - 1];
            vertex[k - 1] = swap;
        }
}

// The feature of an element that is closest to the point, by its vertices.
static void find_feature(const double p[3], const snag__near_element *near, best *out)
{
    static const snag_contact_kind kinds[4] = {0, SNAG_VERTEX_VERTEX, SNAG_VERTEX_EDGE, SNAG_VERTEX_FACE};
    const snag__bvh *bvh = &near->set->bvh;
    snag__probe_element element = snag__probe_element_at(bvh, near->tree, near->slot);
    bool exact = false;
    uint32_t feature = bvh->corners == 1 ? 1 : snag__vertex_triangle_feature(p, element.x, &exact);
    out->found = true;
    out->where = *near;
    out->body = near->set->body_of[near->tree];
    out->kind = bvh->kind == SNAG__ROD ? SNAG_EDGE : bvh->kind == SNAG__POINT ? SNAG_VERTEX : bvh->kind;
    out->element = bvh->elements[near->slot];
    if (bvh->kind == SNAG__ROD)
        out->element = bvh->trees[near->tree].mesh->thin->rod_edges[out->element];
    else if (bvh->kind == SNAG__POINT)
        out->element = element.vertex[0];
    out->features = (snag__features){.point = {p}};
    out->count = 0;
    for (uint32_t c = 0; c < 3; c++)
        if (feature >> c & 1) {
            out->vertex[out->count++] = element.vertex[c];
            out->features.point[out->count] = element.x[c];
        }
    out->features.kind = kinds[out->count];
    sort_vertices(out->vertex, out->count);
}

static bool is_same_feature(const best *a, const best *b)
{
    return a->body == b->body && a->count == b->count && memcmp(a->vertex, b->vertex, a->count * sizeof *a->vertex) == 0;
}

static bool is_lower(const best *a, const best *b)
{
    if (a->body != b->body)
        return a->body < b->body;
    return a->kind != b->kind ? a->kind > b->kind : a->element < b->element;
}

// Takes the candidate if it is closer, or as close and lower.
static void offer(point_query *q, const snag__near_element *near)
{
    best candidate;
    find_feature(q->p, near, &candidate);
    if (q->best.found && is_same_feature(&candidate, &q->best)) {
        if (is_lower(&candidate, &q->best)) {
            candidate.features = q->best.features;  // whose order the weights of the gap have
            candidate.gap = q->best.gap;
            q->best = candidate;
        }
        return;
    }
    snag__features_measure(&candidate.features, &candidate.gap);
    if (q->best.found) {
        int order = snag__features_compare(&candidate.features, &candidate.gap, &q->best.features, &q->best.gap);
        if (order > 0 || (order == 0 && !is_lower(&candidate, &q->best)))
            return;
    }
    q->best = candidate;
}

// Decides between the elements that are listed; the best one alone stays.
static void settle(snag__point_search *s)
{
    point_query *q = s->context;
    for (uint32_t i = 0; i < s->count; i++)
        if (!(s->near[i].lower > s->limit))
            offer(q, &s->near[i]);
    s->count = 0;
    if (!q->best.found)
        return;
    double squared = q->best.gap.squared * MEASURED_UP + 1e-300;
    s->limit = squared < s->limit ? squared : s->limit;
}

// ---- the side ----

static void write_result(const point_query *q, const snag_closest_def *def, snag_closest *result)
{
    const best *b = &q->best;
    const snag__probe *probe = q->search->probe;
    const snag__bvh *bvh = &b->where.set->bvh;
    snag__probe_element element = snag__probe_element_at(bvh, b->where.tree, b->where.slot);
    *result = (snag_closest){.body = probe->bodies[b->body].id,
                             .element = {.kind = b->kind, .index = b->element},
                             .kind = b->features.kind,
                             .side = SNAG_SIDE_NONE,
                             .distance = b->gap.distance};
    // Corners of the feature are recognised by their positions' addresses: of equal elements another one may have been measured.
    // Rods and points stand there as triangles that repeat a corner, which counts once.
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < b->count && (c == 0 || element.x[c] != element.x[c - 1]); i++)
            if (b->features.point[i + 1] == element.x[c])
                result->weight[c] = b->gap.weight[i + 1];
        result->point[c] = b->gap.point_b[c];
    }
    for (int i = 0; i < 2 && b->kind == SNAG_EDGE; i++)
        result->element.vertex[i] = element.vertex[i];
    if (!def->sign || !snag__probe_encloses(probe, b->body))
        return;
    result->side = snag__probe_side(q->search, b->body, q->p);
    if (result->side == SNAG_SIDE_INSIDE)
        result->distance = -result->distance;
}

// ---- search ----

// The squared distance from p to the box of a tree, rounded down.
static double gap_of_tree(const snag__bvh *bvh, uint32_t tree, const double p[3])
{
    double squared = 0;
    uint32_t root = bvh->trees[tree].root;
    for (int k = 0; k < 3; k++) {
        double lo = (double)bvh->node_bounds.lo[k][root], hi = (double)bvh->node_bounds.hi[k][root];
        double gap = p[k] < lo ? lo - p[k] : p[k] > hi ? p[k] - hi : 0;
        squared += gap * gap;
    }
    return squared * (1 - 0x1p-48);
}

static void search_body(const snag__probe_search *search, uint32_t body, const snag__near_element *last, snag__point_search *s)
{
    static const uint32_t sets[] = {SNAG__PROBE_TRIANGLES, SNAG__PROBE_RODS, SNAG__PROBE_POINTS, SNAG__PROBE_CLOUDS};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const snag__probe_set *set = &search->probe->sets[sets[i]];
        uint32_t tree = set->tree_of[body];
        if (tree == UINT32_MAX || gap_of_tree(&set->bvh, tree, s->p) > s->limit)
            continue;
        s->skip = last->set == set && last->tree == tree ? last->slot / SNAG__LEAF_ELEMENTS : UINT32_MAX;
        search->kernels->closest(set, tree, s);
    }
}

// An upper bound of the square of `within`; what is just beyond it is found, and dropped by write.
static double square_of(double within)
{
    double squared = within * within * MEASURED_UP + 1e-300;
    return squared < INFINITY ? squared : INFINITY;
}

static void find_closest(const snag__probe_search *search, point_query *q, double within, const snag__near_element *last)
{
    snag__point_search s = {.limit = square_of(within), .settle = settle, .context = q};
    memcpy(s.p, q->p, sizeof s.p);
    // The element closest to the point before is a good first guess.
    if (last->set != NULL)
        search->kernels->closest_in_leaf(last->set, last->tree, last->slot / SNAG__LEAF_ELEMENTS, &s);
    for (uint32_t i = 0; i < search->choice.count; i++)
        search_body(search, snag__probe_chosen(&search->choice, i), last, &s);
    settle(&s);
}

void snag__probe_closest(const snag__probe_search *search, const snag_closest_def *def, snag_positions points,
                         const uint32_t *order, size_t count, snag_closest *results)
{
    snag__near_element last = {0};
    for (size_t i = 0; i < count; i++) {
        point_query q = {.search = search};
        bool exact = false;
        snag__positions_get(points, order[i], q.p);
        find_closest(search, &q, def->within, &last);
        bool found = q.best.found &&
                     (isinf(def->within) || snag__features_compare_with(&q.best.features, &q.best.gap, def->within, &exact) <= 0);
        snag_closest *result = &results[order[i]];
        *result = (snag_closest){.side = SNAG_SIDE_NONE, .distance = INFINITY};
        if (found)
            write_result(&q, def, result);
        last = q.best.found ? q.best.where : (snag__near_element){0};
    }
}
