// `snag bench page`: rows of several files become one page, and a comparison flags what got slower.
#define _XOPEN_SOURCE 700
#include "cli/run_tool.h"

#include "cli/read_json.h"

// Rows as bench_peers writes them: on one thread Embree is slower than kdop, on two it is faster.
static const char *rows(double kdop_ms, int missing)
{
    static char text[4000];
    snprintf(
        text, sizeof text,
        "{\"machine\": {\"snag\": \"0.1.0\", \"embree\": \"3.13\"}, \"left_out\": {\"libfcl-dev\": \"was not installed\"}, "
        "\"rows\": [\n"
        "{\"bench\": \"peers\", \"scene\": \"sheet-10k\", \"question\": \"intersections\", \"method\": \"kdop\", \"threads\": 1, "
        "\"elements\": 10000, "
        "\"contacts\": 5, \"ms\": %g, \"limit_ms\": 0.1, \"bytes\": 500000, \"run_threads\": 1, \"wall_ms\": 2, \"cpu_ms\": 2, "
        "\"update_ms\": 0.1, "
        "\"candidates\": 9, \"missing\": 0, \"extra\": 0},\n"
        "{\"bench\": \"peers\", \"scene\": \"sheet-10k\", \"question\": \"intersections\", \"method\": \"embree\", \"threads\": 1, "
        "\"elements\": 10000, "
        "\"contacts\": 5, \"ms\": 8, \"limit_ms\": 0.1, \"bytes\": 200000, \"run_threads\": 1, \"wall_ms\": 8, \"cpu_ms\": 8, "
        "\"update_ms\": 1.5, "
        "\"candidates\": 99, \"missing\": %d, \"extra\": 0},\n"
        "{\"bench\": \"peers\", \"scene\": \"sheet-10k\", \"question\": \"refit\", \"method\": \"kdop\", \"threads\": 1, "
        "\"elements\": 10000, "
        "\"contacts\": 0, \"ms\": 0.5, \"limit_ms\": 0.1, \"bytes\": 0, \"run_threads\": 1, \"wall_ms\": 0.5, \"cpu_ms\": 0.5, "
        "\"update_ms\": 0, "
        "\"candidates\": 0, \"missing\": 0, \"extra\": 0},\n"
        "{\"bench\": \"peers\", \"scene\": \"sheet-10k\", \"question\": \"intersections\", \"method\": \"kdop\", \"threads\": 2, "
        "\"elements\": 10000, "
        "\"contacts\": 5, \"ms\": 3, \"limit_ms\": 0.1, \"bytes\": 500000, \"run_threads\": 2, \"missing\": 0, \"extra\": 0},\n"
        "{\"bench\": \"peers\", \"scene\": \"sheet-10k\", \"question\": \"intersections\", \"method\": \"embree\", \"threads\": 2, "
        "\"elements\": 10000, "
        "\"contacts\": 5, \"ms\": 1.5, \"limit_ms\": 0.1, \"bytes\": 200000, \"run_threads\": 2, \"missing\": 0, \"extra\": 0}]}\n",
        kdop_ms, missing);
    return text;
}

static const char tool_rows[] = "{\"machine\": {\"snag\": \"0.1.0\", \"processors\": 2}, \"rows\": [\n"
                                "{\"bench\": \"tets\", \"scene\": \"A <b>\", \"question\": \"penetrations\", \"method\": "
                                "\"paper\", \"threads\": 1, \"elements\": 1000, \"contacts\": 7, "
                                "\"ms\": 1.25, \"limit_ms\": 0.01, \"bytes\": 0}]}\n";

static void make_results(double kdop_ms, int missing)
{
    tool_make_folder("results");
    tool_write("results/peers-sheet.json", rows(kdop_ms, missing));
    tool_write("results/tets.json", tool_rows);
}

static void rows_of_all_files_become_one_page(void **state)
{
    (void)state;
    make_results(2, 0);
    tool_run run = tool_expect(0, "bench page results");
    assert_non_null(strstr(run.out, "the peers' answers equal snag's"));
    assert_non_null(strstr(run.out, "A peer is faster in 1 of 2 cases"));
    tool_free(&run);
    char *json = tool_read("results/bench.json");
    assert_true(read_json_valid(json));
    assert_int_equal(read_json_count(json, "rows"), 6);
    assert_true(read_json_is(json, "machine.embree", "3.13"));
    assert_true(read_json_is(json, "machine.processors", "2"));
    assert_true(read_json_is(json, "left_out.libfcl-dev", "was not installed"));
    assert_true(read_json_at(json, "rows[1].update_ms") == 1.5);
    assert_true(read_json_at(json, "rows[5].ms") == 1.25);
    free(json);
    char *html = tool_read("results/bench.html");
    assert_non_null(strstr(html, "A &lt;b&gt;"));
    assert_non_null(strstr(html, "libfcl-dev: was not installed"));
    free(html);
    char *csv = tool_read("results/bench.csv");
    assert_non_null(strstr(csv, "bench,scene,question,method,threads,"));
    assert_non_null(strstr(csv, "\"tets\",\"A <b>\",\"penetrations\",\"paper\",1,1,1000,7,1.25,0.01,0,,,,,,\n"));
    free(csv);
    // Where a peer wins: the run of two threads, at half the time.
    csv = tool_read("results/csv/wins-time.csv");
    assert_non_null(strstr(csv, "sheet-10k,intersections,2,embree,1.5,3,0.5\n"));
    free(csv);
    // Made again, bench.json is a result and not read as data.
    run = tool_expect(0, "bench page results --json");
    assert_true(read_json_valid(run.out));
    tool_free(&run);
    json = tool_read("results/bench.json");
    assert_int_equal(read_json_count(json, "rows"), 6);
    free(json);
}

static void answers_that_differ_are_no_times(void **state)
{
    (void)state;
    make_results(2, 3);
    tool_run run = tool_expect(0, "bench page results");
    assert_non_null(strstr(run.out, "1 differ"));
    assert_non_null(strstr(run.out, "embree on sheet-10k, 3 missing"));
    tool_free(&run);
    char *csv = tool_read("results/csv/intersections-intersections.csv");
    assert_non_null(strstr(csv, "sheet-10k,10000,5,1,2,20,differs\n"));
    free(csv);
}

static void ratios_that_got_worse_are_flagged(void **state)
{
    (void)state;
    make_results(2, 0);
    tool_run run = tool_expect(0, "bench page results");
    tool_free(&run);
    char *before = tool_read("results/bench.json");
    tool_write("old.json", before);
    free(before);
    run = tool_expect(0, "bench page results --compare old.json");  // the same
    tool_free(&run);
    make_results(2.25, 0);
    run = tool_expect(0, "bench page results --compare old.json");  // 12.5 % are allowed
    assert_non_null(strstr(run.out, "0 are worse"));
    tool_free(&run);
    make_results(2.4, 0);
    run = tool_expect(1, "bench page results --compare old.json");  // 20 % are not
    assert_non_null(strstr(run.out, "1 are worse"));
    tool_free(&run);
    char *csv = tool_read("results/csv/compare-compare.csv");
    assert_non_null(strstr(csv, "sheet-10k,intersections,kdop,20,24,1.2\n"));
    free(csv);
}

static void bad_requests_end_with_2_and_words(void **state)
{
    (void)state;
    make_results(2, 0);
    tool_make_folder("empty");
    tool_make_folder("damaged");
    tool_write("damaged/peers-a.json", "{\"rows\": [{\"bench\": \"peers\"}]}");
    tool_write("corrupt.json", "{\"machine\": {},\n \"rows\": [{\"bench\": ");
    tool_write("other.json", "{\"sections\": []}");
    tool_refuses("bench page", "snag bench page FOLDER", NULL);
    tool_refuses("bench page nowhere", "nowhere", NULL);
    tool_refuses("bench page empty", "no benchmark results", NULL);
    tool_refuses("bench page damaged", "peers-a.json", "a row has no", NULL);
    tool_refuses("bench page results --compare none.json", "none.json", NULL);
    tool_refuses("bench page results --compare corrupt.json", "corrupt.json:2: the JSON", NULL);
    tool_refuses("bench page results --compare other.json", "other.json: no benchmark results", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_all_files_become_one_page),
        cmocka_unit_test(answers_that_differ_are_no_times),
        cmocka_unit_test(ratios_that_got_worse_are_flagged),
        cmocka_unit_test(bad_requests_end_with_2_and_words),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
