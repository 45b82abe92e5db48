// Input that breaks geometry: of every magnitude, on grids, a few bits apart, sharing, touching, flat.
#ifndef SNAG_TEST_HARD_H
#define SNAG_TEST_HARD_H

#include "base/random.h"

// Any finite double, all exponents alike, subnormals and both zeros included.
double hard_any_double(snag__random *random);
// An integer in -n..n.
double hard_grid(snag__random *random, uint32_t n);
// A number at most three units in the last place from `value`.
double hard_nudged(snag__random *random, double value);

// Two triangles with vertex numbers; shared numbers have equal coordinates.
typedef struct hard_pair {
    double a[3][3], b[3][3];
    uint32_t va[3], vb[3];
} hard_pair;

// Random and adversarial pairs, all mixed: random, on grids of 3 and 7, coplanar, nearly so, needles, zero area, any
// finite doubles, corners resting on the other; with 0 to 3 shared vertices; scaled alike or by axis, shifted.
void hard_triangle_pair(snag__random *random, hard_pair *pair);

#endif
