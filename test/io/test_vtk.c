// Legacy VTK: small grids and polygons put into all forms of the format by hand.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <math.h>

// ---- one mesh in many forms ----

typedef struct form {
    bool binary;
    bool offsets;  // cells as version 5 writes them
    bool floats;  // points are float, else double
    bool extras;  // FIELD, METADATA and data around what is read
} form;

static const form forms[] = {
    {false, false, false, false}, {false, false, true, true}, {false, true, false, true}, {false, true, true, false},
    {true, false, false, false},  {true, false, true, true},  {true, true, false, true},  {true, true, true, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct cell {
    int type;
    int count;
    int points[10];
} cell;

enum { POINTS = 10 };

static double coordinate(int point, int axis)
{
    return (point * 3 + axis) * 0.125 - 0.75;  // the same as float and as double
}

static void put_line(bytes *b, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_text(b, text);
}

static void put_integer(bytes *b, const form *f, int64_t value, size_t size)
{
    if (f->binary)
        put_unsigned(b, (uint64_t)value, size);
    else
        put_line(b, "%lld ", (long long)value);
}

static void put_metadata(bytes *b, const form *f)
{
    if (f->extras)
        put_text(b, "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1.73205\n\n");
}

static void put_head(bytes *b, const form *f, const char *dataset)
{
    *b = (bytes){.big = true};  // of either machine
    put_line(b, "# vtk DataFile Version %s\nPOINTS in a title\n%s\nDATASET %s\n", f->offsets ? "5.1" : "3.0",
             f->binary ? "BINARY" : "ASCII", dataset);
    if (!f->extras)
        return;
    put_text(b, "FIELD FieldData 2\nTIME 1 1 double\n");
    f->binary ? put_f64(b, 0.5) : put_text(b, "0.5");
    put_text(b, "\n");
    put_metadata(b, f);
    put_text(b, "FLAGS 3 3 bit\n");
    f->binary ? put_raw(b, "\1\1", 2) : put_text(b, "1 0 1 0 1 0 0 0 0");
    put_text(b, "\n");
}

static void put_points(bytes *b, const form *f)
{
    put_line(b, "POINTS %d %s\n", POINTS, f->floats ? "float" : "double");
    for (int p = 0; p < POINTS; p++)
        for (int axis = 0; axis < 3; axis++) {
            double value = coordinate(p, axis);
            if (!f->binary)
                put_line(b, "%.17g%s", value, axis == 2 ? "\n" : " ");
            else if (f->floats)
                put_f32(b, (float)value);
            else
                put_f64(b, value);
        }
    put_text(b, "\n");
    put_metadata(b, f);
}

static void put_cells(bytes *b, const form *f, const char *heading, const cell *cells, int count)
{
    int corners = 0;
    for (int i = 0; i < count; i++)
        corners += cells[i].count;
    if (f->offsets) {
        put_line(b, "%s %d %d\nOFFSETS vtktypeint64\n", heading, count + 1, corners);
        int64_t offset = 0;
        put_integer(b, f, offset, 8);
        for (int i = 0; i < count; i++)
            put_integer(b, f, offset += cells[i].count, 8);
        put_text(b, "\nCONNECTIVITY int\n");
        for (int i = 0; i < count; i++)
            for (int k = 0; k < cells[i].count; k++)
                put_integer(b, f, cells[i].points[k], 4);
    } else {
        put_line(b, "%s %d %d\n", heading, count, corners + count);
        for (int i = 0; i < count; i++) {
            put_integer(b, f, cells[i].count, 4);
            for (int k = 0; k < cells[i].count; k++)
                put_integer(b, f, cells[i].points[k], 4);
        }
    }
    put_text(b, "\n");
}

static void put_data(bytes *b, const form *f)
{
    if (f->extras)
        put_text(b, "CELL_DATA 3\nSCALARS anything at all\nLOOKUP_TABLE \xff\x01 nonsense\n");
}

static void make_grid(bytes *b, const form *f, const cell *cells, int count)
{
    put_head(b, f, "UNSTRUCTURED_GRID");
    put_points(b, f);
    put_cells(b, f, "CELLS", cells, count);
    put_line(b, "CELL_TYPES %d\n", count);
    for (int i = 0; i < count; i++)
        put_integer(b, f, cells[i].type, 4);
    put_text(b, "\n");
    put_data(b, f);
}

static void read_whole(const bytes *b, snag_io_mesh *mesh)
{
    snag_io_error error;
    if (parse("sub/grid.vtk", b->data, b->size, mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(mesh->body_count, 1);
    assert_int_equal(mesh->vertex_count, POINTS);
    const snag_io_body *body = &mesh->bodies[0];
    assert_string_equal(body->name, "grid");
    assert_null(body->vertex_numbers);
    for (int p = 0; p < POINTS; p++)
        for (int axis = 0; axis < 3; axis++)
            assert_true(body->positions[3 * p + axis] == coordinate(p, axis));
}

static const cell mixed[] = {
    {1, 1, {4}},
    {10, 4, {0, 1, 2, 3}},
    {5, 3, {0, 1, 2}},
    {9, 4, {0, 1, 2, 3}},
    {24, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {10, 4, {9, 8, 7, 6}},
    {12, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
};
static const cell faces[] = {
    {5, 3, {0, 1, 2}}, {7, 5, {0, 1, 2, 3, 4}}, {3, 2, {0, 1}}, {9, 4, {9, 8, 7, 6}}, {6, 5, {0, 1, 2, 3, 4}},
};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// ---- tests ----

static void tetrahedra_make_a_volume_in_every_form(void **state)
{
    (void)state;
    // The second is of second order, the last six are the hexahedron, whose lowest corner is 0.
    static const uint32_t tets[] = {0, 1, 2, 3, 0, 1, 2, 3, 9, 8, 7, 6, 0, 4, 5, 6, 0, 4,
                                    6, 7, 0, 1, 2, 6, 0, 1, 6, 5, 0, 2, 3, 7, 0, 2, 7, 6};
    static const uint32_t numbers[] = {0, 1, 2, 3, 3, 3, 3, 3, 3};
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make_grid(&b, &forms[i], mixed, COUNT(mixed));
        snag_io_mesh mesh;
        read_whole(&b, &mesh);
        assert_int_equal(mesh.tet_count, 9);
        assert_int_equal(mesh.face_count, 0);
        assert_int_equal(mesh.skipped, 3);  // the point, and the triangle and the quad, which are faces of the others
        assert_int_equal(mesh.left_out, 0);
        assert_int_equal(mesh.curved, 1);
        assert_memory_equal(mesh.bodies[0].tets, tets, sizeof tets);
        assert_memory_equal(mesh.bodies[0].tet_numbers, numbers, sizeof numbers);
        snag_io_mesh_free(&mesh);
    }
}

static void faces_alone_make_a_surface_in_every_form(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {3, 5, 4, 3, 3, 3};
    // The strip 0 1 2 3 4 is 012, 213 and 234: all turn the same way.
    static const uint32_t corners[] = {0, 1, 2, 0, 1, 2, 3, 4, 9, 8, 7, 6, 0, 1, 2, 2, 1, 3, 2, 3, 4};
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make_grid(&b, &forms[i], faces, COUNT(faces));
        snag_io_mesh mesh;
        read_whole(&b, &mesh);
        assert_int_equal(mesh.face_count, 6);
        assert_int_equal(mesh.skipped, 1);
        assert_memory_equal(mesh.bodies[0].polygon_sizes, sizes, sizeof sizes);
        assert_memory_equal(mesh.bodies[0].polygon_vertices, corners, sizeof corners);
        assert_null(mesh.bodies[0].polygon_numbers);
        snag_io_mesh_free(&mesh);
    }
}

static void make_polydata(bytes *b, const form *f)
{
    static const cell vertices[] = {{0, 2, {0, 1}}}, lines[] = {{0, 2, {0, 1}}, {0, 3, {0, 1, 2}}};
    static const cell polygons[] = {{0, 4, {0, 1, 2, 3}}, {0, 3, {4, 5, 6}}}, strips[] = {{0, 4, {6, 7, 8, 9}}};
    put_head(b, f, "POLYDATA");
    put_points(b, f);
    put_cells(b, f, "VERTICES", vertices, COUNT(vertices));
    put_cells(b, f, "LINES", lines, COUNT(lines));
    put_metadata(b, f);
    put_cells(b, f, "POLYGONS", polygons, COUNT(polygons));
    put_cells(b, f, "TRIANGLE_STRIPS", strips, COUNT(strips));
    put_data(b, f);
}

static void polydata_makes_a_surface_in_every_form(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {4, 3, 3, 3}, corners[] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 8, 7, 9};
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make_polydata(&b, &forms[i]);
        snag_io_mesh mesh;
        read_whole(&b, &mesh);
        assert_int_equal(mesh.face_count, 4);
        assert_int_equal(mesh.skipped + mesh.edge_count + mesh.point_count, 5);
        assert_memory_equal(mesh.bodies[0].polygon_sizes, sizes, sizeof sizes);
        assert_memory_equal(mesh.bodies[0].polygon_vertices, corners, sizeof corners);
        snag_io_mesh_free(&mesh);
    }
}

// The last type is 12: cut to 1 it would be a vertex, which cannot have eight points.
static void every_prefix_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        form plain = forms[i];
        plain.extras = false;
        make_grid(&b, &plain, mixed, COUNT(mixed));
        assert_prefixes_refused("x.vtk", b.data, b.size, b.size - (plain.binary ? 1 : 2));
        make_polydata(&b, &forms[i]);
        // No list of polygons must follow, so a file that ends after one is whole; no other prefix does harm.
        assert_prefixes_refused("x.vtk", b.data, b.size, 0);
    }
}

static void no_changed_byte_does_harm(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make_grid(&b, &forms[i], mixed, COUNT(mixed));
        assert_changes_survived("x.vtk", b.data, b.size);
        make_polydata(&b, &forms[i]);
        assert_changes_survived("x.vtk", b.data, b.size);
    }
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    static bytes b;
    make_grid(&b, &forms[2], mixed, COUNT(mixed));
    assert_failing_allocations_survived("x.vtk", b.data, b.size);
    make_polydata(&b, &forms[0]);
    assert_failing_allocations_survived("x.vtk", b.data, b.size);
}

#define HEAD "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POLY "# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET POLYDATA\n"
#define FOUR "POINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"

static void damage_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "x.vtk:1: a legacy VTK file begins with"},
        {"<VTKFile type=\"PolyData\">\n", SNAG_ERROR_FORMAT, "legacy VTK"},
        {"# vtk DataFile Version 9.0\ntitle\nASCII\n", SNAG_ERROR_UNSUPPORTED, "version"},
        {"# vtk DataFile Version 2.0\ntitle\nTEXT\n", SNAG_ERROR_FORMAT, "x.vtk:3: expected ASCII or BINARY"},
        {"# vtk DataFile Version 2.0\ntitle\nASCII\nPOINTS\n", SNAG_ERROR_FORMAT, "x.vtk:4: expected DATASET"},
        {"# vtk DataFile Version 2.0\ntitle\nASCII\nDATASET STRUCTURED_POINTS\n", SNAG_ERROR_UNSUPPORTED, "'STRUCTURED_POINTS'"},
        {HEAD, SNAG_ERROR_FORMAT, "ends before its POINTS"},
        {HEAD FOUR, SNAG_ERROR_FORMAT, "ends before its CELLS"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 3\n", SNAG_ERROR_FORMAT, "ends before its CELL_TYPES"},
        {HEAD FOUR FOUR, SNAG_ERROR_FORMAT, "x.vtk:10: there is a second list of POINTS"},
        {HEAD "CELLS 1 5\n4 0 1 2 3\n", SNAG_ERROR_FORMAT, "x.vtk:5: cells come before POINTS"},
        {HEAD "POINTS 4 string\n", SNAG_ERROR_UNSUPPORTED, "x.vtk:5: values of type 'string'"},
        {HEAD "POINTS 4 bit\n", SNAG_ERROR_UNSUPPORTED, "type bit"},
        {HEAD "POINTS 99999999 float\n0 0 0\n", SNAG_ERROR_SIZE, "x.vtk:5: the coordinates of POINTS"},
        {HEAD "POINTS 99999999999999999999 float\n0 0 0\n", SNAG_ERROR_SIZE, "x.vtk:5: the number of points"},
        {HEAD "POINTS -4 float\n0 0 0\n", SNAG_ERROR_FORMAT, "x.vtk:5: the number of points is negative"},
        {HEAD "POINTS 0 float\nCELLS 0 0\nCELL_TYPES 0\n", SNAG_ERROR_FORMAT, "no vertices"},
        {HEAD "POINTS 1 float\n0 nan 0\n", SNAG_ERROR_NOT_FINITE, "x.vtk:6: point 0"},
        {HEAD "POINTS 1 float\n0 0 inf\n", SNAG_ERROR_NOT_FINITE, "x.vtk:6: point 0"},
        {HEAD "POINTS 1 float\n0 0 CELLS\n", SNAG_ERROR_FORMAT, "x.vtk:6: z of a point: expected a number"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", SNAG_ERROR_INDEX,
         "x.vtk:11: cell 0 names point 4, which does not exist"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", SNAG_ERROR_INDEX, "names point -1"},
        {HEAD FOUR "CELLS 1 4\n4 0 1 2 3\nCELL_TYPES 1\n10\n", SNAG_ERROR_FORMAT, "x.vtk:11: cell 0 has 4 points, but 3 are left"},
        {HEAD FOUR "CELLS 1 5\n-4 0 1 2 3\nCELL_TYPES 1\n10\n", SNAG_ERROR_FORMAT, "cell 0 has -4 points"},
        {HEAD FOUR "CELLS 1 6\n4 0 1 2 3\nCELL_TYPES 1\n10\n", SNAG_ERROR_FORMAT, "1 fewer points"},
        {HEAD FOUR "CELLS 6 5\n4 0 1 2 3\n", SNAG_ERROR_FORMAT, "6 cells need more than 5 numbers"},
        {HEAD FOUR "CELLS 1 4000000000\n4 0 1 2 3\n", SNAG_ERROR_SIZE, "these cells"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", SNAG_ERROR_FORMAT, "there are 1 CELLS, but 2 CELL_TYPES"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n5\n", SNAG_ERROR_FORMAT, "cell 0 (counted from 0) of type 5 has 4 points"},
        {HEAD FOUR "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n7\n", SNAG_ERROR_FORMAT, "type 7 has 2 points"},
        {HEAD FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n-1\n", SNAG_ERROR_FORMAT, "cell type -1"},
        {HEAD FOUR "CELL_TYPES 1\n10\n", SNAG_ERROR_FORMAT, "must follow CELLS"},
        {HEAD FOUR "POLYGONS 1 4\n3 0 1 2\n", SNAG_ERROR_FORMAT, "x.vtk:10: unexpected 'POLYGONS'"},
        {HEAD FOUR "CELLS 2 4\nOFFSETS int\n0 4\nPOINTS", SNAG_ERROR_FORMAT, "x.vtk:13: expected CONNECTIVITY"},
        {HEAD FOUR "CELLS 2 4\nOFFSETS float\n0 4\n", SNAG_ERROR_FORMAT, "OFFSETS must be whole numbers"},
        {HEAD FOUR "CELLS 2 4\nOFFSETS int\n1 4\nCONNECTIVITY int\n0 1 2 3\n", SNAG_ERROR_FORMAT, "rise from 0 to 4"},
        {HEAD FOUR "CELLS 3 4\nOFFSETS int\n0 4 3\nCONNECTIVITY int\n0 1 2 3\n", SNAG_ERROR_FORMAT, "found 3"},
        {HEAD FOUR "CELLS 4 4\nOFFSETS int\n0 4 2 4\nCONNECTIVITY int\n0 1 2 3\n", SNAG_ERROR_FORMAT, "found 2"},
        {HEAD FOUR "CELLS 3 4\nOFFSETS int\n0 5 4\nCONNECTIVITY int\n0 1 2 3\n", SNAG_ERROR_FORMAT, "found 5"},
        {HEAD FOUR "CELLS 2 4\nOFFSETS int\n0 3\nCONNECTIVITY int\n0 1 2 3\n", SNAG_ERROR_FORMAT, "found 3"},
        {HEAD FOUR "CELLS 2 4000000000\nOFFSETS int\n0 4\n", SNAG_ERROR_SIZE, "CONNECTIVITY"},
        {HEAD FOUR "CELLS 4000000000 4\nOFFSETS int\n0 4\n", SNAG_ERROR_SIZE, "OFFSETS"},
        {HEAD "FIELD a 1\nx 4000000000 4000000000 double\n1\n" FOUR, SNAG_ERROR_SIZE, "values of an array"},
        {HEAD "FIELD a 4000000000\n", SNAG_ERROR_FORMAT, "last array of a FIELD"},
        {POLY FOUR "POLYGONS 1 3\n2 0 1\n", SNAG_ERROR_FORMAT, "has 2 points"},
        {POLY FOUR "TRIANGLE_STRIPS 1 3\n2 0 1\n", SNAG_ERROR_FORMAT, "has 2 points"},
        {POLY FOUR "CELLS 1 4\n3 0 1 2\n", SNAG_ERROR_FORMAT, "'CELLS'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.vtk", cases[i].text, cases[i].status, cases[i].words);
}

static void binary_values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    static const char heading[] = " double\n";
    for (int i = 4; i < 6; i++) {  // a binary form of double, and one of float
        static bytes b;
        make_grid(&b, &forms[i], mixed, COUNT(mixed));
        size_t size = b.size;
        for (size_t at = 0; at + 8 < size; at++)
            if (memcmp(b.data + at, "POINTS 10", 9) == 0) {
                b.size = at + 10 + (i == 4 ? sizeof heading - 1 : sizeof " float\n" - 1) - 1 + (i == 4 ? 8 : 4) * 7;
                i == 4 ? put_f64(&b, NAN) : put_f32(&b, -INFINITY);
            }
        b.size = size;
        assert_refused("x.vtk", b.data, b.size, SNAG_ERROR_NOT_FINITE, "point 2");
    }
}

static void points_may_be_whole_numbers(void **state)
{
    (void)state;
    static bytes b;
    b = (bytes){.big = true};
    put_text(&b, "# vtk DataFile Version 4.2\nt\nBINARY\nDATASET POLYDATA\nPOINTS 3 short\n");
    static const int values[] = {0, -1, 2, 300, -32768, 5, 6, 7, 8};
    for (int i = 0; i < 9; i++)
        put_unsigned(&b, (uint16_t)values[i], 2);
    put_text(&b, "\nPOLYGONS 1 4\n");
    static const int polygon[] = {3, 0, 1, 2};
    for (int i = 0; i < 4; i++)
        put_i32(&b, polygon[i]);
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(parse("x.vtk", b.data, b.size, &mesh, &error), SNAG_OK);
    for (int i = 0; i < 9; i++)
        assert_true(mesh.bodies[0].positions[i] == values[i]);
    assert_int_equal(mesh.face_count, 1);
    assert_null(mesh.bodies[0].polygon_sizes);
    snag_io_mesh_free(&mesh);
}

static void listed_meshes_have_the_listed_counts(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    assert_int_equal(check_listed_tets(folder, ".vtk"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_make_a_volume_in_every_form),
        cmocka_unit_test(faces_alone_make_a_surface_in_every_form),
        cmocka_unit_test(polydata_makes_a_surface_in_every_form),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(no_changed_byte_does_harm),
        cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(damage_is_named_with_its_line),
        cmocka_unit_test(binary_values_that_are_not_finite_are_refused),
        cmocka_unit_test(points_may_be_whole_numbers),
        cmocka_unit_test(listed_meshes_have_the_listed_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
