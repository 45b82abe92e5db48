// The tool's info and demo from outside: what they say, and what they write.
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

// ---- info ----------------------------------------------------------------------------------------------------------

static void info_describes_bodies_and_issues_with_the_numbers_of_the_file(void **state)
{
    (void)state;
    tool_write("wrong.obj", "o good\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                            "o bad\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 5 5 5\nv 0 0 3\nf 4 5 6\nf 5 4 6\nf 4 5 8\nf 4 4 6\n");
    tool_run run = tool_expect(0, "info --json wrong.obj");
    assert_true(read_json_valid(run.out));
    assert_int_equal(read_json_count(run.out, "bodies"), 2);
    assert_true(read_json_at(run.out, "bodies[0].components") == 1);
    assert_true(read_json_at(run.out, "bodies[0].boundary_edges") == 3);
    assert_true(read_json_at(run.out, "bodies[0].maximum[1]") == 1);
    assert_int_equal(read_json_count(run.out, "bodies[0].issues"), 0);
    assert_int_equal(strncmp(read_json_find(run.out, "bodies[0].closed"), "false", 5), 0);
    const char *issues = read_json_find(run.out, "bodies[1].issues");
    assert_non_null(issues);
    assert_non_null(strstr(issues, "\"kind\": \"non-manifold edge\", \"count\": 1, \"first\": [\"e3-4\"]"));
    assert_non_null(strstr(issues, "\"kind\": \"degenerate triangle\", \"count\": 1, \"first\": [\"t4\"]"));
    assert_non_null(strstr(issues, "\"kind\": \"duplicate triangle\", \"count\": 1, \"first\": [\"t2=t1\"]"));
    assert_non_null(strstr(issues, "\"first\": [\"v6\"]"));
    tool_free(&run);
    run = tool_expect(0, "info wrong.obj");
    assert_non_null(strstr(run.out, "non-manifold edge: 1 (e3-4)"));
    tool_free(&run);
    tool_write("clean.obj", tetrahedron);
    run = tool_expect(0, "info --json clean.obj");
    assert_int_equal(strncmp(read_json_find(run.out, "bodies[0].closed"), "true", 4), 0);
    tool_free(&run);
}

static void info_describes_caches_and_the_build(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_write_pc2("flat.pc2", 3, 4, falling[0]);
    tool_run run = tool_expect(0, "info --json flat.obj flat.pc2");
    assert_true(read_json_valid(run.out));
    assert_true(read_json_at(run.out, "frames") == 4);
    assert_true(read_json_at(run.out, "caches[0].frames") == 4);
    assert_true(read_json_is(run.out, "caches[0].bodies[0]", "flat"));
    assert_true(read_json_at(run.out, "bodies[0].maximum[2]") == 3);  // where the first frame puts it
    tool_free(&run);
    run = tool_expect(0, "info flat.pc2");
    assert_non_null(strstr(run.out, "4 frames of 3 points"));
    tool_free(&run);
    run = tool_expect(0, "info --json");
    assert_true(read_json_valid(run.out));
    assert_true(read_json_is(run.out, "snag", snag_version()));
    assert_true(read_json_at(run.out, "threads") >= 1);
    assert_non_null(read_json_find(run.out, "instruction_set"));
    assert_true(read_json_is(run.out, "methods.brute[0]", "intersections"));
    tool_free(&run);
    run = tool_expect(0, "info");
    assert_non_null(strstr(run.out, snag_version()));
    tool_free(&run);
}

// ---- demo ----------------------------------------------------------------------------------------------------------

static void a_demo_is_read_back_with_the_same_contacts(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "demo --json --out shown --frames 20 --size 0.05");
    assert_true(read_json_valid(run.out));
    assert_int_equal(read_json_count(run.out, "frames"), 20);
    double total = read_json_at(run.out, "contacts_total");
    tool_free(&run);
    char command[100];
    snprintf(command, sizeof command, "shown --pairs again.csv");
    run = check_json(total > 0, command);
    assert_int_equal(read_json_count(run.out, "frames"), 20);
    assert_true(read_json_at(run.out, "contacts_total") == total);
    tool_free(&run);
    char *first = tool_read("shown/contacts.csv"), *again = tool_read("again.csv");
    assert_string_equal(first, again);
    free(first);
    free(again);
}

static void a_demo_replaces_what_a_demo_wrote_and_nothing_else(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "demo --frames 2 --size 0.02 --out twice");
    assert_non_null(strstr(run.out, "written to twice"));
    tool_free(&run);
    tool_write("twice/mine.txt", "mine");
    run = tool_expect(0, "demo --quiet --frames 1 --size 0.02 --out twice");
    tool_free(&run);
    assert_true(tool_has("twice/mine.txt"));
    run = check_json(0, "twice");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    tool_free(&run);
    tool_make_folder("foreign");
    tool_write("foreign/mesh_00.obj", flat);
    tool_refuses("demo --frames 1 --size 0.02 --out foreign", "foreign/mesh_00.obj", "--out", NULL);
    char *text = tool_read("foreign/mesh_00.obj");
    assert_string_equal(text, flat);
    free(text);
    tool_write("file", "no folder");
    tool_refuses("demo --frames 1 --size 0.02 --out file", "file", NULL);
    tool_refuses("demo --frames 1 --out no/such/folder", "no/such/folder", NULL);
    tool_refuses("demo --scene cloth-bal", "did you mean cloth-ball", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_describes_bodies_and_issues_with_the_numbers_of_the_file),
        cmocka_unit_test(info_describes_caches_and_the_build),
        cmocka_unit_test(a_demo_is_read_back_with_the_same_contacts),
        cmocka_unit_test(a_demo_replaces_what_a_demo_wrote_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
