// Boxes in the cells of a hierarchical hash grid: each box is stored once, in the cell of its centre, at the level of its size.
//
// After Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of
// Deformable Objects, VMV 2003, which puts an element into every cell that it covers.
// Differs: there is a level of cells for each power of two, and a box is stored at the first level whose cells are as large as it is.
// So the centre of whatever overlaps a box at a level is within half a cell of that box, and neither large nor small elements fill
// many cells. (The levels are those of Mirtich, Efficient Algorithms for Two-Phase Collision Detection, 1997, where each box still
// fills all cells that it covers.)
#ifndef SNAG_BOUND_GRID_BOXES_H
#define SNAG_BOUND_GRID_BOXES_H

#include "bound/grid.h"

// The box of an element in scaled coordinates, and its slot.
typedef struct snag__box_item {
    float lo[3], hi[3];  // lo[0] is NaN: left out
    uint32_t level;  // or SNAG__BOX_LEVELS: left out
    uint32_t slot;  // in the whole table
} snag__box_item;

enum {
    SNAG__BOX_LEVELS = 32,  // the last has a single cell
    SNAG__BOX_LANES_PAD = 16  // wide loads may start at any place
};

typedef struct snag__box_level {
    double cell, inverse_cell;  // the last level: infinite, 0
    uint32_t first_place, count;  // places of its boxes
    uint32_t first_slot, slot_count;
    uint64_t reciprocal;  // of the number of slots
    uint32_t last_cell;  // along an axis
} snag__box_level;

typedef struct snag__box_grid {
    uint32_t count;  // of items
    snag__box_item *items;  // by number; the caller fills in the boxes
    uint32_t place_count;

    snag__box_level levels[SNAG__BOX_LEVELS];
    uint32_t stamp;  // as in snag__grid
    snag__grid_slot *slots;
    // By place: level by level, cell by cell.
    float *lo[3], *hi[3];
    uint32_t *number;

    snag__buffer item_memory, slot_memory;
} snag__box_grid;

// Coordinates lie in -1 .. 1, apart from the inflation of boxes; cells are counted from -1.
#define SNAG__BOX_SMALLEST_CELL 0x1p-29

// Makes room for `count` boxes. False without memory.
bool snag__box_grid_start(snag__box_grid *grid, uint32_t count, const snag_allocator *allocator);
// Puts the boxes into cells, in time linear in the boxes whatever the table size. `cell`: side of the cells of the first level. A
// table with less than one slot for eight boxes is enlarged. False without memory.
bool snag__box_grid_fill(snag__box_grid *grid, double cell, uint32_t table_size, const snag_allocator *allocator,
                         const snag__parallel *parallel);
void snag__box_grid_free(const snag_allocator *allocator, snag__box_grid *grid);

// The cell of a coordinate at a level. Monotonic in x.
static inline uint32_t snag__box_cell(const snag__box_level *level, double x)
{
    double cell = (x + 1) * level->inverse_cell;
    cell = cell > 0 ? cell : 0;
    return cell < level->last_cell ? (uint32_t)cell : level->last_cell;
}

static inline uint32_t snag__box_slot(const snag__box_level *level, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t hash = i * 73856093u ^ j * 19349663u ^ k * 83492791u;
    uint64_t fraction = level->reciprocal * hash;
    return level->first_slot + (uint32_t)snag__multiply_high(fraction, level->slot_count);
}

// The cell of a box's centre. The sum of two floats in double is exact or rounded monotonically.
static inline void snag__box_middle_cell(const snag__box_level *level, const float lo[3], const float hi[3], uint32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = snag__box_cell(level, 0.5 * ((double)lo[axis] + (double)hi[axis]));
}

#endif
