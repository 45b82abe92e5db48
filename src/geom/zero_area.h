// Counting triangles of zero area: a SIMD filter clears most, exact predicates decide the rest.
#ifndef SNAG_GEOM_ZERO_AREA_H
#define SNAG_GEOM_ZERO_AREA_H

#include "base/isa.h"
#include "base/parallel.h"

typedef struct snag__zero_area_kernels {
    // Writes the indexes of the triangles among first .. first + count - 1 that may have zero area, and returns how many; `maybe` has
    // room for count. *width is lowered to a lower bound of the squared widths (least heights) of the others.
    size_t (*maybe_zero_area)(const double (*x)[3], const uint32_t (*triangles)[3], size_t first, size_t count, uint32_t *maybe,
                              double *width);
} snag__zero_area_kernels;

const snag__zero_area_kernels *snag__zero_area_kernels_for(snag_isa isa);

// The number of triangles of zero area, exactly. *width becomes a lower bound of the least height of any; 0 if a triangle was in doubt.
size_t snag__count_zero_area(const double (*x)[3], const uint32_t (*triangles)[3], size_t count, const snag__parallel *parallel,
                             snag_isa isa, double *width);

#endif
