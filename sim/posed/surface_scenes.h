// Moving surfaces for benchmarks: all poses are in memory, so that only the question is timed.
//
//   sphere       a pulsating sphere: no contacts
//   pair         two pulsating spheres side by side that never touch
//   sheet        a crumpled sheet, folded over itself in both directions
//   cloth-ball   the simulated cloth of the demo after it has fallen over its ball
//   cloth-twist  the simulated cloth wrung around a rod
//
// A size follows the name, the approximate number of triangles: sphere-10k, sphere-100k, ...
#ifndef SNAG_SIM_POSED_SURFACE_SCENES_H
#define SNAG_SIM_POSED_SURFACE_SCENES_H

#include "snag/snag.h"

typedef struct surface_body {
    size_t first_vertex, vertex_count, first_triangle, triangle_count;
} surface_body;

// A step goes from one pose to the next. If only one pose is used, it is the last.
typedef struct surface_scene {
    char name[64];
    surface_body *bodies;
    size_t body_count;
    size_t vertex_count, triangle_count;  // of all bodies as one mesh
    uint32_t (*triangles)[3];
    double (**poses)[3];
    size_t pose_count;  // at least 2
    double distance;  // for proximities: a tenth of the mean edge of the first pose
} surface_scene;

// The kinds of built-in scenes by index; NULL after the last.
const char *surface_scene_kind(size_t index);

// Parses "sheet-100k" or "sheet-2M"; without a size *triangle_count is 0. Returns the index of the kind, or SIZE_MAX if there is no
// such built-in scene.
size_t surface_scene_parse(const char *text, size_t *triangle_count);

// SNAG_ERROR_ARGUMENT: no such scene. On failure the scene is zero.
snag_status surface_scene_make(const char *kind, size_t triangle_count, surface_scene *scene);

void surface_scene_free(surface_scene *scene);

// ---- building a scene ----

// Adds a body with its first pose; `triangles` numbers vertices from 0 in each body. Add all bodies before any other pose.
snag_status surface_scene_add_body(surface_scene *scene, const double *positions, size_t vertex_count, const uint32_t *triangles,
                                   size_t triangle_count);
// Adds a pose: a copy of the last positions, to be overwritten. NULL: out of memory.
double (*surface_scene_add_pose(surface_scene *scene))[3];
// Call at the end: names the scene, and makes sure that it has two poses and a distance.
snag_status surface_scene_finish(surface_scene *scene, const char *name);

// ---- in a world ----

// Adds all bodies in a pose, or moves or teleports them. `ids` must have room for all.
snag_status surface_scene_add(const surface_scene *scene, size_t pose, snag_world *world, snag_body_id *ids);
snag_status surface_scene_move(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids);
snag_status surface_scene_place(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids);

// The lower bound of a step: reads the triangles of a pose and writes their boxes.
void surface_scene_write_boxes(const surface_scene *scene, size_t pose, float (*boxes)[6]);

#endif
