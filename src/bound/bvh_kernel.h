// Wide searches in BVHs: see BVH.h. Node pairs go down both trees at once until both are leaves; then the elements
// of the two leaves are compared, one against many.
#ifndef SNAG_BOUND_BVH_KERNEL_H
#define SNAG_BOUND_BVH_KERNEL_H

#include "base/isa.h"
#include "bound/quantized_aabb.h"
#include "bound/plane_cull.h"
#include "bound/bvh.h"
#include "bound/leaf_masks.h"

typedef struct snag__node_pair {
    uint32_t a, b;  // nodes of the row and the column BVH
} snag__node_pair;

// The most pairs that wait while one pair is followed down: each step takes one and adds at most 64, eight at a time.
enum { SNAG__NODE_STACK = 2 * SNAG__TREE_LEVELS * SNAG__ARITY_MAX * SNAG__ARITY_MAX + SNAG__ARITY_MAX };
// Pairs of leaves that one call of `descend` must have room for.
enum { SNAG__DESCEND_ROOM = SNAG__ARITY_MAX * SNAG__ARITY_MAX + SNAG__ARITY_MAX };

// Pairs that one call of `compare` must have room for: those of one pair of leaves, and a vector more.
enum { SNAG__COMPARE_ROOM = SNAG__LEAF_ELEMENTS * SNAG__LEAF_ELEMENTS + 16 };

// What is searched: rows against columns. A symmetric search has one BVH for both, and sees each pair once.
typedef struct snag__bvh_search {
    const snag__bvh *rows, *columns;
    bool symmetric;
    const snag__plane_cull *plane_cull;  // of both, where pairs that are proven not to intersect are not wanted; else NULL
    const snag__quantized_aabbs *quantized;  // of both, where they are usable; else NULL
    bool two_ended;  // both have bounds of both ends of a move, and elements that these keep apart are not wanted
    bool unshared;  // leaves are of one body, columns have one vertex or two, and elements that share a vertex are not wanted
    const snag__leaf_masks *masks;  // with `unshared`: and neighbours are not wanted either; NULL: they are
} snag__bvh_search;

typedef struct snag__bvh_kernels {
    // Bounds of nodes first .. last - 1 from those of their children or elements.
    void (*merge)(snag__bvh *bvh, uint32_t first, uint32_t last);
    // The same of those that are no leaves; and of leaves first .. last - 1 (slots / 16).
    void (*merge_inner)(snag__bvh *bvh, uint32_t first, uint32_t last);
    void (*merge_leaves)(snag__bvh *bvh, uint32_t first, uint32_t last);
    // Follows the pairs on the stack down, and writes overlapping pairs of leaves, until the stack is empty or fewer than
    // SNAG__DESCEND_ROOM more fit. Returns how many it wrote. The stack has room for SNAG__NODE_STACK more than it holds at the start.
    size_t (*descend)(const snag__bvh_search *search, snag__node_pair *stack, size_t *stack_count, snag__node_pair *leaves,
                      size_t leaves_capacity);
    // Replaces each of `count` pairs by the overlapping pairs of its children; a pair of leaves stays. `next` has room for
    // 64 for each. Returns how many there are.
    size_t (*widen)(const snag__bvh_search *search, const snag__node_pair *pairs, size_t count, snag__node_pair *next);
    // Compares the elements of pairs of leaves from *next on, and writes the slots of those whose bounds overlap (and which no
    // facet keeps apart, and that share no vertex where `unshared` says so, and that both ends do not keep apart where `two_ended` says so; these only with k = 6), until all are done or fewer than SNAG__COMPARE_ROOM more fit. Returns how many it wrote; *next is the first pair not done.
    size_t (*compare)(const snag__bvh_search *search, const snag__node_pair *leaves, size_t count, size_t *next, uint32_t *rows,
                      uint32_t *columns, size_t capacity);
    // Lower bounds of the squared distances from a box to those of the axes' slabs of `count` <= 16 neighbours, relative to
    // 2^-20 and to FLT_MIN. Infinite for an empty bound.
    void (*gaps)(const snag__kdops *many, size_t first, uint32_t count, const float lo[3], const float hi[3], float squared[16]);
} snag__bvh_kernels;

SNAG__DECLARE_KERNELS(snag__bvh_kernels, snag__bvh_kernels);
const snag__bvh_kernels *snag__bvh_kernels_for(snag_isa isa);

#endif
