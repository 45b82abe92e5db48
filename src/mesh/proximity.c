// The rule of proximity contacts and the closest features of two bodies: see proximity.h.
#include "mesh/proximity.h"

#include <math.h>
#include <string.h>

#include "geom/geom.h"

// ---- elements ----

typedef const double *corners[3];

static void corners_of(const snag__mesh *mesh, uint32_t t, corners x)
{
    for (int i = 0; i < 3; i++)
        x[i] = mesh->x_t1[mesh->triangles[t][i]];
}

static void ends_of(const snag__mesh *mesh, uint32_t e, const double *x[2])
{
    for (int i = 0; i < 2; i++)
        x[i] = mesh->x_t1[mesh->edges[e][i]];
}

static bool is_flat(const snag__mesh *mesh, uint32_t t)
{
    if (mesh->has_area)
        return false;
    corners x;
    corners_of(mesh, t, x);
    return snag__is_collinear(x[0], x[1], x[2]);
}

// The corner of triangle t that is vertex v; 3 if none is.
static uint32_t corner_at(const snag__mesh *mesh, uint32_t t, uint32_t v)
{
    const uint32_t *corner = mesh->triangles[t];
    return corner[0] == v ? 0 : corner[1] == v ? 1 : corner[2] == v ? 2 : 3;
}

// The edge of triangle t whose ends are the corners of a feature of two bits.
static uint32_t edge_at(const snag__mesh *mesh, uint32_t t, uint32_t feature)
{
    return mesh->triangle_edges[t][feature == 3 ? 0 : feature == 6 ? 1 : 2];
}

// The corners of triangle t that are ends of edge e.
static uint32_t corners_on_edge(const snag__mesh *mesh, uint32_t t, uint32_t e)
{
    return 1u << corner_at(mesh, t, mesh->edges[e][0]) | 1u << corner_at(mesh, t, mesh->edges[e][1]);
}

static uint32_t corner_bit(const snag__mesh *mesh, uint32_t t, uint32_t v)
{
    return 1u << corner_at(mesh, t, v);
}

// Triangles at a vertex or an edge, as a part of a list.
typedef struct star {
    const uint32_t *triangle, *end;
} star;

static star star_of(const snag__csr *lists, uint32_t i)
{
    return (star){lists->items + lists->start[i], lists->items + lists->start[i + 1]};
}

#define NOBODY UINT32_MAX

// A vertex looks at a mesh for triangles to be paired with.
typedef struct looker {
    const double *p;
    uint32_t v;  // its number, in its own mesh
    uint32_t self;  // its number in the mesh that it looks at, or NOBODY if that is another one
    const snag__mesh *mesh;
    const snag__pair_filter *filter;  // NULL: none
    bool swapped;  // for the filter
    bool *exact;
    bool tapered;  // radii differ: what is in contact is within `reach` and the element's own radius
    double base, radius;
} looker;

static looker looker_of(const snag__mesh *from, uint32_t v, const snag__mesh *mesh, const snag__pair_filter *filter, bool swapped,
                        bool *exact)
{
    return (looker){.p = from->x_t1[v],
                    .v = v,
                    .self = from == mesh ? v : NOBODY,
                    .mesh = mesh,
                    .filter = filter,
                    .swapped = swapped,
                    .exact = exact};
}

// The same where radii may differ.
static looker looker_within(const snag__mesh *from, uint32_t v, const snag__mesh *mesh, const snag__limit *limit,
                            const snag__pair_filter *filter, bool swapped, bool *exact)
{
    looker made = looker_of(from, v, mesh, filter, swapped, exact);
    if (limit->tapered) {
        made.tapered = true;
        made.base = limit->base;
        made.radius = snag__ring_radius(from, v);
    }
    return made;
}

// How close an element must be to the looker, where radii differ.
static double limit_of(const looker *from, const uint32_t *vertices, int count)
{
    return from->base + (from->radius + snag__radius_of(from->mesh, vertices, count));
}

static bool is_allowed(const looker *from, snag_element_kind kind, uint32_t element)
{
    return from->filter == NULL || from->filter->allows(from->filter, from->swapped, from->v, kind, element);
}

// Whether a triangle can be paired with the looker, as far as the filter is not needed to tell.
static bool is_partner(const looker *from, uint32_t t)
{
    return (from->self == NOBODY || corner_at(from->mesh, t, from->self) == 3) && !is_flat(from->mesh, t);
}

// Moves on to the next triangle that can be paired with the looker; false at the end.
static bool next_eligible(const looker *from, star *s)
{
    for (; s->triangle < s->end; s->triangle++)
        if (is_partner(from, *s->triangle) && is_allowed(from, SNAG_TRIANGLE, *s->triangle))
            return true;
    return false;
}

static snag_contact_kind kind_of_feature(uint32_t feature)
{
    return feature == 7 ? SNAG_VERTEX_FACE : (feature & (feature - 1)) ? SNAG_VERTEX_EDGE : SNAG_VERTEX_VERTEX;
}

// A vertex and the corners of a triangle that `feature` names.
static snag__features features_of(const double *p, const corners x, uint32_t feature)
{
    snag__features features = {.kind = kind_of_feature(feature), .point = {p}};
    for (int i = 0, at = 1; i < 3; i++)
        if (feature >> i & 1)
            features.point[at++] = x[i];
    return features;
}

// ---- the rule ----

static uint32_t feature_seen(const looker *from, uint32_t t)
{
    corners x;
    corners_of(from->mesh, t, x);
    return snag__vertex_triangle_feature(from->p, x, from->exact);
}

static bool is_within(const looker *from, uint32_t t, uint32_t feature)
{
    corners x;
    corners_of(from->mesh, t, x);
    snag__features features = features_of(from->p, x, feature);
    return snag__features_within(&features, limit_of(from, from->mesh->triangles[t], 3), from->exact);
}

// Where radii differ: the lowest of the triangles at `s` that are near enough to the looker, if the feature that `corners_in` names is
// closest in all of these; NOBODY if there are none or it is not.
static uint32_t lowest_near(const looker *from, star s, uint32_t element,
                            uint32_t (*corners_in)(const snag__mesh *, uint32_t, uint32_t))
{
    uint32_t lowest = NOBODY;
    for (; next_eligible(from, &s); s.triangle++) {
        uint32_t feature = feature_seen(from, *s.triangle);
        if (!is_within(from, *s.triangle, feature))
            continue;
        if (feature != corners_in(from->mesh, *s.triangle, element))
            return NOBODY;
        lowest = lowest == NOBODY ? *s.triangle : lowest;
    }
    return lowest;
}

// Whether the feature of triangles at `s` that `corners_in` names is closest in each of them.
static bool sees(const looker *from, star s, uint32_t element, uint32_t (*corners_in)(const snag__mesh *, uint32_t, uint32_t))
{
    if (from->tapered)
        return lowest_near(from, s, element, corners_in) != NOBODY;
    // The filter is asked last: most often no triangle is left out, and those that agree do not matter.
    for (; s.triangle < s.end; s.triangle++)
        if (is_partner(from, *s.triangle) && feature_seen(from, *s.triangle) != corners_in(from->mesh, *s.triangle, element) &&
            is_allowed(from, SNAG_TRIANGLE, *s.triangle))
            return false;
    return true;
}

static bool sees_vertex(const looker *from, uint32_t v)
{
    return sees(from, star_of(&from->mesh->vertex_triangles, v), v, corner_bit);
}

// Whether t is the first of a star's triangles that can be paired with the looker.
static bool is_lowest(const looker *from, star s, uint32_t t)
{
    return next_eligible(from, &s) && *s.triangle == t;
}

// The lowest triangle at vertex w that can be paired with the looker.
static bool lowest_at_vertex(const looker *from, uint32_t w, uint32_t *lowest)
{
    star s = star_of(&from->mesh->vertex_triangles, w);
    if (!next_eligible(from, &s))
        return false;
    *lowest = *s.triangle;
    return true;
}

// Whether the looker sees a feature, and triangle t is the one that names it.
static bool names_feature(const looker *from, star s, uint32_t t, uint32_t element,
                          uint32_t (*corners_in)(const snag__mesh *, uint32_t, uint32_t))
{
    if (from->tapered)
        return lowest_near(from, s, element, corners_in) == t;
    return is_lowest(from, s, t) && sees(from, s, element, corners_in);
}

// Vertex v of a sees vertex w of b as the closest of triangle t: who names the contact, if it is one?
static bool name_vertices(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t w, uint32_t t, bool a_first,
                          const snag__limit *limit, const snag__pair_filter *filter, snag__proximity *out)
{
    looker from_v = looker_within(a, v, b, limit, filter, false, &out->exact);
    looker from_w = looker_within(b, w, a, limit, filter, true, &out->exact);
    if (!names_feature(&from_v, star_of(&b->vertex_triangles, w), t, w, corner_bit))
        return false;
    bool v_first = a == b ? v < w : a_first;
    uint32_t lowest = 0;
    if (from_v.tapered && lowest_at_vertex(&from_v, w, &out->triangle))
        out->feature = corner_bit(b, out->triangle, w);
    if (v_first || !lowest_at_vertex(&from_w, v, &lowest))
        return true;
    // w is the vertex side. It names the contact itself if it sees v; else it is named here on its behalf.
    if (sees_vertex(&from_w, v))
        return false;
    out->swapped = true;
    out->vertex = w;
    out->triangle = lowest;
    out->feature = 1u << corner_at(a, lowest, v);
    return true;
}

// Whether the candidate, whose closest feature is known and within d, names a contact.
static bool names_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, bool a_first, const snag__limit *limit,
                          const snag__pair_filter *filter, snag__proximity *out)
{
    if (out->kind == SNAG_VERTEX_FACE)  // only a triangle with an area has an inside
        return true;
    if (is_flat(b, t))
        return false;
    if (out->kind == SNAG_VERTEX_VERTEX) {
        uint32_t w = b->triangles[t][out->feature >> 1];
        // Pairs of vertices with a thin one are candidates of their own: see snag__proximity_thin_vertices.
        return !snag__is_thin_vertex(a, v) && !snag__is_thin_vertex(b, w) &&
               name_vertices(a, v, b, w, t, a_first, limit, filter, out);
    }
    looker from = looker_within(a, v, b, limit, filter, false, &out->exact);
    uint32_t e = edge_at(b, t, out->feature);
    star s = star_of(&b->edge_triangles, e);
    if (!names_feature(&from, s, t, e, corners_on_edge))
        return false;
    if (from.tapered && next_eligible(&from, &s)) {
        out->triangle = *s.triangle;
        out->feature = corners_on_edge(b, *s.triangle, e);
    }
    return true;
}

static bool is_pair(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t)
{
    return (a != b || corner_at(b, t, v) == 3) && snag__proximity_has_vertex(a, v);
}

static double vertex_limit(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, const snag__limit *limit)
{
    return limit->base + (snag__ring_radius(a, v) + snag__radius_of(b, b->triangles[t], 3));
}

bool snag__proximity_vertex_triangle(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, bool a_first,
                                     snag__limit limit, const snag__pair_filter *filter, snag__proximity *out)
{
    *out = (snag__proximity){.vertex = v, .triangle = t};
    if (!is_pair(a, v, b, t))
        return false;
    corners x;
    corners_of(b, t, x);
    out->feature = snag__vertex_triangle_feature(a->x_t1[v], x, &out->exact);
    snag__features features = features_of(a->x_t1[v], x, out->feature);
    out->kind = features.kind;
    double d = limit.tapered ? vertex_limit(a, v, b, t, &limit) : limit.d;
    return snag__features_within(&features, d, &out->exact) && names_contact(a, v, b, t, a_first, &limit, filter, out);
}

size_t snag__proximity_vertex_triangles(const snag__distance_kernels *kernels, const snag__mesh *a, const snag__mesh *b,
                                        bool a_first, const uint32_t (*pairs)[2], size_t count, snag__limit limit,
                                        const snag__pair_filter *filter, snag__proximity *out, size_t *exact)
{
    const snag__vertex_triangles batch = {(const double(*)[3])a->x_t1, (const double(*)[3])b->x_t1,
                                          (const uint32_t(*)[3])b->triangles, pairs, count};
    uint32_t near[SNAG__PROXIMITY_BATCH];
    uint8_t feature[SNAG__PROXIMITY_BATCH];
    size_t left = kernels->vertex_triangles_seen(&batch, limit.d, near, feature, NULL), contacts = 0;
    for (size_t i = 0; i < left; i++) {
        uint32_t t = pairs[near[i]][0], v = pairs[near[i]][1];
        snag__proximity *contact = &out[contacts];
        if (feature[i] == 0 || limit.tapered) {
            contacts += snag__proximity_vertex_triangle(a, v, b, t, a_first, limit, filter, contact);
        } else if (is_pair(a, v, b, t)) {
            *contact = (snag__proximity){.kind = kind_of_feature(feature[i]), .vertex = v, .triangle = t, .feature = feature[i]};
            contacts += names_contact(a, v, b, t, a_first, &limit, filter, contact);
        } else {
            contact->exact = false;
        }
        *exact += contact->exact;
    }
    return contacts;
}

static bool has_length(const snag__mesh *mesh, uint32_t e)
{
    const double *x = mesh->x_t1[mesh->edges[e][0]], *y = mesh->x_t1[mesh->edges[e][1]];
    return x[0] != y[0] || x[1] != y[1] || x[2] != y[2];
}

static bool edge_takes_part(const snag__mesh *mesh, uint32_t e)
{
    if (snag__is_rod(mesh, e))
        return has_length(mesh, e);
    star s = star_of(&mesh->edge_triangles, e);
    while (s.triangle < s.end && is_flat(mesh, *s.triangle))
        s.triangle++;
    return s.triangle < s.end;
}

static bool edges_share_vertex(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb)
{
    const uint32_t *va = a->edges[ea], *vb = b->edges[eb];
    return a == b && (va[0] == vb[0] || va[0] == vb[1] || va[1] == vb[0] || va[1] == vb[1]);
}

bool snag__proximity_edge_edge(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag__limit limit, bool *exact)
{
    if (edges_share_vertex(a, ea, b, eb))
        return false;
    const double *xa[2], *xb[2];
    ends_of(a, ea, xa);
    ends_of(b, eb, xb);
    if (snag__edge_edge_feature(xa, xb, exact) != 15)
        return false;
    snag__features features = {SNAG_EDGE_EDGE, {xa[0], xa[1], xb[0], xb[1]}};
    double d = limit.tapered ? limit.base + (snag__radius_of(a, a->edges[ea], 2) + snag__radius_of(b, b->edges[eb], 2)) : limit.d;
    return snag__features_within(&features, d, exact) && edge_takes_part(a, ea) && edge_takes_part(b, eb);
}

size_t snag__proximity_edge_edges(const snag__distance_kernels *kernels, const snag__mesh *a, const snag__mesh *b,
                                  const uint32_t (*pairs)[2], size_t count, snag__limit limit, uint32_t *out, size_t *exact)
{
    const snag__edge_edges batch = {(const double(*)[3])a->x_t1,
                                    (const double(*)[3])b->x_t1,
                                    (const uint32_t(*)[2])a->edges,
                                    (const uint32_t(*)[2])b->edges,
                                    pairs,
                                    count};
    uint8_t sure[SNAG__PROXIMITY_BATCH];
    size_t left = kernels->edge_edges_crossing(&batch, limit.d, out, sure), contacts = 0;
    for (size_t i = 0; i < left; i++) {
        uint32_t ea = pairs[out[i]][0], eb = pairs[out[i]][1];
        bool hard = false, contact = sure[i] && !limit.tapered
                                         ? !edges_share_vertex(a, ea, b, eb) && edge_takes_part(a, ea) && edge_takes_part(b, eb)
                                         : snag__proximity_edge_edge(a, ea, b, eb, limit, &hard);
        out[contacts] = out[i];
        contacts += contact;
        *exact += hard;
    }
    return contacts;
}

// ---- rods and points ----

static bool is_end(const snag__mesh *mesh, uint32_t e, uint32_t v)
{
    return mesh->edges[e][0] == v || mesh->edges[e][1] == v;
}

static bool has_triangle(const looker *from, uint32_t e)
{
    star s = star_of(&from->mesh->edge_triangles, e);
    return next_eligible(from, &s);
}

bool snag__proximity_vertex_rod(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, snag__limit limit,
                                const snag__pair_filter *filter, bool *exact)
{
    if ((a == b && is_end(b, e, v)) || !snag__proximity_has_vertex(a, v))
        return false;
    const double *p = a->x_t1[v], *x[2];
    ends_of(b, e, x);
    double d = limit.tapered ? limit.base + (snag__ring_radius(a, v) + snag__radius_of(b, b->edges[e], 2)) : limit.d;
    if (snag__vertex_edge_is_farther(p, x, d) || !has_length(b, e) || snag__vertex_edge_feature(p, x, exact) != 3)
        return false;
    snag__features features = {SNAG_VERTEX_EDGE, {p, x[0], x[1]}};
    looker from = looker_of(a, v, b, filter, false, exact);
    return snag__features_within(&features, d, exact) && !has_triangle(&from, e);
}

// Whether anything is around vertex w, whoever looks: a triangle with an area or a rod with a length.
static bool is_part_of_more(const snag__mesh *mesh, uint32_t w)
{
    for (star s = star_of(&mesh->vertex_triangles, w); s.triangle < s.end; s.triangle++)
        if (!is_flat(mesh, *s.triangle))
            return true;
    const snag__csr *rods = mesh->thin != NULL ? &mesh->thin->vertex_rods : NULL;
    for (uint32_t k = rods != NULL ? rods->start[w] : 0; rods != NULL && k < rods->start[w + 1]; k++)
        if (has_length(mesh, rods->items[k]))
            return true;
    return false;
}

static bool rod_is_within(const looker *from, uint32_t e, const double *const x[2], uint32_t feature)
{
    snag__features features = snag__edge_edge_features((const double *const[2]){from->p, from->p}, x, 1 | feature << 2);
    return snag__features_within(&features, limit_of(from, from->mesh->edges[e], 2), from->exact);
}

// Whether w is the closest point of every rod at it that can be paired with the looker; `count` is raised by how many there are.
static bool sees_end_of_rods(const looker *from, uint32_t w, uint32_t *count)
{
    if (from->mesh->thin == NULL)
        return true;
    const snag__csr *rods = &from->mesh->thin->vertex_rods;
    for (uint32_t k = rods->start[w]; k < rods->start[w + 1]; k++) {
        uint32_t e = rods->items[k];
        const double *x[2];
        ends_of(from->mesh, e, x);
        if ((from->self != NOBODY && is_end(from->mesh, e, from->self)) || !has_length(from->mesh, e) ||
            !is_allowed(from, SNAG_EDGE, e))
            continue;
        uint32_t feature = snag__vertex_edge_feature(from->p, x, from->exact);
        if (from->tapered && !rod_is_within(from, e, x, feature))
            continue;
        if (feature != (from->mesh->edges[e][0] == w ? 1u : 2u))
            return false;
        ++*count;
    }
    return true;
}

// Where radii differ: whether w is the closest point of every triangle at it that is near enough; `count` is raised by how many are.
static bool agrees_near(const looker *from, uint32_t w, uint32_t *count)
{
    for (star s = star_of(&from->mesh->vertex_triangles, w); next_eligible(from, &s); s.triangle++) {
        uint32_t feature = feature_seen(from, *s.triangle);
        if (!is_within(from, *s.triangle, feature))
            continue;
        if (feature != corner_bit(from->mesh, *s.triangle, w))
            return false;
        ++*count;
    }
    return true;
}

// Whether w counts for the looker: it is the closest point of all that is around it. With nothing around it only a thin vertex counts.
static bool sees_among_all(const looker *from, uint32_t w)
{
    uint32_t count = 0, lowest;
    if (from->tapered ? !agrees_near(from, w, &count) : !sees_vertex(from, w))
        return false;
    if (!sees_end_of_rods(from, w, &count))
        return false;
    if (count > 0 || (!from->tapered && lowest_at_vertex(from, w, &lowest)))
        return true;
    snag__features features = {SNAG_VERTEX_VERTEX, {from->p, from->mesh->x_t1[w]}};
    if (from->tapered && !snag__features_within(&features, limit_of(from, &w, 1), from->exact))
        return false;
    return snag__is_thin_vertex(from->mesh, w) && !is_part_of_more(from->mesh, w) &&
           (from->self == NOBODY || !snag__are_joined(from->mesh, from->self, w));
}

bool snag__proximity_thin_vertices(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t w, bool a_first,
                                   snag__limit limit, const snag__pair_filter *filter, snag__proximity *out)
{
    bool same = a == b, v_first = same ? v < w : a_first;
    *out = (snag__proximity){.kind = SNAG_VERTEX_VERTEX};
    if ((same && v == w) || !snag__proximity_has_vertex(a, v) || !snag__proximity_has_vertex(b, w))
        return false;
    snag__features features = {SNAG_VERTEX_VERTEX, {a->x_t1[v], b->x_t1[w]}};
    if (!snag__features_within(&features, limit.d, &out->exact))
        return false;
    looker from_v = looker_within(a, v, b, &limit, filter, false, &out->exact);
    looker from_w = looker_within(b, w, a, &limit, filter, true, &out->exact);
    if (!sees_among_all(&from_v, w) && !sees_among_all(&from_w, v))
        return false;
    uint32_t at_v = 0, at_w = 0;
    bool triangle_at_v = lowest_at_vertex(&from_w, v, &at_v), triangle_at_w = lowest_at_vertex(&from_v, w, &at_w);
    // The vertex side is the one without triangles, else the lower.
    out->swapped = triangle_at_v == triangle_at_w ? !v_first : triangle_at_v;
    out->vertex = out->swapped ? w : v;
    out->triangle = out->swapped ? v : w;
    if (triangle_at_v || triangle_at_w) {
        out->triangle = out->swapped ? at_v : at_w;
        out->feature = out->swapped ? corner_bit(a, at_v, v) : corner_bit(b, at_w, w);
    }
    return true;
}

// ---- contacts ----

static void contact_from_gap(const snag__gap *gap, snag_contact *contact)
{
    contact->value = gap->distance;
    memcpy(contact->point_a, gap->point_a, sizeof contact->point_a);
    memcpy(contact->point_b, gap->point_b, sizeof contact->point_b);
    memset(contact->weight, 0, sizeof contact->weight);
}

void snag__vertex_triangle_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, uint32_t feature,
                                   snag_contact *contact)
{
    corners x;
    corners_of(b, t, x);
    snag__features features = features_of(a->x_t1[v], x, feature);
    snag__gap gap;
    snag__features_measure(&features, &gap);
    contact_from_gap(&gap, contact);
    for (int i = 0, at = 1; i < 3; i++)
        if (feature >> i & 1)
            contact->weight[i] = gap.weight[at++];
    if (!snag__gap_normal(&gap, contact->normal))
        snag__unit_cross(x[0], x[1], x[0], x[2], contact->normal);
}

void snag__edge_edge_contact(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag_contact *contact)
{
    snag__features features = {.kind = SNAG_EDGE_EDGE};
    ends_of(a, ea, features.point);
    ends_of(b, eb, features.point + 2);
    snag__gap gap;
    snag__features_measure(&features, &gap);
    contact_from_gap(&gap, contact);
    memcpy(contact->weight, gap.weight, sizeof contact->weight);
    if (!snag__gap_normal(&gap, contact->normal))
        snag__unit_cross(features.point[0], features.point[1], features.point[2], features.point[3], contact->normal);
}

void snag__vertex_edge_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, uint32_t feature,
                               snag_contact *contact)
{
    const double *x[2];
    ends_of(b, e, x);
    snag__features features = snag__edge_edge_features((const double *const[2]){a->x_t1[v], a->x_t1[v]}, x, 1 | feature << 2);
    snag__gap gap;
    snag__features_measure(&features, &gap);
    contact_from_gap(&gap, contact);
    for (int i = 0, at = 1; i < 2; i++)
        if (feature >> i & 1)
            contact->weight[i] = gap.weight[at++];
    snag__gap_normal(&gap, contact->normal);
}

void snag__vertex_vertex_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t w, snag_contact *contact)
{
    snag__features features = {SNAG_VERTEX_VERTEX, {a->x_t1[v], b->x_t1[w]}};
    snag__gap gap;
    snag__features_measure(&features, &gap);
    contact_from_gap(&gap, contact);
    contact->weight[0] = 1;
    snag__gap_normal(&gap, contact->normal);
}

// ---- the closest features of two bodies ----

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int closest_order(const snag__closest *x, const snag__closest *y)
{
    int order = snag__features_compare(&x->features, &x->gap, &y->features, &y->gap);
    if (order == 0)
        order = order_of(x->kind, y->kind);
    if (order == 0)
        order = order_of(x->vertex_second, y->vertex_second);
    if (order == 0)
        order = order_of(x->first, y->first);
    return order ? order : order_of(x->second, y->second);
}

bool snag__closest_join(snag__closest *closest, const snag__closest *other)
{
    if (!other->found || (closest->found && closest_order(other, closest) >= 0))
        return false;
    *closest = *other;
    return true;
}

static bool offer(snag__closest *closest, const snag__distance *distance, bool vertex_second, uint32_t first, uint32_t second)
{
    snag__closest other = {.found = true,
                           .kind = distance->kind,
                           .vertex_second = vertex_second,
                           .first = first,
                           .second = second,
                           .features = distance->features,
                           .gap = distance->gap};
    // Weights are those of this triangle's corners, and whether it was hard to tell is a matter of this triangle too.
    memset(other.gap.weight, 0, sizeof other.gap.weight);
    other.gap.exact = false;
    return snag__closest_join(closest, &other);
}

// Where floats end, so do the boxes and sieves that else leave most pairs out, and where distances in double end, every one is
// measured by integers: what is certainly farther than the closest so far is left out here.
static bool is_beyond_floats(const double p[3])
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, fabs(p[k]));
    return !(size > 0x1p-120 && size < 0x1p120);
}

bool snag__closest_vertex_triangle(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, bool vertex_second,
                                   snag__closest *closest)
{
    if (!snag__proximity_has_vertex(a, v))
        return false;
    corners x;
    corners_of(b, t, x);
    if (closest->found && is_beyond_floats(a->x_t1[v]) && snag__vertex_triangle_is_farther(a->x_t1[v], x, closest->gap.distance))
        return false;
    if (is_flat(b, t))
        return false;
    snag__distance distance;
    snag__vertex_triangle_distance(a->x_t1[v], x, &distance);
    uint32_t other = t;
    if (distance.kind == SNAG_VERTEX_EDGE)
        other = edge_at(b, t, distance.feature_b);
    if (distance.kind == SNAG_VERTEX_VERTEX) {
        other = b->triangles[t][distance.feature_b >> 1];
        if (vertex_second) {  // the same pair may be offered from both sides: the first body's vertex comes first
            distance.features.point[0] = b->x_t1[other];
            distance.features.point[1] = a->x_t1[v];
            snag__features_measure(&distance.features, &distance.gap);
        }
        return offer(closest, &distance, false, vertex_second ? other : v, vertex_second ? v : other);
    }
    return offer(closest, &distance, vertex_second, vertex_second ? other : v, vertex_second ? v : other);
}

// Measures two vertices with the first body's first, so that the same pair has the same bits whoever offers it.
static bool offer_vertices(snag__closest *closest, const double *first_x, const double *second_x, uint32_t first, uint32_t second)
{
    snag__distance distance = {.kind = SNAG_VERTEX_VERTEX, .features = {SNAG_VERTEX_VERTEX, {first_x, second_x}}};
    snag__features_measure(&distance.features, &distance.gap);
    return offer(closest, &distance, false, first, second);
}

bool snag__closest_vertices(const snag__mesh *first, uint32_t v, const snag__mesh *second, uint32_t w, snag__closest *closest)
{
    if (!snag__proximity_has_vertex(first, v) || !snag__proximity_has_vertex(second, w))
        return false;
    return offer_vertices(closest, first->x_t1[v], second->x_t1[w], v, w);
}

bool snag__closest_vertex_rod(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, bool vertex_second,
                              snag__closest *closest)
{
    bool exact = false;
    const double *p = a->x_t1[v], *x[2];
    ends_of(b, e, x);
    if (!snag__proximity_has_vertex(a, v) ||
        (closest->found && snag__vertex_edge_is_farther(p, x, closest->gap.distance * (1 + 0x1p-20))))
        return false;
    // Its ends are offered as vertices.
    if (!has_length(b, e) || snag__vertex_edge_feature(p, x, &exact) != 3)
        return false;
    snag__distance distance = {.kind = SNAG_VERTEX_EDGE, .features = {SNAG_VERTEX_EDGE, {p, x[0], x[1]}}};
    snag__features_measure(&distance.features, &distance.gap);
    return offer(closest, &distance, vertex_second, vertex_second ? e : v, vertex_second ? v : e);
}

bool snag__closest_edge_edge(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag__closest *closest)
{
    const double *xa[2], *xb[2];
    ends_of(a, ea, xa);
    ends_of(b, eb, xb);
    if (closest->found && is_beyond_floats(xa[0]) && snag__edge_edge_is_farther(xa, xb, closest->gap.distance))
        return false;
    snag__distance distance;
    snag__edge_edge_distance(xa, xb, &distance);
    // An end is offered as a vertex by the triangles; edges count where they are closest inside.
    if (distance.kind != SNAG_EDGE_EDGE || !edge_takes_part(a, ea) || !edge_takes_part(b, eb))
        return false;
    return offer(closest, &distance, false, ea, eb);
}

// The lowest triangle at a feature that can be paired with the looker, and its corners there; without one the rod or the vertex itself.
static void name_feature(const looker *from, snag_contact_kind kind, uint32_t element, snag__closest_names *names)
{
    uint32_t lowest = element;
    names->kind_b = SNAG_TRIANGLE;
    names->feature = 7;
    if (kind == SNAG_VERTEX_VERTEX) {
        bool found = lowest_at_vertex(from, element, &lowest);
        names->kind_b = found ? SNAG_TRIANGLE : SNAG_VERTEX;
        names->feature = found ? corner_bit(from->mesh, lowest, element) : 0;
    } else if (kind == SNAG_VERTEX_EDGE) {
        star s = star_of(&from->mesh->edge_triangles, element);
        bool found = next_eligible(from, &s);
        lowest = found ? *s.triangle : element;
        names->kind_b = found ? SNAG_TRIANGLE : SNAG_EDGE;
        names->feature = found ? corners_on_edge(from->mesh, lowest, element) : 3;
    }
    names->b = lowest;
}

snag__closest_names snag__closest_name(const snag__mesh *first, const snag__mesh *second, const snag__closest *closest,
                                       const snag__pair_filter *filter)
{
    snag__closest_names names = {.vertex_second = closest->vertex_second, .a = closest->first, .b = closest->second};
    if (closest->kind == SNAG_EDGE_EDGE) {
        names.kind_a = names.kind_b = SNAG_EDGE;
        return names;
    }
    bool exact = false;
    uint32_t lowest;
    if (closest->kind == SNAG_VERTEX_VERTEX) {
        looker from_first = looker_of(first, closest->first, second, filter, false, &exact);
        looker from_second = looker_of(second, closest->second, first, filter, true, &exact);
        names.vertex_second =
            !lowest_at_vertex(&from_first, closest->second, &lowest) && lowest_at_vertex(&from_second, closest->first, &lowest);
    }
    const snag__mesh *own = names.vertex_second ? second : first, *other = names.vertex_second ? first : second;
    names.kind_a = SNAG_VERTEX;
    names.a = names.vertex_second ? closest->second : closest->first;
    looker from = looker_of(own, names.a, other, filter, names.vertex_second, &exact);
    name_feature(&from, closest->kind, names.vertex_second ? closest->first : closest->second, &names);
    return names;
}
