// Vectors of three doubles. Sums are taken from x to z: answers are the same bytes wherever these are used.
#ifndef SNAG_BASE_VEC3_H
#define SNAG_BASE_VEC3_H

#include <float.h>
#include <math.h>

static inline void snag__vec3_subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static inline double snag__vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// `out` is neither of the two.
static inline void snag__vec3_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// The plain square root: overflows and underflows where the squares do.
static inline double snag__vec3_length(const double a[3])
{
    return sqrt(snag__vec3_dot(a, a));
}

// The length for components of any size, to a few roundings, by operations that IEEE 754 rounds the same everywhere. hypot takes ten
// times as long and differs in the last bit between C libraries. Squares out of range are rare: those are scaled by a power of two.
static inline double snag__length(const double v[3])
{
    double square = snag__vec3_dot(v, v);
    if (square > 1e-280 && square < 1e300)
        return sqrt(square);
    double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    if (!(most > 0 && most <= DBL_MAX))
        return most;
    int exponent = ilogb(most);
    double scaled[3] = {ldexp(v[0], -exponent), ldexp(v[1], -exponent), ldexp(v[2], -exponent)};
    return ldexp(snag__vec3_length(scaled), exponent);
}

#endif
