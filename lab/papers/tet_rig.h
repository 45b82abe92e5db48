// A scene of tetrahedra with everything measured on it: a world, all bodies as one mesh, and the spatial hashing paper's algorithm
// on that mesh. Do not move an open rig: its world points into it. Used by `snag bench tets`, `snag repro teschner` and bench_tets.
#ifndef SNAG_LAB_TET_RIG_H
#define SNAG_LAB_TET_RIG_H

#include "paper_hash.h"
#include "../../sim/posed/tet_scenes.h"

typedef struct tet_rig {
    tet_scene scene;
    snag_world *world;
    size_t bytes;  // used by the world
    snag_body_id *ids;
    size_t body_count;  // in the world
    double (*x)[3];  // all bodies as one mesh
    uint32_t (*tets)[4];
    float (*boxes)[6];
    paper_mesh mesh;
    paper_hash *paper;
} tet_rig;

// Opens a scene by name, or blocks of about the given number of tetrahedra (see tet_scene_make). `bodies` 0: the world has the
// bodies of the scene; else the scene's bodies are grouped into this many, which must divide their number evenly. False: no such
// scene, or out of memory; the rig is then closed.
bool tet_rig_open(tet_rig *rig, const char *name, size_t tet_count, uint32_t threads, size_t bodies);
void tet_rig_close(tet_rig *rig);

// Moves to a step: the scene and the mesh (lay), or also the world (pose).
void tet_rig_lay(tet_rig *rig, int step);
snag_status tet_rig_move(tet_rig *rig);
snag_status tet_rig_pose(tet_rig *rig, int step);

// The lower bound of a step: reads the tetrahedra and writes their boxes.
void tet_rig_write_boxes(tet_rig *rig);

// Finds vertices in tetrahedra with a method, as pairs, since the paper's algorithm gives no more. `cell` and `table` 0: automatic.
snag_status tet_rig_ask(tet_rig *rig, snag_method method, double cell, uint32_t table, const snag_answer **answer);

// Whether an answer has exactly the pairs found by the paper's algorithm. Also false if out of memory.
bool tet_rig_agree(const tet_rig *rig, const snag_answer *answer, const paper_pair *found, size_t count);

// Mean edge length of the tetrahedra in the current pose.
double tet_rig_mean_edge(const tet_rig *rig);

#endif
