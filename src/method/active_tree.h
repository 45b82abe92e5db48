// The hierarchy of the method `active`: a tree of k-DOPs over the triangles, refitted lazily, from which pairs of overlapping leaves
// are drawn at random, each with a known probability.
#ifndef SNAG_METHOD_ACTIVE_TREE_H
#define SNAG_METHOD_ACTIVE_TREE_H

#include "base/random.h"
#include "bound/bvh_kernel.h"
#include "query/kind.h"

// The displacement of a body when its tree was refitted.
typedef struct snag__active_fit {
    double displacement;  // of the body, when the sweep that made these bounds began
    uint32_t jumps;  // likewise
    double margin;  // by which the bounds were inflated beyond the reach
    double sweep_displacement;  // during the last sweep
    double next_margin;  // of the sweep in progress, and the state of the body when it began
    double begun_displacement;
    uint32_t begun_jumps;
    uint64_t begun_pose;
} snag__active_fit;

typedef struct snag__active_tree {
    snag__bvh bvh;  // of triangles
    snag__buffer bodies, poses, scratch, fits, order, frontier[2];
    snag__bvh_search search;
    const snag__bvh_kernels *kernels;
    const snag__node_pair *pairs;  // overlapping pairs of nodes, from which draws descend
    size_t pair_count;
    double reach;  // of the question that the bounds are for
    bool holds;  // every contact is certainly in some pair: no body has moved farther than the margin of its bounds

    // A refit in slices, for budgets: the tree, its level (`levels` stands for the elements), and the next node or element.
    uint32_t sweep_tree, sweep_level, sweep_next;
    bool sweeping;
    bool sliced;  // some bounds were written by a slice
} snag__active_tree;

// Two overlapping leaves, and the inverse of the probability of drawing them.
typedef struct snag__drawn_leaves {
    uint32_t a, b;  // nodes
    double weight;
} snag__drawn_leaves;

// Updates the tree and finds the pairs of nodes from which draws descend. `until_us`: when to stop refitting (UINT64_MAX: never); the
// rest is done in the next asks, and bounds have a margin for how far bodies move meanwhile.
snag_status snag__active_tree_update(snag__active_tree *tree, const snag__ask *ask, uint64_t until_us);

// Draws a pair of overlapping leaves: descends from pair `from` of the frontier to a random overlapping pair of children at each
// level. False if a pair has none.
bool snag__active_tree_draw(const snag__active_tree *tree, size_t from, snag__random *random, snag__drawn_leaves *pair);

// Lists the pairs of triangles of two leaves whose bounds overlap, as slots of the BVH; both arrays have room for SNAG__LEAF_HITS.
// Returns how many.
enum { SNAG__LEAF_HITS = SNAG__COMPARE_ROOM };
size_t snag__active_tree_compare(const snag__active_tree *tree, const snag__drawn_leaves *pair, uint32_t *rows, uint32_t *columns);

void snag__active_tree_free(const snag_allocator *allocator, snag__active_tree *tree);

#endif
