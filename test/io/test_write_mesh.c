// Meshes that are read, written in another format and read again are the same, to the last bit.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

static snag_io_mesh read_path(const char *path)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    return mesh;
}

static void same_arrays(const uint32_t *a, const uint32_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(a ? a[i] : i, b ? b[i] : i);
}

static void same_body(const snag_io_body *a, const snag_io_body *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, 3 * a->vertex_count * sizeof(double));
    assert_int_equal(a->polygon_count, b->polygon_count);
    assert_int_equal(a->tet_count, b->tet_count);
    if (a->tet_count)
        assert_memory_equal(a->tets, b->tets, 4 * a->tet_count * sizeof(uint32_t));
    size_t corner = 0;
    for (size_t p = 0; p < a->polygon_count; p++) {
        uint32_t size = a->polygon_sizes ? a->polygon_sizes[p] : 3;
        assert_int_equal(size, b->polygon_sizes ? b->polygon_sizes[p] : 3);
        for (uint32_t i = 0; i < size; i++, corner++)
            assert_int_equal(a->polygon_vertices[corner], b->polygon_vertices[corner]);
    }
}

static const char objects[] = "v 0.1 0 0\nv 1 0.333333333333333314829616256247 0\nv 0 1 1e-300\nv 1 1 0\no left\nf 1 2 3\nf 2 4 "
                              "3\no right\nv 5 0 0\nv 6 0 0\n"
                              "v 6 1 0\nv 5 1 -0.5\nf 5 6 7 8\n";
static const char pentagon[] = "v 0 0 0\nv 2 0 0\nv 3 2 0\nv 1 3 0\nv -1 2 0\nf 1 2 3 4 5\n";
static const char volume[] =
    "*NODE\n11,0,0,0\n12,1,0,0\n13,0,1,0\n14,0,0,1\n15,1,1,.1\n*ELEMENT, TYPE=C3D4\n70,11,12,13,14\n90,12,15,13,14\n";

static void surfaces_come_back(void **state)
{
    (void)state;
    static const char *const endings[] = {"x.obj", "x.off", "x.mesh", "x.inp", "x.vtu"};
    char folder[PATH_BYTES];
    snag_io_error error;
    make_folder(folder);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snag_io_mesh mesh = read_text("a.obj", objects);
        if (snag_io_write_mesh(path_in(folder, endings[i]), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        snag_io_mesh again = read_path(path_in(folder, endings[i]));
        bool bodies = i == 0 || i == 4;  // the others have no objects
        assert_int_equal(again.body_count, bodies ? 2 : 1);
        for (size_t b = 0; b < 2 && bodies; b++) {
            same_body(&mesh.bodies[b], &again.bodies[b]);
            same_arrays(mesh.bodies[b].polygon_numbers, again.bodies[b].polygon_numbers, mesh.bodies[b].polygon_count);
            same_arrays(mesh.bodies[b].vertex_numbers, again.bodies[b].vertex_numbers, mesh.bodies[b].vertex_count);
        }
        assert_int_equal(again.face_count, 3);
        assert_int_equal(again.vertex_count, 8);
        snag_io_mesh_free(&again);
        snag_io_mesh_free(&mesh);
    }
    // Sets and references bring the bodies back.
    snag_io_read_options options = snag_io_default_read_options();
    options.split = SNAG_IO_SPLIT_GROUPS;
    static const char *const grouped[][2] = {{"x.inp", "left"}, {"x.mesh", "reference 1"}};
    for (int i = 0; i < 2; i++) {
        snag_io_mesh mesh;
        assert_int_equal(snag_io_read_mesh_with(path_in(folder, grouped[i][0]), &options, &mesh, &error), SNAG_OK);
        assert_int_equal(mesh.body_count, 2);
        assert_string_equal(mesh.bodies[0].name, grouped[i][1]);
        snag_io_mesh_free(&mesh);
    }
    remove_folder(folder);
}

static void volumes_and_labels_come_back(void **state)
{
    (void)state;
    static const char *const endings[] = {"x.mesh", "x.inp", "x.vtu"};
    char folder[PATH_BYTES];
    snag_io_error error;
    make_folder(folder);
    snag_io_mesh mesh = read_text("v.inp", volume);
    for (size_t i = 0; i < 3; i++) {
        if (snag_io_write_mesh(path_in(folder, endings[i]), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        snag_io_mesh again = read_path(path_in(folder, endings[i]));
        same_body(&mesh.bodies[0], only_body(&again));
        if (i == 1) {
            same_arrays(mesh.bodies[0].tet_numbers, again.bodies[0].tet_numbers, 2);
            same_arrays(mesh.bodies[0].vertex_labels, again.bodies[0].vertex_labels, 5);
        }
        snag_io_mesh_free(&again);
    }
    assert_int_equal(snag_io_write_mesh(path_in(folder, "x.obj"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_says(&error, "has no tetrahedra; write .vtu");
    assert_int_equal(files_in(folder), 3);
    snag_io_mesh_free(&mesh);
    remove_folder(folder);
}

static void what_a_format_lacks_is_refused_and_leaves_no_file(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    snag_io_error error;
    make_folder(folder);
    snag_io_mesh mesh = read_text("p.obj", pentagon);
    assert_int_equal(snag_io_write_mesh(path_in(folder, "x.mesh"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_io_write_mesh(path_in(folder, "x.inp"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_io_write_mesh(path_in(folder, "x.stl"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_io_write_mesh("/nowhere/x.obj", &mesh, &error), SNAG_ERROR_FILE);
    assert_int_equal(snag_io_write_mesh(NULL, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(files_in(folder), 0);
    assert_int_equal(snag_io_write_mesh(path_in(folder, "x.vtu"), &mesh, &error), SNAG_OK);
    snag_io_mesh again = read_path(path_in(folder, "x.vtu"));
    assert_polygon(only_body(&again), 0, 0, 1, 2, 3, 4);
    snag_io_mesh_free(&again);
    size_t n = 1;
    for (bool refused = true; refused; n++) {
        failing_malloc_start(n);
        snag_status status = snag_io_write_mesh(path_in(folder, "y.vtu"), &mesh, &error);
        refused = failing_malloc_stop();
        assert_true(status == SNAG_OK || (refused && status == SNAG_ERROR_MEMORY));
    }
    assert_true(n > 5);
    assert_int_equal(files_in(folder), 2);
    snag_io_mesh_free(&mesh);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_come_back),
        cmocka_unit_test(volumes_and_labels_come_back),
        cmocka_unit_test(what_a_format_lacks_is_refused_and_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
