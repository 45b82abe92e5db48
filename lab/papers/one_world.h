// Single-threaded worlds, and surfaces from shapes: the setup of the papers' experiments.
#ifndef SNAG_LAB_ONE_WORLD_H
#define SNAG_LAB_ONE_WORLD_H

#include "snag/shapes.h"
#include "snag/sim.h"
#include "snag/question.h"

static inline snag_status one_world(snag_world **world)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    return snag_world_create(&def, world);
}

static inline snag_status one_world_add(snag_world *world, const snag_shape *shape, snag_body_id *id)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    return snag_world_add(world, &def, id);
}

// Adds the surface of a body of a scene.
static inline snag_status one_world_add_body(snag_world *world, const snag_sim_body *body, snag_body_id *id)
{
    const snag_shape shape = {.positions = (double *)body->positions,
                              .vertex_count = body->vertex_count,
                              .triangles = (uint32_t *)body->triangles,
                              .triangle_count = body->triangle_count};
    return one_world_add(world, &shape, id);
}

// A filter that rejects every pair, so that a method only updates its data structures.
static inline bool one_world_nothing(void *context, snag_body_id a, snag_body_id b)
{
    (void)context, (void)a, (void)b;
    return false;
}

#endif
