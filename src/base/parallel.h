// Splitting work into pieces. The pieces write to places of their own, so the result does not depend on who ran them.
#ifndef SNAG_BASE_PARALLEL_H
#define SNAG_BASE_PARALLEL_H

#include "snag/base.h"

typedef void snag__task(void *context, uint32_t index);

typedef struct snag__parallel {
    snag_tasks tasks;  // zero: OpenMP, or the calling thread where that is not built in
    uint32_t threads;
} snag__parallel;

// Processors that OpenMP would use; 1 without it.
uint32_t snag__processor_count(void);

// Calls task(context, i) once for each i in 0..count-1 and returns when all are done.
void snag__parallel_for(const snag__parallel *parallel, uint32_t count, snag__task *task, void *context);

#endif
