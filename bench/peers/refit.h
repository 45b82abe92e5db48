// The refit of snag's trees alone, to compare with the limit pass: k-DOPs over the triangles of a scene.
#ifndef SNAG_BENCH_REFIT_H
#define SNAG_BENCH_REFIT_H

#include "../../sim/posed/surface_scenes.h"

typedef struct refit refit;

// Builds the trees in the first pose. NULL: out of memory.
refit *refit_create(const surface_scene *scene, uint32_t k, uint32_t threads);
// Moves the bodies to a pose; not timed.
bool refit_move(refit *r, size_t pose);
bool refit_run(refit *r);
void refit_free(refit *r);

#endif
