// Planes of many triangles at once, for kernels.
#ifndef SNAG_GEOM_PLANE_MATH_H
#define SNAG_GEOM_PLANE_MATH_H

#include "base/simd.h"

// A cross product smaller than this part of the product of its factors may have lost its direction, and one this small
// its digits.
#define SNAG__NEEDLE 1e-6
#define SNAG__CROSS_SMALLEST 1e-200

static inline snag__f64w snag__largest(const snag__f64w v[3])
{
    return snag__f64w_max(snag__f64w_abs(v[0]), snag__f64w_max(snag__f64w_abs(v[1]), snag__f64w_abs(v[2])));
}

// The planes n.x = d of SNAG__LANES_F64 triangles, given by the edges u and v from their first corner and by that: normal (largest
// component 1) and offset; zero for needles, which are not among the lanes returned.
static inline snag__i64w snag__find_planes(const snag__f64w u[3], const snag__f64w v[3], const snag__f64w corner[3],
                                           snag__f64w n[3], snag__f64w *d)
{
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    snag__f64w size = snag__largest(n), zero = snag__f64w_all(0.0);
    snag__i64w sure = snag__f64w_lt(snag__largest(u) * snag__largest(v) * snag__f64w_all(SNAG__NEEDLE), size) &
                      snag__f64w_lt(snag__f64w_all(SNAG__CROSS_SMALLEST), size);
    for (int axis = 0; axis < 3; axis++)
        n[axis] = snag__f64w_select(sure, n[axis] / size, zero);
    *d = (n[0] * corner[0] + n[1] * corner[1]) + n[2] * corner[2];
    return sure;
}

#endif
