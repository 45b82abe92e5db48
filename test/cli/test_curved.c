// Cells of second order through the tool: by their corners, and with --curved at their mid-nodes.
#define _POSIX_C_SOURCE 200809L
#include "tool_shapes.h"

#include <string.h>

// A shell that bulges through a plate above it, though its corners are below.
#define SHELL(z)                                                                                                                   \
    "*NODE\n1, 0, 0, 0\n2, 4, 0, 0\n3, 0, 4, 0\n4, 2, 0, " z "\n5, 2, 2, " z "\n6, 0, 2, " z "\n"                                  \
    "*ELEMENT, TYPE=STRI65, ELSET=dome\n70, 1, 2, 3, 4, 5, 6\n"
#define PLATE(z) "*NODE\n11, -1, -1, " z "\n12, 6, -1, " z "\n13, -1, 6, " z "\n*ELEMENT, TYPE=S3, ELSET=plate\n91, 11, 12, 13\n"
// A post whose top is within the triangle of the corners.
#define POST(low, high)                                                                                                            \
    "*NODE\n21, .9, .9, " low "\n22, 1.1, .9, " high "\n23, 1, 1.1, " high "\n*ELEMENT, TYPE=S3, ELSET=post\n92, 21, 22, 23\n"

static void expect_contact(const char *arguments, const char *words)
{
    tool_run run = tool_expect(1, arguments);
    if (!strstr(run.out, words))
        fail_msg("snag %s: %s instead of %s", arguments, run.out, words);
    tool_free(&run);
}

static void expect_clean(const char *arguments, const char *note)
{
    tool_run run = tool_expect(0, arguments);
    assert_non_null(strstr(run.out, "clean"));
    if (!strstr(run.err, note))
        fail_msg("snag %s: %s", arguments, run.err);
    tool_free(&run);
}

static void a_curve_catches_where_its_corners_do_not(void **state)
{
    (void)state;
    tool_write("dome.inp", SHELL("1") PLATE(".5"));
    expect_clean("check dome.inp", "--curved cuts those of second order");
    expect_contact("check --curved dome.inp", "t70 - t91");
    tool_run run = tool_expect(1, "check --curved --json dome.inp");
    assert_true(read_json_at(run.out, "contacts_total") == 1);  // one pair of faces of the file, in several triangles
    assert_non_null(strstr(run.err, "1 second-order cells are cut at their mid-nodes"));
    tool_free(&run);
    run = tool_expect(0, "info --curved dome.inp");
    assert_non_null(strstr(run.out, "5 triangles"));
    tool_free(&run);
}

static void a_curve_is_clean_where_its_corners_catch(void **state)
{
    (void)state;
    tool_write("away.inp", SHELL("1") POST("-.5", ".5"));
    expect_contact("check away.inp", "t70 - t92");
    expect_clean("check --curved away.inp", "cut at their mid-nodes");
}

// A hexahedron of twenty nodes whose top is a dome, and a tetrahedron that stands in it, in LS-DYNA's and VTK's way to write them.
static void a_solid_is_named_as_in_its_file(void **state)
{
    (void)state;
    tool_write(
        "solid.inp",
        "*NODE\n1,0,0,0\n2,4,0,0\n3,4,4,0\n4,0,4,0\n5,0,0,4\n6,4,0,4\n7,4,4,4\n8,0,4,4\n9,2,0,0\n10,4,2,0\n11,2,4,0\n12,0,2,0\n"
        "13,2,0,5\n14,4,2,5\n15,2,4,5\n16,0,2,5\n17,0,0,2\n18,4,0,2\n19,4,4,2\n20,0,4,2\n"
        "31,2,2,4.5\n32,3,2,8\n33,2,3,8\n34,1,1,8\n"
        "*ELEMENT, TYPE=C3D20R, ELSET=block\n700, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,\n17,18,19,20\n"
        "*ELEMENT, TYPE=C3D4, ELSET=needle\n800, 31,32,33,34\n");
    expect_clean("check --split groups solid.inp", "--curved cuts");
    expect_contact("check --split groups --curved --question penetrations solid.inp", "k700");
    tool_run run = tool_expect(1, "check --split groups --curved --json solid.inp");
    assert_true(read_json_at(run.out, "contacts_total") >= 1);
    assert_non_null(strstr(run.out, "block"));
    tool_free(&run);
    // What was cut can be written: more elements, with the vertices of the file.
    run = tool_expect(0, "convert --curved --out cut.vtu solid.inp");
    tool_free(&run);
    run = tool_expect(0, "info cut.vtu");
    assert_non_null(strstr(run.out, "24 vertices"));
    tool_free(&run);
}

static void without_mid_nodes_nothing_changes(void **state)
{
    (void)state;
    tool_write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_run run = tool_expect(0, "check --curved plain.obj");
    assert_null(strstr(run.err, "mid-node"));
    tool_free(&run);
    tool_refuses("demo --curved", "--curved", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_catches_where_its_corners_do_not),
        cmocka_unit_test(a_curve_is_clean_where_its_corners_catch),
        cmocka_unit_test(a_solid_is_named_as_in_its_file),
        cmocka_unit_test(without_mid_nodes_nothing_changes),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
