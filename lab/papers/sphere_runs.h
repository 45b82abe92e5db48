// The experiments of the on-collide sphere tree: Rodriguez, Franquesa, A new sphere-tree generation method to speed up the
// collision detection pipeline, 2005. Used by `snag repro rodriguez`. One thread.
#ifndef SNAG_LAB_SPHERE_RUNS_H
#define SNAG_LAB_SPHERE_RUNS_H

#include "snag/lab.h"
#include "snag/sim.h"
#include "snag/snag.h"
#include "sphere_models.h"

// How a part of a box that the surface meets is found.
typedef enum sphere_way {
    SPHERE_CPU,  // exact arithmetic
    SPHERE_GL,  // occlusion queries that miss nothing
    SPHERE_PRINTED,  // occlusion queries by Algorithm 1 as printed
    SPHERE_WAYS
} sphere_way;

// ---- Table 1: one level of a tree ----

typedef struct sphere_level {
    double ms;  // processor time, minimum of some runs
    size_t tests;  // boxes tested, or occlusion queries
} sphere_level;

// SNAG_ERROR_UNSUPPORTED: OpenGL is not available.
snag_status sphere_level_build(const snag_shape *model, sphere_way way, int repeats, sphere_level *level);

// ---- Figure 2: a whole tree ----

typedef struct sphere_tree {
    snag_tree_sphere *spheres;  // of malloc
    size_t count;
    size_t tests;
} sphere_tree;

// All spheres down to a depth.
snag_status sphere_whole_tree(const snag_shape *model, sphere_way way, uint32_t depth, sphere_tree *tree);
// Of the spheres of a tree at a depth, how many another one does not have; *all: how many there are.
size_t sphere_missed(const sphere_tree *exact, const sphere_tree *other, uint32_t depth, size_t *all);

// ---- Table 2: an object that passes three others ----

// The scene `rodriguez` of snag/sim.h with the models of sphere_models.h: dragon-like, past bunny-, lamp- and cow-like.
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
snag_status sphere_animation(snag_question question, sphere_way way, sphere_run *run, void (*progress)(void *context, double done),
                             void *context);

// Figures 5 to 8: calls `show` with the bodies and the trees at these frames, in ascending order.
snag_status sphere_frames(const int *frames, size_t count,
                          void (*show)(void *context, size_t index, const snag_sim *sim, const snag_lab_results *trees),
                          void *context);

#endif
