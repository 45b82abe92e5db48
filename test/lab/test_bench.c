// `snag bench surfaces` from outside: rows, agreement with `check`, and what it says of bad input.
#define _XOPEN_SOURCE 700
#include "cli/run_tool.h"

#include <math.h>

#include "cli/read_json.h"
#include "snag/question.h"

// Two triangles that cross, and the same further apart.
static const char crossing[] = "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nf 1 2 3\nf 4 5 6\n";
static const char apart[] = "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 9.25 0 -1\nv 9.25 0 1\nv 9.25 3 0\nf 1 2 3\nf 4 5 6\n";
// The same as two objects, the second a quad.
static const char two_objects[] = "o floor\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"
                                  "o wall\nv 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 -1\nf 4 5 6 7\n";

static tool_run bench_json(const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "bench surfaces --json --quiet --repeat 1 %s", arguments);
    tool_run run = tool_expect(0, command);
    if (!read_json_valid(run.out))
        fail_msg("not JSON: %s", run.out);
    return run;
}

static const char *row_path(size_t row, const char *key)
{
    static char path[64];
    snprintf(path, sizeof path, "rows[%zu].%s", row, key);
    return path;
}

// Whether a row has this question and method; *row is its number.
static bool find_row(const char *json, snag_question question, snag_method method, size_t *row)
{
    size_t count = (size_t)read_json_count(json, "rows");
    for (*row = 0; *row < count; ++*row)
        if (read_json_is(json, row_path(*row, "question"), snag_question_name(question)) &&
            read_json_is(json, row_path(*row, "method"), snag_method_name(method)))
            return true;
    return false;
}

static void rows_have_the_promised_keys(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = bench_json("--threads 1 --question intersections --method kdop cross.obj");
    assert_true(read_json_is(run.out, "machine.snag", snag_version()));
    assert_true(read_json_at(run.out, "machine.processors") >= 1);
    assert_int_equal(read_json_count(run.out, "rows"), 1);
    assert_true(read_json_is(run.out, "rows[0].bench", "surfaces"));
    assert_true(read_json_is(run.out, "rows[0].scene", "cross.obj"));
    assert_true(read_json_is(run.out, "rows[0].question", "intersections"));
    assert_true(read_json_is(run.out, "rows[0].method", "kdop"));
    assert_true(read_json_at(run.out, "rows[0].threads") == 1);
    assert_true(read_json_at(run.out, "rows[0].elements") == 2);
    assert_true(read_json_at(run.out, "rows[0].contacts") == 1);
    assert_true(read_json_at(run.out, "rows[0].ms") >= 0);
    assert_true(read_json_at(run.out, "rows[0].limit_ms") >= 0);
    assert_true(read_json_at(run.out, "rows[0].bytes") > 0);
    assert_string_equal(run.err, "");
    tool_free(&run);
}

static void every_method_that_answers_has_a_row_for_every_question(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_run run = bench_json("two.obj");
    static const snag_question asked[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_IMPACTS, SNAG_DISTANCE};
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++) {
            size_t row;
            if (snag_method_answers(methods[k], asked[i]) && !find_row(run.out, asked[i], methods[k], &row))
                fail_msg("no row for %s by %s", snag_question_name(asked[i]), snag_method_name(methods[k]));
        }
    size_t row;
    assert_true(find_row(run.out, SNAG_INTERSECTIONS, SNAG_METHOD_KDOP, &row));
    assert_true(read_json_at(run.out, row_path(row, "elements")) == 3);  // a triangle, and a quad cut in two
    assert_true(read_json_at(run.out, row_path(row, "contacts")) == 2);
    assert_false(find_row(run.out, SNAG_PENETRATIONS, SNAG_METHOD_BRUTE, &row));
    tool_free(&run);
}

static void frames_of_a_sequence_are_poses_and_the_last_counts(void **state)
{
    (void)state;
    tool_write("frame_1.obj", crossing);
    tool_write("frame_2.obj", apart);
    static const char ask[] = "--question intersections --method kdop --sequence";
    char arguments[200];
    snprintf(arguments, sizeof arguments, "%s frame_1.obj frame_2.obj", ask);
    tool_run run = bench_json(arguments);
    assert_true(read_json_at(run.out, "rows[0].contacts") == 0);
    tool_free(&run);
    snprintf(arguments, sizeof arguments, "%s frame_2.obj frame_1.obj", ask);
    run = bench_json(arguments);
    assert_true(read_json_at(run.out, "rows[0].contacts") == 1);
    tool_free(&run);
    // One frame alone is reached from a pose beside it, but is itself as it is in the file.
    snprintf(arguments, sizeof arguments, "%s --frames 0:0 frame_1.obj frame_2.obj", ask);
    run = bench_json(arguments);
    assert_true(read_json_at(run.out, "rows[0].contacts") == 1);
    tool_free(&run);
}

static void built_in_scenes_come_in_the_size_that_is_named(void **state)
{
    (void)state;
    tool_run run = bench_json("--threads 1 --question intersections --scene sphere-1k,sheet-2k");
    size_t rows = (size_t)read_json_count(run.out, "rows");
    assert_true(rows >= 2);
    assert_true(read_json_is(run.out, "rows[0].scene", "sphere-1k"));
    assert_true(read_json_at(run.out, "rows[0].elements") > 900 && read_json_at(run.out, "rows[0].elements") < 1100);
    assert_true(read_json_at(run.out, "rows[0].contacts") == 0);
    assert_true(read_json_is(run.out, row_path(rows - 1, "scene"), "sheet-2k"));
    assert_true(read_json_at(run.out, row_path(rows - 1, "contacts")) > 0);
    tool_free(&run);
}

static void the_table_names_scene_question_and_method(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(0, "bench surfaces --quiet --repeat 2 --scene cross.obj --question impacts");
    assert_non_null(strstr(run.out, "/ limit"));
    assert_non_null(strstr(run.out, "cross.obj"));
    assert_non_null(strstr(run.out, "impacts"));
    assert_non_null(strstr(run.out, "kdop"));
    assert_non_null(strstr(run.out, "auto chose kdop;"));
    tool_free(&run);
}

static void auto_has_a_row_and_says_who_answered_for_it(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "bench surfaces --quiet --repeat 1 --scene sphere-6k --question intersections --json");
    size_t rows = (size_t)read_json_count(run.out, "rows");
    assert_true(read_json_is(run.out, row_path(rows - 1, "method"), "auto"));
    tool_free(&run);
    run = tool_expect(0, "bench surfaces --quiet --repeat 1 --scene sphere-6k --question intersections");
    assert_non_null(strstr(run.out, "auto chose regularity;"));
    tool_free(&run);
    run = tool_expect(0, "bench surfaces --quiet --repeat 1 --scene sheet-6k --question intersections");
    assert_non_null(strstr(run.out, "auto chose kdop;"));
    tool_free(&run);
}

static void brute_is_left_out_where_it_is_slow_and_that_is_said(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "bench surfaces --repeat 1 --scene sphere-50k --question intersections");
    assert_null(strstr(run.out, "brute"));
    assert_non_null(strstr(run.err, "brute is left out"));
    assert_non_null(strstr(run.err, "--method brute"));
    tool_free(&run);
}

// Ends with 2, prints no result and says these words.
static void refuses(const char *command, const char *expected)
{
    tool_run run = tool_expect(2, command);
    assert_string_equal(run.out, "");
    if (!strstr(run.err, expected))
        fail_msg("`%s` does not say \"%s\" but: %s", command, expected, run.err);
    tool_free(&run);
}

// A sweep has a row for each value, finds the same contacts with all of them, and writes a page.
static void a_sweep_has_a_row_for_each_value(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(0, "bench sweep --json --quiet --sweep k=6,14,18,26 --out swept cross.obj");
    assert_true(read_json_valid(run.out));
    assert_int_equal(read_json_count(run.out, "sections[0].tables[0].rows"), 4);
    assert_true(read_json_is(run.out, "sections[0].tables[0].rows[2][0]", "18"));
    for (int i = 0; i < 4; i++) {
        char path[80];
        snprintf(path, sizeof path, "sections[0].tables[0].rows[%d][6]", i);
        assert_true(read_json_at(run.out, path) == 1);
    }
    assert_int_equal(read_json_count(run.out, "sections[0].plots"), 2);
    tool_free(&run);
    assert_true(tool_has("swept/sweep.html") && tool_has("swept/csv/sweep-values.csv"));
    // Values that are words are bars; epsilons have colons, since commas separate values.
    tool_write("two.obj", two_objects);
    run = tool_expect(0, "bench sweep --quiet --sweep regularity=certified,classical cross.obj");
    assert_non_null(strstr(run.out, "classical"));
    tool_free(&run);
    run = tool_expect(0, "bench sweep --quiet --sweep epsilon=9:8:7,5:4:3 two.obj");
    assert_non_null(strstr(run.out, "distance, method regions, 1 frame\n"));
    tool_free(&run);
}

// Two flat grids of 8 by 8 squares, a tenth of an edge apart. Every point has just one of the other grid within half an edge.
static void write_grids(void)
{
    static char text[16384];
    size_t used = 0;
    for (int body = 0; body < 2; body++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "o grid%d\n", body);
        for (int i = 0; i < 81; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "v %d %d %g\n", i % 9, i / 9, 0.1 * body);
        for (int i = 0; i < 64; i++) {
            int v = 81 * body + 9 * (i / 8) + i % 8 + 1;
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + 10, v, v + 10, v + 9);
        }
    }
    assert_true(used < sizeof text);
    tool_write("grids.obj", text);
}

// Larger leaves: fewer pairs of leaves overlap. The contacts that are found are some of the 81 that there are.
static void leaf_size_can_be_swept_on_any_bodies(void **state)
{
    (void)state;
    write_grids();
    const char *command = "bench sweep --json --quiet --sweep leaf=1,4,16,128 --distance 0.5 --out leaves grids.obj";
    tool_run run = tool_expect(0, command);
    assert_true(read_json_valid(run.out));
    assert_int_equal(read_json_count(run.out, "sections[0].tables[0].rows"), 4);
    assert_int_equal(read_json_count(run.out, "sections[0].plots"), 2);
    double pairs = INFINITY;
    for (int i = 0; i < 4; i++) {
        char path[80];
        snprintf(path, sizeof path, "sections[0].tables[0].rows[%d][4]", i);
        assert_true(read_json_at(run.out, path) < pairs);
        pairs = read_json_at(run.out, path);
        snprintf(path, sizeof path, "sections[0].tables[0].rows[%d][6]", i);
        double contacts = read_json_at(run.out, path);
        assert_true(contacts > 0 && contacts <= 81);
        snprintf(path, sizeof path, "sections[0].tables[0].rows[%d][7]", i);
        assert_true(fabs(read_json_at(run.out, path) - contacts / 81) < 0.02);
    }
    assert_true(pairs == 1);
    tool_free(&run);
    assert_true(tool_has("leaves/sweep.html") && tool_has("leaves/csv/sweep-values.csv"));
    run = tool_expect(0, "bench sweep --quiet --sweep leaf=8 --distance 0.01 grids.obj");
    assert_non_null(strstr(run.out, "?"));  // nothing is that close, so that no part can be told
    tool_free(&run);
    tool_write("cross.obj", crossing);
    tool_refuses("bench sweep --sweep leaf=1,0 --distance 1 grids.obj", "0 is not offered for leaf", "1 to 1000000", NULL);
    tool_refuses("bench sweep --sweep leaf=2.5 --distance 1 grids.obj", "2.5 is not offered", NULL);
    tool_refuses("bench sweep --sweep leaf=-4 --distance 1 grids.obj", "-4 is not offered", NULL);
    tool_refuses("bench sweep --sweep leaf=1,,2 --distance 1 grids.obj", "is not offered", NULL);
    tool_refuses("bench sweep --sweep leaf=99999999999999999999 --distance 1 grids.obj", "is not offered", NULL);
    tool_refuses("bench sweep --sweep leaf=4 grids.obj", "--distance", NULL);
    tool_refuses("bench sweep --sweep leaf=4 --distance 1 --method kdop grids.obj", "leave out", NULL);
    run = tool_expect(0, "bench sweep --json --quiet --sweep leaf=1,4 --distance 0.5 cross.obj");  // one body against itself
    assert_non_null(strstr(run.out, "against themselves"));
    assert_int_equal(read_json_count(run.out, "sections[0].tables[0].rows"), 2);
    tool_free(&run);
    tool_write("rod.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n");
    tool_refuses("bench sweep --sweep leaf=4 --distance 1 rod.obj", "triangles", NULL);
    tool_refuses("bench sweep --sweep leaf=4 --distance 1 none.obj", "none.obj", NULL);
    tool_refuses("bench sweep --sweep leaf=4 --distance 1", "give a mesh file", NULL);
    tool_refuses("bench sweep --sweep leaf=4 --distance 1 --frames 7: grids.obj", "frame", NULL);
    tool_refuses("bench sweep --sweep leaf=4 --distance 1 --out no/such/place grids.obj", "no/such/place", NULL);
}

static void sweeps_over_what_is_not_offered_end_with_2(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_refuses("bench sweep --sweep k=6,7 cross.obj", "7 is not offered for k", "6, 14, 18, 26", NULL);
    tool_refuses("bench sweep --sweep direction=6 cross.obj", "did you mean directions?", NULL);
    tool_refuses("bench sweep --sweep directions=5 cross.obj", "6, 12, 32, 62", NULL);
    tool_refuses("bench sweep --sweep depth=11 cross.obj", "1 to 10", NULL);
    tool_refuses("bench sweep --sweep backend=vulkan cross.obj", "cpu, gl, printed", NULL);
    tool_refuses("bench sweep --sweep epsilon=1:2 cross.obj", "none larger than the one before", NULL);
    tool_refuses("bench sweep --sweep lazy=-1 cross.obj", "0 or more", NULL);
    tool_refuses("bench sweep --sweep table=0 cross.obj", "at least 1", NULL);
    tool_refuses("bench sweep --sweep target=2 cross.obj", "at most 1", NULL);
    tool_refuses("bench sweep --sweep k=6,,14 cross.obj", "empty", NULL);
    tool_refuses("bench sweep --sweep k cross.obj", "--sweep k=6,14,18,26", NULL);
    tool_refuses("bench sweep cross.obj", "--sweep k=6,14,18,26", NULL);
    tool_refuses("bench sweep --sweep k=6", "give a mesh file", NULL);
    tool_refuses("bench sweep --sweep k=6 none.obj", "none.obj", NULL);
    tool_refuses("bench sweep --sweep k=6 --method hash cross.obj", "hash has no such option", NULL);
    tool_refuses("bench sweep --sweep k=6 --question distance --frames 7: cross.obj", "frame", NULL);
    tool_refuses("bench sweep --sweep new-pairs=5 cross.obj", "--distance", NULL);
    tool_refuses("bench sweep --sweep k=6 --out no/such/place cross.obj", "no/such/place", NULL);
    tool_refuses("bench surfaces --sweep k=6 cross.obj", "snag bench sweep", NULL);
    tool_refuses("bench surfaces --k 7 cross.obj", "7", NULL);
    tool_refuses("bench tets --cell 0", "--cell", NULL);
    tool_refuses("bench tets --k 6", "--k needs --method kdop", NULL);
}

static void bad_requests_end_with_2_and_advice(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_write("cloud.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    tool_write("broken.obj", "v 0 0 zero\n");
    refuses("bench", "--help");
    refuses("bench nothing", "snag bench surfaces");
    refuses("bench surfaces --scene shet", "did you mean sheet?");
    refuses("bench surfaces --scene sheet-0k", "no scene or file");
    refuses("bench surfaces --scene sheet,", "no scene or file");
    refuses("bench surfaces --scene sheet-99999999999999999999k", "no scene or file");
    refuses("bench surfaces nofile.obj", "nofile.obj");
    refuses("bench surfaces --json nofile.obj", "nofile.obj");
    refuses("bench surfaces broken.obj", "broken.obj");
    refuses("bench surfaces cloud.obj", "cloud.obj");
    refuses("bench surfaces --frames 3: cross.obj", "--frames");
    refuses("bench surfaces --scene sheet-1k cross.obj", "either --scene or");
    refuses("bench surfaces --question penetrations cross.obj", "snag bench tets");
    refuses("bench surfaces --question distance --method hash cross.obj", "snag info");
    refuses("bench surfaces --repeat 0 cross.obj", "--repeat");
    refuses("bench surfaces --threads -1 cross.obj", "--threads");
    refuses("bench tets --method kdop", "bench surfaces");
    refuses("bench tets --scene Z", "unknown scene");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_promised_keys),
        cmocka_unit_test(every_method_that_answers_has_a_row_for_every_question),
        cmocka_unit_test(frames_of_a_sequence_are_poses_and_the_last_counts),
        cmocka_unit_test(built_in_scenes_come_in_the_size_that_is_named),
        cmocka_unit_test(the_table_names_scene_question_and_method),
        cmocka_unit_test(auto_has_a_row_and_says_who_answered_for_it),
        cmocka_unit_test(brute_is_left_out_where_it_is_slow_and_that_is_said),
        cmocka_unit_test(a_sweep_has_a_row_for_each_value),
        cmocka_unit_test(leaf_size_can_be_swept_on_any_bodies),
        cmocka_unit_test(sweeps_over_what_is_not_offered_end_with_2),
        cmocka_unit_test(bad_requests_end_with_2_and_advice),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
