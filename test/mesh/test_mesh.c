#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/failing_allocator.h"
#include "helpers/threads.h"
#include "mesh/random_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t two_triangles[6] = {0, 1, 2, 0, 2, 3};

static snag_body_def square_def(void)
{
    return (snag_body_def){.positions = snag_positions_f64(&square[0][0], 4), .triangles = two_triangles, .triangle_count = 2};
}

static void assert_is_zero(const snag__mesh *mesh)
{
    const snag__mesh zero = {0};
    assert_memory_equal(mesh, &zero, sizeof zero);
}

static snag_status from_surface(const snag_body_def *def, snag__mesh *mesh, snag__mesh_error *error)
{
    snag_allocator allocator = snag__default_allocator();
    return snag__mesh_from_def(def, &allocator, mesh, error);
}

static snag_status from_volume(const snag_body_def *def, snag__mesh *mesh, snag__mesh_error *error)
{
    snag_allocator allocator = snag__default_allocator();
    return snag__mesh_from_def(def, &allocator, mesh, error);
}

static void assert_surface_fails(const snag_body_def *def, snag_status expected, const char *message)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    memset(&mesh, 0xff, sizeof mesh);
    assert_int_equal(from_surface(def, &mesh, &error), expected);
    assert_string_equal(error.message, message);
    assert_is_zero(&mesh);
}

static void assert_volume_fails(const snag_body_def *def, snag_status expected, const char *message)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    memset(&mesh, 0xff, sizeof mesh);
    assert_int_equal(from_volume(def, &mesh, &error), expected);
    assert_string_equal(error.message, message);
    assert_is_zero(&mesh);
}

static void surface_copies_positions_and_triangles(void **state)
{
    (void)state;
    snag__mesh mesh;
    snag__mesh_error error;
    snag_body_def def = square_def();
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 2);
    assert_int_equal(mesh.edge_count, 5);
    assert_int_equal(mesh.tet_count, 0);
    assert_memory_equal(mesh.x_t0, square, sizeof square);
    assert_memory_equal(mesh.x_t1, square, sizeof square);
    assert_memory_equal(mesh.triangles, two_triangles, sizeof two_triangles);
    for (uint32_t t = 0; t < 2; t++)
        assert_int_equal(mesh.triangle_faces[t], t);
    snag__mesh_free(&mesh);
    assert_is_zero(&mesh);
}

static void positions_of_any_scalar_and_stride_are_read(void **state)
{
    (void)state;
    // Rows of a byte, three floats and a byte: neither packed nor aligned.
    enum { STRIDE = 14 };
    char rows[4 * STRIDE];
    for (int v = 0; v < 4; v++) {
        float f[3] = {(float)square[v][0] * 0.1f, (float)square[v][1] * 0.1f, (float)v};
        memcpy(rows + v * STRIDE + 1, f, sizeof f);
    }
    snag_body_def def = square_def();
    def.positions = (snag_positions){.data = rows + 1, .count = 4, .stride = STRIDE, .scalar = SNAG_F32};
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    for (int v = 0; v < 4; v++) {
        assert_true(mesh.x_t1[v][0] == (double)((float)square[v][0] * 0.1f));
        assert_true(mesh.x_t1[v][1] == (double)((float)square[v][1] * 0.1f));
        assert_true(mesh.x_t1[v][2] == v);
    }
    snag__mesh_free(&mesh);
}

static void polygons_are_split_into_fans_and_triangles_name_them(void **state)
{
    (void)state;
    double positions[8][3] = {{0}};
    const uint32_t sizes[3] = {4, 3, 5};
    const uint32_t vertices[12] = {0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3};
    const uint32_t expected[6][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {7, 6, 5}, {7, 5, 4}, {7, 4, 3}};
    const uint32_t faces[6] = {0, 0, 1, 2, 2, 2};
    snag_body_def def = {.positions = snag_positions_f64(&positions[0][0], 8),
                         .polygon_sizes = sizes,
                         .polygon_vertices = vertices,
                         .polygon_count = 3};
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.triangle_count, 6);
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    assert_memory_equal(mesh.triangle_faces, faces, sizeof faces);
    snag__mesh_free(&mesh);
}

static void empty_meshes_and_clouds_are_meshes(void **state)
{
    (void)state;
    snag__mesh mesh;
    snag__mesh_error error;
    snag_body_def nothing = {0};
    assert_int_equal(from_surface(&nothing, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.vertex_count + mesh.triangle_count + mesh.edge_count, 0);
    assert_int_equal(mesh.vertex_triangles.start[0], 0);
    assert_int_equal(mesh.edge_triangles.start[0], 0);
    snag__mesh_free(&mesh);

    snag_body_def no_volume = {0};
    assert_int_equal(from_volume(&no_volume, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.tet_count, 0);
    snag__mesh_free(&mesh);

    snag_body_def cloud = square_def();
    cloud.triangle_count = 0;
    assert_int_equal(from_surface(&cloud, &mesh, &error), SNAG_OK);
    for (int v = 0; v < 4; v++)
        assert_int_equal(mesh.vertex_used[v], 1);
    snag__mesh_free(&mesh);
}

static void only_vertices_of_elements_are_used(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    def.triangle_count = 1;
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    const uint8_t expected[4] = {1, 1, 1, 0};
    assert_memory_equal(mesh.vertex_used, expected, 4);
    snag__mesh_free(&mesh);
}

static void welded_triangles_use_the_lowest_vertex(void **state)
{
    (void)state;
    // Two triangles of a soup with a common side, and a third that collapses.
    const double soup[9][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {-0., 1, 0}, {5, 5, 5}, {5, 5, 5}, {1, 1, 0}};
    const uint32_t triangles[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint32_t expected[3][3] = {{0, 1, 2}, {1, 4, 2}, {6, 6, 4}};
    const uint8_t used[9] = {1, 1, 1, 0, 1, 0, 1, 0, 0};
    snag_body_def def = {
        .positions = snag_positions_f64(&soup[0][0], 9), .triangles = triangles, .triangle_count = 3, .weld = true};
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.vertex_count, 9);
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    assert_memory_equal(mesh.vertex_used, used, sizeof used);
    assert_int_equal(mesh.edge_count, 5);
    snag__mesh_free(&mesh);
}

static void a_step_keeps_the_positions_at_its_begin(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    assert_true(snag__mesh_rests(&mesh));
    double first[4][3], second[4][3];
    for (int v = 0; v < 4; v++)
        for (int c = 0; c < 3; c++) {
            first[v][c] = square[v][c] + 1;
            second[v][c] = square[v][c] + 2;
        }
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&first[0][0], 4), false, &snag__alone, NULL, &error), SNAG_OK);
    assert_memory_equal(mesh.x_t0, square, sizeof square);
    assert_memory_equal(mesh.x_t1, first, sizeof first);
    // A second move within the step.
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&second[0][0], 4), false, &snag__alone, NULL, &error), SNAG_OK);
    assert_memory_equal(mesh.x_t0, square, sizeof square);
    assert_memory_equal(mesh.x_t1, second, sizeof second);
    assert_false(snag__mesh_rests(&mesh));
    for (int step = 0; step < 2; step++) {
        snag__mesh_begin_step(&mesh);
        assert_true(snag__mesh_rests(&mesh));
        assert_memory_equal(mesh.x_t1, second, sizeof second);
    }
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&first[0][0], 4), false, &snag__alone, NULL, &error), SNAG_OK);
    assert_memory_equal(mesh.x_t0, second, sizeof second);
    assert_memory_equal(mesh.x_t1, first, sizeof first);
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&square[0][0], 4), true, &snag__alone, NULL, &error), SNAG_OK);
    assert_memory_equal(mesh.x_t0, square, sizeof square);
    assert_memory_equal(mesh.x_t1, square, sizeof square);
    assert_true(snag__mesh_rests(&mesh));
    snag__mesh_free(&mesh);
}

static void move_that_fails_changes_nothing(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
    double bad[4][3] = {{7, 7, 7}, {7, 7, 7}, {7, 7, 7}, {7, 7, NAN}};
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&bad[0][0], 3), false, &snag__alone, NULL, &error),
                     SNAG_ERROR_MISMATCH);
    assert_string_equal(error.message, "positions of 3 vertices for a body of 4");
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&bad[0][0], 4), false, &snag__alone, NULL, &error),
                     SNAG_ERROR_NOT_FINITE);
    assert_string_equal(error.message, "vertex 3 is not finite");
    assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(NULL, 4), true, &snag__alone, NULL, &error), SNAG_ERROR_ARGUMENT);
    assert_memory_equal(mesh.x_t0, square, sizeof square);
    assert_memory_equal(mesh.x_t1, square, sizeof square);
    snag__mesh_free(&mesh);
}

// Of many vertices parts are looked at by several threads; the first that is bad is named all the same.
static void many_vertices_are_moved_by_any_number_of_threads(void **state)
{
    (void)state;
    enum { COUNT = 20011 };
    static double before[COUNT][3], after[COUNT][3];
    for (int v = 0; v < COUNT; v++)
        for (int c = 0; c < 3; c++) {
            before[v][c] = v + 0.25 * c;
            after[v][c] = -v - 0.5 * c;
        }
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&before[0][0], COUNT);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        snag__parallel parallel = {.tasks = test_threads(&threads), .threads = threads};
        snag__mesh mesh;
        snag__mesh_error error;
        assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
        after[COUNT - 1][2] = after[12345][0] = INFINITY;
        assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&after[0][0], COUNT), false, &parallel, NULL, &error),
                         SNAG_ERROR_NOT_FINITE);
        assert_string_equal(error.message, "vertex 12345 is not finite");
        after[12345][0] = -12345;
        assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&after[0][0], COUNT), false, &parallel, NULL, &error),
                         SNAG_ERROR_NOT_FINITE);
        assert_string_equal(error.message, "vertex 20010 is not finite");
        assert_memory_equal(mesh.x_t1, before, sizeof before);
        after[COUNT - 1][2] = -COUNT;
        assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&after[0][0], COUNT), false, &parallel, NULL, &error), SNAG_OK);
        assert_memory_equal(mesh.x_t0, before, sizeof before);
        assert_memory_equal(mesh.x_t1, after, sizeof after);
        assert_int_equal(snag__mesh_move(&mesh, snag_positions_f64(&before[0][0], COUNT), true, &parallel, NULL, &error), SNAG_OK);
        assert_memory_equal(mesh.x_t0, before, sizeof before);
        assert_memory_equal(mesh.x_t1, before, sizeof before);
        snag__mesh_free(&mesh);
    }
}

static void indices_out_of_range_are_named(void **state)
{
    (void)state;
    const uint32_t bad[6] = {0, 1, 2, 0, 4, 3};
    snag_body_def def = square_def();
    def.triangles = bad;
    assert_surface_fails(&def, SNAG_ERROR_INDEX, "triangle 1: vertex 4 does not exist (the body has 4 vertices)");
    const uint32_t size = 6;
    def = (snag_body_def){.positions = def.positions, .polygon_sizes = &size, .polygon_vertices = bad, .polygon_count = 1};
    assert_surface_fails(&def, SNAG_ERROR_INDEX, "polygon 0: vertex 4 does not exist (the body has 4 vertices)");
    const uint32_t tet[4] = {0, 1, 2, UINT32_MAX};
    snag_body_def volume = {.positions = def.positions, .tets = tet, .tet_count = 1};
    assert_volume_fails(&volume, SNAG_ERROR_INDEX, "tetrahedron 0: vertex 4294967295 does not exist (the body has 4 vertices)");
    volume.positions.count = 0;
    assert_volume_fails(&volume, SNAG_ERROR_INDEX, "tetrahedron 0: vertex 0 does not exist (the body has 0 vertices)");
}

static void polygons_of_fewer_than_three_vertices_are_named(void **state)
{
    (void)state;
    const uint32_t vertices[8] = {0, 1, 2, 0, 1, 2, 3, 0};
    for (uint32_t size = 0; size < 3; size++) {
        const uint32_t sizes[2] = {3, size};
        snag_body_def def = {.positions = snag_positions_f64(&square[0][0], 4),
                             .polygon_sizes = sizes,
                             .polygon_vertices = vertices,
                             .polygon_count = 2};
        char message[80];
        snprintf(message, sizeof message, "polygon 1 has %u vertices; it needs at least 3", size);
        assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, message);
    }
}

static void coordinates_that_are_not_finite_are_named(void **state)
{
    (void)state;
    const double values[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 36; i++) {
        double bad[4][3];
        memcpy(bad, square, sizeof bad);
        bad[i / 3 % 4][i / 12] = values[i % 3];
        char message[80];
        snprintf(message, sizeof message, "vertex %d is not finite", i / 3 % 4);
        snag_body_def def = square_def();
        def.positions = snag_positions_f64(&bad[0][0], 4);
        assert_surface_fails(&def, SNAG_ERROR_NOT_FINITE, message);
        snag_body_def volume = {.positions = def.positions};
        assert_volume_fails(&volume, SNAG_ERROR_NOT_FINITE, message);
    }
}

static void largest_finite_coordinates_are_finite(void **state)
{
    (void)state;
    const double large[3][3] = {{0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0}, {5e-324, 0, 0}, {0, 1, 0}};
    snag__mesh_error error;
    assert_int_equal(snag__positions_check(snag_positions_f64(&large[0][0], 3), &snag__alone, &error), SNAG_OK);
}

static void null_pointers_with_counts_are_refused(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    def.positions.data = NULL;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "positions are NULL, and their count is 4");
    def = square_def();
    def.triangles = NULL;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "the list of triangle vertices is NULL, and the count is 2");
    def = square_def();
    def.triangle_count = 0;
    def.polygon_count = 2;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "the polygons' sizes are NULL, and their count is 2");
    def.polygon_sizes = two_triangles;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "the polygons' vertices are NULL, and their count is 2");
    snag_body_def volume = {.positions = def.positions, .tet_count = 9};
    assert_volume_fails(&volume, SNAG_ERROR_ARGUMENT, "the list of tetrahedron vertices is NULL, and the count is 9");
    assert_surface_fails(NULL, SNAG_ERROR_ARGUMENT, "the body def is NULL");
    assert_volume_fails(NULL, SNAG_ERROR_ARGUMENT, "the body def is NULL");
}

static void several_kinds_of_elements_are_refused(void **state)
{
    (void)state;
    const uint32_t size = 3, tet[4] = {0, 1, 2, 3};
    for (int kinds = 0; kinds < 8; kinds++) {
        snag_body_def def = square_def();
        if ((kinds & 1) == 0)
            def.triangle_count = 0;
        if ((kinds & 2) != 0) {
            def.polygon_count = 1;
            def.polygon_sizes = &size;
            def.polygon_vertices = two_triangles;
        }
        if ((kinds & 4) != 0) {
            def.tets = tet;
            def.tet_count = 1;
        }
        snag__mesh mesh;
        snag__mesh_error error;
        if (__builtin_popcount((unsigned)kinds) > 1)
            assert_surface_fails(
                &def, SNAG_ERROR_ARGUMENT,
                "a body has triangles, polygons or tetrahedra, not several of them: add them as bodies of their own");
        else {
            assert_int_equal(from_surface(&def, &mesh, &error), SNAG_OK);
            snag__mesh_free(&mesh);
        }
    }
}

static void views_that_cannot_be_are_refused(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    def.positions.stride = 23;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "positions with a stride of 23 bytes: a vertex needs 24");
    def = square_def();
    def.positions.scalar = (snag_scalar)2;
    assert_surface_fails(&def, SNAG_ERROR_ARGUMENT, "positions are neither float nor double (scalar 2)");
}

static void counts_that_overflow_are_refused(void **state)
{
    (void)state;
    // None of these may be read: the arrays are far smaller than the counts say.
    snag_body_def def = square_def();
    def.positions.count = (size_t)UINT32_MAX + 1;
    assert_surface_fails(&def, SNAG_ERROR_SIZE, "4294967296 vertices are more than a body can hold");
    def.positions.count = SIZE_MAX;
    assert_surface_fails(&def, SNAG_ERROR_SIZE, "18446744073709551615 vertices are more than a body can hold");
    def = square_def();
    def.positions.stride = SIZE_MAX / 2;
    assert_surface_fails(&def, SNAG_ERROR_SIZE, "4 vertices are more than a body can hold");
    def = square_def();
    def.triangle_count = (size_t)UINT32_MAX / 3 + 1;
    assert_surface_fails(&def, SNAG_ERROR_SIZE, "1431655766 elements (triangle) are more than a body can hold (1431655764)");
    def.triangle_count = SIZE_MAX;
    assert_surface_fails(&def, SNAG_ERROR_SIZE,
                         "18446744073709551615 elements (triangle) are more than a body can hold (1431655764)");
    const uint32_t sizes[2] = {4, UINT32_MAX};
    def =
        (snag_body_def){.positions = def.positions, .polygon_sizes = sizes, .polygon_vertices = two_triangles, .polygon_count = 2};
    assert_surface_fails(&def, SNAG_ERROR_SIZE, "polygon 1: more triangles than a body can hold (1431655764)");
    snag_body_def volume = {.positions = def.positions, .tets = two_triangles, .tet_count = SIZE_MAX / 4};
    assert_volume_fails(&volume, SNAG_ERROR_SIZE,
                        "4611686018427387903 elements (tetrahedron) are more than a body can hold (357913941)");
}

static snag_status surface_cycle(const snag_allocator *allocator, void *context)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_status status = snag__mesh_from_def(context, allocator, &mesh, &error);
    if (status != SNAG_OK) {
        assert_string_equal(error.message, "not enough memory for a body of 4 vertices");
        assert_is_zero(&mesh);
        return status;
    }
    status = snag__mesh_move(&mesh, snag_positions_f64(&square[0][0], 4), false, &snag__alone, NULL, &error);
    snag__mesh_free(&mesh);
    return status;
}

static snag_status volume_cycle(const snag_allocator *allocator, void *context)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_status status = snag__mesh_from_def(context, allocator, &mesh, &error);
    if (status != SNAG_OK)
        assert_is_zero(&mesh);
    else
        snag__mesh_free(&mesh);
    return status;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    assert_true(failing_allocator_sweep(surface_cycle, &def) >= 10);
    def.weld = true;
    assert_true(failing_allocator_sweep(surface_cycle, &def) >= 12);
    const uint32_t tet[4] = {0, 1, 2, 3};
    snag_body_def volume = {.positions = def.positions, .tets = tet, .tet_count = 1};
    assert_true(failing_allocator_sweep(volume_cycle, &volume) >= 10);
    snag_body_def empty = {0};
    assert_true(failing_allocator_sweep(volume_cycle, &empty) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_copies_positions_and_triangles),
        cmocka_unit_test(positions_of_any_scalar_and_stride_are_read),
        cmocka_unit_test(polygons_are_split_into_fans_and_triangles_name_them),
        cmocka_unit_test(empty_meshes_and_clouds_are_meshes),
        cmocka_unit_test(only_vertices_of_elements_are_used),
        cmocka_unit_test(welded_triangles_use_the_lowest_vertex),
        cmocka_unit_test(a_step_keeps_the_positions_at_its_begin),
        cmocka_unit_test(move_that_fails_changes_nothing),
        cmocka_unit_test(many_vertices_are_moved_by_any_number_of_threads),
        cmocka_unit_test(indices_out_of_range_are_named),
        cmocka_unit_test(polygons_of_fewer_than_three_vertices_are_named),
        cmocka_unit_test(coordinates_that_are_not_finite_are_named),
        cmocka_unit_test(largest_finite_coordinates_are_finite),
        cmocka_unit_test(null_pointers_with_counts_are_refused),
        cmocka_unit_test(several_kinds_of_elements_are_refused),
        cmocka_unit_test(views_that_cannot_be_are_refused),
        cmocka_unit_test(counts_that_overflow_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
