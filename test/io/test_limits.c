// What bounds reading: small files that would become large ones are refused, limits can be raised, and a caller who wants to
// stop is heard, whatever the format.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include <zlib.h>

// ---- memory ----

// Pieces that all show one array, which is compressed: `points` zeros as bytes, three each.
static size_t make_shared_vtu(char *text, size_t room, size_t pieces, size_t points)
{
    size_t at = (size_t)snprintf(text, room,
                                 "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "
                                 "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>");
    for (size_t i = 0; i < pieces; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"0\"><Points><DataArray type=\"UInt8\" "
                               "format=\"appended\" offset=\"0\"/></Points></Piece>",
                               points);
    at += (size_t)snprintf(text + at, room - at, "</UnstructuredGrid><AppendedData encoding=\"raw\">_");
    uLong size = (uLong)(3 * points);
    Bytef *zeros = calloc(size, 1);
    assert_non_null(zeros);
    uLongf packed = (uLongf)(room - at - 16);
    assert_int_equal(compress2((Bytef *)text + at + 16, &packed, zeros, size, 9), Z_OK);
    free(zeros);
    const uint32_t head[4] = {1, (uint32_t)size, 0, (uint32_t)packed};
    memcpy(text + at, head, sizeof head);
    return at + 16 + packed;
}

static snag_status read_with(const char *name, const void *data, size_t size, const snag_io_read_options *options,
                             snag_io_error *error)
{
    snag_io_mesh mesh;
    snag_status status = snag_io_parse_mesh_with(name, data, size, options, &mesh, error);
    assert_int_equal(error->status, status);
    assert_true(status == SNAG_OK || (mesh.body_count == 0 && !mesh.bodies));
    snag_io_mesh_free(&mesh);
    return status;
}

static void pieces_that_share_an_array_cannot_take_all_memory(void **state)
{
    (void)state;
    static char text[65536];
    snag_io_error error;
    size_t size = make_shared_vtu(text, sizeof text, 60, 1000000);
    assert_true(size < 20000);
    assert_int_equal(read_with("b.vtu", text, size, NULL, &error), SNAG_ERROR_LIMIT);
    assert_says(&error, "b.vtu: its ");
    assert_says(&error, "become more than 256 MB in memory");
    // A few of them are nobody's harm.
    size = make_shared_vtu(text, sizeof text, 3, 100000);
    assert_int_equal(read_with("b.vtu", text, size, NULL, &error), SNAG_OK);
}

// Primitives that all show an accessor without a buffer: zeros, as many as the file has bytes. Indices of their own keep them
// from sharing vertices.
static size_t make_shared_gltf(char *text, size_t room, size_t primitives, size_t elements)
{
    size_t at = (size_t)snprintf(text, room,
                                 "{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"accessors\":[{\"componentType\":5126,"
                                 "\"count\":%zu,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[",
                                 elements);
    for (size_t i = 0; i < primitives; i++)
        at += (size_t)snprintf(text + at, room - at, "%s{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":%zu}}", i ? "," : "", i);
    at += (size_t)snprintf(text + at, room - at, "]}]}");
    memset(text + at, ' ', room - at);
    return room;
}

static void primitives_that_share_an_accessor_cannot_take_all_memory(void **state)
{
    (void)state;
    static char text[120000];
    snag_io_error error;
    size_t size = make_shared_gltf(text, sizeof text, 600, 110000);
    assert_int_equal(read_with("g.gltf", text, size, NULL, &error), SNAG_ERROR_LIMIT);
    assert_says(&error, "g.gltf: its 120000 bytes expand to more than the limit of 263 MB in memory");
    size = make_shared_gltf(text, sizeof text, 600, 300);
    assert_int_equal(read_with("g.gltf", text, size, NULL, &error), SNAG_OK);
}

// A mesh of points and lines alone takes no memory for itself, but a node for each of a thousand looks at it.
static void nodes_that_share_a_long_mesh_are_counted(void **state)
{
    (void)state;
    enum { NODES = 20000, PRIMITIVES = 20000, ROOM = 1 << 21 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    size_t at =
        (size_t)sprintf(text, "{\"asset\":{},\"accessors\":[{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"nodes\":[{}");
    for (size_t i = 0; i < NODES; i++)
        at += (size_t)sprintf(text + at, ",{\"mesh\":0}");
    at += (size_t)sprintf(text + at, "],\"meshes\":[{\"primitives\":[{\"mode\":0,\"attributes\":{}}");
    for (size_t i = 0; i < PRIMITIVES; i++)
        at += (size_t)sprintf(text + at, ",{\"mode\":0,\"attributes\":{\"POSITION\":0}}");
    at += (size_t)sprintf(text + at, "]}]}");
    snag_io_error error;
    assert_int_equal(read_with("n.gltf", text, at, NULL, &error), SNAG_ERROR_LIMIT);
    free(text);
}

static void a_limit_can_be_lowered_and_raised(void **state)
{
    (void)state;
    static char text[65536];
    snag_io_error error;
    size_t size = make_shared_vtu(text, sizeof text, 4, 50000);
    snag_io_read_options options = snag_io_default_read_options();
    assert_int_equal(read_with("b.vtu", text, size, &options, &error), SNAG_OK);
    options.most_bytes = (uint64_t)1 << 22;
    assert_int_equal(read_with("b.vtu", text, size, &options, &error), SNAG_ERROR_LIMIT);
    options.most_bytes = (uint64_t)1 << 24;
    assert_int_equal(read_with("b.vtu", text, size, &options, &error), SNAG_OK);
    options.most_bytes = 1000;
    options.advice = "ask the doctor";
    assert_int_equal(read_with("b.vtu", text, size, &options, &error), SNAG_ERROR_LIMIT);
    assert_says(&error, "; ask the doctor");
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(read_with("a.obj", obj, sizeof obj - 1, &options, &error), SNAG_ERROR_LIMIT);
    options.most_bytes = 10000;
    assert_int_equal(read_with("a.obj", obj, sizeof obj - 1, &options, &error), SNAG_OK);
}

// ---- the wish to stop ----

typedef struct patience {
    size_t asked, most;
} patience;

static bool still_patient(void *context)
{
    patience *p = context;
    return p->asked++ < p->most;
}

// Large enough that every reader asks more than once.
static char *large_text(const char *format, size_t *size)
{
    enum { VERTICES = 150000, BYTES = 64 };
    char *text = malloc((size_t)VERTICES * BYTES);
    assert_non_null(text);
    size_t at = 0;
    bool ply = strcmp(format, ".ply") == 0, off = strcmp(format, ".off") == 0, obj = strcmp(format, ".obj") == 0;
    if (ply)
        at += (size_t)sprintf(text,
                              "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                              "element face 1\nproperty list uchar int vertex_indices\nend_header\n",
                              VERTICES);
    else if (off)
        at += (size_t)sprintf(text, "OFF\n%d 1 0\n", VERTICES);
    for (size_t i = 0; i < VERTICES; i++)
        at += (size_t)sprintf(text + at, "%s%zu 0 1\n", obj ? "v " : "", i);
    at += (size_t)sprintf(text + at, obj ? "f 1 2 3\n" : "3 0 1 2\n");
    *size = at;
    return text;
}

static void a_caller_who_wants_to_stop_is_heard(void **state)
{
    (void)state;
    static const char *const endings[] = {".obj", ".ply", ".off"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size, times = 0;
        char *text = large_text(endings[i], &size), name[8];
        snprintf(name, sizeof name, "x%s", endings[i]);
        for (bool done = false; !done; times++) {
            patience p = {0, times};
            snag_io_read_options options = snag_io_default_read_options();
            options.go_on = still_patient;
            options.context = &p;
            snag_io_error error;
            snag_status status = read_with(name, text, size, &options, &error);
            done = status == SNAG_OK;
            assert_int_equal(status, p.asked > times ? SNAG_ERROR_LIMIT : SNAG_OK);
            if (!done)
                assert_says(&error, "reading was stopped");
        }
        assert_true(times > 3);
        free(text);
    }
}

static void stopping_is_heard_while_a_file_is_read_too(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    size_t size;
    char *text = large_text(".obj", &size);
    put_file(path_in(folder, "x.obj"), text, size);
    free(text);
    patience p = {0, 0};
    snag_io_read_options options = snag_io_default_read_options();
    options.go_on = still_patient;
    options.context = &p;
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_read_mesh_with(path_in(folder, "x.obj"), &options, &mesh, &error), SNAG_ERROR_LIMIT);
    assert_int_equal(p.asked, 1);
    static char vtu[65536];
    put_file(path_in(folder, "x.vtu"), vtu, make_shared_vtu(vtu, sizeof vtu, 3, 1000));
    size_t times = 0;
    for (bool done = false; !done; times++) {
        p = (patience){0, times};
        done = snag_io_read_mesh_with(path_in(folder, "x.vtu"), &options, &mesh, &error) == SNAG_OK;
        snag_io_mesh_free(&mesh);
    }
    assert_true(times > 3);
    static char gltf[20000];
    put_file(path_in(folder, "x.gltf"), gltf, make_shared_gltf(gltf, sizeof gltf, 10, 30));
    times = 0;
    for (bool done = false; !done; times++) {
        snag_io_motion *motion;
        p = (patience){0, times};
        done = snag_io_motion_open_with(path_in(folder, "x.gltf"), &options, &motion, &error) == SNAG_OK;
        snag_io_motion_close(motion);
    }
    assert_true(times > 3);
    remove_folder(folder);
}

static void options_of_zeros_are_refused(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    put_file(path_in(folder, "x.obj"), obj, sizeof obj - 1);
    const snag_io_read_options zeros = {0};
    snag_io_mesh mesh;
    snag_io_motion *motion;
    snag_io_error error;
    assert_int_equal(snag_io_read_mesh_with(path_in(folder, "x.obj"), &zeros, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_says(&error, "snag_io_default_read_options");
    assert_int_equal(snag_io_parse_mesh_with("x.obj", obj, sizeof obj - 1, &zeros, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_says(&error, "snag_io_default_read_options");
    assert_int_equal(snag_io_motion_open_with(path_in(folder, "x.obj"), &zeros, &motion, &error), SNAG_ERROR_ARGUMENT);
    assert_says(&error, "snag_io_default_read_options");
    assert_null(motion);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_that_share_an_array_cannot_take_all_memory),
        cmocka_unit_test(primitives_that_share_an_accessor_cannot_take_all_memory),
        cmocka_unit_test(nodes_that_share_a_long_mesh_are_counted),
        cmocka_unit_test(a_limit_can_be_lowered_and_raised),
        cmocka_unit_test(a_caller_who_wants_to_stop_is_heard),
        cmocka_unit_test(stopping_is_heard_while_a_file_is_read_too),
        cmocka_unit_test(options_of_zeros_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
