// Shared by the files of `spheres`: the sphere tree of each body, kept from ask to ask.
#ifndef SNAG_METHOD_SPHERES_H
#define SNAG_METHOD_SPHERES_H

#include "bound/body_pairs.h"
#include "bound/sphere_tree.h"
#include "gpu/gpu.h"
#include "query/kind.h"

// A block of a source.
typedef struct snag__loaded_block {
    double *corners;  // NULL: not loaded
    size_t bytes;
    uint64_t used;  // the last step that used it
} snag__loaded_block;

typedef struct snag__spheres_blocks {
    snag__loaded_block *blocks;  // one for each block of the source; NULL while none is loaded
    size_t count;
    uint32_t loaded;
    size_t bytes;
    uint64_t read_count;
    snag__buffer ids, x, triangles;  // the window of an ask
} snag__spheres_blocks;

// The tree of one body, and its rigid motion.
typedef struct snag__spheres_body {
    snag_body_id id;  // zero: of no body
    uint64_t topology;  // stamp of the elements that the tree was built from
    snag__sphere_tree tree;
    uint64_t pose;  // of the body at the last update
    uint32_t depth;  // up to which the tree follows the body closely enough
    uint64_t anchor;  // the pose that the tree was built from
    double (*reference)[3];  // the positions of that pose, if the body has moved since; else NULL
    uint32_t reference_count;
    double lo[3], hi[3];  // the present box of the body
    // Three vertices far apart in the anchor pose, which determine the rigid motion.
    bool sampled;
    uint32_t sample[3];
    snag_backend backend;  // that built the tree
    snag_spheres_rule rule;  // likewise
    snag__spheres_blocks blocks;  // of a source
} snag__spheres_body;

// Two leaves whose spheres meet.
typedef struct snag__sphere_pair {
    snag__sphere_node a, b;
    uint32_t body_a, body_b;  // indices into ask->bodies
} snag__sphere_pair;

typedef struct snag__spheres_state {
    snag__buffer bodies;  // of snag__spheres_body *, by the index of the body's id
    uint32_t body_count;
    uint64_t step;  // counts asks
    uint64_t busy;  // the last ask that opened a root or found a pair; 0: none since memory was freed
    snag__body_pairs body_pairs;
    snag__gpu *gpu;  // of the backend gl, once it was used
    snag__buffer boxes, masks, pairs, leaves, sorted, corners, octants, gathered, drawn;
    size_t pair_count;
} snag__spheres_state;

snag__spheres_state *snag__spheres_state_of(snag__ask *ask);
void snag__spheres_free(const snag_allocator *allocator, snag__buffer *memory);

// The tree of ask->bodies[i].
snag__spheres_body *snag__spheres_body_of(snag__spheres_state *state, const snag__ask *ask, uint32_t i);

// Updates the trees of all bodies: a tree follows a rigid motion and starts over with any other. Frees the trees of removed bodies.
// `depth`: the deepest level that will be made.
snag_status snag__spheres_update(snag__ask *ask, snag__spheres_state *state, uint32_t depth);

// Lists the spheres of all trees in ask->lab.
snag_status snag__spheres_draw(snag__ask *ask, snag__spheres_state *state);

// Frees branches that were last used before `step`; if none are left, the memory of searches and answers too.
void snag__spheres_forget(snag__ask *ask, snag__spheres_state *state, uint64_t step);

// The level below a node of ask->bodies[i]; made if it does not exist.
snag_status snag__spheres_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                snag__sphere_level **level);

// The same for a source (spheres_source.c): from the boxes of blocks while a node has many, then from their triangles.
snag_status snag__spheres_read_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                     snag__sphere_level **level);
// Loads the triangles of all leaves in contact into the windows of the sources.
snag_status snag__spheres_fill_windows(snag__ask *ask, snag__spheres_state *state);
// Frees blocks that were not used since `step`; with `all` all blocks and their table.
void snag__spheres_blocks_forget(snag__spheres_blocks *blocks, uint64_t step, bool all, const snag_allocator *allocator);
void snag__spheres_blocks_free(snag__spheres_blocks *blocks, const snag_allocator *allocator);

// Computes which octants of a box each triangle meets (state->masks), and which octants are grey: a triangle meets them.
snag_status snag__spheres_classify(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                   const uint32_t *list, uint32_t count, const snag__octants *octants, uint8_t *grey);

// The same by the backend gl (spheres_gl.c). `list` has the numbers of the triangles, NULL: 0 .. count - 1; masks[i] says which
// octants their boxes meet.
snag_status snag__spheres_gl_octants(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                     const uint32_t *list, uint32_t count, const snag__octants *octants, const uint8_t *masks,
                                     uint8_t *grey);
// The paper's rule: draws all triangles, and may miss some. False if the box has no middle to cut it at: it needs the rule above.
bool snag__spheres_gl_can_be_plain(const snag__octants *octants);
snag_status snag__spheres_gl_plain(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                   const snag__octants *octants, uint8_t *grey);

#endif
