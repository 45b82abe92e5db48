// Vertex stars: vertices whose triangles are proven to be apart but for what they share.
//
// Triangles around a vertex that, seen along some axis, all face the same way and go around the vertex just once overlap
// nowhere in that view, so they have no more in common than the vertex and their edges. This is the common normal direction and
// the contour test of Volino and Magnenat-Thalmann (1994) for the smallest of patches. Of a smooth surface it takes away all
// pairs that share a vertex, before any of them is looked at.
#ifndef SNAG_BOUND_VERTEX_STAR_H
#define SNAG_BOUND_VERTEX_STAR_H

#include "base/isa.h"
#include "bound/bvh.h"

#include <stdatomic.h>

// What a triangle says about the vertex stars at its corners, seen along each axis: a word of 16 bits.
// Bit 3 * corner + axis: the way from the next corner to the last passes the level of this one. Heights are compared exactly.
// Bit FACING + axis: it faces that way for certain. Bit FACING + 3 + axis: it faces the other way for certain.
enum {
    SNAG__TURN_FACING = 9,
    SNAG__TURN_UNSURE = 1 << 15,  // a needle, perhaps without any area
    SNAG__TURN_NONE = 63 << SNAG__TURN_FACING,  // of no triangle: it changes no vertex star
};

enum { SNAG__STAR_LANES = 8, SNAG__STAR_ROW_SLOT = 32, SNAG__STAR_ROWS_MAX = 64 };

// Eight vertices side by side whose triangles form a vertex star each: every one follows on another by a common edge, once around or from
// border to border. Vertices are in about the order in which the slots come upon them, so that what the triangles say is still in
// the cache, and those with the same number of triangles are together.
typedef struct snag__star_block {
    uint32_t vertex[SNAG__STAR_LANES];  // of its tree
    uint32_t first_row;  // of star rows
    uint16_t row_count;  // the most triangles of a vertex
    uint8_t closed, proven;  // by lane, a bit each: once around; apart as they lie now
} snag__star_block;

// A triangle of each of eight vertices: SNAG__STAR_ROW_SLOT * slot + 3 * corner, so that its low bits shift the corner's part of a
// word down. The slot behind the last stands for none.
typedef struct snag__star_row {
    uint32_t lane[SNAG__STAR_LANES];
} snag__star_row;

typedef struct snag__vertex_stars {
    snag__star_block *star_blocks;  // tree by tree
    uint32_t star_block_count;
    snag__star_row *star_rows;  // row by row
    uint32_t row_count;
    uint8_t *proven;  // by vertex of all trees, in their order: 1 where it is
    atomic_uchar *changed;  // by leaf (slot / 16): whether that of some corner has changed since it was last cleared
    snag__buffer memory[4];
} snag__vertex_stars;

typedef struct snag__vertex_star_kernels {
    // Which vertices of star blocks first .. last - 1 are proven, by the words of all slots and SNAG__TURN_NONE behind the last.
    // `proven` is of their tree.
    void (*prove)(snag__vertex_stars *vertex_stars, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven);
} snag__vertex_star_kernels;

SNAG__DECLARE_KERNELS(snag__vertex_star_kernels, snag__vertex_star_kernels);
const snag__vertex_star_kernels *snag__vertex_star_kernels_for(snag_isa isa);

// Empties the vertex stars of a BVH, before those of its trees are learnt. False without memory.
bool snag__vertex_stars_start(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag_allocator *allocator);
// Learns those of the next tree. `slot_of`: by triangle. False without memory.
bool snag__vertex_stars_learn(snag__vertex_stars *vertex_stars, const snag__bvh *bvh, const snag__tree *tree,
                              const uint32_t *slot_of, const snag_allocator *allocator);
void snag__vertex_stars_free(const snag_allocator *allocator, snag__vertex_stars *vertex_stars);

#endif
