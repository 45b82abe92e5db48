// Pairs with rods and points: see thin.h.
#include "query/thin.h"

#include "geom/segment.h"
#include "mesh/proximity.h"
#include "query/filter.h"

#include <string.h>

uint64_t snag__vertex_edge_key(const snag__ask *ask, uint32_t vertex_body, uint32_t v, uint32_t edge_body, uint32_t e)
{
    return (uint64_t)snag__element_number(ask, vertex_body, SNAG_VERTEX, v) << 32 |
           snag__element_number(ask, edge_body, SNAG_EDGE, e);
}

uint64_t snag__vertices_key(const snag__ask *ask, uint32_t i, uint32_t v, uint32_t j, uint32_t w)
{
    uint64_t a = snag__element_number(ask, i, SNAG_VERTEX, v), b = snag__element_number(ask, j, SNAG_VERTEX, w);
    return a < b ? a << 32 | b : b << 32 | a;
}

// ---- proximities ----

// How close two elements must be, each with the largest radius of its vertices.
static double limit_of(const snag__ask *ask, const snag__mesh *a, const uint32_t *va, int count_a, const snag__mesh *b,
                       const uint32_t *vb, int count_b)
{
    double d = ask->def->distance;
    return ask->thick ? d + (snag__radius_of(a, va, count_a) + snag__radius_of(b, vb, count_b)) : d;
}

// With `every_pair`: a rod of body i and a point of body j.
static void confirm_rod_point(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t rod, uint32_t point)
{
    const snag__mesh *rods = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    uint32_t v = points->thin->points[point][0], e = rods->thin->rod_edges[rod];
    const double *p = points->x_t1[v], *end[2];
    bool exact = false;
    double d = limit_of(ask, points, &v, 1, rods, rods->edges[e], 2);
    snag__corners_of(rods, rods->edges[e], 2, end);
    if (snag__vertex_edge_is_farther(p, end, d))
        return;
    uint32_t feature = snag__vertex_edge_feature(p, end, &exact);
    snag__features features = snag__edge_edge_features((const double *const[2]){p, p}, end, 1 | feature << 2);
    if (snag__features_within(&features, d, &exact))
        snag__append(list, snag__vertex_edge_key(ask, j, v, i, e), features.kind, feature, 0);
    list->exact_count += exact;
}

static void confirm_points(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    uint32_t v = a->thin->points[row][0], w = b->thin->points[column][0];
    snag__features features = {SNAG_VERTEX_VERTEX, {a->x_t1[v], b->x_t1[w]}};
    bool exact = false;
    if (snag__features_within(&features, limit_of(ask, a, &v, 1, b, &w, 1), &exact))
        snag__append(list, snag__vertices_key(ask, i, v, j, w), SNAG_VERTEX_VERTEX, 0, 0);
    list->exact_count += exact;
}

// Each contact of features once: a rod of body i and a vertex of body j.
static void confirm_near_rod(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t rod, uint32_t v)
{
    const snag__mesh *rods = &ask->bodies[i]->mesh;
    uint32_t e = rods->thin->rod_edges[rod];
    bool exact = false;
    snag__filter_view view = snag__filter_view_of(ask->filter, i, j);
    if (snag__proximity_vertex_rod(&ask->bodies[j]->mesh, v, rods, e, snag__limit_in(ask, i, j, ask->def->distance),
                                   ask->filter != NULL ? &view.head : NULL, &exact))
        snag__append(list, snag__vertex_edge_key(ask, j, v, i, e), SNAG_VERTEX_EDGE, 3, 0);
    list->exact_count += exact;
}

// The same for a thin vertex of body i and a vertex of body j. If both are thin the pair comes twice: once is enough.
static void confirm_near_thin(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t thin, uint32_t w)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    uint32_t v = a->thin->vertices[thin][0];
    if (snag__is_thin_vertex(b, w) && (i == j ? v >= w : i > j))
        return;
    snag__proximity contact;
    snag__filter_view view = snag__filter_view_of(ask->filter, j, i);
    bool found = snag__proximity_thin_vertices(a, v, b, w, i < j, snag__limit_in(ask, i, j, ask->def->distance),
                                               ask->filter != NULL ? &view.head : NULL, &contact);
    list->exact_count += contact.exact;
    if (!found)
        return;
    uint32_t first = contact.swapped ? j : i, second = contact.swapped ? i : j;
    uint64_t key = contact.feature == 0 ? snag__vertices_key(ask, first, contact.vertex, second, contact.triangle)
                                        : snag__vertex_key(ask, first, contact.vertex, second, contact.triangle);
    snag__append(list, key, SNAG_VERTEX_VERTEX, contact.feature, 0);
}

// ---- candidates ----

static void collect_near_rod(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t rod, uint32_t v)
{
    const snag__thin *thin = ask->bodies[i]->mesh.thin;
    const uint32_t *end = thin->rods[rod];
    if (i != j || (v != end[0] && v != end[1]))
        snag__append(list, snag__vertex_edge_key(ask, j, v, i, thin->rod_edges[rod]), SNAG_VERTEX_EDGE, 0, 0);
}

// If both are thin the pair comes twice: once is enough.
static void collect_near_thin(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t thin, uint32_t w)
{
    uint32_t v = ask->bodies[i]->mesh.thin->vertices[thin][0];
    bool again = snag__is_thin_vertex(&ask->bodies[j]->mesh, w) && (i == j ? v > w : i > j);
    if (!again && (i != j || v != w))
        snag__append(list, snag__vertices_key(ask, i, v, j, w), SNAG_VERTEX_VERTEX, 0, 0);
}

void snag__collect_thin(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count)
{
    SNAG__ASSERT(pass->column == SNAG_VERTEX);
    list->pair_count += count;
    for (size_t k = 0; k < count; k++)
        if (ask->bodies[j]->mesh.vertex_used[pairs[k][1]])
            (pass->row == SNAG__ROD ? collect_near_rod : collect_near_thin)(ask, list, i, j, pairs[k][0], pairs[k][1]);
}

// ---- proximities, all pairs of a block ----

void snag__confirm_thin(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count)
{
    bool rods = pass->row == SNAG__ROD, every = ask->def->every_pair;
    uint32_t kept[SNAG__BLOCK][2];
    list->pair_count += count;
    if (ask->filter != NULL) {
        memcpy(kept, pairs, count * sizeof *kept);
        count = snag__filter_keep(ask->filter, pass, i, j, kept, count);
        pairs = (const uint32_t(*)[2])kept;
    }
    for (size_t k = 0; k < count; k++)
        (rods    ? every ? confirm_rod_point : confirm_near_rod
         : every ? confirm_points
                 : confirm_near_thin)(ask, list, i, j, pairs[k][0], pairs[k][1]);
}

// ---- intersections ----

// How many vertices the edge and the triangle have in common; `corner` becomes one of them, `end` the other end of the edge.
static uint32_t shared_vertices(const uint32_t *edge, const uint32_t *triangle, int *corner, uint32_t *end)
{
    uint32_t shared = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 2; i++)
            if (triangle[c] == edge[i]) {
                *corner = c;
                *end = edge[1 - i];
                shared++;
            }
    return shared;
}

static snag_contact_kind kind_of(snag__meeting meeting, const double *const end[2], const double *const corner[3])
{
    if (meeting == SNAG__CROSSING)
        return SNAG_CROSSING;
    return snag__segment_is_in_plane(end[0], end[1], corner) ? SNAG_COPLANAR : SNAG_TOUCHING;
}

void snag__confirm_rods_in_triangles(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j,
                                     const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *rods = &ask->bodies[i]->mesh, *surface = &ask->bodies[j]->mesh;
    const snag__segment_pairs batch = {
        .x_a = (const double(*)[3])rods->x_t1,
        .edges_a = (const uint32_t(*)[2])rods->thin->rods,
        .x_b = (const double(*)[3])surface->x_t1,
        .triangles_b = (const uint32_t(*)[3])surface->triangles,
        .pairs = pairs,
        .count = count,
    };
    uint8_t meeting[SNAG__BLOCK];
    SNAG__ASSERT(count <= SNAG__BLOCK);
    list->exact_count += snag__segment_kernels_for(ask->isa)->meet(&batch, meeting);
    list->pair_count += count;
    for (size_t k = 0; k < count; k++) {
        if (meeting[k] == SNAG__APART || meeting[k] == SNAG__DEGENERATE)
            continue;
        const uint32_t *edge = rods->thin->rods[pairs[k][0]], *triangle = surface->triangles[pairs[k][1]];
        const double *end[2], *corner[3];
        snag__corners_of(rods, edge, 2, end);
        snag__corners_of(surface, triangle, 3, corner);
        int at = 0;
        uint32_t other = 0, shared = i == j ? shared_vertices(edge, triangle, &at, &other) : 0;
        bool point = end[0][0] == end[1][0] && end[0][1] == end[1][1] && end[0][2] == end[1][2];
        if (point || shared > 1 || (shared == 1 && !snag__segment_enters_triangle(corner, at, rods->x_t1[other])))
            continue;
        uint64_t e = snag__element_number(ask, i, SNAG_EDGE, rods->thin->rod_edges[pairs[k][0]]);
        snag__append(list, e << 32 | snag__element_number(ask, j, SNAG_TRIANGLE, pairs[k][1]),
                     kind_of((snag__meeting)meeting[k], end, corner), shared, 0);
    }
}

void snag__write_rod_in_triangle(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *end[2], *corner[3];
    snag__corners_of(a, a->edges[contact->a.index], 2, end);
    snag__corners_of(b, b->triangles[contact->b.index], 3, corner);
    snag__segment_in_triangle(end[0], end[1], corner, contact->point_a, contact->point_b);
}
