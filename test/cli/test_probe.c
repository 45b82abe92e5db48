// snag probe, and what snag check says of bodies inside others.
#define _POSIX_C_SOURCE 200809L
#include "read_json.h"
#include "run_tool.h"

static const char box[] = "o box\nv -1 -1 -1\nv -1 -1 1\nv -1 1 -1\nv -1 1 1\nv 1 -1 -1\nv 1 -1 1\nv 1 1 -1\nv 1 1 1\n"
                          "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n";
static const char small[] = "o small\nv 0 0 0\nv 0.5 0 0\nv 0 0.5 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char sheet[] = "o sheet\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\n";

static void expect_output(const char *arguments, const char *expected)
{
    tool_run run = tool_expect(0, arguments);
    assert_string_equal(run.out, expected);
    tool_free(&run);
}

static void expect_error(const char *arguments, const char *part)
{
    tool_run run = tool_expect(2, arguments);
    assert_string_equal(run.out, "");
    if (!strstr(run.err, part))
        fail_msg("snag %s said \"%s\", not \"%s\"", arguments, run.err, part);
    tool_free(&run);
}

static void points_and_rays_are_answered(void **state)
{
    (void)state;
    tool_write("box.obj", box);
    tool_write("sheet.obj", sheet);
    tool_write("p.csv", "x,y,z\n0.25,0.5,0.75\n# a comment\n\n3;0;0\n0.25 0.25 6\n1,1,1\n");
    tool_write("r.csv", "\xef\xbb\xbfox,oy,oz,dx,dy,dz\n5,0.25,0.5,-2,0,0\n5,0.25,0.5,-2,0,0,1.5\n0.25,0.25,9,0,0,-1\n");
    expect_output("probe box.obj sheet.obj --points p.csv", "point,body,element,feature,side,distance,px,py,pz\n"
                                                            "0,box,t5,face,inside,-0.25,0.25,0.5,1\n"
                                                            "1,box,t1,edge,outside,2,1,0,0\n"
                                                            "2,sheet,t0,face,none,1,0.25,0.25,5\n"
                                                            "3,box,t1,vertex,on,0,1,1,1\n");
    expect_output("probe box.obj --points p.csv --within 0.5", "point,body,element,feature,side,distance,px,py,pz\n"
                                                               "0,box,t5,face,inside,-0.25,0.25,0.5,1\n"
                                                               "1,,,,,,,,\n2,,,,,,,,\n"
                                                               "3,box,t1,vertex,on,0,1,1,1\n");
    expect_output("probe box.obj sheet.obj --rays r.csv", "ray,body,element,facing,t,px,py,pz\n"
                                                          "0,box,t1,1,2,1,0.25,0.5\n1,,,,,,,\n"
                                                          "2,sheet,t0,1,4,0.25,0.25,5\n");
    // Rays through the diagonal of a side hit both of its triangles.
    tool_write("s.csv", "0.25,0.5,9,0.25,0.5,0\n2,2,2,3,3,3\n");
    expect_output("probe box.obj sheet.obj --segments --all-hits --rays s.csv",
                  "ray,body,element,facing,t,px,py,pz\n"
                  "0,sheet,t0,1,0.4444444444444444,0.25,0.5,5\n0,box,t5,1,0.8888888888888888,0.25,0.5,1\n"
                  "1,,,,,,,\n");
}

static void json_has_the_same(void **state)
{
    (void)state;
    tool_write("box.obj", box);
    tool_write("p.csv", "0.25,0.5,0.75\n");
    tool_write("r.csv", "5,0.25,0.5,-2,0,0\n5,5,5,1,0,0\n");
    tool_run run = tool_expect(0, "probe box.obj --points p.csv --rays r.csv --all-hits --json");
    assert_true(read_json_valid(run.out));
    assert_true(read_json_is(run.out, "points[0].body", "box") && read_json_is(run.out, "points[0].side", "inside"));
    assert_true(read_json_at(run.out, "points[0].distance") == -0.25);
    assert_int_equal(read_json_count(run.out, "rays[0].hits"), 2);
    assert_int_equal(read_json_count(run.out, "rays[1].hits"), 0);
    assert_true(read_json_at(run.out, "rays[0].hits[1].t") == 3);
    tool_free(&run);
}

static void bad_tables_are_refused_by_line(void **state)
{
    (void)state;
    tool_write("box.obj", box);
    tool_write("p.csv", "0,0,0\n");
    expect_error("probe box.obj", "--points FILE.csv");
    expect_error("probe box.obj --points p.csv --segments", "--segments is about rays");
    expect_error("probe box.obj --points none.csv", "none.csv");
    expect_error("probe --points p.csv", "");
    tool_write("bad.csv", "x,y,z\n0,0,0\n1,2\n");
    expect_error("probe box.obj --points bad.csv", "bad.csv:3: expected 3 numbers");
    tool_write("bad.csv", "0,0,0\n1,2,x\n");
    expect_error("probe box.obj --points bad.csv", "bad.csv:2: expected 3 numbers");
    tool_write("bad.csv", "0,0,0\n1,nan,0\n");
    expect_error("probe box.obj --points bad.csv", "bad.csv:2: column 2 is not finite");
    tool_write("bad.csv", "0,0,0,0,0,0\n");
    expect_error("probe box.obj --rays bad.csv", "bad.csv:1: the direction is zero");
    tool_write("bad.csv", "0,0,0,1,0,0,-1\n");
    expect_error("probe box.obj --rays bad.csv", "bad.csv:1: column 7");
    tool_write("bad.csv", "1,2,3,1,2,3\n");
    expect_error("probe box.obj --rays bad.csv --segments", "the same point");
    tool_write("empty.csv", "");
    expect_output("probe box.obj --points empty.csv", "point,body,element,feature,side,distance,px,py,pz\n");
}

static void check_tells_of_bodies_inside_others(void **state)
{
    (void)state;
    tool_write("box.obj", box);
    tool_write("small.obj", small);
    tool_run run = tool_expect(0, "check box.obj small.obj");
    assert_non_null(strstr(run.out, "small lies wholly inside box, 0.5 to 1 below its surface\n"));
    tool_free(&run);
    run = tool_expect(0, "check --json box.obj small.obj");
    assert_true(read_json_is(run.out, "frames[0].nested[0].inner", "small"));
    assert_true(read_json_is(run.out, "frames[0].nested[0].outer", "box"));
    assert_true(read_json_is(run.out, "frames[0].nested[0].deepest", "v0"));
    assert_true(read_json_at(run.out, "frames[0].nested[0].depth") == 1);
    tool_free(&run);
    run = tool_expect(1, "check --solid box.obj small.obj");
    assert_non_null(strstr(run.out, "small lies wholly inside box"));
    assert_non_null(strstr(run.out, "no intersections"));
    assert_null(strstr(run.out, "clean"));
    tool_free(&run);
    expect_error("check --solid --no-nested box.obj small.obj", "--solid needs a search");
    expect_error("check --solid --question distance box.obj small.obj", "--solid needs a search");
    run = tool_expect(0, "check --solid small.obj");
    tool_free(&run);
    const char *const none[] = {"check --no-nested box.obj small.obj", "check --no-between box.obj small.obj",
                                "check --question distance box.obj small.obj"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        run = tool_expect(0, none[i]);
        assert_null(strstr(run.out, "wholly"));
        tool_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_rays_are_answered),
        cmocka_unit_test(json_has_the_same),
        cmocka_unit_test(bad_tables_are_refused_by_line),
        cmocka_unit_test(check_tells_of_bodies_inside_others),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
