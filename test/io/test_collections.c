// Files of VTK that name others, surfaces in VTK's XML, and files packed by gzip.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include <zlib.h>

static char *seed(const char *name, size_t *size)
{
    char path[PATH_BYTES];
    const char *source = getenv("SNAG_SOURCE");
    snprintf(path, sizeof path, "%s/fuzz/corpus/%s", source ? source : ".", name);
    return get_file(path, size);
}

static void write_in(const char *folder, const char *name, const char *text)
{
    put_file(path_in(folder, name), text, strlen(text));
}

// ---- VTP ----

static void a_surface_of_polygons_and_strips_is_read(void **state)
{
    (void)state;
    size_t size;
    char *text = seed("vtp/polys.vtp", &size);
    snag_io_mesh mesh = read_ok("x.vtp", text, size);
    const snag_io_body *body = only_body(&mesh);
    assert_int_equal(body->vertex_count, 6);
    assert_int_equal(body->polygon_count, 4);
    assert_polygon(body, 0, 0, 1, 2, 3);
    assert_polygon(body, 1, 0, 1, 4);
    assert_polygon(body, 2, 0, 1, 4);
    assert_polygon(body, 3, 4, 1, 5);
    assert_int_equal(mesh.skipped, 2);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
    cut_everywhere("x.vtp", text, size);
    assert_changes_survived("x.vtp", text, size);
    assert_failing_allocations_survived("x.vtp", text, size);
    free(text);
}

// ---- parts of a mesh ----

// Two tetrahedra that share a face, each in a file of its own; the second file borrows the first one's as a ghost.
#define GRID(points, cells, connectivity, offsets, types, ghosts)                                                                  \
    "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells             \
    "\"><CellData>" ghosts "</CellData><Points><DataArray type=\"Float64\" format=\"ascii\">"
#define CELLS(connectivity, offsets, types)                                                                                        \
    "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">" connectivity                   \
    "</DataArray><DataArray "                                                                                                      \
    "type=\"Int64\" Name=\"offsets\" format=\"ascii\">" offsets                                                                    \
    "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">" types                                                 \
    "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"

static const char first_part[] = GRID("4", "1", , , , "") "0 0 0 1 0 0 0 1 0 0 0 1" CELLS("0 1 2 3", "4", "10");
static const char second_part[] =
    GRID("5", "2", , , ,
         "<DataArray type=\"UInt8\" Name=\"vtkGhostType\" format=\"ascii\">0 1</DataArray>") "1 1 1 1 0 0 0 1 0 0 0 1 0 0 "
                                                                                             "0" CELLS("0 1 2 3 4 1 2 3", "4 8",
                                                                                                       "10 10");
#define PARTS                                                                                                                      \
    "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid GhostLevel=\"1\"><Piece Source=\"one.vtu\"/><Piece "                   \
    "Source=\"two.vtu\"/>"                                                                                                         \
    "</PUnstructuredGrid></VTKFile>"

static void parts_of_a_mesh_are_glued(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    snag_io_mesh mesh;
    snag_io_error error;
    make_folder(folder);
    write_in(folder, "one.vtu", first_part);
    write_in(folder, "two.vtu", second_part);
    write_in(folder, "all.pvtu", PARTS);
    if (snag_io_read_mesh(path_in(folder, "all.pvtu"), &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    const snag_io_body *body = only_body(&mesh);
    static const uint32_t tets[] = {0, 1, 2, 3, 4, 1, 2, 3};
    assert_string_equal(body->name, "all");
    assert_int_equal(body->tet_count, 2);
    assert_memory_equal(body->tets, tets, sizeof tets);
    assert_int_equal(mesh.skipped, 0);
    snag_io_mesh_free(&mesh);
    // By itself the second file is whole, with what it borrows.
    assert_int_equal(snag_io_read_mesh(path_in(folder, "two.vtu"), &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.tet_count, 2);
    snag_io_mesh_free(&mesh);

    write_in(folder, "lost.pvtu", "<VTKFile type=\"PUnstructuredGrid\"><Piece Source=\"three.vtu\"/></VTKFile>");
    assert_int_equal(snag_io_read_mesh(path_in(folder, "lost.pvtu"), &mesh, &error), SNAG_ERROR_FILE);
    assert_says(&error, "three.vtu");
    write_in(folder, "self.pvtu", "<VTKFile type=\"PUnstructuredGrid\"><Piece Source=\"self.pvtu\"/></VTKFile>");
    assert_int_equal(snag_io_read_mesh(path_in(folder, "self.pvtu"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    write_in(folder, "whole.pvtu", "<VTKFile type=\"PUnstructuredGrid\"><Piece Source=\"/etc/a.vtu\"/></VTKFile>");
    assert_int_equal(snag_io_read_mesh(path_in(folder, "whole.pvtu"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_text_refused("x.pvtu", PARTS, SNAG_ERROR_FILE, "read as a file");
    assert_text_refused("x.pvtu", "<VTKFile type=\"PUnstructuredGrid\"><Piece Source=\"a.vtu\"/>", SNAG_ERROR_FORMAT, "cut off");
    assert_text_refused("x.pvtu", "", SNAG_ERROR_FORMAT, "is no list");
    assert_text_refused("x.pvd", "<VTKFile type=\"Collection\"><DataSet timestep=\"0\"/></VTKFile>", SNAG_ERROR_FORMAT,
                        "has no name");
    remove_folder(folder);
}

static void a_pvd_is_a_mesh_or_a_sequence(void **state)
{
    (void)state;
    char folder[PATH_BYTES], **paths;
    snag_io_mesh mesh;
    snag_io_error error;
    size_t count;
    make_folder(folder);
    write_in(folder, "one.vtu", first_part);
    write_in(folder, "two.vtu", second_part);
    write_in(folder, "bodies.pvd",
             "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"1\" part=\"0\" file=\"one.vtu\"/>"
             "<DataSet timestep=\"1\" part=\"1\" file=\"two.vtu\"/></Collection></VTKFile>");
    if (snag_io_read_mesh(path_in(folder, "bodies.pvd"), &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[0].name, "one");
    assert_string_equal(mesh.bodies[1].name, "two");
    assert_int_equal(mesh.bodies[0].tet_count, 1);
    snag_io_mesh_free(&mesh);
    write_in(folder, "times.pvd",
             "<VTKFile type=\"Collection\"><Collection><DataSet timestep=\"0.5\" part=\"0\" file=\"two.vtu\"/>"
             "<DataSet timestep=\"0.25\" part=\"0\" file=\"one.vtu\"/></Collection></VTKFile>");
    assert_int_equal(snag_io_read_mesh(path_in(folder, "times.pvd"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_io_sequence(path_in(folder, "times.pvd"), &paths, &count, &error), SNAG_OK);
    assert_int_equal(count, 2);
    assert_non_null(strstr(paths[0], "/one.vtu"));
    assert_non_null(strstr(paths[1], "/two.vtu"));
    snag_io_paths_free(paths, count);
    assert_int_equal(snag_io_sequence(path_in(folder, "bodies.pvd"), &paths, &count, &error), SNAG_OK);
    assert_int_equal(count, 1);
    snag_io_paths_free(paths, count);
    remove_folder(folder);
    size_t size;
    char *text = seed("pvd/times.pvd", &size);
    cut_everywhere("x.pvd", text, size);
    assert_changes_survived("x.pvd", text, size);
    free(text);
}

// ---- gzip ----

static size_t pack(const void *data, size_t size, uint8_t *packed, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t made = room - stream.avail_out;
    deflateEnd(&stream);
    return made;
}

static void packed_files_are_read_as_what_they_hold(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"off/plain", "x.off.gz"},
                                           {"msh/v4_big.msh", "x.msh.gz"},
                                           {"vtu/zlib_raw.vtu", "x.VTU.GZ"},
                                           {"gltf/skin.glb", "x.glb.gz"},
                                           {"abaqus/flat.inp", "x.inp.gz"}};
    static uint8_t packed[1 << 16];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size, packed_size;
        char *text = seed(files[i][0], &size), plain[16];
        snprintf(plain, sizeof plain, "%.*s", (int)strlen(files[i][1]) - 3, files[i][1]);
        packed_size = pack(text, size, packed, sizeof packed);
        snag_io_mesh direct = read_ok(plain, text, size), unpacked = read_ok(files[i][1], packed, packed_size);
        assert_string_equal(unpacked.bodies[0].name, direct.bodies[0].name);
        assert_int_equal(unpacked.vertex_count, direct.vertex_count);
        assert_int_equal(unpacked.tet_count, direct.tet_count);
        assert_memory_equal(unpacked.bodies[0].positions, direct.bodies[0].positions,
                            3 * direct.bodies[0].vertex_count * sizeof(double));
        snag_io_mesh_free(&direct);
        snag_io_mesh_free(&unpacked);
        for (size_t length = 0; length < packed_size; length++)
            assert_int_not_equal(read_anything(files[i][1], packed, length), SNAG_OK);
        free(text);
    }
    // Two members, one after the other, are one file; so are zeros after them.
    static const char head[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n", tail[] = "0 1 0\n3 0 1 2\n";
    size_t first = pack(head, sizeof head - 1, packed, sizeof packed);
    size_t both = first + pack(tail, sizeof tail - 1, packed + first, sizeof packed - first);
    memset(packed + both, 0, 100);
    snag_io_mesh mesh = read_ok("x.off.gz", packed, both + 100);
    assert_int_equal(mesh.face_count, 1);
    snag_io_mesh_free(&mesh);
    assert_failing_allocations_survived("x.off.gz", packed, both);
    assert_text_refused("x.off.gz", head, SNAG_ERROR_FORMAT, "x.off.gz: is not a gzip file");
    assert_text_refused("x.off.gz", "", SNAG_ERROR_FORMAT, "x.off.gz: is not a gzip file");
    packed[first - 6] ^= 1;  // the checksum
    assert_refused("x.off.gz", packed, both, SNAG_ERROR_FORMAT, "damaged");
}

static void a_stream_of_zeros_cannot_take_all_memory(void **state)
{
    (void)state;
    enum { ZEROS = 300 << 20 };
    uint8_t *packed = malloc(1 << 20);
    char *zeros = calloc(ZEROS, 1);
    assert_true(packed && zeros);
    size_t size = pack(zeros, ZEROS, packed, 1 << 20);
    free(zeros);
    assert_refused("x.obj.gz", packed, size, SNAG_ERROR_LIMIT, "expand to more than");
    free(packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_of_polygons_and_strips_is_read),
        cmocka_unit_test(parts_of_a_mesh_are_glued),
        cmocka_unit_test(a_pvd_is_a_mesh_or_a_sequence),
        cmocka_unit_test(packed_files_are_read_as_what_they_hold),
        cmocka_unit_test(a_stream_of_zeros_cannot_take_all_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
