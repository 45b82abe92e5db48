// Elements that readers leave out: which of them could collide, so that a search without them is not complete.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "snag/io.h"

typedef struct expected {
    const char *name, *text;
    size_t skipped, left_out;
} expected;

#define CUBE "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 0\n1 0 1\n0 1 1\n1 1 1\n"

static void parse_all(const expected *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_parse_mesh(cases[i].name, cases[i].text, strlen(cases[i].text), &mesh, &error) != SNAG_OK)
            fail_msg("%s: %s", cases[i].name, error.message);
        if (mesh.skipped != cases[i].skipped || mesh.left_out != cases[i].left_out)
            fail_msg("case %zu, %s: %zu skipped and %zu left out, not %zu and %zu", i, cases[i].name, mesh.skipped, mesh.left_out,
                     cases[i].skipped, cases[i].left_out);
        snag_io_mesh_free(&mesh);
    }
}

static void points_and_lines_do_not_count(void **state)
{
    (void)state;
    const expected cases[] = {
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 3\ncurv 0 1 1 2\n", 3, 0},
        {"a.ply",
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
         "property list uchar int vertex_indices\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement camera 1\n"
         "property float view\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n0 1\n5\n",
         1, 0},
        {"a.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\nTriangles\n1\n1 2 3 0\nEdges\n2\n1 2 0\n"
         "2 3 0\nEdgesP2\n1\n1 2 3 0\nEnd\n",
         3, 0},
        {"a.vtk",
         "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0\n1 0 0\n0 1 0\nCELLS 5 17\n"
         "3 0 1 2\n1 0\n2 0 1\n3 0 1 2\n3 0 1 2\nCELL_TYPES 5\n5\n1\n3\n4\n21\n",
         5, 0},  // the polyline is two lines
        {"a.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n4\n1 2 0 1 2 3\n"
         "2 15 0 1\n3 1 0 1 2\n4 8 0 1 2 3\n$EndElements\n",
         3, 0},
    };
    parse_all(cases, sizeof cases / sizeof cases[0]);
}

static void surfaces_and_volumes_of_other_kinds_count(void **state)
{
    (void)state;
    const expected cases[] = {
        {"b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nsurf 0 1 0 1 1 2 3\nl 1 2\n", 2, 1},
        {"b.ply",
         "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement tet 1\n"
         "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n4 0 1 2 3\n",
         1, 1},
        {"b.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\nTriangles\n1\n1 2 3 0\nHexahedra\n1\n"
         "1 2 3 3 1 2 3 3 0\nEdges\n1\n1 2 0\nEnd\n",
         2, 1},  // its corners repeat: it has no volume
        {"b.vtk",
         "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n" CUBE "CELLS 3 21\n"
         "8 0 1 4 2 3 5 7 6\n6 0 1 2 3 4 5\n4 0 1 2 3\nCELL_TYPES 3\n41\n63\n10\n",
         2, 2},  // a set of points; a curved surface
        {"b.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n3\n"
         "1 4 0 1 2 3 4\n2 35 0 1 2 3 4 1\n3 1 0 1 2\n$EndElements\n",
         2, 1},  // a polyhedron
        {"b.vtu",
         "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid><Piece NumberOfPoints=\"8\" "
         "NumberOfCells=\"3\"><Points>"
         "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">" CUBE "</DataArray></Points><Cells>"
         "<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 4 2 3 5 7 6 0 1 0 1 2 3</DataArray>"
         "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">8 10 14</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">41 3 "
         "10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
         2, 1},
    };
    parse_all(cases, sizeof cases / sizeof cases[0]);
}

// A face of a tetrahedron, in any order of its vertices and as often as it likes, is there already.
static void faces_beside_tetrahedra_count_unless_they_are_faces_of_one(void **state)
{
    (void)state;
#define TETS                                                                                                                       \
    "MeshVersionFormatted 2\nDimension 3\nVertices\n6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n9 9 9 0\n"                     \
    "Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\n"
    const expected cases[] = {
        {"c.mesh", TETS "Triangles\n4\n3 1 2 0\n4 3 2 0\n2 3 4 0\n3 2 1 0\nEnd\n", 4, 0},
        {"c.mesh", TETS "Triangles\n3\n3 1 2 0\n1 2 6 0\n6 2 1 0\nEnd\n", 3, 2},
        {"c.mesh", TETS "Triangles\n1\n1 2 5 0\nQuadrilaterals\n1\n1 2 3 4 0\nEnd\n", 2, 2},
        {"c.mesh", TETS "End\n", 0, 0},
    };
    parse_all(cases, sizeof cases / sizeof cases[0]);
#undef TETS
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_lines_do_not_count),
        cmocka_unit_test(surfaces_and_volumes_of_other_kinds_count),
        cmocka_unit_test(faces_beside_tetrahedra_count_unless_they_are_faces_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
