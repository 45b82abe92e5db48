// A ray or a segment against a triangle: whether they meet, and where. Decided exactly: by signs with a forward error bound, and with
// integers where a sign is in doubt.
//
// The ray is origin + t D for t in 0 .. limit, where D is the direction of a ray, or the exact difference of the two ends of a segment.
// Both sets are closed: touching counts, and a ray in the plane of a triangle meets it where it first enters.
#ifndef SNAG_GEOM_RAY_H
#define SNAG_GEOM_RAY_H

#include <stdbool.h>

typedef struct snag__ray {
    const double *origin;
    const double *direction;  // of a segment: its other end
    bool segment;
    double limit;
    double d[3];  // D, rounded
    bool tame;  // D is not so large that products overflow
} snag__ray;

// Fills in d and tame.
snag__ray snag__ray_make(const double origin[3], const double direction[3], bool segment, double limit);

// Where a ray meets a triangle: t_low <= t <= t_high for the true t, and t itself as nearly as known.
typedef struct snag__ray_hit {
    double t, t_low, t_high;
    double weight[3];
    int facing;  // as in snag_hit
    bool coarse;  // t and weights are rough: snag__ray_refine
} snag__ray_hit;

// Whether the ray meets the triangle, which has an area.
bool snag__ray_meets(const snag__ray *ray, const double *const triangle[3], snag__ray_hit *hit);
// Computes t and weights from integers if they are rough. Call it for hits that are reported.
void snag__ray_refine(const snag__ray *ray, const double *const triangle[3], snag__ray_hit *hit);
// The sign of t_x - t_y of two hits of one ray, exactly.
int snag__ray_compare(const snag__ray *ray, const double *const triangle_x[3], const snag__ray_hit *x,
                      const double *const triangle_y[3], const snag__ray_hit *y);

#endif
