// Every function of the public headers survives NULL in each place that a pointer goes, and answers with a status where it has one.
// Each call runs in a process of its own, so that one that crashes is named.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "helpers/test.h"
#include "snag/io.h"
#include "snag/mesh.h"
#include "snag/response.h"
#include "snag/shapes.h"
#include "snag/sim.h"
#include "snag/snag.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

// Whether what `right` says holds in a child process.
#define HOLDS(right)                                                                                                               \
    do {                                                                                                                           \
        fflush(NULL);                                                                                                              \
        pid_t child = fork();                                                                                                      \
        assert_true(child >= 0);                                                                                                   \
        if (child == 0) {                                                                                                          \
            signal(SIGSEGV, SIG_DFL); /* which cmocka else takes for itself */                                                     \
            _exit((right) ? 0 : 1);                                                                                                \
        }                                                                                                                          \
        int code;                                                                                                                  \
        assert_int_equal(waitpid(child, &code, 0), child);                                                                         \
        if (!WIFEXITED(code) || WEXITSTATUS(code) != 0) {                                                                          \
            print_message("%s: %s\n", #right, WIFEXITED(code) ? "does not hold" : "crashes");                                      \
            failures++;                                                                                                            \
        }                                                                                                                          \
    } while (0)

#define RETURNS(call, status) HOLDS((call) == (status))
#define REFUSED(call) RETURNS(call, SNAG_ERROR_ARGUMENT)
#define SURVIVES(call) HOLDS(((call), true))

static const snag_body_id none = {0, 0};
static const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint32_t corners[3] = {0, 1, 2};

static snag_world *make_world(snag_body_id *body)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    snag_body_def surface = snag_default_body_def();
    surface.positions = snag_positions_f64(triangle, 3);
    surface.triangles = corners;
    surface.triangle_count = 1;
    assert_int_equal(snag_world_add(world, &surface, body), SNAG_OK);
    return world;
}

static void note_run(void *context, uint32_t index)
{
    *(uint32_t *)context += index + 1;
}

static bool runs_without_world(void)
{
    uint32_t sum = 0;
    snag_world_run(NULL, 3, note_run, &sum);
    return sum == 6;
}

static void worlds(void **state)
{
    (void)state;
    failures = 0;
    snag_positions no_positions = snag_positions_f64(NULL, 0);
    snag_body_def body = snag_default_body_def();
    snag_memory memory;
    snag_source_def source = snag_default_source_def();
    snag_world_def def = snag_default_world_def();
    any_question question = any_default(SNAG_INTERSECTIONS);
    snag_body_id id;
    snag_body_info info;
    snag_tree_info tree;
    const snag_answer *answer;
    const snag_place *places;
    size_t place_count;
    const snag_mesh_report *report;
    snag_world *made;
    snag_question named_question;
    snag_method named_method;
    snag_backend named_backend;

    REFUSED(snag_world_create(NULL, &made));
    REFUSED(snag_world_create(&def, NULL));
    SURVIVES(snag_world_destroy(NULL));
    HOLDS(strcmp(snag_world_message(NULL), "") == 0);
    HOLDS(!snag_world_is_busy(NULL));
    HOLDS(snag_world_threads(NULL) == 0);
    HOLDS(snag_world_isa(NULL) == SNAG_ISA_BEST);
    HOLDS(runs_without_world());
    SURVIVES(snag_world_run(NULL, 3, NULL, NULL));
    REFUSED(snag_world_add(NULL, &body, &id));
    REFUSED(snag_world_add_source(NULL, &source, &id));
    REFUSED(snag_world_remove(NULL, none));
    REFUSED(snag_world_begin_step(NULL));
    REFUSED(snag_world_move(NULL, none, no_positions));
    REFUSED(snag_world_teleport(NULL, none, no_positions));
    REFUSED(snag_world_body(NULL, none, &info));
    HOLDS(snag_world_body_count(NULL) == 0);
    REFUSED(any_ask(NULL, &question, &answer));
    REFUSED(snag_answer_places(NULL, NULL, NULL, NULL));
    REFUSED(snag_world_check(NULL, none, &report));
    REFUSED(snag_world_tree(NULL, none, &tree));
    REFUSED(snag_world_memory(NULL, &memory));

    snag_world *world = make_world(&id);
    SURVIVES(snag_world_run(world, 3, NULL, NULL));
    REFUSED(snag_world_add(world, NULL, &id));
    REFUSED(snag_world_add(world, &body, NULL));
    REFUSED(snag_world_memory(world, NULL));
    REFUSED(snag_world_add_source(world, NULL, &id));
    REFUSED(snag_world_add_source(world, &source, &id));
    REFUSED(snag_world_move(world, id, snag_positions_f64(NULL, 3)));
    REFUSED(snag_world_teleport(world, id, snag_positions_f64(NULL, 3)));
    REFUSED(snag_world_body(world, id, NULL));
    REFUSED(any_ask(world, NULL, &answer));
    REFUSED(any_ask(world, &question, NULL));
    REFUSED(snag_answer_places(world, NULL, &places, &place_count));
    REFUSED(snag_world_check(world, id, NULL));
    REFUSED(snag_world_tree(world, id, NULL));
    body.positions = snag_positions_f64(triangle, 3);
    body.triangle_count = 1;
    REFUSED(snag_world_add(world, &body, &id));
    body.triangle_count = 0;
    body.polygon_count = 1;
    REFUSED(snag_world_add(world, &body, &id));
    body.polygon_count = 0;
    body.tet_count = 1;
    REFUSED(snag_world_add(world, &body, &id));
    snag_world_destroy(world);

    HOLDS(!snag_question_from_name(NULL, &named_question) && snag_question_from_name("distance", NULL));
    HOLDS(!snag_method_from_name(NULL, &named_method) && snag_method_from_name("kdop", NULL));
    HOLDS(!snag_backend_from_name(NULL, &named_backend) && snag_backend_from_name("cpu", NULL));
    assert_int_equal(failures, 0);
}

static void responses(void **state)
{
    (void)state;
    failures = 0;
    snag_body_id id;
    snag_world *world = make_world(&id);
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    def.dt = 1;
    snag_response_body body = {.body = id, .vertex_count = 3};
    snag_answer no_answer = {.question = SNAG_PROXIMITIES};
    REFUSED(snag_response_create(NULL, NULL));
    SURVIVES(snag_response_destroy(NULL));
    HOLDS(strcmp(snag_response_message(NULL), "") == 0);
    REFUSED(snag_response_apply(NULL, world, &def, &body, 1, &no_answer, NULL));
    REFUSED(snag_response_apply(response, NULL, &def, &body, 1, &no_answer, NULL));
    REFUSED(snag_response_apply(response, world, NULL, &body, 1, &no_answer, NULL));
    REFUSED(snag_response_apply(response, world, &def, NULL, 1, &no_answer, NULL));
    REFUSED(snag_response_apply(response, world, &def, &body, 1, NULL, NULL));
    REFUSED(snag_response_apply(response, world, &def, &body, 1, &no_answer, NULL));
    REFUSED(snag_response_advance(NULL, world, &def, &body, 1, NULL));
    REFUSED(snag_response_advance(response, NULL, &def, &body, 1, NULL));
    REFUSED(snag_response_advance(response, world, NULL, &body, 1, NULL));
    REFUSED(snag_response_advance(response, world, &def, NULL, 1, NULL));
    REFUSED(snag_response_advance(response, world, &def, &body, 1, NULL));
    REFUSED(snag_response_untangle(NULL, world, &def, &body, 1, NULL));
    REFUSED(snag_response_untangle(response, NULL, &def, &body, 1, NULL));
    REFUSED(snag_response_untangle(response, world, NULL, &body, 1, NULL));
    REFUSED(snag_response_untangle(response, world, &def, NULL, 1, NULL));
    REFUSED(snag_response_untangle(response, world, &def, &body, 1, NULL));
    snag_response_destroy(response);
    snag_world_destroy(world);
    assert_int_equal(failures, 0);
}

static void meshes_and_shapes(void **state)
{
    (void)state;
    failures = 0;
    uint32_t vertex_of[3];
    REFUSED(snag_mesh_weld(snag_positions_f64(NULL, 3), NULL, vertex_of));
    REFUSED(snag_mesh_weld(snag_positions_f64(triangle, 3), NULL, NULL));
    RETURNS(snag_mesh_weld(snag_positions_f64(triangle, 3), NULL, vertex_of), SNAG_OK);
    SURVIVES(snag_shape_free(NULL));
    REFUSED(snag_shape_sheet(2, 2, 1, 1, NULL));
    REFUSED(snag_shape_icosphere(1, 1, NULL));
    REFUSED(snag_shape_sphere(4, 3, 1, NULL));
    REFUSED(snag_shape_torus(4, 4, 1, 0.2, NULL));
    REFUSED(snag_shape_box(1, 1, 1, 1, NULL));
    REFUSED(snag_shape_cylinder(4, 1, 1, 1, NULL));
    REFUSED(snag_shape_block(1, 1, 1, 1, NULL));
    SURVIVES(snag_shape_transform(NULL, 1, 0, 0, 0));
    assert_int_equal(failures, 0);
}

static void simulations(void **state)
{
    (void)state;
    failures = 0;
    snag_sim_def def = snag_default_sim_def(), unnamed = def, unmodelled = def;
    unnamed.scene = NULL;
    unmodelled.model_count = 1;
    snag_sim *sim = NULL;
    snag_sim_depth depth;
    REFUSED(snag_sim_create(NULL, &sim));
    REFUSED(snag_sim_create(&def, NULL));
    REFUSED(snag_sim_create(&unnamed, &sim));
    HOLDS(snag_sim_create(&unmodelled, &sim) != SNAG_OK);
    SURVIVES(snag_sim_destroy(NULL));
    REFUSED(snag_sim_step(NULL));
    HOLDS(strcmp(snag_sim_message(NULL), "") == 0);
    HOLDS(snag_sim_body_count(NULL) == 0);
    HOLDS(snag_sim_body_at(NULL, 0).name == NULL);
    HOLDS(snag_sim_last_step(NULL).step == 0);
    REFUSED(snag_sim_measure(NULL, 1, &depth));
    HOLDS(snag_sim_thickness(NULL) == 0);
    HOLDS(snag_sim_mean_edge(NULL) == 0);
    HOLDS(snag_sim_scene_name(SIZE_MAX) == NULL && snag_sim_scene_words(SIZE_MAX) == NULL);
    assert_int_equal(failures, 0);
}

static void reading(void **state)
{
    (void)state;
    failures = 0;
    snag_io_error error;
    snag_io_mesh mesh;
    snag_io_cache *cache;
    snag_io_motion *motion;
    snag_io_chunked *chunked;
    char **paths;
    size_t count;
    float xyz[9];
    double positions[9];
    uint32_t number;
    snag_body_id id;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    REFUSED(snag_io_read_mesh(NULL, &mesh, &error));
    REFUSED(snag_io_read_mesh("a.obj", NULL, &error));
    HOLDS(snag_io_read_mesh("/nowhere/a.obj", &mesh, NULL) != SNAG_OK);
    REFUSED(snag_io_parse_mesh(NULL, obj, sizeof obj - 1, &mesh, &error));
    REFUSED(snag_io_parse_mesh("a.obj", NULL, 9, &mesh, &error));
    REFUSED(snag_io_parse_mesh("a.obj", obj, sizeof obj - 1, NULL, &error));
    RETURNS(snag_io_parse_mesh("a.obj", obj, sizeof obj - 1, &mesh, NULL), SNAG_OK);
    SURVIVES(snag_io_mesh_free(NULL));
    HOLDS(!snag_io_is_mesh(NULL) && !snag_io_is_cache(NULL) && !snag_io_is_companion(NULL) && !snag_io_is_motion(NULL));
    REFUSED(snag_io_add_body(NULL, &(snag_io_body){0}, &id));
    snag_world *world = make_world(&id);
    REFUSED(snag_io_add_body(world, NULL, &id));
    REFUSED(snag_io_add_body(world, &(snag_io_body){0}, NULL));
    snag_world_destroy(world);
    REFUSED(snag_io_cache_open(NULL, &cache, &error));
    REFUSED(snag_io_cache_open("a.pc2", NULL, &error));
    HOLDS(snag_io_cache_open("/nowhere/a.pc2", &cache, NULL) != SNAG_OK);
    REFUSED(snag_io_cache_open_memory(NULL, obj, 3, &cache, &error));
    REFUSED(snag_io_cache_open_memory("a.pc2", NULL, 3, &cache, &error));
    REFUSED(snag_io_cache_open_memory("a.pc2", obj, 3, NULL, &error));
    SURVIVES(snag_io_cache_close(NULL));
    HOLDS(snag_io_cache_vertex_count(NULL) == 0 && snag_io_cache_frame_count(NULL) == 0 && snag_io_cache_held_count(NULL) == 0);
    REFUSED(snag_io_cache_read(NULL, 0, xyz, &error));
    REFUSED(snag_io_motion_open(NULL, &motion, &error));
    REFUSED(snag_io_motion_open("a.gltf", NULL, &error));
    REFUSED(snag_io_motion_open_memory(NULL, obj, 3, &motion, &error));
    REFUSED(snag_io_motion_open_memory("a.gltf", NULL, 3, &motion, &error));
    REFUSED(snag_io_motion_open_memory("a.gltf", obj, 3, NULL, &error));
    SURVIVES(snag_io_motion_close(NULL));
    HOLDS(snag_io_motion_mesh(NULL) == NULL && snag_io_motion_animation_count(NULL) == 0);
    SURVIVES(snag_io_motion_animation(NULL, 0));
    REFUSED(snag_io_motion_pose(NULL, 0, 0, &error));
    REFUSED(snag_io_motion_positions(NULL, 0, positions, &error));
    REFUSED(snag_io_sequence(NULL, &paths, &count, &error));
    REFUSED(snag_io_sequence("a_*.obj", NULL, &count, &error));
    REFUSED(snag_io_sequence("a_*.obj", &paths, NULL, &error));
    SURVIVES(snag_io_paths_free(NULL, 0));
    REFUSED(snag_io_chunked_open(NULL, &chunked, &error));
    REFUSED(snag_io_chunked_open("a.snag", NULL, &error));
    SURVIVES(snag_io_chunked_close(NULL));
    HOLDS(snag_io_chunked_describe(NULL).block_count == 0);
    REFUSED(snag_io_chunked_read(NULL, 0, positions, &error));
    REFUSED(snag_io_chunked_number(NULL, 0, &number, &error));
    HOLDS(snag_io_chunked_source(NULL).read == NULL);
    assert_int_equal(failures, 0);
}

static void writing(void **state)
{
    (void)state;
    failures = 0;
    char folder[] = "/tmp/snag-null-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snag_io_error error;
    snag_io_surface surface = {.positions = snag_positions_f64(triangle, 3), .triangles = corners, .triangle_count = 1};
    snag_io_grid grid = {.positions = snag_positions_f64(triangle, 3), .cells = corners, .cell_count = 1, .corners = 3};
    snag_io_file *file;
    snag_io_pc2 *pc2;
    snag_io_pairs *pairs;
    const char *names[1] = {"a"};
    const double times[1] = {0};
    REFUSED(snag_io_write_obj(NULL, &surface, 1, &error));
    REFUSED(snag_io_write_obj(path, NULL, 1, &error));
    REFUSED(snag_io_write_ply(NULL, &surface, 1, &error));
    REFUSED(snag_io_write_ply(path, NULL, 1, &error));
    REFUSED(snag_io_write_glb(NULL, &surface, 1, &error));
    REFUSED(snag_io_write_glb(path, NULL, 1, &error));
    REFUSED(snag_io_write_vtu(NULL, &grid, 1, NULL, 0, &error));
    REFUSED(snag_io_write_vtu(path, NULL, 1, NULL, 0, &error));
    REFUSED(snag_io_write_vtu(path, &grid, 1, NULL, 1, &error));
    REFUSED(snag_io_write_pvd(NULL, names, times, 1, &error));
    REFUSED(snag_io_write_pvd(path, NULL, times, 1, &error));
    REFUSED(snag_io_write_pvd(path, names, NULL, 1, &error));
    REFUSED(snag_io_chunked_write(NULL, &surface, NULL, &error));
    REFUSED(snag_io_chunked_write(path, NULL, NULL, &error));
    REFUSED(snag_io_file_create(NULL, &file, &error));
    REFUSED(snag_io_file_create(path, NULL, &error));
    REFUSED(snag_io_file_write(NULL, "a", 1, &error));
    SURVIVES(snag_io_file_close(NULL, true, &error));
    REFUSED(snag_io_pc2_create(NULL, 3, &pc2, &error));
    REFUSED(snag_io_pc2_create(path, 3, NULL, &error));
    REFUSED(snag_io_pc2_write(NULL, snag_positions_f64(triangle, 3), &error));
    SURVIVES(snag_io_pc2_close(NULL, true, &error));
    REFUSED(snag_io_pairs_create(NULL, &pairs, &error));
    REFUSED(snag_io_pairs_create(path, NULL, &error));
    REFUSED(snag_io_pairs_write(NULL, &(snag_io_pair){0}, &error));
    SURVIVES(snag_io_pairs_close(NULL, true, &error));
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds),      cmocka_unit_test(responses), cmocka_unit_test(meshes_and_shapes),
        cmocka_unit_test(simulations), cmocka_unit_test(reading),   cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
