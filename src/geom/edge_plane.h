// Where an edge meets a plane: the exact point, each coordinate rounded to the nearest double.
#ifndef SNAG_GEOM_EDGE_PLANE_H
#define SNAG_GEOM_EDGE_PLANE_H

#include "base/isa.h"

// An edge whose ends lie strictly on different sides of the plane through three points.
typedef struct snag__edge_plane {
    const double *from, *to;
    const double *plane[3];
} snag__edge_plane;

void snag__edge_plane_point(const snag__edge_plane *cut, double point[3]);

// The same bits for arrays, for every instruction set.
typedef struct snag__edge_plane_kernels {
    // Returns how many needed exact arithmetic.
    size_t (*points)(const snag__edge_plane *cuts, size_t count, double (*points)[3]);
} snag__edge_plane_kernels;

// `isa` is one that is available; else the scalar table is given.
const snag__edge_plane_kernels *snag__edge_plane_kernels_for(snag_isa isa);

#endif
