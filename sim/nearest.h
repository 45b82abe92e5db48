// The nearest point of a surface, by looking at all of its triangles: for the few vertices that need it.
#ifndef SNAG_SIM_NEAREST_H
#define SNAG_SIM_NEAREST_H

#include "snag/shapes.h"
#include "vector.h"

// The distance of p from the surface of a shape whose vertices stand at x, and the way there. HUGE_VAL without triangles.
double snag__nearest_surface(const snag_shape *shape, const double (*x)[3], const double p[3], double way[3]);

#endif
