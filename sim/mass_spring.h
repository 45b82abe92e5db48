// Masses and springs: the points of a surface held together by springs along its edges, across them, and through the body.
#ifndef SNAG_SIM_MASS_SPRING_H
#define SNAG_SIM_MASS_SPRING_H

#include "snag/shapes.h"
#include "springs.h"

typedef struct snag__springs_def {
    double density;  // kg/m^2 of the surface
    double stiffness;  // N/m of a spring along an edge
    double bend;  // of one across an edge, as a part of that
    double strut;  // of one through the body, likewise
    double damping;  // s: how long a stretch is slowed down
} snag__springs_def;

typedef struct snag__mass_spring {
    snag__springs springs;
} snag__mass_spring;

// Builds the springs of a closed surface at rest and adds its masses to `mass` (one per vertex). False if memory is short.
bool snag__mass_spring_create(snag__mass_spring *body, const snag_shape *surface, const snag__springs_def *def, double *mass,
                              snag__sim_memory *memory);
snag__model snag__mass_spring_model(snag__mass_spring *body);

#endif
