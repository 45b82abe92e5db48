#include "geom/closest_points.h"

const snag__closest_points_kernels *snag__closest_points_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__closest_points_kernels, isa)
}
