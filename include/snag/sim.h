// Scenes that deform: what the demo, the tests and the benches move their meshes with. A library of its own (snag_sim).
#ifndef SNAG_SIM_H
#define SNAG_SIM_H

#include "snag/base.h"
#include "snag/shapes.h"
#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snag_sim snag_sim;

// One body of a scene as it stands now. The arrays are owned by the scene; positions change with each step.
typedef struct snag_sim_body {
    const char *name;
    const double *positions;
    size_t vertex_count;
    const uint32_t *triangles;  // of a volume: its surface, turned outward
    size_t triangle_count;
    const uint32_t *tets;  // NULL for a surface
    size_t tet_count;
    bool moves;
} snag_sim_body;

// What becomes of contacts.
typedef enum snag_sim_response {
    SNAG_SIM_RESPONSE_SCENE = 0,  // what the scene is made for
    SNAG_SIM_RESPONSE_NONE = 1,  // nothing: bodies pass through each other and through themselves
    SNAG_SIM_RESPONSE_CONTACTS = 2,  // what is too close, or inside a volume, when a step ends is pushed apart
    // The same, and what would meet on the way is stopped before: what starts free of crossings stays free.
    SNAG_SIM_RESPONSE_IMPACTS = 3,
} snag_sim_response;

// A model to put in place of one that a scene makes: a surface, or tetrahedra. The arrays are borrowed for the call.
typedef struct snag_sim_model {
    const char *name;  // for messages and, where the scene has none of its own, for the body; may be NULL
    const double *positions;  // x, y, z of each vertex
    size_t vertex_count;
    const uint32_t *triangles;
    size_t triangle_count;
    const uint32_t *tets;
    size_t tet_count;
} snag_sim_model;

typedef struct snag_sim_def {
    uint32_t cookie;  // set by snag_default_sim_def; any other value is refused
    const char *scene;  // see snag_sim_scene_name
    double size;  // 1: as the scene is meant; elements grow in proportion to it
    uint64_t seed;  // chooses how things lie at the start
    snag_sim_response response;
    snag_method method;  // how contacts are looked for
    double response_ratio;  // 0..1: the part of the contacts, chosen at random, that is responded to
    uint32_t new_pairs;  // of the method active: pairs to start in each substep; 0: as it likes
    uint32_t threads;  // 0: one for each processor; the bytes are the same
    double step_seconds;  // that a step advances; 0: what the scene is made for
    // Steps are cut so that nothing moves further than half an edge in each part, instead of by a number that suits the
    // scene.
    bool adaptive;
    // Models for the scene's solid bodies, one after the other and from the first again, each scaled and moved into the box of
    // the body that it stands for; `size` has no say in them. A dressed figure takes a figure, z upwards, and all of its
    // garments, scaled as one to the figure's height. None: the scene makes its own.
    const snag_sim_model *models;
    size_t model_count;
    // Room for words on why the scene cannot be made, which name the model, body and vertex; NULL: they are not wanted.
    char *message;
    size_t message_size;
} snag_sim_def;

// The scene "cloth-ball" in its own size, all contacts, one thread for each processor.
SNAG_API snag_sim_def snag_default_sim_def(void);
// The names of all scenes: index 0, 1, ... until NULL; a line that says what each shows, and how many steps it is meant to
// run for.
SNAG_API const char *snag_sim_scene_name(size_t index);
SNAG_API const char *snag_sim_scene_words(size_t index);
SNAG_API uint32_t snag_sim_scene_steps(size_t index);
// What models the scene takes in place of its own.
typedef enum snag_sim_takes {
    SNAG_SIM_TAKES_NONE = 0,
    SNAG_SIM_TAKES_SURFACES = 1,
    SNAG_SIM_TAKES_TETS = 2,
    SNAG_SIM_TAKES_DRESSED = 3,  // a closed surface, the figure, and then its garments
} snag_sim_takes;
SNAG_API snag_sim_takes snag_sim_scene_takes(size_t index);

// SNAG_ERROR_ARGUMENT for a scene or response that is not known, a size that is not positive and finite, a ratio outside
// of 0..1, or a step that is negative or not finite; SNAG_ERROR_SIZE for a size above 1000; SNAG_ERROR_UNSUPPORTED for a method that cannot answer what the scene asks, and
// for models where the scene takes none; SNAG_ERROR_ARGUMENT, _INDEX or _NOT_FINITE for a model without the elements that the
// scene takes, with a flat tetrahedron, with a vertex number that it does not have, or with a position that is not finite, and
// for a figure that is not closed or garments that are missing or do not lie around it. The def's message says which and why.
// *sim is NULL then.
SNAG_API snag_status snag_sim_create(const snag_sim_def *def, snag_sim **sim);
SNAG_API void snag_sim_destroy(snag_sim *sim);
// Advances by one step of the scene (1/24 s, if neither its words nor the def say another). The same def gives the same bytes. A step that
// explodes is cut into shorter ones; if that does not help, SNAG_ERROR_NOT_FINITE, and all bodies stay where they were.
SNAG_API snag_status snag_sim_step(snag_sim *sim);
// What went wrong in the last step that failed, with its number and its body; "" if none did.
SNAG_API const char *snag_sim_message(const snag_sim *sim);
SNAG_API size_t snag_sim_body_count(const snag_sim *sim);
// A zero body if there is none of this index.
SNAG_API snag_sim_body snag_sim_body_at(const snag_sim *sim, size_t index);

// What the last step was like. Times are of the clock on the wall and the only thing that differs from run to run.
typedef struct snag_sim_report {
    uint64_t step;  // steps done so far
    double time;  // seconds since the start of the scene
    uint32_t substeps;  // parts that the step was cut into
    uint32_t cuts;  // of those, how often one exploded and was cut in half
    size_t contacts;  // that were responded to, in all parts together
    double missing;  // the largest distance that was missing to the thickness, or depth, before it was made up for
    size_t merged;  // impacts: vertices that were made to move as one, since nothing else helped
    double fraction;  // impacts: the smallest part of a substep that was made; 1 unless held vertices left no way on
    double ratio;  // the part of all contacts that was found, as the method estimates it; the mean over the parts
    double kinetic;  // energy of motion, J
    double height;  // energy of height, J
    double elastic;  // energy that stretch, shear, bending and the deformation of tetrahedra have taken up, J
    // With impacts the searches in between are detection too, and only what is left of the call is response.
    double solve_ms, detect_ms, respond_ms, step_ms;
} snag_sim_report;

SNAG_API snag_sim_report snag_sim_last_step(const snag_sim *sim);

// How deep bodies are in each other now: vertices inside of volumes, or of closed surfaces up to `reach` below them; and how
// many triangles cross, which may be many while no vertex is inside. Searches anew, by a complete method, and responds to nothing.
typedef struct snag_sim_depth {
    size_t inside;  // vertices
    double worst, mean;  // depth; 0 if none is inside
    // Pairs of triangles that cross: of a body that deforms with itself, and of two bodies of which one is free to move.
    size_t crossing;
} snag_sim_depth;
SNAG_API snag_status snag_sim_measure(snag_sim *sim, double reach, snag_sim_depth *depth);
// The distance that the surfaces of this scene keep, and the mean length of the edges of what moves.
SNAG_API double snag_sim_thickness(const snag_sim *sim);
SNAG_API double snag_sim_mean_edge(const snag_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
