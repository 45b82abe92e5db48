// Scenes with deforming bodies, for the demo, the tests and the benches. A library of its own (snag_sim). A scene is used by one thread
// at a time, runs no callbacks, and gets its memory from malloc. Units: metres, seconds, kilograms.
#ifndef SNAG_SIM_H
#define SNAG_SIM_H

#include "snag/base.h"
#include "snag/shapes.h"
#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// A running simulation.
typedef struct snag_sim snag_sim;

// One body of a scene. The arrays are owned by the scene; positions change with each step. They are valid until the scene is destroyed, but of a
// scene that tears or cuts (snag_sim_scene_edits) only until its next step: ask for the body again, and if `edits` has changed, so have its
// vertices and elements. What stays keeps its number, as in snag/edit.h; boundary triangles of a volume are numbered anew.
typedef struct snag_sim_body {
    const char *name;
    const double *positions;
    size_t vertex_count;
    const uint32_t *triangles;  // of a volume: its boundary, outward
    size_t triangle_count;
    const uint32_t *tets;  // NULL for a surface
    size_t tet_count;
    bool moves;
    uint64_t edits;  // how often its vertices and elements have changed since the start
} snag_sim_body;

// How the scene responds to contacts.
typedef enum snag_sim_response {
    SNAG_SIM_RESPONSE_SCENE = 0,  // the scene's default
    SNAG_SIM_RESPONSE_NONE = 1,  // not at all: bodies pass through each other and through themselves
    SNAG_SIM_RESPONSE_CONTACTS = 2,  // features that are too close, or inside a volume, at the end of a step are pushed apart
    SNAG_SIM_RESPONSE_IMPACTS = 3,  // also stops impacts within a step: a scene without intersections stays without
    // Safe motion alone (snag_response_truncate): vertices are held back before they meet, and nothing is pushed. A scene without
    // intersections stays without. Not for scenes with rigid bodies.
    SNAG_SIM_RESPONSE_BOUNDS = 4,
    SNAG_SIM_RESPONSE_HALF_SPACES = 5,
} snag_sim_response;

// A model that replaces one of the scene's own: a surface, or tetrahedra. The arrays are borrowed for the call.
typedef struct snag_sim_model {
    const char *name;  // for messages and, if the scene has no name for it, for the body; may be NULL
    const double *positions;  // x, y, z of each vertex
    size_t vertex_count;
    const uint32_t *triangles;
    size_t triangle_count;
    const uint32_t *tets;
    size_t tet_count;
} snag_sim_model;

// Which scene to simulate, and how.
typedef struct snag_sim_def {
    uint32_t cookie;  // set by snag_default_sim_def; any other value is refused
    const char *scene;  // see snag_sim_scene_name
    double size;  // number of elements relative to the scene's default of 1, above 0 and at most 1000
    uint64_t seed;  // of the initial state
    snag_sim_response response;
    snag_method method;  // of the search for contacts
    double response_ratio;  // 0..1: the part of the contacts, chosen at random, that is responded to
    uint32_t new_pairs;  // snag_active_options.new_pairs in each substep, for the method active
    uint32_t threads;  // 0: one for each processor; results do not depend on it
    double step_seconds;  // duration of a step; 0: the scene's default
    bool
        adaptive;  // choose the number of substeps so that nothing moves farther than half an edge in each; else the scene's number
    double
        tear;  // the stretch at which cloth rips, above 1, in scenes that tear: 1.5 is half as long again. 0: the scene's default
    // Models for the scene's solid bodies, reused from the first if there are fewer, each scaled and moved into the box of the body that
    // it replaces; `size` does not apply to them. A dressed figure takes a figure, z upwards, and all of its garments, scaled together
    // to the figure's height. NULL: the scene's own.
    const snag_sim_model *models;
    size_t model_count;
    // Error message buffer for snag_sim_create; may be NULL. The message names the model, body and vertex.
    char *message;
    size_t message_size;
} snag_sim_def;

// The scene "cloth-ball" in its own size, all contacts, one thread for each processor.
SNAG_API snag_sim_def snag_default_sim_def(void);
// The names of all scenes, by index 0, 1, ... until NULL; a line that describes each, and how many steps it should run. Static.
SNAG_API const char *snag_sim_scene_name(size_t index);
SNAG_API const char *snag_sim_scene_words(size_t index);
SNAG_API uint32_t snag_sim_scene_steps(size_t index);
// Whether the scene tears or cuts bodies while it runs, so that their vertices and elements change.
SNAG_API bool snag_sim_scene_edits(size_t index);
// Which models the scene takes instead of its own.
typedef enum snag_sim_takes {
    SNAG_SIM_TAKES_NONE = 0,
    SNAG_SIM_TAKES_SURFACES = 1,
    SNAG_SIM_TAKES_TETS = 2,
    SNAG_SIM_TAKES_DRESSED = 3,  // first a figure, which is a closed surface, then its garments
} snag_sim_takes;
SNAG_API snag_sim_takes snag_sim_scene_takes(size_t index);

// The caller owns the scene and must destroy it. On failure *sim is NULL:
//   SNAG_ERROR_ARGUMENT     an unknown scene or response, a size that is not positive and finite, a ratio outside of 0..1, a negative
//                           step, a stretch to tear at that is not above 1; a model without the elements that the scene takes or with a tetrahedron of zero volume; a figure
//                           that is not closed, garments that are missing or not around it
//   SNAG_ERROR_SIZE         a size above 1000
//   SNAG_ERROR_UNSUPPORTED  a method that cannot answer the scene's questions; models for a scene that takes none, a stretch to tear at for one that
//                           does not tear
//   SNAG_ERROR_INDEX, _NOT_FINITE  a model names a vertex that it does not have, or has a position that is not finite
//   SNAG_ERROR_MEMORY
SNAG_API snag_status snag_sim_create(const snag_sim_def *def, snag_sim **sim);
// NULL is allowed.
SNAG_API void snag_sim_destroy(snag_sim *sim);
// Advances by one step (1/24 s, unless the scene or the def has another duration). The same def gives the same bytes. A step that
// explodes is cut into shorter ones; if that does not help, it fails with SNAG_ERROR_NOT_FINITE and all bodies stay where they were.
// If memory runs out once a body is torn or cut, the scene cannot go on: this and all later steps fail with SNAG_ERROR_MEMORY. Before that
// the step may be tried again.
SNAG_API snag_status snag_sim_step(snag_sim *sim);
// The error message of the last step that failed, with its number and body; "" if none did. Valid until the next step.
SNAG_API const char *snag_sim_message(const snag_sim *sim);
SNAG_API size_t snag_sim_body_count(const snag_sim *sim);
// A zero body if there is no such index.
SNAG_API snag_sim_body snag_sim_body_at(const snag_sim *sim, size_t index);

// Report of the last step. The durations in ms are wall-clock times, the only numbers that differ from run to run.
typedef struct snag_sim_report {
    uint64_t step;  // steps done so far
    double time;  // seconds since the start of the scene
    uint32_t substeps;
    uint32_t cuts;  // how often a substep exploded and was cut in half
    size_t contacts;  // that were responded to, in all substeps
    double missing;  // the largest distance missing to the thickness, or depth, before it was corrected
    size_t splits;  // vertices that were torn or cut apart at the end of the step
    size_t merged;  // impacts: vertices in impact zones
    double fraction;  // impacts: the smallest part of a substep that was made; 1 unless held vertices blocked it
    double ratio;  // the estimated part of all contacts that was found; the mean over the substeps
    double kinetic;  // kinetic energy, J
    double height;  // potential energy of height, J
    double elastic;  // energy of stretch, shear, bending and the deformation of tetrahedra, J
    // With impacts all searches count as detection, and only the rest of the call as response.
    double solve_ms, detect_ms, respond_ms, step_ms;
} snag_sim_report;

// The report of the last step; all zero before the first, and for NULL.
SNAG_API snag_sim_report snag_sim_last_step(const snag_sim *sim);

// How deep bodies are in each other now: vertices inside volumes, or inside closed surfaces and up to `reach` (positive, finite) below
// them; and how many triangles intersect, which may be many although no vertex is inside. Searches with a complete method and changes
// nothing. SNAG_ERROR_ARGUMENT, _MEMORY.
typedef struct snag_sim_depth {
    size_t inside;  // vertices
    double worst, mean;  // depth; 0 if none is inside
    size_t crossing;  // pairs of intersecting triangles: of a deforming body with itself, and of two bodies if one moves freely
} snag_sim_depth;
SNAG_API snag_status snag_sim_measure(snag_sim *sim, double reach, snag_sim_depth *depth);
// The distance that surfaces of this scene keep, and the mean edge length of the bodies that move.
SNAG_API double snag_sim_thickness(const snag_sim *sim);
SNAG_API double snag_sim_mean_edge(const snag_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
