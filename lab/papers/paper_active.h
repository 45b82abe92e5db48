// Plain implementation of the active pairs paper, for its parameters that `active` does not have: Kimmerle, Nesme, Faure, Hierarchy
// Accelerated Stochastic Collision Detection, VMV 2004. Pairs of points of two surfaces, drawn from overlapping leaves of two hierarchies
// of boxes, walk to local minima of their distance; pairs closer than a threshold collide, are kept from step to step, and lead to their
// neighbours. Two ways to follow a cluster: by one ring of neighbours in each step (the paper's), or all of it by a recursive search
// from each new collision (earlier work, section 3). Points of one surface that are near along it do not collide.
#ifndef SNAG_LAB_PAPER_ACTIVE_H
#define SNAG_LAB_PAPER_ACTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snag/shapes.h"

typedef struct paper_active paper_active;

typedef struct paper_active_def {
    const snag_shape *a, *b;  // borrowed; their positions may change between steps, nothing else. The same: against itself
    double distance;  // closer points collide
    uint32_t leaf;  // most triangles of a leaf
    uint32_t new_pairs;  // drawn in each step
    bool recursive;  // clusters are searched at once
    uint64_t seed;
} paper_active_def;

// Milliseconds of processor time.
typedef struct paper_active_step {
    double update_ms, overlap_ms, total_ms;
    size_t leaf_pairs;  // that overlap
    size_t found;  // colliding pairs of points
    size_t looked_at;  // pairs of points whose distance was computed
} paper_active_step;

// NULL: out of memory.
paper_active *paper_active_new(const paper_active_def *def);
void paper_active_free(paper_active *p);
// False: out of memory.
bool paper_active_run(paper_active *p, paper_active_step *step);

// How many pairs of points collide where the surfaces are now; SIZE_MAX: out of memory. Two points of one surface collide if they are
// closer than the distance, and the way between them along edges was longer than twice the distance when `p` was made.
size_t paper_active_truth(const paper_active *p);

#endif
