// Writes records of f32_filter.h from the arithmetic that finds planes, for kernels.
#ifndef SNAG_GEOM_F32_FILTER_STORE_H
#define SNAG_GEOM_F32_FILTER_STORE_H

#include <stddef.h>

#include "geom/f32_filter.h"
#include "geom/plane_math.h"
#include "geom/simd_vec3.h"

// Four numbers for each of some records, at a place in them.
#if SNAG__LANES_F64 == 4
SNAG__INLINE void snag__f32_filter_scatter(snag__f32_triangle *f32, size_t lanes, size_t offset, const snag__f64w row[3],
                                           snag__f64w fourth)
{
    __m128 r0 = _mm256_cvtpd_ps((__m256d)row[0]), r1 = _mm256_cvtpd_ps((__m256d)row[1]);
    __m128 r2 = _mm256_cvtpd_ps((__m256d)row[2]), r3 = _mm256_cvtpd_ps((__m256d)fourth);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    const __m128 column[4] = {r0, r1, r2, r3};
    for (size_t lane = 0; lane < lanes; lane++)
        _mm_store_ps((float *)((char *)(f32 + lane) + offset), column[lane]);
}
#else
SNAG__INLINE void snag__f32_filter_scatter(snag__f32_triangle *f32, size_t lanes, size_t offset, const snag__f64w row[3],
                                           snag__f64w fourth)
{
    double rows[4][SNAG__LANES_F64];
    for (int k = 0; k < 3; k++)
        snag__f64w_store(rows[k], row[k]);
    snag__f64w_store(rows[3], fourth);
    for (size_t lane = 0; lane < lanes; lane++) {
        float *to = (float *)((char *)(f32 + lane) + offset);
        for (int k = 0; k < 4; k++)
            to[k] = (float)rows[k][lane];
    }
}
#endif

// The first `lanes` of WD triangles: their vertices, first corners relative to the centre, edges, normals, and lanes whose
// normal is certain.
SNAG__INLINE void snag__f32_filter_store(snag__f32_triangle *f32, size_t lanes, const uint32_t *const vertices[SNAG__LANES_F64],
                                         const snag__f64w origin[3], const snag__f64w u[3], const snag__f64w v[3],
                                         const snag__f64w n[3], snag__i64w sure)
{
    snag__f64w reach = snag__f64w_max(snag__largest(u), snag__largest(v)), zero = snag__f64w_all(0);
    reach = snag__f64w_select(sure, reach, snag__f64w_all(INFINITY));
    snag__f32_filter_scatter(f32, lanes, offsetof(snag__f32_triangle, origin), origin, reach);
    snag__f32_filter_scatter(f32, lanes, offsetof(snag__f32_triangle, edge1), u, zero);
    snag__f32_filter_scatter(f32, lanes, offsetof(snag__f32_triangle, edge2), v, zero);
    snag__f32_filter_scatter(f32, lanes, offsetof(snag__f32_triangle, normal), n, zero);
    for (size_t lane = 0; lane < lanes; lane++) {
        f32[lane].vertex0 = vertices[lane][0];
        f32[lane].vertex1 = vertices[lane][1];
        f32[lane].vertex2 = vertices[lane][2];
    }
}

#endif
