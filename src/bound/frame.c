#include "bound/frame.h"

#include <math.h>

// Sizes at which squares and products of three floats neither overflow nor lose their precision.
static const double SIZE_SMALLEST = 1e-12, SIZE_LARGEST = 1e12;

// The box of all trees.
static bool box_of(const snag__forest *forest, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (uint32_t i = 0; i < forest->tree_count; i++) {
            lo[axis] = fmin(lo[axis], forest->node_bounds.lo[axis][forest->trees[i].root]);
            hi[axis] = fmax(hi[axis], forest->node_bounds.hi[axis][forest->trees[i].root]);
        }
    }
    return lo[0] <= hi[0] && isfinite(hi[0] - lo[0]) && isfinite(hi[1] - lo[1]) && isfinite(hi[2] - lo[2]);
}

void snag__frame_fit(snag__frame *frame, const snag__forest *forest, bool anew)
{
    double lo[3], hi[3], size = 0;
    bool finite = box_of(forest, lo, hi);
    for (int axis = 0; axis < 3; axis++) {
        if (anew)
            frame->centre[axis] = finite ? lo[axis] + (hi[axis] - lo[axis]) / 2 : 0;
        size = fmax(size, fmax(hi[axis] - frame->centre[axis], frame->centre[axis] - lo[axis]));
    }
    frame->reach = finite && size > SIZE_SMALLEST && size < SIZE_LARGEST ? size : INFINITY;
}
