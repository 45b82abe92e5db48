// Points, segments, triangles and tetrahedra as one kind of thing: simplices of one to four corners.
#ifndef SNAG_GEOM_SIMPLEX_H
#define SNAG_GEOM_SIMPLEX_H

#include <stdbool.h>

typedef struct snag__simplex {
    const double *corner[4];
    int count;  // of corners, 1 to 4
} snag__simplex;

// Whether two simplices are at distance d or closer, decided exactly; d >= 0. They count as solid: what is inside a tetrahedron is at
// distance 0. The same for swapped sides and for every order of corners.
bool snag__simplices_within(const snag__simplex *a, const snag__simplex *b, double d);

#endif
