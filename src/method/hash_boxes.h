// Wide search of boxes that meet, in the cells of box grids: see hash_boxes.c.
#ifndef SNAG_METHOD_HASH_BOXES_H
#define SNAG_METHOD_HASH_BOXES_H

#include "base/isa.h"
#include "bound/grid_boxes.h"
#include "query/kind.h"

// What `hash` keeps for the questions about triangles and edges.
typedef struct snag__hash_boxes {
    snag__box_grid rows, columns;  // of a pass; a symmetric one has rows alone
    snag__buffer first_row, first_column;  // per body: the number of its first element
    snag__buffer wanted;
} snag__hash_boxes;

// All candidates of a pass, confirmed. `done` and `share`: of the question, for the progress.
snag_status snag__hash_boxes_pass(snag__ask *ask, snag__hash_boxes *boxes, const snag__pass *pass, double done, double share);
void snag__hash_boxes_free(const snag_allocator *allocator, snag__hash_boxes *boxes);

// Coordinates of the grids: x * scale - origin, within -1 .. 1 for every vertex that takes part.
typedef struct snag__box_frame {
    double scale, origin[3];
    double reach;  // boxes grow by this on each side, scaled
} snag__box_frame;

// Elements first .. last - 1 of a mesh, by `corners` vertices each (1: the vertices themselves).
typedef struct snag__box_elements {
    const double (*x_t0)[3];  // NULL: at t1 only
    const double (*x_t1)[3];
    const uint32_t *vertices;  // NULL: element i is vertex i
    const uint8_t *used;  // of vertices: which take part; NULL: all
    uint32_t corners;
    uint32_t first, last;
} snag__box_elements;

enum { SNAG__BOX_PAIRS = 1024, SNAG__BOX_NEAR = 256 };

// Pairs of places whose boxes meet, handed on when there are many.
typedef struct snag__box_candidates {
    uint32_t rows[SNAG__BOX_PAIRS + SNAG__BOX_NEAR + 8], columns[SNAG__BOX_PAIRS + SNAG__BOX_NEAR + 8];
    size_t count;
    void (*full)(void *context, struct snag__box_candidates *candidates);
    void *context;
} snag__box_candidates;

// Row and column grids with cells of the same sizes, or twice the same grid.
typedef struct snag__box_search {
    const snag__box_grid *rows, *columns;
    bool symmetric;  // each pair once, from its lower place
    bool above;  // only columns of higher levels than the row's; else of its level too
} snag__box_search;

typedef struct snag__hash_box_kernels {
    void (*boxes)(const snag__box_elements *elements, const snag__box_frame *frame, snag__box_item *items);
    // All columns that meet the boxes at places first .. last - 1 of the rows, at or above the level of the row.
    void (*search)(const snag__box_search *search, uint32_t first, uint32_t last, snag__box_candidates *candidates);
} snag__hash_box_kernels;

SNAG__DECLARE_KERNELS(snag__hash_box_kernels, snag__hash_box_kernels);
const snag__hash_box_kernels *snag__hash_box_kernels_for(snag_isa isa);

#endif
