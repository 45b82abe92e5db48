#include "geom/box.h"

#include <math.h>

SNAG__DECLARE_KERNELS(snag__box_kernels, snag__box_kernels);

const snag__box_kernels *snag__box_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__box_kernels, isa)
}

static void pad(float *lo, float *hi, size_t count)
{
    for (size_t i = count; i < snag__box_padded(count); i++) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
}

void snag__boxes_pad(snag__boxes *boxes)
{
    for (int axis = 0; axis < 3; axis++)
        pad(boxes->lo[axis], boxes->hi[axis], boxes->count);
}

void snag__kdops_pad(snag__kdops *kdops)
{
    for (uint32_t slab = 0; slab < kdops->k / 2; slab++)
        pad(kdops->lo[slab], kdops->hi[slab], kdops->count);
}
