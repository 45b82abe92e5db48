// Medit: what is read, what is passed over, and what is refused.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

static const char volume[] = "MeshVersionFormatted 2\n"
                             "# a comment\n"
                             "Dimension\n3\n"
                             "Vertices 5  # five of them\n"
                             "0 0 0 1\n1.5 0 0 1\n0 2e-3 0 1\n0 0 -4 1\n1 1 1 2\n"
                             "Edges\n2\n1 2 0\n2 3 0\n"
                             "Ridges\n1\n1\n"
                             "Triangles\n1\n1 2 3 7\n"
                             "Tetrahedra\n2\n1 2 3 4 0\n5 2 3 4 0\n"
                             "SolAtVertices 1 1\nnan 0.5 inf\n"
                             "End\n";

static void read_whole(const char *text, snag_io_mesh *mesh)
{
    snag_io_error error;
    if (parse("dir/bar.mesh", text, strlen(text), mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(mesh->body_count, 1);
    assert_string_equal(mesh->bodies[0].name, "bar");
}

static void tetrahedra_make_a_volume(void **state)
{
    (void)state;
    static const double positions[] = {0, 0, 0, 1.5, 0, 0, 0, 2e-3, 0, 0, 0, -4, 1, 1, 1};
    static const uint32_t tets[] = {0, 1, 2, 3, 4, 1, 2, 3};
    snag_io_mesh mesh;
    read_whole(volume, &mesh);
    const snag_io_body *body = &mesh.bodies[0];
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.tet_count, 2);
    assert_int_equal(mesh.face_count, 0);
    assert_int_equal(mesh.skipped, 3);  // two edges, and the triangle that repeats the boundary
    assert_memory_equal(body->positions, positions, sizeof positions);
    assert_memory_equal(body->tets, tets, sizeof tets);
    assert_null(body->vertex_numbers);
    assert_null(body->tet_numbers);
    snag_io_mesh_free(&mesh);
}

static void faces_alone_make_a_surface(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 3, 3}, corners[] = {0, 1, 2, 3, 0, 1, 2, 3, 2, 1};
    // No End, references left out, words in any case, more than one element in a line, lines of Windows.
    static const char *texts[] = {
        "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n"
        "Quadrilaterals\n1\n1 2 3 4 9\nTriangles\n2\n1 2 3 9\n4 3 2 9\n",
        "MeshVersionFormatted 1\nVertices\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nQuadrilaterals\n1\n1 2 3 4\nTriangles\n2\n1 "
        "2 3\n4 3 2\nEnd",
        "meshversionformatted 1 dimension 3 vertices 4 0 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 quadrilaterals 1 1 2 3 4 9 "
        "triangles 2 1 2 3 9 4 3 2 9 end",
        "MeshVersionFormatted 1\r\nDimension\r\n3\r\nVertices\r\n4\r\n0 0 0 0\r\n1 0 0 0\r\n1 1 0 0\r\n0 1 0 0\r\n"
        "Quadrilaterals\r\n1\r\n1 2 3 4 9\r\nTriangles\r\n2\r\n1 2 3 9\r\n4 3 2 9\r\nEnd\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snag_io_mesh mesh;
        read_whole(texts[i], &mesh);
        const snag_io_body *body = &mesh.bodies[0];
        assert_int_equal(mesh.face_count, 3);
        assert_int_equal(mesh.skipped, 0);
        assert_memory_equal(body->polygon_sizes, sizes, sizeof sizes);
        assert_memory_equal(body->polygon_vertices, corners, sizeof corners);
        assert_null(body->polygon_numbers);
        snag_io_mesh_free(&mesh);
    }
}

static void every_prefix_is_refused_or_whole(void **state)
{
    (void)state;
    // Without the closing word a file that ends with a whole section cannot be told from one that is cut off there;
    // what is cut off inside a section or a line can.
    size_t size = strlen(volume);
    for (size_t length = 0; length < size; length++) {
        snag_io_mesh mesh;
        snag_io_error error;
        snag_status status = parse("x.mesh", volume, length, &mesh, &error);
        bool at_line = length > 0 && volume[length - 1] == '\n';
        if (length + 1 < size && !at_line)
            assert_int_not_equal(status, SNAG_OK);
        if (status == SNAG_OK)
            assert_true(mesh.vertex_count == 5 && (mesh.tet_count == 0 || mesh.tet_count == 2));
        snag_io_mesh_free(&mesh);
    }
}

static void no_changed_byte_does_harm(void **state)
{
    (void)state;
    assert_changes_survived("x.mesh", volume, strlen(volume));
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    assert_failing_allocations_survived("x.mesh", volume, strlen(volume));
}

#define HEAD "MeshVersionFormatted 1\nDimension 3\n"
#define THREE "Vertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"

static void damage_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "x.mesh:1: a Medit file begins with"},
        {"solid\n", SNAG_ERROR_FORMAT, "'solid'"},
        {"MeshVersionFormatted 1\nDimension 2\n", SNAG_ERROR_UNSUPPORTED, "x.mesh:2: a mesh of dimension 2"},
        {HEAD, SNAG_ERROR_FORMAT, "no Vertices"},
        {HEAD "End\n", SNAG_ERROR_FORMAT, "no Vertices"},
        {HEAD "Vertices\n0\nEnd\n", SNAG_ERROR_FORMAT, "no vertices"},
        {HEAD "Vertices\n-1\nEnd\n", SNAG_ERROR_FORMAT, "x.mesh:4: the number of vertices is negative"},
        {HEAD "Vertices\n4294967295\n0 0 0 0\n", SNAG_ERROR_SIZE, "x.mesh:4: the number of vertices"},
        {HEAD "Vertices\n99999999999999999999999\n0 0 0 0\n", SNAG_ERROR_SIZE, "x.mesh:4: the number of vertices"},
        {HEAD "Vertices\n1\n0 nan 0 0\nEnd\n", SNAG_ERROR_NOT_FINITE, "x.mesh:5: y of a vertex is not finite"},
        {HEAD "Vertices\n1\n0 0 -inf 0\nEnd\n", SNAG_ERROR_NOT_FINITE, "x.mesh:5: z of a vertex"},
        {HEAD "Vertices\n1\n0 0 End\n", SNAG_ERROR_FORMAT, "x.mesh:5: z of a vertex: expected a number"},
        {HEAD THREE "Triangles\n1\n1 2 4 0\nEnd\n", SNAG_ERROR_INDEX, "x.mesh:10: vertex 4 does not exist"},
        {HEAD THREE "Triangles\n1\n0 1 2 0\nEnd\n", SNAG_ERROR_INDEX, "x.mesh:10: vertex 0 does not exist"},
        {HEAD THREE "Triangles\n1\n-1 1 2 0\nEnd\n", SNAG_ERROR_INDEX, "x.mesh:10: vertex -1 does not exist"},
        {HEAD THREE "Tetrahedra\n1\n1 2 3 4294967297 0\nEnd\n", SNAG_ERROR_INDEX, "4294967297"},
        {HEAD THREE "Triangles\n2\n1 2 3 0\nEnd\n", SNAG_ERROR_FORMAT, "x.mesh:11: a vertex of an element"},
        {HEAD THREE "Triangles\n99999\n1 2 3 0\nEnd\n", SNAG_ERROR_SIZE, "x.mesh:9: the number of elements"},
        {HEAD THREE "Edges\n99999\n1 2 0\nEnd\n", SNAG_ERROR_SIZE, "x.mesh:9: the number of elements"},
        {HEAD THREE "Triangles\n1\n1 2 x 0\nEnd\n", SNAG_ERROR_FORMAT, "whole number"},
        {HEAD THREE "Triangles\n1\n1 2 3 0\n1 2 3 0\nEnd\n", SNAG_ERROR_FORMAT, "x.mesh:11: expected a keyword"},
        {HEAD "Triangles\n1\n1 2 3 0\n" THREE, SNAG_ERROR_FORMAT, "x.mesh:3: elements come before Vertices"},
        {HEAD THREE "Triangles\n1\n1 2 3", SNAG_ERROR_FORMAT, "cut off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.mesh", cases[i].text, cases[i].status, cases[i].words);
}

static void listed_meshes_have_the_listed_counts(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    assert_int_equal(check_listed_tets(folder, ".mesh"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_make_a_volume),
        cmocka_unit_test(faces_alone_make_a_surface),
        cmocka_unit_test(every_prefix_is_refused_or_whole),
        cmocka_unit_test(no_changed_byte_does_harm),
        cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(damage_is_named_with_its_line),
        cmocka_unit_test(listed_meshes_have_the_listed_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
