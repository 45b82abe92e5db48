// The nearest point of a surface, for the vertices that are inside of it. Triangles are looked at in blocks that stand near each
// other in the list, each with its box: a surface has few enough of them.
#ifndef SNAG_SIM_NEAREST_H
#define SNAG_SIM_NEAREST_H

#include "memory.h"
#include "snag/shapes.h"
#include "vector.h"

typedef struct snag__nearest {
    const snag_shape *shape;
    const double (*x)[3];  // where its vertices stand
    double (*boxes)[2][3];  // of each block of triangles
    size_t box_count;
} snag__nearest;

// False if memory is short. Ask for boxes that hold before the first search, and after each move.
bool snag__nearest_create(snag__nearest *nearest, const snag_shape *shape, const double (*x)[3], snag__sim_memory *memory);
void snag__nearest_refit(snag__nearest *nearest);

// The distance of p from the surface, up to `reach`, and the way there; HUGE_VAL if there is nothing within. With `along`, only
// triangles that face it count.
double snag__nearest_surface(const snag__nearest *nearest, const double p[3], const double *along, double reach, double way[3]);

#endif
