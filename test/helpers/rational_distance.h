// The judge of distances: exact rationals (GMP), every feature tried, no cleverness and no code of the library.
#ifndef TEST_HELPERS_RATIONAL_DISTANCE_H
#define TEST_HELPERS_RATIONAL_DISTANCE_H

#include <gmp.h>
#include <stdint.h>

// The features of each side that hold the closest points, as sets of corners: bit i for corner i. A point that is a
// corner is that corner, not an edge. Among several closest pairs those of the fewest corners are wanted; where such a
// choice is left (parallel edges, triangles without area) `unique` is false and the features are one of several.
typedef struct rational_distance {
    mpq_t squared;
    uint32_t feature_a, feature_b;
    int unique;
} rational_distance;

void rational_distance_init(rational_distance *distance);
void rational_distance_clear(rational_distance *distance);

// Point against triangle: feature_a is 1. Edge against edge.
void rational_vertex_triangle(const double p[3], const double *const triangle[3], rational_distance *out);
void rational_edge_edge(const double *const a[2], const double *const b[2], rational_distance *out);

// The sign of squared - d * d.
int rational_compare(const rational_distance *distance, double d);
// |sqrt(squared) - value| / sqrt(squared), rounded; 0 if both are zero, infinite if only the true one is.
double rational_relative_error(const rational_distance *distance, double value);

// How far the points that weights name are from the closest ones: sqrt(|point_a - point_b|^2 - squared), where a point
// is its side's first corner plus the weighted differences to the others.
double rational_weights_error(const rational_distance *distance, const double *const *a, const double *weight_a, int count_a,
                              const double *const *b, const double *weight_b, int count_b);

#endif
