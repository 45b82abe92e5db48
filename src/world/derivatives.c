// Derivatives of the distances of many pairs: finds the closest features of each pair exactly, then derives (src/geom/derivatives.c).
#include "snag/derivatives.h"

#include "geom/derivatives.h"
#include "geom/distance.h"
#include "world/collect.h"

#include <math.h>
#include <string.h>

snag_derivatives_def snag_default_derivatives_def(void)
{
    return (snag_derivatives_def){.cookie = SNAG__COOKIE_DERIVATIVES};
}

// ---- single features ----

static bool are_finite(const double *points, int count)
{
    for (int i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return false;
    return true;
}

static int points_of(snag_contact_kind kind)
{
    return kind == SNAG_VERTEX_VERTEX ? 2 : kind == SNAG_VERTEX_EDGE ? 3 : 4;
}

snag_status snag_squared_distance(snag_contact_kind kind, const double *points, double *squared, double *gradient, double *hessian,
                                  snag_contact_kind *measured)
{
    if (points == NULL || squared == NULL || kind < SNAG_VERTEX_VERTEX || kind > SNAG_EDGE_EDGE)
        return SNAG_ERROR_ARGUMENT;
    const int count = points_of(kind);
    if (!are_finite(points, count))
        return SNAG_ERROR_NOT_FINITE;
    const double *const at[4] = {points, points + 3, count > 2 ? points + 6 : points, count > 3 ? points + 9 : points};
    snag__float_env callers = snag__float_env_begin();
    snag_contact_kind done = snag__derive_distance(kind, at, squared, gradient, hessian);
    snag__float_env_end(callers);
    if (measured != NULL)
        *measured = done;
    return SNAG_OK;
}

static bool is_threshold(double x)
{
    return x >= 0 && isfinite(x);
}

snag_status snag_edge_mollifier(const double *points, double threshold, double *mollifier, double *gradient, double *hessian)
{
    if (points == NULL || mollifier == NULL || !is_threshold(threshold))
        return SNAG_ERROR_ARGUMENT;
    if (!are_finite(points, 4))
        return SNAG_ERROR_NOT_FINITE;
    const double *const at[4] = {points, points + 3, points + 6, points + 9};
    snag__float_env callers = snag__float_env_begin();
    *mollifier = snag__derive_mollifier(at, threshold, gradient, hessian);
    snag__float_env_end(callers);
    return SNAG_OK;
}

// ---- batches ----

// Two elements of bodies in the world.
typedef struct item {
    const snag__body *a, *b;
    snag_element_kind kind_a, kind_b;
    uint32_t element_a, element_b;
} item;

static const snag__body *body_in_slot(const snag_world *world, uint32_t index)
{
    const snag__entry *entries = world->entries.data;
    return index >= 1 && index <= world->entry_count ? entries[index - 1].body : NULL;
}

static item item_of_candidate(const snag_world *world, const snag_candidates *set, size_t i)
{
    int kind = 0;
    while (i >= set->lists.start[kind + 1])
        kind++;
    const snag_candidate *p = &set->lists.items[i];
    return (item){body_in_slot(world, p->body_a),
                  body_in_slot(world, p->body_b),
                  snag__candidate_side(kind, false),
                  snag__candidate_side(kind, true),
                  p->a,
                  p->b};
}

static item item_of(const snag_world *world, const snag_derivatives_def *def, size_t i)
{
    if (def->candidates != NULL)
        return item_of_candidate(world, def->candidates, i);
    if (def->contacts != NULL) {
        const snag_contact *c = &def->contacts[i];
        return (item){
            snag__world_find(world, c->body_a), snag__world_find(world, c->body_b), c->a.kind, c->b.kind, c->a.index, c->b.index};
    }
    const snag_pair *p = &def->pairs[i];
    return (item){body_in_slot(world, p->body_a),
                  body_in_slot(world, p->body_b),
                  (snag_element_kind)p->kind_a,
                  (snag_element_kind)p->kind_b,
                  p->a,
                  p->b};
}

static bool is_supported(const item *p)
{
    return (p->kind_a == SNAG_VERTEX && p->kind_b <= SNAG_TRIANGLE) || (p->kind_a == SNAG_EDGE && p->kind_b == SNAG_EDGE);
}

static snag_status check_item(snag_world *world, const snag_derivatives_def *def, size_t i)
{
    const item p = item_of(world, def, i);
    if (p.a == NULL || p.b == NULL)
        return snag__fail(world, SNAG_ERROR_BODY, "derivatives: item %zu names a body that is not in this world", i);
    if (!is_supported(&p) || p.a->source != NULL || p.b->source != NULL)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "derivatives: item %zu is neither a vertex with another element nor two edges of bodies in memory", i);
    if (p.element_a >= snag__element_count(&p.a->mesh, p.kind_a))
        return snag__fail(world, SNAG_ERROR_INDEX, "derivatives: item %zu: %s has no such element %u", i, p.a->name, p.element_a);
    if (p.element_b >= snag__element_count(&p.b->mesh, p.kind_b))
        return snag__fail(world, SNAG_ERROR_INDEX, "derivatives: item %zu: %s has no such element %u", i, p.b->name, p.element_b);
    if (def->thresholds != NULL && !is_threshold(def->thresholds[i]))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "derivatives: threshold %zu must be finite and not negative, not %g", i,
                          def->thresholds[i]);
    return SNAG_OK;
}

static snag_status check(snag_world *world, const snag_derivatives_def *def, const snag_derivative *results)
{
    if (def == NULL || (results == NULL && def->count > 0))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "derivatives: def and results must not be NULL");
    if (def->cookie != SNAG__COOKIE_DERIVATIVES)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "derivatives: the def was not made by snag_default_derivatives_def of this version: start from that");
    if ((def->contacts != NULL) + (def->pairs != NULL) + (def->candidates != NULL) != 1 && def->count > 0)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "derivatives: set exactly one of contacts, pairs and candidates");
    if (def->candidates != NULL && def->count != snag_candidates_count(def->candidates))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "derivatives: the count is %zu, and there are %zu candidates", def->count,
                          snag_candidates_count(def->candidates));
    if (def->candidates != NULL && def->candidates->world != world->serial)
        return snag__fail(world, SNAG_ERROR_BODY, "derivatives: the candidates are of another world");
    if (!is_threshold(def->mollifier))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "derivatives: the mollifier must be finite and not negative, not %g",
                          def->mollifier);
    for (size_t i = 0; i < def->count; i++) {
        snag_status status = check_item(world, def, i);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// A feature's points: their coordinates, and who they are.
static void add_point(snag_derivative *out, const double *points[4], const snag__body *body, uint32_t vertex)
{
    points[out->point_count] = body->mesh.x_t1[vertex];
    out->body[out->point_count] = body->id.index;
    out->vertex[out->point_count++] = vertex;
}

// The points that `feature` names, bit i for corner i.
static void add_points(snag_derivative *out, const double *points[4], const snag__body *body, const uint32_t *vertices,
                       uint32_t feature)
{
    for (int i = 0; feature >> i != 0; i++)
        if (feature >> i & 1)
            add_point(out, points, body, vertices[i]);
}

static snag_contact_kind kind_of(bool edges, uint32_t count)
{
    return count == 2 ? SNAG_VERTEX_VERTEX : count == 3 ? SNAG_VERTEX_EDGE : edges ? SNAG_EDGE_EDGE : SNAG_VERTEX_FACE;
}

static void find_vertex_feature(const item *p, snag_derivative *out, const double *points[4])
{
    bool exact = false;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    const uint32_t *corner = p->b->mesh.triangles[p->element_b];
    const double *const x[3] = {p->b->mesh.x_t1[corner[0]], p->b->mesh.x_t1[corner[1]], p->b->mesh.x_t1[corner[2]]};
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    uint32_t feature = snag__vertex_triangle_feature(p->a->mesh.x_t1[p->element_a], x, &exact);
    add_point(out, points, p->a, p->element_a);
    add_points(out, points, p->b, corner, feature);
    out->kind = kind_of(false, out->point_count);
}

// A point against a rod or another point: an edge from a vertex to itself has that vertex as its feature.
static void find_thin_feature(const item *p, snag_derivative *out, const double *points[4])
{
    bool exact = false;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    const double *x = p->a->mesh.x_t1[p->element_a], *const ends_a[2] = {x, x};
    add_point(out, points, p->a, p->element_a);
    if (p->kind_b == SNAG_VERTEX) {
        add_point(out, points, p->b, p->element_b);
    } else {
        const uint32_t *ends = p->b->mesh.edges[p->element_b];
        const double *const ends_b[2] = {p->b->mesh.x_t1[ends[0]], p->b->mesh.x_t1[ends[1]]};
        add_points(out, points, p->b, ends, snag__edge_edge_feature(ends_a, ends_b, &exact) >> 2);
    }
    out->kind = kind_of(true, out->point_count);
}

// The vertex comes first, also if it is one of b.
static void find_edge_feature(const item *p, snag_derivative *out, const double *points[4])
{
    bool exact = false;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    const uint32_t *ends_a = p->a->mesh.edges[p->element_a], *ends_b = p->b->mesh.edges[p->element_b];
    const double *const xa[2] = {p->a->mesh.x_t1[ends_a[0]], p->a->mesh.x_t1[ends_a[1]]};
    const double *const xb[2] = {p->b->mesh.x_t1[ends_b[0]], p->b->mesh.x_t1[ends_b[1]]};
    uint32_t feature = snag__edge_edge_feature(xa, xb, &exact), of_a = feature & 3, of_b = feature >> 2;
    bool b_first = of_a == 3 && of_b != 3;
    add_points(out, points, b_first ? p->b : p->a, b_first ? ends_b : ends_a, b_first ? of_b : of_a);
    add_points(out, points, b_first ? p->a : p->b, b_first ? ends_a : ends_b, b_first ? of_a : of_b);
    out->kind = kind_of(true, out->point_count);
}

// The squared length of an edge at t0, finite.
static double squared_length_t0(const snag__mesh *mesh, const uint32_t ends[2])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = mesh->x_t0[ends[1]][k] - mesh->x_t0[ends[0]][k];
        sum += d * d;
    }
    return fmin(sum, 1.7976931348623157e308);
}

static void mollify(const item *p, const snag_derivatives_def *def, size_t i, snag_derivative *out)
{
    const snag__mesh *a = &p->a->mesh, *b = &p->b->mesh;
    const uint32_t *ends_a = a->edges[p->element_a], *ends_b = b->edges[p->element_b];
    double threshold = def->thresholds != NULL ? def->thresholds[i]
                                               : fmin(def->mollifier * squared_length_t0(a, ends_a) * squared_length_t0(b, ends_b),
                                                      1.7976931348623157e308);
    memcpy(out->edge_vertex, ends_a, 2 * sizeof *ends_a);
    memcpy(out->edge_vertex + 2, ends_b, 2 * sizeof *ends_b);
    const double *const points[4] = {a->x_t1[ends_a[0]], a->x_t1[ends_a[1]], b->x_t1[ends_b[0]], b->x_t1[ends_b[1]]};
    out->mollifier = snag__derive_mollifier(points, threshold, out->mollifier_gradient,
                                            def->mollifier_hessians != NULL ? def->mollifier_hessians + 144 * i : NULL);
}

static void derive_item(const snag_world *world, const snag_derivatives_def *def, size_t i, snag_derivative *out)
{
    const item p = item_of(world, def, i);
    const double *points[4] = {NULL};
    memset(out, 0, sizeof *out);
    bool edges = p.kind_a == SNAG_EDGE;
    (edges ? find_edge_feature : p.kind_b == SNAG_TRIANGLE ? find_vertex_feature : find_thin_feature)(&p, out, points);
    out->kind = snag__derive_distance(out->kind, points, &out->squared, out->gradient,
                                      def->hessians != NULL ? def->hessians + 144 * i : NULL);
    out->mollifier = 1;
    if (edges)
        mollify(&p, def, i, out);
    else if (def->mollifier_hessians != NULL)
        memset(def->mollifier_hessians + 144 * i, 0, 144 * sizeof(double));
}

enum { ITEMS_OF_A_TASK = 256 };

typedef struct batch {
    const snag_world *world;
    const snag_derivatives_def *def;
    snag_derivative *results;
    size_t first;  // of this round
} batch;

static void derive_some(void *context, uint32_t task)
{
    const batch *b = context;
    size_t first = b->first + (size_t)task * ITEMS_OF_A_TASK, left = b->def->count - first;
    for (size_t i = first; i < first + (left < ITEMS_OF_A_TASK ? left : ITEMS_OF_A_TASK); i++)
        derive_item(b->world, b->def, i, &b->results[i]);
}

static snag_status derive(snag_world *world, const snag_derivatives_def *def, snag_derivative *results)
{
    snag_status status = check(world, def, results);
    if (status != SNAG_OK)
        return status;
    const size_t round = (size_t)ITEMS_OF_A_TASK << 20;
    batch b = {world, def, results, 0};
    for (; b.first < def->count; b.first += round) {
        size_t left = def->count - b.first, now = left < round ? left : round;
        snag__parallel_for(&world->parallel, (uint32_t)((now + ITEMS_OF_A_TASK - 1) / ITEMS_OF_A_TASK), derive_some, &b);
    }
    return SNAG_OK;
}

snag_status snag_world_derivatives(snag_world *world, const snag_derivatives_def *def, snag_derivative *results)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("derivatives"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, derive(world, def, results)) : status;
}
