// Points in the cells of a regular grid that has no bounds: cells are kept in a hash table.
//
// Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
// Objects, VMV 2003, sections 3 and 4.
// Differs: the points of a cell are neighbours in memory (a counting sort, two passes over the points), so that they are
// compared by whole vectors; cells are counted from the corner of the points' box, so that their numbers are small.
#ifndef SNAG_BOUND_GRID_H
#define SNAG_BOUND_GRID_H

#include "base/memory.h"
#include "base/parallel.h"

// The points of one body.
typedef struct snag__grid_points {
    const double (*x)[3];
    const uint8_t *used;  // points of no element are left out
    uint32_t count;
    uint32_t first;         // its first point among those of all bodies
    uint32_t first_number;  // what the caller calls its first point; the others follow
} snag__grid_points;

// The time stamp says whether the slot is of this step: no step clears the table.
typedef struct snag__grid_slot {
    uint32_t start, end;
    uint32_t stamp;
} snag__grid_slot;

typedef struct snag__grid {
    double origin[3], inverse_cell;
    uint32_t table_size;
    uint64_t reciprocal;  // of the table size

    uint32_t stamp;  // odd: points are being counted; even: they are in their places
    snag__grid_slot *slots;
    // Points by place: the cells one after the other. Coordinates are counted in cells and rounded, so that eight are
    // compared at a time; since rounding keeps their order, a point in a box is in the box of the rounded coordinates.
    uint32_t count;
    float *x[3];
    const double **at;
    uint32_t *number;
    uint32_t last_cell[3];  // along each axis

    uint32_t *hashes;  // by point number, while the grid is filled
    snag__buffer slot_memory, place_memory, at_memory, hash_memory;
} snag__grid;

// Cells along an axis, at most: so small a cell size is raised.
#define SNAG__GRID_CELLS 0x1p20

// Wide loads may begin at any place.
enum { SNAG__GRID_PAD = 16 };

typedef struct snag__grid_def {
    const snag__grid_points *bodies;
    uint32_t body_count;
    double cell;          // positive and finite
    uint32_t table_size;  // at least 1
} snag__grid_def;

// Puts all points into cells. Costs as much as there are points, however large the table. False without memory.
bool snag__grid_fill(snag__grid *grid, const snag__grid_def *def, const snag_allocator *allocator,
                     const snag__parallel *parallel);
void snag__grid_free(const snag_allocator *allocator, snag__grid *grid);

// A coordinate counted in cells. Never falls as x grows.
static inline double snag__grid_coordinate(const snag__grid *grid, int axis, double x)
{
    return (x - grid->origin[axis]) * grid->inverse_cell;
}

// The cell of a coordinate. Never falls as x grows, so the points of a box are in the cells between those of its ends.
static inline uint32_t snag__grid_cell(const snag__grid *grid, int axis, double x)
{
    double cell = snag__grid_coordinate(grid, axis, x);
    cell = cell > 0 ? cell : 0;
    return (uint32_t)(cell < SNAG__GRID_CELLS ? cell : SNAG__GRID_CELLS);
}

// The paper's hash of a cell; the remainder by two multiplications (Lemire, Kaser, Kurz: Faster remainder by direct
// computation, 2019), which is the same number.
static inline uint32_t snag__grid_hash(const snag__grid *grid, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t hash = i * 73856093u ^ j * 19349663u ^ k * 83492791u;
    uint64_t fraction = grid->reciprocal * hash;
    return (uint32_t)(((unsigned __int128)fraction * grid->table_size) >> 64);
}

#endif
