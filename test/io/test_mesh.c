// Meshes by their ending, from files and from memory, into a world; and all surfaces of the real data.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include "mesh.h"

static const char square[] = "o square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

static void a_mesh_is_known_by_its_ending(void **state)
{
    (void)state;
    static const char *const known[] = {"a.obj", "b/A.OBJ",  "x.y.ply",  "x.off", "x.STL",
                                        ".obj",  "a.obj.gz", "a.VTU.GZ", "a.k",   "a.pvd"};
    static const char *const unknown[] = {"a.gz", "obj", "a.objx", "a.obj/b", "", "a.pc2", "a.pc2.gz", "a.node.gz", ".gz"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(snag_io_is_mesh(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(snag_io_is_mesh(unknown[i]));
    assert_false(snag_io_is_mesh(NULL));
    assert_text_refused("a.xyz", square, SNAG_ERROR_UNSUPPORTED, "a.xyz: this is not the ending");
    assert_text_refused("a.xyz", square, SNAG_ERROR_UNSUPPORTED, ".obj .ply .off .stl");
    // What people bring is answered by what to bring instead.
    static const char *const advice[][2] = {{"a.abc", "Alembic is not supported; export glTF"},
                                            {"a.usdz", "glTF"},
                                            {"a.STEP", "no mesh; export STL"},
                                            {"a.blend", "export glTF"},
                                            {"a.exo", "save it as VTU"},
                                            {"a.odb", "give the deck"},
                                            {"a.zip", "unpack it"}};
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (!snag_io_is_mesh(advice[i][0]))
            assert_text_refused(advice[i][0], square, SNAG_ERROR_UNSUPPORTED, advice[i][1]);
}

static void a_file_and_its_bytes_read_alike(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "square.obj");
    put_file(path, square, strlen(square));
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_read_mesh(path, &mesh, &error), SNAG_OK);
    assert_int_equal(error.status, SNAG_OK);
    assert_string_equal(only_body(&mesh)->name, "square");
    assert_int_equal(mesh.vertex_count, 4);
    snag_io_mesh_free(&mesh);
    assert_int_equal(snag_io_read_mesh(path, &mesh, NULL), SNAG_OK);
    snag_io_mesh_free(&mesh);

    put_file(path, "v 0 0\n", 6);
    assert_int_equal(snag_io_read_mesh(path, &mesh, &error), SNAG_ERROR_FORMAT);
    assert_says(&error, "square.obj:1: ");
    assert_null(mesh.bodies);
    assert_int_equal(snag_io_read_mesh(path, &mesh, NULL), SNAG_ERROR_FORMAT);
    remove_folder(folder);
    assert_int_equal(snag_io_read_mesh(path, &mesh, &error), SNAG_ERROR_FILE);
    assert_says(&error, "square.obj");
}

static void missing_arguments_are_refused(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_read_mesh(NULL, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_read_mesh("a.obj", NULL, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_parse_mesh(NULL, "", 0, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_parse_mesh("a.obj", NULL, 1, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_parse_mesh("a.obj", "", 0, NULL, &error), SNAG_ERROR_ARGUMENT);
    snag_io_mesh_free(NULL);
    assert_int_equal(snag_io_add_body(NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
}

// Counts that would overflow an index are refused before memory is.
static void more_vertices_than_numbers_are_refused(void **state)
{
    (void)state;
    snag__builder builder = {0};
    failing_malloc_largest();
    assert_int_equal(snag__builder_reserve_vertices(&builder, (size_t)1 << 32), SNAG_ERROR_SIZE);
    assert_int_equal(snag__builder_reserve_vertices(&builder, UINT32_MAX), SNAG_ERROR_SIZE);
    assert_int_equal(snag__builder_reserve_vertices(&builder, SIZE_MAX), SNAG_ERROR_SIZE);
    assert_int_equal(snag__builder_reserve_polygons(&builder, UINT32_MAX, 3), SNAG_ERROR_SIZE);
    assert_int_equal(snag__builder_reserve_polygons(&builder, 1, SIZE_MAX), SNAG_ERROR_SIZE);
    assert_int_equal(snag__builder_reserve_tets(&builder, SIZE_MAX), SNAG_ERROR_SIZE);
    builder.vertex_count = builder.vertex_capacity = builder.vertex_stop = UINT32_MAX - 1;
    assert_int_equal(snag__builder_vertex(&builder, 0, 0, 0), SNAG_ERROR_SIZE);
    builder.polygon_count = UINT32_MAX - 1;
    assert_int_equal(snag__builder_close_polygon(&builder, 3), SNAG_ERROR_SIZE);
    assert_int_equal(failing_malloc_largest(), 0);
}

// Whatever a reader leaves unchecked, nothing unsound is handed out.
static void the_last_check_holds_for_every_reader(void **state)
{
    (void)state;
    snag_io_error error;
    snag__source source = {"x.abc", "", 0, &error, NULL};
    snag_io_mesh mesh = {0};
    snag__builder builder = {0};
    assert_int_equal(snag__builder_finish(&builder, &source, &mesh), SNAG_ERROR_FORMAT);
    assert_int_equal(snag__builder_vertex(&builder, 0, 0, 0), SNAG_OK);
    assert_int_equal(snag__builder_polygon(&builder, (const uint32_t[]){0, 0, 0, 0}, 4), SNAG_OK);
    assert_int_equal(snag__builder_polygon(&builder, (const uint32_t[]){0, 7, 0}, 3), SNAG_OK);
    assert_int_equal(snag__builder_finish(&builder, &source, &mesh), SNAG_ERROR_INDEX);
    assert_says(&error, "x.abc: face 1 names vertex 7 (both counted from 0), but the file has 1 vertices");
    builder.polygon_count = builder.corner_count = 0;
    assert_int_equal(snag__builder_tet(&builder, (const uint32_t[]){0, 0, 0, 1}), SNAG_OK);
    assert_int_equal(snag__builder_finish(&builder, &source, &mesh), SNAG_ERROR_INDEX);
    assert_says(&error, "tetrahedron 0 names vertex 1");
    builder.tet_count = 0;
    assert_int_equal(snag__builder_vertex(&builder, 0, -INFINITY, 0), SNAG_OK);
    assert_int_equal(snag__builder_finish(&builder, &source, &mesh), SNAG_ERROR_NOT_FINITE);
    assert_says(&error, "vertex 1 (counted from 0) is not finite");
    assert_null(mesh.bodies);
    snag__builder_free(&builder);
}

static void bodies_are_added_to_a_world(void **state)
{
    (void)state;
    snag_world_def def = snag_default_world_def();
    snag_world *world;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    snag_io_mesh mesh = read_text("s.obj", square);
    snag_body_id id;
    snag_body_info info;
    assert_int_equal(snag_io_add_body(world, &mesh.bodies[0], &id), SNAG_OK);
    snag_io_mesh_free(&mesh);
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_string_equal(info.name, "square");
    assert_int_equal(info.vertex_count, 4);
    assert_int_equal(info.triangle_count, 2);
    assert_int_equal(info.triangle_faces[1], 0);

    mesh = read_text("t.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_int_equal(snag_io_add_body(world, &mesh.bodies[0], &id), SNAG_OK);
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.triangle_count, 1);
    snag_io_mesh_free(&mesh);

    double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t tet[4] = {0, 1, 2, 3};
    snag_io_body volume = {.name = "k", .vertex_count = 4, .positions = positions, .tet_count = 1, .tets = tet};
    assert_int_equal(snag_io_add_body(world, &volume, &id), SNAG_OK);
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.tet_count, 1);
    assert_int_equal(info.triangle_count, 4);
    snag_world_destroy(world);
}

// ---- real data ----

// The counts of SOURCES.md: | file | repo | path | commit | licence | bytes | V | F | ...
static void surfaces_of_the_real_data_have_the_counts_of_their_list(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    char *table = get_file(path_in(folder, "SOURCES.md"), NULL);
    size_t checked = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[256];
        if (sscanf(line, "| %255s |", name) != 1)
            continue;
        const char *ending = strrchr(name, '.');
        if (!ending || (strcmp(ending, ".obj") && strcmp(ending, ".ply") && strcmp(ending, ".stl") && strcmp(ending, ".off")))
            continue;
        const char *cell = line;
        for (int bars = 0; bars < 7; cell++)
            bars += *cell == '|';
        unsigned long vertices, faces;
        assert_int_equal(sscanf(cell, "%lu | %lu", &vertices, &faces), 2);
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_read_mesh(path_in(folder, name), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        if (mesh.vertex_count != vertices || mesh.face_count != faces)
            fail_msg("%s: %zu vertices and %zu faces instead of %lu and %lu", name, mesh.vertex_count, mesh.face_count, vertices,
                     faces);
        assert_sound(&mesh);
        snag_io_mesh_free(&mesh);
        checked++;
    }
    free(table);
    assert_true(checked >= 28);
}

// In each scene of blender/ every object is a body, and its cache has as many vertices.
static void objects_of_the_real_scenes_fit_their_caches(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        size_t bodies;
    } scenes[] = {
        {"cloth-drape", 3},        {"cloth-twist", 1},        {"soft-pile", 17},    {"dressed-figure", 3},
        {"cloth-drape-noself", 3}, {"cloth-twist-noself", 1}, {"soft-pile-sb", 17},
    };
    const char *folder = data_folder();
    if (!folder)
        skip();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char name[512];
        snprintf(name, sizeof name, "blender/%s/mesh_00.obj", scenes[i].scene);
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_read_mesh(path_in(folder, name), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        assert_int_equal(mesh.body_count, scenes[i].bodies);
        assert_sound(&mesh);
        for (size_t b = 0; b < mesh.body_count; b++) {
            snprintf(name, sizeof name, "blender/%s/%s.pc2", scenes[i].scene, mesh.bodies[b].name);
            snag_io_cache *cache;
            if (snag_io_cache_open(path_in(folder, name), &cache, &error) != SNAG_OK)
                fail_msg("%s", error.message);
            assert_int_equal(snag_io_cache_vertex_count(cache), mesh.bodies[b].vertex_count);
            snag_io_cache_close(cache);
        }
        snag_io_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_is_known_by_its_ending),
        cmocka_unit_test(a_file_and_its_bytes_read_alike),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(more_vertices_than_numbers_are_refused),
        cmocka_unit_test(the_last_check_holds_for_every_reader),
        cmocka_unit_test(bodies_are_added_to_a_world),
        cmocka_unit_test(surfaces_of_the_real_data_have_the_counts_of_their_list),
        cmocka_unit_test(objects_of_the_real_scenes_fit_their_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
