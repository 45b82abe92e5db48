// A cheap proof that two triangles do not intersect: the corners of one lie strictly on one side of the other's plane.
// Most candidates of a box search fall to it. Single precision, with a margin that makes the proof hold for the
// coordinates as given; a triangle in doubt is kept for the exact test.
#ifndef SNAG_BOUND_PLANES_H
#define SNAG_BOUND_PLANES_H

#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "bound/forest.h"

// A triangle in one cache line: columns 0..2 are its corners, column 3 its plane n.x = d with max |n_i| = 1.
// A needle, whose plane is not certain, has n = 0 and d = 0: every point is in doubt.
typedef struct snag__plane_record {
    float x[4], y[4], z[4];
    uint32_t vertex[3];  // numbered through all bodies, so that equal numbers are the same vertex
    float d;
} snag__plane_record;

// Records of a forest of triangles, by place.
typedef struct snag__planes {
    snag__plane_record *records;
    double centre[3];  // coordinates are taken relative to this
    float margin;      // a corner farther than this from a plane is certainly on that side; infinite: nothing is certain
    snag__buffer memory, poses;
} snag__planes;

typedef struct snag__plane_kernels {
    void (*fill)(const snag__mesh *mesh, const uint32_t (*triangles)[3], uint32_t first_vertex, const double centre[3],
                 size_t count, snag__plane_record *records);
    // Keeps the pairs of places that may intersect, in their order, and returns how many.
    size_t (*cull)(const snag__plane_record *records, float margin, uint32_t *rows, uint32_t *columns, size_t count);
} snag__plane_kernels;

SNAG__DECLARE_KERNELS(snag__plane_kernels, snag__plane_kernels);
const snag__plane_kernels *snag__plane_kernels_for(snag_isa isa);

// The distance beyond which a corner is certainly on its side of a plane, for floats relative to a centre; infinite where
// floats tell nothing. `anew`: the centre becomes that of the forest's boxes; else it stays.
float snag__plane_margin(const snag__forest *forest, bool anew, double centre[3]);

// Brings the records up to date with a forest of triangles that has just been refitted. False without memory.
bool snag__planes_refit(snag__planes *planes, const snag__forest *forest, bool rebuilt, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa);
void snag__planes_free(const snag_allocator *allocator, snag__planes *planes);

#endif
