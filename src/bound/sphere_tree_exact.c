// Triangle against box by separating axes, with exact predicates.
#include "bound/sphere_tree_kernel.h"

#include "geom/geom.h"

SNAG__DECLARE_KERNELS(snag__sphere_kernels, snag__sphere_kernels);

const snag__sphere_kernels *snag__sphere_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__sphere_kernels, isa)
}

static bool boxes_apart(const double *const corner[3], const double lo[3], const double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bool below = true, above = true;
        for (int c = 0; c < 3; c++) {
            below = below && corner[c][axis] < lo[axis];
            above = above && corner[c][axis] > hi[axis];
        }
        if (below || above)
            return true;
    }
    return false;
}

static void box_corner(const double lo[3], const double hi[3], int which, double corner[3])
{
    for (int axis = 0; axis < 3; axis++)
        corner[axis] = (which >> axis & 1) != 0 ? hi[axis] : lo[axis];
}

// Whether all corners of the box lie strictly on one side of the triangle's plane.
static bool plane_separates(const double *const corner[3], const double lo[3], const double hi[3])
{
    int side = 0;
    for (int which = 0; which < 8; which++) {
        double p[3];
        box_corner(lo, hi, which, p);
        int sign = snag__orient3d(corner[0], corner[1], corner[2], p);
        if (sign == 0 || (which > 0 && sign != side))
            return false;
        side = sign;
    }
    return true;
}

// Seen along an axis: whether the box lies strictly on one side of the line p q, and r does not.
static bool edge_separates(const double *p, const double *q, const double *r, const double lo[3], const double hi[3], int axis)
{
    int third = snag__orient2d(p, q, r, axis), side = 0;
    for (int which = 0; which < 8; which++) {
        if ((which >> axis & 1) != 0)
            continue;
        double corner[3];
        box_corner(lo, hi, which, corner);
        int sign = snag__orient2d(p, q, corner, axis);
        if (sign == 0 || sign == third || (which > 0 && sign != side))
            return false;
        side = sign;
    }
    return true;
}

bool snag__triangle_meets_box(const double *const corner[3], const double lo[3], const double hi[3])
{
    if (boxes_apart(corner, lo, hi) || plane_separates(corner, lo, hi))
        return false;
    for (int e = 0; e < 3; e++)
        for (int axis = 0; axis < 3; axis++)
            if (edge_separates(corner[e], corner[(e + 1) % 3], corner[(e + 2) % 3], lo, hi, axis))
                return false;
    return true;
}
