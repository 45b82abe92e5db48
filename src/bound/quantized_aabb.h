// Boxes of a BVH's slots in whole quantized boxes of a grid, in 16 bits: all of a leaf in one vector, a quarter of the cache lines
// that floats take. A search compares them in place of the k-DOPs of the slots, where a leaf meets another.
//
// Numbers of quantized boxes count modulo 2^16. No leaf is larger than QUANTIZED_OF_A_LEAF, and leaves that are compared overlap, so that the
// difference of two of their numbers is small, and its sign is right wherever the leaves are. A scene may be as large as
// it likes; where leaves are too unlike each other in size (a floor of two triangles under a cloth), there are no quantized boxes.
#ifndef SNAG_BOUND_QUANTIZED_AABB_H
#define SNAG_BOUND_QUANTIZED_AABB_H

#include "base/isa.h"
#include "bound/bvh.h"

// The boxes of a leaf's slots. Slots without an element are boxes that overlap nothing.
typedef struct snag__quantized_leaf {
    uint16_t lo[3][SNAG__LEAF_ELEMENTS], hi[3][SNAG__LEAF_ELEMENTS];
} snag__quantized_leaf;

typedef struct snag__quantized_bound {
    uint16_t lo[3], hi[3];
} snag__quantized_bound;

struct snag__quantized_aabbs {
    snag__quantized_leaf *boxes;  // by slot / 16
    snag__quantized_bound *bounds;  // of leaves, by slot / 16
    double origin[3], quantum;  // of the grid; cell is 0 where there is none
    double size;  // of most leaves when the grid was made
    uint64_t *refits;  // by tree: of the bounds that its boxes were made from
    uint64_t builds;  // of the BVH that they were made for
    snag__buffer memory[3];
};

typedef struct snag__quantized_aabb_kernels {
    // Fills the boxes of leaves first .. last - 1 (slots / 16), of those that the grid reaches.
    void (*fill)(const snag__bvh *bvh, uint32_t first, uint32_t last, snag__quantized_aabbs *quantized);
} snag__quantized_aabb_kernels;

SNAG__DECLARE_KERNELS(snag__quantized_aabb_kernels, snag__quantized_aabb_kernels);

const snag__quantized_aabb_kernels *snag__quantized_aabb_kernels_for(snag_isa isa);

// The largest side of a leaf, in quantized boxes; and how far the grid reaches from its origin, so that numbers fit into 32 bits.
enum { SNAG__QUANTIZED_LEAF_MAX = 8192, SNAG__QUANTIZED_GRID_MAX = 1 << 29 };

// Whether the quantized boxes were made for the BVH as it is built, so that they may be filled while it is refitted. Whether its grid
// still is the right one turns out afterwards.
bool snag__quantized_aabbs_fit(const snag__quantized_aabbs *quantized, const snag__bvh *bvh);
// Brings the quantized boxes up to date with a BVH that has just been refitted, or built anew. False without memory.
bool snag__quantized_aabbs_refit(snag__quantized_aabbs *quantized, const snag__bvh *bvh, const snag_allocator *allocator,
                                 const snag__parallel *parallel, snag_isa isa);
// Whether they may be compared in place of the BVH's bounds.
static inline bool snag__quantized_aabbs_usable(const snag__quantized_aabbs *quantized)
{
    return quantized->quantum > 0;
}
void snag__quantized_aabbs_free(const snag_allocator *allocator, snag__quantized_aabbs *quantized);

#endif
