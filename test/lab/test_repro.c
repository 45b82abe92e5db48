// `snag repro` from outside: the files it writes, what it judges, and what it says of bad input.
#define _XOPEN_SOURCE 700
#include "cli/run_tool.h"

#include <math.h>

#include "cli/read_json.h"
#include "repro.h"

static void a_paper_gives_a_page_data_and_verdicts(void **state)
{
    (void)state;
    // A verdict may fail on a machine that is busy: 1 is as good as 0 here.
    tool_run run = tool("repro volino --quick --quiet --out results");
    assert_true(run.code == 0 || run.code == 1);
    assert_non_null(strstr(run.out, "volino"));
    assert_non_null(strstr(run.out, "results/repro.html"));
    assert_string_equal(run.err, "");
    tool_free(&run);

    char *json = tool_read("results/repro.json");
    assert_non_null(json);
    assert_true(read_json_valid(json));
    assert_int_equal(read_json_count(json, "sections"), 1);
    assert_true(read_json_is(json, "sections[0].id", "volino"));
    assert_true(read_json_is(json, "facts.command", "snag repro volino --quick"));
    assert_int_equal(read_json_count(json, "sections[0].tables"), 3);
    assert_int_equal(read_json_count(json, "sections[0].plots"), 2);
    // Counts are the same on any machine: no test of triangles on the sphere, and constant calls.
    assert_true(read_json_at(json, "sections[0].tables[0].rows[0][0]") == 1280);
    assert_true(read_json_at(json, "sections[0].tables[0].rows[3][7]") == 0);
    assert_true(read_json_is(json, "sections[0].verdicts[0].verdict", "holds"));
    assert_true(read_json_is(json, "sections[0].verdicts[2].verdict", "holds"));
    assert_true(read_json_is(json, "sections[0].verdicts[3].verdict", "holds"));
    assert_true(read_json_at(json, "sections[0].verdicts[0].margin") > 1);
    // Times of a small scene tell nothing.
    assert_true(read_json_is(json, "sections[0].verdicts[5].verdict", "skipped"));
    assert_true(read_json_is(json, "sections[0].verdicts[5].rule", "the scenes of a quick run are too small to tell"));
    free(json);
    char *html = tool_read("results/repro.html");
    assert_non_null(strstr(html, "Tab. 1b"));
    free(html);
    assert_true(tool_has("results/csv/volino-table1.csv"));
}

static void bad_requests_end_with_2_before_anything_runs(void **state)
{
    (void)state;
    tool_write("file", "");
    tool_refuses("repro techner", "did you mean teschner?", NULL);
    tool_refuses("repro volino everything", "unknown paper \"everything\"", NULL);
    tool_refuses("repro volino --out file", "file: not a folder", NULL);
    tool_refuses("repro volino --out no/such/place", "no/such/place", NULL);
    tool_refuses("repro --threads 2", "--threads", NULL);
    tool_refuses("repro --out", "--out needs a value", NULL);
    if (geteuid() != 0) {
        assert_int_equal(mkdir(tool_path("closed"), 0555), 0);
        tool_refuses("repro volino --out closed", "cannot write there", NULL);
    }
    tool_refuses("repro volino --out /proc/none", "/proc/none", NULL);
    // What is in the way of a file of the results is found before the work, not after it.
    assert_int_equal(mkdir(tool_path("taken"), 0777), 0);
    tool_write("taken/csv", "");
    tool_refuses("repro volino --out taken", "taken/csv: not a folder", NULL);
    assert_int_equal(mkdir(tool_path("named"), 0777), 0);
    assert_int_equal(mkdir(tool_path("named/repro.html"), 0777), 0);
    tool_refuses("repro volino --out named", "named/repro.html: is a folder", NULL);
    assert_int_equal(mkdir(tool_path("drawn"), 0777), 0);
    tool_write("drawn/figures", "");
    tool_refuses("repro volino --out drawn", "drawn/figures", NULL);
}

// Small scenes tell nothing of large ones, whatever was measured; check_results.mjs sees that whole papers follow this.
static void a_quick_run_does_not_judge_small_scenes(void **state)
{
    (void)state;
    const repro quick = {.quick = true}, whole = {.quick = false};
    page_ruling holds = rule_at_least("it", 3, 2), fails = rule_at_least("it", 1, 2);
    assert_int_equal(repro_full(&whole, holds).judgement, PAGE_HOLDS);
    assert_int_equal(repro_full(&whole, fails).judgement, PAGE_FAILS);
    assert_int_equal(repro_full(&quick, holds).judgement, PAGE_SKIPPED);
    assert_int_equal(repro_full(&quick, fails).judgement, PAGE_SKIPPED);
    assert_non_null(strstr(repro_full(&quick, holds).rule, "too small to tell"));
}

static void powers_are_slopes_of_logarithms(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100}, square[] = {5, 500, 50000}, constant[] = {7, 7, 7};
    assert_true(fabs(repro_power(x, square, 3) - 2) < 1e-12);
    assert_true(fabs(repro_power(x, constant, 3)) < 1e-12);
    assert_true(isnan(repro_power(x, square, 1)));
}

static void ranks_tell_whether_one_grows_with_the_other(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4}, up[] = {1, 10, 11, 1000}, down[] = {5, 4, 3, -9}, same[] = {2, 2, 2, 2}, ties[] = {1, 1, 2, 2};
    assert_true(fabs(repro_rank_correlation(x, up, 4) - 1) < 1e-12);
    assert_true(fabs(repro_rank_correlation(x, down, 4) + 1) < 1e-12);
    assert_true(isnan(repro_rank_correlation(x, same, 4)));
    assert_true(fabs(repro_rank_correlation(x, ties, 4) - 2 / sqrt(5)) < 1e-12);
}

static void spreads_are_mean_least_most_and_deviation(void **state)
{
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    repro_spread s = repro_spread_of(values, 8);
    assert_true(s.mean == 5 && s.least == 2 && s.most == 9 && fabs(s.deviation - 2) < 1e-12);
    assert_true(isnan(repro_spread_of(values, 0).mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paper_gives_a_page_data_and_verdicts),
        cmocka_unit_test(bad_requests_end_with_2_before_anything_runs),
        cmocka_unit_test(a_quick_run_does_not_judge_small_scenes),
        cmocka_unit_test(powers_are_slopes_of_logarithms),
        cmocka_unit_test(ranks_tell_whether_one_grows_with_the_other),
        cmocka_unit_test(spreads_are_mean_least_most_and_deviation),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
