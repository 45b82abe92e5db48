// Soft bodies: tetrahedra that resist deformation but not rotation.
#ifndef SNAG_SIM_SOFT_H
#define SNAG_SIM_SOFT_H

#include "implicit.h"
#include "snag/shapes.h"

// Material.
typedef struct snag__material {
    double density;  // kg/m^3
    double young;  // Pa
    double poisson;  // 0 to below 0.5
    double damping;  // s: time constant of the damping
} snag__material;

typedef struct snag__soft_tet {
    uint32_t point[4];
    float volume;
    double turn[4];  // the last rotation, a quaternion: start of the next search
    snag__f4 shape[4];  // gradients of the shape functions
    // For the current step: the same rotated, and the forces on the points.
    snag__f4 gradient[4];
    double force[4][3];
} snag__soft_tet;

// A corner of a tetrahedron at a point, and the positions in its row of the blocks of the other three corners, in order.
typedef struct snag__soft_corner {
    uint32_t tet;
    uint16_t corner;
    uint16_t slot[3];
} snag__soft_corner;

typedef struct snag__soft {
    snag__material material;
    snag__soft_tet *tets;
    size_t tet_count;
    uint32_t point_count;
    float scale;  // h^2 + h damping, of the current step

    // By rows: the corners at a point, and the blocks of h^2 K + h D between it and its neighbours.
    uint32_t *corner_row;
    snag__soft_corner *corners;
    uint32_t *row;
    uint32_t *other;
    float (*block)[9];  // column-major; one extra, so that columns can be read four floats at a time
} snag__soft;

// Builds a soft body from a volume at rest and adds its masses to `mass` (one per vertex). False: out of memory.
bool snag__soft_create(snag__soft *soft, const snag_shape *volume, const snag__material *material, double *mass,
                       snag__sim_memory *memory);
// Sets the triangles of a volume without any to its outward-oriented surface. False: out of memory.
bool snag__soft_surface(snag_shape *volume);
snag__model snag__soft_model(snag__soft *soft);

#endif
