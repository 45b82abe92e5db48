// Numbers that break geometry: of every magnitude, on grids, a few bits apart.
#ifndef SNAG_TEST_HARD_H
#define SNAG_TEST_HARD_H

#include <math.h>
#include <string.h>

#include "base/random.h"

// Any finite double, all exponents alike, subnormals and both zeros included.
static inline double hard_any_double(snag__random *random)
{
    double value;
    uint64_t bits;
    do {
        bits = snag__random_u64(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

// An integer in -n..n.
static inline double hard_grid(snag__random *random, uint32_t n)
{
    return (double)snag__random_below(random, 2 * n + 1) - n;
}

// A number a few units in the last place from `value`.
static inline double hard_nudged(snag__random *random, double value)
{
    for (uint32_t steps = snag__random_below(random, 4); steps > 0; steps--)
        value = nextafter(value, snag__random_below(random, 2) ? INFINITY : -INFINITY);
    return isfinite(value) ? value : 0.0;
}

#endif
