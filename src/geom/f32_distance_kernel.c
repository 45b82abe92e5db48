// Kernels of f32_distance.h.
//
// The proof that a pair is farther apart than d is a direction, as in distance_kernel.c: if every corner of one side lies more than
// d |w| beyond every corner of the other along w, the sides are more than d apart, whatever w is. A rough w proves less, never too
// much, so only the last dot products need an error bound. With the unit roundoff u = 2^-24:
//
// - A coordinate is off by at most r (`rounding`), and so a difference of two by 2 r, besides the rounding of the difference itself,
//   which is at most u times its magnitude.
// - A dot product of a difference x with w rounds five times: it is off by at most (2 r + 4.1 u |x|) |w|, with |x| the largest
//   coordinate in magnitude and |w| the sum of the coordinates' magnitudes.
// - `least` sums at most three dot products. The differences together are at most `size`, so that it is off by at most
//   (6 r + 12.3 u size + 3 u size) |w|; (8 r + 16 u size) |w| also covers the rounding of this bound.
// - least - error, its square, w.w and d^2 w.w are each off by a few u of themselves, as long as nothing underflows: `distance` is
//   raised by 2^-18 of itself, and nothing is proven by numbers below 1e-30.
#include "geom/f32_gather.h"

#define LANES ((size_t)SNAG__LANES_F32)
#define SNAG__INLINE static inline __attribute__((always_inline))

typedef snag__f32w f32w;

typedef snag__f32_vec3 vec3;

SNAG__INLINE vec3 subtract(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SNAG__INLINE f32w dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// a - s b
SNAG__INLINE vec3 without(vec3 a, f32w s, vec3 b)
{
    return (vec3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

SNAG__INLINE vec3 choose(snag__i32w mask, vec3 a, vec3 b)
{
    return (vec3){snag__f32w_select(mask, a.x, b.x), snag__f32w_select(mask, a.y, b.y), snag__f32w_select(mask, a.z, b.z)};
}

SNAG__INLINE f32w magnitude(f32w x)
{
#if SNAG__LANES_F32 == 1
    return fabsf(x);
#else
    return (f32w)((snag__i32w)x & snag__i32w_all(INT32_MAX));
#endif
}

SNAG__INLINE f32w largest(vec3 a)
{
    return snag__f32w_max(snag__f32w_max(magnitude(a.x), magnitude(a.y)), magnitude(a.z));
}

// Into 0..1; NaN (from 0 / 0) becomes 0.
SNAG__INLINE f32w unit_interval(f32w x)
{
    return snag__f32w_min(snag__f32w_max(x, snag__f32w_all(0)), snag__f32w_all(1));
}

// ---- the proof ----

typedef struct reach {
    f32w squared;  // of the distance, raised
    f32w rounding;  // of eight coordinates
} reach;

SNAG__INLINE reach reach_of(const snag__f32_candidates *c)
{
    float d = c->distance * (1 + 0x1p-18f);
    return (reach){snag__f32w_all(d * d), snag__f32w_all(8 * c->rounding)};
}

// Lanes where `least`, the smallest of differences along w, proves that the distance is above d. `size`: see the top.
SNAG__INLINE snag__i32w proves_farther(f32w least, f32w size, vec3 w, reach d)
{
    const f32w tiny = snag__f32w_all(1e-30f), zero = snag__f32w_all(0);
    f32w sum = (magnitude(w.x) + magnitude(w.y)) + magnitude(w.z);
    f32w sure = least - (d.rounding + snag__f32w_all(0x1p-20f) * size) * sum;
    f32w square = sure * sure, ww = dot(w, w);
    return snag__f32w_lt(zero, sure) & snag__f32w_lt(tiny, square) & snag__f32w_lt(tiny, ww) &
           snag__f32w_lt(d.squared * ww, square);
}

// ---- triangle and vertex ----

// q: from corner 0 to the vertex; e, f: to corners 1 and 2. Returns the vertex minus the closest point, roughly.
SNAG__INLINE vec3 vertex_separation(vec3 q, vec3 e, vec3 f)
{
    const f32w zero = snag__f32w_all(0);
    f32w ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), qe = dot(q, e), qf = dot(q, f);
    f32w alpha = ff * qe - ef * qf, beta = ee * qf - ef * qe, det = ee * ff - ef * ef;
    // Inside: the foot on the plane. Else the closest of the three edges.
    vec3 along_e = without(q, unit_interval(qe / ee), e), along_f = without(q, unit_interval(qf / ff), f);
    vec3 g = subtract(f, e), r = subtract(q, e);
    vec3 along_g = without(r, unit_interval(dot(r, g) / dot(g, g)), g);
    f32w e2 = dot(along_e, along_e), f2 = dot(along_f, along_f), g2 = dot(along_g, along_g);
    snag__i32w f_closer = snag__f32w_lt(f2, e2);
    vec3 best = choose(f_closer, along_f, along_e);
    best = choose(snag__f32w_lt(g2, snag__f32w_select(f_closer, f2, e2)), along_g, best);
    f32w inverse = snag__f32w_all(1) / det;
    vec3 foot = without(without(q, alpha * inverse, e), beta * inverse, f);
    snag__i32w inside = snag__f32w_lt(zero, alpha) & snag__f32w_lt(zero, beta) & snag__f32w_lt(alpha + beta, det);
    return choose(inside, foot, best);
}

SNAG__INLINE size_t sift_triangle_vertices(const snag__f32_candidates *c, uint32_t column_corners, uint32_t (*kept)[2])
{
    const reach d = reach_of(c);
    const snag__i32w same = snag__i32w_all(c->same_body ? -1 : 0);
    const snag__f32_side triangles = {c->row_vertices, 1, c->rows, 3, 0},
                         points = {c->column_vertices, 1, c->columns, column_corners, 1};
    size_t count = 0;
    for (size_t i = 0; i < c->count; i += LANES) {
        size_t lanes = c->count - i < LANES ? c->count - i : LANES;
        uint32_t room[SNAG__LANES_F32][2];
        const uint32_t(*pairs)[2] = snag__f32_block(c->pairs + i, lanes, room);
        vec3 x[4];
        snag__i32w number[4];
        for (uint32_t k = 0; k < 3; k++)
            number[k] = snag__f32_gather(&triangles, pairs, k, &x[k]);
        number[3] = snag__f32_gather(&points, pairs, 0, &x[3]);
        snag__i32w shared =
            snag__i32w_eq(number[3], number[0]) | snag__i32w_eq(number[3], number[1]) | snag__i32w_eq(number[3], number[2]);
        vec3 q = subtract(x[3], x[0]), e = subtract(x[1], x[0]), f = subtract(x[2], x[0]);
        vec3 w = vertex_separation(q, e, f);
        f32w qw = dot(q, w), least = snag__f32w_min(qw, snag__f32w_min(qw - dot(e, w), qw - dot(f, w)));
        f32w size = largest(q) + snag__f32w_max(largest(e), largest(f));
        uint32_t gone = snag__i32w_bits(proves_farther(least, size, w, d) | (shared & same));
        count += snag__f32_keep(c->pairs + i, lanes, ~gone, kept + count);
    }
    return count;
}

static size_t triangle_vertices(const snag__f32_candidates *c, uint32_t (*kept)[2])
{
    return c->columns != NULL ? sift_triangle_vertices(c, 1, kept) : sift_triangle_vertices(c, 0, kept);
}

// ---- edge and edge ----

// e, g: along the edges; w: from b's first end to a's. Returns the closest point of a minus that of b, roughly.
SNAG__INLINE vec3 edge_separation(vec3 e, vec3 g, vec3 w)
{
    f32w ee = dot(e, e), gg = dot(g, g), eg = dot(e, g), ew = dot(e, w), gw = dot(g, w);
    // On the lines, clamped to a; then the closest on b, clamped to b; then the closest on a to that.
    f32w s = unit_interval((eg * gw - gg * ew) / (ee * gg - eg * eg));
    f32w t = unit_interval((eg * s + gw) / gg);
    s = unit_interval((eg * t - ew) / ee);
    return without(without(w, -s, e), t, g);
}

SNAG__INLINE size_t sift_edge_edges(const snag__f32_candidates *c, bool by_number, uint32_t (*kept)[2])
{
    const reach d = reach_of(c);
    const snag__i32w same = snag__i32w_all(c->same_body ? -1 : 0);
    const snag__f32_side rows = {c->row_vertices, 1, c->rows, 2, 0}, columns = {c->column_vertices, 1, c->columns, 2, 1};
    const f32w zero = snag__f32w_all(0);
    size_t count = 0;
    for (size_t i = 0; i < c->count; i += LANES) {
        size_t lanes = c->count - i < LANES ? c->count - i : LANES;
        uint32_t room[SNAG__LANES_F32][2];
        const uint32_t(*pairs)[2] = snag__f32_block(c->pairs + i, lanes, room);
        vec3 x[4];
        snag__i32w number[4];
        for (uint32_t k = 0; k < 2 && by_number; k++) {
            number[k] = snag__f32_gather(&rows, pairs, k, &x[k]);
            number[2 + k] = snag__f32_gather(&columns, pairs, k, &x[2 + k]);
        }
        if (!by_number) {
            snag__f32_gather_twos(&(snag__f32_side){c->row_vertices, 2, NULL, 0, 0}, pairs, 0, x, number);
            snag__f32_gather_twos(&(snag__f32_side){c->column_vertices, 2, NULL, 0, 1}, pairs, 0, x + 2, number + 2);
        }
        snag__i32w shared = snag__i32w_eq(number[0], number[2]) | snag__i32w_eq(number[0], number[3]) |
                            snag__i32w_eq(number[1], number[2]) | snag__i32w_eq(number[1], number[3]);
        vec3 e = subtract(x[1], x[0]), g = subtract(x[3], x[2]), w = subtract(x[0], x[2]);
        vec3 apart = edge_separation(e, g, w);
        // Corners of a are w and w + e as seen from b's first end, corners of b are 0 and g.
        f32w least = dot(w, apart) + snag__f32w_min(dot(e, apart), zero) - snag__f32w_max(dot(g, apart), zero);
        f32w size = largest(w) + (largest(e) + largest(g));
        uint32_t gone = snag__i32w_bits(proves_farther(least, size, apart, d) | (shared & same));
        count += snag__f32_keep(c->pairs + i, lanes, ~gone, kept + count);
    }
    return count;
}

static size_t edge_edges(const snag__f32_candidates *c, uint32_t (*kept)[2])
{
    return c->rows != NULL ? sift_edge_edges(c, true, kept) : sift_edge_edges(c, false, kept);
}

static float fill(const double (*x)[3], size_t first, size_t last, const double origin[3], double scale, snag__f32_vertex *to)
{
    float most[3] = {0, 0, 0};
    for (size_t i = first; i < last; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float coordinate = (float)((x[i][axis] - origin[axis]) * scale), size = fabsf(coordinate);
            to[i].x[axis] = coordinate;
            most[axis] = size > most[axis] ? size : most[axis];
        }
        to[i].number = (uint32_t)i;
    }
    return fmaxf(most[0], fmaxf(most[1], most[2]));
}

const snag__f32_distance_kernels SNAG__KERNEL(snag__f32_distance_kernels) = {
    .triangle_vertices = triangle_vertices,
    .edge_edges = edge_edges,
    .fill = fill,
};
