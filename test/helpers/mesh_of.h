// The library's own mesh of a shape's triangles, for tests of what works on meshes.
#ifndef SNAG_TEST_MESH_OF_H
#define SNAG_TEST_MESH_OF_H

#include "helpers/test.h"
#include "mesh/mesh.h"
#include "snag/shapes.h"

static inline snag__mesh mesh_of(const snag_shape *shape)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    return mesh;
}

#endif
