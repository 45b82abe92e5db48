#include "base/parallel.h"

#include "base/assert.h"
#include "base/float_env.h"

const snag__parallel snag__alone = {.threads = 1};

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
