// TetGen: two files make a mesh, counted from 0 or 1, and what is wrong with either is told with its name.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

static const char nodes[] = "# five\n5 3 1 1\n1 0 0 0 9 1\n2 1 0 0 9 1\n3 0 1 0 9 1\n4 0 0 1 9 0\n5 1 1 1.5 9 0\n# end\n";
static const char tets[] = "2 4 1\n1 1 2 3 4 7\n2 5 2 3 4 7\n";
static const char faces[] = "1 1\n1 1 2 3 -1\n";

typedef struct files {
    char folder[PATH_BYTES];
    snag_io_mesh mesh;
    snag_io_error error;
} files;

static void write_files(files *f, const char *node, const char *ele, const char *face)
{
    make_folder(f->folder);
    put_file(path_in(f->folder, "a.1.node"), node, strlen(node));
    if (ele)
        put_file(path_in(f->folder, "a.1.ele"), ele, strlen(ele));
    if (face)
        put_file(path_in(f->folder, "a.1.face"), face, strlen(face));
}

static snag_status read_name(files *f, const char *name)
{
    return snag_io_read_mesh(path_in(f->folder, name), &f->mesh, &f->error);
}

static void either_file_names_the_mesh(void **state)
{
    (void)state;
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 1, 2, 3};
    static const char *const names[] = {"a.1.node", "a.1.ele"};
    files f;
    write_files(&f, nodes, tets, faces);
    for (int i = 0; i < 2; i++) {
        if (read_name(&f, names[i]) != SNAG_OK)
            fail_msg("%s", f.error.message);
        assert_int_equal(f.mesh.vertex_count, 5);
        assert_int_equal(f.mesh.tet_count, 2);
        assert_string_equal(f.mesh.bodies[0].name, "a.1");
        assert_memory_equal(f.mesh.bodies[0].tets, expected, sizeof expected);
        assert_true(f.mesh.bodies[0].positions[14] == 1.5);
        snag_io_mesh_free(&f.mesh);
    }
    assert_int_equal(read_name(&f, "a.1.face"), SNAG_OK);
    assert_int_equal(f.mesh.face_count, 1);
    snag_io_mesh_free(&f.mesh);
    assert_true(snag_io_is_companion("x.ele") && !snag_io_is_companion("x.node"));
    remove_folder(f.folder);
}

static void faces_are_read_where_there_are_no_tetrahedra(void **state)
{
    (void)state;
    files f;
    write_files(&f, "3 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n", NULL, "1 0\n0 0 1 2\n");
    assert_int_equal(read_name(&f, "a.1.node"), SNAG_OK);
    assert_int_equal(f.mesh.face_count, 1);
    assert_int_equal(f.mesh.bodies[0].polygon_vertices[2], 2);
    snag_io_mesh_free(&f.mesh);
    remove_folder(f.folder);
}

static void assert_wrong(const char *node, const char *ele, snag_status status, const char *words)
{
    files f;
    write_files(&f, node, ele, NULL);
    snag_status got = read_name(&f, "a.1.ele");
    if (got != status || !strstr(f.error.message, words))
        fail_msg("status %d and \"%s\" instead of %d and \"%s\"", (int)got, f.error.message, (int)status, words);
    assert_null(f.mesh.bodies);
    remove_folder(f.folder);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_wrong(nodes, NULL, SNAG_ERROR_FILE, "a.1.ele");
    assert_wrong("5 2 0 0\n", tets, SNAG_ERROR_UNSUPPORTED, "coordinates");
    assert_wrong("2 3 0 0\n7 0 0 0\n", tets, SNAG_ERROR_FORMAT, "vertex 7");
    assert_wrong("2 3 0 0\n0 0 0 0\n2 0 0 0\n", tets, SNAG_ERROR_FORMAT, "vertex 2");
    assert_wrong("4000000000 3 0 0\n0 0 0 0\n", tets, SNAG_ERROR_FORMAT, "a.1.node");
    assert_wrong("1 3 0 0\n0 0 nan 0\n", tets, SNAG_ERROR_NOT_FINITE, "a.1.node:2");
    assert_wrong(nodes, "1 10 0\n1 1 2 3 4 5 5 5 5 5 5\n", SNAG_ERROR_UNSUPPORTED, "curved");
    assert_wrong(nodes, "1 4 0\n1 1 2 3 6\n", SNAG_ERROR_INDEX, "a.1.ele:2");
    assert_wrong(nodes, "1 4 0\n1 0 2 3 4\n", SNAG_ERROR_INDEX, "vertex 0");
    assert_wrong(nodes, "3 4 0\n1 1 2 3 4\n", SNAG_ERROR_FORMAT, "a.1.ele");
    assert_text_refused("x.node", nodes, SNAG_ERROR_FILE, "two files");
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    files f;
    write_files(&f, nodes, tets, NULL);
    for (size_t n = 1, refused = 1; refused; n++) {
        failing_malloc_start(n);
        snag_status status = read_name(&f, "a.1.node");
        refused = failing_malloc_stop();
        assert_true(status == SNAG_OK || (refused && status == SNAG_ERROR_MEMORY));
        snag_io_mesh_free(&f.mesh);
    }
    remove_folder(f.folder);
}

static void the_armadillo_is_whole(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(path_in(folder, "tets/armadillo_4k.node"), &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(mesh.vertex_count, 1180);
    assert_int_equal(mesh.tet_count, 3717);
    assert_int_equal(boundary_count(mesh.bodies[0].tets, mesh.tet_count), 2102);
    snag_io_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_file_names_the_mesh), cmocka_unit_test(faces_are_read_where_there_are_no_tetrahedra),
        cmocka_unit_test(what_is_wrong_is_said),      cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(the_armadillo_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
