// The experiments of the active pairs paper: Kimmerle, Nesme, Faure, Hierarchy Accelerated Stochastic Collision Detection,
// VMV 2004. Used by bench_active and `snag repro kimmerle`.
#ifndef SNAG_LAB_ACTIVE_RUNS_H
#define SNAG_LAB_ACTIVE_RUNS_H

#include "common/any_question.h"
#include "../../sim/posed/figure_scene.h"

// ---- Fig. 3: a torus and an ellipsoid at rest ----

// Number of triangles of each, and the number of all contacts.
snag_status torus_truth(size_t triangles[2], size_t *contacts);
// The fraction of `all` contacts found after each of `steps` steps, from a cold start.
snag_status torus_ratios(bool pure, uint32_t pairs, uint64_t seed, size_t all, int steps, double *ratio);
// The mean over seeds 1..seeds.
snag_status torus_mean_ratios(bool pure, uint32_t pairs, int seeds, size_t all, int steps, double *mean);
// The fewest pairs per step (a power of two) with which most seeds reach this ratio within the given steps; 0: more than 4096.
enum { TORUS_MOST_PAIRS = 4096, TORUS_MOST_STEPS = 64 };
snag_status torus_pairs_needed(bool pure, double wanted, int steps, int seeds, size_t all, uint32_t *pairs);

// ---- Tables 1 to 3: a dressed figure ----

typedef struct figure_world {
    snag_world *world;
    snag_body_id figure, dress;
} figure_world;

// On one thread. On failure the world is NULL.
snag_status figure_world_open(const figure_scene *scene, figure_world *w);
snag_status figure_world_move(const figure_world *w, const figure_scene *scene);
// The figure is rigid: only the dress is tested for self-contacts. The question points into *w.
any_question figure_question(figure_world *w, snag_method method);

// A variant: `kdop`, or `active`.
typedef struct figure_way {
    snag_method method;
    bool pure;
    uint32_t new_pairs;  // 0: automatic
    double target;  // 0: none
} figure_way;

enum { FIGURE_MOST_STEPS = 1600 };

typedef struct figure_run {
    double total_us;  // moves and answers, processor time of the thread
    double update_us;  // answers with every pair rejected: the cost of the hierarchy only
    double overlap_us;  // extra cost of finding overlapping volumes: answers that stop before the exact stage
    double contacts;  // number of all contacts, mean
    double ratio, least;  // fraction found: mean, and minimum from step 6 on
    double held, width;  // of the reported interval: how often it was right, and its width
    double ratios[FIGURE_MOST_STEPS], estimates[FIGURE_MOST_STEPS];  // true, and as the answer says
} figure_run;

// Adds a step's answer to a run; `all`: how many contacts there are.
void figure_run_keep(figure_run *run, int step, int steps, double all, const snag_answer *found);
// All variants take turns, step by step; the first must be complete. The callback gets the fraction done.
snag_status figure_runs(figure_scene *scene, int steps, const figure_way *ways, size_t count, figure_run *runs,
                        void (*progress)(void *context, double done), void *context);

#endif
