// Proximities: vertices near triangles and edges near edges, and what rods and points add (thin.c). Each contact of features once, by the rule of proximity.h, or every pair.
#include "geom/closest_points.h"
#include "geom/geom.h"
#include "mesh/proximity.h"
#include "query/f32_vertices.h"
#include "query/filter.h"
#include "query/thin.h"

#include <string.h>

static double reach(const snag__question *question)
{
    return question->distance / 2;
}

// Without `every_pair` a vertex may be closest to a rod whatever else it belongs to.
static int passes_of(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES])
{
    int count = snag__feature_passes(ask, passes);
    if (ask->thin && !ask->def->every_pair) {
        passes[2] = (snag__pass){SNAG__ROD, SNAG_VERTEX};
        passes[3] = (snag__pass){SNAG__THIN_VERTEX, SNAG_VERTEX};
    }
    return count;
}

// ---- confirming ----

static void triangle_corners(const snag__mesh *mesh, uint32_t t, const double *corner[3])
{
    for (int i = 0; i < 3; i++)
        corner[i] = mesh->x_t1[mesh->triangles[t][i]];
}

static bool is_degenerate(const snag__mesh *mesh, uint32_t t)
{
    const double *corner[3];
    triangle_corners(mesh, t, corner);
    return snag__is_collinear(corner[0], corner[1], corner[2]);
}

// Whether every triangle at an edge has zero area: the edge then takes no part, unless it is a rod.
static bool is_edge_of_nothing(const snag__mesh *mesh, uint32_t e)
{
    if (snag__is_rod(mesh, e))
        return false;
    for (uint32_t k = mesh->edge_triangles.start[e]; k < mesh->edge_triangles.start[e + 1]; k++)
        if (!is_degenerate(mesh, mesh->edge_triangles.items[k]))
            return false;
    return true;
}

// With `every_pair`: the pairs themselves, whatever features hold their closest points. Those whose features are certain need no more.
static const uint8_t kinds_of_vertex_pairs[8] = {
    [1] = SNAG_VERTEX_VERTEX, [2] = SNAG_VERTEX_VERTEX, [4] = SNAG_VERTEX_VERTEX, [3] = SNAG_VERTEX_EDGE,
    [5] = SNAG_VERTEX_EDGE,   [6] = SNAG_VERTEX_EDGE,   [7] = SNAG_VERTEX_FACE,
};
static const uint8_t kinds_of_edge_pairs[16] = {
    [1 | 1 << 2] = SNAG_VERTEX_VERTEX, [1 | 2 << 2] = SNAG_VERTEX_VERTEX, [1 | 3 << 2] = SNAG_VERTEX_EDGE,
    [2 | 1 << 2] = SNAG_VERTEX_VERTEX, [2 | 2 << 2] = SNAG_VERTEX_VERTEX, [2 | 3 << 2] = SNAG_VERTEX_EDGE,
    [3 | 1 << 2] = SNAG_VERTEX_EDGE,   [3 | 2 << 2] = SNAG_VERTEX_EDGE,   [3 | 3 << 2] = SNAG_EDGE_EDGE,
};

// Whether records carry the distances of their pairs.
static bool has_values(const snag__ask *ask)
{
    return ask->def->every_pair && !ask->thin && ask->def->output == SNAG_OUTPUT_PAIRS;
}

// Whether two elements whose features are known are within the limit, where radii differ.
static bool are_within(const snag__features *features, const snag__limit *limit, const snag__mesh *a, const uint32_t *va,
                       int count_a, const snag__mesh *b, const uint32_t *vb, int count_b)
{
    bool exact = false;
    return snag__features_within(features, limit->base + (snag__radius_of(a, va, count_a) + snag__radius_of(b, vb, count_b)),
                                 &exact);
}

// The same for a vertex and a triangle. Candidates are for questions of both kinds: for those that name each contact of features once the
// vertex stands for its edges.
static bool is_vertex_within(const snag__ask *ask, const snag__features *features, const snag__limit *limit,
                             const snag__mesh *points, uint32_t v, const snag__mesh *triangles, uint32_t t)
{
    bool exact = false;
    double radius = ask->def->collect ? snag__ring_radius(points, v) : snag__radius_of(points, &v, 1);
    return snag__features_within(features, limit->base + (radius + snag__radius_of(triangles, triangles->triangles[t], 3)), &exact);
}

static void confirm_vertex_pairs(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                 size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__vertex_triangles batch = {(const double(*)[3])points->x_t1, (const double(*)[3])triangles->x_t1,
                                    (const uint32_t(*)[3])triangles->triangles, pairs, count};
    uint32_t near[SNAG__BLOCK];
    uint8_t features[SNAG__BLOCK];
    double distances[SNAG__BLOCK];
    const bool measure = has_values(ask);
    bool look = !triangles->has_area && !ask->def->collect;
    uint64_t first_v = snag__element_number(ask, j, SNAG_VERTEX, 0), first_t = snag__element_number(ask, i, SNAG_TRIANGLE, 0);
    const snag__limit limit = snag__limit_in(ask, i, j, ask->def->distance);
    size_t left =
        snag__distance_kernels_for(ask->isa)->vertex_triangles_seen(&batch, limit.d, near, features, measure ? distances : NULL);
    for (size_t k = 0; k < left; k++) {
        uint32_t t = pairs[near[k]][0], v = pairs[near[k]][1], feature = features[k];
        if (look && is_degenerate(triangles, t))
            continue;
        double value = measure ? distances[k] : 0;
        if (feature == 0 || limit.tapered || value < 0) {
            const double *corner[3];
            snag__distance distance;
            triangle_corners(triangles, t, corner);
            if (!snag__vertex_triangle_within(points->x_t1[v], corner, limit.d, &distance) ||
                (limit.tapered && !is_vertex_within(ask, &distance.features, &limit, points, v, triangles, t)))
                continue;
            feature = distance.feature_b;
            value = measure ? distance.gap.distance : 0;
        }
        snag__append(list, (first_v + v) << 32 | (first_t + t), (snag_contact_kind)kinds_of_vertex_pairs[feature], feature, value);
    }
}

// With `slots` the pairs are given by these, whose vertices are near in memory; else by the edges' numbers.
static void confirm_edge_pairs(const snag__ask *ask, snag__record_list *list, const snag__element_slots *slots, uint32_t i,
                               uint32_t j, const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    snag__edge_edges batch = {(const double(*)[3])a->x_t1,
                              (const double(*)[3])b->x_t1,
                              (const uint32_t(*)[2])(slots != NULL ? slots->row_vertices : (const uint32_t *)a->edges),
                              (const uint32_t(*)[2])(slots != NULL ? slots->column_vertices : (const uint32_t *)b->edges),
                              pairs,
                              count};
    uint32_t near[SNAG__BLOCK];
    uint8_t features[SNAG__BLOCK];
    double distances[SNAG__BLOCK];
    const bool measure = has_values(ask);
    bool look_a = !a->has_area && !ask->def->collect, look_b = !b->has_area && !ask->def->collect;
    uint64_t first_a = snag__element_number(ask, i, SNAG_EDGE, 0), first_b = snag__element_number(ask, j, SNAG_EDGE, 0);
    const snag__limit limit = snag__limit_in(ask, i, j, ask->def->distance);
    size_t left =
        snag__distance_kernels_for(ask->isa)->edge_edges_seen(&batch, limit.d, near, features, measure ? distances : NULL);
    for (size_t k = 0; k < left; k++) {
        uint32_t row = pairs[near[k]][0], column = pairs[near[k]][1];
        if (slots != NULL) {
            row = slots->rows[row];
            column = slots->columns[column];
        }
        if ((look_a && is_edge_of_nothing(a, row)) || (look_b && is_edge_of_nothing(b, column)))
            continue;
        uint32_t feature = features[k];
        double value = measure ? distances[k] : 0;
        if (feature == 0 || limit.tapered || value < 0) {
            const double *end_a[2], *end_b[2];
            snag__distance distance;
            snag__corners_of(a, a->edges[row], 2, end_a);
            snag__corners_of(b, b->edges[column], 2, end_b);
            if (!snag__edge_edge_within(end_a, end_b, limit.d, &distance) ||
                (limit.tapered && !are_within(&distance.features, &limit, a, a->edges[row], 2, b, b->edges[column], 2)))
                continue;
            feature = distance.feature_a | (uint32_t)distance.feature_b << 2;
            value = measure ? distance.gap.distance : 0;
        }
        // Which ends are closest goes along, in the order of the key. Which comes first cannot be guessed: no branch.
        uint64_t x = first_a + row, y = first_b + column, turn = 0 - (uint64_t)(y < x), both = (x ^ y) & turn;
        uint32_t turned = (feature & 3) << 2 | feature >> 2, ordered = feature ^ ((feature ^ turned) & (uint32_t)turn);
        snag__append(list, (x ^ both) << 32 | (y ^ both), (snag_contact_kind)kinds_of_edge_pairs[feature], ordered, value);
    }
}

// Each contact of features once, by the rule of proximity.h.
static void confirm_near_vertices(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                  size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__proximity contacts[SNAG__BLOCK];
    snag__filter_view view = snag__filter_view_of(ask->filter, i, j);
    const bool excludes = ask->filter != NULL && snag__filter_has_exclusions(ask->filter, i, j);
    size_t found = snag__proximity_vertex_triangles(snag__distance_kernels_for(ask->isa), points, triangles, j < i, pairs, count,
                                                    snag__limit_in(ask, i, j, ask->def->distance),
                                                    ask->filter != NULL ? &view.head : NULL, contacts, &list->exact_count);
    for (size_t k = 0; k < found; k++) {
        const snag__proximity *contact = &contacts[k];
        // The rule asks the filter for all that is near a vertex, but for the inside of a triangle.
        if (excludes && contact->kind == SNAG_VERTEX_FACE &&
            snag__filter_excludes_vertex(ask->filter, j, contact->vertex, i, contact->triangle))
            continue;
        uint32_t vertex_body = contact->swapped ? i : j, triangle_body = contact->swapped ? j : i;
        snag__append(list, snag__vertex_key(ask, vertex_body, contact->vertex, triangle_body, contact->triangle), contact->kind,
                     contact->feature, 0);
    }
}

static void confirm_near_edges(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                               size_t count)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    uint32_t contacts[SNAG__BLOCK];
    size_t found = snag__proximity_edge_edges(snag__distance_kernels_for(ask->isa), a, b, pairs, count,
                                              snag__limit_in(ask, i, j, ask->def->distance), contacts, &list->exact_count);
    const bool excludes = ask->filter != NULL && snag__filter_has_exclusions(ask->filter, i, j);
    for (size_t k = 0; k < found; k++) {
        uint32_t row = pairs[contacts[k]][0], column = pairs[contacts[k]][1];
        if (!excludes || !snag__filter_excludes_edges(ask->filter, i, row, j, column))
            snag__append(list, snag__edge_key(ask, i, row, j, column), SNAG_EDGE_EDGE, 15, 0);
    }
}

_Static_assert((int)SNAG__BLOCK <= (int)SNAG__PROXIMITY_BATCH, "a block goes through the proximity rule at once");

// What single precision leaves of candidates whose elements have these vertices; of edges that are given by their ends if `ends` is not NULL.
static size_t filter_f32(const snag__ask *ask, bool edges, uint32_t i, uint32_t j, const uint32_t *rows, const uint32_t *columns,
                         const snag__f32_vertex *ends, const uint32_t (*pairs)[2], size_t count, uint32_t (*kept)[2])
{
    const snag__f32_distance_kernels *kernels = snag__f32_distance_kernels_for(ask->isa);
    snag__f32_candidates candidates = {
        .row_vertices = ends != NULL ? ends : snag__f32_vertices_of(ask, i),
        .column_vertices = ends != NULL ? ends : snag__f32_vertices_of(ask, j),
        .rows = ends != NULL ? NULL : rows,
        .columns = ends != NULL ? NULL : columns,
        .pairs = pairs,
        .count = count,
        .same_body = i == j,
        .distance = snag__f32_distance(ask, snag__limit_in(ask, i, j, ask->def->distance).d),
        .rounding = SNAG__F32_ROUNDING,
    };
    return (edges ? kernels->edge_edges : kernels->triangle_vertices)(&candidates, kept);
}

// The candidates of a block that may be contacts, after the filter in single precision where there is one. Candidates that share a
// vertex, and vertices of no element, are dropped in any case.
static size_t filter(const snag__ask *ask, bool edges, uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count,
                     uint32_t (*kept)[2])
{
    if (ask->f32 == NULL)
        return snag__keep_pairs(ask, edges, i, j, pairs, count, kept);
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    if (edges)
        return filter_f32(ask, true, i, j, (const uint32_t *)a->edges, (const uint32_t *)b->edges, NULL, pairs, count, kept);
    size_t left = filter_f32(ask, false, i, j, (const uint32_t *)a->triangles, NULL, NULL, pairs, count, kept), used = 0;
    for (size_t k = 0; k < left; k++) {
        memmove(kept[used], kept[k], sizeof *kept);
        used += b->vertex_used[kept[k][1]];
    }
    return used;
}

// What the filters have left of `count` candidates. Where contacts of features are named once these are far fewer: excluded pairs are looked
// for among them.
static void confirm_kept(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                         uint32_t (*kept)[2], size_t left, size_t count)
{
    bool edges = pass->row == SNAG_EDGE;
    if (ask->filter != NULL)
        left = (ask->def->every_pair ? snag__filter_keep : snag__filter_keep_excluded)(ask->filter, pass, i, j, kept, left);
    const uint32_t(*pairs)[2] = (const uint32_t(*)[2])kept;
    list->pair_count += count;
    if (edges && ask->def->every_pair)
        confirm_edge_pairs(ask, list, NULL, i, j, pairs, left);
    else if (edges)
        confirm_near_edges(ask, list, i, j, pairs, left);
    else
        (ask->def->every_pair ? confirm_vertex_pairs : confirm_near_vertices)(ask, list, i, j, pairs, left);
}

static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    if (pass->row >= SNAG__ROD) {
        (ask->def->collect ? snag__collect_thin : snag__confirm_thin)(ask, list, pass, i, j, pairs, count);
        return;
    }
    uint32_t kept[SNAG__BLOCK][2];
    size_t left = filter(ask, pass->row == SNAG_EDGE, i, j, pairs, count, kept);
    confirm_kept(ask, list, pass, i, j, kept, left, count);
}

static void confirm_slots(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, const snag__element_slots *slots,
                          uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count)
{
    uint32_t kept[SNAG__BLOCK][2];
    size_t left =
        filter_f32(ask, pass->row == SNAG_EDGE, i, j, slots->row_vertices, slots->column_vertices, slots->ends, pairs, count, kept);
    if (pass->row == SNAG_EDGE && ask->def->every_pair && ask->filter == NULL) {
        list->pair_count += count;
        confirm_edge_pairs(ask, list, slots, i, j, (const uint32_t(*)[2])kept, left);
        return;
    }
    left = snag__elements_of_slots(ask, pass, slots, j, kept, left);
    confirm_kept(ask, list, pass, i, j, kept, left, count);
}

static snag_status prepare(snag__ask *ask)
{
    if (!ask->method->many_candidates || ask->def->candidates)
        return SNAG_OK;
    // Where all triangles have an area, none is looked at again for that.
    for (uint32_t i = 0; i < ask->body_count; i++)
        snag__count_degenerate(ask, ask->bodies[i]);
    return snag__f32_vertices_update(ask);
}

// ---- writing ----

// Two edges whose closest points may lie at their ends. At distance 0 the normal is that of crossing edges.
static void write_edge_pair(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *end_a[2], *end_b[2];
    snag__corners_of(a, a->edges[contact->a.index], 2, end_a);
    snag__corners_of(b, b->edges[contact->b.index], 2, end_b);
    snag__distance distance;
    snag__edge_edge_distance(end_a, end_b, &distance);
    contact->value = distance.gap.distance;
    memcpy(contact->point_a, distance.gap.point_a, sizeof contact->point_a);
    memcpy(contact->point_b, distance.gap.point_b, sizeof contact->point_b);
    memcpy(contact->weight, distance.gap.weight, sizeof contact->weight);
    if (!snag__gap_normal(&distance.gap, contact->normal))
        snag__unit_cross(end_a[0], end_a[1], end_b[0], end_b[1], contact->normal);
}

static void write_vertex_pair(const snag__record *record, const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    if (contact->b.kind == SNAG_TRIANGLE)
        snag__vertex_triangle_contact(a, contact->a.index, b, contact->b.index, record->extra, contact);
    else if (contact->b.kind == SNAG_EDGE)
        snag__vertex_edge_contact(a, contact->a.index, b, contact->b.index, record->extra, contact);
    else
        snag__vertex_vertex_contact(a, contact->a.index, b, contact->b.index, contact);
}

// Triangles stand in the answer to `distance` only where they intersect, or an edge passes through them.
void snag__write_closest(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact)
{
    (void)ask;
    switch (contact->a.kind) {
    case SNAG_VERTEX: write_vertex_pair(record, a, b, contact); break;
    case SNAG_EDGE:
        if (contact->b.kind == SNAG_TRIANGLE)
            snag__write_rod_in_triangle(a, b, contact);
        else if (contact->kind == SNAG_EDGE_EDGE)
            snag__edge_edge_contact(a, contact->a.index, b, contact->b.index, contact);
        else
            write_edge_pair(a, b, contact);
        break;
    default: snag__write_intersection(a, b, contact); break;
    }
}

// Distances and details of features of one kind, several at a time.
enum { TOGETHER = 64 };

typedef struct bin {
    const double *points[TOGETHER][4];
    uint32_t pair[TOGETHER];
    size_t count;
} bin;

static void empty_bin(const snag__ask *ask, snag_contact_kind kind, bin *b, snag_pair *pairs)
{
    double distance[TOGETHER];
    snag__distance_kernels_for(ask->isa)->measure(kind, (const double *const(*)[4])b->points, b->count, distance);
    for (size_t i = 0; i < b->count; i++) {
        if (!(distance[i] >= 0)) {
            snag__features features = {.kind = kind};
            snag__gap gap;
            memcpy(features.point, b->points[i], sizeof features.point);
            snag__features_measure(&features, &gap);
            distance[i] = gap.distance;
        }
        pairs[b->pair[i]].value = snag__round_down(distance[i]);
    }
    b->count = 0;
}

// The points of a feature, the lower dimension first: by the ends of two edges (a's ends 0 and 1, b's 2 and 3), and by the corners of
// what a vertex is close to.
static const uint8_t points_of_edges[16][4] = {
    [1 | 1 << 2] = {0, 2},    [1 | 2 << 2] = {0, 3},    [1 | 3 << 2] = {0, 2, 3},
    [2 | 1 << 2] = {1, 2},    [2 | 2 << 2] = {1, 3},    [2 | 3 << 2] = {1, 2, 3},
    [3 | 1 << 2] = {2, 0, 1}, [3 | 2 << 2] = {3, 0, 1}, [3 | 3 << 2] = {0, 1, 2, 3},
};
static const uint8_t points_of_corners[8][3] = {
    [1] = {0}, [2] = {1}, [3] = {0, 1}, [4] = {2}, [5] = {0, 2}, [6] = {1, 2}, [7] = {0, 1, 2}};

// Lists the points between which a pair is closest; those behind the last are of no use.
static void list_points(const snag__mesh *a, const snag__mesh *b, uint32_t kind_a, uint32_t index_a, uint32_t kind_b,
                        uint32_t index_b, uint32_t feature, const double *point[4])
{
    if (kind_a == SNAG_EDGE) {
        const uint32_t *ends_a = a->edges[index_a], *ends_b = b->edges[index_b];
        const double *end[4] = {a->x_t1[ends_a[0]], a->x_t1[ends_a[1]], b->x_t1[ends_b[0]], b->x_t1[ends_b[1]]};
        for (int k = 0; k < 4; k++)
            point[k] = end[points_of_edges[feature][k]];
        return;
    }
    // Two vertices have no feature.
    const uint32_t *corner = &index_b;
    if (kind_b == SNAG_TRIANGLE)
        corner = b->triangles[index_b];
    else if (kind_b == SNAG_EDGE)
        corner = b->edges[index_b];
    else
        feature = 1;
    point[0] = a->x_t1[index_a];
    for (int k = 0; k < 3; k++)
        point[1 + k] = b->x_t1[corner[points_of_corners[feature][k]]];
}

static void pair_values(const snag__ask *ask, const snag__record *records, const snag__mesh *const (*meshes)[2], snag_pair *pairs,
                        size_t count)
{
    bin bins[SNAG_EDGE_EDGE + 1];
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        bins[kind].count = 0;
    for (size_t i = 0; i < count; i++) {
        SNAG__ASSERT(records[i].kind >= SNAG_VERTEX_VERTEX && records[i].kind <= SNAG_EDGE_EDGE && records[i].extra < 16);
        bin *to = &bins[records[i].kind];
        list_points(meshes[i][0], meshes[i][1], pairs[i].kind_a, pairs[i].a, pairs[i].kind_b, pairs[i].b, records[i].extra,
                    to->points[to->count]);
        to->pair[to->count++] = (uint32_t)i;
        if (to->count == TOGETHER)
            empty_bin(ask, (snag_contact_kind)records[i].kind, to, pairs);
    }
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        empty_bin(ask, (snag_contact_kind)kind, &bins[kind], pairs);
}

// ---- details ----

// Which weight of a contact is that of each listed point, by the corners of what a vertex is close to; 4: none.
static const uint8_t weights_of_corners[8][4] = {
    [0] = {4, 0, 4, 4}, [1] = {4, 0, 4, 4}, [2] = {4, 1, 4, 4}, [3] = {4, 0, 1, 4},
    [4] = {4, 2, 4, 4}, [5] = {4, 0, 2, 4}, [6] = {4, 1, 2, 4}, [7] = {4, 0, 1, 2},
};

static int points_of_kind(snag_contact_kind kind)
{
    return kind == SNAG_VERTEX_VERTEX ? 2 : kind == SNAG_VERTEX_EDGE ? 3 : 4;
}

static void take_details(const snag__closest_points *from, uint32_t feature, snag_contact *contact)
{
    bool edges = contact->a.kind == SNAG_EDGE;
    // Of two edges the end comes first in the list of points, whosever it is.
    bool turned = edges && (feature & 3) == 3 && feature != 15;
    const uint8_t *weight = edges ? points_of_edges[feature] : weights_of_corners[contact->b.kind == SNAG_VERTEX ? 0 : feature];
    contact->value = from->distance;
    memcpy(turned ? contact->point_b : contact->point_a, from->point_a, sizeof from->point_a);
    memcpy(turned ? contact->point_a : contact->point_b, from->point_b, sizeof from->point_b);
    for (int k = 0; k < 3; k++)
        contact->normal[k] = turned ? 0.0 - from->normal[k] : from->normal[k];
    for (int k = 0; k < points_of_kind(contact->kind); k++)
        if (weight[k] < 4)
            contact->weight[weight[k]] = from->weight[k];
}

static void empty_details(const snag__ask *ask, snag_contact_kind kind, bin *b, const snag__record *records,
                          const snag__mesh *const (*meshes)[2], snag_contact *contacts)
{
    snag__closest_points all[TOGETHER];
    uint64_t good = snag__closest_points_kernels_for(ask->isa)->measure(kind, (const double *const(*)[4])b->points, b->count, all);
    for (size_t i = 0; i < b->count; i++) {
        uint32_t at = b->pair[i];
        if (good >> i & 1)
            take_details(&all[i], records[at].extra, &contacts[at]);
        else
            snag__write_closest(ask, &records[at], meshes[at][0], meshes[at][1], &contacts[at]);
    }
    b->count = 0;
}

static void write_block(const snag__ask *ask, const snag__record *records, const snag__mesh *const (*meshes)[2],
                        snag_contact *contacts, size_t count)
{
    bin bins[SNAG_EDGE_EDGE + 1];
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        bins[kind].count = 0;
    for (size_t i = 0; i < count; i++) {
        SNAG__ASSERT(records[i].kind >= SNAG_VERTEX_VERTEX && records[i].kind <= SNAG_EDGE_EDGE && records[i].extra < 16);
        bin *to = &bins[records[i].kind];
        list_points(meshes[i][0], meshes[i][1], contacts[i].a.kind, contacts[i].a.index, contacts[i].b.kind, contacts[i].b.index,
                    records[i].extra, to->points[to->count]);
        to->pair[to->count++] = (uint32_t)i;
        if (to->count == TOGETHER)
            empty_details(ask, (snag_contact_kind)records[i].kind, to, records, meshes, contacts);
    }
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        empty_details(ask, (snag_contact_kind)kind, &bins[kind], records, meshes, contacts);
}

const snag__question_kind snag__proximities = {
    .passes = passes_of,
    .reach = reach,
    .prepare = prepare,
    .confirm = confirm,
    .confirm_slots = confirm_slots,
    .write_block = write_block,
    .has_values = has_values,
    .pair_values = pair_values,
};
