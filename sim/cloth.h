// Cloth: a triangle mesh that resists stretch, shear and bending.
#ifndef SNAG_SIM_CLOTH_H
#define SNAG_SIM_CLOTH_H

#include "implicit.h"
#include "snag/shapes.h"

// What a cloth is made of.
typedef struct snag__fabric {
    double density;  // kg/m^2
    double stretch;  // N/m: the pull on a strip of unit width that would double its length
    double shear;  // stiffness on the bias as a part of that along the threads
    double bend;  // N m
    double damping;  // s: how long a stretch or bend is slowed down
    int warp;  // the axis that one set of threads follows at rest: 0, 1 or 2; the other set runs across it
} snag__fabric;

// Pairs of points (i, other) with i < other, by rows: those of row i are row[i] .. row[i + 1] - 1.
typedef struct snag__pairs {
    uint32_t *row;
    uint32_t *other;
    float *bend;  // the pair's part of the bending matrix: the force is bend * (x_other - x_i)
} snag__pairs;

typedef struct snag__cloth {
    uint32_t point_count;
    snag__pairs edges;  // edges of triangles; they stretch too
    snag__pairs opposites;  // points across an edge
    float *rest;  // length of each edge
    float *stiffness;  // N/m of each edge
    double damping;

    // Of the present step: h^2 K + h D of edge e is across[e] I + along[e] along[e]^T.
    snag__f4 *along;
    float *across;
    float bend_scale;
} snag__cloth;

// Builds a cloth from a sheet at rest and adds its masses to `mass` (one per vertex). The sheet need not be flat, but
// wants to be: a tube at rest bends outward a little. False if memory is short.
bool snag__cloth_create(snag__cloth *cloth, const snag_shape *sheet, const snag__fabric *fabric, double *mass,
                        snag__sim_memory *memory);
snag__model snag__cloth_model(snag__cloth *cloth);

#endif
