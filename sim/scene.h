// Internals of a running scene, for the files that build scenes.
//
// A scene is a row of the table in scene.c: a name, a description, the length of its steps, a builder and a drive. The builder
// gets a zeroed sim and
//   1. makes shapes and adds them with snag__scene_add_body: bodies that are static, driven along a path, rigid, or deforming;
//   2. calls snag__scene_assemble, which makes one system of the points of all deforming and rigid bodies;
//   3. sets their materials: snag__scene_weave (cloth), snag__scene_fill (tetrahedra), snag__scene_cast (rigid), or
//      snag__scene_add_model with its own force model (see snag__model in implicit.h), whose masses it then sets in
//      sim->system.mass;
//   4. sets pins, obstacles (floor, ball, rod) and the parameters of sim->system and sim->contact that differ from the defaults
//      of snag__scene_assemble.
// The drive is called before each substep with the time at its end. It writes body->x of driven bodies and the targets of pins,
// and must depend only on that time: an undone step is driven again. Randomness comes from def->seed through
// snag__scene_random, so that the same def gives the same bytes.
#ifndef SNAG_SIM_SCENE_H
#define SNAG_SIM_SCENE_H

#include "cloth.h"
#include "collide.h"
#include "implicit.h"
#include "rigid.h"
#include "snag/edit.h"
#include "snag/sim.h"
#include "soft.h"

#define SNAG__FRAME (1.0 / 24)
#define SNAG__MAX_SCENE_OBSTACLES 4

typedef struct snag__scene {
    const char *name;
    const char *words;  // description
    double frame;  // default length of a step of the public API, seconds
    uint32_t substeps;  // per frame
    uint32_t steps;  // default number of steps
    // Fills a zeroed sim. On failure the caller frees the partial result.
    snag_status (*build)(snag_sim *sim, const snag_sim_def *def);
    // Moves driven bodies and pins to their positions at `time`; NULL: nothing is driven.
    void (*drive)(snag_sim *sim, double time);
    snag_sim_takes takes;  // kind of models that can replace its solid bodies
    // Tears or cuts the body of sim->editing after a step, by snag__scene_edit; NULL: elements never change.
    snag_status (*change)(snag_sim *sim);
    double tear;  // the stretch at which its cloth rips; 0: it does not
} snag__scene;

typedef enum snag__body_kind {
    SNAG__STILL = 0,  // stays where it was built
    SNAG__DRIVEN,  // moved by the scene's drive
    SNAG__RIGID,  // its vertices are points of the system with a fixed shape
    SNAG__DEFORMING,  // its vertices are points of the system
} snag__body_kind;

typedef struct snag__body {
    const char *name;
    snag__body_kind kind;
    snag_shape shape;  // elements, and vertices as built: the rest shape of a deforming body
    double (*x)[3];  // current positions. For points of the system only after snag__scene_assemble
    double (*before)[3];  // driven: positions at the start of the substep
    double (*v)[3];  // driven: velocities in the substep
    uint32_t first_point;  // of the system, if it has points there
    uint64_t edits;  // how often its elements have changed
} snag__body;

// Force models, each for a part of the points.
typedef struct snag__part {
    snag__model model;
    uint32_t first_point;  // the model's point 0
    uint32_t first_element;  // likewise
} snag__part;

typedef struct snag__parts {
    snag__part *items;
    size_t count, capacity;
} snag__parts;

// The body that a scene tears or cuts while it runs: the last one with points, and the only one with a force model.
typedef struct snag__editing {
    size_t body;
    const snag__fabric *fabric;  // its material: this or the other
    const snag__material *material;
    void *model;  // of that material, since the last edit: snag__cloth or snag__soft
    snag__sim_memory memory;  // of the model
    uint32_t capacity;  // points that there is room for
    snag_status broken;  // not SNAG_OK: memory ran out during an edit, and the scene cannot go on
} snag__editing;

struct snag_sim {
    const snag__scene *scene;
    double time;
    uint64_t step;  // steps done
    snag__sim_memory memory;
    snag__body *bodies;
    size_t body_count, body_capacity;
    snag__obstacle obstacles[SNAG__MAX_SCENE_OBSTACLES];
    snag__implicit system;
    snag__parts parts;
    snag__rigids rigids;
    void *drive_state;  // state of the scene's drive
    const snag_sim_model *models;  // of the def, while building the scene
    size_t model_count, models_used;
    snag__contact_rules contact;
    snag__collider *collider;
    double mean_edge;  // of moving bodies, as built
    bool adaptive;
    double frame;  // seconds that a step advances
    snag_sim_report report;  // of the last step
    char message[200];

    // Saved states: start of the frame, and of the substep.
    struct snag__kept_state *frame_start, *substep_start;

    snag__editing editing;  // of scenes with a `change`
    double tear;  // the stretch at which cloth rips
    uint64_t seed;
};

// Uniform in [low, high); the same numbers for the same state on every machine (splitmix64).
static inline double snag__scene_random(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

// ---- for builders: build.c ----

// Adds a body and takes ownership of the shape: *shape is zero afterwards, also on failure. The name is not copied.
snag_status snag__scene_add_body(snag_sim *sim, snag__body_kind kind, const char *name, snag_shape *shape);
// Replaces a solid shape (tetrahedra, or a closed surface) by the next of the def's models, fitted to its box. Keeps other shapes,
// and all shapes if there are no models. Called by snag__scene_add_body. On failure the shape is unchanged.
snag_status snag__scene_replace(snag_sim *sim, snag_shape *shape);
// Adds the def's first model, the figure, as a driven body that stands on the ground and is `height` high, and the others, its
// garments, as deforming bodies at the same scale.
snag_status snag__scene_add_dressed(snag_sim *sim, double height);
// Whether every edge has exactly two triangles. Also false if out of memory; see `failed`.
bool snag__shape_is_closed(const snag_shape *shape, bool *failed);
// The lowest and highest corner of the box of all vertices.
void snag__shape_box(const double *positions, size_t vertex_count, double box[2][3]);
// Makes the system of all points at their shapes' positions, with gravity, a little drag and the solver's defaults. No bodies can
// be added afterwards.
snag_status snag__scene_assemble(snag_sim *sim);
// Material of a body; each sets its masses.
snag_status snag__scene_weave(snag_sim *sim, size_t body, const snag__fabric *fabric);
snag_status snag__scene_fill(snag_sim *sim, size_t body, const snag__material *material);
snag_status snag__scene_cast(snag_sim *sim, size_t body, double mass);
// A model of any kind for the points from `first_point` on.
snag_status snag__scene_add_model(snag_sim *sim, const snag__model *model, uint32_t first_point);
// Adds an obstacle for all points.
void snag__scene_add_obstacle(snag_sim *sim, const snag__obstacle *obstacle);
// Allocates the given number of pins in total; the caller sets their points and targets.
snag_status snag__scene_pin(snag_sim *sim, uint32_t count);
// Validates the scene: every point has a mass, no point is pinned to two different positions, and at least one point, if there are
// any, is free to move. Sets sim->message on failure.
snag_status snag__scene_check(snag_sim *sim);
// The mean edge length, as built, of freely moving bodies; of driven bodies if there are none.
double snag__scene_mean_edge(const snag_sim *sim);
// Sets sim->message to the body and vertex of a point of the system and its error, and returns the status.
snag_status snag__scene_blame(snag_sim *sim, snag_status status, uint32_t point, const char *what);

// Cells along one side of a sheet (2 dimensions) or block (3) with `cells` of them at size 1; at least eight, since fewer make no
// folds.
uint32_t snag__scene_cells(uint32_t cells, int dimensions, double size);

// ---- for changes: edit.c ----

// Edits the scene's editable body in the world (snag_world_edit), and then everything that the simulator has of it: points with their
// positions, velocities and masses, elements and force model. Split vertices start where the old ones are. On failure sets sim->message.
snag_status snag__scene_edit(snag_sim *sim, const snag_edit_def *edit);
// Splits vertices, and those whose elements then hang together at a single vertex only; opens the new borders by a small part of an edge, so that
// they do not touch. Pinned vertices must not be named.
snag_status snag__scene_split(snag_sim *sim, const snag_split_vertex *splits, size_t count);
// Makes room for more points in saved states (scene.c).
bool snag__scene_reserve_states(snag_sim *sim, uint32_t count);

// Elements at each vertex of a body: those of vertex v are items[start[v]] .. items[start[v + 1] - 1], ascending.
typedef struct snag__fans {
    uint32_t *start, *items;
} snag__fans;
// False: out of memory.
bool snag__fans_create(snag__fans *fans, const snag_shape *shape, snag__sim_memory *memory);
// The elements that can be edited: tetrahedra of a volume, else triangles; and how many vertices each has.
static inline const uint32_t *snag__shape_elements(const snag_shape *shape, size_t *count, size_t *corners)
{
    *count = shape->tet_count > 0 ? shape->tet_count : shape->triangle_count;
    *corners = shape->tet_count > 0 ? 4 : 3;
    return shape->tet_count > 0 ? shape->tets : shape->triangles;
}

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
// Gravity that ramps up over half a second, so that a garment settles instead of dropping.
double snag__scene_weight_at(double time);
// Makes garments of all bodies but the first, the figure. The seed perturbs them slightly, so that folds differ.
snag_status snag__scene_dress(snag_sim *sim, uint64_t seed);
// scene_person.c
snag_status snag__build_catwalk(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_stroll(snag_sim *sim, const snag_sim_def *def);
void snag__drive_person(snag_sim *sim, double time);
// scene_shapes.c
snag_status snag__build_torus(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_sphere(snag_sim *sim, const snag_sim_def *def);
void snag__drive_sphere(snag_sim *sim, double time);
snag_status snag__build_loop(snag_sim *sim, const snag_sim_def *def);
void snag__drive_loop(snag_sim *sim, double time);
// tear.c
snag_status snag__build_cloth_rip(snag_sim *sim, const snag_sim_def *def);
void snag__drive_cloth_rip(snag_sim *sim, double time);
snag_status snag__change_cloth_rip(snag_sim *sim);
// cut.c
snag_status snag__build_block_cut(snag_sim *sim, const snag_sim_def *def);
void snag__drive_block_cut(snag_sim *sim, double time);
snag_status snag__change_block_cut(snag_sim *sim);
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
