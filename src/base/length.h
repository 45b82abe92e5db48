// The length of a vector, to a few roundings, for components of any size.
#ifndef SNAG_BASE_LENGTH_H
#define SNAG_BASE_LENGTH_H

#include <math.h>

// hypot alone takes ten times as long, and squares that leave their range are rare.
static inline double snag__length(const double v[3])
{
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return square > 1e-280 && square < 1e300 ? sqrt(square) : hypot(hypot(v[0], v[1]), v[2]);
}

#endif
