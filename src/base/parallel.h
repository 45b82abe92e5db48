// Splitting work into tasks. Every task writes to memory of its own, so the result does not depend on the threads.
#ifndef SNAG_BASE_PARALLEL_H
#define SNAG_BASE_PARALLEL_H

#include "base/pool.h"

typedef void snag__task(void *context, uint32_t index);

typedef struct snag__parallel {
    snag_tasks tasks;  // the user's, or zero
    snag__pool *pool;  // of the world's own threads; NULL: the calling thread runs all tasks
    uint32_t threads;
} snag__parallel;

// Items first .. last - 1.
typedef struct snag__range {
    uint32_t first, last;
} snag__range;

// How many tasks of `size` items there are for `count` items.
static inline uint32_t snag__task_count(uint32_t count, uint32_t size)
{
    return count / size + (count % size != 0);
}

// The items of one of the tasks that share items first .. last - 1.
static inline snag__range snag__task_range(uint32_t first, uint32_t last, uint32_t size, uint32_t task)
{
    first += task * size;
    return (snag__range){first, last - first < size ? last : first + size};
}

// Runs everything on the calling thread.
extern const snag__parallel snag__alone;

// Calls task(context, i) once for each i in 0..count-1 and returns when all are done. Call it under the default floating-point
// environment; tasks run under it too, on the user's threads as well.
void snag__parallel_for(const snag__parallel *parallel, uint32_t count, snag__task *task, void *context);

#endif
