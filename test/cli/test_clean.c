// "Clean" must be true: what a user would call a collision is found, or the tool says that it was not looked for.
#define _POSIX_C_SOURCE 200809L
#include "tool_shapes.h"

// Two bars of tetrahedra, crossed like a plus: no vertex of one is in the other.
static void write_bar(const char *name, double x, double y, double z)
{
    static const int split[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    char text[2000];
    int used = snprintf(text, sizeof text, "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n");
    for (int i = 0; i < 8; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%g %g %g 0\n", i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    used += snprintf(text + used, sizeof text - (size_t)used, "Tetrahedra\n6\n");
    for (int i = 0; i < 6; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%d %d %d %d 0\n", split[i][0] + 1, split[i][1] + 1,
                         split[i][2] + 1, split[i][3] + 1);
    snprintf(text + used, sizeof text - (size_t)used, "End\n");
    tool_write(name, text);
}

// Two triangles that cross, each a body, far away from all else.
static const char crossed_sheets[] = "o one\nv 100 -1 0\nv 102 0 0\nv 100 1 0\nf 1 2 3\n"
                                     "o two\nv 100.25 0 -1\nv 100.25 0 1\nv 100.25 3 0\nf 4 5 6\n";

static void write_bars(void)
{
    write_bar("along.mesh", 4, 1, 1);
    write_bar("across.mesh", 0.9, 4, 0.9);
}

static bool lists(const char *text, const char *path, const char *word)
{
    for (size_t i = 0; i < read_json_count(text, path); i++) {
        char at[80];
        snprintf(at, sizeof at, "%s[%zu]", path, i);
        if (read_json_is(text, at, word))
            return true;
    }
    return false;
}

// ---- volumes -------------------------------------------------------------------------------------------------------

static void crossed_bars_without_a_vertex_inside_are_found(void **state)
{
    (void)state;
    write_bars();
    tool_run run = check_json(1, "along.mesh across.mesh");
    assert_true(read_json_is(run.out, "question", "penetrations"));
    assert_true(read_json_at(run.out, "contacts_total") > 0);
    assert_int_equal(read_json_count(run.out, "not_searched"), 0);
    assert_true(strncmp(read_json_find(run.out, "edges"), "true", 4) == 0);
    double contacts = read_json_at(run.out, "contacts_total");
    tool_free(&run);
    run = check_json(1, "--edges along.mesh across.mesh --method brute");
    assert_true(read_json_at(run.out, "contacts_total") == contacts);
    tool_free(&run);
}

static void what_no_edges_leaves_out_is_said(void **state)
{
    (void)state;
    write_bars();
    tool_run run = check_json(0, "--no-edges along.mesh across.mesh");
    assert_true(lists(run.out, "not_searched", "edges"));
    assert_true(strncmp(read_json_find(run.out, "edges"), "false", 5) == 0);
    tool_free(&run);
    run = tool_expect(0, "check -q --no-edges along.mesh across.mesh");
    assert_non_null(strstr(run.out, "not looked for: edges"));
    tool_free(&run);
    tool_refuses("check --edges --no-edges along.mesh", "contradict", NULL);
}

static void outputs_know_edges_through_tetrahedra(void **state)
{
    (void)state;
    write_bars();
    tool_run run =
        tool_expect(1, "check --jsonl along.mesh across.mesh --pairs bars.csv --ply bars.ply --glb bars.glb --vtu bars.vtu");
    assert_non_null(strstr(run.out, "\"kind\": \"through\""));
    assert_non_null(strstr(run.out, "\"not_searched\": []"));
    tool_free(&run);
    char *csv = tool_read("bars.csv");
    assert_non_null(strstr(csv, ",through,"));
    free(csv);
    assert_true(tool_has("bars.ply") && tool_has("bars.glb") && tool_has("bars.vtu"));
}

// ---- volumes beside surfaces ---------------------------------------------------------------------------------------

static void surfaces_that_cross_beside_a_volume_are_found(void **state)
{
    (void)state;
    write_bar("along.mesh", 4, 1, 1);
    tool_write("sheets.obj", crossed_sheets);
    tool_run run = check_json(1, "along.mesh sheets.obj --pairs mixed.csv");
    assert_true(read_json_is(run.out, "question", "penetrations"));
    assert_true(lists(run.out, "questions", "penetrations") && lists(run.out, "questions", "intersections"));
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_true(read_json_at(run.out, "frames[0].triangle_pairs") == 1);
    tool_free(&run);
    char *csv = tool_read("mixed.csv");
    // The middle of the segment, as of intersections alone.
    assert_non_null(strstr(csv, "\n0,one,t0,two,t1,crossing,0,0,100.25,0.4375,"));
    free(csv);
    run = tool_expect(1, "check along.mesh sheets.obj");
    assert_non_null(strstr(run.out, "penetrations and intersections"));
    tool_free(&run);
    // One question alone says what it leaves out.
    run = check_json(0, "--question penetrations along.mesh sheets.obj");
    assert_true(lists(run.out, "not_searched", "surfaces"));
    tool_free(&run);
    run = check_json(1, "--question intersections along.mesh sheets.obj");
    assert_false(lists(run.out, "not_searched", "inside"));
    tool_free(&run);
    run = check_json(1, "--question intersections --no-nested along.mesh sheets.obj");
    assert_true(lists(run.out, "not_searched", "inside"));
    tool_free(&run);
}

// The tetrahedra pass through the middle of a triangle whose corners and edges are far away from them.
static void a_bar_through_the_middle_of_a_triangle_is_found(void **state)
{
    (void)state;
    write_bar("along.mesh", 4, 0.1, 0.1);
    tool_write("wall.obj", "v 0.5 -9 -9\nv 0.5 9 -9\nv 0.5 0 20\nf 1 2 3\n");
    tool_run run = check_json(1, "along.mesh wall.obj");
    assert_true(read_json_at(run.out, "contacts_total") > 0);
    tool_free(&run);
    run = tool_expect(1, "check -q along.mesh wall.obj");
    assert_non_null(strstr(run.out, "crossing"));
    tool_free(&run);
}

static void a_clean_scene_of_both_kinds_says_so_of_both_questions(void **state)
{
    (void)state;
    write_bar("along.mesh", 4, 1, 1);
    tool_write("far.obj", "v 50 0 0\nv 51 0 0\nv 50 1 0\nf 1 2 3\n");
    tool_run run = tool_expect(0, "check -q along.mesh far.obj");
    assert_string_equal(run.out, "clean: no penetrations and no intersections\n");
    tool_free(&run);
    // A surface of zero area and a flat tetrahedron are counted once each.
    tool_write("thin.obj", "v 50 0 0\nv 51 0 0\nv 52 0 0\nf 1 2 3\n");
    run = check_json(0, "along.mesh thin.obj");
    assert_true(read_json_at(run.out, "frames[0].degenerate") == 1);
    assert_true(read_json_at(run.out, "bodies[0].degenerate") == 0 && read_json_at(run.out, "bodies[1].degenerate") == 1);
    tool_free(&run);
}

static void two_questions_end_early_as_one_does(void **state)
{
    (void)state;
    write_bar("along.mesh", 4, 1, 1);
    tool_write("sheets.obj", crossed_sheets);
    tool_run run = check_json(1, "along.mesh sheets.obj --method hash --budget 10s");
    assert_true(read_json_is(run.out, "method", "hash"));
    assert_true(strncmp(read_json_find(run.out, "complete"), "true", 4) == 0);
    tool_free(&run);
}

static void what_the_user_leaves_out_is_listed(void **state)
{
    (void)state;
    tool_write("sheets.obj", crossed_sheets);
    tool_run run = check_json(0, "--no-between sheets.obj");
    assert_true(lists(run.out, "not_searched", "between") && read_json_count(run.out, "not_searched") == 1);
    tool_free(&run);
    run = check_json(1, "--method spheres sheets.obj");  // looks between bodies only
    assert_true(lists(run.out, "not_searched", "self"));
    tool_free(&run);
}

// ---- elements that are not read ------------------------------------------------------------------------------------

// A tetrahedron and a hexahedron without a volume, since its corners repeat; with a second tetrahedron that the first one is in.
#define WITH_UNREAD                                                                                                                \
    "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n-1 -1 -1 0\n3 -1 -1 0\n3 3 -1 0\n-1 "  \
    "3 -1 0\n"                                                                                                                     \
    "-1 -1 3 0\n3 -1 3 0\n3 3 3 0\n-1 3 3 0\nHexahedra\n1\n5 6 7 8 5 6 7 8 0\nEdges\n1\n1 2 0\n"

static void elements_that_are_not_read_make_a_search_incomplete(void **state)
{
    (void)state;
    tool_write("hex.mesh", WITH_UNREAD "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    tool_run run = check_json(2, "hex.mesh");
    assert_true(read_json_at(run.out, "skipped_elements") == 1);
    assert_true(read_json_is(run.out, "files[0].file", "hex.mesh"));
    assert_true(read_json_at(run.out, "files[0].skipped_elements") == 1);
    assert_true(read_json_at(run.out, "files[0].other_elements") == 1);
    assert_true(strncmp(read_json_find(run.out, "complete"), "false", 5) == 0);
    assert_non_null(strstr(run.err, "hex.mesh"));
    tool_free(&run);
    // However few words are wanted, these are said.
    run = tool_expect(2, "check -q hex.mesh");
    assert_non_null(strstr(run.out, "ignored: 1 element of hex.mesh"));
    assert_null(strstr(run.out, "clean"));
    assert_non_null(strstr(run.err, "hex.mesh"));
    tool_free(&run);
    run = tool_expect(2, "check -q --jsonl hex.mesh");
    assert_non_null(strstr(run.out, "\"skipped_elements\": 1"));
    tool_free(&run);
    // What is found is found.
    tool_write("both.mesh", WITH_UNREAD "Tetrahedra\n2\n1 2 3 4 0\n5 6 8 9 0\nEnd\n");
    run = check_json(1, "both.mesh");
    assert_true(strncmp(read_json_find(run.out, "complete"), "false", 5) == 0);
    assert_true(read_json_at(run.out, "skipped_elements") == 1);
    tool_free(&run);
}

static void other_verbs_tell_of_elements_that_are_not_read(void **state)
{
    (void)state;
    tool_write("hex.mesh", WITH_UNREAD "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    tool_run run = tool_expect(0, "info --json hex.mesh");
    assert_true(read_json_valid(run.out) && read_json_at(run.out, "skipped_elements") == 1);
    tool_free(&run);
    run = tool_expect(0, "info -q hex.mesh");
    assert_non_null(strstr(run.out, "ignored: 1 element of hex.mesh"));
    tool_free(&run);
    run = tool_expect(0, "convert -q --out hex.snag hex.mesh");
    assert_non_null(strstr(run.out, "ignored: 1"));
    tool_free(&run);
    // Nothing at all that could collide.
    tool_write("alone.mesh", WITH_UNREAD "End\n");
    tool_refuses("check alone.mesh", "alone.mesh", "unsupported", NULL);
}

static void points_and_lines_leave_a_search_complete(void **state)
{
    (void)state;
    tool_write("lines.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 1\n");
    tool_run run = check_json(0, "lines.obj");
    assert_true(read_json_at(run.out, "skipped_elements") == 0 && read_json_at(run.out, "files[0].other_elements") == 2);
    assert_non_null(strstr(run.err, "points, lines"));
    assert_true(strncmp(read_json_find(run.out, "complete"), "true", 4) == 0);
    tool_free(&run);
}

// A frame may hold what the first one does not.
static void frames_with_elements_that_are_not_read_are_noticed(void **state)
{
    (void)state;
    tool_write("f_0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_write("f_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nsurf 0 1 0 1 1 2 3\n");
    tool_run run = check_json(2, "--sequence f_0.obj f_1.obj");
    assert_true(read_json_at(run.out, "skipped_elements") == 1);
    tool_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossed_bars_without_a_vertex_inside_are_found),
        cmocka_unit_test(what_no_edges_leaves_out_is_said),
        cmocka_unit_test(outputs_know_edges_through_tetrahedra),
        cmocka_unit_test(surfaces_that_cross_beside_a_volume_are_found),
        cmocka_unit_test(a_bar_through_the_middle_of_a_triangle_is_found),
        cmocka_unit_test(a_clean_scene_of_both_kinds_says_so_of_both_questions),
        cmocka_unit_test(two_questions_end_early_as_one_does),
        cmocka_unit_test(what_the_user_leaves_out_is_listed),
        cmocka_unit_test(elements_that_are_not_read_make_a_search_incomplete),
        cmocka_unit_test(other_verbs_tell_of_elements_that_are_not_read),
        cmocka_unit_test(points_and_lines_leave_a_search_complete),
        cmocka_unit_test(frames_with_elements_that_are_not_read_are_noticed),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
