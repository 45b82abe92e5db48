// A quick proof that a projected contour of one loop, or of two, meets itself nowhere, at one pose or through a whole
// move.
//
// Each edge is compared with those that follow it; then blocks of edges by their boxes, and where these are not apart
// edge by edge. Nothing is sorted, and whole vectors of edges are looked at together. What cannot be proven here is
// left to the sweep (regularity_contour.c). Proof: docs/methods/regularity.md.
#ifndef SNAG_METHOD_REGULARITY_CHAIN_H
#define SNAG_METHOD_REGULARITY_CHAIN_H

#include "bound/surface_tree.h"

enum {
    SNAG__CHAIN_AXES = 4,  // the coordinates x, y, x + y and x - y of a projected point
    SNAG__CHAIN_LOOPS = 2,
    SNAG__BLOCK_EDGES = 4,
    SNAG__CHAIN_WINDOW = 2 * SNAG__BLOCK_EDGES - 1,  // edges further along than this are not in the same block, nor in the next
};

// Boxes in the plane, by pose and coordinate. Those behind the last, up to a whole vector, are empty.
typedef struct snag__chain_boxes {
    float *lo[2][2], *hi[2][2];
    uint32_t count;
} snag__chain_boxes;

typedef struct snag__chain {
    // Loops, each in its order, followed by its first vertices again.
    uint32_t *vertices;
    uint32_t loop_first[SNAG__CHAIN_LOOPS], loop_edges[SNAG__CHAIN_LOOPS], loops;

    // Like the vertices, by pose: where they are, and the extent of the edges that begin there, the upper end with a
    // margin.
    float *x[2], *y[2];
    float *lo[2][SNAG__CHAIN_AXES], *hi[2][SNAG__CHAIN_AXES];

    uint32_t *block_first, *block_end;  // edges of each block
    snag__chain_boxes blocks, groups;  // of edges, and of as many blocks as a vector holds
} snag__chain;

size_t snag__chain_bytes(uint32_t edges);
// Cuts room for so many edges out of a block of so many bytes, aligned to 64.
void snag__chain_make(snag__chain *chain, void *memory, uint32_t edges);

// A chain by hand: the vertices of a loop are written from `first` on (0, or where the last call says), then it is
// ended. Says where the next one may begin; 0: it is too short. At most SNAG__CHAIN_LOOPS.
void snag__chain_begin(snag__chain *chain);
uint32_t snag__chain_end_loop(snag__chain *chain, uint32_t first, uint32_t count);

// The contour of patch a, or of a and b together (b == UINT32_MAX: a alone). False: it is no single loop, nor that of
// two patches without a common edge, or nothing is known of its loops.
bool snag__chain_gather(snag__chain *chain, const snag__surface_tree *tree, uint32_t a, uint32_t b);

// How a chain is looked at.
typedef struct snag__chain_view {
    const double (*x[2])[3];  // positions at the end of the move, and at its beginning
    int poses;  // 1: the end alone
    double origin[3], across[2][3];  // see snag__projection
    double reach;  // the largest coordinate relative to the origin, at all poses
} snag__chain_view;

typedef struct snag__chain_kernels {
    // Whether the loops certainly meet neither themselves nor each other apart from common vertices where one edge ends
    // and the other begins, and are not nested, at all times of the move.
    bool (*is_simple)(snag__chain *chain, const snag__chain_view *view);
} snag__chain_kernels;

SNAG__DECLARE_KERNELS(snag__chain_kernels, snag__chain_kernels);
const snag__chain_kernels *snag__chain_kernels_for(snag_isa isa);

#endif
