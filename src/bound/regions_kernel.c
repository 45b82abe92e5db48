// Wide code of regions: what a leaf spans, and which regions may be near another.
//
// Nothing that is near is left out. A float operation is off by 2^-24 of its result; a square of a distance and that of a sum
// of radii by less than 2^-20, and squares that underflow by less than FLT_MIN. Where anything overflows, or a bound is
// infinite, no comparison below says "farther".
#include "bound/regions_kernel.h"

#include "base/simd.h"
#include "geom/simd_vec3.h"

#include <float.h>

#define MARGIN (1 + 0x1p-16f)

static void extent(const double (*x)[3], const uint32_t *vertices, size_t count, const float middle[3], snag__region_extent *out)
{
    const snag__simd_vec3 from = {snag__f64w_all((double)middle[0]), snag__f64w_all((double)middle[1]),
                                  snag__f64w_all((double)middle[2])};
    snag__f64w lo[3], hi[3], squared = snag__f64w_all(0.0);
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = snag__f64w_all(INFINITY);
        hi[axis] = snag__f64w_all(-INFINITY);
    }
    for (size_t i = 0; i < count; i += SNAG__LANES_F64) {
        const double *points[SNAG__LANES_F64];
        for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
            points[lane] = x[vertices[i + lane < count ? i + lane : i]];
        snag__simd_vec3 p = snag__simd_vec3_gather(points), apart = snag__simd_vec3_minus(p, from);
        squared = snag__f64w_max(squared, snag__simd_vec3_dot(apart, apart));
        lo[0] = snag__f64w_min(lo[0], p.x);
        lo[1] = snag__f64w_min(lo[1], p.y);
        lo[2] = snag__f64w_min(lo[2], p.z);
        hi[0] = snag__f64w_max(hi[0], p.x);
        hi[1] = snag__f64w_max(hi[1], p.y);
        hi[2] = snag__f64w_max(hi[2], p.z);
    }
    double lanes[SNAG__LANES_F64];
    snag__f64w_store(lanes, squared);
    out->squared = 0;
    for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
        out->squared = lanes[lane] > out->squared ? lanes[lane] : out->squared;
    for (int axis = 0; axis < 3; axis++) {
        double highest[SNAG__LANES_F64];
        snag__f64w_store(lanes, lo[axis]);
        snag__f64w_store(highest, hi[axis]);
        out->lo[axis] = lanes[0];
        out->hi[axis] = highest[0];
        for (size_t lane = 1; lane < SNAG__LANES_F64; lane++) {
            out->lo[axis] = lanes[lane] < out->lo[axis] ? lanes[lane] : out->lo[axis];
            out->hi[axis] = highest[lane] > out->hi[axis] ? highest[lane] : out->hi[axis];
        }
    }
}

// A coordinate is subtracted, multiplied and added with errors below 2^-50 of what the coordinates of the difference sum up
// to, and a height is no more than that sum. The margin also pays for rounding to float.
static void heights(const double (*x)[3], const uint32_t *vertices, uint32_t corners, size_t first, size_t count,
                    const snag__region_slope *slope, float *out)
{
    const double *o = slope->origin, *n = slope->direction;
    const snag__simd_vec3 origin = {snag__f64w_all(o[0]), snag__f64w_all(o[1]), snag__f64w_all(o[2])};
    const snag__simd_vec3 along = {snag__f64w_all(n[0]), snag__f64w_all(n[1]), snag__f64w_all(n[2])};
    const snag__f64w part = snag__f64w_all(0x1p-22), least = snag__f64w_all((double)FLT_MIN);
    for (size_t i = first; i < first + count; i += SNAG__LANES_F64) {
        snag__f64w lowest = snag__f64w_all(INFINITY);
        for (uint32_t corner = 0; corner < corners; corner++) {
            const double *points[SNAG__LANES_F64];
            for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
                points[lane] = x[vertices[corners * (i + lane < first + count ? i + lane : i) + corner]];
            snag__simd_vec3 to = snag__simd_vec3_minus(snag__simd_vec3_gather(points), origin);
            snag__f64w size = snag__f64w_abs(to.x) + snag__f64w_abs(to.y) + snag__f64w_abs(to.z);
            lowest = snag__f64w_min(lowest, snag__simd_vec3_dot(to, along) - (part * size + least));
        }
        double lanes[SNAG__LANES_F64];
        snag__f64w_store(lanes, lowest);
        for (size_t lane = 0; lane < SNAG__LANES_F64 && i + lane < first + count; lane++)
            out[i + lane] = (float)lanes[lane];
    }
}

static uint32_t near(const snag__region_bounds *bounds, uint32_t first, uint32_t count, const snag__region_bound *other,
                     float reach, float *squared)
{
    const snag__f32w zero = snag__f32w_all(0.0f), least = snag__f32w_all(FLT_MIN);
    const snag__f32w beside = snag__f32w_all(reach * reach * MARGIN + FLT_MIN);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += SNAG__LANES_F32) {
        snag__f32w apart = zero, gap = zero;
        for (int axis = 0; axis < 3; axis++) {
            snag__f32w d = snag__f32w_load(bounds->middle[axis] + first + i) - snag__f32w_all(other->middle[axis]);
            snag__f32w below = snag__f32w_all(other->lo[axis]) - snag__f32w_load(bounds->hi[axis] + first + i);
            snag__f32w above = snag__f32w_load(bounds->lo[axis] + first + i) - snag__f32w_all(other->hi[axis]);
            snag__f32w between = snag__f32w_max(zero, snag__f32w_max(below, above));
            apart += d * d;
            gap += between * between;
        }
        snag__f32w sum = snag__f32w_all(reach + other->radius) + snag__f32w_load(bounds->radius + first + i);
        snag__i32w far = snag__f32w_lt(sum * sum * MARGIN + least, apart) | snag__f32w_lt(beside, gap);
        snag__f32w_store(squared + i, apart);
        bits |= (~snag__i32w_bits(far) & SNAG__ALL_F32) << i;
    }
    return bits & ((1u << count) - 1u);
}

extern const snag__region_kernels SNAG__KERNEL(snag__region_kernels);
const snag__region_kernels SNAG__KERNEL(snag__region_kernels) = {
    .extent = extent,
    .heights = heights,
    .near = near,
};
