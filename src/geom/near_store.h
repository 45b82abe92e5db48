// Writes records of near.h from the arithmetic that finds planes, for kernels.
#ifndef SNAG_GEOM_NEAR_STORE_H
#define SNAG_GEOM_NEAR_STORE_H

#include <stddef.h>

#include "geom/near.h"
#include "geom/plane_math.h"
#include "geom/wide.h"

// Four numbers for each of some records, at a place in them.
#if SNAG__WD == 4
SNAG__INLINE void snag__near_scatter(snag__near_triangle *near, size_t lanes, size_t offset, const snag__f64w row[3], snag__f64w fourth)
{
    __m128 r0 = _mm256_cvtpd_ps((__m256d)row[0]), r1 = _mm256_cvtpd_ps((__m256d)row[1]);
    __m128 r2 = _mm256_cvtpd_ps((__m256d)row[2]), r3 = _mm256_cvtpd_ps((__m256d)fourth);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    const __m128 column[4] = {r0, r1, r2, r3};
    for (size_t lane = 0; lane < lanes; lane++)
        _mm_store_ps((float *)((char *)(near + lane) + offset), column[lane]);
}
#else
SNAG__INLINE void snag__near_scatter(snag__near_triangle *near, size_t lanes, size_t offset, const snag__f64w row[3], snag__f64w fourth)
{
    double rows[4][SNAG__WD];
    for (int k = 0; k < 3; k++)
        snag__f64w_store(rows[k], row[k]);
    snag__f64w_store(rows[3], fourth);
    for (size_t lane = 0; lane < lanes; lane++) {
        float *to = (float *)((char *)(near + lane) + offset);
        for (int k = 0; k < 4; k++)
            to[k] = (float)rows[k][lane];
    }
}
#endif

// The first `lanes` of WD triangles: their vertices, first corners relative to the centre, edges, normals, and lanes whose
// normal is certain.
SNAG__INLINE void snag__near_store(snag__near_triangle *near, size_t lanes, const uint32_t *const vertices[SNAG__WD],
                                   const snag__f64w origin[3], const snag__f64w u[3], const snag__f64w v[3],
                                   const snag__f64w n[3], snag__i64w sure)
{
    snag__f64w reach = snag__f64w_max(snag__largest(u), snag__largest(v)), zero = snag__f64w_all(0);
    reach = snag__f64w_select(sure, reach, snag__f64w_all(INFINITY));
    snag__near_scatter(near, lanes, offsetof(snag__near_triangle, origin), origin, reach);
    snag__near_scatter(near, lanes, offsetof(snag__near_triangle, edge1), u, zero);
    snag__near_scatter(near, lanes, offsetof(snag__near_triangle, edge2), v, zero);
    snag__near_scatter(near, lanes, offsetof(snag__near_triangle, normal), n, zero);
    for (size_t lane = 0; lane < lanes; lane++) {
        near[lane].vertex0 = vertices[lane][0];
        near[lane].vertex1 = vertices[lane][1];
        near[lane].vertex2 = vertices[lane][2];
    }
}

#endif
