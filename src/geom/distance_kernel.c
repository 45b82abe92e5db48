// Wide sieves: candidates that are certainly farther apart than d drop out, the rest is left to distance.c.
//
// The proof of being farther is a direction: if every corner of one side lies more than d |w| beyond every corner of
// the other along w, the sides are more than d apart, whatever w is. The best w joins the closest points, so those are
// found first, in plain double and without care for what is nearly parallel or thin: a bad w proves less, never too
// much. Only the last dot products need an error bound.
#include "base/simd.h"
#include "geom/distance.h"

#define WD ((size_t)SNAG__WD)

typedef snag__f64w wide;

typedef struct wide3 {
    wide x, y, z;
} wide3;

static inline wide3 subtract(wide3 a, wide3 b)
{
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline wide dot(wide3 a, wide3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// a - s b
static inline wide3 without(wide3 a, wide s, wide3 b)
{
    return (wide3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

static inline wide3 choose(snag__i64w mask, wide3 a, wide3 b)
{
    return (wide3){snag__f64w_select(mask, a.x, b.x), snag__f64w_select(mask, a.y, b.y),
                   snag__f64w_select(mask, a.z, b.z)};
}

static inline wide largest(wide3 a)
{
    return snag__f64w_max(snag__f64w_max(snag__f64w_abs(a.x), snag__f64w_abs(a.y)), snag__f64w_abs(a.z));
}

// Into 0..1; NaN (from 0 / 0) becomes 0.
static inline wide unit_interval(wide x)
{
    return snag__f64w_min(snag__f64w_max(x, snag__f64w_all(0.0)), snag__f64w_all(1.0));
}

// The points of one lane each, transposed.
static inline wide3 gather(const double *const *points)
{
    double x[SNAG__WD], y[SNAG__WD], z[SNAG__WD];
    for (size_t lane = 0; lane < WD; lane++) {
        x[lane] = points[lane][0];
        y[lane] = points[lane][1];
        z[lane] = points[lane][2];
    }
    return (wide3){snag__f64w_load(x), snag__f64w_load(y), snag__f64w_load(z)};
}

// ---- the proof ----

typedef struct reach {
    wide squared;  // d^2, not below
} reach;

// A reach below 1e-140 is taken for that, so that its square keeps its digits; above 1e154 the square is infinite and
// nothing is farther.
static inline reach reach_of(double d)
{
    double safe = d > 1e-140 ? d : 1e-140;
    return (reach){snag__f64w_all(safe * safe * (1 + 0x1p-48))};
}

// Lanes where `least` (the smallest of differences along w, each off by at most error) proves that the distance is
// above d.
static inline snag__i64w proves_farther(wide least, wide error, wide3 w, reach d)
{
    const wide tiny = snag__f64w_all(1e-290);
    wide sure = least - error, ww = dot(w, w), square = sure * sure;
    return snag__f64w_lt(snag__f64w_all(0.0), sure) & snag__f64w_lt(tiny, square) & snag__f64w_lt(tiny, ww) &
           snag__f64w_lt(d.squared * ww, square);
}

// Each difference of coordinates is rounded once and its dot product with w three times: below 5 u of the sum of
// magnitudes; 16 u leaves room for the sums of two such and for the rounding of this bound.
static inline wide proof_error(wide size, wide3 w)
{
    return snag__f64w_all(0x1p-49) * size * ((snag__f64w_abs(w.x) + snag__f64w_abs(w.y)) + snag__f64w_abs(w.z));
}

// ---- vertex and triangle ----

// q: from corner 0 to the vertex; e, f: to corners 1 and 2. Returns the vertex minus the closest point, roughly.
static inline wide3 vertex_triangle_separation(wide3 q, wide3 e, wide3 f)
{
    const wide zero = snag__f64w_all(0.0);
    wide ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), qe = dot(q, e), qf = dot(q, f);
    wide alpha = ff * qe - ef * qf, beta = ee * qf - ef * qe, det = ee * ff - ef * ef;
    // Inside: the foot on the plane. Else the closest of the three edges.
    wide3 along_e = without(q, unit_interval(qe / ee), e);
    wide3 along_f = without(q, unit_interval(qf / ff), f);
    wide3 g = subtract(f, e), r = subtract(q, e);
    wide3 along_g = without(r, unit_interval(dot(r, g) / dot(g, g)), g);
    wide e2 = dot(along_e, along_e), f2 = dot(along_f, along_f), g2 = dot(along_g, along_g);
    snag__i64w f_closer = snag__f64w_lt(f2, e2);
    wide3 best = choose(f_closer, along_f, along_e);
    best = choose(snag__f64w_lt(g2, snag__f64w_select(f_closer, f2, e2)), along_g, best);
    wide inverse = snag__f64w_all(1.0) / det;
    wide3 foot = without(without(q, alpha * inverse, e), beta * inverse, f);
    snag__i64w inside = snag__f64w_lt(zero, alpha) & snag__f64w_lt(zero, beta) & snag__f64w_lt(alpha + beta, det);
    return choose(inside, foot, best);
}

static size_t vertex_triangles_near(const snag__vertex_triangles *pairs, double d, uint32_t *near)
{
    const reach reach_d = reach_of(d);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i += WD) {
        size_t lanes = pairs->count - i < WD ? pairs->count - i : WD;
        const double *points[4][SNAG__WD];
        for (size_t lane = 0; lane < WD; lane++) {
            size_t pair = i + (lane < lanes ? lane : 0);
            const uint32_t *corner = pairs->triangles[pairs->pairs[pair][0]];
            points[0][lane] = pairs->xa[pairs->pairs[pair][1]];
            for (int c = 0; c < 3; c++)
                points[c + 1][lane] = pairs->xb[corner[c]];
        }
        wide3 origin = gather(points[1]);
        wide3 q = subtract(gather(points[0]), origin), e = subtract(gather(points[2]), origin),
              f = subtract(gather(points[3]), origin);
        wide3 w = vertex_triangle_separation(q, e, f);
        wide qw = dot(q, w);
        wide least = snag__f64w_min(qw, snag__f64w_min(qw - dot(e, w), qw - dot(f, w)));
        wide error = proof_error(largest(q) + snag__f64w_max(largest(e), largest(f)), w);
        uint32_t left = ~snag__i64w_bits(proves_farther(least, error, w, reach_d)) & ((1u << lanes) - 1u);
        for (; left; left &= left - 1)
            near[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(left);
    }
    return count;
}

// ---- edge and edge ----

// e, g: along the edges; w: from b's first end to a's. Returns the closest point of a minus that of b, roughly.
static inline wide3 edge_edge_separation(wide3 e, wide3 g, wide3 w)
{
    wide ee = dot(e, e), gg = dot(g, g), eg = dot(e, g), ew = dot(e, w), gw = dot(g, w);
    // On the lines, cut to a; then the closest on b, cut to b; then the closest on a to that.
    wide s = unit_interval((eg * gw - gg * ew) / (ee * gg - eg * eg));
    wide t = unit_interval((eg * s + gw) / gg);
    s = unit_interval((eg * t - ew) / ee);
    return without(without(w, -s, e), t, g);
}

static size_t edge_edges_near(const snag__edge_edges *pairs, double d, uint32_t *near)
{
    const reach reach_d = reach_of(d);
    const wide zero = snag__f64w_all(0.0);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i += WD) {
        size_t lanes = pairs->count - i < WD ? pairs->count - i : WD;
        const double *points[4][SNAG__WD];
        for (size_t lane = 0; lane < WD; lane++) {
            size_t pair = i + (lane < lanes ? lane : 0);
            const uint32_t *a = pairs->edges_a[pairs->pairs[pair][0]], *b = pairs->edges_b[pairs->pairs[pair][1]];
            points[0][lane] = pairs->xa[a[0]];
            points[1][lane] = pairs->xa[a[1]];
            points[2][lane] = pairs->xb[b[0]];
            points[3][lane] = pairs->xb[b[1]];
        }
        wide3 a0 = gather(points[0]), b0 = gather(points[2]);
        wide3 e = subtract(gather(points[1]), a0), g = subtract(gather(points[3]), b0), w = subtract(a0, b0);
        wide3 apart = edge_edge_separation(e, g, w);
        // Corners of a are w and w + e as seen from b's first end, corners of b are 0 and g.
        wide least = dot(w, apart) + snag__f64w_min(dot(e, apart), zero) - snag__f64w_max(dot(g, apart), zero);
        wide error = proof_error(largest(w) + (largest(e) + largest(g)), apart);
        uint32_t left = ~snag__i64w_bits(proves_farther(least, error, apart, reach_d)) & ((1u << lanes) - 1u);
        for (; left; left &= left - 1)
            near[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(left);
    }
    return count;
}

extern const snag__distance_kernels SNAG__KERNEL(snag__distance_kernels);
const snag__distance_kernels SNAG__KERNEL(snag__distance_kernels) = {
    .vertex_triangles_near = vertex_triangles_near,
    .edge_edges_near = edge_edges_near,
};
