// Rigid bodies: points whose motion is replaced by the rigid motion with the same momentum.
#ifndef SNAG_SIM_RIGID_H
#define SNAG_SIM_RIGID_H

#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "obstacle.h"
#include "vector.h"

typedef struct snag__rigid {
    uint32_t first_point, point_count;
    double (*rest)[3];  // from the centre of mass
    double centre[3];
    double turn[4];  // a quaternion
} snag__rigid;

typedef struct snag__rigids {
    snag__rigid *items;
    size_t count;
} snag__rigids;

// Builds the body, at rest, from the current points.
bool snag__rigid_create(snag__rigid *rigid, uint32_t first_point, uint32_t point_count, const double (*x)[3], const double *mass,
                        snag__sim_memory *memory);
// Replaces velocities by those of the rigid motion with the same momentum and angular momentum.
void snag__rigid_velocities(const snag__rigid *rigid, const double (*x)[3], const double *mass, double (*v)[3]);
// Moves the points to the best fit of the shape: the centre of mass stays, the rotation follows the points.
void snag__rigid_positions(snag__rigid *rigid, const double *mass, double (*x)[3]);

// Stops the body at obstacles: inelastic impulses with Coulomb friction at vertices inside, and a shift of the whole body by the
// remaining depth. `x` and `v` must be those of a rigid motion.
void snag__rigid_meet(snag__rigid *rigid, const snag__obstacle *obstacles, uint32_t obstacle_count, const double *mass,
                      double (*x)[3], double (*v)[3]);

#endif
