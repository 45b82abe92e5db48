// A scene of tetrahedra with all that is measured on it: a world, all bodies as one mesh, and the spatial hashing paper's
// own way over that mesh. An open rig stays where it is: its world points into it. What `snag bench tets`, `snag repro teschner` and bench_tets run on.
#ifndef SNAG_LAB_TET_RIG_H
#define SNAG_LAB_TET_RIG_H

#include "paper_hash.h"
#include "../../sim/posed/tet_scenes.h"

typedef struct tet_rig {
    tet_scene scene;
    snag_world *world;
    size_t bytes;  // that the world holds
    snag_body_id *ids;
    size_t body_count;  // in the world
    double (*x)[3];  // all bodies as one mesh
    uint32_t (*tets)[4];
    float (*boxes)[6];
    paper_mesh mesh;
    paper_hash *paper;
} tet_rig;

// The scene of a name, or blocks of about so many tetrahedra (see tet_scene_make). `bodies` 0: the world has those of the scene;
// else all tetrahedra are dealt out to so many bodies of as many scene's bodies each, which it must divide evenly. False:
// no such scene, or no memory; the rig is closed then.
bool tet_rig_open(tet_rig *rig, const char *name, size_t tet_count, uint32_t threads, size_t bodies);
void tet_rig_close(tet_rig *rig);

// Puts everything where it is in a step: the scene and the mesh (lay), and the world too (pose).
void tet_rig_lay(tet_rig *rig, int step);
snag_status tet_rig_move(tet_rig *rig);
snag_status tet_rig_pose(tet_rig *rig, int step);

// The least that a step can do: reads the tetrahedra and writes their boxes.
void tet_rig_write_boxes(tet_rig *rig);

// Vertices in tetrahedra by a method, as pairs, since the paper's way gives no more. `cell` and `table` 0: chosen.
snag_status tet_rig_ask(tet_rig *rig, snag_method method, double cell, uint32_t table, const snag_answer **answer);

// Whether an answer holds the pairs of the paper's way, one by one. False also without memory.
bool tet_rig_agree(const tet_rig *rig, const snag_answer *answer, const paper_pair *found, size_t count);

// Mean length of the tetrahedra's edges as they lie.
double tet_rig_mean_edge(const tet_rig *rig);

#endif
