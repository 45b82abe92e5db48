#include "geom/flat.h"

#include "geom/geom.h"

#include <math.h>

SNAG__DECLARE_KERNELS(snag__flat_kernels, snag__flat_kernels);

const snag__flat_kernels *snag__flat_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__flat_kernels, isa)
}

size_t snag__count_flat(const double (*x)[3], const uint32_t (*triangles)[3], size_t count, snag_isa isa, double *width)
{
    enum { BLOCK = 1024 };
    const snag__flat_kernels *kernels = snag__flat_kernels_for(isa);
    uint32_t maybe[BLOCK];
    size_t flat = 0, doubtful = 0;
    double squared = INFINITY;
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t now = count - first < BLOCK ? count - first : BLOCK;
        size_t left = kernels->maybe_flat(x, triangles, first, now, maybe, &squared);
        doubtful += left;
        for (size_t i = 0; i < left; i++) {
            const uint32_t *v = triangles[maybe[i]];
            flat += snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]);
        }
    }
    *width = doubtful == 0 ? sqrt(squared) * (1 - 0x1p-10) : 0;
    return flat;
}
