#include "geom/impact_f32.h"

const snag__f32_impact_kernels *snag__f32_impact_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__f32_impact_kernels, isa)
}
