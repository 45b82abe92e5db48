// Vectors of points, one pair of features in each lane, for the wide kernels of distances. Each operation is the one of distance.c, so that
// a lane has the same bits as the scalar code.
#ifndef SNAG_GEOM_DISTANCE_LANES_H
#define SNAG_GEOM_DISTANCE_LANES_H

#include "base/simd.h"
#include "geom/distance.h"
#include "geom/distance_bounds.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)

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

static inline wide3 cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// a - s b
static inline wide3 without(wide3 a, wide s, wide3 b)
{
    return (wide3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

static inline wide3 choose(snag__i64w mask, wide3 a, wide3 b)
{
    return (wide3){snag__f64w_select(mask, a.x, b.x), snag__f64w_select(mask, a.y, b.y), snag__f64w_select(mask, a.z, b.z)};
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
#if SNAG__LANES_F64 == 8
#define ROW(k)                                                                                                                     \
    _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, points[k])), _mm256_maskz_loadu_pd(7, points[(k) + 4]), 1)
    __m512d r0 = ROW(0), r1 = ROW(1), r2 = ROW(2), r3 = ROW(3);
#undef ROW
    __m512d xz01 = _mm512_unpacklo_pd(r0, r1), y01 = _mm512_unpackhi_pd(r0, r1);
    __m512d xz23 = _mm512_unpacklo_pd(r2, r3), y23 = _mm512_unpackhi_pd(r2, r3);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    return (wide3){(wide)_mm512_permutex2var_pd(xz01, low, xz23), (wide)_mm512_permutex2var_pd(y01, low, y23),
                   (wide)_mm512_permutex2var_pd(xz01, high, xz23)};
#elif SNAG__LANES_F64 == 4
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    __m256d r0 = _mm256_maskload_pd(points[0], three), r1 = _mm256_maskload_pd(points[1], three);
    __m256d r2 = _mm256_maskload_pd(points[2], three), r3 = _mm256_maskload_pd(points[3], three);
    __m256d xz01 = _mm256_unpacklo_pd(r0, r1), y01 = _mm256_unpackhi_pd(r0, r1);
    __m256d xz23 = _mm256_unpacklo_pd(r2, r3), y23 = _mm256_unpackhi_pd(r2, r3);
    return (wide3){(wide)_mm256_permute2f128_pd(xz01, xz23, 0x20), (wide)_mm256_permute2f128_pd(y01, y23, 0x20),
                   (wide)_mm256_permute2f128_pd(xz01, xz23, 0x31)};
#else
    double x[SNAG__LANES_F64], y[SNAG__LANES_F64], z[SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        x[lane] = points[lane][0];
        y[lane] = points[lane][1];
        z[lane] = points[lane][2];
    }
    return (wide3){snag__f64w_load(x), snag__f64w_load(y), snag__f64w_load(z)};
#endif
}

static inline wide square_root(wide x)
{
#if SNAG__LANES_F64 == 8
    return (wide)_mm512_sqrt_pd((__m512d)x);
#elif SNAG__LANES_F64 == 4
    return (wide)_mm256_sqrt_pd((__m256d)x);
#elif SNAG__LANES_F64 == 1
    return sqrt(x);
#else
    double lanes[SNAG__LANES_F64];
    snag__f64w_store(lanes, x);
    for (size_t i = 0; i < LANES_F64; i++)
        lanes[i] = sqrt(lanes[i]);
    return snag__f64w_load(lanes);
#endif
}

// Puts two points into the order of their coordinates; returns where they changed places.
static inline snag__i64w order_points(wide3 *a, wide3 *b)
{
    snag__i64w swap =
        snag__f64w_lt(b->x, a->x) |
        (snag__f64w_eq(b->x, a->x) & (snag__f64w_lt(b->y, a->y) | (snag__f64w_eq(b->y, a->y) & snag__f64w_lt(b->z, a->z))));
    wide3 low = choose(swap, *b, *a);
    *b = choose(swap, *a, *b);
    *a = low;
    return swap;
}

static inline snag__i64w between(wide x, double least, double most)
{
    return snag__f64w_lt(snag__f64w_all(least), x) & snag__f64w_lt(x, snag__f64w_all(most));
}

// What a face and two edges have in common: see plane_span of distance.c. `good` where that is accurate.
typedef struct plane_lanes {
    wide3 n, wv, uw;
    wide nn, h;
    snag__i64w good;
} plane_lanes;

static inline plane_lanes plane_of(wide3 u, wide3 v, wide3 w)
{
    plane_lanes s = {.n = cross(u, v), .wv = cross(w, v), .uw = cross(u, w)};
    wide u_size = largest(u), v_size = largest(v), w_size = largest(w), uv = u_size * v_size;
    s.nn = dot(s.n, s.n);
    s.h = dot(s.n, w);
    wide n_size = largest(s.n), wv_size = largest(s.wv), uw_size = largest(s.uw);
    wide alpha_error = 24 * SNAG__U * (uv * wv_size + n_size * (w_size * v_size + wv_size));
    wide beta_error = 24 * SNAG__U * (uv * uw_size + n_size * (w_size * u_size + uw_size));
    s.good = snag__f64w_lt(snag__f64w_all(SNAG__DISTANCE_LEAST), snag__f64w_min(snag__f64w_min(u_size, v_size), w_size)) &
             snag__f64w_lt(snag__f64w_max(snag__f64w_max(u_size, v_size), w_size), snag__f64w_all(SNAG__DISTANCE_MOST)) &
             snag__f64w_lt(32 * SNAG__U * uv, n_size * SNAG__DISTANCE_TOLERANCE) &
             snag__f64w_lt(SNAG__HEIGHT_ERROR(uv * w_size), snag__f64w_abs(s.h) * SNAG__DISTANCE_TOLERANCE) &
             snag__f64w_lt(snag__f64w_max(alpha_error, beta_error), s.nn * SNAG__DISTANCE_TOLERANCE);
    return s;
}

// Where the distance of a point from the inside of an edge is accurate: q and e from the edge's first end, to the point and along it;
// m = e x q.
static inline snag__i64w edge_is_good(wide3 e, wide3 q, wide3 m)
{
    wide e_size = largest(e), q_size = largest(q);
    return between(e_size, SNAG__DISTANCE_LEAST, SNAG__DISTANCE_MOST) & between(q_size, SNAG__DISTANCE_LEAST, SNAG__DISTANCE_MOST) &
           snag__f64w_lt(32 * SNAG__U * e_size * q_size, largest(m) * SNAG__DISTANCE_TOLERANCE) &
           snag__f64w_lt(18 * SNAG__U * q_size, e_size * SNAG__DISTANCE_TOLERANCE);
}

#endif
