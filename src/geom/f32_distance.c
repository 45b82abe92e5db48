#include "geom/f32_distance.h"

const snag__f32_distance_kernels *snag__f32_distance_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__f32_distance_kernels, isa)
}
