// Wide kernels of quantized boxes.h.
#include "bound/quantized_aabb.h"

// Positive for every coordinate of a grid, so that to cut off the fraction is to round down.
static const double BIAS = 0x1p30;

// One cell more on each side than the coordinates need: the rounding of products.
static inline uint16_t quantum_below(double x, double origin, double per_length)
{
    return (uint16_t)(int32_t)((x - origin) * per_length + (BIAS - 1));
}

static inline uint16_t quantum_above(double x, double origin, double per_length)
{
    return (uint16_t)(int32_t)((x - origin) * per_length + (BIAS + 2));
}

// Farther from the leaf than any leaf that overlaps it reaches.
static void clear_slots(const snag__quantized_bound *bound, uint32_t count, snag__quantized_leaf *boxes)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = count; i < SNAG__LEAF_ELEMENTS; i++) {
            boxes->lo[axis][i] = (uint16_t)(bound->hi[axis] + SNAG__QUANTIZED_LEAF_MAX + 1);
            boxes->hi[axis][i] = (uint16_t)(bound->lo[axis] - SNAG__QUANTIZED_LEAF_MAX - 1);
        }
}

static inline void fill_slots(const snag__bvh *bvh, const snag__quantized_aabbs *quantized, uint32_t first, uint32_t count,
                              snag__quantized_leaf *boxes)
{
    double per_length = 1 / quantized->quantum;
    for (int axis = 0; axis < 3; axis++) {
        const float *lo = bvh->slot_bounds.lo[axis] + first, *hi = bvh->slot_bounds.hi[axis] + first;
        for (uint32_t i = 0; i < count; i++) {
            boxes->lo[axis][i] = quantum_below((double)lo[i], quantized->origin[axis], per_length);
            boxes->hi[axis][i] = quantum_above((double)hi[i], quantized->origin[axis], per_length);
        }
    }
}

// A leaf that has left the grid has no quantized boxes: there will be another grid.
static bool is_reached(const snag__bvh *bvh, uint32_t node, const snag__quantized_aabbs *quantized)
{
    double reach = SNAG__QUANTIZED_GRID_MAX * quantized->quantum;
    for (int axis = 0; axis < 3; axis++) {
        double lo = (double)bvh->node_bounds.lo[axis][node], hi = (double)bvh->node_bounds.hi[axis][node];
        if (!(hi - quantized->origin[axis] <= reach && quantized->origin[axis] - lo <= reach))
            return false;
    }
    return true;
}

static void fill_leaf(const snag__bvh *bvh, uint32_t leaf, snag__quantized_aabbs *quantized)
{
    uint32_t node_index = bvh->leaves[leaf];
    const snag__node *node = &bvh->nodes[node_index];
    snag__quantized_bound *bound = &quantized->bounds[leaf];
    double per_length = 1 / quantized->quantum;
    for (int axis = 0; axis < 3; axis++) {
        bound->lo[axis] = quantum_below((double)bvh->node_bounds.lo[axis][node_index], quantized->origin[axis], per_length);
        bound->hi[axis] = quantum_above((double)bvh->node_bounds.hi[axis][node_index], quantized->origin[axis], per_length);
    }
    if (node->count == SNAG__LEAF_ELEMENTS) {
        fill_slots(bvh, quantized, node->first, SNAG__LEAF_ELEMENTS, &quantized->boxes[leaf]);
    } else {
        fill_slots(bvh, quantized, node->first, node->count, &quantized->boxes[leaf]);
        clear_slots(bound, node->count, &quantized->boxes[leaf]);
    }
}

static void fill(const snag__bvh *bvh, uint32_t first, uint32_t last, snag__quantized_aabbs *quantized)
{
    for (uint32_t leaf = first; leaf < last; leaf++)
        if (is_reached(bvh, bvh->leaves[leaf], quantized))
            fill_leaf(bvh, leaf, quantized);
}

const snag__quantized_aabb_kernels SNAG__KERNEL(snag__quantized_aabb_kernels) = {.fill = fill};
