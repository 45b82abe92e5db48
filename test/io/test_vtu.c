// VTU: every way an array may be written gives the same mesh; damage is told; what we write reads back. The compressed files
// were made with zlib.
#define _POSIX_C_SOURCE 200809L
#include "unpack.h"
#include "reading.h"

static const char *seed(const char *name)
{
    static char path[PATH_BYTES];
    const char *source = getenv("SNAG_SOURCE");
    snprintf(path, sizeof path, "%s/fuzz/corpus/vtu/%s", source ? source : ".", name);
    return path;
}

static void every_way_of_writing_gives_the_same_mesh(void **state)
{
    (void)state;
    static const char *const names[] = {"zlib.vtu", "zlib_raw.vtu", "base64.vtu"};
    static const uint32_t tets[] = {0, 1, 2, 3, 4, 1, 2, 3};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_read_mesh(seed(names[i]), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(body->vertex_count, 5);
        assert_vertex(body, 4, 1, 1, 1);
        assert_int_equal(body->tet_count, 2);
        assert_memory_equal(body->tets, tets, sizeof tets);
        snag_io_mesh_free(&mesh);
    }
}

static void faces_of_all_kinds_are_read_and_lines_are_skipped(void **state)
{
    (void)state;
    size_t size;
    char *text = get_file(seed("text.vtu"), &size);
    snag_io_mesh mesh = read_ok("text.vtu", text, size);
    const snag_io_body *body = only_body(&mesh);
    assert_polygon(body, 0, 0, 1, 2, 3);
    assert_polygon(body, 1, 0, 1, 2);
    assert_int_equal(mesh.skipped, 1);
    assert_vertex(body, 2, 1, 1, 0);
    snag_io_mesh_free(&mesh);
    free(text);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    static const double points[4][3] = {{0, 0, 0}, {1.0 / 3, 0, 0}, {0, 1, 0}, {0, 0, 1e-300}};
    static const float more[3][3] = {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    static const uint32_t tet[4] = {0, 1, 2, 3}, triangle[3] = {0, 1, 2};
    static const int32_t one[1] = {7}, other[1] = {-1};
    const int32_t *const first[2] = {one, other}, *const second[2] = {other, one};
    const char *const names[2] = {"contacts", "number"};
    const snag_io_grid grids[2] = {{snag_positions_f64(points[0], 4), triangle, 1, 3, first, NULL},
                                   {snag_positions_f32(more[0], 3), triangle, 1, 3, second, NULL}};
    static const double depths[] = {0.25};
    const snag_io_grid volume = {snag_positions_f64(points[0], 4), tet, 1, 4, first, depths};
    char folder[PATH_BYTES];
    snag_io_mesh mesh;
    snag_io_error error;
    make_folder(folder);
    assert_int_equal(snag_io_write_vtu(path_in(folder, "a.vtu"), grids, 2, names, 2, &error), SNAG_OK);
    assert_int_equal(snag_io_read_mesh(path_in(folder, "a.vtu"), &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.body_count, 2);
    assert_memory_equal(mesh.bodies[0].positions, points, sizeof points);
    assert_vertex(&mesh.bodies[1], 2, 5, 1, 0);
    snag_io_mesh_free(&mesh);
    assert_int_equal(snag_io_write_vtu(path_in(folder, "k.vtu"), &volume, 1, names, 2, &error), SNAG_OK);
    assert_int_equal(snag_io_read_mesh(path_in(folder, "k.vtu"), &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.tet_count, 1);
    snag_io_mesh_free(&mesh);
    char *text = get_file(path_in(folder, "k.vtu"), NULL);
    // 8 bytes, then 0.25 in base64.
    assert_non_null(
        strstr(text, "type=\"Float64\" Name=\"depth\" NumberOfComponents=\"1\" format=\"binary\">CAAAAAAAAAAAAAAAAADQPw==<"));
    free(text);
    const char *const files[2] = {"a.vtu", "k<&\".vtu"};
    const double times[2] = {0, 0.5};
    assert_int_equal(snag_io_write_pvd(path_in(folder, "all.pvd"), files, times, 2, &error), SNAG_OK);
    char *list = get_file(path_in(folder, "all.pvd"), NULL);
    assert_non_null(strstr(list, "<DataSet timestep=\"0.5\" part=\"0\" file=\"k&lt;&amp;&quot;.vtu\"/>"));
    free(list);
    assert_int_equal(files_in(folder), 3);
    // A full disk, and cells that name nothing, leave no file.
    const snag_io_grid wrong = {snag_positions_f64(points[0], 2), triangle, 1, 3, first, NULL};
    assert_int_equal(snag_io_write_vtu(path_in(folder, "w.vtu"), &wrong, 1, names, 2, &error), SNAG_ERROR_INDEX);
    assert_int_equal(snag_io_write_vtu("/nowhere/w.vtu", grids, 2, names, 2, &error), SNAG_ERROR_FILE);
    assert_int_equal(files_in(folder), 3);
    remove_folder(folder);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_text_refused("x.vtu", "", SNAG_ERROR_FORMAT, "VTKFile");
    assert_text_refused("x.vtu", "<VTKFile type=\"ImageData\">", SNAG_ERROR_UNSUPPORTED, "unstructured");
    assert_text_refused("x.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">", SNAG_ERROR_UNSUPPORTED,
                        "zlib");
    assert_text_refused("x.vtu", "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"3\">", SNAG_ERROR_FORMAT, "cells");
    assert_text_refused("x.vtu",
                        "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"4000000000\" NumberOfCells=\"0\"><Points>"
                        "<DataArray type=\"Float32\" format=\"ascii\">0 0 0</DataArray>",
                        SNAG_ERROR_FORMAT, "wrong length");
    assert_text_refused("x.vtu",
                        "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points>"
                        "<DataArray type=\"Float32\" format=\"ascii\">0 0 x</DataArray>",
                        SNAG_ERROR_FORMAT, "not a number");
    assert_text_refused("x.vtu",
                        "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"1\" NumberOfCells=\"0\"><Points>"
                        "<DataArray type=\"Float32\" format=\"appended\" offset=\"99\"/>",
                        SNAG_ERROR_FORMAT, "cut off");
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"zlib.vtu", "zlib_raw.vtu", "base64.vtu", "text.vtu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        char *data = get_file(seed(names[i]), &size);
        cut_everywhere("x.vtu", data, size);
        assert_failing_allocations_survived("x.vtu", data, size);
        if (i < 2)
            assert_changes_survived("x.vtu", data, size);
        free(data);
    }
}

// ---- zlib ----

static void streams_that_lie_are_refused(void **state)
{
    (void)state;
    // zlib.compress(b"snag snag snag snag snag", 9), and the same stored (level 0).
    static const uint8_t packed[] = {0x78, 0xda, 0x2b, 0xce, 0x4b, 0x4c, 0x57, 0x28, 0xc6, 0x24, 0x00, 0x6e, 0x95, 0x08, 0xce};
    static const uint8_t stored[] = {0x78, 0x01, 0x01, 0x04, 0x00, 0xfb, 0xff, 's', 'n', 'a', 'g', 0x04, 0x43, 0x01, 0xaa};
    uint8_t out[64];
    assert_int_equal(snag__unpack_zlib(packed, sizeof packed, out, 24), SNAG_OK);
    assert_memory_equal(out, "snag snag snag snag snag", 24);
    assert_int_equal(snag__unpack_zlib(stored, sizeof stored, out, 4), SNAG_OK);
    assert_memory_equal(out, "snag", 4);
    assert_int_equal(snag__unpack_zlib(packed, sizeof packed, out, 23), SNAG_ERROR_FORMAT);
    assert_int_equal(snag__unpack_zlib(packed, sizeof packed, out, 25), SNAG_ERROR_FORMAT);
    for (size_t i = 0; i < sizeof packed; i++) {
        uint8_t copy[sizeof packed];
        memcpy(copy, packed, sizeof copy);
        assert_int_equal(snag__unpack_zlib(packed, i, out, 24), SNAG_ERROR_FORMAT);
        copy[i] ^= 0x11;
        if (i > 1)  // the first two say how it was packed
            assert_int_equal(snag__unpack_zlib(copy, sizeof copy, out, 24), SNAG_ERROR_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_writing_gives_the_same_mesh),
        cmocka_unit_test(faces_of_all_kinds_are_read_and_lines_are_skipped),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(streams_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
