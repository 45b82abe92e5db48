// The rotation nearest to a matrix, tracked from step to step.
// Mueller, Bender, Chentanez, Macklin: A Robust Method to Extract the Rotational Part of Deformations, MIG 2016.
// Differs: the rotation is stepped without trigonometry, so that it is the same on every machine.
#ifndef SNAG_SIM_ROTATION_H
#define SNAG_SIM_ROTATION_H

#include "vector.h"

static inline void snag__rotation_columns(const double q[4], double column[3][3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    column[0][0] = 1 - 2 * (y * y + z * z), column[0][1] = 2 * (x * y + w * z), column[0][2] = 2 * (x * z - w * y);
    column[1][0] = 2 * (x * y - w * z), column[1][1] = 1 - 2 * (x * x + z * z), column[1][2] = 2 * (y * z + w * x);
    column[2][0] = 2 * (x * z + w * y), column[2][1] = 2 * (y * z - w * x), column[2][2] = 1 - 2 * (x * x + y * y);
}

// q = (1, half) q, normalised: a rotation about `half` by twice the arctangent of its length.
static inline void snag__turn_by(double q[4], const double half[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double r[4] = {
        w - half[0] * x - half[1] * y - half[2] * z,
        x + half[0] * w + half[1] * z - half[2] * y,
        y + half[1] * w + half[2] * x - half[0] * z,
        z + half[2] * w + half[0] * y - half[1] * x,
    };
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int k = 0; k < 4; k++)
        q[k] = r[k] / length;
}

// Rotates q towards the rotation nearest to F, given by columns. Works for flat and inverted F too; starting from the previous
// step, four iterations are enough.
static inline void snag__follow_rotation(double q[4], const double f[3][3], double rotation[3][3])
{
    snag__rotation_columns(q, rotation);
    for (int round = 0; round < 20; round++) {
        double torque[3] = {0}, agreement = 1e-9;
        for (int k = 0; k < 3; k++) {
            double cross[3];
            snag__cross3(rotation[k], f[k], cross);
            snag__add_scaled3(torque, 1, cross);
            agreement += snag__dot3(rotation[k], f[k]);
        }
        double half[3] = {0};
        snag__add_scaled3(half, 0.5 / fabs(agreement), torque);
        if (snag__dot3(half, half) < 1e-10)
            return;
        snag__turn_by(q, half);
        snag__rotation_columns(q, rotation);
    }
}

#endif
