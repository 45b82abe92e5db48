#include "helpers/rational_distance.h"

#include <math.h>
#include <stdbool.h>

typedef struct vec {
    mpq_t x[3];
} vec;

static void vec_init(vec *v)
{
    for (int i = 0; i < 3; i++)
        mpq_init(v->x[i]);
}

static void vec_clear(vec *v)
{
    for (int i = 0; i < 3; i++)
        mpq_clear(v->x[i]);
}

static void vec_difference(vec *out, const double to[3], const double from[3])
{
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i < 3; i++) {
        mpq_set_d(out->x[i], to[i]);
        mpq_set_d(t, from[i]);
        mpq_sub(out->x[i], out->x[i], t);
    }
    mpq_clear(t);
}

// out += scale * v
static void vec_add(vec *out, const vec *v, const mpq_t scale)
{
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i < 3; i++) {
        mpq_mul(t, v->x[i], scale);
        mpq_add(out->x[i], out->x[i], t);
    }
    mpq_clear(t);
}

static void dot(mpq_t out, const vec *a, const vec *b)
{
    mpq_t t, sum;
    mpq_inits(t, sum, NULL);
    for (int i = 0; i < 3; i++) {
        mpq_mul(t, a->x[i], b->x[i]);
        mpq_add(sum, sum, t);
    }
    mpq_set(out, sum);
    mpq_clears(t, sum, NULL);
}

void rational_distance_init(rational_distance *distance)
{
    mpq_init(distance->squared);
}

void rational_distance_clear(rational_distance *distance)
{
    mpq_clear(distance->squared);
}

static int bit_count(uint32_t bits)
{
    return __builtin_popcount(bits);
}

// Takes a candidate if it is closer, or as close with fewer corners.
static void offer(rational_distance *best, bool first, const mpq_t squared, uint32_t a, uint32_t b)
{
    int order = first ? -1 : mpq_cmp(squared, best->squared);
    int corners = bit_count(a) + bit_count(b), before = first ? 0 : bit_count(best->feature_a) + bit_count(best->feature_b);
    if (order == 0 && corners == before)
        best->unique = 0;
    if (order < 0 || (order == 0 && corners < before)) {
        mpq_set(best->squared, squared);
        best->feature_a = a;
        best->feature_b = b;
        best->unique = 1;
    }
}

static void point_point(mpq_t squared, const double p[3], const double q[3])
{
    vec v;
    vec_init(&v);
    vec_difference(&v, p, q);
    dot(squared, &v, &v);
    vec_clear(&v);
}

// The distance of p to the open segment; false if the closest point of the line is not in it.
static bool point_edge(mpq_t squared, const double p[3], const double a[3], const double b[3])
{
    vec e, q;
    mpq_t ee, eq, t;
    vec_init(&e);
    vec_init(&q);
    mpq_inits(ee, eq, t, NULL);
    vec_difference(&e, b, a);
    vec_difference(&q, p, a);
    dot(ee, &e, &e);
    dot(eq, &e, &q);
    bool inside = mpq_sgn(eq) > 0 && mpq_cmp(eq, ee) < 0;
    if (inside) {
        mpq_div(t, eq, ee);
        mpq_neg(t, t);
        vec_add(&q, &e, t);
        dot(squared, &q, &q);
    }
    mpq_clears(ee, eq, t, NULL);
    vec_clear(&e);
    vec_clear(&q);
    return inside;
}

// Solves [uu uv; uv vv] (s, t) = (up, vp), the foot of w on the plane of u and v. False if u and v are parallel.
static bool solve(mpq_t s, mpq_t t, const vec *u, const vec *v, const vec *w)
{
    mpq_t uu, uv, vv, up, vp, det, x;
    mpq_inits(uu, uv, vv, up, vp, det, x, NULL);
    dot(uu, u, u);
    dot(uv, u, v);
    dot(vv, v, v);
    dot(up, u, w);
    dot(vp, v, w);
    mpq_mul(det, uu, vv);
    mpq_mul(x, uv, uv);
    mpq_sub(det, det, x);
    bool regular = mpq_sgn(det) != 0;
    if (regular) {
        mpq_mul(s, up, vv);
        mpq_mul(x, vp, uv);
        mpq_sub(s, s, x);
        mpq_div(s, s, det);
        mpq_mul(t, vp, uu);
        mpq_mul(x, up, uv);
        mpq_sub(t, t, x);
        mpq_div(t, t, det);
    }
    mpq_clears(uu, uv, vv, up, vp, det, x, NULL);
    return regular;
}

// |w - s u - t v|^2
static void residual(mpq_t squared, const vec *w, const vec *u, const vec *v, const mpq_t s, const mpq_t t)
{
    mpq_t negative;
    vec r;
    mpq_init(negative);
    vec_init(&r);
    for (int i = 0; i < 3; i++)
        mpq_set(r.x[i], w->x[i]);
    mpq_neg(negative, s);
    vec_add(&r, u, negative);
    mpq_neg(negative, t);
    vec_add(&r, v, negative);
    dot(squared, &r, &r);
    vec_clear(&r);
    mpq_clear(negative);
}

void rational_vertex_triangle(const double p[3], const double *const triangle[3], rational_distance *out)
{
    mpq_t squared, s, t, sum, one;
    vec u, v, w;
    mpq_inits(squared, s, t, sum, one, NULL);
    mpq_set_ui(one, 1, 1);
    vec_init(&u);
    vec_init(&v);
    vec_init(&w);
    for (int i = 0; i < 3; i++) {
        point_point(squared, p, triangle[i]);
        offer(out, i == 0, squared, 1, 1u << i);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (point_edge(squared, p, triangle[i], triangle[j]))
            offer(out, false, squared, 1, 1u << i | 1u << j);
    }
    vec_difference(&u, triangle[1], triangle[0]);
    vec_difference(&v, triangle[2], triangle[0]);
    vec_difference(&w, p, triangle[0]);
    if (solve(s, t, &u, &v, &w)) {
        mpq_add(sum, s, t);
        if (mpq_sgn(s) > 0 && mpq_sgn(t) > 0 && mpq_cmp(sum, one) < 0) {
            residual(squared, &w, &u, &v, s, t);
            offer(out, false, squared, 1, 7);
        }
    }
    vec_clear(&u);
    vec_clear(&v);
    vec_clear(&w);
    mpq_clears(squared, s, t, sum, one, NULL);
}

void rational_edge_edge(const double *const a[2], const double *const b[2], rational_distance *out)
{
    mpq_t squared, s, t, one;
    vec u, v, w;
    mpq_inits(squared, s, t, one, NULL);
    mpq_set_ui(one, 1, 1);
    vec_init(&u);
    vec_init(&v);
    vec_init(&w);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            point_point(squared, a[i], b[j]);
            offer(out, i == 0 && j == 0, squared, 1u << i, 1u << j);
        }
    for (int i = 0; i < 2; i++) {
        if (point_edge(squared, a[i], b[0], b[1]))
            offer(out, false, squared, 1u << i, 3);
        if (point_edge(squared, b[i], a[0], a[1]))
            offer(out, false, squared, 3, 1u << i);
    }
    // a0 + s (a1 - a0) = b0 + t (b1 - b0): with v = b0 - b1 the foot of b0 - a0.
    vec_difference(&u, a[1], a[0]);
    vec_difference(&v, b[0], b[1]);
    vec_difference(&w, b[0], a[0]);
    if (solve(s, t, &u, &v, &w) && mpq_sgn(s) > 0 && mpq_sgn(t) > 0 && mpq_cmp(s, one) < 0 && mpq_cmp(t, one) < 0) {
        residual(squared, &w, &u, &v, s, t);
        offer(out, false, squared, 3, 3);
    }
    vec_clear(&u);
    vec_clear(&v);
    vec_clear(&w);
    mpq_clears(squared, s, t, one, NULL);
}

int rational_compare(const rational_distance *distance, double d)
{
    mpq_t square;
    mpq_init(square);
    mpq_set_d(square, d);
    mpq_mul(square, square, square);
    int sign = mpq_cmp(distance->squared, square);
    mpq_clear(square);
    return (sign > 0) - (sign < 0);
}

double rational_relative_error(const rational_distance *distance, double value)
{
    if (mpq_sgn(distance->squared) == 0)
        return value == 0 ? 0 : INFINITY;
    // |value^2 / squared - 1| = |r - 1| |r + 1| with r = value / distance; r + 1 is near 2 where it matters.
    mpq_t ratio, one;
    mpq_inits(ratio, one, NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_d(ratio, value);
    mpq_mul(ratio, ratio, ratio);
    mpq_div(ratio, ratio, distance->squared);
    mpq_sub(ratio, ratio, one);
    double error = fabs(mpq_get_d(ratio)) / 2;
    mpq_clears(ratio, one, NULL);
    return error;
}

// out += sign * sum of weight[i] (corner[i] - corner[0])
static void add_weighted(vec *out, const double *const *corner, const double *weight, int count, double sign)
{
    vec v;
    mpq_t w;
    vec_init(&v);
    mpq_init(w);
    for (int i = 1; i < count; i++) {
        vec_difference(&v, corner[i], corner[0]);
        mpq_set_d(w, sign * weight[i]);
        vec_add(out, &v, w);
    }
    vec_clear(&v);
    mpq_clear(w);
}

double rational_weights_error(const rational_distance *distance, const double *const *a, const double *weight_a, int count_a,
                              const double *const *b, const double *weight_b, int count_b)
{
    vec r;
    mpq_t square;
    vec_init(&r);
    mpq_init(square);
    vec_difference(&r, a[0], b[0]);
    add_weighted(&r, a, weight_a, count_a, 1);
    add_weighted(&r, b, weight_b, count_b, -1);
    dot(square, &r, &r);
    mpq_sub(square, square, distance->squared);
    double error = mpq_get_d(square);
    vec_clear(&r);
    mpq_clear(square);
    return error > 0 ? sqrt(error) : 0;
}
