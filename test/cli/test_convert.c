// `snag convert`, `snag info` on what it writes, and the options of spheres, from outside.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"
#include "snag/io.h"
#include "snag/methods.h"

static const char two_objects[] = "o floor\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"
                                  "o wall\nv 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 -1\nf 4 5 6 7\n";

static void a_mesh_becomes_a_file_of_blocks(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_run run = tool_expect(0, "convert --json --out two.snag two.obj");
    assert_true(read_json_valid(run.out));
    assert_true(read_json_at(run.out, "triangles") == 3 && read_json_at(run.out, "blocks") == 1);
    tool_free(&run);
    run = tool_expect(0, "info --json two.snag");
    assert_true(read_json_valid(run.out));
    assert_true(read_json_at(run.out, "triangles") == 3 && read_json_at(run.out, "resident_bytes") > 0);
    tool_free(&run);
    run = tool_expect(0, "info two.snag");
    assert_non_null(strstr(run.out, "3 triangles in 1 blocks"));
    tool_free(&run);
    // The two triangles of the quad have its number.
    snag_io_chunked *file = NULL;
    assert_int_equal(snag_io_chunked_open(tool_path("two.snag"), &file, NULL), SNAG_OK);
    uint32_t sum = 0, number;
    for (size_t t = 0; t < 3; t++) {
        assert_int_equal(snag_io_chunked_number(file, t, &number, NULL), SNAG_OK);
        sum += number;
    }
    assert_int_equal(sum, 0 + 1 + 1);
    snag_io_chunked_close(file);
}

static void what_cannot_be_converted_is_said(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_refuses("convert two.obj", "--out", NULL);
    tool_refuses("convert --out two.obj two.obj", "input", NULL);
    tool_refuses("convert --out x.snag none.obj", "none.obj", NULL);
    tool_refuses("convert --out x.snag two.obj two.obj", "one mesh", NULL);
    tool_refuses("convert --out no/such/folder.snag two.obj", "folder", NULL);
    assert_false(tool_has("x.snag"));
    tool_write("short.snag", "SNAGCHK1 and no more");
    tool_refuses("info short.snag", "short", NULL);
}

static void what_stays_on_disk_is_checked_from_there(void **state)
{
    (void)state;
    tool_write("floor.obj", "v 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_write("wall.obj", "v 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 -1\nf 1 2 3 4\n");
    tool_run run = tool_expect(0, "convert --out wall.snag wall.obj");
    tool_free(&run);
    run = tool_expect(1, "check --quiet --pairs disk.csv floor.obj wall.snag");
    char *pairs = tool_read("disk.csv");
    assert_non_null(strstr(pairs, "0,floor,t0,wall,t"));
    free(pairs);
    tool_free(&run);
    tool_refuses("check --method kdop floor.obj wall.snag", "disk", NULL);
    tool_refuses("check --question proximities floor.obj wall.snag", "proximities", NULL);
    tool_refuses("check --ply out_%d.ply floor.obj wall.snag", "disk", NULL);
    tool_write("bad.snag", "not this");
    tool_refuses("check floor.obj bad.snag", "bad.snag", NULL);
}

static void info_shows_the_memory_of_trees(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_run run = tool_expect(0, "info --json two.obj");
    assert_true(read_json_at(run.out, "bodies[0].tree_spheres") >= 1 && read_json_at(run.out, "bodies[0].tree_bytes") > 0);
    tool_free(&run);
}

static void spheres_is_asked_with_its_options(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_run run = tool_expect(1, "check --method spheres --depth 3 --idle 5 --backend cpu --pairs out.csv two.obj");
    char *pairs = tool_read("out.csv");
    assert_non_null(strstr(pairs, "0,floor,t0,wall,t1,crossing"));
    free(pairs);
    tool_free(&run);
    run = tool_expect(1, "check --json --question overlaps --depth 2 --pairs leaves.csv two.obj");
    assert_true(read_json_is(run.out, "method", "spheres"));
    assert_true(read_json_is(run.out, "reason", "spheres: the only method with sphere trees"));
    double shallow = read_json_at(run.out, "contacts_total");
    tool_free(&run);
    run = tool_expect(1, "check --json --question overlaps two.obj");
    assert_true(read_json_at(run.out, "contacts_total") > shallow);
    tool_free(&run);
    tool_refuses("check --question overlaps --no-between two.obj", "--no-between", NULL);
    // The method is chosen by itself, and its lines are written all the same.
    run = tool_expect(1, "check --json --question distance --hierarchy lines.obj two.obj");
    assert_true(read_json_is(run.out, "method", "regions"));
    char *lines = tool_read("lines.obj");
    assert_non_null(strstr(lines, "\nl 1 2\n"));
    free(lines);
    tool_free(&run);
    // The same of sphere trees, which are circles.
    run = tool_expect(1, "check --question overlaps --hierarchy spheres.obj two.obj");
    tool_free(&run);
    lines = tool_read("spheres.obj");
    assert_non_null(strstr(lines, "o frame-0-level-5\n"));
    assert_non_null(strstr(lines, " 14 15 16 1\n"));
    free(lines);
    // Options of methods.
    run = tool_expect(1, "check --method kdop --k 18 --arity 4 --lazy 0.01 two.obj");
    tool_free(&run);
    run = tool("check --json --question distance --method regions --epsilon 9:8:7 two.obj");
    assert_true(read_json_is(run.out, "method", "regions"));
    tool_free(&run);
    tool_refuses("check --k 18 two.obj", "--k needs --method kdop", NULL);
    tool_refuses("check --method kdop --k 17 two.obj", "18", NULL);
    tool_refuses("check --method kdop --cell 1 two.obj", "--cell needs --method hash", NULL);
    tool_refuses("check --method kdop --lazy much two.obj", "a length of 0 or more", NULL);
    tool_refuses("check --method regions --question proximities --distance 1 --epsilon 3:2:1 two.obj", "--question distance", NULL);
    tool_refuses("check --method regions --question distance --epsilon 1:2 two.obj", "none larger than the one before", NULL);
    tool_refuses("check --hierarchy lines.obj two.obj", "--hierarchy needs --method regions or spheres", NULL);
    run = tool_expect(1, "check --question overlaps --depth 2 --pairs leaves.csv two.obj");
    pairs = tool_read("leaves.csv");
    assert_non_null(strstr(pairs, ",s"));
    assert_non_null(strstr(pairs, "overlap"));
    free(pairs);
    tool_free(&run);
    tool_refuses("check --method spheres --depth 40 two.obj", "depth", "10", NULL);
    tool_refuses("check --depth 4 two.obj", "spheres", NULL);
    tool_refuses("check --method spheres --backend vulkan two.obj", "backend", NULL);
    // Not built in, or without a driver.
    setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent/none.json", 1);
    run = tool_expect(2, "check --question overlaps --backend gl two.obj");
    assert_non_null(strstr(run.err, snag_backend_built_in(SNAG_BACKEND_GL) ? "OpenGL" : "no backend gl"));
    tool_free(&run);
    unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_becomes_a_file_of_blocks),          cmocka_unit_test(what_cannot_be_converted_is_said),
        cmocka_unit_test(what_stays_on_disk_is_checked_from_there), cmocka_unit_test(info_shows_the_memory_of_trees),
        cmocka_unit_test(spheres_is_asked_with_its_options),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
