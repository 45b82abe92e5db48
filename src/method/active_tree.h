// Where pairs may be in contact, for the method `active`: a tree of k-DOPs over the triangles, refitted lazily, from which
// pairs of overlapping leaves are drawn at random, each with a probability that is known.
#ifndef SNAG_METHOD_ACTIVE_TREE_H
#define SNAG_METHOD_ACTIVE_TREE_H

#include "base/random.h"
#include "bound/bvh_kernel.h"
#include "query/kind.h"

// How far a body had moved when a tree of the BVH was refitted.
typedef struct snag__active_fit {
    double displacement;  // of the body, when the sweep that made these bounds began
    uint32_t jumps;  // likewise
    double margin;  // by which the bounds were grown beyond the reach
    double sweep_displacement;  // how far it moved during the last sweep
    double next_margin;  // for the sweep that is under way, and how the body was when it began
    double begun_displacement;
    uint32_t begun_jumps;
    uint64_t begun_pose;
} snag__active_fit;

typedef struct snag__active_tree {
    snag__bvh bvh;  // of triangles
    snag__buffer bodies, poses, scratch, fits, order, frontier[2];
    snag__bvh_search search;
    const snag__bvh_kernels *kernels;
    const snag__node_pair *pairs;  // overlapping pairs of nodes, from which draws go down
    size_t pair_count;
    double reach;  // of the question that the bounds are for
    bool holds;  // whether every contact is certainly in some pair: no body has moved farther than the margin of its bounds

    // A refit in slices, for budgets: the tree, its level (the number of levels: its elements), and the next of them.
    uint32_t sweep_tree, sweep_level, sweep_next;
    bool sweeping;
    bool sliced;  // some bounds were written by a slice
} snag__active_tree;

// Two leaves that overlap, and one over the probability that a draw gives them.
typedef struct snag__leaf_pair {
    uint32_t a, b;  // nodes
    double weight;
} snag__leaf_pair;

// Brings the tree up to date and finds the pairs of nodes from which draws go down. `until_us`: when to stop refitting
// (UINT64_MAX: never); the rest is done in the next asks, and bounds are grown by what bodies moved meanwhile.
snag_status snag__active_tree_update(snag__active_tree *tree, const snag__ask *ask, uint64_t until_us);

// Draws a pair of overlapping leaves: from pair `from` of the frontier down, at each node to one of the overlapping pairs of
// children. False where a pair has none.
bool snag__active_tree_draw(const snag__active_tree *tree, size_t from, snag__random *random, snag__leaf_pair *pair);

// The pairs of triangles of two leaves whose bounds overlap, as slots of the BVH; both arrays have room for
// SNAG__LEAF_HITS. Returns how many.
enum { SNAG__LEAF_HITS = SNAG__COMPARE_ROOM };
size_t snag__active_tree_compare(const snag__active_tree *tree, const snag__leaf_pair *pair, uint32_t *rows, uint32_t *columns);

void snag__active_tree_free(const snag_allocator *allocator, snag__active_tree *tree);

#endif
