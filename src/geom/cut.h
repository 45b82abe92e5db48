// Where an edge meets a plane: the exact point, each coordinate rounded to the nearest double.
#ifndef SNAG_GEOM_CUT_H
#define SNAG_GEOM_CUT_H

#include "base/isa.h"

// An edge whose ends lie strictly on different sides of the plane through three points.
typedef struct snag__cut {
    const double *from, *to;
    const double *plane[3];
} snag__cut;

void snag__cut_point(const snag__cut *cut, double point[3]);

// The same bits for arrays, for every instruction set.
typedef struct snag__cut_kernels {
    // Returns how many needed exact arithmetic.
    size_t (*points)(const snag__cut *cuts, size_t count, double (*points)[3]);
} snag__cut_kernels;

// `isa` is one that is available; else the scalar table is given.
const snag__cut_kernels *snag__cut_kernels_for(snag_isa isa);

#endif
