#include "geom/impact_solve.h"

const snag__impact_solve_kernels *snag__impact_solve_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__impact_solve_kernels, isa)
}
