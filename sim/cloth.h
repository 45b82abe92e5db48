// Cloth: a triangle mesh that resists stretch, shear and bending.
#ifndef SNAG_SIM_CLOTH_H
#define SNAG_SIM_CLOTH_H

#include "snag/shapes.h"
#include "springs.h"

// Cloth material.
typedef struct snag__fabric {
    double density;  // kg/m^2
    double stretch;  // N/m: the pull on a strip of unit width that would double its length
    double shear;  // stiffness on the bias, relative to that along the threads
    double bend;  // N m
    double damping;  // s: time constant of stretch and bend damping
    int warp;  // the axis that one set of threads follows at rest: 0, 1 or 2; the other set runs across it
} snag__fabric;

// The part of the bending matrix between points across an edge: the force on i is bend * (x_other - x_i).
typedef struct snag__bends {
    snag__pairs pairs;
    float *bend;
} snag__bends;

typedef struct snag__cloth {
    uint32_t point_count;
    snag__springs edges;  // stretch, and their part of bending
    snag__bends bends;
} snag__cloth;

// Builds a cloth from a sheet at rest and adds its masses to `mass` (one per vertex). The bending energy assumes a flat rest shape:
// a tube at rest bends outward slightly. False: out of memory.
bool snag__cloth_create(snag__cloth *cloth, const snag_shape *sheet, const snag__fabric *fabric, double *mass,
                        snag__sim_memory *memory);
snag__model snag__cloth_model(snag__cloth *cloth);

#endif
