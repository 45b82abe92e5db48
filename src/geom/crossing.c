#include "geom/crossing.h"

#include "geom/geom.h"

bool snag__point_on_triangle(const double p[3], const double *const triangle[3])
{
    if (snag__orient3d(triangle[0], triangle[1], triangle[2], p) != 0)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        int whole = snag__orient2d(triangle[0], triangle[1], triangle[2], axis);
        if (whole == 0)
            continue;
        // Seen with an area: p is in the plane, so this view decides.
        for (int c = 0; c < 3; c++)
            if (snag__orient2d(triangle[c], triangle[(c + 1) % 3], p, axis) * whole < 0)
                return false;
        return true;
    }
    return false;
}

// On which side of the line ab the point p lies, both seen along the axis, once it has been moved by (e, e^2) for an infinitesimal e. 0
// only where a and b are seen as one point.
static int side_of(const double a[3], const double b[3], const double p[3], int axis)
{
    int side = snag__orient2d(a, b, p, axis);
    if (side != 0)
        return side;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    // (b - a) x (p + (e, e^2) - a) = 0 - e (b - a)_j + e^2 (b - a)_i
    if (a[j] != b[j])
        return b[j] < a[j] ? 1 : -1;
    return (b[i] > a[i]) - (b[i] < a[i]);
}

int snag__ray_crossing(const double p[3], int axis, bool up, const double *const triangle[3])
{
    int turn = side_of(triangle[0], triangle[1], p, axis);
    if (turn == 0 || side_of(triangle[1], triangle[2], p, axis) != turn || side_of(triangle[2], triangle[0], p, axis) != turn)
        return 0;
    // Counter-clockwise as seen from above along the axis: then p is below the triangle where the orientation is negative.
    int height = turn * snag__orient3d(triangle[0], triangle[1], triangle[2], p);
    if (up)
        return height <= 0 ? turn : 0;
    return height > 0 ? -turn : 0;
}
