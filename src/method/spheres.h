// What the files of `spheres` share: the sphere tree of each body, kept from ask to ask.
#ifndef SNAG_METHOD_SPHERES_H
#define SNAG_METHOD_SPHERES_H

#include "bound/crowd.h"
#include "bound/sphere_tree.h"
#include "method/method.h"

// The tree of one body, and what its place is known by.
typedef struct snag__spheres_body {
    snag_body_id id;  // zero: nobody's
    snag__sphere_tree tree;
    uint64_t pose;           // of the body, when it was last looked at
    uint64_t anchor;         // the pose whose positions the tree is made of
    double (*reference)[3];  // those positions, if the body is somewhere else by now; else NULL
    uint32_t reference_count;
    double lo[3], hi[3];  // the box of the body now
    // Three vertices far apart in the anchor pose, whose motion tells how the whole moves.
    bool sampled;
    uint32_t sample[3];
} snag__spheres_body;

// Two leaves whose spheres meet.
typedef struct snag__leaf_pair {
    snag__sphere_node a, b;
    uint32_t body_a, body_b;  // places in ask->bodies
} snag__leaf_pair;

typedef struct snag__spheres_state {
    snag__buffer bodies;  // of snag__spheres_body *, by the index of the body's id
    uint32_t body_count;
    uint64_t step;  // counts asks
    snag__crowd crowd;
    snag__buffer boxes, masks, pairs, leaves, sorted;
    size_t pair_count;
} snag__spheres_state;

snag__spheres_state *snag__spheres_state_of(snag__ask *ask);

// The tree of ask->bodies[i].
snag__spheres_body *snag__spheres_body_of(snag__spheres_state *state, const snag__ask *ask, uint32_t i);

// Gives every body of the ask a tree that is where the body is: moved with a rigid motion, begun anew by any other. Trees of
// bodies that are gone go too. `depth`: to which levels will be made.
snag_status snag__spheres_update(snag__ask *ask, snag__spheres_state *state, uint32_t depth);

// Deletes what was looked at last before `step`.
void snag__spheres_forget(snag__ask *ask, snag__spheres_state *state, uint64_t step);

// The level below a node; made if it is not there. NULL without memory.
snag__sphere_level *snag__spheres_below(snag__ask *ask, snag__spheres_state *state, uint32_t body, snag__sphere_node node);

#endif
