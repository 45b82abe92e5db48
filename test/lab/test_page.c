// Pages of results: what goes in comes out in each form, escaped, and nothing is drawn that cannot be.
#define _XOPEN_SOURCE 700
#include "cli/run_tool.h"

#include <math.h>

#include "helpers/failing_malloc.h"
#include "cli/read_json.h"
#include "page.h"

// What a writer writes, to be freed.
static char *text_of(const page *p, void (*write)(const page *, FILE *))
{
    FILE *out = fopen(tool_path("written"), "w");
    assert_non_null(out);
    write(p, out);
    fclose(out);
    return tool_read("written");
}

static void write_markdown(const page *p, FILE *out)
{
    page_write_markdown(p, out, 2);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

static page *sample(void)
{
    page *p = page_new("A <title> & more");
    assert_non_null(p);
    page_fact(p, "machine", "%d \"processors\"", 2);
    page_section(p, "one", "First");
    page_words(p, "Words of %s.", "<b>");
    page_verdict(p, PAGE_HOLDS, true, "It is so", "by %d %%", 12);
    page_verdict(p, PAGE_FAILS, false, "It is not", "at all");
    page_table(p, "t", "A table", "name|paper: ms|paper: MB|ours");
    page_row(p);
    page_cell(p, "a, \"b\" | c");
    page_number(p, 1234567.25, 2);
    page_number(p, NAN, 1);
    page_number(p, 0.125, 3);
    page_row(p);
    page_cell(p, "short row");
    page_section(p, "two", "Second");
    page_plot(p, "lines", "Lines", "n", "ms", PAGE_LOG_X | PAGE_LOG_Y);
    page_series(p, "first");
    page_point(p, 10, 1);
    page_point(p, 1000, 100);
    page_point(p, 0, 5);
    page_point(p, 5, NAN);
    page_series(p, "empty");
    page_bars(p, "bars", "Bars", "ms", 0);
    page_series(p, "s");
    page_bar(p, "x<y", 3);
    page_bar(p, "z", 0);
    assert_false(page_failed(p));
    return p;
}

static void html_escapes_and_fetches_nothing(void **state)
{
    (void)state;
    page *p = sample();
    char *html = text_of(p, page_write_html);
    assert_non_null(strstr(html, "<title>A &lt;title&gt; &amp; more</title>"));
    assert_non_null(strstr(html, "2 &quot;processors&quot;"));
    assert_non_null(strstr(html, "Words of &lt;b&gt;."));
    assert_non_null(strstr(html, "x&lt;y"));
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "http://"));
    assert_null(strstr(html, "https://"));
    assert_null(strstr(html, "nan"));
    assert_null(strstr(html, "inf"));
    free(html);
    page_free(p);
}

static void html_groups_columns_and_sums_headlines_up(void **state)
{
    (void)state;
    page *p = sample();
    char *html = text_of(p, page_write_html);
    assert_non_null(strstr(html, "colspan=\"2\">paper</th>"));
    assert_non_null(strstr(html, "<td class=\"n\">1,234,567.25</td>"));
    assert_non_null(strstr(html, "id=\"summary\""));
    assert_int_equal(count_of(html, "It is so"), 2);  // in the summary, and where it is judged
    assert_int_equal(count_of(html, "It is not"), 2);  // on top, since it fails, and where it is judged
    assert_non_null(strstr(html, "<b>1 of 2 claims hold</b>. These do not:"));
    assert_int_equal(count_of(html, "class=\"plot\""), 2);
    assert_int_equal(page_verdict_count(p, PAGE_HOLDS), 1);
    assert_int_equal(page_verdict_count(p, PAGE_SKIPPED), 0);
    free(html);
    page_free(p);
}

// Each judged claim shows what was measured, the rule and the margin; those that fail are on top with the same.
static void a_ruling_shows_its_rule_and_margin(void **state)
{
    (void)state;
    page *p = page_new("rulings");
    page_section(p, "one", "First");
    char *empty = text_of(p, page_write_html);
    assert_null(strstr(empty, "claims hold"));
    free(empty);
    page_ruling holds = {.judgement = PAGE_HOLDS, .margin = 1.25, .rule = "a is at least 2"};
    page_ruling fails = {.judgement = PAGE_FAILS, .margin = 0.5, .rule = "b is at most 3"};
    page_ruling skipped = {.judgement = PAGE_SKIPPED, .margin = NAN, .rule = "no b <here>"};
    page_ruled(p, &holds, true, "A claim", "a was %d", 3);
    page_ruled(p, &fails, false, "Another", "b was %d", 6);
    page_ruled(p, &skipped, false, "A third", "nothing");
    page_table(p, "t", "A table", "name");
    char *html = text_of(p, page_write_html);
    const char *first = strstr(html, "<section");
    assert_non_null(first);
    assert_non_null(strstr(html, "<b>1 of 2 claims hold</b>. These do not:"));
    const char *listed = strstr(html, "<b>Another.</b> b was 6 <small>Rule: b is at most 3; margin 0.5.</small>");
    assert_true(listed && listed < first);
    const char *left = strstr(html, "<summary>1 could not be judged</summary>");
    assert_true(left && left < first);
    assert_non_null(strstr(left, "no b &lt;here&gt;"));
    // What holds is folded, what fails is open; tables are folded.
    assert_non_null(strstr(first, "<details class=\"verdict holds\"><summary><b>Holds:</b> A claim.</summary>"));
    assert_non_null(
        strstr(first, "<dt>measured</dt><dd>a was 3</dd>\n<dt>rule</dt><dd>a is at least 2</dd>\n<dt>margin</dt><dd>1.25"));
    assert_non_null(strstr(first, "<details class=\"verdict fails\" open>"));
    assert_non_null(strstr(first, "<dt>not judged</dt><dd>no b &lt;here&gt;</dd>"));
    assert_non_null(strstr(first, "<details><summary>Tables and plots</summary>"));
    free(html);
    page *none = page_new("nothing judged");
    page_section(none, "one", "First");
    page_ruled(none, &skipped, true, "A third", "nothing");
    html = text_of(none, page_write_html);
    assert_non_null(strstr(html, "No claim could be judged."));
    free(html);
    page_free(none);
    char *lines = text_of(p, page_write_verdicts);
    assert_non_null(strstr(lines, "Another: b was 6 Rule: b is at most 3"));
    assert_non_null(strstr(lines, "Not judged: no b <here>"));
    free(lines);
    page_free(p);
}

static void points_that_cannot_be_drawn_are_left_out(void **state)
{
    (void)state;
    page *p = sample();
    char *html = text_of(p, page_write_html);
    assert_int_equal(count_of(html, "<polyline points"), 2);  // the line, and its mark in the legend
    // Two decades on both axes: the ends stand as far from the frame.
    assert_non_null(strstr(html, "points=\"95.4,297.1 680.6,24.9\""));
    free(html);
    page_free(p);
}

static void bars_of_zeros_stand_on_the_axis(void **state)
{
    (void)state;
    page *p = page_new("zeros");
    page_bars(p, "b", "B", "y", 0);
    page_series(p, "s");
    page_bar(p, "one", 0);
    page_bar(p, "two", 0);
    char *html = text_of(p, page_write_html);
    assert_int_equal(count_of(html, "y=\"308.0\" width=\"47.0\" height=\"0.5\""), 2);
    free(html);
    page_free(p);
}

// Of two squares and a ball, one behind the other, what is hidden is not drawn; colours are those of values.
static void pictures_leave_out_what_is_hidden(void **state)
{
    (void)state;
    // In the plane of the view: right and up of the picture, and nearer.
    static const double right[3] = {0.866025403784, 0.5, 0}, up[3] = {0.171010071663, -0.296198132726, 0.939692620786};
    static const double near[3] = {-0.469846310393, 0.813797681349, 0.342020143326};
    double x[4][3];
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 3; k++)
            x[c][k] = (c == 1 || c == 2 ? 1 : -1) * right[k] + (c >= 2 ? 1 : -1) * up[k];
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    static const double values[2] = {0, 1};
    const page_surface surface = {.positions = x[0], .triangles = triangles, .triangle_count = 2, .values = values};
    page_ball balls[2] = {{.radius = 0.2}, {.radius = 0.2, .colour = 1}};
    for (int k = 0; k < 3; k++) {
        balls[0].centre[k] = -3 * near[k];
        balls[1].centre[k] = 3 * near[k];
    }
    page *p = page_new("pictures");
    page_section(p, "one", "One");
    page_picture(p, "picture", "A <picture>");
    page_panel(p, "a & b", &(page_scene){&surface, 1, balls, 2, {0}, 4});
    page_panel(p, "empty", &(page_scene){.surfaces = NULL});
    assert_false(page_failed(p));
    char *html = text_of(p, page_write_html);
    assert_non_null(strstr(html, "A &lt;picture&gt;"));
    assert_non_null(strstr(html, "a &amp; b"));
    assert_int_equal(count_of(html, "<path fill"), 2);  // of two colours
    // One of the balls is behind the square.
    assert_int_equal(count_of(html, "<circle"), 1);
    free(html);
    page_free(p);
}

static void json_keeps_numbers_and_their_absence(void **state)
{
    (void)state;
    page *p = sample();
    char *json = text_of(p, page_write_json);
    assert_true(read_json_valid(json));
    assert_true(read_json_is(json, "title", "A <title> & more"));
    assert_true(read_json_is(json, "sections[0].id", "one"));
    assert_true(read_json_is(json, "sections[0].verdicts[0].verdict", "holds"));
    assert_true(read_json_is(json, "sections[0].verdicts[1].verdict", "does not hold"));
    assert_true(read_json_at(json, "sections[0].tables[0].rows[0][1]") == 1234567.25);
    assert_int_equal(read_json_count(json, "sections[0].tables[0].rows"), 2);
    assert_int_equal(read_json_count(json, "sections[1].plots[0].series[0].points"), 2);
    assert_true(read_json_at(json, "sections[1].plots[0].series[0].points[1][1]") == 100);
    free(json);
    page_free(p);
}

static void folders_hold_every_form(void **state)
{
    (void)state;
    page *p = sample();
    words w = {.program = "snag", .quiet = true};
    assert_int_equal(page_write_folder(p, tool_path("made"), "results", &w), EXIT_CLEAN);
    char *csv = tool_read("made/csv/one-t.csv");
    assert_string_equal(csv, "name,paper: ms,paper: MB,ours\n\"a, \"\"b\"\" | c\",1234567.25,,0.125\nshort row,,,\n");
    free(csv);
    csv = tool_read("made/csv/two-bars.csv");
    assert_string_equal(csv, "series,name,ms\ns,x<y,3\ns,z,0\n");
    free(csv);
    assert_true(tool_has("made/results.html") && tool_has("made/results.json") && tool_has("made/results.md"));
    page_free(p);
}

static void markdown_has_tables_and_escapes_bars(void **state)
{
    (void)state;
    page *p = sample();
    char *text = text_of(p, write_markdown);
    assert_non_null(strstr(text, "## First\n"));
    assert_non_null(strstr(text, "| a, \"b\" \\| c | 1,234,567.25 |  | 0.125 |\n"));
    assert_non_null(strstr(text, "**does not hold**: It is not. at all\n"));
    free(text);
    page_free(p);
}

static void folders_that_cannot_be_written_are_an_error(void **state)
{
    (void)state;
    page *p = sample();
    words w = {.program = "snag"};
    tool_write("file", "not a folder");
    assert_int_equal(page_write_folder(p, tool_path("file"), "r", &w), EXIT_ERROR);
    assert_int_equal(page_check_folder(tool_path("no/such/place"), "page", &w), EXIT_ERROR);
    assert_int_equal(page_check_folder("/proc/nowhere", "page", &w), EXIT_ERROR);
    page_free(p);
}

// Builds the sample, letting allocation after allocation fail: the page says so, and nothing leaks or breaks.
static void pages_survive_without_memory(void **state)
{
    (void)state;
    bool refused = true;
    for (size_t n = 1; refused; n++) {
        failing_malloc_start(n);
        page *p = page_new("title");
        if (p) {
            page_section(p, "s", "S");
            page_table(p, "t", "T", "a|b");
            page_row(p);
            page_cell(p, "x");
            page_number(p, 1, 0);
            page_plot(p, "p", "P", "x", "y", 0);
            page_series(p, "s");
            page_point(p, 1, 2);
            page_bars(p, "b", "B", "y", 0);
            page_series(p, "s");
            page_bar(p, "n", 2);
        }
        refused = failing_malloc_stop();
        if (refused && p)
            assert_true(page_failed(p));
        page_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_escapes_and_fetches_nothing),     cmocka_unit_test(html_groups_columns_and_sums_headlines_up),
        cmocka_unit_test(a_ruling_shows_its_rule_and_margin),   cmocka_unit_test(points_that_cannot_be_drawn_are_left_out),
        cmocka_unit_test(bars_of_zeros_stand_on_the_axis),      cmocka_unit_test(pictures_leave_out_what_is_hidden),
        cmocka_unit_test(json_keeps_numbers_and_their_absence), cmocka_unit_test(folders_hold_every_form),
        cmocka_unit_test(markdown_has_tables_and_escapes_bars), cmocka_unit_test(folders_that_cannot_be_written_are_an_error),
        cmocka_unit_test(pages_survive_without_memory),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
