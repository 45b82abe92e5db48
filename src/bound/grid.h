// Points in the cells of a regular grid that has no bounds: cells are kept in a hash table.
//
// Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
// Objects, VMV 2003, sections 3 and 4.
// Differs: the points of a cell are neighbours in memory (a counting sort, two passes over the points), so that they are
// compared by whole vectors; cells are counted from the middle of the points, so that far ones cannot blur the rest.
#ifndef SNAG_BOUND_GRID_H
#define SNAG_BOUND_GRID_H

#include "base/memory.h"
#include "base/parallel.h"

// The points of one body.
typedef struct snag__grid_points {
    const double (*x)[3];
    const uint8_t *used;  // points of no element are left out
    uint32_t count;
    uint32_t first;  // its first point among those of all bodies
    uint32_t first_number;  // what the caller calls its first point; the others follow
} snag__grid_points;

// The time stamp says whether the slot is of this step: no step clears the table.
typedef struct snag__grid_slot {
    uint32_t start, end;
    uint32_t stamp;
} snag__grid_slot;

typedef struct snag__grid {
    double middle[3], inverse_cell;
    uint32_t table_size;
    uint64_t reciprocal;  // of the table size

    uint32_t stamp;  // odd: points are being counted; even: they are in their places
    snag__grid_slot *slots;
    // Points by place: the cells one after the other. Coordinates are counted in cells from that of the point, as floats, so
    // that eight are compared at a time; rounding keeps their order.
    uint32_t count;
    float *x[3];
    const double **at;
    uint32_t *number;

    uint32_t *places;  // by point, while the grid is filled: first its hash
    snag__buffer slot_memory, place_memory, at_memory, hash_memory;
} snag__grid;

// Wide loads may begin at any place.
enum { SNAG__GRID_PAD = 16 };

typedef struct snag__grid_def {
    const snag__grid_points *bodies;
    uint32_t body_count;
    double cell;  // positive and finite
    uint32_t table_size;  // at least 1
} snag__grid_def;

// Puts all points into cells. Costs as much as there are points, however large the table. False without memory.
bool snag__grid_fill(snag__grid *grid, const snag__grid_def *def, const snag_allocator *allocator, const snag__parallel *parallel);
void snag__grid_free(const snag_allocator *allocator, snag__grid *grid);

// A coordinate counted in cells. Never falls as x grows.
static inline double snag__grid_coordinate(const snag__grid *grid, int axis, double x)
{
    return (x - grid->middle[axis]) * grid->inverse_cell;
}

// Beyond so many cells from the middle all cells are one.
#define SNAG__GRID_CELLS 0x1p50
// A sum with this has no room for a fraction and rounds to a whole number. Cells near the middle get positive numbers from
// it: the paper's hash is mostly the same for (i, j, k) and (-i, -j, k).
#define SNAG__GRID_WHOLE (0x1.8p52 + 0x1p20)

// The cell of a coordinate that is counted in cells, as a sum with SNAG__GRID_WHOLE. Never falls as the coordinate grows, so
// the points of a box are in the cells between those of its ends.
static inline double snag__grid_whole(double coordinate)
{
    coordinate = coordinate > -SNAG__GRID_CELLS ? coordinate : -SNAG__GRID_CELLS;
    coordinate = coordinate < SNAG__GRID_CELLS ? coordinate : SNAG__GRID_CELLS;
    return coordinate + SNAG__GRID_WHOLE;
}

static inline int64_t snag__grid_cell(const snag__grid *grid, int axis, double x)
{
    return (int64_t)snag__grid_whole(snag__grid_coordinate(grid, axis, x));
}

// A coordinate counted from a cell.
static inline float snag__grid_within(double coordinate, double whole)
{
    return (float)(coordinate - (whole - SNAG__GRID_WHOLE));
}

// The paper's hash of a cell; the remainder by two multiplications (Lemire, Kaser, Kurz: Faster remainder by direct
// computation, 2019), which is the same number.
static inline uint32_t snag__grid_hash(const snag__grid *grid, int64_t i, int64_t j, int64_t k)
{
    uint32_t hash = (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u;
    uint64_t fraction = grid->reciprocal * hash;
    return (uint32_t)(((unsigned __int128)fraction * grid->table_size) >> 64);
}

#endif
