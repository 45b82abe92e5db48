// Adjacency tables: for every leaf of a BVH and every leaf with adjacent triangles (which share a vertex), a bit matrix of 16 x 16
// slots. At every step the matrix of adjacent pairs that are proven apart is made from it; a search masks them out by whole rows.
#ifndef SNAG_BOUND_LEAF_ADJACENCY_H
#define SNAG_BOUND_LEAF_ADJACENCY_H

#include "base/isa.h"
#include "bound/bvh.h"

// Row i belongs to slot i of the leaf, bit j to slot j of the other leaf.
typedef struct snag__leaf_table {
    uint16_t row[SNAG__LEAF_ELEMENTS];
} snag__leaf_table;

// Searches read so many tables of a leaf at once, so there is room for as many after the last.
enum { SNAG__ADJACENT_TOGETHER = 32 };

// Buffers of adjacency tables.
enum {
    SNAG__ADJACENCY_OTHER,
    SNAG__ADJACENCY_REVERSE,
    SNAG__ADJACENCY_CORNER,
    SNAG__ADJACENCY_APART,
    SNAG__ADJACENCY_START,
    SNAG__ADJACENCY_LAST,
    SNAG__ADJACENCY_BUFFERS
};

typedef struct snag__leaf_adjacency {
    uint32_t *start;  // by leaf (slot / 16), and one more: its first table
    uint32_t *other;  // by table: the other leaf; the first is the leaf itself
    uint32_t *reverse;  // by table: the table from the other leaf to this one
    snag__leaf_table (*corner)[3];  // by table: adjacent pairs, by the corner of the row's triangle that they share
    // By table: adjacent pairs that are proven apart. For a leaf with itself also the pairs (i, j) with j <= i, so that each pair is
    // seen once. After the last table there is an empty one.
    snag__leaf_table *apart;
    uint32_t count;
    uint32_t (*last)[2];  // by leaf, while tables are added: the leaf that was last linked to it, and the table
    snag__buffer memory[SNAG__ADJACENCY_BUFFERS];
} snag__leaf_adjacency;

typedef struct snag__leaf_adjacency_kernels {
    // Makes the `apart` tables of a leaf. `proven`: by corner and slot of the leaf, all bits set if the star of that corner's vertex
    // is proven, else none.
    void (*note)(snag__leaf_adjacency *adjacency, uint32_t leaf, const snag__leaf_table proven[3]);
} snag__leaf_adjacency_kernels;

SNAG__DECLARE_KERNELS(snag__leaf_adjacency_kernels, snag__leaf_adjacency_kernels);
const snag__leaf_adjacency_kernels *snag__leaf_adjacency_kernels_for(snag_isa isa);

// Clears the adjacency tables of a BVH, before those of its trees are added. False without memory.
bool snag__leaf_adjacency_start(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag_allocator *allocator);
// Adds those of the next tree. `slot_of`: by triangle. Vertices with more than `most` triangles are ignored. False without memory.
bool snag__leaf_adjacency_learn(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag__tree *tree,
                                const uint32_t *slot_of, uint32_t most, const snag_allocator *allocator);
// Gives back what was reserved for more tables than there are. False without memory for the smaller ones.
bool snag__leaf_adjacency_fit(snag__leaf_adjacency *adjacency, const snag_allocator *allocator);
void snag__leaf_adjacency_free(const snag_allocator *allocator, snag__leaf_adjacency *adjacency);

#endif
