// Lines and points, thickness and filters, from outside: what `snag check` finds, refuses and says.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"

// A yarn through a triangle, and a particle beside it.
static const char mixed[] = "o sheet\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no yarn\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.5 0.1 1\nl 4 5 6\n"
                            "o dust\nv 0.3 0.2 0.5\np 7\n";

static void rods_are_checked_like_everything_else(void **state)
{
    (void)state;
    tool_write("mixed.obj", mixed);
    tool_run run = tool_expect(1, "check mixed.obj");
    assert_non_null(strstr(run.out, "yarn e3-4 - sheet t0, crossing"));
    assert_non_null(strstr(run.out, "2 rods"));
    assert_non_null(strstr(run.err, "have no thickness here"));
    tool_free(&run);
    run = tool_expect(1, "check --json --pairs out.csv --distance 0.15 --question proximities mixed.obj");
    assert_true(read_json_valid(run.out));
    assert_non_null(strstr(run.out, "vertex-edge"));
    tool_free(&run);
    char *csv = tool_read("out.csv");
    assert_non_null(strstr(csv, "v6"));
    free(csv);
    // Questions and methods that do not know rods say so.
    tool_refuses("check --question overlaps mixed.obj", "lines and points", NULL);
    tool_refuses("check --method regularity mixed.obj", "rods", NULL);
    // Lines alone never intersect: that is no "clean".
    tool_write("lines.obj", "v 0 0 0\nv 1 0 0\nv 0 0.1 0\nv 1 0.1 0\nl 1 2\nl 3 4\n");
    tool_refuses("check lines.obj", "--thickness", NULL);
    run = tool_expect(1, "check --thickness 0.11 lines.obj");
    tool_free(&run);
    run = tool_expect(0, "check --thickness 0.09 lines.obj");
    assert_non_null(strstr(run.out, "clean"));
    tool_free(&run);
    run = tool_expect(0, "info --json mixed.obj");
    assert_true(read_json_valid(run.out) && strstr(run.out, "\"rods\": 2") != NULL);
    tool_free(&run);
}

static void thickness_is_of_all_bodies_or_one(void **state)
{
    (void)state;
    tool_write("two.obj", "o low\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no high\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 4 5 6\n");
    tool_run run = tool_expect(0, "check --thickness 0.9 two.obj");
    tool_free(&run);
    run = tool_expect(1, "check --thickness low=1 --thickness 'h*=1' two.obj");
    assert_non_null(strstr(run.out, "proximities"));
    tool_free(&run);
    run = tool_expect(0, "check --thickness 1 --thickness high=0.5 two.obj");
    tool_free(&run);
    tool_refuses("check --thickness thick two.obj", "thick", NULL);
    tool_refuses("check --thickness -1 two.obj", "length", NULL);
    tool_refuses("check --thickness nan two.obj", "length", NULL);
    tool_refuses("check --thickness low= two.obj", "length", NULL);
    tool_refuses("check --thickness mid=1 two.obj", "mid", NULL);
    tool_refuses("check --thickness 1 --question intersections two.obj", "--thickness", NULL);
    tool_refuses("check --thickness 1 --method regions two.obj", "thickness", NULL);
}

static void filters_are_options(void **state)
{
    (void)state;
    // A strip of squares, thicker than its edges: it is near itself everywhere.
    char strip[2000] = "";
    for (int i = 0; i < 10; i++)
        snprintf(strip + strlen(strip), sizeof strip - strlen(strip), "v %d 0 0\nv %d 1 0\n", i, i);
    for (int i = 0; i < 9; i++)
        snprintf(strip + strlen(strip), sizeof strip - strlen(strip), "f %d %d %d %d\n", 2 * i + 1, 2 * i + 3, 2 * i + 4,
                 2 * i + 2);
    tool_write("strip.obj", strip);
    tool_run run = tool_expect(1, "check --thickness 1.2 strip.obj");
    tool_free(&run);
    run = tool_expect(0, "check --thickness 1.2 --exclude-rings 2 strip.obj");
    assert_non_null(strstr(run.out, "--exclude-rings"));
    tool_free(&run);
    run = tool_expect(0, "check --thickness 1.2 --exclude-rest 1.3 strip.obj");
    assert_non_null(strstr(run.out, "--exclude-rest"));
    tool_free(&run);
    tool_write("two.obj", "o low\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no high\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.3 0.1 1\nf 4 5 6\n");
    run = tool_expect(1, "check two.obj");
    tool_free(&run);
    run = tool_expect(0, "check --no-contact low,high two.obj");
    assert_non_null(strstr(run.out, "--no-contact"));
    tool_free(&run);
    run = tool_expect(1, "check --no-contact low,low two.obj");
    tool_free(&run);
    tool_refuses("check --no-contact low two.obj", "two bodies", NULL);
    tool_refuses("check --no-contact low,none two.obj", "none", NULL);
    tool_refuses("check --exclude-rings 17 two.obj", "16", NULL);
    tool_refuses("check --exclude-rings 0 two.obj", "--exclude-rings", NULL);
    tool_refuses("check --exclude-rest 0 two.obj", "--exclude-rest", NULL);
    tool_refuses("check --exclude-rings 1 --question overlaps two.obj", "overlaps", NULL);
}

// Volumes beside surfaces are asked two questions: both are filtered.
static void filters_hold_for_surfaces_beside_volumes(void **state)
{
    (void)state;
    // A strip whose third part passes through its first.
    tool_write("fold.obj", "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0.5 0 0.5\nv 0.5 1 0.5\nv 0.5 0 -0.5\nv 0.5 1 -0.5\n"
                           "f 1 3 4 2\nf 3 5 6 4\nf 5 7 8 6\n");
    tool_write("tet.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices 4\n9 0 0 0\n10 0 0 0\n9 1 0 0\n9 0 1 0\n"
                           "Tetrahedra 1\n1 2 3 4 0\nEnd\n");
    static const char *const filters[] = {"--exclude-rings 2", "--exclude-rest 1"};
    tool_run run = tool_expect(1, "check fold.obj tet.mesh");
    tool_free(&run);
    for (int i = 0; i < 2; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "check %s fold.obj tet.mesh", filters[i]);
        run = tool_expect(0, arguments);
        assert_non_null(strstr(run.out, "left out"));
        tool_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_are_checked_like_everything_else),
        cmocka_unit_test(thickness_is_of_all_bodies_or_one),
        cmocka_unit_test(filters_are_options),
        cmocka_unit_test(filters_hold_for_surfaces_beside_volumes),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
