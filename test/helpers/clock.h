// A clock that a test turns: each look at it moves it on by so many microseconds. Budgets then end after a number of looks, on a slow
// or busy machine as on any other.
#ifndef SNAG_TEST_CLOCK_H
#define SNAG_TEST_CLOCK_H

#include "world/world.h"

#include <stdatomic.h>

typedef struct test_clock {
    _Atomic uint64_t looks;
    uint64_t us_of_a_look;
} test_clock;

static inline uint64_t test_clock_look(void *context)
{
    test_clock *clock = context;
    return 1000 + clock->us_of_a_look * atomic_fetch_add(&clock->looks, 1);
}

// The clock outlives the world, or its last ask.
static inline void test_clock_set(snag_world *world, test_clock *clock)
{
    world->clock = (snag__clock){test_clock_look, clock};
}

#endif
