// Vertex stars: a proof that the triangles around a vertex share nothing but the vertex and their edges.
//
// If the triangles around a vertex, seen along some axis, all face the same way and go around the vertex just once, they do not
// overlap in that view, so they do not intersect. This is the common normal direction and the contour test of Volino and
// Magnenat-Thalmann (1994) for the smallest patches. On a smooth surface it removes all pairs that share a vertex.
#ifndef SNAG_BOUND_VERTEX_STAR_H
#define SNAG_BOUND_VERTEX_STAR_H

#include "base/isa.h"
#include "bound/bvh.h"

#include <stdatomic.h>

// The turns of a triangle: 16 bits that describe how it lies at its corners, seen along each axis.
// Bit 3 * corner + axis: the opposite edge crosses the height of this corner. Heights are compared exactly.
// Bit FACING + axis: it certainly faces that way. Bit FACING + 3 + axis: it certainly faces the other way.
enum {
    SNAG__TURN_FACING = 9,
    SNAG__TURN_UNSURE = 1 << 15,  // a needle, perhaps of zero area
    SNAG__TURN_NONE = 63 << SNAG__TURN_FACING,  // no triangle: neutral in every star
};

enum { SNAG__STAR_LANES = 8, SNAG__STAR_ROW_SLOT = 32, SNAG__STAR_ROWS_MAX = 64 };

// Eight vertices, one in each lane, whose triangles form a star: each shares an edge with the next, once around (closed) or from
// border to border (open). Vertices are ordered about as the slots of their triangles, so that the turns are still in the cache, and
// those with the same number of triangles are together.
typedef struct snag__star_block {
    uint32_t vertex[SNAG__STAR_LANES];  // of its tree
    uint32_t first_row;  // of star rows
    uint16_t row_count;  // the most triangles of a vertex
    uint8_t closed, proven;  // bit by lane: the star is closed; its triangles are proven apart
} snag__star_block;

// One triangle for each of eight vertices: SNAG__STAR_ROW_SLOT * slot + 3 * corner, whose low bits are the shift of the corner's bits
// in the turns. The slot after the last stands for no triangle.
typedef struct snag__star_row {
    uint32_t lane[SNAG__STAR_LANES];
} snag__star_row;

// Buffers of vertex stars.
enum { SNAG__STARS_BLOCKS, SNAG__STARS_ROWS, SNAG__STARS_PROVEN, SNAG__STARS_CHANGED, SNAG__STARS_BUFFERS };

typedef struct snag__vertex_stars {
    snag__star_block *star_blocks;  // tree by tree
    uint32_t star_block_count;
    snag__star_row *star_rows;  // block by block
    uint32_t row_count;
    uint8_t *proven;  // by tree and vertex: 1 if proven
    atomic_uchar *changed;  // by leaf (slot / 16): `proven` of some corner has changed since this was cleared
    snag__buffer memory[SNAG__STARS_BUFFERS];
} snag__vertex_stars;

typedef struct snag__vertex_star_kernels {
    // Proves the vertices of star blocks first .. last - 1. `turns`: of all slots, with SNAG__TURN_NONE after the last. `proven`: of
    // the blocks' tree.
    void (*prove)(snag__vertex_stars *vertex_stars, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven);
} snag__vertex_star_kernels;

SNAG__DECLARE_KERNELS(snag__vertex_star_kernels, snag__vertex_star_kernels);
const snag__vertex_star_kernels *snag__vertex_star_kernels_for(snag_isa isa);

// Clears the vertex stars of a BVH, before those of its trees are added. False without memory.
bool snag__vertex_stars_start(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag_allocator *allocator);
// Adds those of the next tree. `slot_of`: by triangle. False without memory.
bool snag__vertex_stars_learn(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag__tree *tree,
                              const uint32_t *slot_of, const snag_allocator *allocator);
void snag__vertex_stars_free(const snag_allocator *allocator, snag__vertex_stars *vertex_stars);

#endif
