// Mass-spring model: springs along the edges of a surface, across them, and through the body.
#ifndef SNAG_SIM_MASS_SPRING_H
#define SNAG_SIM_MASS_SPRING_H

#include "snag/shapes.h"
#include "springs.h"

typedef struct snag__springs_def {
    double density;  // kg/m^2 of the surface
    double stiffness;  // N/m of a spring along an edge
    double bend;  // of one across an edge, relative to that
    double strut;  // of one through the body, relative to that
    double damping;  // s: time constant of the damping
} snag__springs_def;

typedef struct snag__mass_spring {
    snag__springs springs;
} snag__mass_spring;

// Builds the springs of a closed surface at rest and adds its masses to `mass` (one per vertex). False: out of memory.
bool snag__mass_spring_create(snag__mass_spring *body, const snag_shape *surface, const snag__springs_def *def, double *mass,
                              snag__sim_memory *memory);
snag__model snag__mass_spring_model(snag__mass_spring *body);

#endif
