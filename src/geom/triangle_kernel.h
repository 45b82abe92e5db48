// Triangle kernels over arrays of pairs: a wide floating filter decides the clear cases, snag__triangles_meet and its
// like decide the rest. Answers and counts are the same for every instruction set, and the answers are those of the
// single functions in geom.h.
#ifndef SNAG_GEOM_TRIANGLE_KERNEL_H
#define SNAG_GEOM_TRIANGLE_KERNEL_H

#include "base/isa.h"
#include "geom/f32_filter.h"

// Candidate pairs: triangle pairs[i][0] of body a against triangle pairs[i][1] of body b. Where both are the same body,
// equal vertex numbers are shared vertices. Consecutive pairs with the same first triangle are the quickest.
typedef struct snag__triangle_pairs {
    const double (*x_a)[3];
    const uint32_t (*triangles_a)[3];
    const double (*x_b)[3];
    const uint32_t (*triangles_b)[3];
    bool same_body;
    const uint32_t (*pairs)[2];
    size_t count;
    const snag__f32_pairs *f32;  // the same triangles in single precision; NULL: there are none
} snag__triangle_pairs;

typedef struct snag__triangle_kernels {
    // Writes a snag__meeting for each pair, with the vertices it shares: see f32_filter.h. Returns how many needed the exact path.
    size_t (*meet)(const snag__triangle_pairs *pairs, uint8_t *meeting);
} snag__triangle_kernels;

// The ends of the segments of pairs that meet, the same bits as snag__triangles_segment gives one by one. Returns how
// many ends needed exact arithmetic, coplanar pairs counted once.
size_t snag__triangles_segments(const snag__triangle_pairs *pairs, snag_isa isa, double (*segments)[2][3]);

// `isa` is one that is available; else the scalar table is given.
const snag__triangle_kernels *snag__triangle_kernels_for(snag_isa isa);

#endif
