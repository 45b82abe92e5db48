// Splits polygons into triangles the same way a world does.
#ifndef SNAG_SIM_POSED_POLYGONS_H
#define SNAG_SIM_POSED_POLYGONS_H

#include "snag/question.h"

#include <stdlib.h>
#include <string.h>

// Three vertices for each triangle; the caller frees them. `sizes` NULL: all are triangles. NULL: out of memory, or not a mesh.
static inline uint32_t *polygon_triangles(const double *positions, size_t vertex_count, const uint32_t *sizes,
                                          const uint32_t *vertices, size_t polygon_count, size_t *count)
{
    snag_world_def world_def = snag_default_world_def();
    snag_body_def def = snag_default_body_def();
    snag_world *world = NULL;
    snag_body_id id;
    snag_body_info info;
    uint32_t *triangles = NULL;
    world_def.threads = 1;
    def.positions = snag_positions_f64(positions, vertex_count);
    if (sizes)
        def.polygon_sizes = sizes, def.polygon_vertices = vertices, def.polygon_count = polygon_count;
    else
        def.triangles = vertices, def.triangle_count = polygon_count;
    if (snag_world_create(&world_def, &world) == SNAG_OK && snag_world_add(world, &def, &id) == SNAG_OK &&
        snag_world_body(world, id, &info) == SNAG_OK) {
        *count = info.triangle_count;
        triangles = (uint32_t *)malloc(3 * (*count + 1) * sizeof *triangles);
        if (triangles && *count > 0)
            memcpy(triangles, info.triangles, 3 * *count * sizeof *triangles);
    }
    snag_world_destroy(world);
    return triangles;
}

#endif
