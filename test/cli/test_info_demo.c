// The tool's info and demo from outside: what they say, and what they write.
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

#include "measure_tool.h"
#include "snag/shapes.h"

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

static void info_names_polygons_whose_triangles_are_a_choice(void **state)
{
    (void)state;
    tool_write("polygons.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 1 0.1\nf 1 2 3 4\nf 1 2 3 5\nf 1 3 2 4\n");
    tool_run run = tool_expect(0, "info polygons.obj");
    assert_non_null(strstr(run.out, "polygon not flat: 1 (t1)\n"));
    assert_non_null(strstr(run.out, "polygon crosses itself: 1 (t2)\n"));
    tool_free(&run);
    run = tool_expect(0, "info --json polygons.obj");
    assert_true(read_json_valid(run.out));
    const char *issues = read_json_find(run.out, "bodies[0].issues");
    assert_non_null(issues);
    assert_non_null(strstr(issues, "\"kind\": \"polygon not flat\", \"count\": 1, \"first\": [\"t1\"]"));
    assert_non_null(strstr(issues, "\"kind\": \"polygon crosses itself\", \"count\": 1, \"first\": [\"t2\"]"));
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

// Spheres that all overlap: their pairs must not be kept, nor every two of them compared.
static void write_spheres(const char *name, int count)
{
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(2, 1, &ball), SNAG_OK);
    FILE *file = fopen(tool_path(name), "w");
    assert_non_null(file);
    for (int i = 0; i < count; i++) {
        fprintf(file, "o ball\n");
        for (size_t v = 0; v < ball.vertex_count; v++)
            fprintf(file, "v %.9g %.9g %.9g\n", ball.positions[3 * v] + 0.01 * i, ball.positions[3 * v + 1],
                    ball.positions[3 * v + 2]);
        for (size_t t = 0; t < ball.triangle_count; t++)
            fprintf(file, "f %zu %zu %zu\n", 1 + i * ball.vertex_count + ball.triangles[3 * t],
                    1 + i * ball.vertex_count + ball.triangles[3 * t + 1], 1 + i * ball.vertex_count + ball.triangles[3 * t + 2]);
    }
    assert_int_equal(fclose(file), 0);
    snag_shape_free(&ball);
}

static void info_takes_memory_in_proportion_to_its_input(void **state)
{
    (void)state;
    if (!TOOL_COST_COUNTS)
        skip();
    write_spheres("balls.obj", 40);
    tool_cost cost = tool_measure("", "info --json balls.obj", 60);
    assert_int_equal(cost.code, 0);
    char *text = tool_read("stdout.txt");
    assert_true(read_json_valid(text) && read_json_at(text, "bodies[39].tree_spheres") > 1);
    free(text);
    if (cost.bytes > (size_t)150 << 20)
        fail_msg("40 spheres of 320 triangles: %zu MB", cost.bytes >> 20);
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
    assert_non_null(strstr(run.out, "Written to twice"));
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
        cmocka_unit_test(info_names_polygons_whose_triangles_are_a_choice),
        cmocka_unit_test(info_describes_caches_and_the_build),
        cmocka_unit_test(info_takes_memory_in_proportion_to_its_input),
        cmocka_unit_test(a_demo_is_read_back_with_the_same_contacts),
        cmocka_unit_test(a_demo_replaces_what_a_demo_wrote_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
