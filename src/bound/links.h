// Which triangles of which leaves share a vertex: for every leaf of a forest, and each leaf with neighbours of its triangles, a
// table of 16 rows of 16 bits. Tables of neighbours that are proven to be apart are made from it at every step: a search takes
// them away by whole rows, before any of them is looked at.
#ifndef SNAG_BOUND_LINKS_H
#define SNAG_BOUND_LINKS_H

#include "base/isa.h"
#include "bound/forest.h"

// Row i is that of the i-th place of a leaf, bit j that of the j-th place of the other leaf.
typedef struct snag__leaf_table {
    uint16_t row[SNAG__LEAF_ELEMENTS];
} snag__leaf_table;

// Searches look at so many links of a leaf together: there is room for as many behind the last.
enum { SNAG__LINKS_TOGETHER = 32 };

typedef struct snag__links {
    uint32_t *start;              // by leaf (place / 16), and one more: its links
    uint32_t *other;              // by link: the other leaf; the first is the leaf itself
    uint32_t *reverse;            // by link: the link from the other leaf to this one
    snag__leaf_table (*corner)[3];  // by link: neighbours by the row's corner that they share
    // By link: neighbours that are proven to be apart. Of a leaf with itself also the pairs of a row with itself and with earlier
    // places, so that each pair is seen once. Behind the last link there is an empty one.
    snag__leaf_table *apart;
    uint32_t count;
    snag__buffer memory[5];
    snag__buffer scratch;
} snag__links;

typedef struct snag__link_kernels {
    // Makes the tables of a leaf's neighbours that are apart. `proven`: by corner and place of the leaf, all bits or none: neighbours
    // at that corner are apart.
    void (*note)(snag__links *links, uint32_t leaf, const snag__leaf_table proven[3]);
} snag__link_kernels;

SNAG__DECLARE_KERNELS(snag__link_kernels, snag__link_kernels);
const snag__link_kernels *snag__link_kernels_for(snag_isa isa);

// Empties the links of a forest with so many places, before those of its trees are learnt. False without memory.
bool snag__links_start(snag__links *links, const snag__forest *forest, const snag_allocator *allocator);
// Learns those of the next tree. `place_of`: by triangle. Vertices with more triangles than `most` link nothing. False without
// memory.
bool snag__links_learn(snag__links *links, const snag__forest *forest, const snag__tree *tree, const uint32_t *place_of,
                       uint32_t most, const snag_allocator *allocator);
void snag__links_free(const snag_allocator *allocator, snag__links *links);

#endif
