// The experiments of the on-collide sphere tree: Rodriguez, Franquesa, A new sphere-tree generation method to speed up the
// collision detection pipeline, 2005. Used by `snag repro rodriguez`. One thread.
#ifndef SNAG_LAB_SPHERE_RUNS_H
#define SNAG_LAB_SPHERE_RUNS_H

#include "snag/snag.h"

// ---- Table 1: one level of a tree ----

// Models with about as many triangles as the paper's, by index; false if there is no such model.
bool sphere_model(size_t index, const char **name, snag_shape *shape);

typedef struct sphere_level {
    double ms;  // processor time, minimum of some runs
    size_t tests;  // boxes tested, or occlusion queries
} sphere_level;

// SNAG_ERROR_UNSUPPORTED: the backend is not available.
snag_status sphere_level_build(const snag_shape *model, snag_backend backend, int repeats, sphere_level *level);

// ---- Table 2: an object that passes three others ----

// The scene `rodriguez` of snag/sim.h.
enum { SPHERE_SECONDS = 14, SPHERE_FRAMES = 60, SPHERE_DEPTH = 5, SPHERE_BODIES = 4 };

typedef struct sphere_second {
    double fps;  // frames per second of processor time, for moves and answers
    double longest_ms;  // longest frame
    double tests;  // box tests or occlusion queries
    double levels;  // levels built
    double contacts;  // pairs of leaves, mean
    double bytes;  // of all trees, at the end of the second
} sphere_second;

typedef struct sphere_frame {
    double ms;
    size_t contacts;  // pairs of leaves
    uint64_t made;  // levels built
} sphere_frame;

typedef struct sphere_run {
    sphere_frame frames[SPHERE_SECONDS * SPHERE_FRAMES];
    size_t frame_count;
    size_t triangles[SPHERE_BODIES];  // of the moving object, then of the others
    sphere_second seconds[SPHERE_SECONDS];
    // Mean milliseconds per frame in contact: frames that build levels, and frames that build none.
    double building_ms, resting_ms;
    size_t building_count, resting_count;
} sphere_run;

// Overlaps at depth SPHERE_DEPTH, or intersections.
snag_status sphere_animation(snag_question question, snag_backend backend, sphere_run *run,
                             void (*progress)(void *context, double done), void *context);

#endif
