#define _GNU_SOURCE
#include "base/parallel.h"

#include "base/assert.h"
#include "base/float_env.h"

#include <sched.h>
#include <unistd.h>

const snag__parallel snag__alone = {.threads = 1};

uint32_t snag__processor_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

// A task for the user's threads, which may have any floating-point environment.
typedef struct wrapped {
    snag__task *task;
    void *context;
} wrapped;

static void run_wrapped(void *context, uint32_t index)
{
    const wrapped *w = context;
    snag__float_env theirs = snag__float_env_begin();
    w->task(w->context, index);
    snag__float_env_end(theirs);
}

void snag__parallel_for(const snag__parallel *parallel, uint32_t count, snag__task *task, void *context)
{
    SNAG__ASSERT(parallel != NULL && task != NULL);
    if (count > 1 && parallel->tasks.run != NULL)
        parallel->tasks.run(parallel->tasks.context, count, run_wrapped, &(wrapped){task, context});
    else if (parallel->pool != NULL)
        snag__pool_run(parallel->pool, count, task, context);
    else
        for (uint32_t i = 0; i < count; i++)
            task(context, i);
}
