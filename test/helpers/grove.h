// A BVH of triangles over some shapes, for tests of what is made from one.
#ifndef SNAG_TEST_GROVE_H
#define SNAG_TEST_GROVE_H

#include "bound/bvh.h"
#include "helpers/mesh_of.h"

enum { GROVE_MESHES_MAX = 4 };

typedef struct grove {
    snag_allocator allocator;
    snag__parallel alone;
    snag__mesh meshes[GROVE_MESHES_MAX];
    uint32_t mesh_count;
    snag__bvh bvh;
    snag__buffer scratch;
} grove;

static inline void grove_refit(grove *g, double inflate)
{
    const uint64_t poses[GROVE_MESHES_MAX] = {1, 1, 1, 1};
    const snag__refit_def def = {.poses = poses, .inflate = inflate};
    assert_true(snag__bvh_refit(&g->bvh, &def, &g->allocator, &g->alone, snag__isa_best()));
}

// Takes the shapes.
static inline void grove_plant(grove *g, snag_shape *shapes, uint32_t count)
{
    *g = (grove){.allocator = snag__default_allocator(), .alone = {.threads = 1}, .mesh_count = count};
    snag__bvh_body bodies[GROVE_MESHES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        g->meshes[i] = mesh_of(&shapes[i]);
        bodies[i] = (snag__bvh_body){.mesh = &g->meshes[i], .body = i + 1};
        snag_shape_free(&shapes[i]);
    }
    snag__tree_shape shape = {.k = 6, .arity = 8};
    assert_true(snag__bvh_build(&g->bvh, SNAG_TRIANGLE, shape, bodies, count, &g->allocator, &snag__alone, &g->scratch));
    grove_refit(g, 0);
}

static inline void grove_fell(grove *g)
{
    snag__bvh_free(&g->allocator, &g->bvh);
    snag__buffer_free(&g->allocator, &g->scratch);
    for (uint32_t i = 0; i < g->mesh_count; i++)
        snag__mesh_free(&g->meshes[i]);
}

#endif
