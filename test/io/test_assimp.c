// Scenes that assimp reads: faces, vertices and their numbers are the file's, polygons stay whole, skins move the right vertices,
// and animations move nodes.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#ifdef SNAG_ASSIMP

// Two quads and a triangle over six vertices, of two materials that alternate, below a node that is moved by 10 along x and
// by an animation from 0 to 4 along z within 2 seconds.
static const char collada[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"meter\" meter=\"1\"/><up_axis>Z_UP</up_axis></asset>"
    "<library_geometries><geometry id=\"g\" name=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"18\">0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0</float_array>"
    "<technique_common><accessor source=\"#pa\" count=\"6\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<polylist count=\"3\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>4 3 4</vcount>"
    "<p>0 1 4 3 1 2 5 1 5 4 3</p></polylist></mesh></geometry></library_geometries>"
    "<library_animations><animation id=\"a\"><source id=\"t\"><float_array id=\"ta\" count=\"2\">0 2</float_array>"
    "<technique_common><accessor source=\"#ta\" count=\"2\" stride=\"1\"><param name=\"TIME\" type=\"float\"/></accessor>"
    "</technique_common></source><source id=\"o\"><float_array id=\"oa\" count=\"6\">10 0 0 10 0 4</float_array>"
    "<technique_common><accessor source=\"#oa\" count=\"2\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<sampler id=\"s\"><input semantic=\"INPUT\" source=\"#t\"/><input semantic=\"OUTPUT\" source=\"#o\"/></sampler>"
    "<channel source=\"#s\" target=\"n/translate\"/></animation></library_animations>"
    "<library_visual_scenes><visual_scene id=\"vs\"><node id=\"n\" name=\"sheet\"><translate sid=\"translate\">10 0 0</translate>"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#vs\"/></scene></COLLADA>";

// The three faces of the sheet and its six vertices, each with the file's number.
static void assert_sheet(const snag_io_mesh *mesh)
{
    const snag_io_body *body = only_body(mesh);
    static const uint32_t sizes[] = {4, 3, 4}, faces[] = {0, 1, 2};
    static const uint32_t corners[] = {0, 1, 4, 3, 1, 2, 5, 1, 5, 4, 3};
    assert_int_equal(mesh->unnumbered, 0);
    assert_int_equal(body->polygon_count, 3);
    assert_int_equal(body->vertex_count, 6);
    assert_memory_equal(body->polygon_sizes, sizes, sizeof sizes);
    assert_memory_equal(body->polygon_numbers, faces, sizeof faces);
    for (size_t c = 0; c < 11; c++)
        assert_int_equal(body->vertex_numbers[body->polygon_vertices[c]], corners[c]);
}

static void polygons_stay_whole_and_vertices_keep_their_numbers(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("x.dae", collada);
    const snag_io_body *body = only_body(&mesh);
    assert_sheet(&mesh);
    // The corners are where the file puts them.
    static const double corners[11][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 0}, {2, 0}, {2, 1}, {1, 0}, {2, 1}, {1, 1}, {0, 1}};
    for (size_t c = 0; c < 11; c++) {
        const double *at = body->positions + 3 * (size_t)body->polygon_vertices[c];
        assert_true(fabs(at[0] - 10 - corners[c][0]) < 1e-6 && fabs(at[1] - corners[c][1]) < 1e-6 && fabs(at[2]) < 1e-6);
    }
    assert_string_equal(body->name, "sheet");
    snag_io_mesh_free(&mesh);
}

static void animations_move_nodes(void **state)
{
    (void)state;
    snag_io_motion *motion;
    snag_io_error error;
    double xyz[18];
    if (snag_io_motion_open_memory("x.dae", collada, strlen(collada), &motion, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(snag_io_motion_animation_count(motion), 1);
    assert_true(fabs(snag_io_motion_animation(motion, 0).seconds - 2) < 1e-6);
    for (int i = 0; i <= 2; i++) {
        assert_int_equal(snag_io_motion_pose(motion, 0, i, &error), SNAG_OK);
        assert_int_equal(snag_io_motion_positions(motion, 0, xyz, &error), SNAG_OK);
        assert_true(fabs(xyz[0] - 10) < 1e-6 && fabs(xyz[2] - 2 * i) < 1e-6);
    }
    snag_io_motion_close(motion);
}

// ASCII FBX with two materials that alternate from face to face, which importers like to split a mesh by.
static const char fbx[] =
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
    "Objects:  {\n"
    "\tGeometry: 1, \"Geometry::g\", \"Mesh\" {\n"
    "\t\tVertices: *18 {\n\t\t\ta: 0,0,0,1,0,0,2,0,0,0,1,0,1,1,0,2,1,0\n\t\t}\n"
    "\t\tPolygonVertexIndex: *11 {\n\t\t\ta: 0,1,4,-4,1,2,-6,1,5,4,-4\n\t\t}\n"
    "\t\tLayerElementMaterial: 0 {\n\t\t\tVersion: 101\n\t\t\tName: \"\"\n\t\t\tMappingInformationType: \"ByPolygon\"\n"
    "\t\t\tReferenceInformationType: \"IndexToDirect\"\n\t\t\tMaterials: *3 {\n\t\t\t\ta: 0,1,0\n\t\t\t}\n\t\t}\n"
    "\t\tLayer: 0 {\n\t\t\tVersion: 100\n\t\t\tLayerElement:  {\n\t\t\t\tType: \"LayerElementMaterial\"\n\t\t\t\tTypedIndex: 0\n"
    "\t\t\t}\n\t\t}\n"
    "\t}\n"
    "\tModel: 2, \"Model::sheet\", \"Mesh\" {\n\t\tVersion: 232\n\t}\n"
    "\tMaterial: 3, \"Material::red\", \"\" {\n\t\tVersion: 102\n\t\tShadingModel: \"phong\"\n\t}\n"
    "\tMaterial: 4, \"Material::blue\", \"\" {\n\t\tVersion: 102\n\t\tShadingModel: \"phong\"\n\t}\n"
    "}\n"
    "Connections:  {\n\tC: \"OO\",2,0\n\tC: \"OO\",1,2\n\tC: \"OO\",3,2\n\tC: \"OO\",4,2\n}\n";

static void materials_do_not_tear_a_mesh_apart(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("x.fbx", fbx);
    assert_sheet(&mesh);
    snag_io_mesh_free(&mesh);
}

// ---- COLLADA's ways to write faces ----

// The sheet's vertices, between a vertex that no face uses and one at the place of vertex 1, with the faces given. With
// `controller` a skin stands between geometry and scene.
static const char *sheet_of(const char *faces, const char *controller, const char *instance)
{
    static char text[8000];
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?><!-- <geometry> > --><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
             "version=\"1.4.1\">"
             "<asset><unit name=\"meter\" meter=\"1\"/><up_axis>Y_UP</up_axis></asset>"
             "<library_geometries><geometry id=\"g\" name=\"g\"><mesh>"
             "<source id=\"n\"><float_array id=\"na\" count=\"3\">0 0 1</float_array>"
             "<technique_common><accessor source=\"#na\" count=\"1\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
             "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
             "<source id=\"p\"><float_array id=\"pa\" count=\"24\">9 9 9 0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 1 0 0</float_array>"
             "<technique_common><accessor source=\"#pa\" count=\"8\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
             "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
             "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>%s</mesh></geometry></library_geometries>%s"
             "<library_visual_scenes><visual_scene id=\"vs\">%s</visual_scene></library_visual_scenes>"
             "<scene><instance_visual_scene url=\"#vs\"/></scene></COLLADA>",
             faces, controller, instance ? instance : "<node id=\"n\" name=\"sheet\"><instance_geometry url=\"#g\"/></node>");
    return text;
}

// The file's numbers of all corners, face after face.
static void assert_corners(const snag_io_mesh *mesh, size_t vertices, size_t corner_count, const uint32_t *corners)
{
    const snag_io_body *body = only_body(mesh);
    assert_int_equal(mesh->unnumbered, 0);
    assert_int_equal(body->vertex_count, vertices);
    size_t total = 0;
    for (size_t p = 0; p < body->polygon_count; p++)
        total += body->polygon_sizes ? body->polygon_sizes[p] : 3;
    assert_int_equal(total, corner_count);
    for (size_t c = 0; c < corner_count; c++)
        assert_int_equal(body->vertex_numbers[body->polygon_vertices[c]], corners[c]);
}

#define VERTEX_INPUT "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"

// A part for each material, one with normals before the vertices: one body again, without a seam. Vertices 2 and 7 are at one
// place and stay two, as the file has them; a line is left out, and counted among the faces.
static void parts_of_a_shape_are_one_body(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text(
        "x.dae", sheet_of("<triangles count=\"2\" material=\"red\"><input semantic=\"NORMAL\" source=\"#n\" offset=\"0\"/>"
                          "<input semantic=\"VERTEX\" source=\"#v\" offset=\"1\"/><p>0 1 0 7 0 5  0 1 0 5 0 4</p></triangles>"
                          "<lines count=\"1\">" VERTEX_INPUT "<p>1 2</p></lines>"
                          "<polylist count=\"1\" material=\"blue\">" VERTEX_INPUT "<vcount>4</vcount><p>2 3 6 5</p></polylist>",
                          "", NULL));
    static const uint32_t corners[] = {1, 7, 5, 1, 5, 4, 2, 3, 6, 5}, faces[] = {0, 1, 3};
    assert_corners(&mesh, 7, 10, corners);
    assert_memory_equal(mesh.bodies[0].polygon_numbers, faces, sizeof faces);
    assert_int_equal(mesh.skipped, 1);
    snag_io_mesh_free(&mesh);
}

static void strips_fans_and_polygons_keep_their_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *faces;
        size_t vertices, count;
        uint32_t corners[12];
    } cases[] = {
        {"<tristrips count=\"1\">" VERTEX_INPUT "<p>1 2 4 5 3</p></tristrips>", 5, 9, {1, 2, 4, 4, 2, 5, 4, 5, 3}},
        {"<tristrips count=\"2\">" VERTEX_INPUT "<p>1 2 4 5</p><p>6 3 5</p></tristrips>", 6, 9, {1, 2, 4, 4, 2, 5, 6, 3, 5}},
        {"<polygons count=\"2\">" VERTEX_INPUT "<p>1 2 5 4</p><p>6 3 5</p></polygons>", 6, 7, {1, 2, 5, 4, 6, 3, 5}},
        {"<trifans count=\"1\">" VERTEX_INPUT "<p>1 2 5 4</p></trifans>", 4, 4, {1, 2, 5, 4}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag_io_mesh mesh = read_text("x.dae", sheet_of(cases[i].faces, "", NULL));
        assert_corners(&mesh, cases[i].vertices, cases[i].count, cases[i].corners);
        snag_io_mesh_free(&mesh);
    }
}

// Two joints, of which the second has moved by 5 along z since the skin was bound. The vertices 4, 5 and 6 hang on it, 5 half.
static void skins_move_the_vertices_they_name(void **state)
{
    (void)state;
    static const char controller[] =
        "<library_controllers><controller id=\"c\"><skin source=\"#g\">"
        "<source id=\"j\"><Name_array id=\"ja\" count=\"2\">a b</Name_array><technique_common><accessor source=\"#ja\" count=\"2\" "
        "stride=\"1\"><param name=\"JOINT\" type=\"name\"/></accessor></technique_common></source>"
        "<source id=\"b\"><float_array id=\"ba\" count=\"32\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 "
        "1</float_array>"
        "<technique_common><accessor source=\"#ba\" count=\"2\" stride=\"16\"><param name=\"TRANSFORM\" "
        "type=\"float4x4\"/></accessor>"
        "</technique_common></source>"
        "<source id=\"w\"><float_array id=\"wa\" count=\"2\">1 0.5</float_array><technique_common><accessor source=\"#wa\" "
        "count=\"2\" "
        "stride=\"1\"><param name=\"WEIGHT\" type=\"float\"/></accessor></technique_common></source>"
        "<joints><input semantic=\"JOINT\" source=\"#j\"/><input semantic=\"INV_BIND_MATRIX\" source=\"#b\"/></joints>"
        "<vertex_weights count=\"8\"><input semantic=\"JOINT\" source=\"#j\" offset=\"0\"/><input semantic=\"WEIGHT\" "
        "source=\"#w\" offset=\"1\"/>"
        "<vcount>1 1 1 1 1 2 1 1</vcount><v>0 0 0 0 0 0 0 0 1 0 0 1 1 1 1 0 0 "
        "0</v></vertex_weights></skin></controller></library_controllers>";
    static const char instance[] = "<node id=\"ja\" sid=\"a\" name=\"a\" type=\"JOINT\"/><node id=\"jb\" sid=\"b\" name=\"b\" "
                                   "type=\"JOINT\"><translate sid=\"t\">0 0 5</translate></node>"
                                   "<node id=\"n\" name=\"sheet\"><instance_controller "
                                   "url=\"#c\"><skeleton>#ja</skeleton><skeleton>#jb</skeleton></instance_controller></node>";
    snag_io_mesh mesh =
        read_text("x.dae", sheet_of("<triangles count=\"1\" material=\"red\">" VERTEX_INPUT "<p>6 5 2</p></triangles>"
                                    "<triangles count=\"2\" material=\"blue\">" VERTEX_INPUT "<p>5 4 1 3 6 2</p></triangles>",
                                    controller, instance));
    static const uint32_t corners[] = {6, 5, 2, 5, 4, 1, 3, 6, 2};
    static const double heights[8] = {0, 0, 0, 0, 5, 2.5, 5, 0};
    assert_corners(&mesh, 6, 9, corners);
    const snag_io_body *body = only_body(&mesh);
    for (size_t v = 0; v < body->vertex_count; v++)
        assert_true(fabs(body->positions[3 * v + 2] - heights[body->vertex_numbers[v]]) < 1e-6);
    snag_io_mesh_free(&mesh);
}

// An entity between two numbers: assimp understands it and our reader of positions does not, so the numbers are those of
// corners, and that is said.
static void what_is_not_found_in_the_file_is_said(void **state)
{
    (void)state;
    char text[8000];
    snprintf(text, sizeof text, "%s", sheet_of("<triangles count=\"1\">" VERTEX_INPUT "<p>6 5 2</p></triangles>", "", NULL));
    char *space = strstr(text, "9 9 9") + 1;
    memmove(space + 5, space + 1, strlen(space));
    memcpy(space, "&#32;", 5);
    snag_io_mesh mesh = read_text("x.dae", text);
    const snag_io_body *body = only_body(&mesh);
    assert_int_equal(mesh.unnumbered, 1);
    static const uint32_t numbers[] = {0, 1, 2};
    assert_memory_equal(body->vertex_numbers, numbers, sizeof numbers);
    snag_io_mesh_free(&mesh);
}

// ---- binary FBX ----

// A file that is being written.
typedef struct fbx_file {
    bytes b;
    size_t number;  // bytes of a count in a record
} fbx_file;

static void put(fbx_file *f, uint64_t value, size_t size)
{
    put_unsigned(&f->b, value, size);
}

static void set(fbx_file *f, size_t at, uint64_t value)
{
    size_t size = f->b.size;
    f->b.size = at;
    put(f, value, f->number);
    f->b.size = size;
}

static size_t begin_record(fbx_file *f, const char *name)
{
    size_t at = f->b.size;
    put(f, 0, f->number), put(f, 0, f->number), put(f, 0, f->number);
    put(f, strlen(name), 1);
    put_raw(&f->b, name, strlen(name));
    return at;
}

// After `count` values that were put since the record began.
static void end_values(fbx_file *f, size_t record, size_t count)
{
    size_t name = f->b.data[record + 3 * f->number], values = record + 3 * f->number + 1 + name;
    set(f, record + f->number, count);
    set(f, record + 2 * f->number, f->b.size - values);
}

static void end_record(fbx_file *f, size_t record, bool has_children)
{
    for (size_t i = 0; has_children && i < 3 * f->number + 1; i++)
        put(f, 0, 1);
    set(f, record, f->b.size);
}

static void put_string(fbx_file *f, const char *text, size_t size)
{
    put(f, 'S', 1);
    put(f, size, 4);
    put_raw(&f->b, text, size);
}

// As one stored block of a zlib stream, or as it is.
static void put_array(fbx_file *f, const char *name, char kind, const void *data, size_t count, size_t size, bool packed)
{
    size_t record = begin_record(f, name);
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + ((const uint8_t *)data)[i]) % 65521;
        b = (b + a) % 65521;
    }
    put(f, (uint8_t)kind, 1), put(f, count, 4), put(f, packed, 4), put(f, packed ? size + 11 : size, 4);
    if (packed)
        put(f, 0x0178, 2), put(f, 1, 1), put(f, size, 2), put(f, ~size, 2);
    put_raw(&f->b, data, size);
    for (int i = 0; packed && i < 4; i++)
        put(f, (b << 16 | a) >> (24 - 8 * i), 1);
    end_values(f, record, 1);
    end_record(f, record, false);
}

static void put_object(fbx_file *f, const char *kind, uint64_t id, const char *name, size_t name_size, bool geometry, bool packed)
{
    static const double xyz[18] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
    static const int32_t corners[11] = {0, 1, 4, -4, 1, 2, -6, 1, 5, 4, -4};
    size_t record = begin_record(f, kind);
    put(f, 'L', 1), put(f, id, 8);
    put_string(f, name, name_size);
    put_string(f, "Mesh", 4);
    end_values(f, record, 3);
    if (geometry) {
        put_array(f, "Vertices", 'd', xyz, 18, sizeof xyz, packed);
        put_array(f, "PolygonVertexIndex", 'i', corners, 11, sizeof corners, packed);
    }
    end_record(f, record, true);
}

static void put_connection(fbx_file *f, uint64_t from, uint64_t to)
{
    size_t record = begin_record(f, "C");
    put_string(f, "OO", 2);
    put(f, 'L', 1), put(f, from, 8), put(f, 'L', 1), put(f, to, 8);
    end_values(f, record, 3);
    end_record(f, record, false);
}

static void write_fbx(fbx_file *f, uint32_t version, bool packed)
{
    *f = (fbx_file){.number = version >= 7500 ? 8 : 4};
    put_raw(&f->b, "Kaydara FBX Binary  \0\x1a\0", 23);
    put(f, version, 4);
    size_t record = begin_record(f, "FBXHeaderExtension"), inner = begin_record(f, "FBXVersion");
    put(f, 'I', 1), put(f, version, 4);
    end_values(f, inner, 1);
    end_record(f, inner, false);
    end_record(f, record, true);
    record = begin_record(f, "Objects");
    put_object(f, "Geometry", 1, "g\0\1Geometry", 11, true, packed);
    put_object(f, "Model", 2, "sheet\0\1Model", 12, false, false);
    end_record(f, record, true);
    record = begin_record(f, "Connections");
    put_connection(f, 2, 0);
    put_connection(f, 1, 2);
    end_record(f, record, true);
    for (size_t i = 0; i < 3 * f->number + 1; i++)
        put(f, 0, 1);
}

static void binary_fbx_of_every_kind_keeps_its_numbers(void **state)
{
    (void)state;
    static fbx_file f;
    for (int kind = 0; kind < 4; kind++) {
        write_fbx(&f, kind < 2 ? 7400 : 7500, kind % 2);
        snag_io_mesh mesh = read_ok("x.fbx", f.b.data, f.b.size);
        assert_sheet(&mesh);
        assert_string_equal(mesh.bodies[0].name, "sheet");
        snag_io_mesh_free(&mesh);
    }
}

// ---- damage ----

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"x.fbx", "x.dae"};
    for (int i = 0; i < 2; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        assert_int_not_equal(parse(names[i], "nonsense", 8, &mesh, &error), SNAG_OK);
        assert_int_not_equal(parse(names[i], "", 0, &mesh, &error), SNAG_OK);
    }
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    assert_failing_allocations_survived("x.dae", collada, strlen(collada));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_stay_whole_and_vertices_keep_their_numbers),
        cmocka_unit_test(animations_move_nodes),
        cmocka_unit_test(materials_do_not_tear_a_mesh_apart),
        cmocka_unit_test(parts_of_a_shape_are_one_body),
        cmocka_unit_test(strips_fans_and_polygons_keep_their_numbers),
        cmocka_unit_test(skins_move_the_vertices_they_name),
        cmocka_unit_test(what_is_not_found_in_the_file_is_said),
        cmocka_unit_test(binary_fbx_of_every_kind_keeps_its_numbers),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failing_allocations_are_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    print_message("left out: this build reads no FBX or COLLADA\n");
    return 0;
}

#endif
