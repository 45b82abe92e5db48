// Shared by the kernels of `hash`: the points of the grid in a box, cell by cell.
#ifndef SNAG_METHOD_HASH_CELLS_H
#define SNAG_METHOD_HASH_CELLS_H

#include "bound/grid.h"
#include "method/hash_lanes.h"

// A box in units of cells, and its cells.
typedef struct region {
    float lo[3], hi[3];
    int64_t first[3], last[3];
    double count;
} region;

static inline void find_cells(region *r)
{
    r->count = 1;
    for (int axis = 0; axis < 3; axis++) {
        r->first[axis] = snag__grid_cell(r->lo[axis]);
        r->last[axis] = snag__grid_cell(r->hi[axis]);
        r->count *= (double)(r->last[axis] - r->first[axis] + 1);
    }
}

static inline region region_of(const snag__grid *g, const double lo[3], const double hi[3])
{
    region r;
    for (int axis = 0; axis < 3; axis++) {
        r.lo[axis] = snag__grid_coordinate(g, axis, lo[axis]);
        r.hi[axis] = snag__grid_coordinate(g, axis, hi[axis]);
    }
    find_cells(&r);
    return r;
}

// Bits of the eight points in a region's box.
static inline uint32_t bits_in(const region *r, const f8 x[3])
{
    i8 in = (i8)(x[0] >= r->lo[0]) & (i8)(x[0] <= r->hi[0]) & (i8)(x[1] >= r->lo[1]) & (i8)(x[1] <= r->hi[1]) &
            (i8)(x[2] >= r->lo[2]) & (i8)(x[2] <= r->hi[2]);
    return bits_of(in);
}

// Bits of the points at places index .. index + 7, of those before `last`, that lie in a region's box.
static inline uint32_t points_in(const snag__grid *g, const region *r, size_t index, size_t last)
{
    const f8 x[3] = {load_f8(g->x[0] + index), load_f8(g->x[1] + index), load_f8(g->x[2] + index)};
    uint32_t bits = bits_in(r, x);
    return last - index < 8 ? bits & ((1u << (last - index)) - 1u) : bits;
}

// Calls `visit` for the points first .. last - 1 of every cell of a region; false: enough. Points of other cells with the same hash
// are among them.
typedef bool visit_cell(void *context, uint32_t first, uint32_t last);

__attribute__((always_inline)) static inline bool visit_cells(const snag__grid *g, const region *r, visit_cell *visit,
                                                              void *context)
{
    for (int64_t k = r->first[2]; k <= r->last[2]; k++)
        for (int64_t j = r->first[1]; j <= r->last[1]; j++)
            for (int64_t i = r->first[0]; i <= r->last[0]; i++) {
                const snag__grid_slot *slot = &g->slots[snag__grid_hash(g, i, j, k)];
                if (slot->stamp == g->stamp && !visit(context, slot->start, slot->end))
                    return false;
            }
    return true;
}

#endif
