// Triangles in single precision, one cache line each, and a filter that decides most pairs: apart or crossing. Its verdicts hold for
// the double coordinates; pairs in doubt are left to double precision. It has twice the lanes, a quarter of the loads, no branch.
#ifndef SNAG_GEOM_F32_FILTER_H
#define SNAG_GEOM_F32_FILTER_H

#include "base/isa.h"

// The first corner relative to a centre, the others relative to the first, and the normal with max |n_i| = 1. `reach` is the largest
// coordinate of the edges; infinite for needles, whose normal is uncertain: they are always in doubt.
typedef struct snag__f32_triangle {
    float origin[3], reach;
    float edge1[3];
    uint32_t vertex0;
    float edge2[3];
    uint32_t vertex1;
    float normal[3];
    uint32_t vertex2;
} snag__f32_triangle;

#ifndef __cplusplus
_Static_assert(sizeof(snag__f32_triangle) == 64, "one cache line");
#endif

// Verdict on one pair, a byte: a snag__meeting in the low bits and, if they meet, the number of shared vertices above.
enum { SNAG__MEETING_MASK = 15, SNAG__SHARED_SHIFT = 4 };

// Triangles of one or two bodies, relative to the same centre, aligned to 64 bytes.
typedef struct snag__f32_pairs {
    const snag__f32_triangle *a, *b;
    float off;  // error bound of the origins' coordinates: see snag__f32_rounding
    bool same_body;  // equal vertex numbers are shared vertices
} snag__f32_pairs;

typedef struct snag__f32_filter_kernels {
    // f32[i] becomes the triangle with vertices corners[i].
    void (*fill)(const double (*x)[3], const uint32_t (*corners)[3], size_t count, const double centre[3], snag__f32_triangle *f32);
    // Writes SNAG__APART or SNAG__CROSSING, the latter with the number of shared vertices, for each pair; lists the pairs in doubt
    // (indexes below 65536) and returns how many.
    size_t (*filter)(const snag__f32_pairs *f32, const uint32_t (*pairs)[2], size_t count, uint8_t *meeting, uint16_t *doubt);
} snag__f32_filter_kernels;

SNAG__DECLARE_KERNELS(snag__f32_filter_kernels, snag__f32_filter_kernels);
const snag__f32_filter_kernels *snag__f32_filter_kernels_for(snag_isa isa);

// The error of a float coordinate relative to a centre, where none is larger than `reach`.
static inline float snag__f32_rounding(double reach)
{
    // Half a unit in the last place, the rounding of the difference, and underflow.
    return (float)(reach * 0x1.01p-24 + 0x1p-140);
}

#endif
