// Rods and points of a mesh: the lists that searches use, and what is refused.
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "helpers/mixed.h"
#include "helpers/test.h"
#include "mesh/thin.h"

#include <math.h>
#include <string.h>

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

static snag_body_def def_of(const uint32_t *edges, size_t edge_count, const uint32_t *points, size_t point_count)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&square[0][0], 4);
    def.edges = edges;
    def.edge_count = edge_count;
    def.points = points;
    def.point_count = point_count;
    return def;
}

static void assert_refused(const snag_body_def *def, snag_status expected, const char *message)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    assert_int_equal(snag__mesh_from_def(def, &allocator, &mesh, &error), expected);
    assert_string_equal(error.message, message);
    static const snag__mesh zero;
    assert_memory_equal(&mesh, &zero, sizeof mesh);
    failing_allocator_assert_clean(&memory);
}

static void bad_input_is_refused_by_name(void **state)
{
    (void)state;
    snag_body_def def = def_of((const uint32_t[]){0, 1, 2, 2}, 2, NULL, 0);
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "edge 1 has vertex 2 at both ends; list it as a point");
    def = def_of((const uint32_t[]){0, 1, 2, 3, 1, 0}, 3, NULL, 0);
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "edge 2 joins vertices 0 and 1, as edge 0 does: list it once");
    def = def_of((const uint32_t[]){0, 1, 2, 4}, 2, NULL, 0);
    assert_refused(&def, SNAG_ERROR_INDEX, "edge 1: vertex 4 does not exist (the body has 4 vertices)");
    def = def_of(NULL, 2, NULL, 0);
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "the list of edge vertices is NULL, and the count is 2");
    def = def_of(NULL, 0, (const uint32_t[]){3, 1, 0, 3}, 4);
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "point 3 is vertex 3, as point 0 is: list it once");
    def = def_of(NULL, 0, (const uint32_t[]){3, 9}, 2);
    assert_refused(&def, SNAG_ERROR_INDEX, "point 1: vertex 9 does not exist (the body has 4 vertices)");
    def = def_of(NULL, 0, NULL, 1);
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "the list of point vertices is NULL, and the count is 1");
    def = def_of((const uint32_t[]){0, 1}, SIZE_MAX / 2, NULL, 0);
    assert_refused(&def, SNAG_ERROR_SIZE, "9223372036854775807 elements (edge) are more than a body can hold (1431655764)");
    const double same[2][3] = {{1, 2, 3}, {1, 2, 3}};
    def = def_of((const uint32_t[]){1, 0}, 1, NULL, 0);
    def.positions = snag_positions_f64(&same[0][0], 2);
    def.weld = true;
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "edge 0 has both ends at one place, which weld makes one vertex");
}

static void bad_radii_are_refused_by_name(void **state)
{
    (void)state;
    float radii[4] = {1, 0, 2, 3};
    snag_body_def def = def_of((const uint32_t[]){0, 1}, 1, NULL, 0);
    def.radius = -1;
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "the radius must be finite and not negative, not -1");
    def.radius = (double)INFINITY;
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "the radius must be finite and not negative, not inf");
    def.radius = 1;
    def.radii = radii;
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "a body has one radius or radii of its vertices, not both");
    def.radius = 0;
    radii[2] = -0.5f;
    assert_refused(&def, SNAG_ERROR_ARGUMENT, "vertex 2: the radius must be finite and not negative, not -0.5");
    radii[2] = NAN;
    radii[3] = -1;
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "vertex 2"));
}

static void radii_of_rings(void **state)
{
    (void)state;
    const float radii[4] = {1, 0, 0, 3};
    snag_body_def def = def_of((const uint32_t[]){0, 1, 1, 2}, 2, (const uint32_t[]){3}, 1);
    def.radii = radii;
    snag__mesh mesh;
    snag__mesh_error error;
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_true(mesh.radius == 3);
    assert_memory_equal(mesh.radii, radii, sizeof radii);
    assert_memory_equal(mesh.ring_radii, ((const float[]){1, 1, 0, 3}), sizeof radii);
    snag__mesh_free(&mesh);
    const float same[4] = {2, 2, 2, 2};
    def.radii = same;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_true(mesh.radius == 2 && mesh.radii == NULL && mesh.ring_radii == NULL);
    snag__mesh_free(&mesh);
}

// Two triangles over the square, a rod along the diagonal (which is a side), one along no side, and points.
static void lists_of_a_mixed_mesh(void **state)
{
    (void)state;
    const double x[7][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    snag_body_def def = def_of((const uint32_t[]){4, 1, 2, 0}, 2, (const uint32_t[]){5, 1}, 2);
    def.positions = snag_positions_f64(&x[0][0], 7);
    def.triangles = (const uint32_t[]){0, 1, 2, 0, 2, 3};
    def.triangle_count = 2;
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_true(snag__mesh_validate(&mesh));
    const uint32_t edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 3}};
    assert_int_equal(mesh.edge_count, 6);
    assert_memory_equal(mesh.edges, edges, sizeof edges);
    assert_int_equal(mesh.thin->rod_count, 2);
    assert_memory_equal(mesh.thin->rod_edges, ((const uint32_t[]){1, 4}), 8);
    assert_memory_equal(mesh.thin->rods, ((const uint32_t[][2]){{0, 2}, {1, 4}}), 16);
    assert_int_equal(mesh.thin->vertex_count, 5);
    assert_memory_equal(mesh.thin->vertices, ((const uint32_t[][2]){{0, 0}, {1, 1}, {2, 2}, {4, 4}, {5, 5}}), 40);
    assert_int_equal(mesh.thin->point_count, 1);  // at vertex 1 edges end
    assert_int_equal(mesh.thin->points[0][0], 5);
    assert_memory_equal(mesh.thin->listed, ((const uint32_t[]){1, 5}), 8);
    assert_memory_equal(mesh.vertex_used, ((const uint8_t[]){1, 1, 1, 1, 1, 1, 0}), 7);
    assert_true(snag__are_joined(&mesh, 4, 1) && snag__are_joined(&mesh, 2, 0) && !snag__are_joined(&mesh, 1, 3));
    assert_true(snag__is_rod(&mesh, 1) && !snag__is_rod(&mesh, 0) && snag__is_rod(&mesh, 4));
    // The rod beside the triangles has none.
    assert_int_equal(mesh.edge_triangles.start[4], mesh.edge_triangles.start[5]);
    assert_int_equal(mesh.edge_triangles.start[2] - mesh.edge_triangles.start[1], 2);
    snag__mesh_free(&mesh);
}

static void welded_rods_and_points_are_merged(void **state)
{
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
    snag_body_def def = def_of((const uint32_t[]){0, 1, 3, 2}, 2, (const uint32_t[]){3, 1}, 2);
    def.positions = snag_positions_f64(&x[0][0], 4);
    def.weld = true;
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_true(snag__mesh_validate(&mesh));
    assert_int_equal(mesh.thin->rod_count, 1);
    assert_int_equal(mesh.thin->listed_count, 1);
    assert_int_equal(mesh.thin->listed[0], 1);
    assert_int_equal(mesh.thin->point_count, 0);
    snag__mesh_free(&mesh);
}

static void random_meshes_are_valid(void **state)
{
    (void)state;
    snag__random random = {11};
    snag_allocator allocator = snag__default_allocator();
    for (uint32_t round = 0; round < 500; round++) {
        mixed_body body;
        mixed_make(&body, 3, &random);
        snag_body_def def = mixed_def(&body);
        snag__mesh mesh;
        snag__mesh_error error;
        assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
        assert_true(snag__mesh_validate(&mesh));
        for (uint32_t e = 0; e < body.edge_count; e++)
            assert_true(snag__are_joined(&mesh, body.edges[e][0], body.edges[e][1]));
        snag__mesh_free(&mesh);
    }
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    snag__mesh mesh;
    snag__mesh_error error;
    snag_status status = snag__mesh_from_def(context, allocator, &mesh, &error);
    if (status == SNAG_OK)
        snag__mesh_free(&mesh);
    return status;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    snag_body_def def = def_of((const uint32_t[]){0, 1, 1, 2}, 2, (const uint32_t[]){3, 0}, 2);
    assert_true(failing_allocator_sweep(cycle, &def) >= 20);
    def.radii = (const float[]){1, 2, 3, 4};
    def.triangles = (const uint32_t[]){0, 1, 2};
    def.triangle_count = 1;
    assert_true(failing_allocator_sweep(cycle, &def) >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(bad_radii_are_refused_by_name),
        cmocka_unit_test(radii_of_rings),
        cmocka_unit_test(lists_of_a_mixed_mesh),
        cmocka_unit_test(welded_rods_and_points_are_merged),
        cmocka_unit_test(random_meshes_are_valid),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
