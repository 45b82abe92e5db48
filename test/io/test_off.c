// OFF: all spellings of the header, and nothing believed that the file cannot hold.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#define BODY "0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n4 0 1 3 2\n"

static void all_spellings_of_the_header_read_alike(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OFF\n4 2 0\n" BODY,
        "OFF 4 2 5\n" BODY,
        "off\n4 2\n" BODY,
        "4 2 0\n" BODY,
        "# first\nOFF # kind\n# counts\n4 2 0 # many\n\n" BODY,
        "COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 0.5 0.5 0.5\n0 1 0 1 1 1\n1 1 0\n3 0 1 2 1 0 0\n4 0 1 3 2 # red\n",
        "NOFF\r\n4 2 0\r\n0 0 0 0 0 1\r\n1 0 0 0 0 1\r\n0 1 0 0 0 1\r\n1 1 0 0 0 nan\r\n3 0 1 2\r\n4 0 1 3 2",
        "STOFF\n4 2 0\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n1 1 0 1 1\n3 0 1 2\n4 0 1 3 2\n",
        "STCNOFF\n4 2 0\n" BODY,
        "CNOFF\n4 2 0\n" BODY,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snag_io_mesh mesh = read_text("some/square.off", texts[i]);
        const snag_io_body *body = only_body(&mesh);
        assert_string_equal(body->name, "square");
        assert_int_equal(mesh.vertex_count, 4);
        assert_int_equal(mesh.face_count, 2);
        assert_vertex(body, 1, 1, 0, 0);
        assert_vertex(body, 3, 1, 1, 0);
        assert_polygon(body, 0, 0, 1, 2);
        assert_polygon(body, 1, 0, 1, 3, 2);
        assert_sound(&mesh);
        snag_io_mesh_free(&mesh);
    }
}

static void what_is_wrong_is_named_by_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "bad.off:1: the file is empty"},
        {"# nothing\n", SNAG_ERROR_FORMAT, "the file is empty"},
        {"OBJ\n", SNAG_ERROR_FORMAT, "bad.off:1: an OFF file begins with OFF, found 'OBJ'"},
        {"4OFF\n1 0 0\n0 0 0 1\n", SNAG_ERROR_UNSUPPORTED, "'4OFF'"},
        {"nOFF\n5\n1 0 0\n", SNAG_ERROR_UNSUPPORTED, "'nOFF'"},
        {"OFF BINARY\n", SNAG_ERROR_UNSUPPORTED, "binary OFF is not supported"},
        {"OFF\n", SNAG_ERROR_FORMAT, "the number of vertices: expected a whole number, found the end of the file"},
        {"OFF\n1\n", SNAG_ERROR_FORMAT, "bad.off:2:"},
        {"OFF\n-1 0 0\n", SNAG_ERROR_FORMAT, "bad.off:2: the number of vertices is negative"},
        {"OFF\n1.5 0 0\n0 0 0\n", SNAG_ERROR_FORMAT, "bad.off:2:"},
        {"OFF\n4000000000 0 0\n0 0 0\n", SNAG_ERROR_FORMAT, "bad.off:2: the number of vertices is 4000000000, which"},
        {"OFF\n5000000000 0 0\n0 0 0\n", SNAG_ERROR_SIZE, "bad.off:2:"},
        {"OFF\n1 4000000000 0\n0 0 0\n", SNAG_ERROR_FORMAT, "bad.off:2: the number of faces is 4000000000, which"},
        {"OFF\n2 0 0\n0 0 0\n1 1\n", SNAG_ERROR_FORMAT, "bad.off:5: a coordinate of a vertex: expected a number"},
        {"OFF\n1 0 0\n0 inf 0\n", SNAG_ERROR_NOT_FINITE, "bad.off:3: a coordinate of a vertex is not finite: 'inf'"},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", SNAG_ERROR_INDEX, "bad.off:4: vertex 1 does not exist; there are 1"},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", SNAG_ERROR_INDEX, "bad.off:4: vertex -1 does not exist"},
        {"OFF\n1 1 0\n0 0 0\n2 0 0\n", SNAG_ERROR_FORMAT, "bad.off:4: face 0 (counted from 0) has 2 vertices"},
        {"OFF\n1 1 0\n0 0 0\n1 0\n", SNAG_ERROR_FORMAT, "has 1 vertex;"},
        {"OFF\n1 1 0\n0 0 0\n4000000000 0\n", SNAG_ERROR_FORMAT, "bad.off:4: the number of a face's vertices is"},
        {"OFF\n1 2 0\n0 0 0\n3 0 0 0\n", SNAG_ERROR_FORMAT, "found the end of the file"},
        {"OFF\n0 0 0\n", SNAG_ERROR_FORMAT, "no vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("bad.off", cases[i].text, cases[i].status, cases[i].words);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    const char *text = "OFF\n4 2 0\n" BODY;
    assert_int_equal(cut_everywhere("cut.off", text, strlen(text)), 1);  // without its last line end it is whole
    assert_changes_survived("cut.off", text, strlen(text));
}

static void lack_of_memory_is_a_status(void **state)
{
    (void)state;
    const char *text = "OFF\n4 2 0\n" BODY;
    assert_failing_allocations_survived("hungry.off", text, strlen(text));
}

static void a_first_word_without_its_line_end_is_read_with_a_note(void **state)
{
    (void)state;
    static const char text[] = "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(snag_io_parse_mesh("m.off", text, strlen(text), &mesh, &error), SNAG_OK);
    assert_says(&error, "m.off: no line end after its first word");
    assert_int_equal(mesh.vertex_count, 3);
    snag_io_mesh_free(&mesh);
    assert_text_refused("m.off", "OFFX 3 1 0\n", SNAG_ERROR_FORMAT, "begins with OFF");
    assert_text_refused("m.off", "4OFF3 1 0\n", SNAG_ERROR_FORMAT, "begins with OFF");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_word_without_its_line_end_is_read_with_a_note),
        cmocka_unit_test(all_spellings_of_the_header_read_alike),
        cmocka_unit_test(what_is_wrong_is_named_by_its_line),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(lack_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
