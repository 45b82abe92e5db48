#ifndef SNAG_BASE_CLOCK_H
#define SNAG_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

// Microseconds on a clock that never goes back; only differences mean something.
uint64_t snag__clock_us(void);

// The clock that budgets are kept by. Zero: the one above. Tests have others, which they turn themselves. Tasks of work look at
// it too, on whatever thread they run.
typedef struct snag__clock {
    uint64_t (*now_us)(void *context);
    void *context;
} snag__clock;

static inline uint64_t snag__clock_now(const snag__clock *clock)
{
    return clock->now_us != NULL ? clock->now_us(clock->context) : snag__clock_us();
}

#endif
