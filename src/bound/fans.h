// Fans: vertices whose triangles are proven to be apart but for what they share.
//
// Triangles around a vertex that, seen along some axis, all face the same way and go around the vertex just once overlap
// nowhere in that view, so they have no more in common than the vertex and their edges. This is the common normal direction and
// the contour test of Volino and Magnenat-Thalmann (1994) for the smallest of patches. Of a smooth surface it takes away all
// pairs that share a vertex, before any of them is looked at.
#ifndef SNAG_BOUND_FANS_H
#define SNAG_BOUND_FANS_H

#include "base/isa.h"
#include "bound/forest.h"

#include <stdatomic.h>

// What a triangle says about the fans at its corners, seen along each axis: a word of 16 bits.
// Bit 3 * corner + axis: the way from the next corner to the last passes the level of this one. Heights are compared exactly.
// Bit FACING + axis: it faces that way for certain. Bit FACING + 3 + axis: it faces the other way for certain.
enum {
    SNAG__TURN_FACING = 9,
    SNAG__TURN_UNSURE = 1 << 15,                      // a needle, perhaps without any area
    SNAG__TURN_NONE = 63 << SNAG__TURN_FACING,        // of no triangle: it changes no fan
};

enum { SNAG__HUB_LANES = 8, SNAG__SPOKE_PLACE = 32, SNAG__SPOKES_MAX = 64 };

// Eight vertices side by side whose triangles form a fan each: every one follows on another by a common edge, once around or from
// border to border. Vertices are in about the order in which the places come upon them, so that what the triangles say is still in
// the cache, and those with the same number of triangles are together.
typedef struct snag__hubs {
    uint32_t vertex[SNAG__HUB_LANES];  // of its tree
    uint32_t first_row;                // of spokes
    uint16_t row_count;                // the most triangles of a vertex
    uint8_t closed, proven;            // by lane, a bit each: once around; apart as they lie now
} snag__hubs;

// A triangle of each of eight vertices: SNAG__SPOKE_PLACE * place + 3 * corner, so that its low bits shift the corner's part of a
// word down. The place behind the last stands for none.
typedef struct snag__spokes {
    uint32_t lane[SNAG__HUB_LANES];
} snag__spokes;

typedef struct snag__fans {
    snag__hubs *hubs;          // tree by tree
    uint32_t hub_count;
    snag__spokes *spokes;      // row by row
    uint32_t row_count;
    uint8_t *proven;           // by vertex of all trees, in their order: 1 where it is
    atomic_uchar *changed;     // by leaf (place / 16): whether that of some corner has changed since it was last cleared
    snag__buffer memory[4];
} snag__fans;

typedef struct snag__fan_kernels {
    // Which vertices of hubs first .. last - 1 are proven, by the words of all places and SNAG__TURN_NONE behind the last.
    // `proven` is of their tree.
    void (*prove)(snag__fans *fans, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven);
} snag__fan_kernels;

SNAG__DECLARE_KERNELS(snag__fan_kernels, snag__fan_kernels);
const snag__fan_kernels *snag__fan_kernels_for(snag_isa isa);

// Empties the fans of a forest, before those of its trees are learnt. False without memory.
bool snag__fans_start(snag__fans *fans, const snag__forest *forest, const snag_allocator *allocator);
// Learns those of the next tree. `place_of`: by triangle. False without memory.
bool snag__fans_learn(snag__fans *fans, const snag__forest *forest, const snag__tree *tree, const uint32_t *place_of,
                      const snag_allocator *allocator);
void snag__fans_free(const snag_allocator *allocator, snag__fans *fans);

#endif
