// What FBX and COLLADA files say of their vertices, read without assimp: damage of every kind does no harm, and parts are found
// by where their corners are.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "shapes.h"

static const char fbx[] =
    "Objects: { ; Geometry: { in a comment\n"
    " Geometry: 1, \"Geometry::one\", \"Mesh\" { Vertices: *9 { a: 0,0,0,\n1,0,0,0,1,0 }\n"
    "  PolygonVertexIndex: *3 { a: 2,1,-1 } Vertices: *3 { a: 7,7,7 } }\n"
    " Model: 2, \"Geometry: {\", \"Mesh\" { Vertices: *3 { a: 1,2,3 } }\n"
    " Geometry: 3, \"Geometry::two\", \"Mesh\" { Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 } PolygonVertexIndex: *3 { a: 2,1,-1 } }\n"
    " Geometry: 4, \"Geometry::far\", \"Mesh\" { Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 } PolygonVertexIndex: *3 { a: 2,9,-1 } }\n"
    " Geometry: 5, \"Geometry::odd\", \"Mesh\" { Vertices: *9 { a: 0,0,0,1,0,0,nan,1,0 } PolygonVertexIndex: *3 { a: 0,1,-1 } }\n"
    "}\nGeometry: 6, \"Geometry::outside\", \"Mesh\" { Vertices: *3 { a: 0,0,0 } PolygonVertexIndex: *1 { a: -1 } }\n";

static const char dae[] =
    "<COLLADA><geometry name='one'><mesh><source id='p'><float_array>0 0 0 5 1 0 0 5 0 1 0</float_array>"
    "<accessor stride='4'/></source><vertices><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles><input semantic='VERTEX' offset='1'/><input semantic='NORMAL' offset='0'/><p>8 2 8 1 8 0</p></triangles>"
    "<linestrips><input semantic='VERTEX' offset='0'/><p>0 1 2</p></linestrips>"
    "<triangles><input semantic='VERTEX' offset='0'/><p>0 1 3</p></triangles></mesh></geometry></COLLADA>";

static void sound_shapes_are_found_and_others_left_out(void **state)
{
    (void)state;
    static const double corners[] = {0, 1, 0, 1, 0, 0, 0, 0, 0}, lines[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t expected[] = {2, 1, 0}, ends[] = {0, 1, 1, 2};
    snag__shapes shapes = {0};
    assert_true(snag__read_fbx_shapes(fbx, strlen(fbx), &shapes));
    assert_int_equal(shapes.shape_count, 2);
    assert_int_equal(shapes.part_count, 2);
    // Two that are alike are told apart by name, and then by turns.
    const snag__shape_part *found = snag__shapes_find(&shapes, (snag__word){"two", 3}, corners, 3);
    assert_true(found == &shapes.parts[1]);
    assert_memory_equal(found->corners, expected, sizeof expected);
    assert_true(snag__shapes_find(&shapes, (snag__word){"two", 3}, corners, 3) == &shapes.parts[0]);
    assert_non_null(snag__shapes_find(&shapes, (snag__word){"two", 3}, corners, 3));
    assert_null(snag__shapes_find(&shapes, (snag__word){"two", 3}, corners, 2));
    static const double off[] = {0, 1, 0, 1, 0, 1e-5, 0, 0, 0};
    assert_null(snag__shapes_find(&shapes, (snag__word){"two", 3}, off, 3));
    snag__shapes_free(&shapes);

    assert_true(snag__read_collada_shapes(dae, strlen(dae), &shapes));
    assert_int_equal(shapes.shape_count, 1);
    assert_int_equal(shapes.part_count, 2);
    found = snag__shapes_find(&shapes, (snag__word){"", 0}, corners, 3);
    assert_non_null(found);
    assert_memory_equal(found->corners, expected, sizeof expected);
    found = snag__shapes_find(&shapes, (snag__word){"", 0}, lines, 4);
    assert_non_null(found);
    assert_memory_equal(found->corners, ends, sizeof ends);
    snag__shapes_free(&shapes);
}

// Every beginning of a file, and every file with one byte changed; memory of just its size lets a sanitizer see reads past it.
static void damage_does_no_harm(void **state)
{
    (void)state;
    static const char *const texts[] = {fbx, dae};
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < 2 * strlen(texts[kind]); i++) {
            size_t length = strlen(texts[kind]), size = i < length ? i : length;
            char *copy = malloc(size ? size : 1);
            assert_non_null(copy);
            memcpy(copy, texts[kind], size);
            if (i >= length)
                copy[i - length] = "\0\"{}<>/a9-:;"[i % 12];
            snag__shapes shapes = {0};
            assert_true(kind ? snag__read_collada_shapes(copy, size, &shapes) : snag__read_fbx_shapes(copy, size, &shapes));
            for (size_t p = 0; p < shapes.part_count; p++)
                for (size_t c = 0; c < shapes.parts[p].corner_count; c++)
                    assert_true(shapes.parts[p].corners[c] < shapes.shapes[shapes.parts[p].shape].vertex_count);
            snag__shapes_free(&shapes);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_shapes_are_found_and_others_left_out),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
