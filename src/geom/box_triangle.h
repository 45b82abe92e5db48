// A triangle against a box along the axes, exactly.
#ifndef SNAG_GEOM_BOX_TRIANGLE_H
#define SNAG_GEOM_BOX_TRIANGLE_H

#include <stdbool.h>

// Whether the closed triangle, which has an area, meets the closed box lo .. hi.
bool snag__box_meets_triangle(const double lo[3], const double hi[3], const double *const triangle[3]);

#endif
