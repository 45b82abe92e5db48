// Candidates for proximities in single precision: pairs that are certainly farther apart than d drop out, and so do pairs that share a
// vertex. It comes before the filters in double precision: twice the lanes, half the memory, and most candidates end here.
//
// Vertices are given relative to a common origin and scaled, so that no coordinate is larger than 1 in magnitude: whatever the scene's
// size, nothing overflows. A coordinate is off by at most `rounding`.
#ifndef SNAG_GEOM_F32_DISTANCE_H
#define SNAG_GEOM_F32_DISTANCE_H

#include "base/isa.h"

// A vertex: x, y, z, and its number in the bits of the fourth, so that one load brings all.
typedef struct snag__f32_vertex {
    float x[3];
    uint32_t number;
} snag__f32_vertex;

typedef struct snag__f32_candidates {
    const snag__f32_vertex *row_vertices, *column_vertices;
    // Vertices of elements: three of a triangle, two of an edge. Columns NULL: elements are vertices. Of edges both may be NULL: vertices 2 e
    // and 2 e + 1 are those of element e, which is read faster than by their numbers.
    const uint32_t *rows, *columns;
    const uint32_t (*pairs)[2];  // row and column
    size_t count;
    bool same_body;  // equal vertex numbers are shared vertices
    float distance;  // in scaled units, not below the true one
    float rounding;  // no coordinate is off by more
} snag__f32_candidates;

// Both write the pairs that are left to `kept`, in their order, and return how many. The same for every instruction set.
typedef struct snag__f32_distance_kernels {
    size_t (*triangle_vertices)(const snag__f32_candidates *candidates, uint32_t (*kept)[2]);  // rows: triangles, columns: vertices
    size_t (*edge_edges)(const snag__f32_candidates *candidates, uint32_t (*kept)[2]);
    // Writes vertices first .. last - 1 as (x - origin) * scale, and returns the largest coordinate in magnitude.
    float (*fill)(const double (*x)[3], size_t first, size_t last, const double origin[3], double scale, snag__f32_vertex *to);
} snag__f32_distance_kernels;

SNAG__DECLARE_KERNELS(snag__f32_distance_kernels, snag__f32_distance_kernels);
const snag__f32_distance_kernels *snag__f32_distance_kernels_for(snag_isa isa);

#endif
