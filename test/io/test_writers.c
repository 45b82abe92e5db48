// Writers: what is written, byte for byte or read back by hand, and what is left behind when writing fails.
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "support.h"

#include "base/random.h"
#include "helpers/failing_malloc.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

// Doubles that need all 17 digits, and the ends of the range.
static double odd_double(snag__random *random, size_t i)
{
    static const double ends[] = {0.0, -0.0, DBL_MAX, -DBL_MIN, 4.9406564584124654e-324, 0.1, 1e23, 123456789012345680.0};
    if (i < sizeof ends / sizeof *ends)
        return ends[i];
    uint64_t bits = snag__random_u64(random);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : (double)i / 3;
}

static float odd_float(snag__random *random, size_t i)
{
    static const float ends[] = {0.0f, -0.0f, FLT_MAX, -FLT_MIN, 1.4e-45f, 0.1f, 16777216.0f};
    if (i < sizeof ends / sizeof *ends)
        return ends[i];
    uint32_t bits = (uint32_t)snag__random_u64(random);
    float value;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : (float)i / 3;
}

static char *written(const char *path, size_t *size)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return get_file(path, size);
}

static snag_io_surface surface_f64(const double *xyz, size_t vertices, const uint32_t *triangles, size_t count)
{
    return (snag_io_surface){.positions = snag_positions_f64(xyz, vertices), .triangles = triangles, .triangle_count = count};
}

// ---- OBJ ----

static void obj_numbers_read_back_with_the_same_bits(void **state)
{
    (void)state;
    enum { N = 3000 };
    static double xyz[3 * N];
    static struct {
        float x, y, z, w;
    } narrow[N];
    snag__random random = {7};
    for (size_t i = 0; i < 3 * N; i++)
        xyz[i] = odd_double(&random, i);
    for (size_t i = 0; i < N; i++) {
        narrow[i].x = odd_float(&random, i);
        narrow[i].y = odd_float(&random, i);
        narrow[i].z = odd_float(&random, i);
    }
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "out.obj");
    snag_io_surface surfaces[2] = {surface_f64(xyz, N, NULL, 0),
                                   {.positions = {narrow, N, sizeof narrow[0], SNAG_F32}, .name = "narrow"}};
    snag_io_error error;
    assert_int_equal(snag_io_write_obj(path, surfaces, 2, &error), SNAG_OK);
    char *text = written(path, NULL);
    const char *at = strchr(text, '\n') + 1;  // after "o surface_0"
    for (size_t v = 0; v < N; v++) {
        char *end;
        assert_int_equal(*at++, 'v');
        for (size_t axis = 0; axis < 3; axis++, at = end) {
            double value = strtod(at, &end);
            assert_memory_equal(&value, &xyz[3 * v + axis], sizeof value);
        }
        at = end + 1;
    }
    assert_int_equal(strncmp(at, "o narrow\n", 9), 0);
    at += 9;
    for (size_t v = 0; v < N; v++) {
        char *end;
        assert_int_equal(*at++, 'v');
        for (int axis = 0; axis < 3; axis++, at = end) {
            float value = strtof(at, &end);
            assert_memory_equal(&value, &narrow[v].x + axis, sizeof value);
        }
        at = end + 1;
    }
    assert_int_equal(*at, 0);
    free(text);
    remove_folder(folder);
}

static void obj_surfaces_become_objects_with_running_numbers(void **state)
{
    (void)state;
    static const double a[] = {0, 0, 0, 1, 0, 0, 0, 1.5, 0};
    static const float b[] = {0, 0, 1, -2, 0, 1, 0, 0.25f, 1, 9, 9, 9};
    static const uint32_t ta[] = {0, 1, 2}, tb[] = {2, 1, 0, 3, 1, 2};
    snag_io_surface surfaces[3] = {
        {.positions = snag_positions_f64(a, 3), .triangles = ta, .triangle_count = 1, .name = "upper arm"},
        {.positions = snag_positions_f32(b, 4), .triangles = tb, .triangle_count = 2},
        {.positions = snag_positions_f64(a, 1), .name = "bad\nname"},
    };
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "out.obj");
    snag_io_error error;
    assert_int_equal(snag_io_write_obj(path, surfaces, 3, &error), SNAG_OK);
    char *text = written(path, NULL);
    assert_string_equal(text, "o upper arm\nv 0 0 0\nv 1 0 0\nv 0 1.5 0\nf 1 2 3\n"
                              "o surface_1\nv 0 0 1\nv -2 0 1\nv 0 0.25 1\nv 9 9 9\nf 6 5 4\nf 7 5 6\n"
                              "o bad_name\nv 0 0 0\n");
    free(text);
    surfaces[1].name = NULL;
    assert_int_equal(snag_io_write_obj(path, &surfaces[1], 1, &error), SNAG_OK);  // over the old file
    text = written(path, NULL);
    assert_string_equal(text, "v 0 0 1\nv -2 0 1\nv 0 0.25 1\nv 9 9 9\nf 3 2 1\nf 4 2 3\n");
    free(text);
    remove_folder(folder);
}

static void a_comma_for_a_point_in_the_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "ps_AF"};
    bool found = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!found) {
        print_message("left out: no locale with a decimal comma is installed\n");
        skip();
    }
    static const double xyz[] = {0.5, -1.25e-7, 1e100};
    snag_io_surface surface = surface_f64(xyz, 1, NULL, 0);
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "out.obj");
    assert_int_equal(snag_io_write_obj(path, &surface, 1, NULL), SNAG_OK);
    setlocale(LC_NUMERIC, "C");
    char *text = written(path, NULL);
    assert_string_equal(text, "v 0.5 -1.2499999999999999e-07 1e+100\n");
    free(text);
    remove_folder(folder);
}

// ---- PLY ----

static void ply_holds_every_bit_and_colour(void **state)
{
    (void)state;
    static const float a[] = {0, 0, 0, 1, 0, 0, 0, 0.1f, 0};
    static const double b[] = {1e-300, 2, 3};
    static const uint32_t ta[] = {0, 1, 2, 2, 1, 0}, tb[] = {0, 0, 0};
    static const uint8_t rgb[] = {255, 0, 10, 1, 2, 3};
    for (int kind = 0; kind < 3; kind++) {  // floats alone; with colours; with doubles and colours
        snag_io_surface surfaces[2] = {
            {.positions = snag_positions_f32(a, 3), .triangles = ta, .triangle_count = 2, .rgb = kind ? rgb : NULL},
            {.positions = snag_positions_f64(b, 1), .triangles = tb, .triangle_count = 1},
        };
        size_t surface_count = kind == 2 ? 2 : 1;
        static bytes expected;
        expected = (bytes){.big = false};
        put_text(&expected, "ply\nformat binary_little_endian 1.0\n");
        put_text(&expected, kind == 2 ? "element vertex 4\nproperty double x\nproperty double y\nproperty double z\n"
                                      : "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n");
        put_text(&expected, kind == 2 ? "element face 3\n" : "element face 2\n");
        put_text(&expected, "property list uchar int vertex_indices\n");
        if (kind)
            put_text(&expected, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
        put_text(&expected, "end_header\n");
        for (int i = 0; i < 9; i++)
            kind == 2 ? put_f64(&expected, a[i]) : put_f32(&expected, a[i]);
        for (int i = 0; kind == 2 && i < 3; i++)
            put_f64(&expected, b[i]);
        for (size_t i = 0; i < 2; i++) {
            put_raw(&expected, "\3", 1);
            for (size_t corner = 0; corner < 3; corner++)
                put_i32(&expected, (int32_t)ta[3 * i + corner]);
            if (kind)
                put_raw(&expected, rgb + 3 * i, 3);
        }
        if (kind == 2) {
            put_raw(&expected, "\3", 1);
            for (int corner = 0; corner < 3; corner++)
                put_i32(&expected, 3);
            put_raw(&expected, "\xff\xff\xff", 3);
        }
        char folder[PATH_BYTES];
        make_folder(folder);
        const char *path = path_in(folder, "out.ply");
        snag_io_error error;
        assert_int_equal(snag_io_write_ply(path, surfaces, surface_count, &error), SNAG_OK);
        size_t size;
        char *data = written(path, &size);
        assert_int_equal(size, expected.size);
        assert_memory_equal(data, expected.data, size);
        free(data);
        remove_folder(folder);
    }
}

// What the readers make of it: the file's own numbers, bits and faces.
static void written_meshes_read_back(void **state)
{
    (void)state;
    enum { N = 200, T = 300 };
    static double xyz[3 * N];
    static uint32_t triangles[3 * T];
    snag__random random = {11};
    for (size_t i = 0; i < 3 * N; i++)
        xyz[i] = odd_double(&random, i);
    for (size_t i = 0; i < 3 * T; i++)
        triangles[i] = snag__random_below(&random, N);
    snag_io_surface surfaces[2] = {surface_f64(xyz, N, triangles, T), surface_f64(xyz, N, triangles, T)};
    surfaces[0].name = "first";
    surfaces[1].name = "second, with a comma";
    char folder[PATH_BYTES];
    make_folder(folder);
    for (int kind = 0; kind < 2; kind++) {
        const char *path = path_in(folder, kind ? "out.ply" : "out.obj");
        snag_io_error error;
        snag_io_mesh mesh;
        assert_int_equal((kind ? snag_io_write_ply : snag_io_write_obj)(path, surfaces, 2, &error), SNAG_OK);
        if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        assert_int_equal(mesh.vertex_count, 2 * N);
        assert_int_equal(mesh.face_count, 2 * T);
        assert_int_equal(mesh.body_count, kind ? 1 : 2);
        for (size_t b = 0; b < mesh.body_count; b++) {
            assert_string_equal(mesh.bodies[b].name, kind ? "out" : surfaces[b].name);
            assert_memory_equal(mesh.bodies[b].positions, xyz, sizeof xyz);
            assert_memory_equal(mesh.bodies[b].polygon_vertices, triangles, sizeof triangles);
        }
        snag_io_mesh_free(&mesh);
    }
    remove_folder(folder);
}

// ---- PC2 ----

static void pc2_reads_back_what_was_written(void **state)
{
    (void)state;
    enum { N = 9, FRAMES = 5 };
    static float frames[FRAMES][3 * N];
    snag__random random = {3};
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t i = 0; i < 3 * N; i++)
            frames[f][i] = odd_float(&random, i + f);
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "out.pc2");
    snag_io_pc2 *pc2 = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_pc2_create(path, N, &pc2, &error), SNAG_OK);
    for (size_t f = 0; f < FRAMES; f++) {
        double wide[3 * N];
        for (size_t i = 0; i < 3 * N; i++)
            wide[i] = frames[f][i];
        snag_positions positions = f % 2 ? snag_positions_f64(wide, N) : snag_positions_f32(frames[f], N);
        assert_int_equal(snag_io_pc2_write(pc2, positions, &error), SNAG_OK);
        assert_int_not_equal(access(path, F_OK), 0);  // no half-written file under this name
    }
    assert_int_equal(snag_io_pc2_close(pc2, true, &error), SNAG_OK);
    assert_int_equal(files_in(folder), 1);

    size_t size;
    char *data = written(path, &size);
    assert_int_equal(size, 32 + FRAMES * N * 12);
    static const uint8_t header[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2',  0,    1,      0, 0, 0,
                                       N,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0x80, 0x3f, FRAMES, 0, 0, 0};
    assert_memory_equal(data, header, 32);
    free(data);
    snag_io_cache *cache = NULL;
    assert_int_equal(snag_io_cache_open(path, &cache, &error), SNAG_OK);
    assert_int_equal(snag_io_cache_frame_count(cache), FRAMES);
    for (size_t f = 0; f < FRAMES; f++) {
        float xyz[3 * N];
        assert_int_equal(snag_io_cache_read(cache, f, xyz, &error), SNAG_OK);
        assert_memory_equal(xyz, frames[f], sizeof xyz);
    }
    snag_io_cache_close(cache);
    remove_folder(folder);
}

static void pc2_refuses_frames_that_do_not_fit(void **state)
{
    (void)state;
    static const float xyz[] = {0, 1, 2, 3, 4, 5};
    static const float nan_xyz[] = {0, 1, 2, 3, NAN, 5};
    static const double huge[] = {0, 1, 2, 3, 4, 1e39};
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "out.pc2");
    snag_io_pc2 *pc2 = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_pc2_create(path, 0, &pc2, &error), SNAG_ERROR_SIZE);
    assert_int_equal(snag_io_pc2_create(path, (size_t)INT32_MAX + 1, &pc2, &error), SNAG_ERROR_SIZE);
    assert_int_equal(snag_io_pc2_create(NULL, 2, &pc2, &error), SNAG_ERROR_ARGUMENT);
    assert_null(pc2);
    assert_int_equal(snag_io_pc2_create(path, 2, &pc2, &error), SNAG_OK);
    assert_int_equal(snag_io_pc2_write(pc2, snag_positions_f32(xyz, 1), &error), SNAG_ERROR_MISMATCH);
    assert_says(&error, "1 vertices, but the cache was made for 2");
    assert_int_equal(snag_io_pc2_write(pc2, snag_positions_f32(NULL, 2), &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_pc2_write(pc2, snag_positions_f32(nan_xyz, 2), &error), SNAG_ERROR_NOT_FINITE);
    assert_says(&error, "frame 0: vertex 1");
    assert_int_equal(snag_io_pc2_write(pc2, snag_positions_f64(huge, 2), &error), SNAG_ERROR_NOT_FINITE);
    // What was refused leaves no trace.
    assert_int_equal(snag_io_pc2_write(pc2, snag_positions_f32(xyz, 2), &error), SNAG_OK);
    assert_int_equal(snag_io_pc2_close(pc2, true, &error), SNAG_OK);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 32 + 24);
    // Without a frame there is nothing to keep, and the old file stays.
    assert_int_equal(snag_io_pc2_create(path, 2, &pc2, &error), SNAG_OK);
    assert_int_equal(snag_io_pc2_close(pc2, true, &error), SNAG_ERROR_ARGUMENT);
    assert_says(&error, "no frame");
    assert_int_equal(snag_io_pc2_create(path, 2, &pc2, &error), SNAG_OK);
    assert_int_equal(snag_io_pc2_close(pc2, false, &error), SNAG_OK);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, 32 + 24);
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(snag_io_pc2_close(NULL, true, &error), SNAG_OK);
    remove_folder(folder);
}

// ---- pairs ----

static void pairs_are_csv(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "pairs.csv");
    snag_io_pairs *pairs = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_pairs_create(path, &pairs, &error), SNAG_OK);
    snag_io_pair pair = {.frame = 12,
                         .body_a = "cloth",
                         .body_b = "ball",
                         .a = "v7",
                         .b = "t12",
                         .kind = "vertex-face",
                         .value = 0.1,
                         .t = 0.5,
                         .point = {1, -2.25, 1e-9},
                         .normal = {0, 0, -1}};
    assert_int_equal(snag_io_pairs_write(pairs, &pair, &error), SNAG_OK);
    pair.frame = UINT64_MAX;
    pair.body_a = "left, \"upper\"";
    pair.body_b = "two\nlines";
    pair.a = pair.b = "e3-9";
    assert_int_equal(snag_io_pairs_write(pairs, &pair, &error), SNAG_OK);
    pair.body_a = "\"";
    pair.body_b = NULL;
    pair.frame = 0;
    assert_int_equal(snag_io_pairs_write(pairs, &pair, &error), SNAG_OK);
    assert_int_equal(snag_io_pairs_close(pairs, true, &error), SNAG_OK);
    char *text = written(path, NULL);
    assert_string_equal(text, "frame,body_a,a,body_b,b,kind,value,t,px,py,pz,nx,ny,nz,place,object_a,object_b\n"
                              "12,cloth,v7,ball,t12,vertex-face,0.10000000000000001,0.5,1,-2.25,1.0000000000000001e-09,"
                              "0,0,-1,,,\n"
                              "18446744073709551615,\"left, \"\"upper\"\"\",e3-9,\"two\nlines\",e3-9,vertex-face,"
                              "0.10000000000000001,0.5,1,-2.25,1.0000000000000001e-09,0,0,-1,,,\n"
                              "0,\"\"\"\",e3-9,,e3-9,vertex-face,"
                              "0.10000000000000001,0.5,1,-2.25,1.0000000000000001e-09,0,0,-1,,,\n");
    free(text);
    // Given up: nothing is there, and what was there before is.
    assert_int_equal(snag_io_pairs_create(path, &pairs, &error), SNAG_OK);
    assert_int_equal(snag_io_pairs_close(pairs, false, &error), SNAG_OK);
    assert_int_equal(files_in(folder), 1);
    assert_int_equal(snag_io_pairs_create(path, &pairs, &error), SNAG_OK);
    assert_int_equal(snag_io_pairs_close(pairs, true, &error), SNAG_OK);
    text = written(path, NULL);
    assert_string_equal(text, "frame,body_a,a,body_b,b,kind,value,t,px,py,pz,nx,ny,nz,place,object_a,object_b\n");
    free(text);
    assert_int_equal(snag_io_pairs_create(NULL, &pairs, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_pairs_write(NULL, &pair, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_pairs_close(NULL, true, &error), SNAG_OK);
    remove_folder(folder);
}

// ---- what goes wrong ----

static void bad_surfaces_are_refused_before_a_file_is_made(void **state)
{
    (void)state;
    static const double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, bad_xyz[] = {0, 0, 0, 1, 0, INFINITY};
    static const uint32_t triangles[] = {0, 1, 2, 0, 1, 3};
    snag_io_surface good = surface_f64(xyz, 3, triangles, 1);
    const struct {
        snag_io_surface surface;
        snag_status status;
        const char *words;
    } cases[] = {
        {surface_f64(xyz, 3, triangles, 2), SNAG_ERROR_INDEX, "surface 1: triangle 1 names vertex 3"},
        {surface_f64(bad_xyz, 2, NULL, 0), SNAG_ERROR_NOT_FINITE, "surface 1: vertex 1 is not finite"},
        {surface_f64(NULL, 2, NULL, 0), SNAG_ERROR_ARGUMENT, "surface 1"},
        {surface_f64(xyz, 2, NULL, 2), SNAG_ERROR_ARGUMENT, "surface 1"},
        {{.positions = {xyz, 1, 24, (snag_scalar)7}}, SNAG_ERROR_ARGUMENT, "surface 1"},
    };
    char folder[PATH_BYTES];
    make_folder(folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = 0; kind < 2; kind++) {
            snag_io_surface surfaces[2] = {good, cases[i].surface};
            snag_io_error error;
            snag_status status = (kind ? snag_io_write_ply : snag_io_write_obj)(path_in(folder, "out"), surfaces, 2, &error);
            assert_int_equal(status, cases[i].status);
            assert_int_equal(error.status, status);
            assert_says(&error, cases[i].words);
            assert_int_equal(files_in(folder), 0);
        }
    assert_int_equal(snag_io_write_obj(NULL, &good, 1, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_write_ply(path_in(folder, "out"), NULL, 1, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_write_ply(path_in(folder, "out.ply"), NULL, 0, NULL),
                     SNAG_OK);  // no surface: an empty mesh
    remove_folder(folder);
}

enum { MANY = 20000 };

static bool gave_up_early;  // of a writer that is fed piece by piece: a piece failed, not only the close

// Runs writer `kind` on enough data that it needs more than a buffer; returns the first status that is not OK.
static snag_status write_much(int kind, const char *path, snag_io_error *error)
{
    static float xyz[3 * MANY];
    snag_io_surface surface = {.positions = snag_positions_f32(xyz, MANY)};
    snag_status status, closed;
    if (kind == 0)
        return snag_io_write_obj(path, &surface, 1, error);
    if (kind == 1)
        return snag_io_write_ply(path, &surface, 1, error);
    if (kind == 2) {
        snag_io_pc2 *pc2 = NULL;
        status = snag_io_pc2_create(path, MANY, &pc2, error);
        if (status != SNAG_OK)
            return status;
        for (int f = 0; f < 2 && status == SNAG_OK; f++)
            status = snag_io_pc2_write(pc2, surface.positions, error);
        closed = snag_io_pc2_close(pc2, true, status == SNAG_OK ? error : NULL);
    } else {
        snag_io_pairs *pairs = NULL;
        snag_io_pair pair = {.body_a = "a", .body_b = "b", .a = "v1", .b = "v2", .kind = "k"};
        status = snag_io_pairs_create(path, &pairs, error);
        if (status != SNAG_OK)
            return status;
        for (int i = 0; i < MANY && status == SNAG_OK; i++)
            status = snag_io_pairs_write(pairs, &pair, error);
        closed = snag_io_pairs_close(pairs, true, status == SNAG_OK ? error : NULL);
    }
    assert_true(status == SNAG_OK || closed != SNAG_OK);  // what could not be written is not kept
    gave_up_early = status != SNAG_OK;
    return status != SNAG_OK ? status : closed;
}

// A limit on the size of files stands for a full disk: the write beyond it fails.
static void a_full_disk_is_a_status_and_leaves_nothing(void **state)
{
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    char folder[PATH_BYTES];
    make_folder(folder);
    for (int kind = 0; kind < 4; kind++)
        for (rlim_t room = 0; room <= 40000; room += 20000) {
            const char *path = path_in(folder, "out");
            put_file(path, "old", 3);
            limit = before;
            limit.rlim_cur = room;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            snag_io_error error;
            snag_status status = write_much(kind, path, &error);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
            assert_int_equal(status, SNAG_ERROR_FILE);
            assert_int_equal(error.status, SNAG_ERROR_FILE);
            assert_says(&error, "cannot write");
            assert_true(kind < 2 || gave_up_early);
            char *old = written(path, NULL);
            assert_string_equal(old, "old");
            free(old);
            assert_int_equal(files_in(folder), 1);
        }
    signal(SIGXFSZ, handler);
    remove_folder(folder);
}

static void a_target_that_cannot_be_written_is_a_status(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    assert_int_equal(mkdir(path_in(folder, "taken"), 0700), 0);
    for (int kind = 0; kind < 4; kind++) {
        snag_io_error error;
        assert_int_equal(write_much(kind, path_in(folder, "none/out"), &error), SNAG_ERROR_FILE);
        assert_says(&error, "none/out");
        assert_int_equal(write_much(kind, path_in(folder, "taken"), &error),
                         SNAG_ERROR_FILE);  // a folder has this name
        assert_says(&error, "taken");
        assert_int_equal(files_in(folder), 1);
    }
    remove_folder(folder);
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    for (int kind = 0; kind < 4; kind++) {
        size_t n = 1;
        for (bool refused = true; refused; n++) {
            snag_io_error error;
            failing_malloc_start(n);
            snag_status status = write_much(kind, path_in(folder, "out"), &error);
            refused = failing_malloc_stop();
            assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_OK);
            assert_int_equal(files_in(folder), refused ? 0 : 1);
        }
        assert_true(n > 2);
        assert_int_equal(remove(path_in(folder, "out")), 0);
    }
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_numbers_read_back_with_the_same_bits),
        cmocka_unit_test(obj_surfaces_become_objects_with_running_numbers),
        cmocka_unit_test(a_comma_for_a_point_in_the_locale_changes_nothing),
        cmocka_unit_test(ply_holds_every_bit_and_colour),
        cmocka_unit_test(written_meshes_read_back),
        cmocka_unit_test(pc2_reads_back_what_was_written),
        cmocka_unit_test(pc2_refuses_frames_that_do_not_fit),
        cmocka_unit_test(pairs_are_csv),
        cmocka_unit_test(bad_surfaces_are_refused_before_a_file_is_made),
        cmocka_unit_test(a_full_disk_is_a_status_and_leaves_nothing),
        cmocka_unit_test(a_target_that_cannot_be_written_is_a_status),
        cmocka_unit_test(failing_allocations_are_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
