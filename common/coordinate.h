// Reads a coordinate of a view of positions, float or double, with any stride.
#ifndef SNAG_COMMON_COORDINATE_H
#define SNAG_COMMON_COORDINATE_H

#include <string.h>

#include "snag/base.h"

// `memcpy`, since a stride of any number of bytes need not keep coordinates aligned.
static inline double coordinate_at(snag_positions positions, size_t vertex, int axis)
{
    const char *at = (const char *)positions.data + vertex * positions.stride;
    if (positions.scalar == SNAG_F64) {
        double x;
        memcpy(&x, at + (size_t)axis * sizeof x, sizeof x);
        return x;
    }
    float x;
    memcpy(&x, at + (size_t)axis * sizeof x, sizeof x);
    return (double)x;
}

#endif
