// Scenes that assimp reads: faces and positions are the file's, polygons stay whole, vertices that belong together are one, and
// animations move nodes.
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

static void polygons_stay_whole_and_corners_join(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("x.dae", collada);
    const snag_io_body *body = only_body(&mesh);
    assert_int_equal(body->polygon_count, 3);
    assert_int_equal(body->vertex_count, 6);
    static const uint32_t sizes[] = {4, 3, 4};
    assert_memory_equal(body->polygon_sizes, sizes, sizeof sizes);
    // Whatever the numbers are, the corners are where the file puts them.
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
    const snag_io_body *body = only_body(&mesh);
    assert_int_equal(body->polygon_count, 3);
    assert_int_equal(body->vertex_count, 6);
    static const uint32_t sizes[] = {4, 3, 4}, numbers[] = {0, 1, 2};
    assert_memory_equal(body->polygon_sizes, sizes, sizeof sizes);
    assert_memory_equal(body->polygon_numbers, numbers, sizeof numbers);
    snag_io_mesh_free(&mesh);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"x.fbx", "x.dae", "x.3mf"};
    for (int i = 0; i < 3; i++) {
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
        cmocka_unit_test(polygons_stay_whole_and_corners_join),
        cmocka_unit_test(animations_move_nodes),
        cmocka_unit_test(materials_do_not_tear_a_mesh_apart),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(failing_allocations_are_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    print_message("left out: this build reads no FBX, COLLADA or 3MF\n");
    return 0;
}

#endif
