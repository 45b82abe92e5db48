// Scenes that deform: what the demo, the tests and the benches move their meshes with. A library of its own (snag_sim).
#ifndef SNAG_SIM_H
#define SNAG_SIM_H

#include "snag/base.h"
#include "snag/shapes.h"

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

typedef struct snag_sim_def {
    const char *scene;  // see snag_sim_scene_name
    double size;        // 1: as the scene is meant; elements grow in proportion to it
    uint64_t seed;      // chooses how things lie at the start
} snag_sim_def;

// The scene "cloth-ball" in its own size.
SNAG_API snag_sim_def snag_default_sim_def(void);
// The names of all scenes: index 0, 1, ... until NULL; and a line that says what each shows.
SNAG_API const char *snag_sim_scene_name(size_t index);
SNAG_API const char *snag_sim_scene_words(size_t index);

// SNAG_ERROR_ARGUMENT for a scene that is not known or a size that is not positive and finite, SNAG_ERROR_SIZE for a size
// above 1000. *sim is NULL then.
SNAG_API snag_status snag_sim_create(const snag_sim_def *def, snag_sim **sim);
SNAG_API void snag_sim_destroy(snag_sim *sim);
// Advances by one frame (1/24 s). The same def gives the same bytes. A step that explodes is cut into shorter ones; if that
// does not help, SNAG_ERROR_NOT_FINITE, and all bodies stay where they were.
SNAG_API snag_status snag_sim_step(snag_sim *sim);
SNAG_API size_t snag_sim_body_count(const snag_sim *sim);
// A zero body if there is none of this index.
SNAG_API snag_sim_body snag_sim_body_at(const snag_sim *sim, size_t index);

#ifdef __cplusplus
}
#endif

#endif
