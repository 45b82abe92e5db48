// Vectors of three doubles.
#ifndef SNAG_RESPONSE_VECTOR_H
#define SNAG_RESPONSE_VECTOR_H

#include <math.h>

static inline double snag__dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void snag__cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void snag__subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

// a += s b
static inline void snag__add_scaled(double a[3], double s, const double b[3])
{
    for (int i = 0; i < 3; i++)
        a[i] += s * b[i];
}

// Through a volatile float: GCC 12 drops a conversion there and back of two neighbours that it vectorizes.
static inline void snag__round_to_floats(double a[3])
{
    for (int i = 0; i < 3; i++) {
        volatile float rounded = (float)a[i];
        a[i] = (double)rounded;
    }
}

static inline double snag__length(const double a[3])
{
    return sqrt(snag__dot(a, a));
}

#endif
