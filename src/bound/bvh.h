// BVHs of k-DOPs over the elements of one kind (vertices, edges, triangles, tetrahedra) of all bodies: one tree for each body, all in
// the same arrays.
//
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, section 4.
// Differs: elements are sorted once into the order of the leaves ("slots"), so that refits stream and a leaf's bounds are read by
// whole vectors; the children of a node are neighbours, so that a node is tested against all of them at once.
#ifndef SNAG_BOUND_BVH_H
#define SNAG_BOUND_BVH_H

#include "base/memory.h"
#include "base/parallel.h"
#include "geom/box.h"
#include "mesh/edit_log.h"
#include "mesh/mesh.h"

// The shape of a tree. Zero: the fastest as measured.
typedef struct snag__tree_shape {
    uint32_t k;  // 6, 14, 18 or 26
    uint32_t arity;  // 2, 4 or 8 children
} snag__tree_shape;

// The most elements of a leaf: two vectors of eight floats. More make the tree flatter and the leaves more expensive.
enum { SNAG__LEAF_ELEMENTS = 16, SNAG__ARITY_MAX = 8, SNAG__TREE_LEVELS = 64 };

typedef struct snag__node {
    uint32_t first;  // child (a node); of a leaf the first slot, a multiple of 16
    uint8_t count;  // children, or elements of a leaf
    uint8_t leaf;
    uint8_t leaf_children;  // bit i: child i is a leaf
    uint32_t tree;
} snag__node;

// One body's part of the arrays.
typedef struct snag__tree {
    const snag__mesh *mesh;
    uint64_t body;  // stamp of its elements
    uint64_t pose;  // stamp of the positions that its bounds are of: see snag__bvh_refit
    uint64_t refits;  // stamp of its bounds, for whatever is derived from them
    uint32_t first_slot, slot_count;  // a roomy tree has all slots of its leaves, empty ones too: their element is UINT32_MAX
    bool roomy;  // of a body that is edited: there are empty slots in every leaf
    uint32_t changed;  // elements that edits have touched since the tree was built
    uint32_t first_vertex;  // in the arrays by vertex
    uint32_t root;  // its first node; the nodes of a level are neighbours, level after level
    uint32_t level_first[SNAG__TREE_LEVELS + 1];
    uint32_t levels;
    double quality_built;  // surface area of its nodes over that of its root, at the first refit; 0 before
} snag__tree;

// Buffers of a BVH.
enum {
    SNAG__BVH_TREES,
    SNAG__BVH_ELEMENTS,
    SNAG__BVH_VERTICES,
    SNAG__BVH_NODES,
    SNAG__BVH_SLOT_BOUNDS,
    SNAG__BVH_NODE_BOUNDS,
    SNAG__BVH_LEAVES,
    SNAG__BVH_END_BOUNDS,
    SNAG__BVH_END_BOUNDS_LAST = SNAG__BVH_END_BOUNDS + 1,
    SNAG__BVH_REFERENCE,
    SNAG__BVH_MOVED,
    SNAG__BVH_RENEWED,
    SNAG__BVH_BUFFERS
};

typedef struct snag__bvh {
    snag_element_kind kind;
    snag__tree_shape shape;
    uint32_t corners;  // vertices of an element

    snag__tree *trees;
    uint32_t tree_count;
    uint64_t builds;  // stamp of the trees: arrays by slot belong to one build

    // By slot.
    uint32_t slot_count;
    uint32_t *elements;  // the element's number in its body
    uint32_t *vertices;  // its `corners` vertices
    snag__kdops slot_bounds;
    // Where refits are two-ended: bounds at t0 and at t1 alone, of which those above are the union. Elements that are apart along the
    // same axis, on the same side, at both ends are apart all the way, since what lies outermost moves no farther in between.
    snag__kdops end_bounds[2];
    bool two_ended;

    // By node.
    uint32_t node_count;
    snag__node *nodes;
    snag__kdops node_bounds;
    uint32_t *leaves;  // the node of each leaf, by slot / 16

    double inflate;  // by which bounds are grown
    bool swept;  // bounds hold t0 as well as t1
    bool grown;  // those of each body by its own amount

    // Lazy refits: every vertex is within `lazy` of the reference position that its bounds were made from.
    double lazy;
    double (*reference)[3];  // by tree and vertex
    uint8_t *moved;  // by tree and vertex: the reference has just changed
    uint8_t *renewed;  // by node: the bound has just changed

    snag__buffer memory[SNAG__BVH_BUFFERS];
} snag__bvh;

// One body for snag__bvh_build.
typedef struct snag__bvh_body {
    const snag__mesh *mesh;
    uint64_t body;
    const snag__edit_log *log;  // of a body whose trees snag__bvh_repair shall repair; NULL: none
} snag__bvh_body;

// Whether the BVH was built for these bodies and this shape.
bool snag__bvh_fits(const snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                    uint32_t body_count);

// Builds the trees from the positions at t1, top-down: the longest side of the elements' bound is split through its centre. Any
// number of threads builds the same trees. `scratch` is kept by the caller. On failure (memory) the BVH is empty.
bool snag__bvh_build(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                     uint32_t body_count, const snag_allocator *allocator, const snag__parallel *parallel, snag__buffer *scratch);

// Repairs the trees of bodies that were edited since they were built, as far as their logs know what changed. False if that cannot be: then
// the BVH must be built.
bool snag__bvh_repair(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                      uint32_t body_count, const snag_allocator *allocator, snag__buffer *scratch);

// Whether a slot holds an element.
static inline bool snag__bvh_slot_is_used(const snag__bvh *bvh, uint32_t slot)
{
    return bvh->elements[slot] != UINT32_MAX;
}

typedef struct snag__plane_cull snag__plane_cull;  // plane_cull.h
typedef struct snag__quantized_aabbs snag__quantized_aabbs;  // quantized_aabb.h

// How to refit.
typedef struct snag__refit_def {
    const uint64_t *poses;  // by body: stamp of its positions; trees with that stamp are up to date
    bool swept;  // bound the whole move from t0 to t1, else t1 alone
    bool two_ended;  // with swept boxes (k = 6): also those of both ends
    const double (*const *x_t1)[3];  // by body, for swept bounds: positions to use instead of those at t1; NULL: none
    double inflate;  // grow bounds by this
    const double *grow;  // by body: and by this; NULL: nothing more
    // Lazy refit: bounds are grown by this, and a leaf keeps them until one of its vertices has moved farther. 0: not lazy. Ignored
    // where bounds are swept.
    double lazy;
    // The plane culls and quantized boxes that the search will use, or NULL. Where possible they are filled along with the bounds,
    // while vertices and bounds are in the cache.
    snag__plane_cull *plane_cull;
    snag__quantized_aabbs *quantized;
} snag__refit_def;

// Refits the bounds to the current positions. False without memory (only where `lazy` or `two_ended` is new).
bool snag__bvh_refit(snag__bvh *bvh, const snag__refit_def *def, const snag_allocator *allocator, const snag__parallel *parallel,
                     snag_isa isa);

// How much deformation has degraded the tree: 1 as new, 2 if its nodes have twice the surface area.
double snag__tree_degradation(const snag__bvh *bvh, uint32_t tree);

// Whether every element is in one slot with its vertices, leaves and levels are consistent and, once refitted, every bound is within
// its parent's. For SNAG__VALIDATE.
bool snag__bvh_validate(const snag__bvh *bvh);

void snag__bvh_free(const snag_allocator *allocator, snag__bvh *bvh);

#endif
