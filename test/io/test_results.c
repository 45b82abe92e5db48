// Result files: Exodus in classic netCDF and XDMF with its numbers in the XML, made by hand; motion by their time steps. Files that
// other programs write, through HDF5 too, are in test_meshio.sh.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <math.h>

// ---- a classic netCDF file ----

// A tetrahedron at the origin and a second one above it, in two blocks, which comes down over three time steps.
typedef struct exodus_file {
    int version;  // 1, 2 or 5
    bool steps;
    int64_t bad_node;  // instead of the last node; 0: none
    double bad_time;  // instead of the last time; 0: none
} exodus_file;

enum { VERTICES = 8, STEPS = 3 };
static const double times[STEPS] = {0, 0.5, 2};
static const double heights[STEPS] = {5, 2.5, 0.25};

static void put_size(bytes *b, int version, uint64_t value)
{
    put_unsigned(b, value, version == 5 ? 8 : 4);
}

static void put_name(bytes *b, int version, const char *name)
{
    put_size(b, version, strlen(name));
    put_text(b, name);
    while (b->size % 4)
        b->data[b->size++] = 0;
}

// Sizes are by dimension: time, nodes, cells, corners, variables, letters.
static const uint64_t sizes[] = {0, VERTICES, 1, 4, 3, 8};
enum { TIME, NODES, CELLS, CORNERS, VARIABLES, LETTERS, DIMENSIONS };
enum { INT = 4, DOUBLE = 6, CHAR = 2 };

typedef struct netcdf_variable {
    const char *name;
    int type, rank, dimensions[2];
    const char *elem_type;
} netcdf_variable;

static const netcdf_variable variables[] = {
    {"coordx", DOUBLE, 1, {NODES}, NULL},
    {"coordy", DOUBLE, 1, {NODES}, NULL},
    {"coordz", DOUBLE, 1, {NODES}, NULL},
    {"connect1", INT, 2, {CELLS, CORNERS}, "TETRA"},
    {"connect2", INT, 2, {CELLS, CORNERS}, "tet4"},
    {"name_nod_var", CHAR, 2, {VARIABLES, LETTERS}, NULL},
    {"time_whole", DOUBLE, 1, {TIME}, NULL},
    {"vals_nod_var1", DOUBLE, 2, {TIME, NODES}, NULL},
    {"vals_nod_var2", DOUBLE, 2, {TIME, NODES}, NULL},
    {"vals_nod_var3", DOUBLE, 2, {TIME, NODES}, NULL},
};
enum { VARIABLE_COUNT = sizeof variables / sizeof *variables, FIRST_RECORD = 6 };

static const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static size_t bytes_of(const netcdf_variable *v)
{
    size_t size = v->type == DOUBLE ? 8 : v->type == INT ? 4 : 1;
    for (int i = 0; i < v->rank; i++)
        size *= v->dimensions[i] == TIME ? 1 : (size_t)sizes[v->dimensions[i]];
    return size;
}

static void put_header(bytes *b, const exodus_file *e, const uint64_t *begins)
{
    put_text(b, "CDF");
    put_unsigned(b, (uint64_t)e->version, 1);
    put_size(b, e->version, e->steps ? STEPS : 0);
    put_i32(b, 10);
    put_size(b, e->version, DIMENSIONS);
    for (int d = 0; d < DIMENSIONS; d++) {
        put_name(b, e->version, (const char[]){(char)('a' + d), 0});
        put_size(b, e->version, sizes[d]);
    }
    put_i32(b, 0);  // no attributes of the file
    put_size(b, e->version, 0);
    put_i32(b, 11);
    put_size(b, e->version, VARIABLE_COUNT);
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        const netcdf_variable *v = &variables[i];
        put_name(b, e->version, v->name);
        put_size(b, e->version, (uint64_t)v->rank);
        for (int d = 0; d < v->rank; d++)
            put_size(b, e->version, (uint64_t)v->dimensions[d]);
        put_i32(b, v->elem_type ? 12 : 0);
        put_size(b, e->version, v->elem_type ? 1 : 0);
        if (v->elem_type) {
            put_name(b, e->version, "elem_type");
            put_i32(b, CHAR);
            put_name(b, e->version, v->elem_type);
        }
        put_i32(b, v->type);
        put_size(b, e->version, bytes_of(v));
        put_unsigned(b, begins[i], e->version == 1 ? 4 : 8);
    }
}

static void put_values(bytes *b, const exodus_file *e, size_t variable, int step)
{
    static const char *const names[3] = {"DISPLX", "DISPLY", "DISPLZ"};
    if (variable < 3)
        for (int v = 0; v < VERTICES; v++)
            put_f64(b, corners[v % 4][variable]);
    else if (variable < 5)
        for (int c = 0; c < 4; c++)
            put_i32(b, (int32_t)(variable == 4 && c == 3 && e->bad_node ? e->bad_node : (int64_t)(4 * (variable - 3)) + c + 1));
    else if (variable == 5)
        for (int n = 0; n < 3; n++) {
            char name[8] = "";
            memcpy(name, names[n], strlen(names[n]));
            put_raw(b, name, sizeof name);
        }
    else if (variable == 6)
        put_f64(b, step == STEPS - 1 && e->bad_time != 0 ? e->bad_time : times[step]);
    else
        for (int v = 0; v < VERTICES; v++)
            put_f64(b, variable == 9 && v >= 4 ? heights[step] : 0);
}

static void make_exodus(bytes *b, const exodus_file *e)
{
    uint64_t begins[VARIABLE_COUNT] = {0};
    static bytes trial;
    trial = (bytes){.big = true};
    put_header(&trial, e, begins);
    uint64_t at = trial.size;
    for (size_t i = 0; i < VARIABLE_COUNT; i++) {
        begins[i] = at;
        at += bytes_of(&variables[i]);
    }
    *b = (bytes){.big = true};
    put_header(b, e, begins);
    for (size_t i = 0; i < FIRST_RECORD; i++)
        put_values(b, e, i, 0);
    for (int step = 0; step < STEPS && e->steps; step++)
        for (size_t i = FIRST_RECORD; i < VARIABLE_COUNT; i++)
            put_values(b, e, i, step);
}

// ---- reading it ----

static void exodus_of_every_version_is_read(void **state)
{
    (void)state;
    static bytes b;
    for (int version = 1; version <= 5; version += version == 2 ? 3 : 1) {
        snag_io_mesh mesh;
        snag_io_error error;
        make_exodus(&b, &(exodus_file){.version = version, .steps = true});
        assert_int_equal(parse("x.exo", b.data, b.size, &mesh, &error), SNAG_OK);
        assert_int_equal(mesh.body_count, 2);
        assert_int_equal(mesh.tet_count, 2);
        assert_string_equal(mesh.bodies[0].name, "block 1");
        assert_string_equal(mesh.bodies[1].name, "block 2");
        assert_true(mesh.labelled);
        assert_int_equal(mesh.bodies[1].vertex_labels[0], 5);
        assert_int_equal(mesh.bodies[1].tet_numbers[0], 2);
        snag_io_mesh_free(&mesh);
    }
}

// The lowest z of a body in the last pose.
static double lowest(const snag_io_motion *motion, size_t body)
{
    double xyz[3 * VERTICES], low = INFINITY;
    snag_io_error error;
    const snag_io_mesh *mesh = snag_io_motion_mesh(motion);
    assert_true(mesh->bodies[body].vertex_count <= VERTICES);
    assert_int_equal(snag_io_motion_positions(motion, body, xyz, &error), SNAG_OK);
    for (size_t v = 0; v < mesh->bodies[body].vertex_count; v++)
        low = fmin(low, xyz[3 * v + 2]);
    return low;
}

static void check_steps(snag_io_motion *motion, size_t moving)
{
    snag_io_error error;
    assert_int_equal(snag_io_motion_animation_count(motion), 1);
    snag_io_animation animation = snag_io_motion_animation(motion, 0);
    assert_int_equal(animation.frame_count, STEPS);
    assert_true(lowest(motion, moving) == 0);  // the rest pose
    for (int i = 0; i < STEPS; i++) {
        assert_true(animation.times[i] == times[i]);
        assert_int_equal(snag_io_motion_pose(motion, 0, times[i], &error), SNAG_OK);
        assert_true(lowest(motion, moving) == heights[i]);
    }
    assert_int_equal(snag_io_motion_pose(motion, SNAG_IO_ALL_ANIMATIONS, 0.25, &error), SNAG_OK);
    assert_true(lowest(motion, moving) == 3.75);
    assert_int_equal(snag_io_motion_pose(motion, 0, -1, &error), SNAG_OK);
    assert_true(lowest(motion, moving) == heights[0]);
    assert_int_equal(snag_io_motion_pose(motion, 0, 9, &error), SNAG_OK);
    assert_true(lowest(motion, moving) == heights[STEPS - 1]);
    assert_int_equal(snag_io_motion_pose(motion, 1, 0, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_motion_pose(motion, 0, (double)NAN, &error), SNAG_ERROR_ARGUMENT);
}

static void time_steps_of_a_displacement_are_frames(void **state)
{
    (void)state;
    static bytes b;
    snag_io_motion *motion;
    snag_io_error error;
    make_exodus(&b, &(exodus_file){.version = 2, .steps = true});
    assert_int_equal(snag_io_motion_open_memory("x.exo", b.data, b.size, &motion, &error), SNAG_OK);
    check_steps(motion, 1);
    snag_io_motion_close(motion);
    // Without steps there is a mesh and no animation.
    make_exodus(&b, &(exodus_file){.version = 1});
    assert_int_equal(snag_io_motion_open_memory("x.exo", b.data, b.size, &motion, &error), SNAG_OK);
    assert_int_equal(snag_io_motion_animation_count(motion), 0);
    assert_true(lowest(motion, 1) == 0);
    snag_io_motion_close(motion);
}

static void refuse_motion(const char *name, const void *data, size_t size, snag_status expected, const char *words)
{
    snag_io_motion *motion;
    snag_io_error error;
    snag_status status = snag_io_motion_open_memory(name, data, size, &motion, &error);
    if (status != expected || !strstr(error.message, words))
        fail_msg("status %d and \"%s\" instead of %d and \"%s\"", (int)status, error.message, (int)expected, words);
    assert_null(motion);
}

static void bad_exodus_is_refused(void **state)
{
    (void)state;
    static bytes b;
    make_exodus(&b, &(exodus_file){.version = 1, .bad_node = 9});
    assert_refused("x.e", b.data, b.size, SNAG_ERROR_INDEX,
                   "element 1 of block 2 (both counted from 1) names node 9, but there are 8");
    make_exodus(&b, &(exodus_file){.version = 1, .bad_node = -1});
    assert_refused("x.e", b.data, b.size, SNAG_ERROR_INDEX, "names node -1");
    make_exodus(&b, &(exodus_file){.version = 2, .steps = true, .bad_time = 0.25});
    refuse_motion("x.e", b.data, b.size, SNAG_ERROR_FORMAT, "time step 2 (counted from 0) is at 0.25");
    make_exodus(&b, &(exodus_file){.version = 2, .steps = true, .bad_time = (double)INFINITY});
    refuse_motion("x.e", b.data, b.size, SNAG_ERROR_FORMAT, "time step 2");
    assert_refused("x.exo", "solid", 5, SNAG_ERROR_FORMAT, "neither a netCDF nor an HDF5 file");
    assert_refused("x.exo", "CDF\7\0\0\0\0", 8, SNAG_ERROR_FORMAT, "version 1, 2 or 5");
    assert_refused("x.exo", "\211HDF\r\n\032\n and then nothing", 25, SNAG_ERROR_FORMAT, "x.exo: is");
}

static void damaged_exodus_does_no_harm(void **state)
{
    (void)state;
    static bytes b;
    make_exodus(&b, &(exodus_file){.version = 1});
    assert_prefixes_refused("x.exo", b.data, b.size, b.size - 24);
    assert_changes_survived("x.exo", b.data, b.size);
    assert_failing_allocations_survived("x.exo", b.data, b.size);
    make_exodus(&b, &(exodus_file){.version = 5, .steps = true});
    assert_changes_survived("x.exo", b.data, b.size);
}

// ---- XDMF ----

#define HEAD "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain>\n"
#define TAIL "</Domain></Xdmf>\n"
#define CELLS_OF                                                                                                                   \
    "<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"2\"><DataItem Dimensions=\"2 4\" NumberType=\"Int\">0 1 2 3\n4 5 "  \
    "6 7</DataItem></Topology>\n"
#define POINTS_OF                                                                                                                  \
    "<Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"8 3\">0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 "                   \
    "1</DataItem></Geometry>\n"
#define STEP(time, z)                                                                                                              \
    "<Grid Name=\"s\"><xi:include xpointer=\"x\"/><Time Value=\"" time                                                             \
    "\"/><Attribute Name=\"Displacement\" AttributeType=\"Vector\" Center=\"Node\"><DataItem Dimensions=\"8 3\">"                  \
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 " z " 0 0 " z " 0 0 " z " 0 0 " z "</DataItem></Attribute>"                                       \
    "<Attribute Name=\"stress\" Center=\"Node\"><DataItem Reference=\"XML\">/x</DataItem></Attribute></Grid>\n"

static const char plain[] = HEAD "<Grid Name=\"mesh\" GridType=\"Uniform\">" CELLS_OF POINTS_OF "</Grid>" TAIL;

static void xdmf_of_text_is_read(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(parse("x.xdmf", plain, sizeof plain - 1, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.body_count, 1);
    assert_int_equal(mesh.tet_count, 2);
    assert_int_equal(mesh.vertex_count, 8);
    snag_io_mesh_free(&mesh);
    // A mixed topology: a polygon of five corners, a polyline, a triangle.
    static const char mixed[] =
        HEAD "<Grid><Topology Type=\"mixed\"><DataItem Dimensions=\"15\" DataType=\"Int\">3 5 0 1 2 3 4  2 2 0 1  4 5 6 7"
             "</DataItem></Topology>" POINTS_OF "</Grid>" TAIL;
    assert_int_equal(parse("x.xmf", mixed, sizeof mixed - 1, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.face_count, 2);
    assert_int_equal(mesh.skipped, 1);
    assert_int_equal(mesh.left_out, 0);
    assert_int_equal(mesh.bodies[0].polygon_sizes[0], 5);
    snag_io_mesh_free(&mesh);
    // Two grids side by side are two bodies.
    static const char apart[] =
        HEAD "<Grid GridType=\"Collection\" CollectionType=\"Spatial\"><Grid Name=\"left\">" CELLS_OF POINTS_OF
             "</Grid><Grid Name=\"right\">" CELLS_OF POINTS_OF "</Grid></Grid>" TAIL;
    assert_int_equal(parse("x.xdmf", apart, sizeof apart - 1, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[1].name, "right");
    snag_io_mesh_free(&mesh);
}

static void steps_of_an_xdmf_are_frames(void **state)
{
    (void)state;
    static const char moving[] = HEAD "<Grid Name=\"mesh\">" CELLS_OF POINTS_OF "</Grid>"
                                      "<Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">" STEP("0", "5")
                                          STEP("0.5", "2.5") STEP("2", "0.25") "</Grid>" TAIL;
    snag_io_motion *motion;
    snag_io_error error;
    assert_int_equal(snag_io_motion_open_memory("x.xdmf", moving, sizeof moving - 1, &motion, &error), SNAG_OK);
    assert_int_equal(snag_io_motion_mesh(motion)->body_count, 1);
    assert_int_equal(snag_io_motion_animation(motion, 0).frame_count, STEPS);
    double xyz[3 * VERTICES];
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(snag_io_motion_pose(motion, 0, times[i], &error), SNAG_OK);
        assert_int_equal(snag_io_motion_positions(motion, 0, xyz, &error), SNAG_OK);
        assert_true(xyz[2] == 0 && xyz[3 * 4 + 2] == heights[i]);
    }
    snag_io_motion_close(motion);
}

static void bad_xdmf_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "is not an XDMF file"},
        {HEAD, SNAG_ERROR_FORMAT, "is cut off"},
        {HEAD TAIL, SNAG_ERROR_UNSUPPORTED, "no grid with cells and positions"},
        {HEAD "<Grid>" POINTS_OF "</Grid>" TAIL, SNAG_ERROR_UNSUPPORTED, "no grid with cells"},
        {HEAD "<Grid GridType=\"Tree\"></Grid>" TAIL, SNAG_ERROR_UNSUPPORTED, "Tree or SubSet"},
        {HEAD "<Grid><Topology TopologyType=\"3DSMesh\"><DataItem Dimensions=\"1\">1</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_UNSUPPORTED, "\"3DSMesh\" is not supported"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"3\">0 1 8</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_INDEX, "names vertex 8 (counted from 0), but there are 8"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"4\">0 1 2 3</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_FORMAT, "cut off"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"3\">0 1</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_FORMAT, "2 numbers instead of 3"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"99999999999 9\">0 1</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_FORMAT, "fewer numbers than its Dimensions say"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"3\" "
              "Format=\"HDF\">x.h5:/a</DataItem></Topology>" POINTS_OF "</Grid>" TAIL,
         SNAG_ERROR_UNSUPPORTED, "only files beside this one are read, and only from disk"},
        {HEAD "<Grid><Topology TopologyType=\"Triangle\"><DataItem Dimensions=\"3\" "
              "ItemType=\"HyperSlab\">1</DataItem></Topology>" POINTS_OF "</Grid>" TAIL,
         SNAG_ERROR_UNSUPPORTED, "a HyperSlab"},
        {HEAD "<Grid><Topology TopologyType=\"mixed\"><DataItem Dimensions=\"3\">4 0 1</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_FORMAT, "its cells are cut off"},
        {HEAD "<Grid><Topology TopologyType=\"mixed\"><DataItem Dimensions=\"3\">77 0 1</DataItem></Topology>" POINTS_OF
              "</Grid>" TAIL,
         SNAG_ERROR_UNSUPPORTED, "unknown type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.xdmf", cases[i].text, cases[i].status, cases[i].words);
    static const char changes[] =
        HEAD "<Grid GridType=\"Collection\" CollectionType=\"Temporal\"><Grid><Time Value=\"0\"/>" CELLS_OF POINTS_OF
             "</Grid><Grid><Time Value=\"1\"/><Topology TopologyType=\"Tetrahedron\"><DataItem Dimensions=\"4\">"
             "0 1 2 3</DataItem></Topology></Grid></Grid>" TAIL;
    refuse_motion("x.xdmf", changes, sizeof changes - 1, SNAG_ERROR_UNSUPPORTED, "its cells change from step to step");
}

static void damaged_xdmf_does_no_harm(void **state)
{
    (void)state;
    assert_prefixes_refused("x.xdmf", plain, sizeof plain - 1, sizeof plain - 3);
    assert_changes_survived("x.xdmf", plain, sizeof plain - 1);
    assert_failing_allocations_survived("x.xdmf", plain, sizeof plain - 1);
}

// ---- numbers in files beside it ----

static void numbers_in_a_raw_file_are_read(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    static bytes b;
    static const char text[] = HEAD
        "<Grid>" CELLS_OF "<Geometry GeometryType=\"X_Y_Z\">"
        "<DataItem Dimensions=\"8\" Format=\"Binary\" Precision=\"8\" Endian=\"Big\">raw.bin</DataItem>"
        "<DataItem Dimensions=\"8\" Format=\"Binary\" Precision=\"8\" Endian=\"Big\" Seek=\"64\">./raw.bin</DataItem>"
        "<DataItem Dimensions=\"8\" Format=\"Binary\" Precision=\"8\" Endian=\"Big\" Seek=\"128\">/elsewhere/raw.bin</DataItem>"
        "</Geometry></Grid>" TAIL;
    snag_io_mesh mesh;
    snag_io_error error;
    make_folder(folder);
    b = (bytes){.big = true};
    for (int k = 0; k < 3; k++)
        for (int v = 0; v < VERTICES; v++)
            put_f64(&b, corners[v % 4][k]);
    put_file(path_in(folder, "raw.bin"), b.data, b.size);
    put_file(path_in(folder, "x.xdmf"), text, sizeof text - 1);
    assert_int_equal(snag_io_read_mesh(path_in(folder, "x.xdmf"), &mesh, &error), SNAG_OK);
    for (int v = 0; v < VERTICES; v++)
        for (int k = 0; k < 3; k++)
            assert_true(mesh.bodies[0].positions[3 * v + k] == corners[v % 4][k]);
    snag_io_mesh_free(&mesh);
    put_file(path_in(folder, "raw.bin"), b.data, b.size - 1);
    assert_int_equal(snag_io_read_mesh(path_in(folder, "x.xdmf"), &mesh, &error), SNAG_ERROR_FORMAT);
    assert_says(&error, "raw.bin is too short for 8 numbers from byte 128 on");
    remove(path_in(folder, "raw.bin"));
    assert_int_equal(snag_io_read_mesh(path_in(folder, "x.xdmf"), &mesh, &error), SNAG_ERROR_FILE);
    assert_says(&error, "raw.bin");
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exodus_of_every_version_is_read),
        cmocka_unit_test(time_steps_of_a_displacement_are_frames),
        cmocka_unit_test(bad_exodus_is_refused),
        cmocka_unit_test(damaged_exodus_does_no_harm),
        cmocka_unit_test(xdmf_of_text_is_read),
        cmocka_unit_test(steps_of_an_xdmf_are_frames),
        cmocka_unit_test(bad_xdmf_is_refused),
        cmocka_unit_test(damaged_xdmf_does_no_harm),
        cmocka_unit_test(numbers_in_a_raw_file_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
