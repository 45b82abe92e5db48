// SIMD search of points in blocks of tetrahedra: see hash.c.
#ifndef SNAG_METHOD_HASH_KERNEL_H
#define SNAG_METHOD_HASH_KERNEL_H

#include "base/isa.h"
#include "bound/blocks.h"
#include "bound/grid.h"
#include "method/hash_proof.h"

enum { SNAG__HASH_PAIRS = 1024 };

// Pairs (index of a tetrahedron in the blocks, number of a point). `possible` need the exact test, `certain` are contacts; `full` is called when
// there are many of either.
typedef struct snag__hash_pairs {
    uint32_t pairs[SNAG__HASH_PAIRS + SNAG__ROW_TETS][2];
    size_t count;
} snag__hash_pairs;

typedef struct snag__hash_candidates {
    snag__hash_pairs possible, certain;
    void (*full)(void *context, struct snag__hash_candidates *candidates);
    void *context;
    // Sums over all searched blocks: extents, which tell how compact rows still are, and tetrahedra without volume.
    double row_extent, tet_extent;
    size_t zero_volume_tets;
} snag__hash_candidates;

typedef struct snag__hash_kernels {
    // Finds every point of the grid that may be inside a tetrahedron of the block of which it is not a vertex. `first_point`: the
    // number of the first point of the block's body. `only`: the points to look at; NULL: all.
    void (*search)(const snag__grid *grid, const snag__blocks *blocks, const snag__block *block, uint32_t first_point,
                   const snag__proof_points *only, snag__hash_candidates *candidates);
} snag__hash_kernels;

SNAG__DECLARE_KERNELS(snag__hash_kernels, snag__hash_kernels);
const snag__hash_kernels *snag__hash_kernels_for(snag_isa isa);

#endif
