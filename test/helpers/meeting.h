// What a triangle kernel must tell of a pair, by the single function.
#ifndef SNAG_TEST_MEETING_H
#define SNAG_TEST_MEETING_H

#include "geom/geom.h"
#include "geom/triangle_kernel.h"

static inline uint8_t meeting_told_singly(const snag__triangle_pairs *pairs, size_t i)
{
    const uint32_t *va = pairs->triangles_a[pairs->pairs[i][0]], *vb = pairs->triangles_b[pairs->pairs[i][1]];
    const uint32_t others[3] = {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2};
    const double *a[3], *b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = pairs->x_a[va[k]];
        b[k] = pairs->x_b[vb[k]];
    }
    snag__meeting meeting = snag__triangles_meet(a, va, b, pairs->same_body ? vb : others);
    uint32_t shared = 0;
    for (int k = 0; k < 9; k++)
        shared += pairs->same_body && va[k / 3] == vb[k % 3];
    bool meets = meeting != SNAG__APART && meeting != SNAG__DEGENERATE;
    return (uint8_t)(meets ? meeting | shared << SNAG__SHARED_SHIFT : meeting);
}

#endif
