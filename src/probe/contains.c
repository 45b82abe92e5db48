// Whether points lie inside bodies.
//
// Closed surfaces: the triangles that a ray along an axis crosses are counted with their signs, exactly (geom/crossing.h).
// Volumes: the tetrahedra that hold the point.
// Open surfaces: the generalised winding number (Jacobson, Kavan, Sorkine-Hornung: Robust Inside-Outside Segmentation using
// Generalized Winding Numbers, SIGGRAPH 2013). Differs: instead of summing solid angles over all triangles, the surface is closed by a
// curtain that hangs from its boundary edges to infinity, away from the ray. The ray's count is then the winding number of a closed
// surface, and only the solid angle of the curtain has to be subtracted: time grows with the boundary, and rounding with it alone.
#include "base/vec3.h"
#include "geom/crossing.h"
#include "geom/geom.h"
#include "probe/probe_kernel.h"

#include <math.h>

// ---- a ray along an axis ----

typedef struct crossing_query {
    double p[3];
    int axis;
    bool up;
    bool find_on;  // stop at a triangle that holds the point
    bool on;
    int64_t winding;
    uint64_t crossings;
} crossing_query;

static bool count_crossing(void *context, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    crossing_query *q = context;
    snag__probe_element element = snag__probe_element_at(&set->bvh, tree, slot);
    if (q->find_on && snag__point_on_triangle(q->p, element.x)) {
        q->on = true;
        return false;
    }
    int crossing = snag__ray_crossing(q->p, q->axis, q->up, element.x);
    q->winding += crossing;
    q->crossings += crossing != 0;
    return true;
}

// The shortest way out of the root's box. False if the point is outside of it.
static bool choose_way(const snag__bvh *bvh, uint32_t tree, const double p[3], int *axis, bool *up)
{
    uint32_t root = bvh->trees[tree].root;
    double shortest = INFINITY;
    *axis = 0;
    *up = true;
    for (int k = 0; k < 3; k++) {
        double lo = (double)bvh->node_bounds.lo[k][root], hi = (double)bvh->node_bounds.hi[k][root];
        if (!(p[k] >= lo && p[k] <= hi))
            return false;
        if (hi - p[k] < shortest) {
            shortest = hi - p[k];
            *axis = k;
            *up = true;
        }
        if (p[k] - lo < shortest) {
            shortest = p[k] - lo;
            *axis = k;
            *up = false;
        }
    }
    return true;
}

static void send_ray(const snag__probe_search *search, uint32_t tree, crossing_query *q)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = snag__float_below(q->p[k]);
        hi[k] = snag__float_above(q->p[k]);
    }
    if (q->up)
        hi[q->axis] = INFINITY;
    else
        lo[q->axis] = -INFINITY;
    search->kernels->meet_box(&search->probe->sets[SNAG__PROBE_TRIANGLES], tree, lo, hi, count_crossing, q);
}

static snag_side side_of_surface(const snag__probe_search *search, uint32_t body, const double p[3])
{
    const snag__probe_set *set = &search->probe->sets[SNAG__PROBE_TRIANGLES];
    uint32_t tree = set->tree_of[body];
    crossing_query q = {.p = {p[0], p[1], p[2]}, .find_on = true};
    if (!choose_way(&set->bvh, tree, p, &q.axis, &q.up))
        return SNAG_SIDE_OUTSIDE;
    send_ray(search, tree, &q);
    if (q.on)
        return SNAG_SIDE_ON;
    bool oriented = snag__probe_enclosure_of(search->probe, body)->unbalanced_edges == 0;
    return (oriented ? q.winding != 0 : (q.crossings & 1) != 0) ? SNAG_SIDE_INSIDE : SNAG_SIDE_OUTSIDE;
}

// ---- volumes ----

typedef struct point_query {
    double p[3];
    bool found;
} point_query;

static bool hold_point(void *context, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    point_query *q = context;
    const double(*x)[3] = (const double(*)[3])set->bvh.trees[tree].mesh->x_t1;
    const uint32_t *v = set->bvh.vertices + (size_t)4 * slot;
    const double *const tet[4] = {x[v[0]], x[v[1]], x[v[2]], x[v[3]]};
    q->found = snag__point_in_tet(q->p, tet);
    return !q->found;
}

static bool touch_point(void *context, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    point_query *q = context;
    snag__probe_element element = snag__probe_element_at(&set->bvh, tree, slot);
    q->found = snag__point_on_triangle(q->p, element.x);
    return !q->found;
}

static bool find_at(const snag__probe_search *search, uint32_t which, uint32_t body, const double p[3], snag__slot_visit *visit)
{
    const snag__probe_set *set = &search->probe->sets[which];
    point_query q = {.p = {p[0], p[1], p[2]}};
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = snag__float_below(p[k]);
        hi[k] = snag__float_above(p[k]);
    }
    if (set->tree_of[body] != UINT32_MAX)
        search->kernels->meet_box(set, set->tree_of[body], lo, hi, visit, &q);
    return q.found;
}

snag_side snag__probe_side(const snag__probe_search *search, uint32_t body, const double p[3])
{
    if (search->probe->bodies[body].mesh->tet_count == 0)
        return side_of_surface(search, body, p);
    if (find_at(search, SNAG__PROBE_TRIANGLES, body, p, touch_point))
        return SNAG_SIDE_ON;
    return find_at(search, SNAG__PROBE_TETS, body, p, hold_point) ? SNAG_SIDE_INSIDE : SNAG_SIDE_OUTSIDE;
}

// ---- winding numbers ----

static const double PI = 3.14159265358979323846;

// The arc tangent for 0 <= x <= 1, to 1e-15. By plain arithmetic, so that it is the same on every machine: arguments are first brought below
// tan(pi / 16), where the series needs ten terms.
static double arc_tangent(double x)
{
    double turned = 0;
    // tan(pi / 4), tan(pi / 8), tan(pi / 16)
    static const double tangent[] = {1, 0.41421356237309504880, 0.19891236737965800691};
    static const double angle[] = {3.14159265358979323846 / 4, 3.14159265358979323846 / 8, 3.14159265358979323846 / 16};
    for (int i = 0; i < 3; i++)
        if (x > tangent[i] * 0.5) {
            x = (x - tangent[i]) / (1 + x * tangent[i]);
            turned += angle[i];
        } else if (x < -tangent[i] * 0.5) {
            x = (x + tangent[i]) / (1 - x * tangent[i]);
            turned -= angle[i];
        }
    double square = x * x, sum = 0;
    for (int k = 21; k > 0; k -= 2)
        sum = (k / 2 % 2 == 0 ? 1.0 : -1.0) / k + square * sum;
    return turned + x * sum;
}

// The angle of (x, y) in -pi .. pi; 0 for (0, 0).
static double angle_of(double y, double x)
{
    double a = fabs(x), b = fabs(y), angle;
    if (a == 0 && b == 0)
        return 0;
    angle = b <= a ? arc_tangent(b / a) : PI / 2 - arc_tangent(a / b);
    angle = x < 0 ? PI - angle : angle;
    return y < 0 ? -angle : angle;
}

// The solid angle of a spherical triangle of unit vectors (van Oosterom, Strackee: The Solid Angle of a Plane Triangle, 1983), over 4 pi.
static double solid_angle(const double a[3], const double b[3], const double c[3])
{
    double cross[3];
    snag__vec3_cross(b, c, cross);
    double above = snag__vec3_dot(a, cross);
    double below = 1 + snag__vec3_dot(a, b) + snag__vec3_dot(b, c) + snag__vec3_dot(c, a);
    return angle_of(above, below) / (2 * PI);
}

static bool unit_to(const double from[3], const double to[3], double unit[3])
{
    double d[3], size = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = to[k] / 2 - from[k] / 2;  // halved: no overflow
        size = fmax(size, fabs(d[k]));
    }
    if (size == 0)
        return false;
    for (int k = 0; k < 3; k++)
        d[k] /= size;
    double length = snag__vec3_length(d);
    for (int k = 0; k < 3; k++)
        unit[k] = d[k] / length;
    return true;
}

// The winding number of the curtain below the boundary. Its edges are walked as the surface's neighbours would walk them.
static double curtain(const snag__mesh *mesh, const double p[3], int axis, bool up, const uint32_t *boundary, size_t count)
{
    double sum = 0, away[3] = {0, 0, 0}, a[3], b[3];
    away[axis] = up ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *edge = mesh->edges[boundary[i]];
        if (unit_to(p, mesh->x_t1[edge[0]], a) && unit_to(p, mesh->x_t1[edge[1]], b))
            sum -= snag__probe_edge_balance(mesh, boundary[i]) * solid_angle(a, b, away);
    }
    return sum;
}

double snag__probe_winding(const snag__probe_search *search, uint32_t body, const double p[3], const uint32_t *boundary,
                           size_t boundary_count)
{
    const snag__probe_set *set = &search->probe->sets[SNAG__PROBE_TRIANGLES];
    const snag__mesh *mesh = search->probe->bodies[body].mesh;
    uint32_t tree = set->tree_of[body];
    crossing_query q = {.p = {p[0], p[1], p[2]}};
    if (tree == UINT32_MAX)
        return 0;
    if (choose_way(&set->bvh, tree, p, &q.axis, &q.up) || boundary_count > 0)
        send_ray(search, tree, &q);
    return (double)q.winding - curtain(mesh, p, q.axis, q.up, boundary, boundary_count) + 0.0;
}
