// Cells that are cut into tetrahedra: they fill the cell, neighbours agree, and contacts are those of the same mesh cut by hand.
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "cells.h"
#include "reading.h"

#include "snag/snag.h"

// ---- unit cells ----

typedef struct unit_cell {
    snag__cell kind;
    double volume;
    size_t tets, boundary;
    double corners[SNAG__MOST_CORNERS][3];
} unit_cell;

#define SIDE 0.8660254037844386
static const unit_cell units[] = {
    {SNAG__CELL_TET, 1. / 6, 1, 4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {SNAG__CELL_PYRAMID, 1. / 3, 2, 6, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}}},
    {SNAG__CELL_WEDGE, 1. / 2, 3, 8, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    {SNAG__CELL_HEXAHEDRON, 1, 6, 12, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}},
    {SNAG__CELL_PENTAGONAL_PRISM,
     1.5,
     9,
     16,
     {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0.5, 2, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0.5, 2, 1}, {0, 1, 1}}},
    {SNAG__CELL_HEXAGONAL_PRISM,
     3 * SIDE,
     12,
     20,
     {{1, 0, 0},
      {0.5, SIDE, 0},
      {-0.5, SIDE, 0},
      {-1, 0, 0},
      {-0.5, -SIDE, 0},
      {0.5, -SIDE, 0},
      {1, 0, 1},
      {0.5, SIDE, 1},
      {-0.5, SIDE, 1},
      {-1, 0, 1},
      {-0.5, -SIDE, 1},
      {0.5, -SIDE, 1}}},
};
enum { UNITS = sizeof units / sizeof *units };

static double volume_of(const snag__builder *b, size_t tet)
{
    const double *p[4];
    for (size_t i = 0; i < 4; i++)
        p[i] = b->positions + 3 * (size_t)b->tets[4 * tet + i];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = p[i + 1][k] - p[0][k];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void shuffle(uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        uint32_t j = random_below((uint32_t)i), other = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = other;
    }
}

static void every_kind_is_filled_whatever_its_numbers(void **state)
{
    (void)state;
    for (int u = 0; u < UNITS; u++)
        for (int turn = 0; turn < 200; turn++) {
            const unit_cell *cell = &units[u];
            size_t corners = snag__cell_corners(cell->kind);
            uint32_t numbers[SNAG__MOST_CORNERS], inverse[SNAG__MOST_CORNERS];
            shuffle(numbers, corners);
            for (uint32_t i = 0; i < corners; i++)
                inverse[numbers[i]] = i;
            snag__builder b = {0};
            for (size_t v = 0; v < corners; v++) {
                const double *p = cell->corners[inverse[v]];
                assert_int_equal(snag__builder_vertex(&b, p[0], p[1], p[2]), SNAG_OK);
            }
            assert_int_equal(snag__builder_cell(&b, cell->kind, SNAG__ORDER_VTK, numbers, corners), SNAG_OK);
            double sum = 0;
            for (size_t k = 0; k < b.tet_count; k++) {
                assert_true(volume_of(&b, k) > 1e-9);
                sum += volume_of(&b, k);
            }
            // Around the lowest corner of a prism's end fewer or more triangles may stand, so only their number's bound is known.
            assert_true(b.tet_count <= cell->tets && b.tet_count + 2 >= cell->tets);
            assert_true(fabs(sum - cell->volume) < 1e-12);
            assert_int_equal(boundary_count(b.tets, b.tet_count), cell->boundary);
            assert_int_equal(b.skipped, 0);
            snag__builder_free(&b);
        }
}

// A hexahedron with a hexahedron, a wedge or a pyramid on each of its faces: what they share is cut alike, so that each of the
// two triangles of a shared quad belongs to two tetrahedra and is no boundary.
static void neighbours_of_all_kinds_agree(void **state)
{
    (void)state;
    // The top of the unit hexahedron is 4 5 6 7; above it stands another cell.
    static const double above[4][3] = {{0, 0, 2}, {1, 0, 2}, {1, 1, 2}, {0, 1, 2}};
    static const uint32_t hexahedron[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const struct {
        snag__cell kind;
        uint32_t corners[8];
        size_t boundary;
    } others[] = {
        {SNAG__CELL_HEXAHEDRON, {4, 5, 6, 7, 8, 9, 10, 11}, 20},
        {SNAG__CELL_PYRAMID, {4, 5, 6, 7, 8}, 14},
        {SNAG__CELL_WEDGE, {4, 5, 9, 7, 6, 10}, 16},
    };
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        for (int turn = 0; turn < 300; turn++) {
            uint32_t numbers[12], inverse[12], first[8], second[8];
            shuffle(numbers, 12);
            for (uint32_t i = 0; i < 12; i++)
                inverse[numbers[i]] = i;
            snag__builder b = {0};
            for (size_t v = 0; v < 12; v++) {
                const double *p = inverse[v] < 8 ? units[3].corners[inverse[v]] : above[inverse[v] - 8];
                assert_int_equal(snag__builder_vertex(&b, p[0], p[1], p[2]), SNAG_OK);
            }
            size_t corners = snag__cell_corners(others[o].kind);
            for (size_t i = 0; i < 8; i++)
                first[i] = numbers[hexahedron[i]];
            for (size_t i = 0; i < corners; i++)
                second[i] = numbers[others[o].corners[i]];
            assert_int_equal(snag__builder_cell(&b, SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, first, 8), SNAG_OK);
            assert_int_equal(snag__builder_cell(&b, others[o].kind, SNAG__ORDER_VTK, second, corners), SNAG_OK);
            assert_int_equal(boundary_count(b.tets, b.tet_count), others[o].boundary);
            for (size_t k = 0; k < b.tet_count; k++)
                assert_int_equal(b.tet_cells[k], k < 6 ? 0 : 1);
            snag__builder_free(&b);
        }
}

// Programs write wedges, pyramids and tetrahedra as hexahedra whose corners repeat.
static void corners_that_repeat_leave_the_smaller_cell(void **state)
{
    (void)state;
    static const struct {
        uint32_t corners[8];
        size_t tets;
        double volume;
    } cases[] = {
        {{0, 1, 2, 2, 4, 5, 6, 6}, 3, 0.5},  // a wedge
        {{0, 1, 2, 3, 4, 4, 4, 4}, 2, 1. / 3},  // a pyramid
        {{0, 1, 2, 2, 4, 4, 4, 4}, 1, 1. / 6},  // a tetrahedron
        {{0, 0, 0, 0, 4, 4, 4, 4}, 0, 0},  // a line
        {{0, 1, 2, 3, 0, 1, 2, 3}, 0, 0},  // a face
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag__builder b = {0};
        for (size_t v = 0; v < 8; v++) {
            const double *p = units[3].corners[v];
            assert_int_equal(snag__builder_vertex(&b, p[0], p[1], p[2]), SNAG_OK);
        }
        assert_int_equal(snag__builder_cell(&b, SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, cases[i].corners, 8), SNAG_OK);
        double sum = 0;
        for (size_t k = 0; k < b.tet_count; k++)
            sum += volume_of(&b, k);
        if (b.tet_count != cases[i].tets || fabs(sum - cases[i].volume) > 1e-12)
            fail_msg("case %zu: %zu tetrahedra of volume %g", i, b.tet_count, sum);
        assert_int_equal(b.left_out, cases[i].tets ? 0 : 1);
        snag__builder_free(&b);
    }
}

static void a_polyhedron_is_filled(void **state)
{
    (void)state;
    // A cube by its faces, some of them turned the wrong way round.
    static const uint32_t faces[] = {4, 0, 1, 2, 3, 4, 4, 5, 6, 7, 4, 0, 1, 5, 4, 4, 5, 6, 2, 1, 4, 2, 3, 7, 6, 4, 3, 0, 4, 7};
    snag__builder b = {0};
    for (size_t v = 0; v < 8; v++) {
        const double *p = units[3].corners[v];
        assert_int_equal(snag__builder_vertex(&b, p[0], p[1], p[2]), SNAG_OK);
    }
    assert_int_equal(snag__builder_polyhedron(&b, faces, 6), SNAG_OK);
    double sum = 0;
    for (size_t k = 0; k < b.tet_count; k++) {
        assert_true(volume_of(&b, k) > 0);
        sum += volume_of(&b, k);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_int_equal(boundary_count(b.tets, b.tet_count), 12);
    snag__builder_free(&b);
}

// ---- blocks of hexahedra ----

enum {
    EDGE = 4,
    LAYER = EDGE + 1,
    BLOCK_VERTICES = LAYER * LAYER * LAYER,
    BLOCK_CELLS = EDGE * EDGE * EDGE,
    BLOCKS = 2,
    ALL_VERTICES = BLOCKS * BLOCK_VERTICES,
    ALL_CELLS = BLOCKS * BLOCK_CELLS
};

static uint32_t vertex_at(int block, int x, int y, int z)
{
    return (uint32_t)(((block * LAYER + x) * LAYER + y) * LAYER + z);
}

// Two blocks that overlap; the second is turned and moved, and every vertex is shaken by up to `shake`.
static void place_blocks(double positions[ALL_VERTICES][3], double shake)
{
    for (int block = 0; block < BLOCKS; block++)
        for (int x = 0; x < LAYER; x++)
            for (int y = 0; y < LAYER; y++)
                for (int z = 0; z < LAYER; z++) {
                    double *p = positions[vertex_at(block, x, y, z)];
                    double turned[3] = {0.8 * x - 0.6 * y + 1.913, 0.6 * x + 0.8 * y + 1.117, z + 1.531};
                    double plain[3] = {x, y, z};
                    for (int k = 0; k < 3; k++)
                        p[k] = (block ? turned[k] : plain[k]) + shake * (random_below(2001) / 1000.0 - 1);
                }
}

static void cell_corners(int cell, uint32_t corners[8])
{
    int block = cell / BLOCK_CELLS, x = cell / (EDGE * EDGE) % EDGE, y = cell / EDGE % EDGE, z = cell % EDGE;
    static const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < 8; i++)
        corners[i] = vertex_at(block, x + steps[i][0], y + steps[i][1], z + steps[i][2]);
}

// By hand: Kuhn's six tetrahedra along the ways from the lowest corner to the highest, one axis after the other.
static void cut_by_hand(uint32_t tets[6 * ALL_CELLS][4])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int cell = 0; cell < ALL_CELLS; cell++) {
        int block = cell / BLOCK_CELLS, at[3] = {cell / (EDGE * EDGE) % EDGE, cell / EDGE % EDGE, cell % EDGE};
        for (int o = 0; o < 6; o++) {
            int p[3] = {at[0], at[1], at[2]};
            uint32_t *tet = tets[6 * cell + o];
            tet[0] = vertex_at(block, p[0], p[1], p[2]);
            for (int i = 0; i < 3; i++) {
                p[orders[o][i]]++;
                tet[i + 1] = vertex_at(block, p[0], p[1], p[2]);
            }
        }
    }
}

typedef struct finding {
    uint32_t kind, first, second, cell;  // a vertex or an edge, and the cell that it is in
} finding;

static int compare_findings(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(finding));
}

// What brute finds in a volume, with tetrahedra named by `cells` and vertices by `names`; sorted, each once.
static size_t find(const double *positions, const uint32_t *tets, size_t tet_count, const uint32_t *cells, const uint32_t *names,
                   bool edges, finding **found)
{
    snag_world_def world_def = snag_default_world_def();
    snag_world *world = NULL;
    snag_body_id id;
    const snag_answer *answer = NULL;
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(positions, ALL_VERTICES);
    def.tets = tets;
    def.tet_count = tet_count;
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.method = SNAG_METHOD_BRUTE;
    ask.edges = edges;
    assert_int_equal(snag_world_create(&world_def, &world), SNAG_OK);
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    *found = calloc(answer->count + 1, sizeof **found);
    assert_non_null(*found);
    size_t count = answer->count, kept = 0;
    for (size_t i = 0; i < count; i++) {
        const snag_contact *c = &answer->contacts[i];
        bool edge = c->a.kind == SNAG_EDGE;
        uint32_t v[2] = {edge ? names[c->a.vertex[0]] : names[c->a.index], edge ? names[c->a.vertex[1]] : 0};
        (*found)[i] = (finding){c->a.kind, v[0] < v[1] || !edge ? v[0] : v[1], v[0] < v[1] || !edge ? v[1] : v[0],
                                cells ? cells[c->b.index] : (uint32_t)(c->b.index / 6)};
    }
    snag_world_destroy(world);
    qsort(*found, count, sizeof **found, compare_findings);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_findings(&(*found)[i], &(*found)[kept - 1]) != 0)
            (*found)[kept++] = (*found)[i];
    return kept;
}

// The blocks as a file of legacy VTK; vertex v of the blocks is number numbers[v] of the file.
static char *vtk_of(double positions[ALL_VERTICES][3], const uint32_t *numbers)
{
    char *text = malloc(1 << 17);
    assert_non_null(text);
    uint32_t inverse[ALL_VERTICES];
    for (uint32_t v = 0; v < ALL_VERTICES; v++)
        inverse[numbers[v]] = v;
    int n = sprintf(text, "# vtk DataFile Version 2.0\nblocks\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n", ALL_VERTICES);
    for (int i = 0; i < ALL_VERTICES; i++) {
        const double *p = positions[inverse[i]];
        n += sprintf(text + n, "%.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    n += sprintf(text + n, "CELLS %d %d\n", ALL_CELLS, 9 * ALL_CELLS);
    for (int cell = 0; cell < ALL_CELLS; cell++) {
        uint32_t c[8];
        cell_corners(cell, c);
        n += sprintf(text + n, "8");
        for (int i = 0; i < 8; i++)
            n += sprintf(text + n, " %u", numbers[c[i]]);
        n += sprintf(text + n, "\n");
    }
    n += sprintf(text + n, "CELL_TYPES %d\n", ALL_CELLS);
    for (int cell = 0; cell < ALL_CELLS; cell++)
        n += sprintf(text + n, "12\n");
    return text;
}

static size_t find_in_file(double positions[ALL_VERTICES][3], const uint32_t *numbers, bool edges, finding **found)
{
    uint32_t inverse[ALL_VERTICES];
    for (uint32_t v = 0; v < ALL_VERTICES; v++)
        inverse[numbers[v]] = v;
    char *text = vtk_of(positions, numbers);
    snag_io_mesh mesh = read_text("blocks.vtk", text);
    const snag_io_body *body = only_body(&mesh);
    assert_int_equal(body->tet_count, 6 * ALL_CELLS);
    size_t count = find(body->positions, body->tets, body->tet_count, body->tet_numbers, inverse, edges, found);
    snag_io_mesh_free(&mesh);
    free(text);
    return count;
}

static void same_findings(const finding *a, size_t a_count, const finding *b, size_t b_count)
{
    assert_true(a_count > 50);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(a, b, a_count * sizeof *a);
}

// In the numbers of a block, the cone of the lowest vertex is Kuhn's cut, so edges within the cells are the same too.
static void hexahedra_find_what_the_mesh_cut_by_hand_finds(void **state)
{
    (void)state;
    static double positions[ALL_VERTICES][3];
    static uint32_t tets[6 * ALL_CELLS][4], numbers[ALL_VERTICES];
    for (uint32_t v = 0; v < ALL_VERTICES; v++)
        numbers[v] = v;
    for (int turn = 0; turn < 4; turn++) {
        place_blocks(positions, 0.1 * turn);  // flat faces, then more and more warped
        cut_by_hand(tets);
        finding *by_hand, *read;
        size_t hand_count = find(positions[0], tets[0], 6 * ALL_CELLS, NULL, numbers, true, &by_hand);
        size_t read_count = find_in_file(positions, numbers, true, &read);
        same_findings(by_hand, hand_count, read, read_count);
        free(by_hand);
        free(read);
    }
}

// With flat faces the vertices inside a cell do not depend on how it is cut, and so not on how vertices are numbered.
static void numbers_of_vertices_do_not_change_what_is_inside(void **state)
{
    (void)state;
    static double positions[ALL_VERTICES][3];
    static uint32_t tets[6 * ALL_CELLS][4], plain[ALL_VERTICES], numbers[ALL_VERTICES];
    place_blocks(positions, 0);
    cut_by_hand(tets);
    for (uint32_t v = 0; v < ALL_VERTICES; v++)
        plain[v] = v;
    finding *by_hand, *read;
    size_t hand_count = find(positions[0], tets[0], 6 * ALL_CELLS, NULL, plain, false, &by_hand);
    for (int turn = 0; turn < 5; turn++) {
        shuffle(numbers, ALL_VERTICES);
        size_t read_count = find_in_file(positions, numbers, false, &read);
        same_findings(by_hand, hand_count, read, read_count);
        free(read);
    }
    free(by_hand);
}

// ---- the same cells in all formats ----

#define XYZ "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n.5 .5 2\n2 0 0\n2 0 1\n"
#define MEDIT_XYZ "0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 0\n0 1 1 0\n.5 .5 2 0\n2 0 0 0\n2 0 1 0\n"
#define MSH_XYZ "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 .5 .5 2\n10 2 0 0\n11 2 0 1\n"

static void all_formats_read_the_same_cells(void **state)
{
    (void)state;
    // A hexahedron, a pyramid on it, a wedge beside it and a tetrahedron on the wedge.
    static const char *const files[][2] = {
        {"a.vtk", "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 11 double\n" XYZ
                  "CELLS 5 31\n8 0 1 2 3 4 5 6 7\n5 4 5 6 7 8\n6 1 9 2 5 10 6\n4 5 10 6 8\n3 1 9 2\nCELL_TYPES 5\n12 14 13 10 5\n"},
        {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n" MSH_XYZ "$EndNodes\n$Elements\n5\n1 5 0 1 2 3 4 5 6 7 8\n"
                  "2 7 0 5 6 7 8 9\n3 6 0 2 10 3 6 11 7\n4 4 0 6 11 7 9\n5 2 0 2 10 3\n$EndElements\n"},
        {"a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n11\n" MEDIT_XYZ
                   "Hexahedra\n1\n1 2 3 4 5 6 7 8 0\nPyramids\n1\n5 6 7 8 9 0\n"
                   "Prisms\n1\n2 10 3 6 11 7 0\nTetrahedra\n1\n6 11 7 9 0\nTriangles\n1\n2 10 3 0\nEnd\n"},
        {"a.vtu",
         "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"11\" NumberOfCells=\"5\"><Points>"
         "<DataArray type=\"Float64\" format=\"ascii\">" XYZ "</DataArray></Points><Cells><DataArray type=\"Int64\" "
         "Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7 4 5 6 7 8 1 9 2 5 10 6 5 10 6 8 1 9 2</DataArray><DataArray "
         "type=\"Int64\" Name=\"offsets\" format=\"ascii\">8 13 19 23 26</DataArray><DataArray type=\"UInt8\" Name=\"types\" "
         "format=\"ascii\">12 14 13 10 5</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"},
    };
    static const uint32_t numbers[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3};
    snag_io_mesh first = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snag_io_mesh mesh = read_text(files[i][0], files[i][1]);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(body->tet_count, 12);
        assert_memory_equal(body->tet_numbers, numbers, sizeof numbers);
        assert_int_equal(mesh.skipped, 1);  // the triangle is a face of the wedge
        assert_int_equal(mesh.left_out, 0);
        assert_int_equal(mesh.curved, 0);
        if (i == 0) {
            first = mesh;
            continue;
        }
        assert_memory_equal(body->tets, first.bodies[0].tets, 48 * sizeof(uint32_t));
        snag_io_mesh_free(&mesh);
    }
    snag_io_mesh_free(&first);
}

static void polyhedra_are_read_from_both_formats(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"p.vtk", "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                  "CELLS 1 18\n17 4 3 0 1 2 3 0 1 3 3 0 2 3 3 1 2 3\nCELL_TYPES 1\n42\n"},
        {"p.vtu",
         "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>"
         "<DataArray type=\"Float64\" format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells><DataArray "
         "type=\"Int64\" "
         "Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4"
         "</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">42</DataArray><DataArray type=\"Int64\" "
         "Name=\"faces\" "
         "format=\"ascii\">4 3 0 1 2 3 0 1 3 3 0 2 3 3 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"faceoffsets\" "
         "format=\"ascii\">17</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>"},
    };
    for (size_t i = 0; i < 2; i++) {
        snag_io_mesh mesh = read_text(files[i][0], files[i][1]);
        assert_int_equal(only_body(&mesh)->tet_count, 1);
        snag_io_mesh_free(&mesh);
        assert_changes_survived(files[i][0], files[i][1], strlen(files[i][1]));
        cut_everywhere(files[i][0], files[i][1], strlen(files[i][1]));
        assert_failing_allocations_survived(files[i][0], files[i][1], strlen(files[i][1]));
    }
    assert_text_refused("p.vtk",
                        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n0 0 0\n1 0 0\n0 1 0\n"
                        "CELLS 1 6\n5 1 3 0 1 3\nCELL_TYPES 1\n42\n",
                        SNAG_ERROR_FORMAT, "cell 0");
}

// ---- second order ----

static void cells_of_second_order_are_taken_by_their_corners(void **state)
{
    (void)state;
    static const struct {
        int type, nodes;
        size_t faces, tets;
    } cases[] = {{22, 6, 1, 0},  {23, 8, 1, 0},  {28, 9, 1, 0}, {24, 10, 0, 1}, {25, 20, 0, 6}, {29, 27, 0, 6},
                 {26, 15, 0, 3}, {27, 13, 0, 2}, {34, 7, 1, 0}, {36, 10, 1, 0}, {71, 20, 0, 1}, {72, 64, 0, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        int n = sprintf(text, "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 64 double\n");
        for (int v = 0; v < 64; v++)
            n += sprintf(text + n, "%g %g %g\n", v < 8 ? units[3].corners[v][0] : v, v < 8 ? units[3].corners[v][1] : v * v,
                         v < 8 ? units[3].corners[v][2] : 1. * v);
        n += sprintf(text + n, "CELLS 1 %d\n%d", cases[i].nodes + 1, cases[i].nodes);
        for (int v = 0; v < cases[i].nodes; v++)
            n += sprintf(text + n, " %d", v);
        sprintf(text + n, "\nCELL_TYPES 1\n%d\n", cases[i].type);
        snag_io_mesh mesh = read_text("c.vtk", text);
        const snag_io_body *body = only_body(&mesh);
        if (body->polygon_count != cases[i].faces || body->tet_count != cases[i].tets || mesh.curved != 1 || mesh.skipped)
            fail_msg("type %d: %zu faces, %zu tetrahedra, %zu curved, %zu skipped", cases[i].type, body->polygon_count,
                     body->tet_count, mesh.curved, mesh.skipped);
        snag_io_mesh_free(&mesh);
    }
}

// ---- faces beside volumes ----

static void faces_beside_volumes_are_known_or_a_body_or_left_out(void **state)
{
    (void)state;
#define HEX "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n" MEDIT_XYZ "5 5 5 0\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\n"
    snag_io_mesh mesh = read_text("x.mesh", HEX "Quadrilaterals\n2\n1 2 3 4 0\n6 5 1 2 0\nEnd\n");
    assert_int_equal(only_body(&mesh)->polygon_count, 0);
    assert_int_equal(mesh.skipped, 2);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
    // A quad within the hexahedron is no face of it.
    mesh = read_text("x.mesh", HEX "Quadrilaterals\n1\n1 2 7 8 0\nTriangles\n1\n1 2 12 0\nEnd\n");
    assert_int_equal(mesh.left_out, 2);
    snag_io_mesh_free(&mesh);
    // Triangles on a face of the hexahedron, along either diagonal, and one that cuts off a corner of it.
    mesh = read_text("x.mesh", HEX "Triangles\n5\n1 2 3 0\n1 3 4 0\n1 2 4 0\n2 3 4 0\n1 3 6 0\nEnd\n");
    assert_int_equal(only_body(&mesh)->polygon_count, 0);
    assert_int_equal(mesh.skipped, 5);
    assert_int_equal(mesh.left_out, 1);
    snag_io_mesh_free(&mesh);
    // A face that is not flat is cut where the tetrahedra are: what is cut along its other diagonal is left out.
    mesh = read_text("x.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n0 0 -0.1 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 "
                               "0\n1 0 1 0\n1 1 1 0\n0 1 1 0\n"
                               "Hexahedra\n1\n1 2 3 4 5 6 7 8 0\nTriangles\n4\n1 2 3 0\n1 3 4 0\n1 2 4 0\n2 3 4 0\nEnd\n");
    assert_int_equal(mesh.skipped, 4);
    assert_int_equal(mesh.left_out, 2);
    snag_io_mesh_free(&mesh);
    // A surface that does not touch the volume is a body, with the numbers of the file.
    mesh = read_text("x.mesh", HEX "Quadrilaterals\n1\n1 2 3 4 0\nTriangles\n1\n9 10 11 0\nEnd\n");
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(mesh.bodies[0].tet_count, 6);
    assert_string_equal(mesh.bodies[0].name, "x");
    assert_string_equal(mesh.bodies[1].name, "x.faces");
    assert_int_equal(mesh.bodies[1].polygon_count, 1);
    assert_int_equal(mesh.bodies[1].polygon_numbers[0], 1);
    assert_int_equal(mesh.bodies[1].vertex_numbers[0], 8);
    assert_int_equal(mesh.skipped, 1);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
    static const char both[] = HEX "Quadrilaterals\n1\n1 2 3 4 0\nTriangles\n1\n9 10 11 0\nEnd\n";
    assert_failing_allocations_survived("x.mesh", both, sizeof both - 1);
#undef HEX
}

// ---- files of another writer ----

// Made by meshio for the audit: the same two blocks that overlap, as hexahedra, as tetrahedra and hexahedra, and of second order.
static void all_cells_of_the_audit_are_looked_at(void **state)
{
    (void)state;
    const char *data = data_folder();
    char folder[PATH_BYTES];
    if (!data)
        skip();
    snprintf(folder, sizeof folder, "%s/../audit/fem", data);
    if (access(folder, R_OK) != 0) {
        print_message("left out: there is no folder %s\n", folder);
        skip();
    }
    static const struct {
        const char *name;
        size_t vertices, faces, tets, last_number, curved;
    } files[] = {{"hex_vtua.vtu", 128, 0, 324, 53, 0},
                 {"mix_vtuz.vtu", 128, 0, 324, 188, 0},
                 {"tet10_vtuz.vtu", 686, 0, 324, 0, 324},
                 {"tri6_vtuz.vtu", 686, 324, 0, 0, 324},
                 {"quad_vtuz.vtu", 128, 108, 0, 0, 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_read_mesh(path_in(folder, files[i].name), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(body->vertex_count, files[i].vertices);
        assert_int_equal(body->polygon_count, files[i].faces);
        assert_int_equal(body->tet_count, files[i].tets);
        assert_int_equal(body->tet_numbers ? body->tet_numbers[body->tet_count - 1] : 0, files[i].last_number);
        assert_int_equal(mesh.curved, files[i].curved);
        assert_int_equal(mesh.skipped, 0);
        snag_io_mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_filled_whatever_its_numbers),
        cmocka_unit_test(neighbours_of_all_kinds_agree),
        cmocka_unit_test(corners_that_repeat_leave_the_smaller_cell),
        cmocka_unit_test(a_polyhedron_is_filled),
        cmocka_unit_test(hexahedra_find_what_the_mesh_cut_by_hand_finds),
        cmocka_unit_test(numbers_of_vertices_do_not_change_what_is_inside),
        cmocka_unit_test(all_formats_read_the_same_cells),
        cmocka_unit_test(polyhedra_are_read_from_both_formats),
        cmocka_unit_test(cells_of_second_order_are_taken_by_their_corners),
        cmocka_unit_test(faces_beside_volumes_are_known_or_a_body_or_left_out),
        cmocka_unit_test(all_cells_of_the_audit_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
