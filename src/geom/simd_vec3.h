// Points in all lanes, for kernel files that decide by signs of determinants.
//
// Forward error bounds. Coordinates are taken relative to one point; let m be the largest of them and u = 2^-53. A
// coordinate then has an error below u m, a difference of two is at most 2 m with an error below 4 u m, a product of
// two such differences has one below 20 u m^2, and so on:
//     determinants of three points                                                      46 u m^3
//     heights over the plane of three points (of which none is the origin)             512 u m^3
//     determinants of three points relative to another one, which are at most 2 m      368 u m^3
// What underflows is below 1e-290 as long as m < 1, and below the bound beyond. None of them exceeds 48 m^3, so where
// anything overflows (4 m)^3 does: then the error is infinite, and nothing is certain.
#ifndef SNAG_GEOM_SIMD_VEC3_H
#define SNAG_GEOM_SIMD_VEC3_H

#include "base/simd.h"

#define SNAG__INLINE static inline __attribute__((always_inline))

typedef struct snag__simd_vec3 {
    snag__f64w x, y, z;
} snag__simd_vec3;

// The points at WD places.
SNAG__INLINE snag__simd_vec3 snag__simd_vec3_gather(const double *const v[SNAG__LANES_F64])
{
#if SNAG__LANES_F64 == 1
#define SNAG__LANES(k) v[0][k]
#elif SNAG__LANES_F64 == 2
#define SNAG__LANES(k) ((snag__f64w){v[0][k], v[1][k]})
#elif SNAG__LANES_F64 == 4
#define SNAG__LANES(k) ((snag__f64w){v[0][k], v[1][k], v[2][k], v[3][k]})
#else
#define SNAG__LANES(k) ((snag__f64w){v[0][k], v[1][k], v[2][k], v[3][k], v[4][k], v[5][k], v[6][k], v[7][k]})
#endif
#if SNAG__LANES_F64 == 4
    // x and y by one load for each lane: two thirds of the instructions of the plain way.
    __m256d xy02 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(v[0])), _mm_loadu_pd(v[2]), 1);
    __m256d xy13 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(v[1])), _mm_loadu_pd(v[3]), 1);
    return (snag__simd_vec3){(snag__f64w)_mm256_unpacklo_pd(xy02, xy13), (snag__f64w)_mm256_unpackhi_pd(xy02, xy13),
                             SNAG__LANES(2)};
#else
    return (snag__simd_vec3){SNAG__LANES(0), SNAG__LANES(1), SNAG__LANES(2)};
#endif
}

// Corner `corner` of each lane's triangle.
SNAG__INLINE snag__simd_vec3 snag__simd_vec3_corner(const double (*x)[3], const uint32_t *const triangle[SNAG__LANES_F64],
                                                    int corner)
{
    const double *v[SNAG__LANES_F64];
    for (int lane = 0; lane < SNAG__LANES_F64; lane++)
        v[lane] = x[triangle[lane][corner]];
    return snag__simd_vec3_gather(v);
}

SNAG__INLINE snag__simd_vec3 snag__simd_vec3_minus(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return (snag__simd_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SNAG__INLINE snag__simd_vec3 snag__simd_vec3_cross(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return (snag__simd_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SNAG__INLINE snag__f64w snag__simd_vec3_dot(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The largest coordinate in magnitude.
SNAG__INLINE snag__f64w snag__simd_vec3_reach(snag__simd_vec3 p)
{
    return snag__f64w_max(snag__f64w_max(snag__f64w_abs(p.x), snag__f64w_abs(p.y)), snag__f64w_abs(p.z));
}

SNAG__INLINE snag__i64w snag__f64w_bit_pattern(snag__f64w a)
{
    snag__i64w bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

SNAG__INLINE snag__i64w snag__i64w_negative(snag__i64w a)
{
    return SNAG__MASK64(a < 0);
}

// The highest bit of each lane.
SNAG__INLINE uint32_t snag__i64w_signs(snag__i64w a)
{
#if SNAG__LANES_F64 == 4
    return (uint32_t)_mm256_movemask_pd((__m256d)a);
#else
    return snag__i64w_bits(snag__i64w_negative(a));
#endif
}

// One bit for each lane; -0 counts as negative.
SNAG__INLINE uint32_t snag__f64w_signs(snag__f64w a)
{
    return snag__i64w_signs(snag__f64w_bit_pattern(a));
}

// The error of all of the above.
SNAG__INLINE snag__f64w snag__simd_vec3_error(snag__f64w m)
{
    m *= 4;
    return snag__f64w_all(540 * 0x1p-53 / 64) * (m * m * m) + snag__f64w_all(1e-290);
}

#endif
