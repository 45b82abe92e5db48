// The corners of one polygon in a tree of boxes, so that those near a triangle are found without looking at all of
// them. A polygon here is its projection: coordinate `axis` is dropped, u and v are the next two in cyclic order.
#ifndef SNAG_MESH_CORNER_TREE_H
#define SNAG_MESH_CORNER_TREE_H

#include "base/memory.h"

#define SNAG__NO_CORNER UINT32_MAX

// One corner of the loop. The polygon may pass through one vertex, or through one place, at several corners.
typedef struct snag__corner {
    const double *at;
    uint32_t before, after;  // its neighbours among the corners that are left
    // Of snag__clip_ears: the queue it stands in, and the corner that it watches (see there).
    uint32_t queue_before, queue_after;
    uint32_t watched, watcher_before, watcher_after;
    uint32_t watchers[2];
    uint32_t blocked_by;  // what it watched last
    uint8_t queue, watch_kind;
    bool cut;  // no longer in the loop
} snag__corner;

// Corners in the order of a space-filling curve, eight to a leaf; the leaves and the nodes over them form a complete
// binary tree: node i has the children 2 i and 2 i + 1, and the root is 1.
typedef struct snag__corner_node {
    double low[2], high[2];  // box of the corners at the start
    double edges_low, edges_high;  // range of v of the edges that start at its corners
    double edges_right;  // their largest u
    uint32_t left;  // corners below that are not cut
    uint32_t padding;
} snag__corner_node;

typedef struct snag__corner_tree {
    snag__corner_node *nodes;  // NULL: no tree, all corners are looked at
    uint32_t *order;  // corners by leaf
    uint32_t *leaf_of;
    uint32_t first_leaf, count;
    int u, v;
} snag__corner_tree;

// Bytes of memory that a tree of `count` corners needs; 0 for few corners, which do without a tree.
uint64_t snag__corner_tree_bytes(uint32_t count);
// Builds the tree in `memory`. All corners are in the loop.
void snag__corner_tree_build(snag__corner_tree *tree, const snag__corner *corners, uint32_t count, int axis, void *memory);
// Corner i is cut.
void snag__corner_tree_cut(snag__corner_tree *tree, uint32_t i);
// Corner i has a new edge, to `at`.
void snag__corner_tree_edge(snag__corner_tree *tree, uint32_t i, const double *at);

// A walk through the tree: each call finds a leaf that may hold what is looked for, and gives its corners.
typedef struct snag__corner_walk {
    uint32_t stack[64];  // two nodes for each level at most
    uint32_t depth;
} snag__corner_walk;

static inline snag__corner_walk snag__corner_walk_start(void)
{
    return (snag__corner_walk){.stack = {1}, .depth = 1};
}

// A triangle that is looked at: a, b, c turn left if `turn` is 1, right if it is -1.
typedef struct snag__corner_triangle {
    const double *point[3];
    int axis, turn;
    double low[2], high[2];  // its box
} snag__corner_triangle;

// Corners in a leaf whose box meets the triangle. False: no more.
bool snag__corner_walk_near(const snag__corner_tree *tree, snag__corner_walk *walk, const snag__corner_triangle *triangle,
                            const uint32_t **corners, uint32_t *count);
// Corners in a leaf with an edge that a ray from `from` to larger u may meet; the ray may also pass a little higher or
// lower.
bool snag__corner_walk_right(const snag__corner_tree *tree, snag__corner_walk *walk, const double *from, const uint32_t **corners,
                             uint32_t *count);

#endif
