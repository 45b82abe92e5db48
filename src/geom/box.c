#include "geom/box.h"

#include <math.h>
#include <string.h>

SNAG__DECLARE_KERNELS(snag__box_kernels, snag__box_kernels);

const snag__box_kernels *snag__box_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__box_kernels, isa)
}

static void clear(float *lo, float *hi, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        lo[i] = hi[i] = NAN;
}

void snag__boxes_clear(snag__boxes *boxes, size_t first, size_t last)
{
    for (int axis = 0; axis < 3; axis++)
        clear(boxes->lo[axis], boxes->hi[axis], first, last);
}

void snag__kdops_clear(snag__kdops *kdops, size_t first, size_t last)
{
    for (uint32_t slab = 0; slab < kdops->k / 2; slab++)
        clear(kdops->lo[slab], kdops->hi[slab], first, last);
}

void snag__boxes_pad(snag__boxes *boxes)
{
    snag__boxes_clear(boxes, boxes->count, snag__box_padded(boxes->count));
}

void snag__kdops_pad(snag__kdops *kdops)
{
    snag__kdops_clear(kdops, kdops->count, snag__box_padded(kdops->count));
}

void snag__kdop_directions(uint32_t k, double directions[SNAG__KDOP_SLABS_MAX][3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // In quarters, so that no sum of three doubles overflows.
    static const double cube[4][3] = {{0.25, 0.25, 0.25}, {0.25, 0.25, -0.25}, {0.25, -0.25, 0.25}, {0.25, -0.25, -0.25}};
    static const double faces[6][3] = {{0.25, 0.25, 0.0},  {0.25, -0.25, 0.0}, {0.25, 0.0, 0.25},
                                       {0.25, 0.0, -0.25}, {0.0, 0.25, 0.25},  {0.0, 0.25, -0.25}};
    memcpy(directions, axes, sizeof axes);
    uint32_t count = 3;
    if (k == 14 || k == 26) {
        memcpy(directions[count], cube, sizeof cube);
        count += 4;
    }
    if (k == 18 || k == 26)
        memcpy(directions[count], faces, sizeof faces);
}
