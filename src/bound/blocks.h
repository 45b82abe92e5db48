// Tetrahedra in compact blocks of 64, sorted in space, so that a search looks up the points near a block once for all of its
// tetrahedra. A block lists its vertices once, and its tetrahedra index them with a byte each.
#ifndef SNAG_BOUND_BLOCKS_H
#define SNAG_BOUND_BLOCKS_H

#include "base/memory.h"
#include "mesh/mesh.h"

// A point is compared with a row of tetrahedra at a time.
enum { SNAG__BLOCK_TETS = 64, SNAG__ROW_TETS = 8, SNAG__BLOCK_VERTICES = 4 * SNAG__BLOCK_TETS };

typedef struct snag__block {
    uint32_t first_place, place_count;  // its tetrahedra
    uint32_t first_vertex, vertex_count;  // its vertices
    uint32_t body;
} snag__block;

typedef struct snag__blocks_body {
    const snag__mesh *mesh;
    uint64_t body;  // id and generation
} snag__blocks_body;

// Buffers of blocks.
enum {
    SNAG__BLOCKS_BODIES,
    SNAG__BLOCKS_BLOCKS,
    SNAG__BLOCKS_TETS,
    SNAG__BLOCKS_CORNERS,
    SNAG__BLOCKS_VERTICES,
    SNAG__BLOCKS_BUFFERS
};

typedef struct snag__blocks {
    snag__blocks_body *bodies;
    uint32_t body_count;

    uint32_t block_count, place_count;
    snag__block *blocks;
    uint32_t *tets;  // by place: the tetrahedron's number in its body
    uint8_t (*corners)[4];  // by place: its vertices among those of the block
    uint32_t *vertices;  // of the blocks: numbers in their body

    snag__buffer memory[SNAG__BLOCKS_BUFFERS];
} snag__blocks;

bool snag__blocks_fit(const snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count);

// Sorts the tetrahedra by their positions at t1: ranges are halved across the longest side of their centres' box, into whole blocks
// and then whole rows. On failure (memory) the blocks are empty.
bool snag__blocks_build(snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count,
                        const snag_allocator *allocator);
void snag__blocks_free(const snag_allocator *allocator, snag__blocks *blocks);

#endif
