// Where a sleeping thread wakes up, for systems on which we leave that to the scheduler: included by the one platform file that is compiled.
#ifndef SNAG_BASE_PLATFORM_NO_AFFINITY_H
#define SNAG_BASE_PLATFORM_NO_AFFINITY_H

#include "base/platform.h"

int snag__processor_now(void)
{
    return -1;
}

void snag__sleep_begin(snag__sleep_place *place, int avoided)
{
    (void)place;
    (void)avoided;
}

void snag__sleep_avoid(snag__sleep_place *place, const snag__thread *thread, int avoided)
{
    (void)place;
    (void)thread;
    (void)avoided;
}

void snag__sleep_end(snag__sleep_place *place)
{
    (void)place;
}

#endif
