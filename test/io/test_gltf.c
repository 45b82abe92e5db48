// glTF: which vertices and faces come out under which numbers, where nodes, skins and morph targets put them, and what is
// refused.
#define _POSIX_C_SOURCE 200809L
#include "motion.h"
#include "reading.h"

// ---- files ----

// A .glb of JSON and a binary chunk.
static void make_glb(const char *json, const bytes *binary, bytes *glb)
{
    size_t json_size = (strlen(json) + 3) / 4 * 4, binary_size = (binary->size + 3) / 4 * 4;
    *glb = (bytes){0};
    put_text(glb, "glTF");
    put_unsigned(glb, 2, 4);
    put_unsigned(glb, 12 + 8 + json_size + 8 + binary_size, 4);
    put_unsigned(glb, json_size, 4);
    put_text(glb, "JSON");
    put_text(glb, json);
    while (glb->size % 4)
        put_text(glb, " ");
    put_unsigned(glb, binary_size, 4);
    put_raw(glb, "BIN", 4);
    put_raw(glb, binary->data, binary->size);
    while (glb->size % 4)
        put_unsigned(glb, 0, 1);
}

static void put_floats(bytes *b, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_f32(b, values[i]);
}

// What the scenes below are made of: lists that grow.
typedef struct parts {
    char accessors[4000], views[4000];
    size_t count;
    bytes binary;
} parts;

static void begin_accessor(parts *p, const char *type, int component, size_t count, const char *more)
{
    sprintf(p->accessors + strlen(p->accessors), "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
            p->count ? "," : "", p->count, component, count, type, more);
    sprintf(p->views + strlen(p->views), "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":", p->count ? "," : "", p->binary.size);
    p->count++;
}

static void end_accessor(parts *p, size_t start)
{
    sprintf(p->views + strlen(p->views), "%zu}", p->binary.size - start);
    while (p->binary.size % 4)
        put_unsigned(&p->binary, 0, 1);
}

static void add_floats(parts *p, const char *type, size_t count, const float *values, size_t width)
{
    size_t start = p->binary.size;
    begin_accessor(p, type, 5126, count, "");
    put_floats(&p->binary, values, count * width);
    end_accessor(p, start);
}

static void add_shorts(parts *p, const char *type, size_t count, const uint16_t *values, size_t width)
{
    size_t start = p->binary.size;
    begin_accessor(p, type, 5123, count, "");
    for (size_t i = 0; i < count * width; i++)
        put_unsigned(&p->binary, values[i], 2);
    end_accessor(p, start);
}

// The scene's own words with the lists behind them.
static void finish(parts *p, const char *words, bytes *glb)
{
    static char json[12000];
    snprintf(json, sizeof json,
             "{\"asset\":{\"version\":\"2.0\"},%s,\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
             words, p->accessors, p->views, p->binary.size);
    make_glb(json, &p->binary, glb);
}

static snag_io_motion *open_motion(const bytes *glb)
{
    snag_io_motion *motion;
    snag_io_error error;
    if (snag_io_motion_open_memory("x.glb", glb->data, glb->size, &motion, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    return motion;
}

static void assert_posed(snag_io_motion *motion, double seconds, size_t vertex, double x, double y, double z)
{
    double xyz[3 * 16];
    const double expected[3] = {x, y, z};
    snag_io_error error;
    assert_true(snag_io_motion_mesh(motion)->bodies[0].vertex_count <= 16);
    assert_int_equal(snag_io_motion_pose(motion, 0, seconds, &error), SNAG_OK);
    assert_int_equal(snag_io_motion_positions(motion, 0, xyz, &error), SNAG_OK);
    for (size_t k = 0; k < 3; k++)
        if (fabs(xyz[3 * vertex + k] - expected[k]) > 1e-6)
            fail_msg("vertex %zu at %g s is at %g %g %g, not at %g %g %g", vertex, seconds, xyz[3 * vertex], xyz[3 * vertex + 1],
                     xyz[3 * vertex + 2], x, y, z);
}

// ---- scenes ----

static const float square[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};

// A square of two triangles that share no vertex, below a node that is moved and turned.
static void make_square(bytes *glb)
{
    static parts p;
    p = (parts){0};
    add_floats(&p, "VEC3", 6, square[0], 3);
    finish(&p,
           "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
           "\"nodes\":[{\"children\":[1],\"translation\":[10,0,0]},"
           "{\"mesh\":0,\"name\":\"a \\\"square\\\" \\u00e9\",\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],"
           "\"scale\":[2,2,2]},{\"mesh\":0,\"name\":\"not shown\"}],"
           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
           glb);
}

static void vertices_at_one_place_are_one_and_keep_the_lowest_number(void **state)
{
    (void)state;
    static bytes glb;
    make_square(&glb);
    snag_io_mesh mesh = read_ok("x.glb", glb.data, glb.size);
    const snag_io_body *body = only_body(&mesh);
    static const uint32_t numbers[] = {0, 1, 2, 5};
    assert_string_equal(body->name, "a \"square\" \xc3\xa9");
    assert_int_equal(mesh.vertex_count, 6);
    assert_int_equal(mesh.face_count, 2);
    assert_int_equal(body->vertex_count, 4);
    assert_memory_equal(body->vertex_numbers, numbers, sizeof numbers);
    assert_polygon(body, 0, 0, 1, 2);
    assert_polygon(body, 1, 0, 2, 3);
    // Twice as large, a quarter turn, ten along x: (1, 0, 0) -> (2, 0, 0) -> (0, 2, 0) -> (10, 2, 0).
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(body->positions[3 + k] - (double[]){10, 2, 0}[k]) < 1e-12);
    snag_io_mesh_free(&mesh);
}

// Two joints: the first rests, the second turns by a quarter about z in a second and stays.
static void make_skinned(bytes *glb, const char *curve)
{
    static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 1}};
    static const uint16_t joints[4][4] = {{0, 1, 0, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};
    static const float weights[4][4] = {{1, 0, 0, 0}, {0.5f, 0.5f, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};
    static const uint16_t indices[6] = {0, 1, 3, 1, 2, 3};
    // The second joint stands at x = 1.
    static const float inverses[2][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                          {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1}};
    static const float times[2] = {0, 1};
    const float h = 0.70710678f;
    const float turns[2][4] = {{0, 0, 0, 1}, {0, 0, h, h}};
    static parts p;
    p = (parts){0};
    add_floats(&p, "VEC3", 4, positions[0], 3);
    add_shorts(&p, "VEC4", 4, joints[0], 4);
    add_floats(&p, "VEC4", 4, weights[0], 4);
    add_shorts(&p, "SCALAR", 6, indices, 1);
    add_floats(&p, "MAT4", 2, inverses[0], 16);
    add_floats(&p, "SCALAR", 2, times, 1);
    add_floats(&p, "VEC4", 2, turns[0], 4);
    char words[1000];
    snprintf(words, sizeof words,
             "\"nodes\":[{\"children\":[1]},{\"translation\":[1,0,0]},{\"mesh\":0,\"skin\":0,\"translation\":[50,50,50]}],"
             "\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":4}],"
             "\"meshes\":[{\"name\":\"arm\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},"
             "\"indices\":3}]}],"
             "\"animations\":[{\"name\":\"bend\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}],"
             "\"samplers\":[{\"input\":5,\"output\":6,\"interpolation\":\"%s\"}]}]",
             curve);
    finish(&p, words, glb);
}

static void skins_move_vertices_by_their_joints(void **state)
{
    (void)state;
    static bytes glb;
    make_skinned(&glb, "LINEAR");
    snag_io_motion *motion = open_motion(&glb);
    snag_io_animation bend = snag_io_motion_animation(motion, 0);
    assert_int_equal(snag_io_motion_animation_count(motion), 1);
    assert_string_equal(bend.name, "bend");
    assert_true(bend.seconds == 1 && bend.rate == 0);
    assert_string_equal(snag_io_motion_mesh(motion)->bodies[0].name, "arm");
    // The node of a skinned mesh does not move it; the end of the arm swings about (1, 0, 0).
    assert_posed(motion, 0, 2, 2, 0, 0);
    assert_posed(motion, 1, 2, 1, 1, 0);
    assert_posed(motion, 1, 3, 1, 1, 1);
    assert_posed(motion, 1, 0, 0, 0, 0);
    assert_posed(motion, 1, 1, 1, 0, 0);
    // Halfway an eighth of a turn, along the circle; before and after it rests.
    assert_posed(motion, 0.5, 2, 1 + sqrt(0.5), sqrt(0.5), 0);
    assert_posed(motion, 1.0 / 3, 2, 1 + cos(0.5235987755982988), 0.5, 0);
    assert_posed(motion, -5, 2, 2, 0, 0);
    assert_posed(motion, 99, 2, 1, 1, 0);
    snag_io_motion_close(motion);
    make_skinned(&glb, "STEP");
    motion = open_motion(&glb);
    assert_posed(motion, 0.99, 2, 2, 0, 0);
    assert_posed(motion, 1, 2, 1, 1, 0);
    snag_io_motion_close(motion);
}

// Two morph targets, set by an animation; the second vertex is lifted by the first, the third pushed by the second.
static void make_morphed(bytes *glb, bool cubic)
{
    static const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float up[3][3] = {{0, 0, 0}, {0, 0, 4}, {0, 0, 0}}, aside[3][3] = {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}};
    static const float times[2] = {0, 2}, weights[2][2] = {{0, 1}, {1, 0}};
    static const float curved[2][3][2] = {{{0, 0}, {0, 1}, {1, 0}}, {{-1, 0}, {1, 0}, {0, 0}}};
    static parts p;
    p = (parts){0};
    add_floats(&p, "VEC3", 3, positions[0], 3);
    add_floats(&p, "VEC3", 3, up[0], 3);
    add_floats(&p, "VEC3", 3, aside[0], 3);
    add_floats(&p, "SCALAR", 2, times, 1);
    if (cubic)
        add_floats(&p, "SCALAR", 12, curved[0][0], 1);
    else
        add_floats(&p, "SCALAR", 4, weights[0], 1);
    char words[1000];
    snprintf(words, sizeof words,
             "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"weights\":[0.5,0],\"primitives\":[{\"attributes\":{\"POSITION\":0},"
             "\"targets\":[{\"POSITION\":1},{\"POSITION\":2}]}]}],"
             "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}],"
             "\"samplers\":[{\"input\":3,\"output\":4,\"interpolation\":\"%s\"}]}]",
             cubic ? "CUBICSPLINE" : "LINEAR");
    finish(&p, words, glb);
}

// Two actions of one motion, for two nodes, or for one.
static void make_actions(bytes *glb, int second_node)
{
    static const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float times[2] = {0, 2}, moves[2][3] = {{0, 0, 0}, {4, 0, 0}}, lifts[2][3] = {{0, 0, 0}, {0, 0, 6}};
    static parts p;
    p = (parts){0};
    add_floats(&p, "VEC3", 3, positions[0], 3);
    add_floats(&p, "SCALAR", 2, times, 1);
    add_floats(&p, "VEC3", 2, moves[0], 3);
    add_floats(&p, "VEC3", 2, lifts[0], 3);
    char words[1000];
    snprintf(words, sizeof words,
             "\"nodes\":[{\"children\":[1]},{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"animations\":["
             "{\"name\":\"move\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
             "\"samplers\":[{\"input\":1,\"output\":2}]},"
             "{\"name\":\"lift\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"translation\"}}],"
             "\"samplers\":[{\"input\":1,\"output\":3}]}]",
             second_node);
    finish(&p, words, glb);
}

static void all_animations_play_at_once_unless_they_clash(void **state)
{
    (void)state;
    static bytes glb;
    make_actions(&glb, 1);
    snag_io_motion *motion = open_motion(&glb);
    snag_io_error error;
    double xyz[9];
    assert_int_equal(snag_io_motion_animation_count(motion), 2);
    assert_true(snag_io_motion_animation(motion, SNAG_IO_ALL_ANIMATIONS).seconds == 2);
    assert_int_equal(snag_io_motion_pose(motion, SNAG_IO_ALL_ANIMATIONS, 1, &error), SNAG_OK);
    assert_int_equal(snag_io_motion_positions(motion, 0, xyz, &error), SNAG_OK);
    assert_true(xyz[0] == 2 && xyz[1] == 0 && xyz[2] == 3);
    assert_int_equal(snag_io_motion_pose(motion, 1, 1, &error), SNAG_OK);
    assert_int_equal(snag_io_motion_positions(motion, 0, xyz, &error), SNAG_OK);
    assert_true(xyz[0] == 0 && xyz[2] == 3);
    snag_io_motion_close(motion);
    make_actions(&glb, 0);
    motion = open_motion(&glb);
    assert_int_equal(snag_io_motion_pose(motion, SNAG_IO_ALL_ANIMATIONS, 1, &error), SNAG_ERROR_UNSUPPORTED);
    assert_says(&error, "\"move\" and \"lift\" move the same node");
    snag_io_motion_close(motion);
}

static void morph_targets_add_up(void **state)
{
    (void)state;
    static bytes glb;
    make_morphed(&glb, false);
    snag_io_motion *motion = open_motion(&glb);
    const snag_io_body *rest = &snag_io_motion_mesh(motion)->bodies[0];
    assert_vertex(rest, 1, 1, 0, 2);  // half of the first, as the mesh says
    assert_vertex(rest, 2, 0, 1, 0);
    assert_posed(motion, 0, 1, 1, 0, 0);
    assert_posed(motion, 0, 2, 2, 1, 0);
    assert_posed(motion, 0.5, 1, 1, 0, 1);
    assert_posed(motion, 0.5, 2, 1.5, 1, 0);
    snag_io_motion_close(motion);
    make_morphed(&glb, true);
    motion = open_motion(&glb);
    // Hermite, halfway of 2 s: 0.5 (v0 + v1) + 2 / 8 (m0 - m1) = 0.5 + 0.25 (1 + 1) = 1.
    assert_posed(motion, 1, 1, 1, 0, 4);
    assert_posed(motion, 0, 1, 1, 0, 0);
    assert_posed(motion, 2, 1, 1, 0, 4);
    snag_io_motion_close(motion);
}

static void names_are_resolved_and_never_longer_than_they_stand(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"\\u00e9\\u20ac\\ud83d\\ude00", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"a\\n\\t\\\"\\/", "a\n\t\"/"},
        {"\\u0000\\ud800", "\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        static parts p;
        static bytes glb;
        char words[300];
        p = (parts){0};
        add_floats(&p, "VEC3", 6, square[0], 3);
        snprintf(words, sizeof words,
                 "\"nodes\":[{\"mesh\":0,\"name\":\"%s\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
                 pairs[i][0]);
        finish(&p, words, &glb);
        snag_io_mesh mesh = read_ok("x.glb", glb.data, glb.size);
        assert_string_equal(mesh.bodies[0].name, pairs[i][1]);
        snag_io_mesh_free(&mesh);
    }
}

static void strips_fans_and_lines_are_told_apart(void **state)
{
    (void)state;
    static const float positions[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}};
    static parts p;
    static bytes glb;
    p = (parts){0};
    add_floats(&p, "VEC3", 5, positions[0], 3);
    finish(&p,
           "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
           "{\"mode\":5,\"attributes\":{\"POSITION\":0}},{\"mode\":6,\"attributes\":{\"POSITION\":0}},"
           "{\"mode\":1,\"attributes\":{\"POSITION\":0}}]}]",
           &glb);
    snag_io_mesh mesh = read_ok("dir/strip.glb", glb.data, glb.size);
    const snag_io_body *body = only_body(&mesh);
    assert_string_equal(body->name, "strip");
    assert_int_equal(mesh.vertex_count, 5);  // shared by both
    assert_int_equal(mesh.skipped, 2);  // lines along sides of triangles
    assert_polygon(body, 0, 0, 1, 2);
    assert_polygon(body, 1, 1, 3, 2);
    assert_polygon(body, 2, 2, 3, 4);
    assert_polygon(body, 3, 1, 2, 0);
    assert_polygon(body, 5, 3, 4, 0);
    snag_io_mesh_free(&mesh);
}

static void small_numbers_and_sparse_ones_are_read(void **state)
{
    (void)state;
    // Positions as normalized bytes, with one vertex written elsewhere.
    static const int8_t positions[3][4] = {{0, 0, 0, 0}, {127, 0, 0, 0}, {0, -128, 0, 0}};
    static parts p;
    static bytes glb;
    p = (parts){0};
    put_raw(&p.binary, positions, sizeof positions);
    put_unsigned(&p.binary, 2, 4);  // which vertex
    static const int8_t other[4] = {0, 0, -127, 0};
    put_raw(&p.binary, other, 4);
    strcpy(p.accessors, "{\"bufferView\":0,\"componentType\":5120,\"normalized\":true,\"count\":3,\"type\":\"VEC3\","
                        "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5125},"
                        "\"values\":{\"bufferView\":2}}}");
    strcpy(p.views, "{\"buffer\":0,\"byteLength\":12,\"byteStride\":4},{\"buffer\":0,\"byteOffset\":12,\"byteLength\":4},"
                    "{\"buffer\":0,\"byteOffset\":16,\"byteLength\":3}");
    finish(&p, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]", &glb);
    snag_io_mesh mesh = read_ok("x.glb", glb.data, glb.size);
    const snag_io_body *body = only_body(&mesh);
    assert_vertex(body, 0, 0, 0, 0);
    assert_vertex(body, 1, 1, 0, 0);
    assert_vertex(body, 2, 0, 0, -1);
    snag_io_mesh_free(&mesh);
}

// Indices 0 0 0, of which the sparse part makes 0 1 2.
static void sparse_faces_are_read_and_what_they_do_not_reach_is_refused(void **state)
{
    (void)state;
    static const uint32_t places[][2] = {{1, 2}, {1, 3}, {4294967295u, 1}};
    for (int i = 0; i < 3; i++) {
        static parts p;
        static bytes glb;
        p = (parts){0};
        put_floats(&p.binary, square[0], 9);
        put_unsigned(&p.binary, places[i][0], 4), put_unsigned(&p.binary, places[i][1], 4);
        put_unsigned(&p.binary, 1, 2), put_unsigned(&p.binary, 2, 2);
        strcpy(p.accessors, "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
                            "{\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\",\"sparse\":{\"count\":2,"
                            "\"indices\":{\"bufferView\":1,\"componentType\":5125},\"values\":{\"bufferView\":2}}}");
        strcpy(p.views, "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":8},"
                        "{\"buffer\":0,\"byteOffset\":44,\"byteLength\":4}");
        finish(&p, "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]",
               &glb);
        if (i > 0) {
            assert_refused("x.glb", glb.data, glb.size, SNAG_ERROR_INDEX, "accessor 1: its sparse part replaces element");
            continue;
        }
        snag_io_mesh mesh = read_ok("x.glb", glb.data, glb.size);
        assert_polygon(only_body(&mesh), 0, 0, 1, 2);
        snag_io_mesh_free(&mesh);
    }
}

static const char three[] = "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
                            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}]";

static void buffers_may_be_text_or_a_file_beside(void **state)
{
    (void)state;
    char folder[PATH_BYTES], json[2000];
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    snag_io_mesh mesh;
    snag_io_error error;
    make_folder(folder);
    put_file(path_in(folder, "a b.bin"), triangle, sizeof triangle);
    snprintf(json, sizeof json, "{\"asset\":{},%s,\"buffers\":[{\"uri\":\"a%%20b.bin\",\"byteLength\":36}]}", three);
    put_file(path_in(folder, "x.gltf"), json, strlen(json));
    if (snag_io_read_mesh(path_in(folder, "x.gltf"), &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_vertex(&mesh.bodies[0], 1, 1, 0, 0);
    snag_io_mesh_free(&mesh);
    // From memory nothing else is opened.
    assert_text_refused("x.gltf", json, SNAG_ERROR_FILE, "in another file");
    static const char *const ways[] = {"../x.bin", "/etc/passwd", "file:///etc/passwd", "a/../../b", "a\\\\b"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(json, sizeof json, "{\"asset\":{},%s,\"buffers\":[{\"uri\":\"%s\"}]}", three, ways[i]);
        put_file(path_in(folder, "x.gltf"), json, strlen(json));
        assert_int_equal(snag_io_read_mesh(path_in(folder, "x.gltf"), &mesh, &error), SNAG_ERROR_UNSUPPORTED);
        assert_says(&error, "only files beside");
    }
    snprintf(json, sizeof json, "{\"asset\":{},%s,\"buffers\":[{\"uri\":\"missing.bin\"}]}", three);
    put_file(path_in(folder, "x.gltf"), json, strlen(json));
    assert_int_equal(snag_io_read_mesh(path_in(folder, "x.gltf"), &mesh, &error), SNAG_ERROR_FILE);
    remove_folder(folder);
    // 1.0f is 00 00 80 3f.
    snprintf(json, sizeof json,
             "{\"asset\":{},%s,\"buffers\":[{\"uri\":\"data:application/octet-stream;base64,"
             "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}",
             three);
    mesh = read_text("x.gltf", json);
    assert_vertex(&mesh.bodies[0], 1, 1, 0, 0);
    assert_vertex(&mesh.bodies[0], 2, 0, 1, 0);
    snag_io_mesh_free(&mesh);
}

static void a_buffer_that_many_name_is_read_once(void **state)
{
    (void)state;
    char folder[PATH_BYTES], json[8000], buffers[6000] = "{\"uri\":\"some.bin\"}";
    static float numbers[3000];
    make_folder(folder);
    put_file(path_in(folder, "some.bin"), numbers, sizeof numbers);
    for (int i = 0; i < 75; i++)
        strcat(buffers, ",{\"uri\":\"./some.bin\"},{\"uri\":\"some.bin\"}");
    snprintf(json, sizeof json, "{\"asset\":{},%s,\"buffers\":[%s]}", three, buffers);
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s", path_in(folder, "x.gltf"));
    snag__reading reading = snag__reading_begin(NULL);
    snag_io_error error;
    snag__source source = {path, json, strlen(json), &error, &reading};
    snag__rig rig = {0};
    assert_int_equal(snag__read_gltf(&source, true, &rig), SNAG_OK);
    assert_int_equal(reading.input_bytes, sizeof numbers);
    snag__rig_free(&rig);
    remove_folder(folder);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        snag_status status;
        const char *words;
    } wrong[] = {
        {"", SNAG_ERROR_FORMAT, "cut off"},
        {"{}", SNAG_ERROR_FORMAT, "asset"},
        {"[1,2", SNAG_ERROR_FORMAT, "cut off"},
        {"{\"asset\" 1}", SNAG_ERROR_FORMAT, "colon"},
        {"{\"asset\":nan}", SNAG_ERROR_FORMAT, "a value"},
        {"{\"asset\":{}}", SNAG_ERROR_FORMAT, "no faces"},
        {"{\"asset\":{}} x", SNAG_ERROR_FORMAT, "its end"},
        {"{\"asset\":{},\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}", SNAG_ERROR_UNSUPPORTED, "draco"},
        {"{\"asset\":{},\"nodes\":[{\"children\":[1]},{\"children\":[0]}]}", SNAG_ERROR_FORMAT, "ancestor"},
        {"{\"asset\":{},\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]}", SNAG_ERROR_FORMAT, "two nodes"},
        {"{\"asset\":{},\"nodes\":[{\"children\":[9]}]}", SNAG_ERROR_INDEX, "child"},
        {"{\"asset\":{},\"nodes\":[{\"mesh\":0}]}", SNAG_ERROR_INDEX, "mesh"},
        {"{\"asset\":{},\"nodes\":[{\"scale\":[1,1]}]}", SNAG_ERROR_FORMAT, "scale"},
        {"{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":7}}]}]}",
         SNAG_ERROR_INDEX, "accessor"},
        {"{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
         "\"accessors\":[{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"}]}",
         SNAG_ERROR_SIZE, "without a buffer"},
        {"{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
         "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}]}",
         SNAG_ERROR_FORMAT, "type"},
        {"{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
         "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
         "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"uri\":\"data:;base64,AAAA\"}]}",
         SNAG_ERROR_FORMAT, "past the end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_text_refused("x.gltf", wrong[i].json, wrong[i].status, wrong[i].words);
}

static void damage_does_no_harm(void **state)
{
    (void)state;
    static bytes glb;
    make_skinned(&glb, "LINEAR");
    assert_prefixes_refused("x.glb", glb.data, glb.size, glb.size);
    assert_changes_survived("x.glb", glb.data, glb.size);
    assert_failing_allocations_survived("x.glb", glb.data, glb.size);
    make_morphed(&glb, true);
    assert_changes_survived("x.glb", glb.data, glb.size);
    assert_failing_allocations_survived("x.glb", glb.data, glb.size);
}

// ---- real ones, against positions that another program baked ----

static void assert_as_baked(const char *folder, const char *glb, const char *animation, const char *baked)
{
    snag_io_motion *motion;
    snag_io_cache *cache;
    snag_io_error error;
    size_t chosen = 0;
    assert_int_equal(snag_io_motion_open(path_in(folder, glb), &motion, &error), SNAG_OK);
    assert_int_equal(snag_io_cache_open(path_in(folder, baked), &cache, &error), SNAG_OK);
    for (size_t i = 0; i < snag_io_motion_animation_count(motion); i++)
        if (strcmp(snag_io_motion_animation(motion, i).name, animation) == 0)
            chosen = i;
    const snag_io_body *body = only_body(snag_io_motion_mesh(motion));
    size_t count = snag_io_cache_vertex_count(cache);
    assert_int_equal(body->vertex_count, count);
    double *posed = malloc(count * 3 * sizeof *posed);
    float *expected = malloc(count * 3 * sizeof *expected);
    assert_true(posed && expected);
    for (size_t frame = 0; frame < snag_io_cache_frame_count(cache); frame++) {
        double seconds = fmin((double)frame / 30, snag_io_motion_animation(motion, chosen).seconds), size = 0;
        assert_int_equal(snag_io_motion_pose(motion, chosen, seconds, &error), SNAG_OK);
        assert_int_equal(snag_io_motion_positions(motion, 0, posed, &error), SNAG_OK);
        assert_int_equal(snag_io_cache_read(cache, frame, expected, &error), SNAG_OK);
        for (size_t i = 0; i < 3 * count; i++)
            size = fmax(size, fabs((double)expected[i]));
        // The baked vertices stand in another order: each of ours must be where one of them is.
        for (size_t v = 0; v < count; v++) {
            double nearest = INFINITY;
            for (size_t u = 0; u < count; u++) {
                double distance = 0;
                for (size_t k = 0; k < 3; k++)
                    distance = fmax(distance, fabs(posed[3 * v + k] - (double)expected[3 * u + k]));
                nearest = fmin(nearest, distance);
            }
            if (nearest > 1e-6 * size)
                fail_msg("%s, frame %zu: vertex %zu is %g away", glb, frame, v, nearest);
        }
    }
    free(posed);
    free(expected);
    snag_io_cache_close(cache);
    snag_io_motion_close(motion);
}

static void real_figures_move_as_baked(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    assert_as_baked(folder, "sequences/Fox/Fox.glb", "Run", "sequences/Fox/Fox_Run.pc2");
    assert_as_baked(folder, "sequences/Fox/Fox.glb", "Survey", "sequences/Fox/Fox_Survey.pc2");
    assert_as_baked(folder, "sequences/RiggedFigure/RiggedFigure.glb", "", "sequences/RiggedFigure/RiggedFigure_anim0.pc2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_at_one_place_are_one_and_keep_the_lowest_number),
        cmocka_unit_test(skins_move_vertices_by_their_joints),
        cmocka_unit_test(all_animations_play_at_once_unless_they_clash),
        cmocka_unit_test(morph_targets_add_up),
        cmocka_unit_test(names_are_resolved_and_never_longer_than_they_stand),
        cmocka_unit_test(strips_fans_and_lines_are_told_apart),
        cmocka_unit_test(small_numbers_and_sparse_ones_are_read),
        cmocka_unit_test(sparse_faces_are_read_and_what_they_do_not_reach_is_refused),
        cmocka_unit_test(buffers_may_be_text_or_a_file_beside),
        cmocka_unit_test(a_buffer_that_many_name_is_read_once),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(real_figures_move_as_baked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
