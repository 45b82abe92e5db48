// Smooth closed surfaces from coarse cages of quads.
// Catmull, Clark: Recursively generated B-spline surfaces on arbitrary topological meshes, 1978.
// Differs: the levels keep their topology, so that a cage that moves is subdivided anew without a search; the result is sampled on a grid of any
// fineness for each quad of the cage, so that the number of triangles does not jump by fours.
#ifndef SNAG_SIM_SUBDIVIDE_H
#define SNAG_SIM_SUBDIVIDE_H

#include <stdint.h>

#include "memory.h"
#include "snag/shapes.h"

#define SNAG__MAX_LEVELS 7

typedef struct snag__quad_level {
    uint32_t vertex_count, quad_count, edge_count;
    uint32_t (*quads)[4];  // vertices, counterclockwise from outside
    uint32_t (*sides)[4];  // edges: side k leads from corner k to the next
    uint32_t (*edges)[2];  // vertices
    uint32_t *valence;
    double (*x)[3];
} snag__quad_level;

typedef struct snag__smooth {
    snag__quad_level levels[SNAG__MAX_LEVELS];  // the first is the cage
    int level_count;
    double (*normals)[3];  // unit, of the last level's vertices
} snag__smooth;

// A point of the surface: a quad of the last level, and where in it.
typedef struct snag__surface_sample {
    uint32_t quad;
    double u, v;
} snag__surface_sample;

// Takes a closed cage; edges are found here. At least `fineness` steps along each side of its quads. False: out of memory.
bool snag__smooth_make(snag__smooth *smooth, const uint32_t (*quads)[4], uint32_t quad_count, uint32_t vertex_count,
                       uint32_t fineness, snag__sim_memory *memory);
// Positions and normals of all levels from levels[0].x.
void snag__smooth_update(snag__smooth *smooth);
void snag__smooth_at(const snag__smooth *smooth, const snag__surface_sample *sample, double x[3], double normal[3]);

// Grids of n x n cells for some quads of the cage, joined along their sides. `ids` has (n + 1)^2 vertices for each of these quads, row by row from
// corner 0 along side 0.
typedef struct snag__surface_grid {
    uint32_t n;
    size_t vertex_count, triangle_count;
    snag__surface_sample *samples;  // of the vertices
    uint32_t *triangles;
    uint32_t **ids;  // by quad of the cage; NULL: not chosen
} snag__surface_grid;

// False: out of memory.
bool snag__surface_grid_make(snag__surface_grid *grid, const snag__smooth *smooth, const bool *chosen, uint32_t n,
                             snag__sim_memory *memory);

#endif
