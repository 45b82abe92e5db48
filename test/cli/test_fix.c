// `snag fix` from outside: what it writes is clean by `snag check`, its account is right, and nothing is lost.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"
#include "tool_shapes.h"

enum { CELLS = 8, SIDE = CELLS + 1, SHEET = SIDE * SIDE };

// The height of a sheet's vertex: sheet 1 is flat; sheet 0 is inclined by `slope`, so that it passes through the other along x = 0.
static double height(int sheet, int column, double slope)
{
    return sheet ? 0 : slope * (column - CELLS / 2) + 0.013;
}

// Two sheets, named "over" and "under".
static void write_sheets(const char *name, double slope)
{
    FILE *file = fopen(tool_path(name), "w");
    assert_non_null(file);
    for (int sheet = 0; sheet < 2; sheet++) {
        fprintf(file, "o %s\n", sheet ? "under" : "over");
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                fprintf(file, "v %.17g %.17g %.17g\n", x + 0.37 * sheet, y + 0.21 * sheet, height(sheet, x, slope));
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                int a = 1 + sheet * SHEET + y * SIDE + x;
                fprintf(file, "f %d %d %d %d\n", a, a + 1, a + SIDE + 1, a + SIDE);
            }
    }
    fclose(file);
}

// Frames of the upper sheet: apart, crossing more and more, apart again.
static void write_motion(const char *name, int frames)
{
    float *xyz = malloc((size_t)frames * SHEET * 3 * sizeof *xyz);
    assert_non_null(xyz);
    for (int f = 0; f < frames; f++)
        for (int v = 0; v < SHEET; v++) {
            float *at = xyz + 3 * (f * SHEET + v);
            bool apart = f == 0 || f + 1 == frames;
            at[0] = (float)(v % SIDE), at[1] = (float)(v / SIDE);
            at[2] = (float)(apart ? 3 : height(0, v % SIDE, 0.02 * f));
        }
    tool_write_pc2(name, SHEET, frames, xyz);
    free(xyz);
}

static tool_run fix_json(int code, const char *arguments)
{
    char command[1000];
    snprintf(command, sizeof command, "fix --json %s", arguments);
    tool_run run = tool_expect(code, command);
    if (!read_json_valid(run.out))
        fail_msg("not JSON: %s", run.out);
    return run;
}

static void expect_clean(const char *arguments)
{
    char command[1000];
    snprintf(command, sizeof command, "check --quiet %s", arguments);
    tool_run run = tool_expect(0, command);
    tool_free(&run);
}

static void every_format_is_clean_when_it_is_written(void **state)
{
    (void)state;
    static const char *const outputs[] = {"a.obj", "a.ply", "a.off", "a.mesh", "a.inp", "a.vtu"};
    write_sheets("sheets.obj", 0.1);
    tool_run run = tool_expect(1, "check sheets.obj");
    tool_free(&run);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "sheets.obj -o %s", outputs[i]);
        run = fix_json(0, arguments);
        assert_true(read_json_at(run.out, "contacts") > 0 && read_json_at(run.out, "left") == 0);
        assert_true(read_json_is(run.out, "files[0]", outputs[i]));
        assert_true(read_json_is(run.out, "frames[0].places[0].outcome", "freed"));
        assert_true(read_json_at(run.out, "largest_move_edges") < 1);
        tool_free(&run);
        expect_clean(outputs[i]);
    }
    // Triangles only.
    tool_refuses("fix sheets.obj -o a.stl", "more than three corners", NULL);
    assert_false(tool_has("a.stl"));
    assert_false(tool_has(".snag-fix-a.stl"));
    assert_false(tool_has(".snag-fix-a.obj"));
}

static void faces_and_numbers_stay(void **state)
{
    (void)state;
    write_sheets("sheets.obj", 0.1);
    tool_run run = tool_expect(0, "fix sheets.obj -o fixed.obj --pin under");
    assert_non_null(strstr(run.out, "freed"));
    assert_non_null(strstr(run.out, "0 contacts left, checked exactly"));
    tool_free(&run);
    char *before = tool_read("sheets.obj"), *after = tool_read("fixed.obj");
    assert_non_null(before);
    assert_non_null(after);
    // The pinned sheet has its vertices to the last bit, and faces are in their order.
    char line[200];
    for (int y = 0; y < SIDE; y++) {
        snprintf(line, sizeof line, "v %.17g %.17g 0\n", 3.37, y + 0.21);
        assert_non_null(strstr(before, line));
    }
    const char *a = before, *b = after;
    while ((a = strstr(a, "\nf ")) != NULL) {
        b = strstr(b, "\nf ");
        assert_non_null(b);
        a++, b++;
        assert_true(strncmp(a, b, strcspn(a, "\n") + 1) == 0);
    }
    assert_null(strstr(b, "\nf "));
    free(before);
    free(after);
}

static void triangles_of_an_stl_are_floats_and_clean(void **state)
{
    (void)state;
    tool_write("crossing.obj", crossing);
    tool_run run = tool_expect(0, "fix crossing.obj -o crossing.stl");
    tool_free(&run);
    expect_clean("crossing.stl");
    run = tool_expect(0, "fix crossing.stl -o crossing2.stl");
    assert_non_null(strstr(run.out, "nothing to fix"));
    tool_free(&run);
    char *one = tool_read("crossing.stl"), *two = tool_read("crossing2.stl");
    assert_memory_equal(one, two, 84 + 2 * 50);
    free(one);
    free(two);
}

// Two grids of triangles, one just over the other, `shift` from the origin.
static void write_layers(const char *name, double shift, double gap)
{
    FILE *file = fopen(tool_path(name), "w");
    assert_non_null(file);
    for (int v = 0; v < 2 * SHEET; v++)
        fprintf(file, "v %.17g %.17g %.17g\n", v % SIDE + 0.3 * (v / SHEET), v % SHEET / SIDE + 0.2 * (v / SHEET),
                shift + 0.01 * (v % SIDE) + gap * (v / SHEET));
    for (int sheet = 0; sheet < 2; sheet++)
        for (int y = 0; y < CELLS; y++)
            for (int x = 0; x < CELLS; x++) {
                int a = 1 + sheet * SHEET + y * SIDE + x;
                fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE);
            }
    fclose(file);
}

static void contacts_made_by_rounding_are_freed_or_said_to_be(void **state)
{
    (void)state;
    // Clean in doubles. Floats near 1e6 are 1/16 apart, so that the layers fall together: both are flat there, or steps.
    write_layers("far.obj", 1e6, 0.004);
    expect_clean("far.obj");
    tool_run run = fix_json(0, "far.obj -o far.ply");
    assert_true(read_json_at(run.out, "contacts") == 0);
    tool_free(&run);
    run = fix_json(0, "far.obj -o far.stl");
    assert_true(read_json_at(run.out, "contacts") > 0 && read_json_at(run.out, "left") == 0);
    tool_free(&run);
    expect_clean("far.stl");
    // With a limit that floats cannot keep they are left, and the way out is named.
    run = fix_json(1, "far.obj -o far.stl --max-move 0.001");
    assert_true(read_json_at(run.out, "frames[0].contacts_unrounded") == 0 && read_json_at(run.out, "left") > 0);
    tool_free(&run);
    run = tool_expect(1, "fix far.obj -o far.stl --max-move 0.001");
    assert_non_null(strstr(run.out, "rounding to them makes"));
    assert_non_null(strstr(run.out, "keep doubles"));
    tool_free(&run);
    run = tool_expect(1, "check --quiet far.stl");
    tool_free(&run);
}

static void a_sequence_is_fixed_frame_by_frame(void **state)
{
    (void)state;
    write_sheets("sheets.obj", 0.1);
    write_motion("over.pc2", 6);
    tool_run run = fix_json(0, "sheets.obj --cache over=over.pc2 -o moved.pc2 --pin under");
    assert_int_equal(read_json_count(run.out, "frames"), 6);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 0 && read_json_at(run.out, "frames[3].contacts") > 0);
    assert_true(read_json_at(run.out, "left") == 0);
    tool_free(&run);
    expect_clean("moved.obj moved.pc2");
    run = tool_expect(0, "fix sheets.obj --cache over=over.pc2 -o folder");
    assert_non_null(strstr(run.out, "frame 3"));
    tool_free(&run);
    assert_true(tool_has("folder/mesh_00.obj") && tool_has("folder/over.pc2") && tool_has("folder/under.pc2"));
    expect_clean("folder");
    run = tool_expect(0, "fix sheets.obj --cache over=over.pc2 -o each.obj --frames 2:4");
    tool_free(&run);
    assert_true(tool_has("each_0002.obj") && tool_has("each_0004.obj") && !tool_has("each_0001.obj") && !tool_has("each.obj"));
    expect_clean("--sequence each_0002.obj each_0003.obj each_0004.obj");
}

static void what_cannot_be_freed_is_said_with_exit_1(void **state)
{
    (void)state;
    // The same face twice.
    tool_write("double.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 3\nf 1 2 4\n");
    tool_run run = tool_expect(1, "fix double.obj -o out.obj");
    assert_non_null(strstr(run.out, "not freed: faces with the same corners"));
    tool_free(&run);
    assert_true(tool_has("out.obj"));
    write_sheets("sheets.obj", 0.1);
    run = fix_json(1, "sheets.obj -o out.obj --max-move 0.0001");
    assert_true(read_json_is(run.out, "frames[0].places[0].outcome", "max-move"));
    assert_true(read_json_at(run.out, "largest_move") <= 0.0001);
    assert_true(read_json_at(run.out, "left") > 0);
    tool_free(&run);
}

static void bad_input_is_refused_and_nothing_is_lost(void **state)
{
    (void)state;
    write_sheets("sheets.obj", 0.1);
    char *before = tool_read("sheets.obj");
    tool_refuses("fix sheets.obj", "--out", NULL);
    tool_refuses("fix sheets.obj -o sheets.obj", "overwritten", "--overwrite", NULL);
    tool_refuses("fix sheets.obj -o ./sheets.obj", "overwritten", NULL);
    tool_refuses("fix sheets.obj -o x.foo", "x.foo", ".obj", NULL);
    tool_refuses("fix sheets.obj -o ''", "empty", NULL);
    tool_refuses("fix sheets.obj -o no/such/folder.obj", "folder", NULL);
    tool_refuses("fix sheets.obj -o x.obj --pin ober", "over", NULL);
    tool_refuses("fix sheets.obj -o x.obj --pin '*'", "every body is pinned", NULL);
    tool_refuses("fix sheets.obj -o x.obj --pin over --rigid over", "both pinned", NULL);
    tool_refuses("fix sheets.obj -o x.obj --rigid ''", "names", NULL);
    tool_refuses("fix sheets.obj -o x.obj --max-move -1", "--max-move", NULL);
    tool_refuses("fix sheets.obj -o x.obj --max-move 0", "--max-move", NULL);
    tool_refuses("fix sheets.obj -o x.obj --frames 7:9", "frames", NULL);
    tool_refuses("fix none.obj -o x.obj", "none.obj", NULL);
    tool_refuses("fix sheets.obj -o x.obj --limit 1", "--limit", NULL);
    tool_write("broken.obj", "v 0 0\nf 1 2 3\n");
    tool_refuses("fix broken.obj -o x.obj", "broken.obj", NULL);
    assert_false(tool_has("x.obj"));
    char *after = tool_read("sheets.obj");
    assert_string_equal(before, after);
    free(after);
    // Told so, it replaces the input.
    tool_run run = tool_expect(0, "fix sheets.obj -o sheets.obj --overwrite");
    tool_free(&run);
    expect_clean("sheets.obj");
    free(before);
}

static void names_with_markup_are_only_names(void **state)
{
    (void)state;
    tool_write("odd.obj",
               "o <b>&\"\x1b[31m\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\no a,b\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nf 4 5 6\n");
    tool_run run = tool_expect(0, "fix odd.obj -o odd2.obj --pin a,b");
    assert_null(strchr(run.out, '\x1b'));
    tool_free(&run);
    run = fix_json(0, "odd.obj -o odd3.obj");
    tool_free(&run);
    // No file can have that name.
    tool_write("slash.obj", "o a/b\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_refuses("fix slash.obj -o slashes", "a/b", NULL);
}

static void welded_vertices_stay_together(void **state)
{
    (void)state;
    // Two triangles side by side with corners of their own, crossed by a third.
    tool_write("seam.obj", "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 2 0 0\nv 0 1 0\nv 2 2 0\nv 0.5 0 -1\nv 0.5 0 1\nv 0.5 3 0.1\n"
                           "f 1 2 3\nf 4 6 5\nf 7 8 9\n");
    tool_run run = tool_expect(0, "fix seam.obj -o sewn.obj --weld");
    tool_free(&run);
    expect_clean("--weld sewn.obj");
    char *text = tool_read("sewn.obj");
    assert_non_null(text);
    char *line[6] = {text};
    for (int i = 1; i < 6; i++)
        line[i] = strchr(line[i - 1], '\n') + 1;
    assert_true(strncmp(line[1], line[3], (size_t)(line[2] - line[1])) == 0);
    assert_true(strncmp(line[2], line[4], (size_t)(line[3] - line[2])) == 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_clean_when_it_is_written),
        cmocka_unit_test(faces_and_numbers_stay),
        cmocka_unit_test(triangles_of_an_stl_are_floats_and_clean),
        cmocka_unit_test(contacts_made_by_rounding_are_freed_or_said_to_be),
        cmocka_unit_test(a_sequence_is_fixed_frame_by_frame),
        cmocka_unit_test(what_cannot_be_freed_is_said_with_exit_1),
        cmocka_unit_test(bad_input_is_refused_and_nothing_is_lost),
        cmocka_unit_test(names_with_markup_are_only_names),
        cmocka_unit_test(welded_vertices_stay_together),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
