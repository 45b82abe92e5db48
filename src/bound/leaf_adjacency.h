// Which triangles of which leaves share a vertex: for every leaf of a BVH, and each leaf with neighbours of its triangles, a
// table of 16 rows of 16 bits. Tables of neighbours that are proven to be apart are made from it at every step: a search takes
// them away by whole rows, before any of them is looked at.
#ifndef SNAG_BOUND_LEAF_ADJACENCY_H
#define SNAG_BOUND_LEAF_ADJACENCY_H

#include "base/isa.h"
#include "bound/bvh.h"

// Row i is that of the i-th slot of a leaf, bit j that of the j-th slot of the other leaf.
typedef struct snag__leaf_table {
    uint16_t row[SNAG__LEAF_ELEMENTS];
} snag__leaf_table;

// Searches look at so many adjacency tables of a leaf together: there is room for as many behind the last.
enum { SNAG__ADJACENT_TOGETHER = 32 };

typedef struct snag__leaf_adjacency {
    uint32_t *start;  // by leaf (slot / 16), and one more: its adjacency tables
    uint32_t *other;  // by table: the other leaf; the first is the leaf itself
    uint32_t *reverse;  // by table: the table from the other leaf to this one
    snag__leaf_table (*corner)[3];  // by table: neighbours by the row's corner that they share
    // By table: neighbours that are proven to be apart. Of a leaf with itself also the pairs of a row with itself and with earlier
    // slots, so that each pair is seen once. Behind the last table there is an empty one.
    snag__leaf_table *apart;
    uint32_t count;
    snag__buffer memory[5];
    snag__buffer scratch;
} snag__leaf_adjacency;

typedef struct snag__leaf_adjacency_kernels {
    // Makes the tables of a leaf's neighbours that are apart. `proven`: by corner and slot of the leaf, all bits or none: neighbours
    // at that corner are apart.
    void (*note)(snag__leaf_adjacency *adjacency, uint32_t leaf, const snag__leaf_table proven[3]);
} snag__leaf_adjacency_kernels;

SNAG__DECLARE_KERNELS(snag__leaf_adjacency_kernels, snag__leaf_adjacency_kernels);
const snag__leaf_adjacency_kernels *snag__leaf_adjacency_kernels_for(snag_isa isa);

// Empties the adjacency tables of a BVH with so many slots, before those of its trees are learnt. False without memory.
bool snag__leaf_adjacency_start(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag_allocator *allocator);
// Learns those of the next tree. `slot_of`: by triangle. Vertices with more triangles than `most` table nothing. False without
// memory.
bool snag__leaf_adjacency_learn(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag__tree *tree,
                                const uint32_t *slot_of, uint32_t most, const snag_allocator *allocator);
void snag__leaf_adjacency_free(const snag_allocator *allocator, snag__leaf_adjacency *adjacency);

#endif
