// Vectors of the simulator: state in double; the linear solver uses four floats per vector, the last one zero.
#ifndef SNAG_SIM_VECTOR_H
#define SNAG_SIM_VECTOR_H

#include <math.h>
#include <stdbool.h>

typedef float snag__f4 __attribute__((vector_size(16)));

static inline snag__f4 snag__f4_from(const double a[3])
{
    return (snag__f4){(float)a[0], (float)a[1], (float)a[2], 0};
}

static inline float snag__f4_dot(snag__f4 a, snag__f4 b)
{
    snag__f4 p = a * b;
    return (p[0] + p[1]) + p[2];
}

static inline double snag__dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double snag__length3(const double a[3])
{
    return sqrt(snag__dot3(a, a));
}

static inline void snag__subtract3(const double a[3], const double b[3], double difference[3])
{
    for (int i = 0; i < 3; i++)
        difference[i] = a[i] - b[i];
}

// a += s b
static inline void snag__add_scaled3(double a[3], double s, const double b[3])
{
    for (int i = 0; i < 3; i++)
        a[i] += s * b[i];
}

static inline void snag__cross3(const double a[3], const double b[3], double cross[3])
{
    cross[0] = a[1] * b[2] - a[2] * b[1];
    cross[1] = a[2] * b[0] - a[0] * b[2];
    cross[2] = a[0] * b[1] - a[1] * b[0];
}

static inline bool snag__same3(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

#endif
