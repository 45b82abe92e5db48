// PLY: the three formats read alike, what is not needed is passed over, and no count is believed that the file cannot
// hold.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};

// A value, of whatever type, as the format wants it.
typedef struct ply_file {
    bytes b;
    bool ascii;
} ply_file;

static void begin(ply_file *file, int format, const char *header)
{
    file->b.size = 0;
    file->b.big = format == 2;
    file->ascii = format == 0;
    put_text(&file->b, "ply\nformat ");
    put_text(&file->b, formats[format]);
    put_text(&file->b, " 1.0\n");
    put_text(&file->b, header);
    put_text(&file->b, "end_header\n");
}

static void put_whole(ply_file *file, int64_t value, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%lld ", (long long)value);
    if (file->ascii)
        put_text(&file->b, text);
    else
        put_unsigned(&file->b, (uint64_t)value, size);
}

static void put_number(ply_file *file, double value, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g ", value);
    if (file->ascii)
        put_text(&file->b, text);
    else if (size == 4)
        put_f32(&file->b, (float)value);
    else
        put_f64(&file->b, value);
}

static const char rich_header[] = "comment made by hand\nobj_info none\n"
                                  "element camera 1\nproperty list ushort double view\nproperty char on\n"
                                  "element vertex 5\nproperty uchar red\nproperty float x\nproperty double z\n"
                                  "property short y\nproperty list uchar float weights\n"
                                  "element empty 4000000000\n"
                                  "element face 3\nproperty list int ushort vertex_index\nproperty float area\n"
                                  "property list uchar float texcoord\n"
                                  "element edge 2\nproperty int vertex1\nproperty int vertex2\n"
                                  "element material 1\nproperty uint id\n";

static void put_rich_body(ply_file *file)
{
    put_whole(file, 2, 2);
    put_number(file, 1.5, 8);
    put_number(file, -2.5, 8);
    put_whole(file, -1, 1);
    for (int v = 0; v < 5; v++) {
        put_whole(file, 200 + v, 1);
        put_number(file, 0.1 * v, 4);
        put_number(file, -0.375 * v, 8);
        put_whole(file, -100 * v, 2);
        put_whole(file, v, 1);
        for (int i = 0; i < v; i++)
            put_number(file, i, 4);
    }
    static const int faces[3][6] = {{3, 0, 1, 2}, {5, 4, 3, 2, 1, 0}, {4, 1, 2, 3, 4}};
    for (int f = 0; f < 3; f++) {
        put_whole(file, faces[f][0], 4);
        for (int i = 1; i <= faces[f][0]; i++)
            put_whole(file, faces[f][i], 2);
        put_number(file, 0.25, 4);
        put_whole(file, 1, 1);
        put_number(file, 0.5, 4);
    }
    for (int i = 0; i < 4; i++)
        put_whole(file, i, 4);
    put_whole(file, 4000000000, 4);
}

static void all_formats_read_alike_and_pass_over_what_is_not_needed(void **state)
{
    (void)state;
    static ply_file file;
    for (int format = 0; format < 3; format++) {
        begin(&file, format, rich_header);
        put_rich_body(&file);
        snag_io_mesh mesh = read_ok("rich.ply", file.b.data, file.b.size);
        const snag_io_body *body = only_body(&mesh);
        assert_string_equal(body->name, "rich");
        assert_int_equal(mesh.vertex_count, 5);
        assert_int_equal(mesh.face_count, 3);
        assert_int_equal(mesh.skipped, 2);
        for (int v = 0; v < 5; v++)  // x is a float in the file, in ASCII too
            assert_vertex(body, (size_t)v, (float)(0.1 * v), -100 * v, -0.375 * v);
        assert_polygon(body, 0, 0, 1, 2);
        assert_polygon(body, 1, 4, 3, 2, 1, 0);
        assert_polygon(body, 2, 1, 2, 3, 4);
        assert_sound(&mesh);
        snag_io_mesh_free(&mesh);
    }
}

static void every_type_is_read_in_every_byte_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        int64_t least, most;
    } types[] = {
        {"char", 1, -128, 127},
        {"int8", 1, -128, 127},
        {"uchar", 1, 0, 255},
        {"uint8", 1, 0, 255},
        {"short", 2, -32768, 32767},
        {"int16", 2, -32768, 32767},
        {"ushort", 2, 0, 65535},
        {"uint16", 2, 0, 65535},
        {"int", 4, INT32_MIN, INT32_MAX},
        {"int32", 4, INT32_MIN, INT32_MAX},
        {"uint", 4, 0, UINT32_MAX},
        {"uint32", 4, 0, UINT32_MAX},
    };
    static ply_file file;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int format = 0; format < 3; format++) {
            char header[200];
            snprintf(header, sizeof header, "element vertex 1\nproperty %s x\nproperty %s y\nproperty %s z\n", types[i].name,
                     types[i].name, types[i].name);
            begin(&file, format, header);
            put_whole(&file, types[i].least, types[i].size);
            put_whole(&file, types[i].most, types[i].size);
            put_whole(&file, 77, types[i].size);
            snag_io_mesh mesh = read_ok("t.ply", file.b.data, file.b.size);
            assert_vertex(only_body(&mesh), 0, (double)types[i].least, (double)types[i].most, 77);
            snag_io_mesh_free(&mesh);
        }
    static const struct {
        const char *name;
        size_t size;
    } fractions[] = {{"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    for (size_t i = 0; i < 4; i++)
        for (int format = 0; format < 3; format++) {
            char header[200];
            snprintf(header, sizeof header, "element vertex 1\nproperty %s x\nproperty %s y\nproperty %s z\n", fractions[i].name,
                     fractions[i].name, fractions[i].name);
            begin(&file, format, header);
            put_number(&file, -0.625, fractions[i].size);
            put_number(&file, 1e30, fractions[i].size);
            put_number(&file, 3, fractions[i].size);
            snag_io_mesh mesh = read_ok("t.ply", file.b.data, file.b.size);
            assert_vertex(only_body(&mesh), 0, -0.625, fractions[i].size == 4 ? (float)1e30 : 1e30, 3);
            snag_io_mesh_free(&mesh);
        }
}

static const char plain_header[] = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                                   "element face 1\nproperty list uchar int vertex_indices\n";

static void put_triangle(ply_file *file)
{
    for (int i = 0; i < 9; i++)
        put_number(file, i == 3 || i == 7, 4);
    put_whole(file, 3, 1);
    for (int i = 0; i < 3; i++)
        put_whole(file, i, 4);
}

static void lines_of_the_header_may_end_in_either_way(void **state)
{
    (void)state;
    // The first byte of the data, 0x0a, looks like the second half of a line end.
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (int i = 0; i < 3; i++) {
        bytes b = {.size = 0};
        static const char *const lines[] = {"ply",
                                            "format binary_little_endian 1.0",
                                            "element vertex 1",
                                            "property uchar x",
                                            "property uchar y",
                                            "property uchar z",
                                            "end_header"};
        for (size_t line = 0; line < sizeof lines / sizeof *lines; line++) {
            put_text(&b, lines[line]);
            put_text(&b, ends[i]);
        }
        put_text(&b, "\n\r\n");
        snag_io_mesh mesh = read_ok("t.ply", b.data, b.size);
        assert_vertex(only_body(&mesh), 0, 10, 13, 10);
        snag_io_mesh_free(&mesh);
    }
}

static void faces_may_stand_before_vertices_or_be_absent(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("t.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\n"
                                           "element vertex 3\nproperty double x\nproperty double y\nproperty double z\n"
                                           "end_header\n3 2 1 0\n0 0 0\n1 0 0\n0 1 0");
    assert_polygon(only_body(&mesh), 0, 2, 1, 0);
    assert_vertex(only_body(&mesh), 1, 1, 0, 0);
    snag_io_mesh_free(&mesh);
    mesh = read_text("t.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\n"
                              "property double z\nelement face 0\nend_header\n0.1 0 0\n");
    assert_int_equal(mesh.face_count, 0);
    assert_vertex(only_body(&mesh), 0, 0.1, 0, 0);
    snag_io_mesh_free(&mesh);
}

static void what_is_wrong_in_text_is_named_by_its_line(void **state)
{
    (void)state;
#define START "ply\nformat ascii 1.0\n"
#define VERTEX(count) "element vertex " count "\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE(count) "element face " count "\nproperty list uchar int vertex_indices\n"
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "bad.ply:1: a PLY file begins with ply, found the end of the file"},
        {"plx\n", SNAG_ERROR_FORMAT, "found 'plx'"},
        {"ply\n", SNAG_ERROR_FORMAT, "no end_header"},
        {"ply\nend_header\n", SNAG_ERROR_FORMAT, "has no format"},
        {"ply\nformat binary 1.0\n", SNAG_ERROR_FORMAT, "bad.ply:2: the format: expected"},
        {START "end_header\n", SNAG_ERROR_FORMAT, "has no element vertex"},
        {START "elements vertex 1\n", SNAG_ERROR_FORMAT, "bad.ply:3:"},
        {START "element vertex\nproperty float x\n", SNAG_ERROR_FORMAT, "bad.ply:3: an element needs a name and a count"},
        {START "element vertex -1\n", SNAG_ERROR_FORMAT, "negative"},
        {START "element vertex many\n", SNAG_ERROR_FORMAT, "found 'many'"},
        {START "element vertex 4294967295\n", SNAG_ERROR_SIZE, "bad.ply:3:"},
        {START "element vertex 99999999999999999999\n", SNAG_ERROR_SIZE, "bad.ply:3:"},
        {START "element vertex 1\nelement vertex 1\n", SNAG_ERROR_FORMAT, "bad.ply:4: the element 'vertex' is defined twice"},
        {START "property float x\n", SNAG_ERROR_FORMAT, "before the first element"},
        {START "element vertex 1\nproperty quad x\n", SNAG_ERROR_FORMAT, "found 'quad'"},
        {START "element vertex 1\nproperty list float int x\n", SNAG_ERROR_FORMAT, "cannot be a fraction"},
        {START "element vertex 1\nproperty float x\nproperty float x\n", SNAG_ERROR_FORMAT, "bad.ply:5: the element has this"},
        {START "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n", SNAG_ERROR_FORMAT,
         "bad.ply:3: a vertex has no property z"},
        {START VERTEX("1") "element face 1\nproperty list uchar int corners\nend_header\n0 0 0\n3 0 0 0\n", SNAG_ERROR_FORMAT,
         "bad.ply:7: a face has no list vertex_indices"},
        {START VERTEX("1") "element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n3 0 0 0\n",
         SNAG_ERROR_UNSUPPORTED, "bad.ply:7: triangle strips are not supported"},
        {START VERTEX("4000000000") "end_header\n0 0 0\n", SNAG_ERROR_FORMAT, "bad.ply:3: 4000000000 elements do not fit"},
        {START VERTEX("2") "end_header\n0 0 0 10 1\n", SNAG_ERROR_FORMAT, "vertex 1 (counted from 0): the file ends here"},
        {START VERTEX("2") "end_header\n0 0 0\n0 x 0\n", SNAG_ERROR_FORMAT,
         "bad.ply:9: vertex 1 (counted from 0): expected a number, found 'x'"},
        {START VERTEX("1") "end_header\n0 nan 0\n", SNAG_ERROR_NOT_FINITE, "bad.ply:8: vertex 0"},
        {START VERTEX("1") "end_header\n0 0 1e39\n", SNAG_ERROR_NOT_FINITE, "bad.ply:8: vertex 0"},
        {START VERTEX("0") "end_header\n", SNAG_ERROR_FORMAT, "no vertices"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n2 0 0\n", SNAG_ERROR_FORMAT,
         "bad.ply:11: face 0 (counted from 0): it has 2 vertices and needs 3 or more"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n1 0\n", SNAG_ERROR_FORMAT, "it has 1 vertex"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n3 0 0 1\n", SNAG_ERROR_INDEX,
         "bad.ply:11: face 0 (counted from 0): vertex 1 does not exist; there are 1"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n3 0 0 -1\n", SNAG_ERROR_INDEX, "vertex -1 does not exist"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n3 0 0 0.5\n", SNAG_ERROR_INDEX, "vertex 0.5 does not exist"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n3 0 0 nan\n", SNAG_ERROR_INDEX, "does not exist"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n-3 0 0 0\n", SNAG_ERROR_FORMAT, "a list cannot have -3 items"},
        {START VERTEX("1") FACE("1") "end_header\n0 0 0\n4000000000 0 0 0\n", SNAG_ERROR_FORMAT, "does not fit the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("bad.ply", cases[i].text, cases[i].status, cases[i].words);
}

static void what_is_wrong_in_bytes_is_named_by_its_place(void **state)
{
    (void)state;
    static ply_file file;
    for (int format = 1; format < 3; format++) {
        begin(&file, format, plain_header);
        size_t data = file.b.size;
        put_triangle(&file);
        char words[64];

        uint8_t *number = file.b.data + data + 12;  // x of vertex 1, made a NaN
        memset(number, 0xff, 4);
        snprintf(words, sizeof words, "bad.ply: byte %zu: vertex 1 (counted from 0): it is not finite", data + 12);
        assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_NOT_FINITE, words);
        memset(number, 0, 4);

        file.b.data[data + 37] = 9;  // an index, far out in one byte order and a bit in the other
        snprintf(words, sizeof words, "bad.ply: byte %zu: face 0 (counted from 0): vertex", data + 37);
        assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_INDEX, words);
        memset(file.b.data + data + 37, 0xff, 4);
        assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_INDEX, "vertex -1 does not exist");
        memset(file.b.data + data + 37, 0, 4);

        file.b.data[data + 36] = 2;
        assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_FORMAT, "it has 2 vertices");
        file.b.data[data + 36] = 200;
        assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_FORMAT, "a list of 200 items does not fit");
    }
}

// No count may lead to a block that is out of proportion to the file.
static void hostile_counts_are_refused_before_memory_is_asked_for(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "element vertex 4294967294\nproperty char x\nproperty char y\nproperty char z\n",
        "element vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
        "element face 4294967294\nproperty list uchar uchar vertex_indices\n",
        "element vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
        "element face 1\nproperty list uint char vertex_indices\n",
        "element vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
        "element junk 9223372036854775807\nproperty list uint double junk\n",
        "element vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
        "element junk 9223372036854775807\nproperty double a\nproperty double b\n",
    };
    static ply_file file;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (int format = 0; format < 3; format++) {
            begin(&file, format, headers[i]);
            put_text(&file.b, file.ascii ? "1 2 3 4294967295 1" : "\1\2\3\xff\xff\xff\xff\1");
            failing_malloc_largest();
            assert_refused("bad.ply", file.b.data, file.b.size, SNAG_ERROR_FORMAT, "fit");
            assert_true(failing_malloc_largest() < 100000);
        }
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static ply_file file;
    for (int format = 0; format < 3; format++) {
        begin(&file, format, plain_header);
        put_triangle(&file);
        // A text without its last blank is still whole.
        assert_int_equal(cut_everywhere("cut.ply", file.b.data, file.b.size), format == 0);
        assert_changes_survived("cut.ply", file.b.data, file.b.size);
        begin(&file, format, rich_header);
        put_rich_body(&file);
        cut_everywhere("cut.ply", file.b.data, file.b.size);
        assert_changes_survived("cut.ply", file.b.data, file.b.size);
    }
}

static void lack_of_memory_is_a_status(void **state)
{
    (void)state;
    static ply_file file;
    for (int format = 0; format < 3; format++) {
        begin(&file, format, rich_header);
        put_rich_body(&file);
        assert_failing_allocations_survived("hungry.ply", file.b.data, file.b.size);
    }
}

// As VCG's exporter writes it: nine colours of the wedges that the header says nothing of.
static void lines_with_more_numbers_than_declared_are_read_with_a_note(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
#define SHEET START VERTEX("4") FACE("2") "property uchar red\nend_header\n0 0 0\n1 0 0\n"
    static const char text[] = SHEET "1 1 0\n\n0 1 0\n3 0 1 2 7 9 9 9\n3 0 2 3 7 9 9 9 \n";
    assert_int_equal(parse("long.ply", text, sizeof text - 1, &mesh, &error), SNAG_OK);
    assert_says(&error, "long.ply:16: the line has more numbers than the header declares, as do 2 lines in all");
    assert_polygon(only_body(&mesh), 0, 0, 1, 2);
    assert_polygon(only_body(&mesh), 1, 0, 2, 3);
    snag_io_mesh_free(&mesh);
    // Lines that mean nothing: all in three, which is no cause for a note.
    static const char flowing[] = SHEET "1 1 0 0 1\n0 3 0 1 2 7 3 0 2\n 3 7\n";
    assert_int_equal(parse("flow.ply", flowing, sizeof flowing - 1, &mesh, &error), SNAG_OK);
    assert_string_equal(error.message, "");
    assert_polygon(only_body(&mesh), 1, 0, 2, 3);
    snag_io_mesh_free(&mesh);
    // A line for each, of which the last is too short.
    assert_text_refused("bad.ply", SHEET "1 1 0\n0 1 0\n3 0 1 2 7 9\n3 0 2\n", SNAG_ERROR_FORMAT,
                        "bad.ply:16: face 1 (counted from 0): its line has fewer numbers than the header declares");
#undef SHEET
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_read_alike_and_pass_over_what_is_not_needed),
        cmocka_unit_test(every_type_is_read_in_every_byte_order),
        cmocka_unit_test(lines_of_the_header_may_end_in_either_way),
        cmocka_unit_test(faces_may_stand_before_vertices_or_be_absent),
        cmocka_unit_test(what_is_wrong_in_text_is_named_by_its_line),
        cmocka_unit_test(what_is_wrong_in_bytes_is_named_by_its_place),
        cmocka_unit_test(hostile_counts_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(lack_of_memory_is_a_status),
        cmocka_unit_test(lines_with_more_numbers_than_declared_are_read_with_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
