// Trees of k-DOPs over the elements of one kind of all bodies: one tree for each body, all in the same arrays.
//
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, section 4.
// Differs: elements are sorted once into the order of the leaves ("slots"), so that refits stream and a leaf's bounds are
// read by whole vectors; children of a node are neighbours, so that a node is tested against all of them at once.
#ifndef SNAG_BOUND_BVH_H
#define SNAG_BOUND_BVH_H

#include "base/memory.h"
#include "base/parallel.h"
#include "geom/box.h"
#include "mesh/mesh.h"

// How a tree is made. Zero means: as measured best.
typedef struct snag__tree_shape {
    uint32_t k;  // 6, 14, 18 or 26
    uint32_t arity;  // 2, 4 or 8 children
} snag__tree_shape;

// Elements of a leaf, at most: two vectors of the widest common kind. More make the tree flatter and the leaves dearer.
enum { SNAG__LEAF_ELEMENTS = 16, SNAG__ARITY_MAX = 8, SNAG__TREE_LEVELS = 64 };

typedef struct snag__node {
    uint32_t first;  // of its children (nodes), or of its elements (slots) if it is a leaf: then a multiple of 16
    uint8_t count;
    uint8_t leaf;
    uint8_t leaf_children;  // a bit for each child that is a leaf
    uint32_t tree;
} snag__node;

// One body's part of the arrays.
typedef struct snag__tree {
    const snag__mesh *mesh;
    uint64_t body;  // who it is: id and generation
    uint64_t pose;  // what its bounds are of: see snag__bvh_refit
    uint64_t refits;  // how often its bounds have been made: others that are made from them follow this
    uint32_t first_slot, slot_count;
    uint32_t first_vertex;  // in the arrays by vertex
    uint32_t root;  // its first node; nodes of a level are neighbours, levels follow each other
    uint32_t level_first[SNAG__TREE_LEVELS + 1];
    uint32_t levels;
    double quality_built;  // surface of its nodes over that of its root, when it was built
} snag__tree;

typedef struct snag__bvh {
    snag_element_kind kind;
    snag__tree_shape shape;
    uint32_t corners;  // vertices of an element

    snag__tree *trees;
    uint32_t tree_count;
    uint64_t builds;  // how often it was built: what is by slot holds for one of them

    // By slot.
    uint32_t slot_count;
    uint32_t *elements;  // the element's number in its body
    uint32_t *vertices;  // its `corners` vertices
    snag__kdops slot_bounds;

    // By node.
    uint32_t node_count;
    snag__node *nodes;
    snag__kdops node_bounds;
    uint32_t *leaves;  // the node of each leaf, by slot / 16

    double inflate;  // of the bounds, and whether they hold t0 too
    bool swept;

    // Where bounds may lag behind: each vertex is nearer than `lazy` to the reference that the bounds were made of.
    double lazy;
    double (*reference)[3];  // by tree and vertex
    uint8_t *moved;  // by tree and vertex: whether the reference is new
    uint8_t *renewed;  // by node: whether the bound is new

    snag__buffer memory[10];  // trees, elements, vertices, nodes, bounds of slots, of nodes, reference, moved, renewed, leaves
} snag__bvh;

// One body for snag__bvh_build.
typedef struct snag__bvh_body {
    const snag__mesh *mesh;
    uint64_t body;
} snag__bvh_body;

// Whether the BVH was built for these bodies and this shape.
bool snag__bvh_fits(const snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                    uint32_t body_count);

// Builds the trees from the positions at t1, top-down: the longest side of the elements' bound is split through its
// centre. On failure (memory) the BVH is empty. `scratch` is for sorting and is kept by the caller.
// Any number of threads builds the same trees.
bool snag__bvh_build(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                     uint32_t body_count, const snag_allocator *allocator, const snag__parallel *parallel, snag__buffer *scratch);

typedef struct snag__plane_cull snag__plane_cull;  // plane culls.h
typedef struct snag__quantized_aabbs snag__quantized_aabbs;  // quantized boxes.h

// What bounds are to hold.
typedef struct snag__refit_def {
    const uint64_t *poses;  // per body: what its positions are; trees of that pose are left alone
    bool swept;  // the whole move from t0 to t1, else t1
    const double (*const *x_t1)[3];  // per body, of swept bounds: positions that take the place of those at t1; NULL: none do
    double inflate;  // grown by this
    // Leaves whose vertices have moved by less than this since they were bounded, and the nodes above them, are left alone;
    // all are grown by it. 0: none. Of no use to swept bounds.
    double lazy;
    // Plane culls and quantized boxes that will be wanted next, or NULL. They are filled on the way where they can be: it takes the same vertices,
    // or bounds that are still in the cache.
    snag__plane_cull *plane_cull;
    snag__quantized_aabbs *quantized;
} snag__refit_def;

// Brings the bounds up to date with the present positions. False without memory (only where `lazy` is new).
bool snag__bvh_refit(snag__bvh *bvh, const snag__refit_def *def, const snag_allocator *allocator, const snag__parallel *parallel,
                     snag_isa isa);

// How much the tree has been spoilt by deformation since it was built: 1 as new, 2 if its nodes have twice the surface.
double snag__tree_degradation(const snag__bvh *bvh, uint32_t tree);

void snag__bvh_free(const snag_allocator *allocator, snag__bvh *bvh);

#endif
