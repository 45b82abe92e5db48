// Repeatable random numbers (splitmix64): the same seed gives the same numbers on every machine.
#ifndef SNAG_BASE_RANDOM_H
#define SNAG_BASE_RANDOM_H

#include <stdint.h>

typedef struct snag__random {
    uint64_t state;
} snag__random;

static inline uint64_t snag__random_u64(snag__random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in 0..n-1, with a bias below n / 2^32.
static inline uint32_t snag__random_below(snag__random *random, uint32_t n)
{
    return (uint32_t)(((snag__random_u64(random) >> 32) * n) >> 32);
}

// Uniform in [0, 1).
static inline double snag__random_unit(snag__random *random)
{
    return (double)(snag__random_u64(random) >> 11) * 0x1p-53;
}

// Uniform in [low, high).
static inline double snag__random_range(snag__random *random, double low, double high)
{
    return low + (high - low) * snag__random_unit(random);
}

#endif
