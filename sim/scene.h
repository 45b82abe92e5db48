// What a running scene is made of, for the files that build scenes.
//
// A scene is a row of the table in scene.c: a name, a line of words, how long its steps are, a builder and a drive. The
// builder is given a sim that is zero and
//   1. makes shapes and hands them over with snag__scene_add_body: bodies that stand still, that are driven along a
//      path, that are rigid, or that deform;
//   2. calls snag__scene_assemble, which makes one system of the points of all bodies that deform or are rigid;
//   3. says what they are made of: snag__scene_weave (cloth), snag__scene_fill (tetrahedra), snag__scene_cast (rigid),
//      or snag__scene_add_model with a model of its own (see snag__model in implicit.h), whose masses it then sets in
//      sim->system.mass;
//   4. sets pins, obstacles by distance functions (floor, ball, rod) and the numbers of sim->system and sim->contact
//      that differ from what snag__scene_assemble has set.
// The drive is called before each substep with the time at its end. It writes body->x of driven bodies and the targets
// of pins, and must depend on that time alone: a step that is taken back is driven again. Randomness comes from
// def->seed through snag__scene_random, so that the same def gives the same bytes.
#ifndef SNAG_SIM_SCENE_H
#define SNAG_SIM_SCENE_H

#include "cloth.h"
#include "collide.h"
#include "implicit.h"
#include "rigid.h"
#include "snag/sim.h"
#include "soft.h"

#define SNAG__FRAME (1.0 / 24)
#define SNAG__MAX_SCENE_OBSTACLES 4

typedef struct snag__scene {
    const char *name;
    const char *words;  // what it shows
    double frame;  // seconds that a step of the public API advances, if the def says no other
    uint32_t substeps;  // of a frame
    uint32_t steps;  // that the scene is meant to run for
    // Fills a sim that is zero. What it leaves half done is given back by its caller.
    snag_status (*build)(snag_sim *sim, const snag_sim_def *def);
    // Puts what is driven where it is to be at `time`; NULL where nothing is.
    void (*drive)(snag_sim *sim, double time);
    snag_sim_takes takes;  // models in place of its solid bodies
} snag__scene;

typedef enum snag__body_kind {
    SNAG__STILL = 0,  // stays where it was built
    SNAG__DRIVEN,  // goes where the scene's drive puts it
    SNAG__RIGID,  // its vertices are points of the system, kept in shape
    SNAG__DEFORMING,  // its vertices are points of the system
} snag__body_kind;

typedef struct snag__body {
    const char *name;
    snag__body_kind kind;
    snag_shape shape;  // elements, and vertices as they were built: the rest shape of what deforms
    double (*x)[3];  // where the vertices are now. Of points of the system only after snag__scene_assemble
    double (*before)[3];  // driven: where they were when the substep began
    double (*v)[3];  // driven: how fast they go in the substep
    uint32_t first_point;  // of the system, where it has points there
} snag__body;

// Models that hold a part of the points each.
typedef struct snag__part {
    snag__model model;
    uint32_t first_point;  // the model counts its points from here
    uint32_t first_element;  // likewise
} snag__part;

typedef struct snag__parts {
    snag__part *items;
    size_t count, capacity;
} snag__parts;

struct snag_sim {
    const snag__scene *scene;
    double time;
    uint64_t step;  // that have been done
    snag__sim_memory memory;
    snag__body *bodies;
    size_t body_count, body_capacity;
    snag__obstacle obstacles[SNAG__MAX_SCENE_OBSTACLES];
    snag__implicit system;
    snag__parts parts;
    snag__rigids rigids;
    void *drive_state;  // what the scene's drive needs
    const snag_sim_model *models;  // of the def, while the scene is built
    size_t model_count, models_used;
    snag__contact_rules contact;
    snag__collider *collider;
    double mean_edge;  // of what moves, as it was built
    bool adaptive;
    double frame;  // seconds that a step advances
    snag_sim_report report;  // of the last step
    char message[200];

    // The state to go back to: at the start of the frame, and of the substep.
    struct snag__kept_state *frame_start, *substep_start;
};

// Even in [low, high); the same numbers for the same state everywhere (splitmix64).
static inline double snag__scene_random(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

// ---- for builders: build.c ----

// Adds a body, which takes the shape over: *shape is zero afterwards, also on failure. The name is not copied.
snag_status snag__scene_add_body(snag_sim *sim, snag__body_kind kind, const char *name, snag_shape *shape);
// Puts the next of the def's models in place of a solid shape (tetrahedra, or a closed surface), into its box; leaves other shapes,
// and all where there are no models. Called by snag__scene_add_body. On failure the shape is as it was.
snag_status snag__scene_replace(snag_sim *sim, snag_shape *shape);
// Adds the def's first model as a driven body, the figure, so that it stands on the ground and is `height` high, and the others
// as deforming ones, its garments, in the same scale.
snag_status snag__scene_add_dressed(snag_sim *sim, double height);
// Whether every edge has exactly two triangles. False if memory is short, too, which `failed` tells.
bool snag__shape_is_closed(const snag_shape *shape, bool *failed);
// The lowest and highest corner of the box of all vertices.
void snag__shape_box(const double *positions, size_t vertex_count, double box[2][3]);
// Makes the system of all points there are, each where its shape has it, with gravity, a little drag and the solver's
// usual numbers. Bodies can be added no more.
snag_status snag__scene_assemble(snag_sim *sim);
// What a body is made of; each sets its masses.
snag_status snag__scene_weave(snag_sim *sim, size_t body, const snag__fabric *fabric);
snag_status snag__scene_fill(snag_sim *sim, size_t body, const snag__material *material);
snag_status snag__scene_cast(snag_sim *sim, size_t body, double mass);
// A model of any kind for the points from `first_point` on.
snag_status snag__scene_add_model(snag_sim *sim, const snag__model *model, uint32_t first_point);
// Adds a distance function to those that all points keep out of.
void snag__scene_add_obstacle(snag_sim *sim, const snag__obstacle *obstacle);
// Room for so many pins in all; their points and targets are the caller's to set.
snag_status snag__scene_pin(snag_sim *sim, uint32_t count);
// Whether the scene can be run at all: every point has a mass, no point is pinned twice to different places, and one at
// least is free to move if there are any. Says in sim->message what is wrong.
snag_status snag__scene_check(snag_sim *sim);
// The mean length of the edges, as they were built, of what moves by itself; of what is driven if nothing does.
double snag__scene_mean_edge(const snag_sim *sim);
// Sets sim->message to the body that a point of the system belongs to, its vertex and what is wrong with it, and returns
// the status.
snag_status snag__scene_blame(snag_sim *sim, snag_status status, uint32_t point, const char *what);

// Cells along one side of a sheet (2 dimensions) or block (3) that has `cells` of them at size 1; at least eight, since
// fewer make no folds.
uint32_t snag__scene_cells(uint32_t cells, int dimensions, double size);

// ---- builders and drives ----

// scene_cloth.c
snag_status snag__build_cloth_ball(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_cloth_twist(snag_sim *sim, const snag_sim_def *def);
void snag__drive_cloth_twist(snag_sim *sim, double time);
// scene_soft.c
snag_status snag__build_soft_blocks(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_soft_pile(snag_sim *sim, const snag_sim_def *def);
// scene_figure.c
snag_status snag__build_dressed_figure(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_dressed_man(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_walking_figure(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_body_cloth(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_body_cloth_fine(snag_sim *sim, const snag_sim_def *def);
void snag__drive_figure(snag_sim *sim, double time);
// scene_shapes.c
snag_status snag__build_torus(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_sphere(snag_sim *sim, const snag_sim_def *def);
void snag__drive_sphere(snag_sim *sim, double time);
snag_status snag__build_loop(snag_sim *sim, const snag_sim_def *def);
void snag__drive_loop(snag_sim *sim, double time);
// scene_teschner.c
snag_status snag__build_teschner_a(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_teschner_b(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_teschner_c(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_teschner_d(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_teschner_e(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_teschner_m(snag_sim *sim, const snag_sim_def *def);
void snag__drive_teschner_d(snag_sim *sim, double time);
// scene_madera.c
snag_status snag__build_madera_a(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_madera_b(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_madera_c(snag_sim *sim, const snag_sim_def *def);

// scene_rodriguez.c
snag_status snag__build_rodriguez(snag_sim *sim, const snag_sim_def *def);
void snag__drive_rodriguez(snag_sim *sim, double time);

#endif
