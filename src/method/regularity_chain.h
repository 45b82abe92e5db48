// A quick proof that a projected contour of one or two loops does not intersect itself, at one pose or through a whole move.
//
// Each edge is compared with those that follow it; then blocks of edges by their boxes, and edge by edge where the boxes meet.
// Nothing is sorted, and edges are compared by SIMD. Contours that cannot be proven here are left to the sweep
// (regularity_contour.c). Proof: docs/design/regularity.md.
#ifndef SNAG_METHOD_REGULARITY_CHAIN_H
#define SNAG_METHOD_REGULARITY_CHAIN_H

#include "base/assert.h"
#include "base/memory.h"
#include "bound/surface_tree.h"

enum {
    SNAG__CHAIN_AXES = 4,  // the coordinates x, y, x + y and x - y of a projected point
    SNAG__CHAIN_LOOPS = 2,
    SNAG__BLOCK_EDGES = 4,
    SNAG__CHAIN_WINDOW = 2 * SNAG__BLOCK_EDGES - 1,  // edges farther along are neither in the same block nor in the next
};

// Boxes in the plane, by pose and coordinate, padded with empty boxes to a whole vector.
typedef struct snag__chain_boxes {
    float *lo[2][2], *hi[2][2];
    uint32_t count;
} snag__chain_boxes;

typedef struct snag__chain {
    // The vertices of each loop in order, then its first vertices again.
    uint32_t *vertices;
    uint32_t loop_first[SNAG__CHAIN_LOOPS], loop_edges[SNAG__CHAIN_LOOPS], loops;

    // By pose and vertex: its position, and the extent of the edge that begins there, with a margin at the upper end.
    float *x[2], *y[2];
    float *lo[2][SNAG__CHAIN_AXES], *hi[2][SNAG__CHAIN_AXES];

    uint32_t *block_first, *block_end;  // edges of each block
    snag__chain_boxes blocks, groups;  // of edges, and of as many blocks as a vector holds
} snag__chain;

// The arrays of a chain of up to `edges` edges, for snag__rooms_carve.
enum { SNAG__CHAIN_ROOMS = 2 * (2 + 2 * SNAG__CHAIN_AXES) + 2 * 8 + 3 };
void snag__chain_rooms(snag__chain *chain, uint32_t edges, snag__room rooms[SNAG__CHAIN_ROOMS]);

// Building a chain by hand: write the vertices of a loop from `first` on (0, or what the last call returned), then end it. Returns
// where the next loop begins; 0: the loop is too short. At most SNAG__CHAIN_LOOPS.
void snag__chain_begin(snag__chain *chain);
uint32_t snag__chain_end_loop(snag__chain *chain, uint32_t first, uint32_t count);

// Gathers the contour of patch a, or of a and b together (b == UINT32_MAX: a alone). False: it is not a single loop, nor two loops
// of patches without a common edge, or its loops are unknown.
bool snag__chain_gather(snag__chain *chain, const snag__surface_tree *tree, uint32_t a, uint32_t b);

// A projection of a chain.
typedef struct snag__chain_view {
    const double (*x[2])[3];  // positions at the end of the move, and at its start
    int poses;  // 1: the end alone
    double origin[3], across[2][3];  // see snag__projection
    double largest;  // coordinate relative to the origin, at all poses
} snag__chain_view;

typedef struct snag__chain_kernels {
    // Whether the loops certainly do not intersect themselves or each other, except at common vertices where one edge ends and
    // the next begins, and are not nested, at all times of the move.
    bool (*is_simple)(snag__chain *chain, const snag__chain_view *view);
} snag__chain_kernels;

SNAG__DECLARE_KERNELS(snag__chain_kernels, snag__chain_kernels);
const snag__chain_kernels *snag__chain_kernels_for(snag_isa isa);

#endif
