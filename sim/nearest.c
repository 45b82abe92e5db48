#include "nearest.h"

#include <string.h>

static void way_to_segment(const double p[3], const double a[3], const double b[3], double way[3])
{
    double along[3], from_a[3];
    snag__subtract3(b, a, along);
    snag__subtract3(p, a, from_a);
    double square = snag__dot3(along, along), t = square > 0 ? snag__dot3(from_a, along) / square : 0;
    snag__subtract3(a, p, way);
    snag__add_scaled3(way, fmin(fmax(t, 0), 1), along);
}

// Whether p stands over the inside of the triangle; then the way leads along its normal.
static bool way_to_plane(const double p[3], const double *const corner[3], double way[3])
{
    double u[3], w[3], n[3], from[3];
    snag__subtract3(corner[1], corner[0], u);
    snag__subtract3(corner[2], corner[0], w);
    snag__cross3(u, w, n);
    double square = snag__dot3(n, n);
    for (int k = 0; k < 3 && square > 0; k++) {
        double edge[3], aside[3];
        snag__subtract3(corner[(k + 1) % 3], corner[k], edge);
        snag__subtract3(p, corner[k], from);
        snag__cross3(edge, from, aside);
        if (snag__dot3(aside, n) < 0)
            return false;
    }
    if (!(square > 0))
        return false;
    snag__subtract3(p, corner[0], from);
    memset(way, 0, 3 * sizeof *way);
    snag__add_scaled3(way, -snag__dot3(from, n) / square, n);
    return true;
}

static void keep_shorter(const double way[3], double shortest[3], double *distance)
{
    double length = snag__length3(way);
    if (length < *distance) {
        *distance = length;
        memcpy(shortest, way, 3 * sizeof *shortest);
    }
}

double snag__nearest_surface(const snag_shape *shape, const double (*x)[3], const double p[3], double way[3])
{
    double distance = HUGE_VAL;
    for (size_t t = 0; t < shape->triangle_count; t++) {
        const uint32_t *c = shape->triangles + 3 * t;
        const double *corner[3] = {x[c[0]], x[c[1]], x[c[2]]};
        double to[3];
        if (way_to_plane(p, corner, to)) {
            keep_shorter(to, way, &distance);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            way_to_segment(p, corner[k], corner[(k + 1) % 3], to);
            keep_shorter(to, way, &distance);
        }
    }
    return distance;
}
