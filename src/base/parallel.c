#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

uint32_t snag__processor_count(void)
{
#ifdef _OPENMP
    return (uint32_t)omp_get_num_procs();
#else
    return 1;
#endif
}

void snag__parallel_for(const snag__parallel *parallel, uint32_t count, snag__task *task, void *context)
{
    if (count > 1 && parallel->tasks.run != NULL) {
        parallel->tasks.run(parallel->tasks.context, count, task, context);
        return;
    }
#ifdef _OPENMP
    if (count > 1 && parallel->threads > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)parallel->threads)
        for (uint32_t i = 0; i < count; i++)
            task(context, i);
        return;
    }
#endif
    for (uint32_t i = 0; i < count; i++)
        task(context, i);
}
