// How a triangle counts for the winding number of a surface around a point, exactly.
#ifndef SNAG_GEOM_CROSSING_H
#define SNAG_GEOM_CROSSING_H

#include <stdbool.h>

// Whether p lies in the closed triangle, which has an area.
bool snag__point_on_triangle(const double p[3], const double *const triangle[3]);

// How the triangle crosses the ray from p along an axis, upward or downward: 1 if it is walked counter-clockwise as seen from its far
// side (the ray leaves a body there), -1 if clockwise, 0 if it is missed. The ray is moved aside by an infinitesimal amount, so that it
// meets no edge and no vertex: sums over a closed surface are its winding number around p. A point on the triangle's plane is below it.
int snag__ray_crossing(const double p[3], int axis, bool up, const double *const triangle[3]);

#endif
