// OBJ: the file's numbers are kept, objects become bodies by the rule, and what is wrong is named by its line.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include "base/random.h"

static const char cube[] = "# a cube of quads, with all that exporters add\n"
                           "mtllib cube.mtl\n"
                           "g sides\n"
                           "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                           "v 0 0 1 1.0\nv 1 0 1 0.5 0.5 0.5\nv 1 1 1\nv 0 1 1\n"
                           "vt 0 0\nvn 0 0 1\nusemtl red\ns off\n"
                           "f 4 3 2 1\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 7/1/1 6/1/1\n"
                           "f -5 -6 -2 -1\nf 1 5 8 4\n"
                           "l 1 2\np 3\n";

static void vertices_and_polygons_keep_their_numbers(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("some/cube.obj", cube);
    const snag_io_body *body = only_body(&mesh);
    assert_string_equal(body->name, "cube");
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.face_count, 6);
    assert_int_equal(mesh.skipped, 2);
    assert_null(body->vertex_numbers);
    assert_null(body->polygon_numbers);
    assert_vertex(body, 0, 0, 0, 0);
    assert_vertex(body, 4, 0, 0, 1);
    assert_vertex(body, 5, 1, 0, 1);
    assert_polygon(body, 0, 3, 2, 1, 0);
    assert_polygon(body, 1, 4, 5, 6, 7);
    assert_polygon(body, 2, 0, 1, 5, 4);
    assert_polygon(body, 3, 1, 2, 6, 5);
    assert_polygon(body, 4, 3, 2, 6, 7);
    assert_polygon(body, 5, 0, 4, 7, 3);
    assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
}

static void triangles_alone_need_no_sizes(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1");
    assert_null(only_body(&mesh)->polygon_sizes);
    assert_polygon(only_body(&mesh), 1, 2, 1, 0);
    snag_io_mesh_free(&mesh);
    // A later polygon does not change the triangles before it.
    mesh = read_text("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 0\nf 1 2 3\nf 3 2 1\nf 1 2 3 4 5\nf 2 3 4");
    assert_non_null(only_body(&mesh)->polygon_sizes);
    assert_polygon(only_body(&mesh), 1, 2, 1, 0);
    assert_polygon(only_body(&mesh), 2, 0, 1, 2, 3, 4);
    assert_polygon(only_body(&mesh), 3, 1, 2, 3);
    snag_io_mesh_free(&mesh);
}

static void line_ends_blanks_and_continuations_make_no_difference(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3",
        "\xef\xbb\xbfv 0 0 0\n\n  v\t1  0 0  \n v 0 1 0 # up\nf  1\t2  3 # all\n\n",
        "v 0 \\\n0 0\nv 1 0\\\r\n 0\nv 0 1 0\nf 1 2 \\\n  3\n# f 9 9 9 \\\n",
        "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0",  // a face may stand before its vertices
        "v -0 0e5 .0\nv 1. 0 0\nv 0 +1 0\nf +1 2 3",
        "3 1\nFile made by a tool\nv 0 0 0\nv 1 0 0\nv 0 1 0\n: remark\nf 1 2 3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snag_io_mesh mesh = read_text("t.obj", texts[i]);
        assert_int_equal(mesh.vertex_count, 3);
        assert_int_equal(mesh.face_count, 1);
        assert_polygon(only_body(&mesh), 0, 0, 1, 2);
        assert_true(only_body(&mesh)->positions[3] == 1);
        assert_true(only_body(&mesh)->positions[7] == 1);
        snag_io_mesh_free(&mesh);
    }
}

static void coordinates_are_read_to_the_last_bit(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("t.obj", "v 0.6177698369999999883 1e-320 -1.7976931348623157e308\n"
                                           "v 0.1 0.30000000000000004 9007199254740993\n");
    assert_vertex(only_body(&mesh), 0, 0.6177698369999999883, 1e-320, -1.7976931348623157e308);
    assert_vertex(only_body(&mesh), 1, 0.1, 0.30000000000000004, 9007199254740993.0);
    assert_int_equal(only_body(&mesh)->polygon_count, 0);
    snag_io_mesh_free(&mesh);
}

// ---- objects ----

static void objects_that_share_no_vertex_become_bodies(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("scene.obj", "o left one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                               "o right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 6 1 0\nf 4 5 7 6\nf 4 5 6\n");
    assert_int_equal(mesh.body_count, 2);
    const snag_io_body *left = &mesh.bodies[0], *right = &mesh.bodies[1];
    assert_string_equal(left->name, "left one");
    assert_string_equal(right->name, "right");
    assert_null(left->vertex_numbers);
    assert_null(left->polygon_numbers);
    assert_null(left->polygon_sizes);
    const uint32_t vertex_numbers[] = {3, 4, 5, 6}, polygon_numbers[] = {1, 2};
    assert_memory_equal(right->vertex_numbers, vertex_numbers, sizeof vertex_numbers);
    assert_memory_equal(right->polygon_numbers, polygon_numbers, sizeof polygon_numbers);
    assert_polygon(right, 0, 0, 1, 3, 2);
    assert_polygon(right, 1, 0, 1, 2);
    assert_vertex(right, 3, 6, 1, 0);
    assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
}

static void objects_that_share_a_vertex_are_one_body_named_like_the_first(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("scene.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 2\n"
                                               "o a\nf 1 2 3\no b\nf 2 3 4\no c\nf 4 3 5\n");
    const snag_io_body *body = only_body(&mesh);
    assert_string_equal(body->name, "a");
    assert_int_equal(body->polygon_count, 3);
    assert_null(body->vertex_numbers);
    snag_io_mesh_free(&mesh);
    // A later object can join two that were apart, and a fourth stays alone.
    mesh = read_text("scene.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 2\nv 3 3 3\nv 9 9 9\nv 9 8 9\nv 9 9 8\n"
                                  "o a\nf 1 2 3\no b\nf 4 5 6\no d\nf 7 8 9\no c\nf 3 4 1\n");
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[0].name, "a");
    assert_int_equal(mesh.bodies[0].polygon_count, 3);
    assert_string_equal(mesh.bodies[1].name, "d");
    const uint32_t numbers[] = {0, 1, 3};
    assert_memory_equal(mesh.bodies[0].polygon_numbers, numbers, sizeof numbers);
    assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
}

static void objects_of_one_name_are_kept_apart(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("s.obj", "o x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                           "o x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n");
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[0].name, "x");
    assert_string_equal(mesh.bodies[1].name, "x");
    snag_io_mesh_free(&mesh);
}

static void groups_are_not_bodies(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("s.obj", "g x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                           "g y\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n");
    assert_string_equal(only_body(&mesh)->name, "s");
    snag_io_mesh_free(&mesh);
}

static void loose_vertices_go_where_they_were_defined(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("s.obj", "v 7 7 7\no a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 8 8 8\nf 2 3 4\n"
                                           "o b\nv 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 7 8 9\no nothing\no cloud\nv 6 6 6\n");
    assert_int_equal(mesh.body_count, 3);
    assert_string_equal(mesh.bodies[0].name, "a");
    assert_int_equal(mesh.bodies[0].vertex_count, 5);
    assert_vertex(&mesh.bodies[0], 0, 7, 7, 7);
    assert_vertex(&mesh.bodies[0], 4, 8, 8, 8);
    assert_string_equal(mesh.bodies[1].name, "b");
    assert_vertex(&mesh.bodies[1], 0, 9, 9, 9);
    assert_string_equal(mesh.bodies[2].name, "cloud");
    assert_int_equal(mesh.bodies[2].vertex_count, 1);
    assert_int_equal(mesh.bodies[2].polygon_count, 0);
    assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
}

static void faces_before_the_first_object_are_a_body_named_like_the_file(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("s.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n");
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[0].name, "s");
    assert_string_equal(mesh.bodies[1].name, "s");  // "o" without a name
    snag_io_mesh_free(&mesh);
    mesh = read_text("s.obj", "o only\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_string_equal(only_body(&mesh)->name, "only");
    snag_io_mesh_free(&mesh);
}

// Random objects over few vertices, against components found by joining labels until nothing changes.
static void random_objects_are_split_into_the_same_parts_as_by_joining_labels(void **state)
{
    (void)state;
    enum { VERTICES = 40, OBJECTS = 8, FACES = 3 };
    snag__random random = {3};
    for (int round = 0; round < 300; round++) {
        char text[8192];
        size_t used = 0;
        uint32_t faces[OBJECTS][FACES][3], label[OBJECTS], owner[VERTICES];
        for (int v = 0; v < VERTICES; v++)
            used += (size_t)sprintf(text + used, "v %d 0 0\n", v);
        for (uint32_t o = 0; o < OBJECTS; o++) {
            used += (size_t)sprintf(text + used, "o n%u\n", o);
            uint32_t first = snag__random_below(&random, VERTICES - 6);
            for (int f = 0; f < FACES; f++) {
                for (int i = 0; i < 3; i++)
                    faces[o][f][i] = first + snag__random_below(&random, 2 + (uint32_t)round % 5);
                used += (size_t)sprintf(text + used, "f %u %u %u\n", faces[o][f][0] + 1, faces[o][f][1] + 1, faces[o][f][2] + 1);
            }
            label[o] = o;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t v = 0; v < VERTICES; v++)
                owner[v] = OBJECTS;
            for (int pass = 0; pass < 2; pass++)
                for (uint32_t o = 0; o < OBJECTS; o++)
                    for (int c = 0; c < 3 * FACES; c++) {
                        uint32_t *of_vertex = &owner[faces[o][c / 3][c % 3]];
                        if (label[o] < *of_vertex)
                            *of_vertex = label[o];
                        changed |= *of_vertex < label[o];
                        label[o] = *of_vertex < label[o] ? *of_vertex : label[o];
                    }
        }
        snag_io_mesh mesh = read_text("r.obj", text);
        assert_sound(&mesh);
        for (size_t b = 0; b < mesh.body_count; b++) {
            const snag_io_body *body = &mesh.bodies[b];
            for (size_t p = 0; p < body->polygon_count; p++) {
                uint32_t number = body->polygon_numbers ? body->polygon_numbers[p] : (uint32_t)p;
                char name[16];
                sprintf(name, "n%u", label[number / FACES]);
                assert_string_equal(body->name, name);
                const uint32_t *corners;
                polygon_of(body, p, &corners);
                for (int i = 0; i < 3; i++) {
                    uint32_t v = body->vertex_numbers ? body->vertex_numbers[corners[i]] : corners[i];
                    assert_int_equal(v, faces[number / FACES][number % FACES][i]);
                    assert_true(body->positions[3 * corners[i]] == v);
                }
            }
        }
        snag_io_mesh_free(&mesh);
    }
}

// ---- what is wrong ----

static void what_is_wrong_is_named_by_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", SNAG_ERROR_INDEX, "bad.obj:5: vertex 4 does not exist; the file has 3 vertices"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", SNAG_ERROR_INDEX, "bad.obj:4: vertex 0 does not exist"},
        {"v 0 0 0\nv 1 0 0\nf 1 2 -3\nv 0 0 0\n", SNAG_ERROR_INDEX,
         "bad.obj:3: vertex -3 does not exist; there are 2 vertices before this line"},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", SNAG_ERROR_INDEX, "bad.obj:2:"},
        {"v 0 0 0\nf 1 1 4294967297\n", SNAG_ERROR_INDEX, "bad.obj:2:"},
        {"v 0 0 0\nf 1 1 4294967295\n", SNAG_ERROR_INDEX, "bad.obj:2:"},
        {"v 0 0 0\nf 1 1 -9223372036854775807\n", SNAG_ERROR_INDEX, "bad.obj:2:"},
        {"v 0 0 0\n\nf 1\n", SNAG_ERROR_FORMAT, "bad.obj:3: face 1 has 1 vertex; it needs 3"},
        {"v 0 0 0\nf 1 1 1\nf 1 1\n", SNAG_ERROR_FORMAT, "bad.obj:3: face 2 has 2 vertices"},
        {"v 0 0 0\nf\n", SNAG_ERROR_FORMAT, "bad.obj:2: face 1 has 0 vertices"},
        {"v 0 0 0\nf 1 1 1x\n", SNAG_ERROR_FORMAT, "bad.obj:2: expected a corner of a face such as 7"},
        {"v 0 0 0\nf 1 1 /1\n", SNAG_ERROR_FORMAT, "found '/1'"},
        {"v 0 0 0\nf 1 1 1/a\n", SNAG_ERROR_FORMAT, "found '1/a'"},
        {"v 0 0 0\nf 1 1 1.5\n", SNAG_ERROR_FORMAT, "found '1.5'"},
        {"v 0 0 0\nv 0 nan 0\n", SNAG_ERROR_NOT_FINITE, "bad.obj:2: vertex 2 is not finite: 'nan'"},
        {"v -inf 0 0\n", SNAG_ERROR_NOT_FINITE, "bad.obj:1: vertex 1 is not finite"},
        {"v 0 0 1e309\n", SNAG_ERROR_NOT_FINITE, "1e309"},
        {"\r\n\r\nv 0 0\r\n", SNAG_ERROR_FORMAT, "bad.obj:3: expected the three coordinates of a vertex, found the end"},
        {"v 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", SNAG_ERROR_FORMAT, "bad.obj:1: expected the three coordinates of a vertex"},
        {"v 0 0\nv 1 0\nv 0 1", SNAG_ERROR_FORMAT, "bad.obj:3: expected the three coordinates of vertex 3"},
        {"v 0 0 zero\n", SNAG_ERROR_FORMAT, "found 'zero'"},
        {"v 0 0 1,5\n", SNAG_ERROR_FORMAT, "found '1,5'"},
        {"", SNAG_ERROR_FORMAT, "bad.obj: no vertices"},
        {"# nothing\n", SNAG_ERROR_FORMAT, "no vertices"},
        {"f 1 2 3\n", SNAG_ERROR_INDEX, "the file has 0 vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("bad.obj", cases[i].text, cases[i].status, cases[i].words);
}

static void a_file_cut_anywhere_is_survived(void **state)
{
    (void)state;
    cut_everywhere("cut.obj", cube, strlen(cube));
    assert_changes_survived("cut.obj", cube, strlen(cube));
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    snag__random random = {4};
    static const char alphabet[] = "vfoglp 0123456789.-/\\\n\r\te#";
    for (int round = 0; round < 20000; round++) {
        char text[64];
        size_t size = snag__random_below(&random, sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = alphabet[snag__random_below(&random, sizeof alphabet)];
        read_anything("any.obj", text, size);
    }
}

static void lack_of_memory_is_a_status(void **state)
{
    (void)state;
    assert_failing_allocations_survived("hungry.obj", cube, strlen(cube));
    const char *scene = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 6 1 0\nf 4 5 7 6\n";
    assert_failing_allocations_survived("hungry.obj", scene, strlen(scene));
}

static void a_polygon_may_have_any_number_of_corners(void **state)
{
    (void)state;
    enum { CORNERS = 5000 };
    char *text = malloc(CORNERS * 40);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i < CORNERS; i++)
        used += (size_t)sprintf(text + used, "v %d 0 0\n", i);
    text[used++] = 'f';
    for (int i = CORNERS; i > 0; i--)
        used += (size_t)sprintf(text + used, " %d/7/%d", i, i);
    snag_io_mesh mesh = read_ok("round.obj", text, used);
    const uint32_t *corners;
    assert_int_equal(polygon_of(only_body(&mesh), 0, &corners), CORNERS);
    for (uint32_t i = 0; i < CORNERS; i++)
        assert_int_equal(corners[i], CORNERS - 1 - i);
    snag_io_mesh_free(&mesh);
    free(text);
}

static void vertices_of_the_plane_are_read_with_a_note(void **state)
{
    (void)state;
    static const char text[] = "v 0 0\nv 1 0 # two\nv 0 1.5\r\nf 1 2 3\n";
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_parse_mesh("flat.obj", text, strlen(text), &mesh, &error), SNAG_OK);
    assert_says(&error, "flat.obj: its vertices have two coordinates");
    assert_vertex(only_body(&mesh), 2, 0, 1.5, 0);
    snag_io_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_of_the_plane_are_read_with_a_note),
        cmocka_unit_test(vertices_and_polygons_keep_their_numbers),
        cmocka_unit_test(triangles_alone_need_no_sizes),
        cmocka_unit_test(line_ends_blanks_and_continuations_make_no_difference),
        cmocka_unit_test(coordinates_are_read_to_the_last_bit),
        cmocka_unit_test(objects_that_share_no_vertex_become_bodies),
        cmocka_unit_test(objects_that_share_a_vertex_are_one_body_named_like_the_first),
        cmocka_unit_test(objects_of_one_name_are_kept_apart),
        cmocka_unit_test(groups_are_not_bodies),
        cmocka_unit_test(loose_vertices_go_where_they_were_defined),
        cmocka_unit_test(faces_before_the_first_object_are_a_body_named_like_the_file),
        cmocka_unit_test(random_objects_are_split_into_the_same_parts_as_by_joining_labels),
        cmocka_unit_test(what_is_wrong_is_named_by_its_line),
        cmocka_unit_test(a_file_cut_anywhere_is_survived),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(lack_of_memory_is_a_status),
        cmocka_unit_test(a_polygon_may_have_any_number_of_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
