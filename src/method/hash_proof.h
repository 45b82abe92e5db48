// Proofs that no vertex of a body is inside a tetrahedron of one of its own blocks, which hold while the block deforms little: see
// docs/design/hash.md.
#ifndef SNAG_METHOD_HASH_PROOF_H
#define SNAG_METHOD_HASH_PROOF_H

#include "base/isa.h"
#include "bound/blocks.h"
#include "bound/grid.h"

// Vertices of a proof: those of the block, and those of the same body around it.
enum { SNAG__PROOF_OWN = 112, SNAG__PROOF_RING = 64 };

// The proof of one block.
typedef struct snag__proof {
    float slack;  // every vertex may move by this in the reference; 0: there is no proof
    float mean[3],
        spread[6];  // of the reference positions: their mean, and the sums of their products about it (xx, yy, zz, xy, yz, zx)
    float row_extent, tet_extent;  // of the last search
    uint8_t ring_count;
    uint8_t failures, wait;  // in a row; searches until the next attempt
} snag__proof;

typedef struct snag__proofs {
    snag__proof *proofs;  // by block
    int8_t *x[3];  // reference positions: the block's vertices, then its ring, each padded to whole vectors by repeating the last
    uint32_t *ring;  // vertices of rings, SNAG__PROOF_RING for each block
    snag__buffer memory;
} snag__proofs;

// Room for all blocks, without any proof yet.
bool snag__proofs_reserve(snag__proofs *proofs, const snag__blocks *blocks, const snag_allocator *allocator);
void snag__proofs_free(const snag_allocator *allocator, snag__proofs *proofs);

typedef enum snag__proof_state {
    SNAG__PROOF_HOLDS,  // no point of the grid but its own vertices is in a tetrahedron of the block, and each has volume
    SNAG__PROOF_FOREIGN,  // the same but for some points of other bodies, which are near
    SNAG__PROOF_STALE,  // there is no proof, or it has to be made again
} snag__proof_state;

// The block in question. `first_point` and `first_vertex`: the number of the first point of its body, and its place among all.
typedef struct snag__proof_block {
    const snag__grid *grid;
    const snag__blocks *blocks;
    const snag__proofs *proofs;
    uint32_t number, first_point, first_vertex;
    uint32_t end;  // the first block after those that this task may look at
} snag__proof_block;

// Points by their places in the grid.
enum { SNAG__PROOF_POINTS = 240 };  // in the box of a block; more are too many

typedef struct snag__proof_points {
    uint32_t places[SNAG__PROOF_POINTS + 8], count;
} snag__proof_points;

typedef struct snag__hash_proof_kernels {
    snag__proof_state (*check)(const snag__proof_block *block, snag__proof_points *foreign);
    void (*make)(const snag__proof_block *block);  // with a slack of 0 if there is none
} snag__hash_proof_kernels;

SNAG__DECLARE_KERNELS(snag__hash_proof_kernels, snag__hash_proof_kernels);
// NULL: this build makes no proofs.
const snag__hash_proof_kernels *snag__hash_proof_kernels_for(snag_isa isa);

#endif
