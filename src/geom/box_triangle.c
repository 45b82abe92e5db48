// Separating axes: two convex polytopes are apart if and only if a face normal of one of them, or the cross product of an edge of each, keeps
// them apart (Akenine-Moeller, Fast 3D Triangle-Box Overlap Testing, 2001). Differs: each axis is decided by exact orientations
// of points instead of projections, which are rounded.
#include "geom/box_triangle.h"

#include "geom/geom.h"

// Corner i of the box: bit k of i takes hi along axis k.
static void corner_of(const double lo[3], const double hi[3], int i, double corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = i >> k & 1 ? hi[k] : lo[k];
}

static bool apart_along_axes(const double lo[3], const double hi[3], const double *const p[3])
{
    for (int k = 0; k < 3; k++)
        if ((p[0][k] < lo[k] && p[1][k] < lo[k] && p[2][k] < lo[k]) || (p[0][k] > hi[k] && p[1][k] > hi[k] && p[2][k] > hi[k]))
            return true;
    return false;
}

// The plane of the triangle.
static bool apart_by_plane(const double lo[3], const double hi[3], const double *const p[3])
{
    int sides = 0;
    for (int i = 0; i < 8; i++) {
        double corner[3];
        corner_of(lo, hi, i, corner);
        int side = snag__orient3d(p[0], p[1], p[2], corner);
        if (side == 0 || side * sides < 0)
            return false;
        sides = side;
    }
    return true;
}

// The cross product of an axis and the edge pq: seen along the axis, all corners of the box lie beyond the line through p and q, and the
// third corner r of the triangle does not.
static bool apart_by_line(const double lo[3], const double hi[3], int axis, const double p[3], const double q[3], const double r[3])
{
    int own = snag__orient2d(p, q, r, axis), sides = 0;
    for (int i = 0; i < 8; i++) {
        if (i >> axis & 1)
            continue;
        double corner[3];
        corner_of(lo, hi, i, corner);
        int side = snag__orient2d(p, q, corner, axis);
        if (side == 0 || side * sides < 0 || side * own > 0)
            return false;
        sides = side;
    }
    return true;
}

bool snag__box_meets_triangle(const double lo[3], const double hi[3], const double *const triangle[3])
{
    if (apart_along_axes(lo, hi, triangle) || apart_by_plane(lo, hi, triangle))
        return false;
    for (int axis = 0; axis < 3; axis++)
        for (int c = 0; c < 3; c++)
            if (apart_by_line(lo, hi, axis, triangle[c], triangle[(c + 1) % 3], triangle[(c + 2) % 3]))
                return false;
    return true;
}
