// Wide kernels of cells.h.
#include "bound/cells.h"

// Positive for every coordinate of a grid, so that to cut off the fraction is to round down.
static const double BIAS = 0x1p30;

// One cell more on each side than the coordinates need: the rounding of products.
static inline uint16_t cell_below(double x, double origin, double per_length)
{
    return (uint16_t)(int32_t)((x - origin) * per_length + (BIAS - 1));
}

static inline uint16_t cell_above(double x, double origin, double per_length)
{
    return (uint16_t)(int32_t)((x - origin) * per_length + (BIAS + 2));
}

// Farther from the leaf than any leaf that overlaps it reaches.
static void clear_places(const snag__cell_bound *bound, uint32_t count, snag__cell_boxes *boxes)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = count; i < SNAG__LEAF_ELEMENTS; i++) {
            boxes->lo[axis][i] = (uint16_t)(bound->hi[axis] + SNAG__CELLS_OF_A_LEAF + 1);
            boxes->hi[axis][i] = (uint16_t)(bound->lo[axis] - SNAG__CELLS_OF_A_LEAF - 1);
        }
}

static inline void fill_places(const snag__forest *forest, const snag__cells *cells, uint32_t first, uint32_t count,
                               snag__cell_boxes *boxes)
{
    double per_length = 1 / cells->cell;
    for (int axis = 0; axis < 3; axis++) {
        const float *lo = forest->place_bounds.lo[axis] + first, *hi = forest->place_bounds.hi[axis] + first;
        for (uint32_t i = 0; i < count; i++) {
            boxes->lo[axis][i] = cell_below((double)lo[i], cells->origin[axis], per_length);
            boxes->hi[axis][i] = cell_above((double)hi[i], cells->origin[axis], per_length);
        }
    }
}

// A leaf that has left the grid has no cells: there will be another grid.
static bool is_reached(const snag__forest *forest, uint32_t node, const snag__cells *cells)
{
    double reach = SNAG__CELLS_OF_THE_GRID * cells->cell;
    for (int axis = 0; axis < 3; axis++) {
        double lo = (double)forest->node_bounds.lo[axis][node], hi = (double)forest->node_bounds.hi[axis][node];
        if (!(hi - cells->origin[axis] <= reach && cells->origin[axis] - lo <= reach))
            return false;
    }
    return true;
}

static void fill_leaf(const snag__forest *forest, uint32_t leaf, snag__cells *cells)
{
    uint32_t node_index = forest->leaves[leaf];
    const snag__node *node = &forest->nodes[node_index];
    snag__cell_bound *bound = &cells->bounds[leaf];
    double per_length = 1 / cells->cell;
    for (int axis = 0; axis < 3; axis++) {
        bound->lo[axis] = cell_below((double)forest->node_bounds.lo[axis][node_index], cells->origin[axis], per_length);
        bound->hi[axis] = cell_above((double)forest->node_bounds.hi[axis][node_index], cells->origin[axis], per_length);
    }
    if (node->count == SNAG__LEAF_ELEMENTS) {
        fill_places(forest, cells, node->first, SNAG__LEAF_ELEMENTS, &cells->boxes[leaf]);
    } else {
        fill_places(forest, cells, node->first, node->count, &cells->boxes[leaf]);
        clear_places(bound, node->count, &cells->boxes[leaf]);
    }
}

static void fill(const snag__forest *forest, uint32_t first, uint32_t last, snag__cells *cells)
{
    for (uint32_t leaf = first; leaf < last; leaf++)
        if (is_reached(forest, forest->leaves[leaf], cells))
            fill_leaf(forest, leaf, cells);
}

const snag__cell_kernels SNAG__KERNEL(snag__cell_kernels) = {.fill = fill};
