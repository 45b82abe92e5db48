#include "bound/local_origin.h"

#include <math.h>

// Sizes at which squares and products of three floats neither overflow nor lose their precision.
static const double SIZE_SMALLEST = 1e-12, SIZE_LARGEST = 1e12;

// The box of all trees.
static bool box_of(const snag__bvh *bvh, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (uint32_t i = 0; i < bvh->tree_count; i++) {
            lo[axis] = fmin(lo[axis], bvh->node_bounds.lo[axis][bvh->trees[i].root]);
            hi[axis] = fmax(hi[axis], bvh->node_bounds.hi[axis][bvh->trees[i].root]);
        }
    }
    return lo[0] <= hi[0] && isfinite(hi[0] - lo[0]) && isfinite(hi[1] - lo[1]) && isfinite(hi[2] - lo[2]);
}

void snag__local_origin_fit(snag__local_origin *local_origin, const snag__bvh *bvh, bool anew)
{
    double lo[3], hi[3], size = 0;
    bool finite = box_of(bvh, lo, hi);
    for (int axis = 0; axis < 3; axis++) {
        if (anew)
            local_origin->centre[axis] = finite ? lo[axis] + (hi[axis] - lo[axis]) / 2 : 0;
        size = fmax(size, fmax(hi[axis] - local_origin->centre[axis], local_origin->centre[axis] - lo[axis]));
    }
    local_origin->reach = finite && size > SIZE_SMALLEST && size < SIZE_LARGEST ? size : INFINITY;
}
