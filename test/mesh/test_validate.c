// The validator of a mesh accepts every mesh that is built, and notices broken topology.
#include "helpers/mesh_of.h"
#include "helpers/test.h"

#define NOTICED(word, value)                                                                                                       \
    do {                                                                                                                           \
        __typeof__(word) kept_ = (word);                                                                                           \
        (word) = (value);                                                                                                          \
        assert_false(snag__mesh_validate(&mesh));                                                                                  \
        (word) = kept_;                                                                                                            \
        assert_true(snag__mesh_validate(&mesh));                                                                                   \
    } while (0)

static void a_broken_surface_is_noticed(void **state)
{
    (void)state;
    snag_shape shape = {0};
    assert_int_equal(snag_shape_sheet(6, 5, 1, 1, &shape), SNAG_OK);
    snag__mesh mesh = mesh_of(&shape);
    snag_shape_free(&shape);
    assert_true(snag__mesh_validate(&mesh));
    NOTICED(mesh.triangles[3][1], mesh.vertex_count);
    NOTICED(mesh.triangles[3][1], mesh.triangles[3][0]);
    NOTICED(mesh.triangle_edges[2][0], mesh.triangle_edges[2][1]);
    NOTICED(mesh.triangle_edges[2][0], SNAG__NO_EDGE);
    NOTICED(mesh.edges[4][0], mesh.edges[4][1]);
    NOTICED(mesh.edges[4][1], mesh.edges[5][1] + 1);
    NOTICED(mesh.vertex_triangles.start[2], UINT32_MAX);
    NOTICED(mesh.vertex_triangles.items[1], mesh.triangle_count);
    NOTICED(mesh.edge_triangles.start[1], 0);
    NOTICED(mesh.vertex_used[mesh.triangles[0][0]], 0);
    snag__mesh_free(&mesh);
}

static void a_broken_volume_is_noticed(void **state)
{
    (void)state;
    snag_shape shape = {0};
    assert_int_equal(snag_shape_block(2, 2, 2, 1, &shape), SNAG_OK);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, shape.vertex_count);
    def.tets = shape.tets;
    def.tet_count = shape.tet_count;
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    snag_shape_free(&shape);
    assert_true(snag__mesh_validate(&mesh));
    NOTICED(mesh.tets[1][2], mesh.vertex_count);
    NOTICED(mesh.vertex_tets.items[1], mesh.vertex_tets.items[0]);
    NOTICED(mesh.vertex_tets.items[0], mesh.tet_count);
    snag__mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_surface_is_noticed),
        cmocka_unit_test(a_broken_volume_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
