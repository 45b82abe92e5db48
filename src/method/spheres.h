// What the files of `spheres` share: the sphere tree of each body, kept from ask to ask.
#ifndef SNAG_METHOD_SPHERES_H
#define SNAG_METHOD_SPHERES_H

#include "bound/body_pairs.h"
#include "bound/sphere_tree.h"
#include "gpu/gpu.h"
#include "query/kind.h"

// Blocks of a source that are at hand.
typedef struct snag__loaded_block {
    double *corners;  // NULL: not at hand
    size_t bytes;
    uint64_t used;  // the step that looked at it last
} snag__loaded_block;

typedef struct snag__spheres_blocks {
    snag__loaded_block *blocks;  // one for each of the source; NULL while none is at hand
    size_t count;
    uint32_t loaded;
    size_t bytes;
    uint64_t read_count;
    snag__buffer ids, x, triangles;  // the window of an ask
} snag__spheres_blocks;

// The tree of one body, and what its place is known by.
typedef struct snag__spheres_body {
    snag_body_id id;  // zero: nobody's
    snag__sphere_tree tree;
    uint64_t pose;  // of the body, when it was last looked at
    uint32_t depth;  // for which the tree follows the body closely enough
    uint64_t anchor;  // the pose whose positions the tree is made of
    double (*reference)[3];  // those positions, if the body is somewhere else by now; else NULL
    uint32_t reference_count;
    double lo[3], hi[3];  // the box of the body now
    // Three vertices far apart in the anchor pose, whose motion tells how the whole moves.
    bool sampled;
    uint32_t sample[3];
    snag_backend backend;  // that made the tree
    snag__spheres_blocks blocks;  // of a source
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
    uint64_t busy;  // the last one that looked below a root or found a pair; 0: none since memory was given back
    snag__body_pairs body_pairs;
    snag__gpu *gpu;  // of the backend gl, once it was asked for
    snag__buffer boxes, masks, pairs, leaves, sorted, corners, octants, gathered;
    size_t pair_count;
} snag__spheres_state;

snag__spheres_state *snag__spheres_state_of(snag__ask *ask);
void snag__spheres_free(const snag_allocator *allocator, snag__buffer *state);

// The tree of ask->bodies[i].
snag__spheres_body *snag__spheres_body_of(snag__spheres_state *state, const snag__ask *ask, uint32_t i);

// Gives every body of the ask a tree that is where the body is: moved with a rigid motion, begun anew by any other. Trees of
// bodies that are gone go too. `depth`: to which levels will be made.
snag_status snag__spheres_update(snag__ask *ask, snag__spheres_state *state, uint32_t depth);

// Deletes what was looked at last before `step`; if that is all there was, the memory of searches and answers too.
void snag__spheres_forget(snag__ask *ask, snag__spheres_state *state, uint64_t step);

// The level below a node of ask->bodies[i]; made if it is not there.
snag_status snag__spheres_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                snag__sphere_level **level);

// The same for a source (spheres_source.c): by the boxes of blocks as long as there are many, then by their triangles.
snag_status snag__spheres_read_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                     snag__sphere_level **level);
// Brings the triangles of leaves in contact to hand: they stand in the windows of the sources afterwards.
snag_status snag__spheres_fill_windows(snag__ask *ask, snag__spheres_state *state);
// Lets blocks go that nobody looked at since `step`; with `all` the table of them too.
void snag__spheres_blocks_forget(snag__spheres_blocks *blocks, uint64_t step, bool all, const snag_allocator *allocator);
void snag__spheres_blocks_free(snag__spheres_blocks *blocks, const snag_allocator *allocator);

// Which octants of a box each of some triangles meets (in state->masks), and which of them are grey.
snag_status snag__spheres_classify(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                   const uint32_t *list, uint32_t count, const snag__octants *octants, uint8_t *grey);

// The octants of a node's box that its triangles meet, as the backend gl sees it (spheres_gl.c). The triangles are numbered by
// `list`, or with NULL 0 .. count - 1; masks[i] says which octants their boxes meet.
snag_status snag__spheres_gl_octants(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                     const uint32_t *list, uint32_t count, const snag__octants *octants, const uint8_t *masks,
                                     uint8_t *grey);

#endif
