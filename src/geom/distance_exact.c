#include "geom/distance_exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "geom/exact.h"

int snag__point_order(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

// ---- which features ----
// Every condition is that of first order for the closest points of two convex sets, so whatever satisfies it is
// closest. Features are tried by dimension and then by the order of coordinates, and the first that satisfies it is the
// answer.

// The order of the corners by coordinates: order[i] is the corner that comes i-th.
static void order_corners(const double *const *corner, int count, int *order)
{
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && snag__point_order(corner[i], corner[order[at - 1]]) < 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

// The sign of (x x y) . (x x z).
static int side_sign(snag__exact_room room, const snag__exact x[3], const snag__exact y[3], const snag__exact z[3])
{
    snag__exact xy[3], xz[3];
    snag__exact_cross(&room, x, y, xy);
    snag__exact_cross(&room, x, z, xz);
    return snag__exact_dot(&room, xy, xz).sign;
}

static int dot_sign(snag__exact_room room, const snag__exact x[3], const snag__exact y[3])
{
    return snag__exact_dot(&room, x, y).sign;
}

uint32_t snag__vertex_triangle_feature_exact(const double p[3], const double *const triangle[3])
{
    uint64_t limbs[18 * SNAG__EXACT_LIMBS(1) + 12 * SNAG__EXACT_LIMBS(2) + 6 * SNAG__EXACT_LIMBS(4)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = snag__exact_unit_of_points((const double *const[4]){p, triangle[0], triangle[1], triangle[2]}, 4);
    int order[3];
    order_corners(triangle, 3, order);

    // Corner i: from it to p, and to the next corner but k (k = 0, 1).
    snag__exact to_p[3][3], to_next[3][2][3];
    for (int i = 0; i < 3; i++) {
        const double *corner = triangle[order[i]];
        snag__exact_from_points(&room, p, corner, unit, to_p[i]);
        snag__exact_from_points(&room, triangle[order[(i + 1) % 3]], corner, unit, to_next[i][0]);
        for (int k = 0; k < 3 && i > 0; k++)
            to_next[i][1][k] = snag__exact_negate(to_next[i - 1][0][k]);
    }
    for (int k = 0; k < 3; k++)
        to_next[0][1][k] = snag__exact_negate(to_next[2][0][k]);

    int along[3][2];  // the sign of to_p . to_next
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++)
            along[i][j] = dot_sign(room, to_p[i], to_next[i][j]);
        if (along[i][0] <= 0 && along[i][1] <= 0)
            return 1u << order[i];
    }
    for (int i = 0; i < 3; i++) {
        int next = (i + 1) % 3;
        if (along[i][0] > 0 && along[next][1] > 0 && side_sign(room, to_next[i][0], to_p[i], to_next[i][1]) <= 0)
            return 1u << order[i] | 1u << order[next];
    }
    return 7;
}

uint32_t snag__edge_edge_feature_exact(const double *const a[2], const double *const b[2])
{
    uint64_t limbs[18 * SNAG__EXACT_LIMBS(1) + 12 * SNAG__EXACT_LIMBS(2) + 6 * SNAG__EXACT_LIMBS(4)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = snag__exact_unit_of_points((const double *const[4]){a[0], a[1], b[0], b[1]}, 4);

    // The sides in order: x is the one whose ends come first, and bit x_shift + end stands for an end of it.
    int order_a[2], order_b[2];
    order_corners(a, 2, order_a);
    order_corners(b, 2, order_b);
    int first = snag__point_order(a[order_a[0]], b[order_b[0]]);
    bool swap = first > 0 || (first == 0 && snag__point_order(a[order_a[1]], b[order_b[1]]) > 0);
    const double *const *x = swap ? b : a, *const *y = swap ? a : b;
    const int *order_x = swap ? order_b : order_a, *order_y = swap ? order_a : order_b;
    int x_shift = swap ? 2 : 0, y_shift = 2 - x_shift;

    snag__exact e[3], g[3], gap[2][2][3];  // gap: end of x minus end of y
    snag__exact_from_points(&room, x[order_x[1]], x[order_x[0]], unit, e);
    snag__exact_from_points(&room, y[order_y[1]], y[order_y[0]], unit, g);
    int along_e[2][2], along_g[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            snag__exact_from_points(&room, x[order_x[i]], y[order_y[j]], unit, gap[i][j]);
            along_e[i][j] = dot_sign(room, gap[i][j], e);
            along_g[i][j] = dot_sign(room, gap[i][j], g);
        }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if ((i == 0 ? along_e[i][j] >= 0 : along_e[i][j] <= 0) && (j == 0 ? along_g[i][j] <= 0 : along_g[i][j] >= 0))
                return 1u << (x_shift + order_x[i]) | 1u << (y_shift + order_y[j]);
    // An end of x against the inside of y: its foot lies between y's ends, and x leads away from there.
    for (int i = 0; i < 2; i++)
        if (along_g[i][0] > 0 && along_g[i][1] < 0) {
            int away = side_sign(room, g, gap[i][0], e);
            if (i == 0 ? away >= 0 : away <= 0)
                return 1u << (x_shift + order_x[i]) | 3u << y_shift;
        }
    for (int j = 0; j < 2; j++)
        if (along_e[0][j] < 0 && along_e[1][j] > 0) {
            int away = side_sign(room, e, gap[0][j], g);
            if (j == 0 ? away <= 0 : away >= 0)
                return 1u << (y_shift + order_y[j]) | 3u << x_shift;
        }
    return 15;
}

// ---- how far apart ----

// A pair of features as vectors: w from a corner of the second to a corner of the first, and the directions u and v
// that span the plane (of the face, or along both edges) to which the separation is normal. An edge alone has u only.
typedef struct span {
    snag__exact u[3], v[3], w[3];
} span;

static span span_of(snag__exact_room *room, const snag__features *features, int unit)
{
    const double *const *x = features->point;
    span s = {0};
    if (features->kind == SNAG_EDGE_EDGE) {
        snag__exact_from_points(room, x[1], x[0], unit, s.u);
        snag__exact_from_points(room, x[3], x[2], unit, s.v);
        snag__exact_from_points(room, x[0], x[2], unit, s.w);
        return s;
    }
    snag__exact_from_points(room, x[0], x[1], unit, s.w);
    if (features->kind != SNAG_VERTEX_VERTEX)
        snag__exact_from_points(room, x[2], x[1], unit, s.u);
    if (features->kind == SNAG_VERTEX_FACE)
        snag__exact_from_points(room, x[3], x[1], unit, s.v);
    return s;
}

static int unit_of(int unit, const snag__features *features)
{
    static const int counts[] = {[SNAG_VERTEX_VERTEX] = 2, [SNAG_VERTEX_EDGE] = 3, [SNAG_VERTEX_FACE] = 4, [SNAG_EDGE_EDGE] = 4};
    int own = snag__exact_unit_of_points(features->point, (size_t)counts[features->kind]);
    return own < unit ? own : unit;
}

// The squared distance in units is top / bottom: of degree 2 / 0, 4 / 2 or 6 / 4.
static void squared_ratio(snag__exact_room *room, const snag__features *features, const span *s, snag__exact *top,
                          snag__exact *bottom)
{
    snag__exact cross[3];
    if (features->kind == SNAG_VERTEX_VERTEX) {
        *top = snag__exact_dot(room, s->w, s->w);
        *bottom = snag__exact_from_integer(room, 1);
    } else if (features->kind == SNAG_VERTEX_EDGE) {
        snag__exact_cross(room, s->u, s->w, cross);
        *top = snag__exact_dot(room, cross, cross);
        *bottom = snag__exact_dot(room, s->u, s->u);
    } else {
        snag__exact_cross(room, s->u, s->v, cross);
        snag__exact height = snag__exact_dot(room, cross, s->w);
        *top = snag__exact_multiply(room, height, height);
        *bottom = snag__exact_dot(room, cross, cross);
    }
}

static double finite(double x)
{
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x + 0.0;
}

static int bit_length(snag__exact x)
{
    return x.length * 64 - __builtin_clzll(x.limb[x.length - 1]);
}

// sqrt(top / bottom) * 2^unit without overflow on the way; only zero is zero.
static double root_of_ratio(snag__exact_room room, snag__exact top, snag__exact bottom, int unit)
{
    if (top.sign == 0)
        return 0;
    int bits = bit_length(top) - bit_length(bottom);
    bits -= bits & 1;
    double root = ldexp(sqrt(snag__exact_ratio(room, top, bottom, -bits)), bits / 2 + unit);
    return root > 0 ? finite(root) : 0x1p-1074;
}

// a b + c d
static snag__exact sum_of_products(snag__exact_room *room, snag__exact a, snag__exact b, snag__exact c, snag__exact d)
{
    return snag__exact_determinant2(room, a, snag__exact_negate(c), d, b);
}

// origin + direction * top / bottom, where top / bottom has no unit.
static void point_along(snag__exact_room room, const double origin[3], const snag__exact direction[3], snag__exact top,
                        snag__exact bottom, int unit, double out[3])
{
    for (int k = 0; k < 3; k++) {
        snag__exact_room inner = room;
        snag__exact from = snag__exact_from(&inner, origin[k], unit);
        snag__exact sum = sum_of_products(&inner, from, bottom, direction[k], top);
        out[k] = finite(snag__exact_ratio(inner, sum, bottom, unit));
    }
}

static void measure_vertices(snag__exact_room room, const snag__features *features, const span *s, int unit, snag__gap *gap)
{
    snag__exact one = snag__exact_from_integer(&room, 1);
    for (int k = 0; k < 3; k++)
        gap->separation[k] = finite(snag__exact_ratio(room, s->w[k], one, unit));
    gap->weight[0] = gap->weight[1] = 1;
    memcpy(gap->point_a, features->point[0], sizeof gap->point_a);
    memcpy(gap->point_b, features->point[1], sizeof gap->point_b);
}

static void measure_edge(snag__exact_room room, const snag__features *features, const span *s, int unit, snag__gap *gap)
{
    snag__exact uu = snag__exact_dot(&room, s->u, s->u), uw = snag__exact_dot(&room, s->u, s->w);
    snag__exact minus_uw = snag__exact_negate(uw);
    gap->weight[0] = 1;
    gap->weight[1] = snag__exact_ratio(room, snag__exact_subtract(&room, uu, uw), uu, 0);
    gap->weight[2] = snag__exact_ratio(room, uw, uu, 0);
    memcpy(gap->point_a, features->point[0], sizeof gap->point_a);
    point_along(room, features->point[1], s->u, uw, uu, unit, gap->point_b);
    for (int k = 0; k < 3; k++) {
        snag__exact_room inner = room;
        snag__exact foot = sum_of_products(&inner, s->w[k], uu, s->u[k], minus_uw);
        gap->separation[k] = finite(snag__exact_ratio(inner, foot, uu, unit));
    }
}

// w = alpha u + beta v + h n / n.n with n = u x v; alpha = n . (w x v) / n.n, beta = n . (u x w) / n.n.
static void measure_plane(snag__exact_room room, const snag__features *features, const span *s, int unit, snag__gap *gap)
{
    const double *const *x = features->point;
    snag__exact n[3], cross[3];
    snag__exact_cross(&room, s->u, s->v, n);
    snag__exact nn = snag__exact_dot(&room, n, n), h = snag__exact_dot(&room, n, s->w);
    snag__exact_cross(&room, s->w, s->v, cross);
    snag__exact alpha = snag__exact_dot(&room, n, cross);
    snag__exact_cross(&room, s->u, s->w, cross);
    snag__exact beta = snag__exact_dot(&room, n, cross);
    for (int k = 0; k < 3; k++) {
        snag__exact_room inner = room;
        gap->separation[k] = finite(snag__exact_ratio(inner, snag__exact_multiply(&inner, n[k], h), nn, unit));
    }
    if (features->kind == SNAG_EDGE_EDGE) {
        snag__exact minus_alpha = snag__exact_negate(alpha);
        gap->weight[0] = snag__exact_ratio(room, snag__exact_add(&room, nn, alpha), nn, 0);
        gap->weight[1] = snag__exact_ratio(room, minus_alpha, nn, 0);
        gap->weight[2] = snag__exact_ratio(room, snag__exact_subtract(&room, nn, beta), nn, 0);
        gap->weight[3] = snag__exact_ratio(room, beta, nn, 0);
        point_along(room, x[0], s->u, minus_alpha, nn, unit, gap->point_a);
        point_along(room, x[2], s->v, beta, nn, unit, gap->point_b);
        return;
    }
    snag__exact both = snag__exact_add(&room, alpha, beta);
    gap->weight[0] = 1;
    gap->weight[1] = snag__exact_ratio(room, snag__exact_subtract(&room, nn, both), nn, 0);
    gap->weight[2] = snag__exact_ratio(room, alpha, nn, 0);
    gap->weight[3] = snag__exact_ratio(room, beta, nn, 0);
    memcpy(gap->point_a, x[0], sizeof gap->point_a);
    point_along(room, x[0], n, snag__exact_negate(h), nn, unit, gap->point_b);
}

void snag__features_measure_exact(const snag__features *features, snag__gap *gap)
{
    // Three vectors; two crosses and two dots of them; four results of degree 4; then room for the degrees 5 and 6 and
    // for the rounding of a quotient.
    uint64_t limbs[11 * SNAG__EXACT_LIMBS(1) + 14 * SNAG__EXACT_LIMBS(2) + 12 * SNAG__EXACT_LIMBS(4) + 8 * SNAG__EXACT_LIMBS(6)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = unit_of(SNAG__EXACT_NO_UNIT, features);
    span s = span_of(&room, features, unit);
    snag__exact_room inner = room;
    snag__exact top, bottom;
    squared_ratio(&inner, features, &s, &top, &bottom);
    gap->squared = finite(snag__exact_ratio(inner, top, bottom, 2 * unit));
    gap->distance = root_of_ratio(inner, top, bottom, unit);
    gap->exact = true;
    if (features->kind == SNAG_VERTEX_VERTEX)
        measure_vertices(room, features, &s, unit, gap);
    else if (features->kind == SNAG_VERTEX_EDGE)
        measure_edge(room, features, &s, unit, gap);
    else
        measure_plane(room, features, &s, unit, gap);
}

int snag__features_compare_with_exact(const snag__features *features, double d)
{
    uint64_t limbs[10 * SNAG__EXACT_LIMBS(1) + 8 * SNAG__EXACT_LIMBS(2) + 5 * SNAG__EXACT_LIMBS(4) + 6 * SNAG__EXACT_LIMBS(6)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = unit_of(snag__exact_unit(SNAG__EXACT_NO_UNIT, d), features);
    span s = span_of(&room, features, unit);
    snag__exact top, bottom, reach = snag__exact_from(&room, d, unit);
    squared_ratio(&room, features, &s, &top, &bottom);
    snag__exact bound = snag__exact_multiply(&room, snag__exact_multiply(&room, reach, reach), bottom);
    return snag__exact_compare(top, bound);
}

int snag__features_compare_exact(const snag__features *x, const snag__features *y)
{
    uint64_t limbs[18 * SNAG__EXACT_LIMBS(1) + 16 * SNAG__EXACT_LIMBS(2) + 10 * SNAG__EXACT_LIMBS(4) + 10 * SNAG__EXACT_LIMBS(6) +
                   2 * SNAG__EXACT_LIMBS(10)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = unit_of(unit_of(SNAG__EXACT_NO_UNIT, x), y);
    span span_x = span_of(&room, x, unit), span_y = span_of(&room, y, unit);
    snag__exact top_x, bottom_x, top_y, bottom_y;
    squared_ratio(&room, x, &span_x, &top_x, &bottom_x);
    squared_ratio(&room, y, &span_y, &top_y, &bottom_y);
    return snag__exact_compare(snag__exact_multiply(&room, top_x, bottom_y), snag__exact_multiply(&room, top_y, bottom_x));
}

bool snag__unit_cross_exact(const double a[3], const double b[3], const double c[3], const double d[3], double unit[3])
{
    uint64_t limbs[6 * SNAG__EXACT_LIMBS(1) + 11 * SNAG__EXACT_LIMBS(2)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int common = snag__exact_unit_of_points((const double *const[4]){a, b, c, d}, 4);
    snag__exact u[3], v[3], n[3], one = snag__exact_from_integer(&room, 1);
    snag__exact_from_points(&room, b, a, common, u);
    snag__exact_from_points(&room, d, c, common, v);
    snag__exact_cross(&room, u, v, n);
    int bits = 0;
    for (int k = 0; k < 3; k++)
        if (n[k].sign != 0 && bit_length(n[k]) > bits)
            bits = bit_length(n[k]);
    if (bits == 0) {
        unit[0] = unit[1] = unit[2] = 0;
        return false;
    }
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = snag__exact_ratio(room, n[k], one, -bits);
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++)
        unit[k] = x[k] / length + 0.0;
    return true;
}
