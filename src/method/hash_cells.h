// Shared by the kernels of `hash`: the points of the grid in a box, cell by cell.
#ifndef SNAG_METHOD_HASH_CELLS_H
#define SNAG_METHOD_HASH_CELLS_H

#include "bound/grid.h"
#include "method/hash_lanes.h"

typedef struct cells {
    int64_t first[3], last[3];
    double count;
} cells;

static inline cells cells_of(const snag__grid *g, const double lo[3], const double hi[3])
{
    cells c = {.count = 1};
    for (int axis = 0; axis < 3; axis++) {
        c.first[axis] = snag__grid_cell(g, axis, lo[axis]);
        c.last[axis] = snag__grid_cell(g, axis, hi[axis]);
        c.count *= (double)(c.last[axis] - c.first[axis] + 1);
    }
    return c;
}

// A box in coordinates of a cell, along one axis.
static inline void box_within(const snag__grid *g, const double lo[3], const double hi[3], int axis, int64_t cell, float *low,
                              float *high)
{
    *low = snag__grid_within(snag__grid_coordinate(g, axis, lo[axis]), (double)cell);
    *high = snag__grid_within(snag__grid_coordinate(g, axis, hi[axis]), (double)cell);
}

// Bits of the points at places index .. index + 7, of those before `last`, that lie in a box in coordinates of their cell.
static inline uint32_t points_in(const snag__grid *g, const float lo[3], const float hi[3], size_t index, size_t last)
{
    f8 x = load_f8(g->x[0] + index), y = load_f8(g->x[1] + index), z = load_f8(g->x[2] + index);
    i8 in_box = (i8)(x >= lo[0]) & (i8)(x <= hi[0]) & (i8)(y >= lo[1]) & (i8)(y <= hi[1]) & (i8)(z >= lo[2]) & (i8)(z <= hi[2]);
    uint32_t bits = bits_of(in_box);
    return last - index < 8 ? bits & ((1u << (last - index)) - 1u) : bits;
}

// Calls `visit` for the points first .. last - 1 of every cell of a box, with the box in coordinates of the cell; false: enough.
// Points of another cell with the same hash are visited as if they were in this one; their own cell is visited too if it meets the box.
typedef bool visit_cell(void *context, const float lo[3], const float hi[3], uint32_t first, uint32_t last);

__attribute__((always_inline)) static inline bool visit_cells(const snag__grid *g, const cells *c, const double lo[3],
                                                              const double hi[3], visit_cell *visit, void *context)
{
    float low[3], high[3];
    for (int64_t k = c->first[2]; k <= c->last[2]; k++) {
        box_within(g, lo, hi, 2, k, &low[2], &high[2]);
        for (int64_t j = c->first[1]; j <= c->last[1]; j++) {
            box_within(g, lo, hi, 1, j, &low[1], &high[1]);
            for (int64_t i = c->first[0]; i <= c->last[0]; i++) {
                const snag__grid_slot *slot = &g->slots[snag__grid_hash(g, i, j, k)];
                if (slot->stamp != g->stamp)
                    continue;
                box_within(g, lo, hi, 0, i, &low[0], &high[0]);
                if (!visit(context, low, high, slot->start, slot->end))
                    return false;
            }
        }
    }
    return true;
}

#endif
