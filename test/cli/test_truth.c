// The tool on real meshes against counts and pair lists of an exact geometry kernel (data/GROUND_TRUTH.md), found
// through the environment variable SNAG_DATA.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"
#include "snag/question.h"

// What all pairs of boxes can be tested of within the time a test may take.
#define MOST_TRIANGLES 20000

static const char *data;
static char *truth, *blender_truth;

static int setup(void **state)
{
    data = getenv("SNAG_DATA");
    char path[600];
    if (data) {
        snprintf(path, sizeof path, "%s/gt/ground_truth.json", data);
        truth = tool_read_path(path);
        snprintf(path, sizeof path, "%s/blender/ground_truth.json", data);
        blender_truth = tool_read_path(path);
    }
    if (!truth || !blender_truth)
        print_message("SNAG_DATA does not lead to the ground truth: these tests are skipped\n");
    return tool_setup(state);
}

static int teardown(void **state)
{
    free(truth);
    free(blender_truth);
    return tool_teardown(state);
}

#define NEED_TRUTH()                                                                                                               \
    do {                                                                                                                           \
        (void)state;                                                                                                               \
        if (!truth || !blender_truth)                                                                                              \
            skip();                                                                                                                \
    } while (0)

// Calls `each` for every key of the object and its value.
static void for_each_key(const char *object, void (*each)(const char *key, const char *value))
{
    const char *at = read_json_blank(read_json_blank(object) + 1);
    while (*at != '}') {
        char key[300];
        const char *end = read_json_string(at);
        snprintf(key, sizeof key, "%.*s", (int)(end - at - 2), at + 1);
        at = read_json_blank(read_json_blank(end) + 1);
        each(key, at);
        at = read_json_blank(read_json_value(at));
        if (*at == ',')
            at = read_json_blank(at + 1);
    }
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

// Runs `check --json`; the exit code must fit the total.
static tool_run check(const char *format, ...)
{
    char arguments[3000], command[4000];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    // One thread: on a machine that is busy with other tests, threads that wait for each other cost more than they bring.
    snprintf(command, sizeof command, "check --json --threads 1 %s", arguments);
    tool_run run = tool("%s", command);
    if (run.code > 1 || !read_json_valid(run.out))
        fail_msg("snag %s ended with %d: %s", command, run.code, run.err);
    assert_int_equal(run.code, read_json_at(run.out, "contacts_total") > 0);
    return run;
}

// ---- pair lists ----------------------------------------------------------------------------------------------------

// The list "i j\n" that the CSV stands for.
static char *pairs_of_csv(const char *csv)
{
    char *made = malloc(strlen(csv) + 1), *to = made;
    assert_non_null(made);
    for (const char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        unsigned a, b;
        assert_int_equal(sscanf(line, "0,%*[^,],t%u,%*[^,],t%u,", &a, &b), 2);
        to += sprintf(to, "%u %u\n", a, b);
    }
    *to = 0;
    return made;
}

// Compares the CSV with data/gt/pairs/<name>.txt, slashes of the name being "__"; lists that are not shipped are let
// pass.
static void compare_pairs(const char *name, const char *csv_name)
{
    char path[900] = "";
    snprintf(path, sizeof path, "%s/gt/pairs/", data);
    char *to = path + strlen(path);
    for (const char *from = name; *from && to < path + sizeof path - 8; from++) {
        if (*from == '/')
            *to++ = '_';
        *to++ = *from == '/' ? '_' : *from;
    }
    strcpy(to, ".txt");
    char *expected = tool_read_path(path);
    if (!expected)
        return;
    char *csv = tool_read(csv_name);
    assert_non_null(csv);
    char *found = pairs_of_csv(csv);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: the pairs are not those of the exact kernel", name);
    free(found);
    free(csv);
    free(expected);
}

// ---- single meshes -------------------------------------------------------------------------------------------------

static void compare_mesh(const char *key, const char *value)
{
    bool surface = ends_with(key, ".obj") || ends_with(key, ".ply") || ends_with(key, ".stl");
    const char *pairs = read_json_find(value, "pairs");
    if (!surface || !pairs || strncmp(key, "mesh_mesh:", 10) == 0 || read_json_at(value, "nf") > MOST_TRIANGLES)
        return;
    tool_run run = check("--quiet '%s/%s' --pairs pairs.csv", data, key);
    if (read_json_at(run.out, "contacts_total") != strtod(pairs, NULL))
        fail_msg("%s: %g contacts, not %g", key, read_json_at(run.out, "contacts_total"), strtod(pairs, NULL));
    assert_true(read_json_at(run.out, "frames[0].degenerate") == read_json_at(value, "degenerate_tris"));
    assert_true(read_json_at(run.out, "bodies[0].triangles") == read_json_at(value, "nf"));
    tool_free(&run);
    compare_pairs(key, "pairs.csv");
}

static void meshes_have_the_pairs_of_an_exact_kernel(void **state)
{
    NEED_TRUTH();
    for_each_key(truth, compare_mesh);
}

static void welding_makes_a_soup_one_mesh(void **state)
{
    NEED_TRUTH();
    const char *const soups[] = {"mesh_mesh/env.obj", "mesh_mesh/rob.obj"};
    for (int i = 0; i < 2; i++) {
        const char *value = read_json_member(read_json_blank(truth), soups[i], strlen(soups[i]), 0);
        tool_run run = check("--quiet --weld '%s/%s'", data, soups[i]);
        assert_true(read_json_at(run.out, "contacts_total") == read_json_at(value, "pairs_welded"));
        tool_free(&run);
    }
}

// ---- two meshes ----------------------------------------------------------------------------------------------------

static void compare_two(const char *key, const char *value)
{
    const char *between = strstr(key, " x ");
    if (strncmp(key, "mesh_mesh:", 10) != 0 || !between)
        return;
    char a[200], name[500];
    snprintf(a, sizeof a, "%.*s", (int)(between - key - 10), key + 10);
    const char *b = between + 3;
    tool_run run = check("--quiet --no-self '%s/%s' '%s/%s' --pairs two.csv", data, a, data, b);
    assert_true(read_json_at(run.out, "contacts_total") == read_json_at(value, "intersecting_triangle_pairs"));
    tool_free(&run);
    snprintf(name, sizeof name, "MESHMESH__%s__%s", a, b);
    compare_pairs(name, "two.csv");
}

static void two_meshes_have_the_pairs_of_an_exact_kernel(void **state)
{
    NEED_TRUTH();
    for_each_key(truth, compare_two);
}

// ---- volumes -------------------------------------------------------------------------------------------------------

static void compare_volume(const char *key, const char *value)
{
    bool readable = ends_with(key, ".vtk") || ends_with(key, ".msh") || ends_with(key, ".mesh");
    if (!readable || read_json_at(value, "tets") > MOST_TRIANGLES)
        return;
    tool_run run = check("--quiet '%s/%s'", data, key);
    assert_true(read_json_is(run.out, "question", "penetrations"));
    assert_true(read_json_at(run.out, "bodies[0].vertices") == read_json_at(value, "nv"));
    assert_true(read_json_at(run.out, "bodies[0].tets") == read_json_at(value, "tets"));
    assert_true(read_json_at(run.out, "bodies[0].triangles") == read_json_at(value, "boundary_tris"));
    assert_true(read_json_at(run.out, "contacts_total") == 0);
    tool_free(&run);
    run = check("--quiet --question intersections '%s/%s'", data, key);
    assert_true(read_json_at(run.out, "contacts_total") == read_json_at(value, "boundary_self_intersecting_pairs"));
    tool_free(&run);
}

static void volumes_are_clean_and_have_their_boundary(void **state)
{
    NEED_TRUTH();
    for_each_key(truth, compare_volume);
}

// ---- sequences -----------------------------------------------------------------------------------------------------

static void compare_frames(const tool_run *run, const char *counts, size_t first, const char *name)
{
    size_t count = read_json_count(run->out, "frames");
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        char path[64], counted[32];
        snprintf(path, sizeof path, "frames[%zu].frame", i);
        assert_true(read_json_at(run->out, path) == (double)(first + i));
        snprintf(path, sizeof path, "frames[%zu].contacts", i);
        snprintf(counted, sizeof counted, "[%zu]", first + i);
        if (read_json_at(run->out, path) != read_json_at(counts, counted))
            fail_msg("%s frame %zu: %g contacts, not %g", name, first + i, read_json_at(run->out, path),
                     read_json_at(counts, counted));
    }
}

static void caches_have_the_counts_of_an_exact_kernel_in_every_frame(void **state)
{
    NEED_TRUTH();
    static const char *const sequences[][2] = {
        {"sequences/tshirt_iter2/60.obj", "sequences/tshirt_iter2/tshirt_iter2.pc2"},
        {"sequences/Fox/Fox_Run.obj", "sequences/Fox/Fox_Run.pc2"},
        {"sequences/Fox/Fox_Survey.obj", "sequences/Fox/Fox_Survey.pc2"},
        {"sequences/RiggedFigure/RiggedFigure_anim0.obj", "sequences/RiggedFigure/RiggedFigure_anim0.pc2"},
        {"sequences/wolf_poses/wolf-1.obj", "sequences/wolf_poses/wolf_poses.pc2"},
    };
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        const char *key = sequences[i][1];
        const char *value = read_json_member(read_json_blank(truth), key, strlen(key), 0);
        assert_non_null(value);
        tool_run run = check("--quiet '%s/%s' '%s/%s'", data, sequences[i][0], data, key);
        assert_true((double)read_json_count(run.out, "frames") == read_json_at(value, "frames"));
        compare_frames(&run, read_json_find(value, "self_intersecting_pairs_per_frame"), 0, key);
        tool_free(&run);
    }
    // A folder of one mesh and one cache is the same scene.
    tool_run run = check("--quiet '%s/sequences/tshirt_iter2'", data);
    assert_int_equal(read_json_count(run.out, "frames"), 81);
    tool_free(&run);
}

// Posed by our own reader from nodes and skins, against positions that another program baked.
static void skinned_figures_have_the_counts_of_their_baked_frames(void **state)
{
    NEED_TRUTH();
    static const char *const figures[][2] = {
        {"sequences/Fox/Fox.glb' --animation 'Run", "sequences/Fox/Fox_Run.pc2"},
        {"sequences/Fox/Fox.glb' --animation 'Survey", "sequences/Fox/Fox_Survey.pc2"},
        {"sequences/RiggedFigure/RiggedFigure.glb", "sequences/RiggedFigure/RiggedFigure_anim0.pc2"},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        const char *key = figures[i][1];
        const char *value = read_json_member(read_json_blank(truth), key, strlen(key), 0);
        assert_non_null(value);
        tool_run run = check("--quiet '%s/%s'", data, figures[i][0]);
        assert_true((double)read_json_count(run.out, "frames") == read_json_at(value, "frames"));
        compare_frames(&run, read_json_find(value, "self_intersecting_pairs_per_frame"), 0, figures[i][0]);
        tool_free(&run);
    }
}

static void scenes_have_the_counts_of_an_exact_kernel(void **state)
{
    NEED_TRUTH();
    static const struct {
        const char *name, *frames;
        size_t first;
    } scenes[] = {
        {"soft-pile", "10:16", 10},        {"soft-pile-sb", "18:20", 18}, {"cloth-twist-noself", "22:23", 22},
        {"cloth-drape-noself", "18:", 18}, {"dressed-figure", "40", 40},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        const char *value = read_json_member(read_json_blank(blender_truth), scenes[i].name, strlen(scenes[i].name), 0);
        tool_run run = check("--quiet '%s/blender/%s' --frames %s", data, scenes[i].name, scenes[i].frames);
        compare_frames(&run, read_json_find(value, "intersecting_pairs_per_frame"), scenes[i].first, scenes[i].name);
        tool_free(&run);
    }
}

static void two_frames_are_a_sequence(void **state)
{
    NEED_TRUTH();
    tool_run run = check("--quiet --sequence '%s/sequences/thick-cloth/t0.ply' '%s/sequences/thick-cloth/t1.ply'", data, data);
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 0);
    assert_true(read_json_at(run.out, "frames[1].contacts") == 46);
    tool_free(&run);
}

// ---- impacts -------------------------------------------------------------------------------------------------------

// No impact is missed; one too many is allowed where a pair comes closer than the tolerance.
static void impacts_of_two_frames_are_complete_and_never_late(void **state)
{
    NEED_TRUTH();
    if (!snag_method_answers(SNAG_METHOD_AUTO, SNAG_IMPACTS))
        skip();
    const char *key = "ccd_scenes/cloth-funnel";
    const char *value = read_json_member(read_json_blank(truth), key, strlen(key), 0);
    double expected = read_json_at(value, "vf.colliding") + read_json_at(value, "ee.colliding");
    double earliest = read_json_at(value, "vf.earliest_toi");
    tool_run run =
        check("--quiet --question impacts --sequence '%s/%s/frames/227.ply' '%s/%s/frames/228.ply'", data, key, data, key);
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    assert_true(read_json_at(run.out, "frames[0].frame") == 1);
    double found = read_json_at(run.out, "contacts_total");
    if (found < expected || found > 1.02 * expected)
        fail_msg("%g impacts, not %g", found, expected);
    // The truth is printed with 15 digits.
    assert_true(read_json_at(run.out, "frames[0].earliest") <= earliest * (1 + 1e-14));
    assert_true(read_json_at(run.out, "frames[0].earliest") >= earliest - 1e-3);
    tool_free(&run);
}

static void moves_of_a_cache_have_the_impacts_of_an_independent_solver(void **state)
{
    NEED_TRUTH();
    if (!snag_method_answers(SNAG_METHOD_AUTO, SNAG_IMPACTS))
        skip();
    const char *key = "sequences/Fox/Fox_Run.pc2";
    const char *value = read_json_member(read_json_blank(truth), key, strlen(key), 0);
    tool_run run = check("--quiet --question impacts '%s/sequences/Fox/Fox_Run.obj' '%s/%s'", data, data, key);
    size_t moves = read_json_count(run.out, "frames");
    assert_true((double)moves == read_json_at(value, "frames") - 1);
    for (size_t i = 0; i < moves; i++) {
        char path[64], hits[100];
        double expected = 0;
        for (int kind = 0; kind < 2; kind++) {  // vertex-face, edge-edge
            snprintf(hits, sizeof hits, "ccd_hits_per_step_vf_ee_double_solver[%zu][%d]", i, kind);
            expected += read_json_at(value, hits);
        }
        snprintf(path, sizeof path, "frames[%zu].frame", i);
        assert_true(read_json_at(run.out, path) == (double)(i + 1));
        snprintf(path, sizeof path, "frames[%zu].contacts", i);
        if (read_json_at(run.out, path) != expected)
            fail_msg("move to frame %zu: %g impacts, not %g", i + 1, read_json_at(run.out, path), expected);
    }
    tool_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_have_the_pairs_of_an_exact_kernel),
        cmocka_unit_test(welding_makes_a_soup_one_mesh),
        cmocka_unit_test(two_meshes_have_the_pairs_of_an_exact_kernel),
        cmocka_unit_test(volumes_are_clean_and_have_their_boundary),
        cmocka_unit_test(caches_have_the_counts_of_an_exact_kernel_in_every_frame),
        cmocka_unit_test(skinned_figures_have_the_counts_of_their_baked_frames),
        cmocka_unit_test(scenes_have_the_counts_of_an_exact_kernel),
        cmocka_unit_test(two_frames_are_a_sequence),
        cmocka_unit_test(impacts_of_two_frames_are_complete_and_never_late),
        cmocka_unit_test(moves_of_a_cache_have_the_impacts_of_an_independent_solver),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
