// The second judge of impacts: the distance of the two sides at one time, by search instead of by cases, in long
// double.
#ifndef SNAG_TEST_SAMPLED_DISTANCE_H
#define SNAG_TEST_SAMPLED_DISTANCE_H

#include "geom/impact.h"

#include <math.h>

static inline long double squared_distance_to_segment(const long double p[3], const long double a[3], const long double b[3])
{
    long double along = 0, length = 0, squared = 0;
    for (int k = 0; k < 3; k++) {
        along += (p[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    long double s = length > 0 ? along / length : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; k++) {
        long double d = p[k] - (a[k] + s * (b[k] - a[k]));
        squared += d * d;
    }
    return squared;
}

// Golden-section search: the distance is convex along the first edge, and along slices of a triangle.
static inline long double sampled_distance(const snag__motion *m, long double t)
{
    bool edges = m->pair == SNAG__IMPACT_EDGE_EDGE;
    long double x[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = (1 - t) * (long double)m->t0[i][k] + t * (long double)m->t1[i][k];
    long double low = 0, high = 1, best = INFINITY;
    const long double ratio = 0.61803398874989484820L;
    for (int step = 0; step < 90; step++) {
        long double s[2] = {high - ratio * (high - low), low + ratio * (high - low)}, d[2];
        for (int j = 0; j < 2; j++) {
            long double y[3], z[3];
            for (int k = 0; k < 3; k++) {
                y[k] = edges ? x[0][k] + s[j] * (x[1][k] - x[0][k]) : x[1][k] + s[j] * (x[2][k] - x[1][k]);
                z[k] = x[1][k] + s[j] * (x[3][k] - x[1][k]);
            }
            d[j] = edges ? squared_distance_to_segment(y, x[2], x[3]) : squared_distance_to_segment(x[0], y, z);
            best = fminl(best, d[j]);
        }
        if (d[0] <= d[1])
            high = s[1];
        else
            low = s[0];
    }
    return sqrtl(best);
}

#endif
