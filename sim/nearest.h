// Nearest point of a surface, for vertices inside it. Consecutive triangles form blocks with a box each; a surface has few enough
// blocks for a linear search.
#ifndef SNAG_SIM_NEAREST_H
#define SNAG_SIM_NEAREST_H

#include "memory.h"
#include "snag/shapes.h"
#include "vector.h"

typedef struct snag__nearest {
    const snag_shape *shape;
    const double (*x)[3];  // vertex positions
    double (*boxes)[2][3];  // of each block of triangles
    size_t box_count;
} snag__nearest;

// False: out of memory. Update the boxes before the first search and after each move.
bool snag__nearest_create(snag__nearest *nearest, const snag_shape *shape, const double (*x)[3], snag__sim_memory *memory);
void snag__nearest_refit(snag__nearest *nearest);

// The distance of p from the surface, up to `reach`, and the vector there; HUGE_VAL if farther. With `along`, only triangles that
// face that direction count.
double snag__nearest_surface(const snag__nearest *nearest, const double p[3], const double *along, double reach, double way[3]);

#endif
