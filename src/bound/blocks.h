// Tetrahedra in compact blocks: sorted once in space, so that whatever lies near one of a block lies near all of them and
// is looked up once. A block names its vertices once, and its tetrahedra name them by single bytes.
#ifndef SNAG_BOUND_BLOCKS_H
#define SNAG_BOUND_BLOCKS_H

#include "base/memory.h"
#include "mesh/mesh.h"

// A block is cut into rows of tetrahedra that are compared with a point at a time.
enum { SNAG__BLOCK_TETS = 64, SNAG__ROW_TETS = 8, SNAG__BLOCK_VERTICES = 4 * SNAG__BLOCK_TETS };

typedef struct snag__block {
    uint32_t first_place, place_count;  // its tetrahedra
    uint32_t first_vertex, vertex_count;  // its vertices
    uint32_t body;
} snag__block;

typedef struct snag__blocks_body {
    const snag__mesh *mesh;
    uint64_t body;  // who it is: id and generation
} snag__blocks_body;

typedef struct snag__blocks {
    snag__blocks_body *bodies;  // of whom
    uint32_t body_count;

    uint32_t block_count, place_count;
    snag__block *blocks;
    uint32_t *tets;  // by place: the tetrahedron's number in its body
    uint8_t (*corners)[4];  // by place: its vertices among those of the block
    uint32_t *vertices;  // of the blocks: numbers in their body

    snag__buffer memory[5];
} snag__blocks;

bool snag__blocks_fit(const snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count);

// Sorts the tetrahedra as they lie at t1: ranges are halved across the longest side of their centres' box, at whole
// blocks and then at whole rows. On failure (memory) the blocks are empty.
bool snag__blocks_build(snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count,
                        const snag_allocator *allocator);
void snag__blocks_free(const snag_allocator *allocator, snag__blocks *blocks);

#endif
