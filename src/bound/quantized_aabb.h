// The boxes of a BVH's slots as 16-bit coordinates on a grid: a leaf's coordinates along an axis fit in one vector, a quarter of the
// cache lines that floats take. When leaves meet, a search compares these instead of the slots' k-DOPs.
//
// Coordinates wrap around modulo 2^16. No leaf is larger than SNAG__QUANTIZED_LEAF_MAX grid cells, and only leaves that overlap are
// compared, so differences are small and their signs right wherever the leaves are: a scene may be of any size. Where the sizes of
// leaves differ too much (a floor of two triangles under a cloth), there are no quantized boxes.
#ifndef SNAG_BOUND_QUANTIZED_AABB_H
#define SNAG_BOUND_QUANTIZED_AABB_H

#include "base/isa.h"
#include "bound/bvh.h"

// The boxes of a leaf's slots. Slots without an element overlap nothing.
typedef struct snag__quantized_leaf {
    uint16_t lo[3][SNAG__LEAF_ELEMENTS], hi[3][SNAG__LEAF_ELEMENTS];
} snag__quantized_leaf;

typedef struct snag__quantized_bound {
    uint16_t lo[3], hi[3];
} snag__quantized_bound;

// Buffers of quantized boxes.
enum { SNAG__QUANTIZED_BOXES, SNAG__QUANTIZED_BOUNDS, SNAG__QUANTIZED_REFITS, SNAG__QUANTIZED_BUFFERS };

struct snag__quantized_aabbs {
    snag__quantized_leaf *boxes;  // by slot / 16
    snag__quantized_bound *bounds;  // of leaves, by slot / 16
    double origin[3], quantum;  // of the grid: quantum is the side of a cell, 0 if there is no grid
    double size;  // of a typical leaf when the grid was made
    uint64_t *refits;  // by tree: stamp of the bounds that its boxes were made from
    uint64_t builds;  // stamp of the BVH that they were made for
    snag__buffer memory[SNAG__QUANTIZED_BUFFERS];
};

typedef struct snag__quantized_aabb_kernels {
    // Fills the boxes of leaves first .. last - 1 (slots / 16), except those beyond the grid.
    void (*fill)(const snag__bvh *bvh, uint32_t first, uint32_t last, snag__quantized_aabbs *quantized);
} snag__quantized_aabb_kernels;

SNAG__DECLARE_KERNELS(snag__quantized_aabb_kernels, snag__quantized_aabb_kernels);

const snag__quantized_aabb_kernels *snag__quantized_aabb_kernels_for(snag_isa isa);

// In grid cells: the largest side of a leaf, and how far the grid reaches from its origin (coordinates fit into 32 bits before they
// are cut to 16).
enum { SNAG__QUANTIZED_LEAF_MAX = 8192, SNAG__QUANTIZED_GRID_MAX = 1 << 29 };

// Whether the quantized boxes belong to this build of the BVH, so that they may be filled while it is refitted. The next
// snag__quantized_aabbs_refit decides whether the grid still fits.
bool snag__quantized_aabbs_fit(const snag__quantized_aabbs *quantized, const snag__bvh *bvh);
// Notes that the boxes of a tree have been filled from its current bounds.
void snag__quantized_aabbs_note_filled(snag__quantized_aabbs *quantized, uint32_t index, const snag__tree *tree);
// Updates the quantized boxes after a BVH was refitted or rebuilt. False without memory.
bool snag__quantized_aabbs_refit(snag__quantized_aabbs *quantized, const snag__bvh *bvh, const snag_allocator *allocator,
                                 const snag__parallel *parallel, snag_isa isa);
// Whether they may be compared instead of the BVH's bounds.
static inline bool snag__quantized_aabbs_usable(const snag__quantized_aabbs *quantized)
{
    return quantized->quantum > 0;
}
void snag__quantized_aabbs_free(const snag_allocator *allocator, snag__quantized_aabbs *quantized);

#endif
