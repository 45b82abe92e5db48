// Searches on simulated garments, for the experiments of the active pairs paper: a figure and what it wears, moved by the simulator.
#ifndef SNAG_LAB_GARMENT_RUNS_H
#define SNAG_LAB_GARMENT_RUNS_H

#include "active_runs.h"
#include "snag/sim.h"

enum { GARMENT_BODIES = 4 };

typedef struct garment_job {
    const snag_sim_def *def;  // the scene; its first body is the figure. Its seed is also that of the searches
    int settle;  // steps before the first that counts: garments fall into place
    int steps;
    const figure_way *ways;  // the first must be complete
    size_t count;
    size_t staged;  // so many of the first also measure their stages
    // Called after each step with what the simulator did; may be NULL.
    void (*watch)(void *context, snag_sim *sim, int step);
    void (*progress)(void *context, double done);
    void *context;
} garment_job;

// All variants take turns, step by step, on the same motion. `triangles`: of the figure, and of all garments.
snag_status garment_runs(const garment_job *job, figure_run *runs, size_t triangles[2]);

// Time of runs 0..count-1, in order of growing work, at a ratio: interpolated between the two runs around it, with logarithms of times.
// `least`: of the least ratio, else of the mean. NaN if no run reaches it. Below the first run's ratio: that run's time.
double garment_time_at(const figure_run *runs, size_t count, double ratio, bool least);

#endif
