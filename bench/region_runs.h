// The experiments of the distance hierarchy: Madera, Day, Laycock, A Distance Hierarchy to Detect Collisions Between
// Deformable Objects, 2007, section 4: what each set of epsilons finds, misses and opens. What bench_regions prints and
// `snag repro madera` sets beside the paper's numbers. One thread.
#ifndef SNAG_BENCH_REGION_RUNS_H
#define SNAG_BENCH_REGION_RUNS_H

#include "snag/snag.h"

enum { REGION_EXPERIMENTS = 3, REGION_RUNS = 5, REGION_EPSILONS = 3 };

// Epsilons of a table in its units, for pairs of one kind and for those with the last body ("a,b" in Table 3).
typedef struct region_experiment {
    const char *scene;
    double epsilon[REGION_RUNS][2][REGION_EPSILONS];
} region_experiment;

extern const region_experiment region_experiments[REGION_EXPERIMENTS];

typedef struct region_tally {
    size_t collisions;  // leaves that collide
    size_t pairs, missed, too_many;  // of bodies, summed over the steps
    size_t opened[SNAG_REGION_LEVELS];
    double ms;
} region_tally;

typedef struct region_result {
    size_t bodies, steps;
    double contact;  // the distance at which bodies collide: the last epsilon of the paper's best run, its third
    region_tally runs[REGION_RUNS], exact;
} region_result;

// Runs at most so many steps of an experiment's scene.
snag_status region_epsilons(size_t experiment, size_t most_steps, region_result *result, void (*progress)(void *context, double done),
                            void *context);

#endif
