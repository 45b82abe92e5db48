// Static obstacles as distance functions: floors, balls and rods.
#ifndef SNAG_SIM_OBSTACLE_H
#define SNAG_SIM_OBSTACLE_H

#include "vector.h"

typedef enum snag__obstacle_kind { SNAG__FLOOR, SNAG__BALL, SNAG__ROD } snag__obstacle_kind;

typedef struct snag__obstacle {
    snag__obstacle_kind kind;
    double centre[3];  // for a floor only z counts; a rod runs through it along x without end
    double radius;
    double friction;  // Coulomb's coefficient
} snag__obstacle;

// The distance of x from the obstacle's surface, negative inside, and the outward direction.
static inline double snag__obstacle_distance(const snag__obstacle *obstacle, const double x[3], double normal[3])
{
    normal[0] = normal[1] = 0;
    normal[2] = 1;
    if (obstacle->kind == SNAG__FLOOR)
        return x[2] - obstacle->centre[2];
    double from_centre[3];
    snag__subtract3(x, obstacle->centre, from_centre);
    if (obstacle->kind == SNAG__ROD)
        from_centre[0] = 0;
    double length = snag__length3(from_centre);
    if (length > 0)  // at the very centre push upward
        for (int i = 0; i < 3; i++)
            normal[i] = from_centre[i] / length;
    return length - obstacle->radius;
}

#endif
