#define _POSIX_C_SOURCE 199309L
#include "base/clock.h"

#include <time.h>

uint64_t snag__clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}
