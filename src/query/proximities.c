// Proximities: vertices near triangles and edges near edges. Each contact of features once, by the rule of proximity.h, or every pair.
#include "geom/geom.h"
#include "mesh/proximity.h"
#include "query/kind.h"

#include <string.h>

static double reach(const snag__question *question)
{
    return question->distance / 2;
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

// Whether every triangle at an edge has zero area: the edge then takes no part.
static bool is_edge_of_nothing(const snag__mesh *mesh, uint32_t e)
{
    for (uint32_t k = mesh->edge_triangles.start[e]; k < mesh->edge_triangles.start[e + 1]; k++)
        if (!is_degenerate(mesh, mesh->edge_triangles.items[k]))
            return false;
    return true;
}

// With `every_pair`: the pairs themselves, whatever features hold their closest points.
static void confirm_vertex_pair(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t t, uint32_t v)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    if (is_degenerate(triangles, t))
        return;
    const double *corner[3];
    triangle_corners(triangles, t, corner);
    snag__distance distance;
    if (snag__vertex_triangle_within(points->x_t1[v], corner, ask->def->distance, &distance))
        snag__append(list, snag__vertex_key(ask, j, v, i, t), distance.kind, distance.feature_b, 0);
}

static void confirm_edge_pair(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    if (is_edge_of_nothing(a, row) || is_edge_of_nothing(b, column))
        return;
    const double *end_a[2] = {a->x_t1[a->edges[row][0]], a->x_t1[a->edges[row][1]]};
    const double *end_b[2] = {b->x_t1[b->edges[column][0]], b->x_t1[b->edges[column][1]]};
    snag__distance distance;
    if (snag__edge_edge_within(end_a, end_b, ask->def->distance, &distance))
        snag__append(list, snag__edge_key(ask, i, row, j, column), distance.kind, 0, 0);
}

static void confirm_vertex_pairs(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                 size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__vertex_triangles batch = {(const double(*)[3])points->x_t1, (const double(*)[3])triangles->x_t1,
                                    (const uint32_t(*)[3])triangles->triangles, pairs, count};
    uint32_t near[SNAG__BLOCK];
    size_t left = snag__distance_kernels_for(ask->isa)->vertex_triangles_near(&batch, ask->def->distance, near);
    for (size_t k = 0; k < left; k++)
        confirm_vertex_pair(ask, list, i, j, pairs[near[k]][0], pairs[near[k]][1]);
}

static void confirm_edge_pairs(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                               size_t count)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    snag__edge_edges batch = {(const double(*)[3])a->x_t1,
                              (const double(*)[3])b->x_t1,
                              (const uint32_t(*)[2])a->edges,
                              (const uint32_t(*)[2])b->edges,
                              pairs,
                              count};
    uint32_t near[SNAG__BLOCK];
    size_t left = snag__distance_kernels_for(ask->isa)->edge_edges_near(&batch, ask->def->distance, near);
    for (size_t k = 0; k < left; k++)
        confirm_edge_pair(ask, list, i, j, pairs[near[k]][0], pairs[near[k]][1]);
}

// Each contact of features once, by the rule of proximity.h.
static void confirm_near_vertices(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                  size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__proximity contacts[SNAG__BLOCK];
    size_t found = snag__proximity_vertex_triangles(snag__distance_kernels_for(ask->isa), points, triangles, j < i, pairs, count,
                                                    ask->def->distance, contacts, &list->exact_count);
    for (size_t k = 0; k < found; k++) {
        const snag__proximity *contact = &contacts[k];
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
    size_t found = snag__proximity_edge_edges(snag__distance_kernels_for(ask->isa), a, b, pairs, count, ask->def->distance,
                                              contacts, &list->exact_count);
    for (size_t k = 0; k < found; k++)
        snag__append(list, snag__edge_key(ask, i, pairs[contacts[k]][0], j, pairs[contacts[k]][1]), SNAG_EDGE_EDGE, 0, 0);
}

_Static_assert((int)SNAG__BLOCK <= (int)SNAG__PROXIMITY_BATCH, "a block goes through the proximity rule at once");

static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    bool edges = pass->row == SNAG_EDGE;
    uint32_t kept[SNAG__BLOCK][2];
    size_t left = snag__keep_pairs(ask, edges, i, j, pairs, count, kept);
    pairs = (const uint32_t(*)[2])kept;
    list->pair_count += count;
    if (edges)
        (ask->def->every_pair ? confirm_edge_pairs : confirm_near_edges)(ask, list, i, j, pairs, left);
    else
        (ask->def->every_pair ? confirm_vertex_pairs : confirm_near_vertices)(ask, list, i, j, pairs, left);
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

// Triangles stand in the answer to `distance` only where they intersect.
void snag__write_closest(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact)
{
    (void)ask;
    switch (contact->a.kind) {
    case SNAG_VERTEX: snag__vertex_triangle_contact(a, contact->a.index, b, contact->b.index, record->extra, contact); break;
    case SNAG_EDGE:
        if (contact->kind == SNAG_EDGE_EDGE)
            snag__edge_edge_contact(a, contact->a.index, b, contact->b.index, contact);
        else
            write_edge_pair(a, b, contact);
        break;
    default: snag__write_intersection(a, b, contact); break;
    }
}

const snag__question_kind snag__proximities = {
    .passes = snag__feature_passes,
    .reach = reach,
    .confirm = confirm,
    .write = snag__write_closest,
    .pair_value = snag__value_of_contact,
};
