// Lines and points of files: what becomes rods and points of a body, in every format; what only repeats other elements does not.
#define _XOPEN_SOURCE 700
#include "reading.h"

#include "temporary.h"

#define NODES_4 "1, 0., 0., 0.\n2, 1., 0., 0.\n3, 2., 1., 0.\n4, 3., 1., 0.\n"

// The first body has these rods and points, in this order.
static void assert_thin(const snag_io_mesh *mesh, size_t edge_count, const uint32_t *edges, size_t point_count,
                        const uint32_t *points)
{
    const snag_io_body *body = only_body(mesh);
    assert_int_equal(body->edge_count, edge_count);
    assert_int_equal(body->point_count, point_count);
    assert_int_equal(mesh->edge_count, edge_count);
    assert_int_equal(mesh->point_count, point_count);
    for (size_t i = 0; i < 2 * edge_count; i++)
        assert_int_equal(body->edges[i], edges[i]);
    for (size_t i = 0; i < point_count; i++)
        assert_int_equal(body->points[i], points[i]);
    // The library takes it as it is.
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    snag_body_id id;
    snag_body_info info;
    def.threads = 1;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    assert_int_equal(snag_io_add_body(world, body, &id), SNAG_OK);
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.rod_count, edge_count);
    assert_int_equal(info.point_count, point_count);
    snag_world_destroy(world);
}

static void expect(const char *name, const char *text, size_t edge_count, const uint32_t *edges, size_t point_count,
                   const uint32_t *points, size_t skipped)
{
    snag_io_mesh mesh = read_text(name, text);
    assert_thin(&mesh, edge_count, edges, point_count, points);
    assert_int_equal(mesh.skipped, skipped);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
}

static const uint32_t chain[] = {0, 1, 1, 2, 2, 3};

static void every_format_has_lines(void **state)
{
    (void)state;
    const uint32_t three[] = {3}, first[] = {0, 1};
    expect("a.obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 3 1 0\nl 1 2/7 -2 -1\n", 3, chain, 0, NULL, 0);
    expect("a.obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 3 1 0\nl 1 2\np 4\n", 1, first, 1, three, 0);
    expect("a.ply",
           "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement edge 3\n"
           "property int vertex1\nproperty uchar red\nproperty int vertex2\nend_header\n0 0 0\n1 0 0\n2 1 0\n3 1 0\n0 9 1\n1 9 "
           "2\n2 9 3\n",
           3, chain, 0, NULL, 0);
    expect(
        "a.vtk",
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 2 1 0 3 1 0\nLINES 1 5\n4 0 1 2 3\n",
        3, chain, 0, NULL, 0);
    expect("a.vtk",
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 2 1 0 3 1 0\nVERTICES 1 2\n1 3\n"
           "LINES 1 3\n2 0 1\n",
           1, first, 1, three, 0);
    expect("a.vtk",
           "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 2 1 0 3 1 0\nCELLS 2 7\n"
           "3 0 1 2\n2 2 3\nCELL_TYPES 2\n4\n3\n",
           3, chain, 0, NULL, 0);
    expect(
        "a.vtp",
        "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"4\" NumberOfVerts=\"1\" NumberOfLines=\"1\">"
        "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 2 1 0 3 1 0</DataArray></Points>"
        "<Verts><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">3</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">1</DataArray></Verts>"
        "<Lines><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">2</DataArray></Lines></Piece></PolyData></VTKFile>",
        1, first, 1, three, 0);
    expect("a.mesh",
           "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n2 1 0 0\n3 1 0 0\nEdges\n3\n1 2 0\n2 3 0\n3 4 "
           "0\nEnd\n",
           3, chain, 0, NULL, 0);
    expect("a.msh",
           "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 2 1 0\n4 3 1 0\n$EndNodes\n$Elements\n2\n"
           "1 1 2 0 1 1 2\n2 15 2 0 1 4\n$EndElements\n",
           1, first, 1, three, 0);
    expect(
        "a.xdmf",
        "<Xdmf><Domain><Grid><Topology TopologyType=\"Polyline\" NodesPerElement=\"4\" NumberOfElements=\"1\">"
        "<DataItem Dimensions=\"4\" NumberType=\"Int\" Format=\"XML\">0 1 2 3</DataItem></Topology>"
        "<Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"4 3\" Format=\"XML\">0 0 0 1 0 0 2 1 0 3 1 0</DataItem></Geometry>"
        "</Grid></Domain></Xdmf>",
        3, chain, 0, NULL, 0);
}

static void beams_of_decks_are_rods(void **state)
{
    (void)state;
    // A further node of a beam says how its section is turned; springs are nothing that could collide.
    expect("a.inp",
           "*NODE\n" NODES_4 "*ELEMENT, TYPE=B31\n7, 1, 2, 4\n*ELEMENT, TYPE=T3D2\n8, 2, 3\n*ELEMENT, TYPE=PIPE31\n9, 3, 4\n"
           "*ELEMENT, TYPE=SPRINGA\n10, 1, 4\n",
           3, chain, 0, NULL, 1);
    expect("a.bdf",
           "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,2.,1.,0.\nGRID,4,,3.,1.,0.\n"
           "CBAR,7,1,1,2,0.,0.,1.\nCONROD,8,2,3,1,0.1\nCBEAM,9,1,3,4,0.,0.,1.\nCELAS1,10,1,1,1,4,1\nENDDATA\n",
           3, chain, 0, NULL, 1);
    expect("a.k",
           "*KEYWORD\n*NODE\n       1             0.0             0.0             0.0\n       2             1.0             0.0    "
           "         0.0\n"
           "       3             2.0             1.0             0.0\n       4             3.0             1.0             0.0\n"
           "*ELEMENT_BEAM\n       7       1       1       2       4\n       8       1       2       3       4\n"
           "*ELEMENT_BEAM_THICKNESS\n       9       1       3       4       1\n       0.1\n*END\n",
           3, chain, 0, NULL, 0);
}

// The middle node stands second in B32 and third in T3D3: the ends are those farthest apart.
static void middle_nodes_are_found_wherever_they_stand(void **state)
{
    (void)state;
    const char *const types[] = {"*ELEMENT, TYPE=B32\n7, 1, 2, 3\n", "*ELEMENT, TYPE=T3D3\n7, 1, 3, 2\n"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text, "*NODE\n1, 0., 0., 0.\n2, 1., 0.1, 0.\n3, 2., 0., 0.\n%s", types[i]);
        snag_io_mesh mesh = read_text("a.inp", text);
        assert_thin(&mesh, 1, (const uint32_t[]){0, 2}, 0, NULL);
        assert_int_equal(mesh.curved, 1);
        snag_io_mesh_free(&mesh);
    }
}

// Borders and corners that programs mark, lines twice, points at used vertices: nothing new.
static void what_repeats_other_elements_is_no_rod(void **state)
{
    (void)state;
    const uint32_t kept[] = {1, 3};
    expect("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 1\nf 1 2 3\nl 1 2\nl 3 2\nl 2 4\nl 4 2\nl 4 4\np 1 4 2\n", 1, kept, 0, NULL,
           7);
    expect("a.msh",
           "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n3\n"
           "1 15 2 0 1 1\n2 1 2 0 1 2 4\n3 4 2 0 1 1 2 3 4\n$EndElements\n",
           0, NULL, 0, NULL, 2);
}

static void rods_go_with_their_bodies(void **state)
{
    (void)state;
    // Two objects, each with a rod at a face; and a yarn of its own.
    snag_io_mesh mesh =
        read_text("a.obj", "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nl 1 4\no b\nv 5 0 0\nv 6 0 0\nv 5 1 0\n"
                           "v 5 0 1\nf 5 6 7\nl 8 5\no yarn\nv 9 0 0\nv 9 1 0\nv 9 2 0\nl 9 10 11\np 9\n");
    assert_int_equal(mesh.body_count, 3);
    assert_true(mesh.bodies[0].edge_count == 1 && mesh.bodies[1].edge_count == 1 && mesh.bodies[2].edge_count == 2);
    assert_string_equal(mesh.bodies[2].name, "yarn");
    assert_true(mesh.bodies[1].edges[0] == 3 && mesh.bodies[1].edges[1] == 0);
    snag_io_mesh_free(&mesh);
    // A rod between a volume and a surface has no place in either: it is left out, and said to be.
    mesh = read_text(
        "a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n0 0 0 1 0 0 0 1 0 0 0 1 5 0 0 "
                 "6 0 0 5 1 0 5 5 5\nCELLS 4 15\n4 0 1 2 3\n3 4 5 6\n2 0 4\n2 4 7\nCELL_TYPES 4\n10\n5\n3\n3\n");
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(mesh.left_out, 1);
    assert_int_equal(mesh.edge_count, 1);
    snag_io_mesh_free(&mesh);
    // By groups: a vertex that two of them share is there twice.
    snag_io_read_options options = snag_io_default_read_options();
    options.split = SNAG_IO_SPLIT_GROUPS;
    static const char groups[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\ng left\nl 1 2\ng right\nl 2 3\n";
    assert_int_equal(snag_io_parse_mesh_with("a.obj", groups, strlen(groups), &options, &mesh, NULL), SNAG_OK);
    assert_int_equal(mesh.body_count, 2);
    assert_true(mesh.bodies[0].edge_count == 1 && mesh.bodies[1].edge_count == 1);
    snag_io_mesh_free(&mesh);
    options.split = SNAG_IO_SPLIT_SHELLS;
    static const char shells[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nl 1 2\nl 3 4\n";
    assert_int_equal(snag_io_parse_mesh_with("a.obj", shells, strlen(shells), &options, &mesh, NULL), SNAG_OK);
    assert_int_equal(mesh.body_count, 2);
    snag_io_mesh_free(&mesh);
}

static void gltf_has_lines_of_all_modes(void **state)
{
    (void)state;
    // Four vertices (base64 of floats 0 0 0, 1 0 0, 2 1 0, 3 1 0), drawn as `mode` says.
    static const struct {
        int mode;
        size_t rods, points;
    } modes[] = {{0, 0, 4}, {1, 2, 0}, {2, 4, 0}, {3, 3, 0}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"name\":\"yarn\"}],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":%d}]}],"
            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"buffers\":[{\"byteLength\":48,\"uri\":\"data:application/"
            "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAQAAAgD8AAAAAAABAQAAAgD8AAAAA\"}]}",
            modes[i].mode);
        snag_io_mesh mesh = read_text("a.gltf", text);
        assert_int_equal(only_body(&mesh)->edge_count, modes[i].rods);
        assert_int_equal(only_body(&mesh)->point_count, modes[i].points);
        assert_string_equal(only_body(&mesh)->name, "yarn");
        snag_io_mesh_free(&mesh);
    }
}

static void bad_lines_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *word;
        snag_status status;
    } bad[] = {
        {"a.obj", "v 0 0 0\nl 1\n", "two vertices", SNAG_ERROR_FORMAT},
        {"a.obj", "v 0 0 0\nl 1 2\n", "vertex 2", SNAG_ERROR_INDEX},
        {"a.obj", "v 0 0 0\np\n", "a vertex", SNAG_ERROR_FORMAT},
        {"a.obj", "v 0 0 0\np 1 x\n", "x", SNAG_ERROR_FORMAT},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\nproperty "
         "int "
         "vertex1\nproperty int vertex2\nend_header\n0 0 0\n0 1\n",
         "vertex 1", SNAG_ERROR_INDEX},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\nproperty "
         "int "
         "vertex1\nend_header\n0 0 0\n0\n",
         "vertex2", SNAG_ERROR_FORMAT},
        {"a.inp", "*NODE\n1, 0., 0., 0.\n*ELEMENT, TYPE=B31\n7, 1, 9\n", "node 9", SNAG_ERROR_INDEX},
        {"a.bdf", "BEGIN BULK\nGRID,1,,0.,0.,0.\nCBAR,7,1,1,9\nENDDATA\n", "node 9", SNAG_ERROR_INDEX},
        {"a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 0 0\nEdges\n1\n1 2 0\nEnd\n", "2", SNAG_ERROR_INDEX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        assert_int_equal(snag_io_parse_mesh(bad[i].name, bad[i].text, strlen(bad[i].text), &mesh, &error), bad[i].status);
        if (!strstr(error.message, bad[i].word) || !strstr(error.message, bad[i].name))
            fail_msg("%s: expected \"%s\" in: %s", bad[i].name, bad[i].word, error.message);
    }
}

static void rods_and_points_are_written_as_they_were_read(void **state)
{
    (void)state;
    char folder[200], path[300];
    assert_true(temporary_folder(folder, sizeof folder));
    static const char *const endings[] = {"obj", "vtu", "mesh", "inp", "ply"};
    for (size_t i = 0; i < 5; i++) {
        bool points = i < 2;
        snag_io_mesh mesh = read_text("a.obj", points ? "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.1 0 1\nv 7 0 1\nf 1 2 3\nl 3 4 1\np 5\n"
                                                      : "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.1 0 1\nv 7 0 1\nf 1 2 3\nl 3 4 5\n"),
                     again;
        snag_io_error error;
        snprintf(path, sizeof path, "%s/out.%s", folder, endings[i]);
        assert_int_equal(snag_io_write_mesh(path, &mesh, &error), SNAG_OK);
        assert_int_equal(snag_io_read_mesh(path, &again, &error), SNAG_OK);
        assert_int_equal(again.bodies[0].vertex_count, 5);
        assert_int_equal(again.skipped, 0);
        assert_thin(&again, 2, only_body(&mesh)->edges, points ? 1 : 0, only_body(&mesh)->points);
        assert_memory_equal(again.bodies[0].positions, mesh.bodies[0].positions, 15 * sizeof(double));
        snag_io_mesh_free(&again);
        assert_int_equal(remove(path), 0);
        // What a format cannot say it refuses.
        snprintf(path, sizeof path, "%s/out.off", folder);
        assert_int_equal(snag_io_write_mesh(path, &mesh, &error), SNAG_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "lines and points"));
        snag_io_mesh_free(&mesh);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_lines),
        cmocka_unit_test(beams_of_decks_are_rods),
        cmocka_unit_test(middle_nodes_are_found_wherever_they_stand),
        cmocka_unit_test(what_repeats_other_elements_is_no_rod),
        cmocka_unit_test(rods_go_with_their_bodies),
        cmocka_unit_test(gltf_has_lines_of_all_modes),
        cmocka_unit_test(bad_lines_are_refused_with_their_place),
        cmocka_unit_test(rods_and_points_are_written_as_they_were_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
