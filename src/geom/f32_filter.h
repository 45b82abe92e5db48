// Triangles in single precision, one cache line each, and a filter that decides most pairs of them: apart, or crossing.
// What it says holds for the coordinates as given; pairs in doubt are left to double precision. Eight lanes where that has
// four, one load where that has four, and no branch.
#ifndef SNAG_GEOM_F32_FILTER_H
#define SNAG_GEOM_F32_FILTER_H

#include "base/isa.h"

// The first corner relative to a centre, the others relative to it, and the normal with max |n_i| = 1. `reach` is the
// largest coordinate of the edges in magnitude; infinite for needles, whose normal is not certain: all about them is in doubt.
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

// What is told of a pair of triangles in a byte: which snag__meeting it is, and above that, where they meet, how many vertices
// they share.
enum { SNAG__MEETING_MASK = 15, SNAG__SHARED_SHIFT = 4 };

// Triangles of one body, or of two, relative to the same centre. Each begins at a multiple of 64 bytes.
typedef struct snag__f32_pairs {
    const snag__f32_triangle *a, *b;
    float off;  // no coordinate of an origin is off by more: see snag__f32_rounding
    bool same_body;  // equal vertex numbers are shared vertices
} snag__f32_pairs;

typedef struct snag__f32_filter_kernels {
    // near[i] becomes the triangle of vertices corners[i].
    void (*fill)(const double (*x)[3], const uint32_t (*corners)[3], size_t count, const double centre[3], snag__f32_triangle *f32);
    // Writes SNAG__APART or SNAG__CROSSING for each pair, the latter with the vertices it shares; lists those in doubt (numbers
    // below 65536) and returns how many.
    size_t (*filter)(const snag__f32_pairs *f32, const uint32_t (*pairs)[2], size_t count, uint8_t *meeting, uint16_t *doubt);
} snag__f32_filter_kernels;

SNAG__DECLARE_KERNELS(snag__f32_filter_kernels, snag__f32_filter_kernels);
const snag__f32_filter_kernels *snag__f32_filter_kernels_for(snag_isa isa);

// What a coordinate relative to a centre is off by as a float, where none is larger than `reach` in magnitude.
static inline float snag__f32_rounding(double reach)
{
    // Half a unit in the last place, the rounding of the difference, and what is below the smallest float.
    return (float)(reach * 0x1.01p-24 + 0x1p-140);
}

#endif
