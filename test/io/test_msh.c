// Gmsh: one small mesh put into all forms of the format by hand.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

// ---- one mesh in many forms ----

typedef struct form {
    bool v4;
    bool binary;
    bool big;
    size_t size;  // bytes of a count in a binary file of version 4
} form;

static const form forms[] = {
    {false, false, false, 0}, {false, true, false, 0}, {false, true, true, 0}, {true, false, false, 0},
    {true, true, false, 8},   {true, true, true, 8},   {true, true, false, 4}, {true, true, true, 4},
};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct element {
    int type;
    int count;
    int nodes[10];  // by their place in the file
} element;

enum { NODES = 12 };
static const element point = {15, 1, {4}}, line = {1, 2, {0, 1}}, triangle = {2, 3, {3, 1, 0}}, quad = {3, 4, {0, 1, 4, 2}};
static const element tet = {4, 4, {0, 1, 2, 3}}, other_tet = {4, 4, {4, 1, 2, 3}}, prism = {6, 6, {0, 1, 2, 3, 4, 5}};
static const element curved_tet = {11, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, curved_triangle = {9, 6, {0, 1, 2, 3, 4, 5}};

static const uint64_t dense_tags[NODES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const uint64_t shuffled_tags[NODES] = {12, 2, 30, 4, 5, 17, 7, 8, 9, 10, 11, 1};
static const uint64_t sparse_tags[NODES] = {70, 2000000001, 3, 12, 5, 99, 1, 8, 1000, 1001, 1500000000, 4};

static double coordinate(int node, int axis)
{
    return (node * 3 + axis) * 0.1 - 0.7;
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

static void put_size(bytes *b, const form *f, uint64_t value)
{
    if (f->binary)
        put_unsigned(b, value, f->v4 ? f->size : 4);
    else
        put_line(b, "%llu ", (unsigned long long)value);
}

static void put_int(bytes *b, const form *f, int value)
{
    if (f->binary)
        put_i32(b, value);
    else
        put_line(b, "%d ", value);
}

static void put_break(bytes *b, const form *f)
{
    if (!f->binary)
        put_text(b, "\n");
}

static void put_position(bytes *b, const form *f, int node)
{
    for (int axis = 0; axis < 3; axis++)
        if (f->binary)
            put_f64(b, coordinate(node, axis));
        else
            put_line(b, "%.17g ", coordinate(node, axis));
}

static void put_format(bytes *b, const form *f)
{
    *b = (bytes){.big = f->big};
    put_line(b, "$MeshFormat\n%s %d %d\n", f->v4 ? "4.1" : "2.2", f->binary, f->v4 && f->binary ? (int)f->size : 8);
    if (f->binary) {
        put_i32(b, 1);
        put_text(b, "\n");
    }
    put_text(b, "$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of $Nodes\"\n$EndPhysicalNames\n");
}

// Version 4 gets two entities, the second of them with parameters of its nodes.
static void put_nodes(bytes *b, const form *f, const uint64_t *tags)
{
    put_text(b, "$Nodes\n");
    if (!f->v4) {
        put_line(b, "%d\n", NODES);
        for (int i = 0; i < NODES; i++) {
            put_size(b, f, tags[i]);
            put_position(b, f, i);
            put_break(b, f);
        }
    } else {
        const uint64_t counts[] = {2, NODES, 1, 2000000001};
        for (int i = 0; i < 4; i++)
            put_size(b, f, counts[i]);
        put_break(b, f);
        for (int block = 0; block < 2; block++) {
            const int head[] = {2, 7, block}, first = block ? 5 : 0, end = block ? NODES : 5;
            for (int i = 0; i < 3; i++)
                put_int(b, f, head[i]);
            put_size(b, f, (uint64_t)(end - first));
            put_break(b, f);
            for (int i = first; i < end; i++) {
                put_size(b, f, tags[i]);
                put_break(b, f);
            }
            for (int i = first; i < end; i++) {
                put_position(b, f, i);
                for (int extra = 0; block && extra < 2; extra++)
                    f->binary ? put_f64(b, 9) : put_text(b, "9 ");
                put_break(b, f);
            }
        }
    }
    put_text(b, f->binary ? "\n$EndNodes\n" : "$EndNodes\n");
}

static void put_elements(bytes *b, const form *f, const uint64_t *tags, const element *const *elements, int count)
{
    put_text(b, "$Elements\n");
    if (f->v4) {
        const uint64_t counts[] = {(uint64_t)count, (uint64_t)count, 1, (uint64_t)count};
        for (int i = 0; i < 4; i++)
            put_size(b, f, counts[i]);
        put_break(b, f);
    } else {
        put_line(b, "%d\n", count);
    }
    for (int i = 0; i < count; i++) {
        const element *e = elements[i];
        if (f->v4) {  // an entity for each
            put_int(b, f, 3);
            put_int(b, f, 1);
            put_int(b, f, e->type);
            put_size(b, f, 1);
            put_break(b, f);
            put_size(b, f, (uint64_t)i + 1);
        } else if (f->binary) {
            put_i32(b, e->type);
            put_i32(b, 1);
            put_i32(b, 2);
            put_i32(b, i + 1);
            put_i32(b, 5);
            put_i32(b, 6);
        } else {
            put_line(b, "%d %d 2 5 6 ", i + 1, e->type);
        }
        for (int n = 0; n < e->count; n++)
            put_size(b, f, tags[e->nodes[n]]);
        put_break(b, f);
    }
    put_text(b, f->binary ? "\n$EndElements\n" : "$EndElements\n");
}

#define ELEMENTS(...)                                                                                                              \
    ((const element *const[]){__VA_ARGS__}), (int)(sizeof((const element *const[]){__VA_ARGS__}) / sizeof(element *))

static void make(bytes *b, const form *f, const uint64_t *tags, const element *const *elements, int count)
{
    put_format(b, f);
    put_nodes(b, f, tags);
    put_text(b, "$NodeData\n1\n\"$End \"\n$EndNode\n$EndNodeData\n");
    put_elements(b, f, tags, elements, count);
}

// Reads the bytes and checks what all forms have in common.
static void read_whole(const bytes *b, snag_io_mesh *mesh)
{
    snag_io_error error;
    if (parse("folder/small.msh", b->data, b->size, mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(mesh->body_count, 1);
    assert_int_equal(mesh->vertex_count, NODES);
    const snag_io_body *body = &mesh->bodies[0];
    assert_string_equal(body->name, "small");
    assert_int_equal(body->vertex_count, NODES);
    assert_null(body->vertex_numbers);
    for (int i = 0; i < NODES; i++)
        for (int axis = 0; axis < 3; axis++)
            assert_true(body->positions[3 * i + axis] == coordinate(i, axis));
}

static void assert_vertices(const uint32_t *vertices, const element *e)
{
    for (int i = 0; i < e->count; i++)
        assert_int_equal(vertices[i], e->nodes[i]);
}

// ---- tests ----

static void tetrahedra_make_a_volume_in_every_form(void **state)
{
    (void)state;
    static const uint64_t *const tags[] = {dense_tags, shuffled_tags, sparse_tags};
    for (int i = 0; i < FORMS; i++)
        for (int t = 0; t < 3; t++) {
            static bytes b;
            make(&b, &forms[i], tags[t], ELEMENTS(&point, &tet, &line, &triangle, &curved_tet, &quad, &other_tet, &prism));
            snag_io_mesh mesh;
            read_whole(&b, &mesh);
            static const uint32_t numbers[] = {0, 1, 2, 3, 3, 3};
            assert_int_equal(mesh.tet_count, 6);
            assert_int_equal(mesh.face_count, 0);
            assert_int_equal(mesh.skipped, 4);
            assert_int_equal(mesh.left_out, 1);  // the quad is no face of the prism; the triangle repeats the boundary
            assert_int_equal(mesh.curved, 1);
            const snag_io_body *body = &mesh.bodies[0];
            assert_int_equal(body->tet_count, 6);
            assert_int_equal(body->polygon_count, 0);
            assert_memory_equal(body->tet_numbers, numbers, sizeof numbers);
            assert_vertices(body->tets, &tet);
            assert_vertices(body->tets + 4, &tet);  // the corners of the curved one
            assert_vertices(body->tets + 8, &other_tet);
            snag_io_mesh_free(&mesh);
        }
}

static void faces_alone_make_a_surface_in_every_form(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make(&b, &forms[i], sparse_tags, ELEMENTS(&line, &triangle, &quad, &curved_triangle, &triangle));
        snag_io_mesh mesh;
        read_whole(&b, &mesh);
        assert_int_equal(mesh.tet_count, 0);
        assert_int_equal(mesh.face_count, 4);
        assert_int_equal(mesh.skipped, 1);
        const snag_io_body *body = &mesh.bodies[0];
        assert_int_equal(body->polygon_count, 4);
        assert_null(body->polygon_numbers);
        assert_int_equal(body->polygon_sizes[0], 3);
        assert_int_equal(body->polygon_sizes[1], 4);
        assert_vertices(body->polygon_vertices, &triangle);
        assert_vertices(body->polygon_vertices + 3, &quad);
        assert_vertices(body->polygon_vertices + 10, &triangle);
        snag_io_mesh_free(&mesh);
    }
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make(&b, &forms[i], sparse_tags, ELEMENTS(&tet, &triangle, &curved_tet));
        assert_prefixes_refused("x.msh", b.data, b.size, b.size - 1);
    }
}

static void no_changed_byte_does_harm(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        static bytes b;
        make(&b, &forms[i], i % 2 ? sparse_tags : dense_tags, ELEMENTS(&tet, &triangle, &line));
        assert_changes_survived("x.msh", b.data, b.size);
    }
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    static const uint64_t *const tags[] = {dense_tags, shuffled_tags, sparse_tags};
    for (int t = 0; t < 3; t++) {
        static bytes b;
        make(&b, &forms[0], tags[t], ELEMENTS(&quad, &tet, &triangle));
        assert_failing_allocations_survived("x.msh", b.data, b.size);
    }
}

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static void damage_is_named_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "x.msh:1: a Gmsh file"},
        {"$NOD\n1\n", SNAG_ERROR_FORMAT, "begins with $MeshFormat"},
        {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", SNAG_ERROR_UNSUPPORTED, "x.msh:2: MSH version 4"},
        {"$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", SNAG_ERROR_UNSUPPORTED, "version 1 "},
        {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", SNAG_ERROR_UNSUPPORTED, "file type 2"},
        {"$MeshFormat\n2.2 1 4\n\1\0\0\0\n$EndMeshFormat\n", SNAG_ERROR_UNSUPPORTED, "data size 4"},
        {"$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", SNAG_ERROR_FORMAT, "byte order"},
        {HEAD2 "Nodes\n", SNAG_ERROR_FORMAT, "x.msh:4: expected a section"},
        {HEAD2 "$Elements\n0\n$EndElements\n", SNAG_ERROR_FORMAT, "before $Nodes"},
        {HEAD2 NODES2, SNAG_ERROR_FORMAT, "ends before its section $Elements"},
        {HEAD2 "$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n", SNAG_ERROR_FORMAT, "no vertices"},
        {HEAD2 NODES2 NODES2, SNAG_ERROR_FORMAT, "second section $Nodes"},
        {HEAD2 "$Nodes\n99999999999999999999\n1 0 0 0\n", SNAG_ERROR_SIZE, "x.msh:5: the number of nodes"},
        {HEAD2 "$Nodes\n-1\n1 0 0 0\n", SNAG_ERROR_FORMAT, "x.msh:5: the number of nodes is negative"},
        {HEAD2 "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n$Elements\n0\n$EndElements\n", SNAG_ERROR_FORMAT,
         "node 1 is defined twice"},
        {HEAD2 "$Nodes\n3\n5 0 0 0\n7 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n0\n$EndElements\n", SNAG_ERROR_FORMAT,
         "node 5 is defined twice"},
        {HEAD2 "$Nodes\n3\n5 0 0 0\n700 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n0\n$EndElements\n", SNAG_ERROR_FORMAT,
         "node 5 is defined twice"},
        {HEAD2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", SNAG_ERROR_NOT_FINITE, "x.msh:6: node 1 is not finite"},
        {HEAD2 "$Nodes\n1\n1 0 0 -inf\n$EndNodes\n", SNAG_ERROR_NOT_FINITE, "x.msh:6: node 1 is not finite"},
        {HEAD2 "$Nodes\n1\n1 0 0 1e999\n$EndNodes\n", SNAG_ERROR_NOT_FINITE, "not finite"},
        {HEAD2 "$Nodes\n1\n1 0 zero 0\n$EndNodes\n", SNAG_ERROR_FORMAT, "x.msh:6: y of a node: expected a number"},
        {HEAD2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", SNAG_ERROR_FORMAT, "x.msh:7: expected $EndNodes"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 9\n$EndElements\n", SNAG_ERROR_INDEX,
         "x.msh:13: element 1 names node 9, which does not exist"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 0\n$EndElements\n", SNAG_ERROR_INDEX, "names node 0"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", SNAG_ERROR_FORMAT,
         "x.msh:13: the line ends before a node of an element"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 -4\n$EndElements\n", SNAG_ERROR_FORMAT, "negative"},
        {HEAD2 NODES2 "$Elements\n1\n1 0 0 1 2 3 4\n$EndElements\n", SNAG_ERROR_UNSUPPORTED, "element type 0"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 2147483647 1 2 3 4\n$EndElements\n", SNAG_ERROR_FORMAT, "a tag of an element"},
        {HEAD2 NODES2 "$Elements\n2\n1 4 0 1 2 3 4\n$EndElements\n", SNAG_ERROR_FORMAT, "x.msh:14: the number of an element"},
        {HEAD2 NODES2 "$Elements\n1\n1 4 0 1 2 3 4\n", SNAG_ERROR_FORMAT, "expected $EndElements"},
        {HEAD2 "$Comments\n bla\n", SNAG_ERROR_FORMAT, "section $Comments does not end"},
        {HEAD4 "$Nodes\n1 4 1 4\n3 1 0 5\n", SNAG_ERROR_SIZE, ""},
        {HEAD4 "$Nodes\n1 1 1 4\n3 1 0 2\n1\n2\n0 0 0\n0 0 1\n$EndNodes\n", SNAG_ERROR_FORMAT, "at most 1 nodes are left"},
        {HEAD4 "$Nodes\n1 2 1 4\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", SNAG_ERROR_FORMAT, "dimension 4"},
        {HEAD4 "$Nodes\n1 2 1 4\n3 1 0 1\n1\n0 0 0\n$EndNodes\n", SNAG_ERROR_FORMAT, "1 fewer nodes"},
        {HEAD4 NODES4 "$Elements\n1 2 1 2\n3 1 4 1\n1 1 2 3 4\n$EndElements\n", SNAG_ERROR_FORMAT, "1 fewer elements"},
        {HEAD4 NODES4 "$Elements\n1 1 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 4\n$EndElements\n", SNAG_ERROR_FORMAT, "where 1 are left"},
        {HEAD4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 5\n$EndElements\n", SNAG_ERROR_INDEX,
         "x.msh:19: element 1 names node 5"},
        {HEAD4 NODES4 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3\n$EndElements\n", SNAG_ERROR_FORMAT, "x.msh:19: the line ends"},
        {HEAD4 NODES4 "$Elements\n18446744073709551615 1 1 1\n", SNAG_ERROR_SIZE, "number of entities"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.msh", cases[i].text, cases[i].status, cases[i].words);
}

// Counts that lie, in the binary form, are refused before memory is asked for.
static void hostile_counts_are_refused(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1000, INT32_MAX, UINT32_MAX, (uint64_t)1 << 61, INT64_MAX, UINT64_MAX};
    failing_malloc_largest();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int what = 0; what < 4; what++) {
            static bytes b;
            const form *f = &forms[4 + what % 2];
            put_format(&b, f);
            put_text(&b, "$Nodes\n");
            put_u64(&b, what == 0 ? counts[i] : 1);
            put_u64(&b, what == 1 ? counts[i] : what == 3 ? 1000000 : 1);
            put_u64(&b, 1);
            put_u64(&b, 1);
            for (int k = 0; k < 3; k++)
                put_i32(&b, 0);
            put_u64(&b, what >= 2 ? counts[i] : 1);
            put_u64(&b, 1);
            for (int axis = 0; axis < 3; axis++)
                put_f64(&b, 0);
            put_text(&b, "\n$EndNodes\n");
            snag_io_mesh mesh;
            snag_io_error error;
            assert_int_not_equal(parse("x.msh", b.data, b.size, &mesh, &error), SNAG_OK);
        }
    // Runs of elements of version 2.
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int what = 0; what < 2; what++) {
            static bytes b;
            put_format(&b, &forms[1]);
            put_nodes(&b, &forms[1], dense_tags);
            put_text(&b, "$Elements\n3\n");
            put_i32(&b, 4);
            put_i32(&b, what ? 1 : (int32_t)counts[i]);
            put_i32(&b, what ? (int32_t)counts[i] : 0);
            for (int k = 0; k < 5; k++)
                put_i32(&b, 1);
            put_text(&b, "\n$EndElements\n");
            snag_io_mesh mesh;
            snag_io_error error;
            assert_int_not_equal(parse("x.msh", b.data, b.size, &mesh, &error), SNAG_OK);
        }
    assert_true(failing_malloc_largest() < 100000);
}

static void unknown_types_are_passed_over_in_text_and_named_in_binary(void **state)
{
    (void)state;
    static const element strange = {140, 4, {0, 1, 2, 3}};
    static bytes b;
    for (int i = 0; i < FORMS; i++) {
        make(&b, &forms[i], dense_tags, ELEMENTS(&strange, &tet));
        if (forms[i].binary) {
            assert_refused("x.msh", b.data, b.size, SNAG_ERROR_UNSUPPORTED, "element type 140");
        } else {
            snag_io_mesh mesh;
            read_whole(&b, &mesh);
            assert_int_equal(mesh.tet_count, 1);
            assert_int_equal(mesh.skipped, 1);
            snag_io_mesh_free(&mesh);
        }
    }
}

// Bytes that look like the end of a section at every place must not cost more than their number.
static void a_section_full_of_dollars_is_passed_over_in_one_go(void **state)
{
    (void)state;
    enum { DOLLARS = 4 << 20 };
    static const char head[] = HEAD2 "$Comments\n", tail[] = "\n$EndComments\n" NODES2 "$Elements\n0\n$EndElements\n";
    char *text = malloc(sizeof head + DOLLARS + sizeof tail);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, '$', DOLLARS);
    memcpy(text + sizeof head - 1 + DOLLARS, tail, sizeof tail);
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(parse("x.msh", text, strlen(text), &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.vertex_count, 4);
    snag_io_mesh_free(&mesh);
    free(text);
}

static void line_ends_of_windows_are_read(void **state)
{
    (void)state;
    static const char text[] = "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$Nodes\r\n3\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n"
                               "$EndNodes\r\n$Elements\r\n1\r\n1 2 2 0 1 3 2 1\r\n$EndElements\r\n";
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_equal(parse("x.msh", text, sizeof text - 1, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.face_count, 1);
    assert_int_equal(mesh.bodies[0].polygon_vertices[0], 2);
    snag_io_mesh_free(&mesh);
}

static void listed_meshes_have_the_listed_counts(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    assert_int_equal(check_listed_tets(folder, ".msh"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_make_a_volume_in_every_form),
        cmocka_unit_test(faces_alone_make_a_surface_in_every_form),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(no_changed_byte_does_harm),
        cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(damage_is_named_with_its_line),
        cmocka_unit_test(hostile_counts_are_refused),
        cmocka_unit_test(unknown_types_are_passed_over_in_text_and_named_in_binary),
        cmocka_unit_test(a_section_full_of_dollars_is_passed_over_in_one_go),
        cmocka_unit_test(line_ends_of_windows_are_read),
        cmocka_unit_test(listed_meshes_have_the_listed_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
