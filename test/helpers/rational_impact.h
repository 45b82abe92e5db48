// The judge of impacts: rational arithmetic (GMP), polynomials over the rationals, Tarski's queries. It shares no code
// with the library and decides otherwise: the library looks along axes and narrows intervals; this one asks for the
// signs of weights in space and of distances to the edges, and finds them by counting with remainder sequences.
#ifndef SNAG_TEST_RATIONAL_IMPACT_H
#define SNAG_TEST_RATIONAL_IMPACT_H

#include <stdbool.h>

// Whether a vertex (point 0) and a triangle (1, 2, 3), or with `edges` two edges (0, 1 and 2, 3), meet on straight
// paths from t0 to t1; if so, the first time is in [*low, *high], which is narrower than 1e-15, and a point if it is a
// double.
bool rational_impact_first(bool edges, const double t0[4][3], const double t1[4][3], double *low, double *high);

#endif
