// Vectors of three doubles. Sums are taken from x to z: answers are the same bytes wherever these are used.
#ifndef SNAG_BASE_VEC3_H
#define SNAG_BASE_VEC3_H

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

// The length for components of any size, to a few roundings. hypot alone takes ten times as long, and squares out of range are rare.
static inline double snag__length(const double v[3])
{
    double square = snag__vec3_dot(v, v);
    return square > 1e-280 && square < 1e300 ? sqrt(square) : hypot(hypot(v[0], v[1]), v[2]);
}

#endif
