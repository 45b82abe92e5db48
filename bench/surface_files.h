// Scenes of surfaces read from files.
#ifndef SNAG_BENCH_SURFACE_FILES_H
#define SNAG_BENCH_SURFACE_FILES_H

#include "snag/io.h"
#include "surface_scenes.h"

// Each mesh file is one pose. A single file gets a slightly deformed pose before it. On failure the scene is zero and the message
// gives the reason.
snag_status surface_scene_read(const char *const *paths, size_t count, surface_scene *scene, char message[512]);

// A folder with one mesh file, mesh_00.obj, and a cache NAME.pc2 for each of its bodies. On failure as above.
snag_status surface_scene_read_folder(const char *folder, surface_scene *scene, char message[512]);

// Opens any of these, or a built-in scene by name.
snag_status surface_scene_open(const char *name, surface_scene *scene, char message[512]);

#endif
