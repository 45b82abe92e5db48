// Soft blocks: tetrahedra that resist deformation but not rotation, and blocks that push each other apart.
#ifndef SNAG_SIM_SOFT_H
#define SNAG_SIM_SOFT_H

#include "implicit.h"
#include "snag/shapes.h"

// What a block is made of.
typedef struct snag__material {
    double density;  // kg/m^3
    double young;  // Pa
    double poisson;  // 0 to below 0.5
    double damping;  // s: how long a deformation is slowed down
    double friction;  // Coulomb's coefficient between blocks
} snag__material;

typedef struct snag__soft_tet {
    uint32_t point[4];
    uint32_t block;
    float shape[3][3];  // gradients of the shape functions of points 1 to 3; that of point 0 is minus their sum
    float volume;
    double turn[4];  // the rotation found last, a quaternion: where the next search starts
    snag__f4 gradient[3];  // the gradients rotated, of the present step
} snag__soft_tet;

// One block: a range of points and tetrahedra, and its extent at rest, from the origin.
typedef struct snag__soft_block {
    uint32_t first_point, point_count;
    double extent[3];
    double low[3], high[3];  // the box of its points now
} snag__soft_block;

// A point of one block inside a tetrahedron of another.
typedef struct snag__touch {
    uint32_t point, tet;
    float weight[4];
    snag__f4 normal;  // leads out
    float depth;  // 0: none
    float normal_stiffness, tangent_stiffness;  // parts of h^2 K + h D
} snag__touch;

// A surface point in the box of another block.
typedef struct snag__candidate {
    double x;
    uint32_t point, block;
    uint32_t touch;  // the deepest found so far, or UINT32_MAX
} snag__candidate;

typedef struct snag__soft {
    snag__material material;
    snag__soft_tet *tets;
    uint32_t tet_count;
    snag__soft_block *blocks;
    uint32_t block_count;
    double (*rest)[3];  // of each point, in its block
    double contact_stiffness;  // N/m

    uint32_t *surface;  // the points on the surfaces
    uint32_t *surface_block;
    uint32_t surface_count;
    snag__candidate *candidates;  // sorted along x
    uint32_t candidate_count;
    snag__touch *touches;  // the deepest one of each surface point
    uint32_t touch_count;

    float scale;  // h^2 + h damping, of the present step
} snag__soft;

// Room for so many blocks, points and tetrahedra in all; false if memory is short.
bool snag__soft_create(snag__soft *soft, const snag__material *material, uint32_t blocks, uint32_t points,
                       uint32_t tets, snag__sim_memory *memory);
// Adds a block in its rest shape, a box with a corner at the origin, and its masses. Its triangles are set to its
// surface, turned outward. False if memory is short.
bool snag__soft_add(snag__soft *soft, snag_shape *block, double cell, double *mass);
// Where the axes of the rest shape point now, as the tetrahedron has turned.
void snag__soft_axes(const snag__soft_tet *tet, snag__f4 axes[3]);
snag__model snag__soft_model(snag__soft *soft);

#endif
