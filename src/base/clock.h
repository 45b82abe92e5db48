#ifndef SNAG_BASE_CLOCK_H
#define SNAG_BASE_CLOCK_H

#include "base/platform.h"

// The clock of time budgets. Zero is the platform's; tests set their own. Tasks read it from any thread.
typedef struct snag__clock {
    uint64_t (*now_us)(void *context);
    void *context;
} snag__clock;

static inline uint64_t snag__clock_now(const snag__clock *clock)
{
    return clock->now_us != NULL ? clock->now_us(clock->context) : snag__clock_us();
}

#endif
