// Walks over surfaces: see active_walk.h.
#include "method/active_walk.h"

#include "base/clamp.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

double snag__squared_distance(const double a[3], const double b[3])
{
    double d[3];
    subtract(a, b, d);
    return dot(d, d);
}

// The squared distance to the point a + u * ab, where `ap` is p - a.
static double squared_beyond(const double ap[3], const double ab[3], double u)
{
    double d[3] = {ap[0] - u * ab[0], ap[1] - u * ab[1], ap[2] - u * ab[2]};
    return dot(d, d);
}

// ---- feet and crossings ----

// Finds the region of the triangle's plane by dot products, as in Ericson, Real-Time Collision Detection, 5.1.5.
snag__foot snag__foot_on_triangle(const double p[3], const snag__mesh *mesh, uint32_t t)
{
    SNAG__ASSERT(t < mesh->triangle_count);
    const uint32_t *v = mesh->triangles[t];
    const double *a = mesh->x_t1[v[0]], *b = mesh->x_t1[v[1]], *c = mesh->x_t1[v[2]];
    double ab[3], ac[3], ap[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    subtract(p, a, ap);
    double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]};
    double height = dot(n, ap);
    snag__foot foot = {.above = height >= 0};

    double ab_ap = dot(ab, ap), ac_ap = dot(ac, ap), ab_ab = dot(ab, ab), ac_ac = dot(ac, ac), ab_ac = dot(ab, ac);
    if (ab_ap <= 0 && ac_ap <= 0)
        return foot.feature = 1, foot.squared = dot(ap, ap), foot;
    double ab_bp = ab_ap - ab_ab, ac_bp = ac_ap - ab_ac;
    if (ab_bp >= 0 && ac_bp <= ab_bp)
        return foot.feature = 2, foot.squared = snag__squared_distance(p, b), foot;
    double beyond_c = ab_ap * ac_bp - ab_bp * ac_ap;
    if (beyond_c <= 0 && ab_ap >= 0 && ab_bp <= 0)
        return foot.feature = 3, foot.squared = squared_beyond(ap, ab, ab_ap / ab_ab), foot;
    double ab_cp = ab_ap - ab_ac, ac_cp = ac_ap - ac_ac;
    if (ac_cp >= 0 && ab_cp <= ac_cp)
        return foot.feature = 4, foot.squared = snag__squared_distance(p, c), foot;
    double beyond_b = ab_cp * ac_ap - ab_ap * ac_cp;
    if (beyond_b <= 0 && ac_ap >= 0 && ac_cp <= 0)
        return foot.feature = 5, foot.squared = squared_beyond(ap, ac, ac_ap / ac_ac), foot;
    double beyond_a = ab_bp * ac_cp - ab_cp * ac_bp, from_b = ac_bp - ab_bp, from_c = ab_cp - ac_cp;
    if (beyond_a <= 0 && from_b >= 0 && from_c >= 0) {
        double bp[3], bc[3];
        subtract(p, b, bp);
        subtract(c, b, bc);
        return foot.feature = 6, foot.squared = squared_beyond(bp, bc, from_b / (from_b + from_c)), foot;
    }
    foot.feature = 7;
    foot.squared = height * (height / dot(n, n));
    return foot;
}

bool snag__is_above(const double p[3], const snag__mesh *mesh, uint32_t t)
{
    const uint32_t *v = mesh->triangles[t];
    const double *a = mesh->x_t1[v[0]];
    double ab[3], ac[3], ap[3];
    subtract(mesh->x_t1[v[1]], a, ab);
    subtract(mesh->x_t1[v[2]], a, ac);
    subtract(p, a, ap);
    double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]};
    return dot(n, ap) >= 0;
}

// The squared distance of p from an edge.
static double squared_from_edge(const double p[3], const double a[3], const double ab[3])
{
    double ap[3], length = dot(ab, ab);
    subtract(p, a, ap);
    return squared_beyond(ap, ab, length > 0 ? snag__clamp_to(dot(ap, ab) / length, 1) : 0);
}

snag__edge_crossing snag__edges_crossing(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, bool ends)
{
    SNAG__ASSERT(ea < a->edge_count && eb < b->edge_count);
    const double *p = a->x_t1[a->edges[ea][0]], *q = b->x_t1[b->edges[eb][0]];
    const double *p1 = a->x_t1[a->edges[ea][1]], *q1 = b->x_t1[b->edges[eb][1]];
    double u[3], v[3], w[3];
    subtract(p1, p, u);
    subtract(q1, q, v);
    subtract(p, q, w);
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    double area = uu * vv - uv * uv, s = uv * vw - vv * uw, t = uu * vw - uv * uw;
    if (area > 0 && s > 0 && s < area && t > 0 && t < area) {
        double d[3];
        s /= area;
        t /= area;
        for (int k = 0; k < 3; k++)
            d[k] = w[k] + s * u[k] - t * v[k];
        return (snag__edge_crossing){dot(d, d), true};
    }
    if (!ends)
        return (snag__edge_crossing){INFINITY, false};
    double least = fmin(squared_from_edge(p, q, v), squared_from_edge(p1, q, v));
    return (snag__edge_crossing){fmin(least, fmin(squared_from_edge(q, p, u), squared_from_edge(q1, p, u))), true};
}

// ---- walks ----

static bool has_corner(const uint32_t corner[3], uint32_t v)
{
    return corner[0] == v || corner[1] == v || corner[2] == v;
}

bool snag__are_neighbours(const snag__mesh *mesh, uint32_t v, uint32_t w)
{
    if (v == w)
        return true;
    const snag__csr *lists = &mesh->vertex_triangles;
    for (uint32_t i = lists->start[v]; i < lists->start[v + 1]; i++)
        if (has_corner(mesh->triangles[lists->items[i]], w))
            return true;
    return false;
}

// Replaces *v by its neighbour closest to x, and *squared by its distance, if that is less. `other`: the vertex at x if it is of the
// same mesh.
static bool step_to_neighbour(const snag__mesh *mesh, uint32_t *v, const double x[3], uint32_t other, double *squared)
{
    uint32_t best = *v;
    const snag__csr *lists = &mesh->vertex_triangles;
    for (uint32_t i = lists->start[*v]; i < lists->start[*v + 1]; i++) {
        const uint32_t *corner = mesh->triangles[lists->items[i]];
        for (int c = 0; c < 3; c++) {
            double there = snag__squared_distance(mesh->x_t1[corner[c]], x);
            if (there < *squared && (other == SNAG__NOBODY || !snag__are_neighbours(mesh, corner[c], other))) {
                *squared = there;
                best = corner[c];
            }
        }
    }
    bool moved = best != *v;
    *v = best;
    return moved;
}

double snag__walk_points(const snag__mesh *a_mesh, uint32_t *a, const snag__mesh *b_mesh, uint32_t *b, uint32_t most)
{
    SNAG__ASSERT(*a < a_mesh->vertex_count && *b < b_mesh->vertex_count);
    bool same = a_mesh == b_mesh, moved = true;
    double squared = snag__squared_distance(a_mesh->x_t1[*a], b_mesh->x_t1[*b]);
    for (uint32_t i = 0; i < most && moved; i++) {
        moved = step_to_neighbour(a_mesh, a, b_mesh->x_t1[*b], same ? *b : SNAG__NOBODY, &squared);
        moved |= step_to_neighbour(b_mesh, b, a_mesh->x_t1[*a], same ? *a : SNAG__NOBODY, &squared);
    }
    return squared;
}

// The triangles at an edge (two corners) or a vertex (one).
static void triangles_at(const snag__mesh *mesh, uint32_t t, uint32_t feature, const uint32_t **first, const uint32_t **end)
{
    const snag__csr *lists;
    uint32_t of;
    if ((feature & (feature - 1)) == 0) {
        lists = &mesh->vertex_triangles;
        of = mesh->triangles[t][feature >> 1];
    } else {
        lists = &mesh->edge_triangles;
        of = mesh->triangle_edges[t][feature == 3 ? 0 : feature == 6 ? 1 : 2];
    }
    // A triangle that repeats a vertex has no edges, hence no neighbours.
    bool alone = of == SNAG__NO_EDGE;
    *first = alone ? NULL : lists->items + lists->start[of];
    *end = alone ? NULL : lists->items + lists->start[of + 1];
}

snag__foot snag__walk_triangle(const double p[3], const snag__mesh *mesh, uint32_t *t, uint32_t self, uint32_t most)
{
    snag__foot foot = snag__foot_on_triangle(p, mesh, *t);
    for (uint32_t i = 0; i < most && foot.feature != 7; i++) {
        const uint32_t *at, *end;
        uint32_t from = *t, lowest = *t;
        for (triangles_at(mesh, *t, foot.feature, &at, &end); at < end; at++) {
            if (*at == from || (self != SNAG__NOBODY && has_corner(mesh->triangles[*at], self)))
                continue;
            lowest = *at < lowest ? *at : lowest;
            snag__foot there = snag__foot_on_triangle(p, mesh, *at);
            if (there.squared < foot.squared) {
                foot = there;
                *t = *at;
            }
        }
        if (*t == from) {
            *t = lowest;
            break;
        }
    }
    return foot;
}
