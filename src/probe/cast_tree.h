// What rays read of the trees of triangles, in single precision and in the order in which they read it: the boxes of a node's children
// in one block, and the corners of a leaf in another. Rays in single precision (cast_kernel.c) use it; see there for what they can rely on.
#ifndef SNAG_PROBE_CAST_TREE_H
#define SNAG_PROBE_CAST_TREE_H

#include "bound/bvh.h"

// Children that are leaves are named by their leaf (slot / 16) with this bit, others by their block.
#define SNAG__CAST_LEAF 0x80000000u

// Single precision sees rays whose origin has coordinates below this; see cast_kernel.c.
#define SNAG__CAST_FARTHEST 1e30

// Six rows of eight: least x, y and z of the children, then the largest. A missing child is upside down: no ray meets it. The seventh
// row is empty: vectors of sixteen read past a row.
enum { SNAG__CAST_ROWS = 7 };

typedef struct snag__cast_node {
    float bounds[SNAG__CAST_ROWS * SNAG__ARITY_MAX];
    uint32_t child[SNAG__ARITY_MAX];
} snag__cast_node;

// x of the first corner of the 16 slots, y, z; then of the second and of the third.
typedef struct snag__cast_leaf {
    float corners[9 * SNAG__LEAF_ELEMENTS];
    float spread;  // the farthest that a coordinate is from the float that stands for it; 0 where positions are floats
    float unused[15];  // leaves begin where cache lines do
} snag__cast_leaf;

typedef struct snag__cast_body {
    bool usable;  // coordinates are such that single precision neither overflows nor vanishes
    uint32_t root;  // a child, as above
    double lo[3], hi[3];  // of all of its triangles
} snag__cast_body;

typedef struct snag__cast_tree {
    snag__cast_node *nodes;
    snag__cast_leaf *leaves;
    snag__cast_body *bodies;  // by tree
    uint32_t *block_of;  // by node: its block
    uint64_t *refits;  // by tree: stamp of the bounds that all of this is of
    uint64_t builds;  // stamp of the trees
    snag__buffer memory[5];
} snag__cast_tree;

// Makes room for the trees as they were built. False without memory; the tree is empty then.
bool snag__cast_tree_reserve(snag__cast_tree *tree, const snag__bvh *bvh, const snag_allocator *allocator);
// Whether what depends on positions was filled in since the bounds of a tree changed.
static inline bool snag__cast_tree_is_current(const snag__cast_tree *tree, const snag__bvh *bvh, uint32_t body)
{
    return tree->builds == bvh->builds && tree->refits[body] == bvh->trees[body].refits;
}
// Fills in what depends on positions: the nodes of a body, and a leaf from corners in the same order. Who has done both sets `refits`.
void snag__cast_tree_fill(snag__cast_tree *tree, const snag__bvh *bvh, uint32_t body);
void snag__cast_tree_fill_leaf(snag__cast_tree *tree, uint32_t leaf, const double *corners);
void snag__cast_tree_free(snag__cast_tree *tree, const snag_allocator *allocator);

#endif
