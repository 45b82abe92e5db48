// Wide kernel of zero_area.h.
//
// A component of the cross product of two sides is off by at most 8 u times the product of their largest coordinates. What
// exceeds that by 2^20 has an area, and its square a relative error below 2^-15. Where a square could underflow or overflow,
// nothing is told.
#include "geom/zero_area.h"
#include "geom/simd_vec3.h"

static size_t maybe_zero_area(const double (*x)[3], const uint32_t (*triangles)[3], size_t first, size_t count, uint32_t *maybe,
                              double *width)
{
    size_t found = 0;
    snag__f64w least = snag__f64w_all(*width);
    for (size_t i = first; i < first + count; i += SNAG__LANES_F64) {
        const size_t lanes = first + count - i < SNAG__LANES_F64 ? first + count - i : SNAG__LANES_F64;
        const uint32_t *corners[SNAG__LANES_F64];
        for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
            corners[lane] = triangles[i + (lane < lanes ? lane : 0)];
        snag__simd_vec3 a = snag__simd_vec3_corner(x, corners, 0), b = snag__simd_vec3_corner(x, corners, 1);
        snag__simd_vec3 c = snag__simd_vec3_corner(x, corners, 2);
        snag__simd_vec3 u = snag__simd_vec3_minus(b, a), v = snag__simd_vec3_minus(c, a), w = snag__simd_vec3_minus(c, b);
        snag__simd_vec3 n = snag__simd_vec3_cross(u, v);
        snag__f64w doubt = snag__f64w_all(0x1p-30) * (snag__simd_vec3_reach(u) * snag__simd_vec3_reach(v)) + snag__f64w_all(1e-150);
        snag__f64w size = snag__simd_vec3_reach(n);
        snag__i64w sure = snag__f64w_lt(doubt, size) & snag__f64w_lt(size, snag__f64w_all(1e150));
        snag__f64w longest =
            snag__f64w_max(snag__f64w_max(snag__simd_vec3_dot(u, u), snag__simd_vec3_dot(v, v)), snag__simd_vec3_dot(w, w));
        snag__f64w squared = snag__simd_vec3_dot(n, n) / longest;
        // NaN and what is in doubt do not count: those triangles are listed.
        least = snag__f64w_select(sure & snag__f64w_lt(squared, least), squared, least);
        for (uint32_t left = ~snag__i64w_bits(sure) & ((1u << lanes) - 1u); left; left &= left - 1)
            maybe[found++] = (uint32_t)(i + (size_t)__builtin_ctz(left));
    }
    double lowest[SNAG__LANES_F64];
    snag__f64w_store(lowest, least);
    for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
        *width = lowest[lane] < *width ? lowest[lane] : *width;
    return found;
}

extern const snag__zero_area_kernels SNAG__KERNEL(snag__zero_area_kernels);
const snag__zero_area_kernels SNAG__KERNEL(snag__zero_area_kernels) = {
    .maybe_zero_area = maybe_zero_area,
};
