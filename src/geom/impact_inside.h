// What the files of the impact test share.
#ifndef SNAG_GEOM_IMPACT_INSIDE_H
#define SNAG_GEOM_IMPACT_INSIDE_H

#include "geom/impact.h"

// ---- impact_exact.c ----

// The answer for separation 0 by integer arithmetic. Unresolved only where two numbers that are not equal agree in
// their first 2048 bits.
snag__impact snag__impact_exact(const snag__motion *motion);

// The only time between two that are less than 1 apart at which the four points are in one plane: a time that is not
// later and at most 2^-53 earlier. At `low` and `high` they are not in one plane, and on different sides of it.
double snag__impact_exact_time(const snag__motion *motion, double low, double high);

// ---- impact_gap.c ----

// Points 1, 2, 3 of a motion relative to point 0, divided by 2^exponent such that the largest coordinate is in 0.5..1,
// or all are zero. Each is off by 2^-53 of itself at most, or by `lost`, which is not zero only where coordinates are
// so large that their differences would overflow.
typedef struct snag__relative {
    snag__impact_pair pair;
    double t0[3][3], t1[3][3];
    int exponent;
    double lost;
} snag__relative;

void snag__relative_of(const snag__motion *motion, snag__relative *relative);

// The closest points of the two sides at time t: weights as in snag__impact_details, all in 0..1, and a - b in `apart`.
void snag__relative_closest(const snag__relative *relative, double t, double weight[4], double apart[3]);

// The answer for separation > 0.
snag__impact snag__impact_gap(const snag__motion *motion, double separation, double tolerance);

// ---- impact_hulls.c ----

// Whether the ways of both sides are farther apart than the separation along a direction of k-DOPs: then they are free, and there are
// methods that do not even look at them. Exact.
bool snag__impact_hulls_apart(const snag__motion *motion, double separation);
// The same for separation and tolerance together, by which methods grow their bounds. Quick where it is not so.
bool snag__impact_bounds_drop(const snag__motion *motion, double separation, double tolerance);

#endif
