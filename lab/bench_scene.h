// The scenes of `snag bench surfaces`, and loading their poses into memory.
#ifndef SNAG_LAB_BENCH_SCENE_H
#define SNAG_LAB_BENCH_SCENE_H

#include "../sim/posed/surface_scenes.h"
#include "../cli/options.h"

// A built-in scene of some size, or (kind SIZE_MAX) the user's files.
typedef struct bench_scene {
    size_t kind, triangle_count;
} bench_scene;

enum { BENCH_SCENES = 32 };

// The scenes of the options: --scene NAME,... or a path, or the inputs after the benchmark's name, or all built-in ones.
// On failure prints an error.
int bench_scene_list(const options *o, words *w, bench_scene scenes[BENCH_SCENES], size_t *count);

// On failure prints the reason, and the scene is zero.
int bench_scene_open(const options *o, const bench_scene *chosen, words *w, surface_scene *made);

#endif
