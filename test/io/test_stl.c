// STL: binary and ASCII are told apart whatever the header says, and equal vertices are one.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

// A tetrahedron as a soup; one vertex is written with -0 once.
static const float corners[4][3][3] = {
    {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
    {{0, 0, 0}, {1, 0, 0}, {0, 0, 0.1f}},
    {{-0.0f, 0, -0.0f}, {0, 0, 0.1f}, {0, 1, 0}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.1f}},
};

static void make_binary(bytes *b, const char *header)
{
    char padded[80];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, header, strlen(header));
    *b = (bytes){.size = 0};
    put_raw(b, padded, sizeof padded);
    put_unsigned(b, 4, 4);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 3; i++)
            put_f32(b, NAN);  // normals say nothing
        for (int i = 0; i < 9; i++)
            put_f32(b, corners[t][i / 3][i % 3]);
        put_unsigned(b, 0x1234, 2);
    }
}

static void make_ascii(bytes *b, const char *name)
{
    char line[128];
    *b = (bytes){.size = 0};
    snprintf(line, sizeof line, "solid %s\n", name);
    put_text(b, line);
    for (int t = 0; t < 4; t++) {
        put_text(b, t % 2 ? "  facet normal -nan(ind) 0 1\r\n outer loop\r\n" : "FACET NORMAL 0 0 1\n  OUTER LOOP\n");
        for (int i = 0; i < 3; i++) {
            const float *p = corners[t][i];
            snprintf(line, sizeof line, "vertex %.9g %.9e %.9g\n", p[0], p[1], p[2]);
            put_text(b, line);
        }
        put_text(b, "endloop\nendfacet\n");
    }
    put_text(b, "endsolid of that name\n");
}

static void assert_tetrahedron(const snag_io_mesh *mesh, double height)
{
    const snag_io_body *body = only_body(mesh);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->face_count, 4);
    assert_vertex(body, 0, 0, 0, 0);
    assert_vertex(body, 1, 0, 1, 0);
    assert_vertex(body, 2, 1, 0, 0);
    assert_vertex(body, 3, 0, 0, height);
    assert_polygon(body, 0, 0, 1, 2);
    assert_polygon(body, 1, 0, 2, 3);
    assert_polygon(body, 2, 0, 3, 1);
    assert_polygon(body, 3, 2, 1, 3);
    assert_sound(mesh);
}

static void binary_is_binary_whatever_its_header_says(void **state)
{
    (void)state;
    static const char *const headers[] = {"", "solid cube", "binary", "solid\nfacet normal 0 0 1\n"};
    static bytes b;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        make_binary(&b, headers[i]);
        snag_io_mesh mesh = read_ok("some/tet.stl", b.data, b.size);
        assert_string_equal(only_body(&mesh)->name, "tet");
        assert_tetrahedron(&mesh, 0.1f);
        snag_io_mesh_free(&mesh);
    }
    // Bytes after the last triangle are let pass.
    put_text(&b, "made by a tool");
    memcpy(b.data, "      ", 6);
    snag_io_mesh mesh = read_ok("tet.stl", b.data, b.size);
    assert_tetrahedron(&mesh, 0.1f);
    snag_io_mesh_free(&mesh);
}

static void ascii_is_read_with_any_name(void **state)
{
    (void)state;
    static const char *const names[] = {"", "tet", "a name of words", "solid facet vertex", "\xc3\xa9\xff"};
    static bytes b;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_ascii(&b, names[i]);
        snag_io_mesh mesh = read_ok("tet.stl", b.data, b.size);
        // 9 digits of a float are another double than the float.
        assert_tetrahedron(&mesh, 0.100000001);
        snag_io_mesh_free(&mesh);
    }
}

static void several_solids_are_one_body(void **state)
{
    (void)state;
    static bytes b;
    make_ascii(&b, "one");
    size_t size = b.size;
    memcpy(b.data + size, b.data, size);
    snag_io_mesh mesh = read_ok("two.stl", b.data, 2 * size);
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.face_count, 8);
    assert_int_equal(mesh.body_count, 1);
    snag_io_mesh_free(&mesh);
}

static void what_is_wrong_in_text_is_named_by_its_line(void **state)
{
    (void)state;
#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "bad.stl: is not STL"},
        {"solids\n", SNAG_ERROR_FORMAT, "bad.stl: is not STL"},
        {"solid x\nendsolid\n", SNAG_ERROR_FORMAT, "no vertices"},
        {"solid x\n", SNAG_ERROR_FORMAT, "ends without \"endsolid\""},
        {"solid x\n" FACET "vertex 0 1 0\nendloop\nendfacet\n", SNAG_ERROR_FORMAT, "ends without \"endsolid\""},
        {"solid x\n" FACET "endloop\nendfacet\nendsolid\n", SNAG_ERROR_FORMAT, "bad.stl:6: expected \"vertex\", found 'endloop'"},
        {"solid x\n" FACET "vertex 0 1 0\nvertex 1 1 0\nendloop\nendfacet\nendsolid\n", SNAG_ERROR_FORMAT,
         "bad.stl:7: expected \"endloop\", found 'vertex'"},
        {"solid x\n" FACET "vertex 0 1 nan\n", SNAG_ERROR_NOT_FINITE, "bad.stl:6: a coordinate of a vertex is not finite"},
        {"solid x\n" FACET "vertex 0 1\nendloop\n", SNAG_ERROR_FORMAT, "found 'endloop'"},
        {"solid x\nvertex 0 0 0\n", SNAG_ERROR_FORMAT, "bad.stl:2: expected \"facet\" or \"endsolid\""},
        {"solid x\nendsolid\nfacet\n", SNAG_ERROR_FORMAT, "bad.stl:3: expected \"solid\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("bad.stl", cases[i].text, cases[i].status, cases[i].words);
}

static void what_is_wrong_in_bytes_is_named_by_its_place(void **state)
{
    (void)state;
    static bytes b;
    make_binary(&b, "solid");
    uint8_t infinite[4] = {0, 0, 0x80, 0x7f};
    memcpy(b.data + 84 + 50 + 12 + 12, infinite, 4);
    assert_refused("bad.stl", b.data, b.size, SNAG_ERROR_NOT_FINITE,
                   "bad.stl: byte 158: a vertex of triangle 1 (counted from 0) is not finite: inf");
    make_binary(&b, "solid");
    assert_refused("bad.stl", b.data, b.size - 1, SNAG_ERROR_FORMAT, "promises 4 triangles, but has 3");
    memset(b.data + 80, 0xff, 4);
    failing_malloc_largest();
    assert_refused("bad.stl", b.data, b.size, SNAG_ERROR_FORMAT, "promises 4294967295 triangles, but has 4");
    assert_true(failing_malloc_largest() < 100000);
    memset(b.data + 80, 0, 4);
    assert_refused("bad.stl", b.data, 84, SNAG_ERROR_FORMAT, "no vertices");
    assert_refused("bad.stl", "abc", 3, SNAG_ERROR_FORMAT, "has 3 bytes where binary STL has at least 84");
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static bytes b;
    make_binary(&b, "solid cube");
    assert_int_equal(cut_everywhere("cut.stl", b.data, b.size), 0);
    assert_changes_survived("cut.stl", b.data, b.size);
    make_ascii(&b, "cube");
    size_t after_word = strlen("\n") + strlen(" of that name");
    assert_int_equal(cut_everywhere("cut.stl", b.data, b.size), after_word);  // what follows "endsolid" is not needed
    assert_changes_survived("cut.stl", b.data, b.size);
}

static void lack_of_memory_is_a_status(void **state)
{
    (void)state;
    static bytes b;
    make_binary(&b, "");
    assert_failing_allocations_survived("hungry.stl", b.data, b.size);
    make_ascii(&b, "");
    assert_failing_allocations_survived("hungry.stl", b.data, b.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_is_binary_whatever_its_header_says),
        cmocka_unit_test(ascii_is_read_with_any_name),
        cmocka_unit_test(several_solids_are_one_body),
        cmocka_unit_test(what_is_wrong_in_text_is_named_by_its_line),
        cmocka_unit_test(what_is_wrong_in_bytes_is_named_by_its_place),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(lack_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
