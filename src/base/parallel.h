// Splitting work into tasks. The tasks write to places of their own, so the result does not depend on who ran them.
#ifndef SNAG_BASE_PARALLEL_H
#define SNAG_BASE_PARALLEL_H

#include "base/pool.h"

typedef void snag__task(void *context, uint32_t index);

typedef struct snag__parallel {
    snag_tasks tasks;  // the user's, or zero
    snag__pool *pool;  // of the world's own threads; NULL: the calling thread runs all tasks
    uint32_t threads;
} snag__parallel;

// The calling thread and no other.
extern const snag__parallel snag__alone;

// Processors that this process may use.
uint32_t snag__processor_count(void);

// Calls task(context, i) once for each i in 0..count-1 and returns when all are done. Called, and run, under the default
// floating-point environment, on the user's threads too.
void snag__parallel_for(const snag__parallel *parallel, uint32_t count, snag__task *task, void *context);

#endif
