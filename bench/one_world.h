// Worlds of one thread, and surfaces from shapes: what runs of the papers' experiments begin with.
#ifndef SNAG_BENCH_ONE_WORLD_H
#define SNAG_BENCH_ONE_WORLD_H

#include "snag/shapes.h"
#include "snag/world.h"

static inline snag_status one_world(snag_world **world)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    return snag_world_create(&def, world);
}

static inline snag_status one_world_add(snag_world *world, const snag_shape *shape, snag_body_id *id)
{
    snag_surface_def def = snag_default_surface_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    return snag_world_add_surface(world, &def, id);
}

#endif
