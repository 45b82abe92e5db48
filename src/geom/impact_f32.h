// Candidates for impacts in single precision: pairs that certainly stay apart drop out, and so do pairs that share a vertex. It comes
// before the filter in double precision (impact.h): twice the lanes, a third of the memory, and most candidates end here.
//
// Vertices are given relative to a common origin and scaled, so that no coordinate is larger than 1 in magnitude at either end of the
// move: whatever the scene's size, nothing overflows. A coordinate is off by at most `rounding`.
#ifndef SNAG_GEOM_IMPACT_F32_H
#define SNAG_GEOM_IMPACT_F32_H

#include "geom/f32_distance.h"

// A vertex at both ends of the move.
typedef struct snag__f32_path {
    snag__f32_vertex end[2];
} snag__f32_path;

typedef struct snag__f32_impacts {
    const snag__f32_path *row_vertices, *column_vertices;
    const uint32_t *rows,
        *columns;  // vertices of elements: three of a triangle, two of an edge; columns NULL: elements are vertices
    const uint32_t (*pairs)[2];  // row and column
    size_t count;
    bool same_body;  // equal vertex numbers are shared vertices
    float distance;  // pairs that stay farther apart than this are dropped; in scaled units, not below the true one
    float rounding;  // no coordinate is off by more
    float span;  // from t0 up to this part of the move, in 0..1 and not below what is asked for
} snag__f32_impacts;

// Both write the pairs that are left to `kept`, in their order, and return how many; `shared` gets how many share a vertex. The
// same for every instruction set.
typedef struct snag__f32_impact_kernels {
    size_t (*triangle_vertices)(const snag__f32_impacts *candidates, uint32_t (*kept)[2], size_t *shared);
    size_t (*edge_edges)(const snag__f32_impacts *candidates, uint32_t (*kept)[2], size_t *shared);
} snag__f32_impact_kernels;

SNAG__DECLARE_KERNELS(snag__f32_impact_kernels, snag__f32_impact_kernels);
const snag__f32_impact_kernels *snag__f32_impact_kernels_for(snag_isa isa);

#endif
