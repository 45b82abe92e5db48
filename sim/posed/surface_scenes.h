// Surfaces that move, for benches: all poses are in memory, so that nothing but the question is timed.
//
//   sphere       a sphere that breathes: nothing touches
//   pair         two spheres that breathe side by side, and never touch
//   sheet        a crumpled sheet, folded over itself in both directions
//   cloth-ball   the simulated cloth of the demo when it has fallen over its ball
//   cloth-twist  the simulated cloth that is wrung around a rod
//
// The name is followed by a size: sphere-10k, sphere-100k, ... for about so many triangles.
#ifndef SNAG_SIM_POSED_SURFACE_SCENES_H
#define SNAG_SIM_POSED_SURFACE_SCENES_H

#include "snag/snag.h"

typedef struct surface_body {
    size_t first_vertex, vertex_count, first_triangle, triangle_count;
} surface_body;

// A step leads from one pose to the next, and the last pose is the one that counts where only one does.
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

// Kinds of built-in scenes by number, then NULL.
const char *surface_scene_kind(size_t index);

// Takes "sheet-100k" or "sheet-2M" apart; without a size *triangle_count is 0. The number of the kind, or SIZE_MAX if the
// text names no built-in scene.
size_t surface_scene_parse(const char *text, size_t *triangle_count);

// SNAG_ERROR_ARGUMENT: no such scene. On failure the scene is zero.
snag_status surface_scene_make(const char *kind, size_t triangle_count, surface_scene *scene);

void surface_scene_free(surface_scene *scene);

// ---- making one by hand ----

// Takes a body with its first pose; `triangles` counts vertices from 0 in each body. All bodies before any other pose.
snag_status surface_scene_add_body(surface_scene *scene, const double *positions, size_t vertex_count, const uint32_t *triangles,
                                   size_t triangle_count);
// Another pose: the positions of the last one, to be overwritten. NULL: no memory.
double (*surface_scene_add_pose(surface_scene *scene))[3];
// To be called at the end: names the scene, and sees to it that there are two poses and a distance.
snag_status surface_scene_finish(surface_scene *scene, const char *name);

// ---- in a world ----

// Adds all bodies in a pose, or moves or places them: `ids` has room for all.
snag_status surface_scene_add(const surface_scene *scene, size_t pose, snag_world *world, snag_body_id *ids);
snag_status surface_scene_move(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids);
snag_status surface_scene_place(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids);

// The least that a step can do: reads the triangles of a pose and writes their boxes.
void surface_scene_write_boxes(const surface_scene *scene, size_t pose, float (*boxes)[6]);

#endif
