// The exact stage of distance.c, in integers: right for any finite input, in microseconds instead of nanoseconds.
#ifndef SNAG_GEOM_DISTANCE_EXACT_H
#define SNAG_GEOM_DISTANCE_EXACT_H

#include "geom/distance.h"

uint32_t snag__vertex_triangle_feature_exact(const double p[3], const double *const triangle[3]);
uint32_t snag__edge_edge_feature_exact(const double *const a[2], const double *const b[2]);
void snag__features_measure_exact(const snag__features *features, snag__gap *gap);
int snag__features_compare_with_exact(const snag__features *features, double d);
int snag__features_compare_exact(const snag__features *x, const snag__features *y);
bool snag__unit_cross_exact(const double a[3], const double b[3], const double c[3], const double d[3], double unit[3]);

// Compares two points lexicographically: -1, 0 or 1.
int snag__point_order(const double a[3], const double b[3]);

#endif
