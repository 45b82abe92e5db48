// What snag__features_measure says, of several features of one kind at a time: for contacts with all their details.
#ifndef SNAG_GEOM_CLOSEST_POINTS_H
#define SNAG_GEOM_CLOSEST_POINTS_H

#include "geom/distance.h"

// As in snag__gap, with the normal in place of the separation.
typedef struct snag__closest_points {
    double distance;
    double point_a[3], point_b[3];
    double normal[3];
    double weight[4];
} snag__closest_points;

typedef struct snag__closest_points_kernels {
    // Of features with the points points[i]. Returns a bit for each that is good: the others take more than a few operations, or their
    // distance is 0. At most 64.
    uint64_t (*measure)(snag_contact_kind kind, const double *const (*points)[4], size_t count, snag__closest_points *out);
} snag__closest_points_kernels;

SNAG__DECLARE_KERNELS(snag__closest_points_kernels, snag__closest_points_kernels);
const snag__closest_points_kernels *snag__closest_points_kernels_for(snag_isa isa);

#endif
