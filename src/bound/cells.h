// Boxes of a forest's places in whole cells of a grid, in 16 bits: all of a leaf in one vector, a quarter of the cache lines
// that floats take. A search compares them in place of the k-DOPs of the places, where a leaf meets another.
//
// Numbers of cells count modulo 2^16. No leaf is larger than CELLS_OF_A_LEAF, and leaves that are compared overlap, so that the
// difference of two of their numbers is small, and its sign is right wherever the leaves are. A scene may be as large as
// it likes; where leaves are too unlike each other in size (a floor of two triangles under a cloth), there are no cells.
#ifndef SNAG_BOUND_CELLS_H
#define SNAG_BOUND_CELLS_H

#include "base/isa.h"
#include "bound/forest.h"

// The boxes of a leaf's places. Places without an element are boxes that overlap nothing.
typedef struct snag__cell_boxes {
    uint16_t lo[3][SNAG__LEAF_ELEMENTS], hi[3][SNAG__LEAF_ELEMENTS];
} snag__cell_boxes;

typedef struct snag__cell_bound {
    uint16_t lo[3], hi[3];
} snag__cell_bound;

struct snag__cells {
    snag__cell_boxes *boxes;   // by place / 16
    snag__cell_bound *bounds;  // of leaves, by place / 16
    double origin[3], cell;    // of the grid; cell is 0 where there is none
    double size;               // of most leaves when the grid was made
    uint64_t *refits;          // by tree: of the bounds that its boxes were made from
    uint64_t builds;           // of the forest that they were made for
    snag__buffer memory[3];
};

typedef struct snag__cell_kernels {
    // Fills the boxes of leaves first .. last - 1 (places / 16), of those that the grid reaches.
    void (*fill)(const snag__forest *forest, uint32_t first, uint32_t last, snag__cells *cells);
} snag__cell_kernels;

SNAG__DECLARE_KERNELS(snag__cell_kernels, snag__cell_kernels);

const snag__cell_kernels *snag__cell_kernels_for(snag_isa isa);

// The largest side of a leaf, in cells; and how far the grid reaches from its origin, so that numbers fit into 32 bits.
enum { SNAG__CELLS_OF_A_LEAF = 8192, SNAG__CELLS_OF_THE_GRID = 1 << 29 };

// Whether the cells were made for the forest as it is built, so that they may be filled while it is refitted. Whether its grid
// still is the right one turns out afterwards.
bool snag__cells_fit(const snag__cells *cells, const snag__forest *forest);
// Brings the cells up to date with a forest that has just been refitted, or built anew. False without memory.
bool snag__cells_refit(snag__cells *cells, const snag__forest *forest, const snag_allocator *allocator,
                       const snag__parallel *parallel, snag_isa isa);
// Whether they may be compared in place of the forest's bounds.
static inline bool snag__cells_usable(const snag__cells *cells)
{
    return cells->cell > 0;
}
void snag__cells_free(const snag_allocator *allocator, snag__cells *cells);

#endif
