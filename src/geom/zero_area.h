// Triangles of zero area, among many: most are cleared of it at once, by whole vectors.
#ifndef SNAG_GEOM_ZERO_AREA_H
#define SNAG_GEOM_ZERO_AREA_H

#include "base/isa.h"
#include "base/parallel.h"

typedef struct snag__zero_area_kernels {
    // Writes the indexes of those triangles of first .. first + count - 1 that may have zero area, and returns how many;
    // `maybe` has room for count. *width (kept if less) becomes a lower bound of the squares of the widths of the others: of
    // the least height of each.
    size_t (*maybe_zero_area)(const double (*x)[3], const uint32_t (*triangles)[3], size_t first, size_t count, uint32_t *maybe,
                              double *width);
} snag__zero_area_kernels;

const snag__zero_area_kernels *snag__zero_area_kernels_for(snag_isa isa);

// How many of the triangles have zero area, decided exactly. If none has, *width is a lower bound of the least height of
// any; else, and where it is not worth while to tell, 0.
size_t snag__count_zero_area(const double (*x)[3], const uint32_t (*triangles)[3], size_t count, const snag__parallel *parallel,
                             snag_isa isa, double *width);

#endif
