// Segment against triangle by signs of orientations.
#include "geom/segment.h"

SNAG__DECLARE_KERNELS(snag__segment_kernels, snag__segment_kernels);

const snag__segment_kernels *snag__segment_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__segment_kernels, isa)
}

// All in one plane: convex sets are apart if and only if the line of an edge of one has the other strictly on its far
// side.
static bool meet_in_plane(const double p[3], const double q[3], const double *const t[3])
{
    int axis = 0;
    while (snag__orient2d(t[0], t[1], t[2], axis) == 0)
        axis++;
    int turn = snag__orient2d(t[0], t[1], t[2], axis), left = 0, right = 0;
    for (int i = 0; i < 3; i++) {
        const double *from = t[i], *to = t[(i + 1) % 3];
        if (snag__orient2d(from, to, p, axis) == -turn && snag__orient2d(from, to, q, axis) == -turn)
            return false;
        int side = snag__orient2d(p, q, t[i], axis);
        left += side > 0;
        right += side < 0;
    }
    return left < 3 && right < 3;
}

snag__meeting snag__segment_meets_triangle(const double p[3], const double q[3], const double *const t[3])
{
    if (snag__is_collinear(t[0], t[1], t[2]))
        return SNAG__DEGENERATE;
    int side_p = snag__orient3d(t[0], t[1], t[2], p), side_q = snag__orient3d(t[0], t[1], t[2], q);
    if (side_p * side_q > 0)
        return SNAG__APART;
    if (side_p == 0 && side_q == 0)
        return meet_in_plane(p, q, t) ? SNAG__TOUCHING : SNAG__APART;
    // The line through p and q passes all edges on the same side, or meets some of them.
    int left = 0, right = 0;
    for (int i = 0; i < 3; i++) {
        int side = snag__orient3d(p, q, t[i], t[(i + 1) % 3]);
        left += side > 0;
        right += side < 0;
    }
    if (left > 0 && right > 0)
        return SNAG__APART;
    return side_p * side_q < 0 && left + right == 3 ? SNAG__CROSSING : SNAG__TOUCHING;
}
