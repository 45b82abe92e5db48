// Shared by the two files of `brute`: boxes of all elements of a kind.
#ifndef SNAG_METHOD_BRUTE_H
#define SNAG_METHOD_BRUTE_H

#include "geom/box.h"
#include "query/kind.h"

// One body's elements of a kind.
typedef struct snag__side {
    snag__boxes boxes;
    float lo[3], hi[3];  // the box of all
} snag__side;

// Floats that the boxes of a kind take, for all bodies.
size_t snag__side_floats(const snag__ask *ask, snag_element_kind kind);
// Boxes of one kind of elements of every body, carved out of `memory`, which moves past them.
void snag__make_sides(const snag__ask *ask, snag_element_kind kind, snag__side *sides, float **memory);

// The question `distance` (brute_distance.c).
snag_status snag__brute_distance(snag__ask *ask);

#endif
