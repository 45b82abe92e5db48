// Soft bodies: tetrahedra that resist deformation but not rotation.
#ifndef SNAG_SIM_SOFT_H
#define SNAG_SIM_SOFT_H

#include "implicit.h"
#include "snag/shapes.h"

// What a body is made of.
typedef struct snag__material {
    double density;  // kg/m^3
    double young;  // Pa
    double poisson;  // 0 to below 0.5
    double damping;  // s: how long a deformation is slowed down
} snag__material;

typedef struct snag__soft_tet {
    uint32_t point[4];
    float shape[3][3];  // gradients of the shape functions of points 1 to 3; that of point 0 is minus their sum
    float volume;
    double turn[4];  // the rotation found last, a quaternion: where the next search starts
    snag__f4 gradient[3];  // the gradients rotated, of the present step
} snag__soft_tet;

typedef struct snag__soft {
    snag__material material;
    snag__soft_tet *tets;
    size_t tet_count;
    float scale;  // h^2 + h damping, of the present step
} snag__soft;

// Builds a soft body from a volume at rest and adds its masses to `mass` (one per vertex). False if memory is short.
bool snag__soft_create(snag__soft *soft, const snag_shape *volume, const snag__material *material, double *mass,
                       snag__sim_memory *memory);
// Sets the triangles of a volume that has none to its surface, turned outward. False if memory is short.
bool snag__soft_surface(snag_shape *volume);
snag__model snag__soft_model(snag__soft *soft);

#endif
