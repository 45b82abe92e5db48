// Points in the cells of an unbounded regular grid, kept in a hash table.
//
// Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
// Objects, VMV 2003, sections 3 and 4.
// Differs: the points of a cell are contiguous in memory (a counting sort), so that they are compared by whole vectors; coordinates
// are relative to the median point, so that a few far points do not cost the others their precision.
#ifndef SNAG_BOUND_GRID_H
#define SNAG_BOUND_GRID_H

#include "base/memory.h"
#include "base/parallel.h"
#include "common/int128.h"

// The points of one body.
typedef struct snag__grid_points {
    const double (*x)[3];
    const uint8_t *used;  // 0: the point is left out
    uint32_t count;
    uint32_t first;  // its first point among those of all bodies
    uint32_t first_number;  // the caller's number of its first point; the others follow
} snag__grid_points;

// A slot is empty unless it has the current stamp, so the table is never cleared.
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
    // Points by number in all bodies, then by place, cell by cell: coordinates in cells, as floats, so that eight are compared at a
    // time.
    float (*point)[4];
    uint32_t count;
    float *x[3];
    const double **at;
    uint32_t *number;

    uint32_t *places;  // by point, while the grid is filled: its hash, then its place
    snag__buffer slot_memory, place_memory;
} snag__grid;

// Padding after the last place: wide loads may start at any place.
enum { SNAG__GRID_PAD = 16 };

typedef struct snag__grid_def {
    const snag__grid_points *bodies;
    uint32_t body_count;
    double cell;  // positive and finite
    uint32_t table_size;  // at least 1
} snag__grid_def;

// Puts all points into cells, in time linear in the points whatever the table size. False without memory.
bool snag__grid_fill(snag__grid *grid, const snag__grid_def *def, const snag_allocator *allocator, const snag__parallel *parallel);
void snag__grid_free(const snag_allocator *allocator, snag__grid *grid);

// Coordinates are clamped to so many cells from the middle.
#define SNAG__GRID_CELLS 0x1p50
// Adding this rounds to an integer. It also makes the numbers of cells near the middle positive: the paper's hash is mostly the same
// for (i, j, k) and (-i, -j, k).
#define SNAG__GRID_WHOLE (0x1.8p52 + 0x1p20)

// A coordinate in units of cells. Monotonic in x: a point in a box is in the box of the rounded coordinates.
static inline float snag__grid_coordinate(const snag__grid *grid, int axis, double x)
{
    double coordinate = (x - grid->middle[axis]) * grid->inverse_cell;
    coordinate = coordinate > -SNAG__GRID_CELLS ? coordinate : -SNAG__GRID_CELLS;
    return (float)(coordinate < SNAG__GRID_CELLS ? coordinate : SNAG__GRID_CELLS);
}

// The cell of a coordinate in units of cells. Monotonic, so the points of a box are in the cells between those of its ends.
static inline int64_t snag__grid_cell(float coordinate)
{
    return (int64_t)((double)coordinate + SNAG__GRID_WHOLE);
}

// The paper's hash of a cell, with the remainder by two multiplications (Lemire, Kaser, Kurz: Faster remainder by direct computation,
// 2019).
static inline uint32_t snag__grid_hash(const snag__grid *grid, int64_t i, int64_t j, int64_t k)
{
    uint32_t hash = (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u;
    uint64_t fraction = grid->reciprocal * hash;
    return (uint32_t)snag__multiply_high(fraction, grid->table_size);
}

#endif
