// Points in tetrahedra, with SIMD over arrays of pairs: a floating-point filter decides the clear cases, snag__point_in_tet the rest.
// The answers are those of that function; answers and counts are the same for every instruction set.
#ifndef SNAG_GEOM_TETRAHEDRON_KERNEL_H
#define SNAG_GEOM_TETRAHEDRON_KERNEL_H

#include "base/isa.h"

// Candidate pairs: tetrahedron pairs[i][0] of body a and vertex pairs[i][1] of body b.
typedef struct snag__tet_pairs {
    const double (*x_a)[3];
    const uint32_t (*tets_a)[4];
    const double (*x_b)[3];
    const uint32_t (*pairs)[2];
    size_t count;
} snag__tet_pairs;

typedef struct snag__tet_kernels {
    // Writes 1 for each pair whose vertex is in the closed tetrahedron, else 0. Returns how many needed the exact path.
    // By the signs of the barycentric weights:
    size_t (*inside)(const snag__tet_pairs *pairs, uint8_t *inside);
    // By the half-spaces of the four faces, the paper's alternative: the answers are equal, the counts may differ.
    size_t (*inside_half_spaces)(const snag__tet_pairs *pairs, uint8_t *inside);
} snag__tet_kernels;

// The scalar table if `isa` is not available.
const snag__tet_kernels *snag__tet_kernels_for(snag_isa isa);

#endif
