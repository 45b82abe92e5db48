// Kernels of regions, compiled for each instruction set; the same bits in all of them.
#ifndef SNAG_BOUND_REGIONS_KERNEL_H
#define SNAG_BOUND_REGIONS_KERNEL_H

#include "base/isa.h"
#include "bound/regions.h"

// One region by itself.
typedef struct snag__region_bound {
    float middle[3], radius, lo[3], hi[3];
} snag__region_bound;

// Vertices of a leaf in double: the ends of their box, and the square of the greatest distance from `middle`.
typedef struct snag__region_extent {
    double lo[3], hi[3], squared;
} snag__region_extent;

// Heights are measured from the origin along a direction, whose length is at most 1 but for rounding; a direction of zero
// length tells nothing.
typedef struct snag__region_slope {
    double origin[3], direction[3];
} snag__region_slope;

typedef struct snag__region_kernels {
    void (*extent)(const double (*x)[3], const uint32_t *vertices, size_t count, const float middle[3], snag__region_extent *out);
    // Lower bounds of the heights of elements first .. first + count - 1, of `corners` vertices each: of their lowest points.
    void (*heights)(const double (*x)[3], const uint32_t *vertices, uint32_t corners, size_t first, size_t count,
                    const snag__region_slope *slope, float *heights);
    // Which of the regions first .. first + count - 1 (at most SNAG__REGION_PARTS) may come within `reach` of the other, bit
    // i for region first + i. `squared` gets the squares of the distances of the middle vertices, roughly; it has room for
    // 16.
    uint32_t (*near)(const snag__region_bounds *bounds, uint32_t first, uint32_t count, const snag__region_bound *other,
                     float reach, float *squared);
} snag__region_kernels;

const snag__region_kernels *snag__region_kernels_for(snag_isa isa);

static inline snag__region_bound snag__region_bound_of(const snag__region_bounds *bounds, uint32_t region)
{
    snag__region_bound one = {.radius = bounds->radius[region]};
    for (int axis = 0; axis < 3; axis++) {
        one.middle[axis] = bounds->middle[axis][region];
        one.lo[axis] = bounds->lo[axis][region];
        one.hi[axis] = bounds->hi[axis][region];
    }
    return one;
}

#endif
