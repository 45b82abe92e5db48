#include "geom/zero_area.h"

#include "geom/geom.h"

#include <math.h>

SNAG__DECLARE_KERNELS(snag__zero_area_kernels, snag__zero_area_kernels);

const snag__zero_area_kernels *snag__zero_area_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__zero_area_kernels, isa)
}

enum { BLOCK = 1024, BLOCKS_OF_A_TASK = 4, TASKS_MAX = 64 };

// What one task has found.
typedef struct finding {
    size_t zero_area, doubtful;
    double squared;  // width
} finding;

typedef struct count_job {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    size_t count;
    uint32_t tasks;
    const snag__zero_area_kernels *kernels;
    finding *found;  // by task
} count_job;

static void count_task(void *context, uint32_t task)
{
    count_job *job = context;
    const double(*x)[3] = job->x;
    size_t last = job->count * (task + 1) / job->tasks;
    uint32_t maybe[BLOCK];
    finding f = {.squared = INFINITY};
    for (size_t first = job->count * task / job->tasks; first < last; first += BLOCK) {
        size_t now = last - first < BLOCK ? last - first : BLOCK;
        size_t left = job->kernels->maybe_zero_area(x, job->triangles, first, now, maybe, &f.squared);
        f.doubtful += left;
        for (size_t i = 0; i < left; i++) {
            const uint32_t *v = job->triangles[maybe[i]];
            f.zero_area += snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]);
        }
    }
    job->found[task] = f;
}

size_t snag__count_zero_area(const double (*x)[3], const uint32_t (*triangles)[3], size_t count, const snag__parallel *parallel,
                             snag_isa isa, double *width)
{
    size_t tasks = count / ((size_t)BLOCK * BLOCKS_OF_A_TASK) + 1;
    finding found[TASKS_MAX];
    count_job job = {x, triangles, count, tasks < TASKS_MAX ? (uint32_t)tasks : TASKS_MAX, snag__zero_area_kernels_for(isa), found};
    snag__parallel_for(parallel, job.tasks, count_task, &job);
    finding all = found[0];
    for (uint32_t i = 1; i < job.tasks; i++) {
        all.zero_area += found[i].zero_area;
        all.doubtful += found[i].doubtful;
        all.squared = fmin(all.squared, found[i].squared);
    }
    *width = all.doubtful == 0 ? sqrt(all.squared) * (1 - 0x1p-10) : 0;
    return all.zero_area;
}
