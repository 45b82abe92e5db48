// Squared distances of features with gradient and Hessian, and the mollifier of nearly parallel edges.
#ifndef SNAG_GEOM_DERIVATIVES_H
#define SNAG_GEOM_DERIVATIVES_H

#include "snag/question.h"

// Features by their points, as in snag__features. A vertex is measured to the line of an edge or to the plane of a triangle, two edges
// by their lines: the distance of the features where these hold each other's closest points. The derivatives are taken after the
// coordinates of the four points in turn; those of points that a kind does not have, and of points that drop out, are zero.
//
// Features that are degenerate are replaced by the closest ones of lower dimension: a triangle or two edges whose directions differ by
// less than 2^-60 (as a sine), an edge shorter than 2^-200 of the extent of all points. Returns the kind that was measured. Nothing is
// NaN or infinite for finite points: what would overflow is +-DBL_MAX. `gradient` (12) and `hessian` (144) may be NULL.
snag_contact_kind snag__derive_distance(snag_contact_kind kind, const double *const points[4], double *squared, double *gradient,
                                        double *hessian);

// The mollifier of two edges, points[0..1] and points[2..3]: x (2 - x) for x = |u x v|^2 / threshold below 1, else 1. A threshold of 0
// gives 1.
double snag__derive_mollifier(const double *const points[4], double threshold, double *gradient, double *hessian);

#endif
