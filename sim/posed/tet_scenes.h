// Moving scenes: the setups of Table 1 of the spatial hashing paper, and a larger one. Teschner et al., Optimized Spatial Hashing
// for Collision Detection of Deformable Objects, VMV 2003, section 6.
//
//   A  100 bars of 2 x 1 x 1 cells          1,000 tetrahedra   1,200 vertices
//   B    8 plates of 10 x 10 x 1 cells      4,000              1,936
//   C   20 plates                          10,000              4,840
//   D    2 long curved vessels             20,514              5,898
//   E  100 plates                          50,000             24,200
//   M    5 blocks of 34 x 34 x 35 cells 1,011,500            220,500
//
// Each cell is cut into five tetrahedra. All bodies bend, and collide with their neighbours.
#ifndef SNAG_SIM_POSED_TET_SCENES_H
#define SNAG_SIM_POSED_TET_SCENES_H

#include "snag/snag.h"

typedef struct tet_body {
    snag_shape shape;  // at the current step
    double *rest;
    double centre[3], turn[3][3], phase[3];
} tet_body;

typedef struct tet_scene {
    const char *name;
    tet_body *bodies;
    size_t body_count, vertex_count, tet_count;
    double amplitude, wave;  // of the bending: amplitude and wavelength
} tet_scene;

// Makes a scene by its name, or blocks of about `tet_count` tetrahedra (name NULL). False: no such scene, or out of memory.
bool tet_scene_make(const char *name, size_t tet_count, tet_scene *scene);
void tet_scene_free(tet_scene *scene);

// Moves all bodies to a step.
void tet_scene_pose(tet_scene *scene, int step);

// Adds all bodies to a world, or moves them. `ids` must have room for all.
snag_status tet_scene_add(const tet_scene *scene, snag_world *world, snag_body_id *ids);
snag_status tet_scene_move(const tet_scene *scene, snag_world *world, const snag_body_id *ids);

#endif
