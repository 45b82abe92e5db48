// Boxes in the cells of a regular grid without bounds, kept in a hash table: each box stands once, by its middle, among
// those of about its size.
//
// After Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of
// Deformable Objects, VMV 2003, whose one pass puts an element into every cell that it covers.
// Differs: there is a level of cells for each power of two of a box's size, and a box stands at the first whose cells are
// as large as it is. So whatever meets a box at a level has its middle within half a cell of that box, and neither large nor
// small elements fill many cells (the levels are those of Mirtich, Efficient Algorithms for Two-Phase Collision Detection,
// 1997, where each box still fills all cells that it covers).
#ifndef SNAG_BOUND_GRID_BOXES_H
#define SNAG_BOUND_GRID_BOXES_H

#include "bound/grid.h"

// The box of an element in scaled coordinates, and where it goes.
typedef struct snag__box_item {
    float lo[3], hi[3];  // lo[0] is not a number: left out
    uint32_t level;  // or SNAG__BOX_LEVELS: left out
    uint32_t slot;  // in the whole table
} snag__box_item;

enum {
    SNAG__BOX_LEVELS = 32,  // at the last all cells are one
    SNAG__BOX_LANES_PAD = 16  // wide loads may begin at any place
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
    snag__box_item *items;  // by number; the caller fills in boxes
    uint32_t place_count;

    snag__box_level levels[SNAG__BOX_LEVELS];
    uint32_t stamp;  // as in snag__grid
    snag__grid_slot *slots;
    // By place: level by level, cell by cell.
    float *lo[3], *hi[3];
    uint32_t *number;

    snag__buffer item_memory, slot_memory, place_memory;
} snag__box_grid;

// Coordinates lie in -1 .. 1 but for the inflation of boxes; cells are counted from -1.
#define SNAG__BOX_SMALLEST_CELL 0x1p-29

// Makes room for so many boxes. False without memory.
bool snag__box_grid_start(snag__box_grid *grid, uint32_t count, const snag_allocator *allocator);
// Puts the boxes into cells; `cell`: that of the first level. Costs as much as there are boxes, however large the table. A
// table with fewer slots than one for eight boxes is raised. False without memory.
bool snag__box_grid_fill(snag__box_grid *grid, double cell, uint32_t table_size, const snag_allocator *allocator,
                         const snag__parallel *parallel);
void snag__box_grid_free(const snag_allocator *allocator, snag__box_grid *grid);

// The cell of a coordinate at a level. Never falls as x grows.
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
    return level->first_slot + (uint32_t)(((unsigned __int128)fraction * level->slot_count) >> 64);
}

// The cell of a box's middle. The sum of two floats is exact in double but for a rounding that keeps their order.
static inline void snag__box_middle_cell(const snag__box_level *level, const float lo[3], const float hi[3], uint32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = snag__box_cell(level, 0.5 * ((double)lo[axis] + (double)hi[axis]));
}

#endif
