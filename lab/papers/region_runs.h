// The experiments of the distance hierarchy: Madera, Day, Laycock, A Distance Hierarchy to Detect Collisions Between Deformable
// Objects, 2007, section 4: the collisions that each set of epsilons finds and misses, and the nodes it expands. Used by
// bench_regions and `snag repro madera`. One thread.
#ifndef SNAG_LAB_REGION_RUNS_H
#define SNAG_LAB_REGION_RUNS_H

#include <stdbool.h>

#include "contact_types.h"
#include "snag/snag.h"

enum { REGION_EXPERIMENTS = 3, REGION_RUNS = 5, REGION_EPSILONS = 3 };

// Epsilons of a table in its units, for ordinary pairs and for pairs with the last body ("a,b" in Table 3).
typedef struct region_experiment {
    const char *scene;
    size_t quick_steps;  // of a quick run: until shortly after bodies touch
    bool kinds;  // whether pairs with the last body have their own epsilons
    double epsilon[REGION_RUNS][2][REGION_EPSILONS];
} region_experiment;

extern const region_experiment region_experiments[REGION_EXPERIMENTS];

// All numbers are sums over the tested steps. As in the paper, a collision is two leaves with vertices closer than the last
// epsilon.
typedef struct region_tally {
    size_t collisions, lost;  // reported; missed at the set's own last epsilon
    size_t pairs, missed, too_many;  // pairs of bodies reported; `all` has those at the last epsilon of the paper's best set
    size_t opened[SNAG_REGION_LEVELS];
    size_t types[CONTACT_TYPES];  // `exact`: contacts of the bodies that collide, by the type of their closest features
    double ms;
} region_tally;

typedef struct region_result {
    size_t bodies, steps;
    size_t asked, touching;  // steps tested; steps in which some bodies collide
    double unit;  // of the tables, in metres: see region_runs.c
    double radii[2][REGION_EPSILONS - 1];  // equation 6 at the first step, for both kinds of pairs: levels 1 and 2
    double contact;  // the last epsilon of the paper's best set, the third
    region_tally runs[REGION_RUNS], exact;
    region_tally all;  // brute force over all pairs of leaves, at that epsilon
} region_result;

// Runs an experiment's scene: all of it, or `quick`, with questions only in some steps.
snag_status region_epsilons(size_t experiment, bool quick, region_result *result, void (*progress)(void *context, double done),
                            void *context);

#endif
