// Cells of second order that are cut at their mid-nodes: what is made of them fills them, neighbours agree, and every format lists its nodes
// as its description says.
#define _POSIX_C_SOURCE 200809L
#include "bounds.h"
#include "cells.h"
#include "reading.h"

#include <stdlib.h>

enum { MOST = 64 };

// ---- cells by their description ----

// Every node is named by the corners that it lies between: "0" a corner, "01" the middle of an edge, "0123" of a face, "01234567" of a cell.
typedef struct described {
    snag__cell kind;
    snag__node_order order;
    double volume;
    const char *nodes;
} described;

#define TET_CORNERS "0 1 2 3 "
#define PYRAMID_CORNERS "0 1 2 3 4 "
#define WEDGE_CORNERS "0 1 2 3 4 5 "
#define HEXAHEDRON_CORNERS "0 1 2 3 4 5 6 7 "
static const described cells[] = {
    {SNAG__CELL_TET, SNAG__ORDER_VTK, 1. / 6, TET_CORNERS "01 12 20 03 13 23"},
    {SNAG__CELL_TET, SNAG__ORDER_GMSH, 1. / 6, TET_CORNERS "01 12 20 03 23 13"},
    {SNAG__CELL_TET, SNAG__ORDER_EXODUS, 1. / 6, TET_CORNERS "01 12 02 03 13 23"},
    {SNAG__CELL_TET, SNAG__ORDER_ABAQUS, 1. / 6, TET_CORNERS "01 12 20 03 13 23"},
    {SNAG__CELL_PYRAMID, SNAG__ORDER_VTK, 1. / 3, PYRAMID_CORNERS "01 12 23 30 04 14 24 34"},
    {SNAG__CELL_PYRAMID, SNAG__ORDER_VTK, 1. / 3, PYRAMID_CORNERS "01 12 23 30 04 14 24 34 0123 014 124 234 304 01234"},
    {SNAG__CELL_PYRAMID, SNAG__ORDER_GMSH, 1. / 3, PYRAMID_CORNERS "01 03 04 12 14 23 24 34"},
    {SNAG__CELL_PYRAMID, SNAG__ORDER_GMSH, 1. / 3, PYRAMID_CORNERS "01 03 04 12 14 23 24 34 0123"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_VTK, 1. / 2, WEDGE_CORNERS "01 12 20 34 45 53"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_VTK, 1. / 2, WEDGE_CORNERS "01 12 20 34 45 53 03 14 25"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_VTK, 1. / 2, WEDGE_CORNERS "01 12 20 34 45 53 03 14 25 0143 1254 2035"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_GMSH, 1. / 2, WEDGE_CORNERS "01 02 03 12 14 25 34 35 45"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_GMSH, 1. / 2, WEDGE_CORNERS "01 02 03 12 14 25 34 35 45 0143 0352 1254"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_EXODUS, 1. / 2, WEDGE_CORNERS "01 12 20 03 14 25 34 45 53"},
    {SNAG__CELL_WEDGE, SNAG__ORDER_MED, 1. / 2, WEDGE_CORNERS "01 12 20 34 45 53 03 14 25 0143 1254 2035"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 1, HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 26 37"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 1, HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 26 37 0473 1265 0154 2376"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 1,
     HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 26 37 0473 1265 0154 2376 0123 4567 01234567"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_GMSH, 1, HEXAHEDRON_CORNERS "01 03 04 12 15 23 26 37 45 47 56 67"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_GMSH, 1,
     HEXAHEDRON_CORNERS "01 03 04 12 15 23 26 37 45 47 56 67 0321 0154 0473 1265 2376 4567 01234567"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_EXODUS, 1, HEXAHEDRON_CORNERS "01 12 23 30 04 15 26 37 45 56 67 74"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_EXODUS, 1, HEXAHEDRON_CORNERS "01 12 23 30 04 15 26 37 45 56 67 74 01234567"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_EXODUS, 1,
     HEXAHEDRON_CORNERS "01 12 23 30 04 15 26 37 45 56 67 74 01234567 0123 4567 0374 1265 0154 2376"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_ABAQUS, 1,
     HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 26 37 01234567 0123 4567 0154 1265 2376 3740"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_MED, 1,
     HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 26 37 0123 0154 1265 2376 3047 4567 01234567"},
    // Files that do not hold to the order of their format.
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 1,
     HEXAHEDRON_CORNERS "01 12 23 30 45 56 67 74 04 15 37 26 0473 1265 0154 2376 0123 4567 01234567"},
    {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 1, HEXAHEDRON_CORNERS "01 12 23 30 04 15 26 37 45 56 67 74"},
};
enum { CELLS = sizeof cells / sizeof *cells };

static const double *corner_of(snag__cell kind, size_t corner)
{
    static const double tet[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double pyramid[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
    static const double wedge[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    static const double hexahedron[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return kind == SNAG__CELL_TET       ? tet[corner]
           : kind == SNAG__CELL_PYRAMID ? pyramid[corner]
           : kind == SNAG__CELL_WEDGE   ? wedge[corner]
                                        : hexahedron[corner];
}

// The positions of the nodes; mid-nodes are moved away from the middle of the cell by `bulge` of their distance.
static size_t place_nodes(const described *cell, double bulge, double positions[MOST][3])
{
    double middle[3] = {0, 0, 0};
    size_t corners = snag__cell_corners(cell->kind), count = 0;
    for (size_t c = 0; c < corners; c++)
        for (int x = 0; x < 3; x++)
            middle[x] += corner_of(cell->kind, c)[x] / (double)corners;
    for (const char *at = cell->nodes; *at; count++) {
        size_t length = strcspn(at, " ");
        for (int x = 0; x < 3; x++) {
            positions[count][x] = 0;
            for (size_t i = 0; i < length; i++)
                positions[count][x] += corner_of(cell->kind, (size_t)(at[i] - '0'))[x] / (double)length;
            if (length > 1)
                positions[count][x] += bulge * (positions[count][x] - middle[x]);
        }
        at += length;
        at += strspn(at, " ");
    }
    return count;
}

// ---- a builder that cuts ----

typedef struct cutter {
    snag__reading reading;
    snag__source source;
    snag_io_error error;
    snag__builder b;
} cutter;

static void begin(cutter *c)
{
    snag_io_read_options options = snag_io_default_read_options();
    options.curved = true;
    *c = (cutter){.reading = snag__reading_begin(&options)};
    c->source = (snag__source){.name = "test", .reading = &c->reading, .error = &c->error};
    c->b.source = &c->source;
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

// Vertices at these positions, in the order of random numbers.
static void add_vertices(cutter *c, double positions[][3], size_t count, uint32_t *numbers)
{
    uint32_t inverse[MOST];
    shuffle(numbers, count);
    for (uint32_t i = 0; i < count; i++)
        inverse[numbers[i]] = i;
    for (size_t v = 0; v < count; v++) {
        const double *p = positions[inverse[v]];
        assert_int_equal(snag__builder_vertex(&c->b, p[0], p[1], p[2]), SNAG_OK);
    }
}

static double volume_of(const snag__builder *b, const uint32_t v[4])
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = b->positions[3 * (size_t)v[i + 1] + (size_t)k] - b->positions[3 * (size_t)v[0] + (size_t)k];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static double sum_of_volumes(const snag__builder *b, double *least)
{
    double sum = 0;
    *least = 1e9;
    for (size_t k = 0; k < b->tet_count; k++) {
        double volume = volume_of(b, b->tets + 4 * k);
        sum += volume;
        *least = volume < *least ? volume : *least;
    }
    return sum;
}

static int compare_triples(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

// Triangles that belong to one tetrahedron only. No triangle may belong to more than two.
static size_t boundary_of(const snag__builder *b)
{
    size_t count = 4 * b->tet_count, alone = 0;
    uint32_t(*faces)[3] = malloc(count * sizeof *faces + 1);
    assert_non_null(faces);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *tet = b->tets + 4 * (i / 4);
        uint32_t v[3] = {tet[(i + 1) % 4], tet[(i + 2) % 4], tet[(i + 3) % 4]};
        for (int round = 0; round < 3; round++)
            for (int k = 0; k < 2; k++)
                if (v[k] > v[k + 1]) {
                    uint32_t other = v[k];
                    v[k] = v[k + 1];
                    v[k + 1] = other;
                }
        memcpy(faces[i], v, sizeof v);
    }
    qsort(faces, count, sizeof *faces, compare_triples);
    for (size_t i = 0, same; i < count; i += same) {
        same = 1;
        while (i + same < count && compare_triples(faces[i], faces[i + same]) == 0)
            same++;
        assert_true(same <= 2);
        alone += same == 1;
    }
    free(faces);
    return alone;
}

// Triangles on the faces of a cell whose nodes are all there: 4 of a triangle, 6 of a quad, 8 of a quad with a centre, 6 of a triangle with one.
static size_t expected_boundary(const described *cell, size_t count)
{
    switch (cell->kind) {
    case SNAG__CELL_TET: return 16;
    case SNAG__CELL_PYRAMID: return count == 13 ? 22 : count == 14 ? 24 : 32;
    case SNAG__CELL_WEDGE: return count == 12 ? 20 : count == 15 ? 26 : 32;
    default: return count < 24 ? 36 : count == 24 ? 44 : 48;
    }
}

// ---- tests ----

static void every_kind_of_every_format_is_filled(void **state)
{
    (void)state;
    for (size_t i = 0; i < CELLS; i++)
        for (int turn = 0; turn < 100; turn++) {
            double positions[MOST][3], least;
            double bulge = turn % 2 ? 0.2 : 0;
            size_t count = place_nodes(&cells[i], bulge, positions);
            uint32_t numbers[MOST];
            cutter c;
            begin(&c);
            add_vertices(&c, positions, count, numbers);
            assert_int_equal(snag__builder_cell(&c.b, cells[i].kind, cells[i].order, numbers, count), SNAG_OK);
            double sum = sum_of_volumes(&c.b, &least);
            // With mid-nodes at its ends alone, a wedge has no node that sees all other triangles: one tetrahedron is flat.
            bool some_flat = cells[i].kind == SNAG__CELL_WEDGE && count == 12;
            if ((!some_flat && !(least > 1e-9)) ||
                (bulge == 0 ? fabs(sum - cells[i].volume) > 1e-12 : sum < 1.04 * cells[i].volume))
                fail_msg("%s, order %d: volume %g, least %g, bulge %g", cells[i].nodes, cells[i].order, sum, least, bulge);
            if (boundary_of(&c.b) != expected_boundary(&cells[i], count))
                fail_msg("%s: %zu triangles on the outside", cells[i].nodes, boundary_of(&c.b));
            assert_int_equal(c.b.curved_cut, 1);
            assert_int_equal(c.b.curved, 0);
            assert_int_equal(c.b.cell_count, 1);
            for (size_t k = 0; k < c.b.tet_count; k++)
                assert_int_equal(c.b.tet_cells[k], 0);
            snag__builder_free(&c.b);
        }
}

// The same cell in each order, bulged, has one volume.
static void formats_agree(void **state)
{
    (void)state;
    double first[CELLS] = {0};
    for (size_t i = 0; i < CELLS; i++) {
        double positions[MOST][3], least;
        size_t count = place_nodes(&cells[i], 0.2, positions);
        cutter c;
        begin(&c);
        uint32_t numbers[MOST];
        for (uint32_t n = 0; n < count; n++) {
            numbers[n] = n;
            assert_int_equal(snag__builder_vertex(&c.b, positions[n][0], positions[n][1], positions[n][2]), SNAG_OK);
        }
        assert_int_equal(snag__builder_cell(&c.b, cells[i].kind, cells[i].order, numbers, count), SNAG_OK);
        first[i] = sum_of_volumes(&c.b, &least);
        // Faces of four mid-nodes have a diagonal that depends on their numbers, which differ.
        bool by_centres = cells[i].kind == SNAG__CELL_TET || count == 27 || (cells[i].kind == SNAG__CELL_WEDGE && count == 18);
        for (size_t k = 0; k < i && by_centres; k++) {
            double other[MOST][3];
            if (cells[k].kind == cells[i].kind && place_nodes(&cells[k], 0, other) == count)
                assert_true(fabs(first[k] - first[i]) < 1e-12);
        }
        snag__builder_free(&c.b);
    }
}

// Any mid-nodes may be missing: the cell is filled, no mid-node that is there is left out of the boundary, and no triangle is there thrice.
static void missing_mid_nodes_leave_straight_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < CELLS; i++)
        for (int turn = 0; turn < 200; turn++) {
            double positions[MOST][3], least;
            size_t count = place_nodes(&cells[i], 0, positions), corners = snag__cell_corners(cells[i].kind), left = 0;
            uint32_t numbers[MOST];
            cutter c;
            begin(&c);
            add_vertices(&c, positions, count, numbers);
            for (size_t n = corners; n < count; n++) {
                if (random_below(3) == 0 || turn == 0)
                    numbers[n] = SNAG__NO_NODE;
                left += numbers[n] != SNAG__NO_NODE;
            }
            assert_int_equal(snag__builder_cell(&c.b, cells[i].kind, cells[i].order, numbers, count), SNAG_OK);
            double sum = sum_of_volumes(&c.b, &least);
            if (fabs(sum - cells[i].volume) > 1e-12 || least < -1e-12)
                fail_msg("%s: volume %g, least %g", cells[i].nodes, sum, least);
            boundary_of(&c.b);
            assert_int_equal(c.b.curved_cut, left > 0);
            assert_int_equal(c.b.curved, 0);
            snag__builder_free(&c.b);
        }
}

// Two cells over one face, with the same mid-nodes on it, each given as the corners that its nodes lie between.
typedef struct neighbours {
    snag__cell kind[2];
    const char *nodes[2];
    size_t shared;  // triangles
    size_t boundary;
} neighbours;

static void neighbours_agree(void **state)
{
    (void)state;
    // 0 to 7: a cube; 8 to b: a cube on top of it; c: a point on top.
    static const double places[13][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},    {1, 1, 1},
                                         {0, 1, 1}, {0, 0, 2}, {1, 0, 2}, {1, 1, 2}, {0, 1, 2}, {0.5, 0.5, 2}};
    static const char digits[] = "0123456789abc";
    static const neighbours pairs[] = {
        {{SNAG__CELL_HEXAHEDRON, SNAG__CELL_HEXAHEDRON},
         {"0 1 2 3 4 5 6 7 01 12 23 30 45 56 67 74 04 15 26 37", "4 5 6 7 8 9 a b 45 56 67 74 89 9a ab b8 48 59 6a 7b"},
         6,
         60},
        {{SNAG__CELL_HEXAHEDRON, SNAG__CELL_PYRAMID},
         {"0 1 2 3 4 5 6 7 01 12 23 30 45 56 67 74 04 15 26 37", "4 5 6 7 c 45 56 67 74 4c 5c 6c 7c"},
         6,
         46},
        {{SNAG__CELL_HEXAHEDRON, SNAG__CELL_WEDGE},
         {"0 1 2 3 4 5 6 7 01 12 23 30 45 56 67 74 04 15 26 37 0473 1265 0154 2376 0123 4567 01234567",
          "4 5 9 7 6 a 45 59 94 76 6a a7 47 56 9a 4567 569a 49a7"},
         8,
         64},
        {{SNAG__CELL_HEXAHEDRON, SNAG__CELL_PYRAMID},
         {"0 1 2 3 4 5 6 7 01 12 23 30 45 56 67 74 04 15 26 37 0473 1265 0154 2376 0123 4567 01234567",
          "4 5 6 7 c 45 56 67 74 4c 5c 6c 7c 4567"},
         8,
         56},
        {{SNAG__CELL_WEDGE, SNAG__CELL_TET}, {"0 1 2 4 5 6 01 12 20 45 56 64 04 15 26", "4 5 6 9 45 56 64 49 59 69"}, 4, 34},
        // Transition elements: a side of the shared face has no mid-node.
        {{SNAG__CELL_HEXAHEDRON, SNAG__CELL_HEXAHEDRON},
         {"0 1 2 3 4 5 6 7 01 12 23 30 - 56 67 74 04 15 26 37", "4 5 6 7 8 9 a b - 56 67 74 89 9a ab b8 48 59 6a 7b"},
         5,
         58},
        {{SNAG__CELL_WEDGE, SNAG__CELL_TET}, {"0 1 2 4 5 6 01 12 20 45 - 64 04 15 26", "4 5 6 9 45 - 64 49 59 69"}, 3, 32},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int turn = 0; turn < 200; turn++) {
            char names[MOST][12];
            double positions[MOST][3];
            uint32_t local[2][MOST], numbers[MOST];
            size_t named = 0, counts[2] = {0, 0};
            for (int side = 0; side < 2; side++)
                for (const char *at = pairs[i].nodes[side]; *at;) {
                    size_t length = strcspn(at, " "), n = 0;
                    char sorted[12] = "";
                    memcpy(sorted, at, length);
                    for (size_t a = 0; a < length; a++)
                        for (size_t b = a + 1; b < length; b++)
                            if (sorted[b] < sorted[a]) {
                                char other = sorted[a];
                                sorted[a] = sorted[b];
                                sorted[b] = other;
                            }
                    while (n < named && strcmp(names[n], sorted) != 0)
                        n++;
                    if (n == named && sorted[0] != '-') {
                        memcpy(names[named], sorted, sizeof sorted);
                        for (int x = 0; x < 3; x++) {
                            positions[n][x] = 0;
                            for (size_t k = 0; k < length; k++)
                                positions[n][x] += places[strchr(digits, at[k]) - digits][x] / (double)length;
                        }
                        named++;
                    }
                    local[side][counts[side]++] = sorted[0] == '-' ? SNAG__NO_NODE : (uint32_t)n;
                    at += length;
                    at += strspn(at, " ");
                }
            cutter c;
            begin(&c);
            add_vertices(&c, positions, named, numbers);
            for (int side = 0; side < 2; side++) {
                for (size_t n = 0; n < counts[side]; n++)
                    if (local[side][n] != SNAG__NO_NODE)
                        local[side][n] = numbers[local[side][n]];
                assert_int_equal(snag__builder_cell(&c.b, pairs[i].kind[side], SNAG__ORDER_VTK, local[side], counts[side]),
                                 SNAG_OK);
            }
            if (boundary_of(&c.b) != pairs[i].boundary)
                fail_msg("pair %zu: %zu triangles on the outside, not %zu", i, boundary_of(&c.b), pairs[i].boundary);
            assert_int_equal(c.b.cell_count, 2);
            snag__builder_free(&c.b);
        }
}

// Ansys and LS-DYNA write tetrahedra, pyramids and wedges as hexahedra whose nodes repeat.
static void collapsed_cells_are_filled(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        double volume;
        size_t boundary;
    } cases[] = {
        {"0 1 2 2 4 4 4 4 01 12 2 02 4 4 4 4 04 14 24 24", 1. / 6, 16},  // a tetrahedron
        {"0 1 2 3 4 4 4 4 01 12 23 30 4 4 4 4 04 14 24 34", 1. / 3, 22},  // a pyramid
        {"0 1 2 2 4 5 6 6 01 12 2 02 45 56 6 46 04 15 26 26", 1. / 2, 26},  // a wedge
        {"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const described cell = {SNAG__CELL_HEXAHEDRON, SNAG__ORDER_VTK, 0, cases[i].nodes};
        double positions[MOST][3], least;
        uint32_t numbers[MOST];
        size_t count = place_nodes(&cell, 0, positions);
        cutter c;
        begin(&c);
        for (uint32_t n = 0; n < count; n++) {
            uint32_t same = 0;
            while (positions[same][0] != positions[n][0] || positions[same][1] != positions[n][1] ||
                   positions[same][2] != positions[n][2])
                same++;
            numbers[n] = same;
            assert_int_equal(snag__builder_vertex(&c.b, positions[n][0], positions[n][1], positions[n][2]), SNAG_OK);
        }
        assert_int_equal(snag__builder_cell(&c.b, cell.kind, cell.order, numbers, count), SNAG_OK);
        assert_true(fabs(sum_of_volumes(&c.b, &least) - cases[i].volume) < 1e-12);
        assert_true(c.b.tet_count == 0 || least > -1e-12);
        assert_int_equal(boundary_of(&c.b), cases[i].boundary);
        assert_int_equal(c.b.left_out, cases[i].boundary == 0);
        snag__builder_free(&c.b);
    }
}

// ---- files ----

static snag_io_mesh read_curved(const char *name, const char *text, bool curved)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.curved = curved;
    if (snag_io_parse_mesh_with(name, text, strlen(text), &options, &mesh, &error) != SNAG_OK)
        fail_msg("%s: %s", name, error.message);
    return mesh;
}

#define MSH_HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define SIX "0 0 0\n2 0 0\n0 2 0\n1 0 .5\n1 1 .5\n0 1 .5\n"

// A triangle of six nodes and, beside it, a straight one: numbers stay those of the file.
static void faces_keep_their_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        uint32_t numbers[2];
    } files[] = {
        {"a.msh",
         MSH_HEAD "$Nodes\n9\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 1 0 .5\n5 1 1 .5\n6 0 1 .5\n7 9 0 0\n8 9 1 0\n9 9 0 1\n$EndNodes\n"
                  "$Elements\n3\n1 2 2 0 1 7 8 9\n2 9 2 0 1 1 2 3 4 5 6\n3 2 2 0 1 7 9 8\n$EndElements\n",
         {0, 1}},
        {"a.vtk",
         "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 double\n" SIX
         "9 0 0\n9 1 0\n9 0 1\nCELLS 3 15\n3 6 7 8\n6 0 1 2 3 4 5\n3 6 8 7\nCELL_TYPES 3\n5\n22\n5\n",
         {0, 1}},
        {"a.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n9\n0 0 0 0\n2 0 0 0\n0 2 0 0\n1 0 .5 0\n1 1 .5 0\n0 1 .5 0\n9 0 0 0\n9 1 "
         "0 0\n9 0 1 0\n"
         "Triangles\n1\n7 8 9 0\nTrianglesP2\n1\n1 2 3 4 5 6 0\nTriangles\n1\n7 9 8 0\nEnd\n",
         {0, 1}},
        {"a.inp",
         "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 1, 0, .5\n5, 1, 1, .5\n6, 0, 1, .5\n7, 9, 0, 0\n8, 9, 1, 0\n9, 9, 0, 1\n"
         "*ELEMENT, TYPE=S3\n70, 7, 8, 9\n*ELEMENT, TYPE=STRI65\n41, 1, 2, 3, 4, 5, 6\n*ELEMENT, TYPE=S3\n72, 7, 9, 8\n",
         {70, 41}},
        {"a.bdf",
         "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,0.,2.,0.\nGRID,4,,1.,0.,.5\nGRID,5,,1.,1.,.5\nGRID,6,,0.,1.,.5\n"
         "GRID,7,,9.,0.,0.\nGRID,8,,9.,1.,0.\nGRID,9,,9.,0.,1.\nCTRIA3,70,1,7,8,9\nCTRIA6,41,1,1,2,3,4,5,6\nCTRIA3,72,1,7,9,8\n"
         "ENDDATA\n",
         {70, 41}},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snag_io_mesh mesh = read_curved(files[i].name, files[i].text, true);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(body->polygon_count, 6);
        assert_int_equal(mesh.curved, 0);
        assert_int_equal(mesh.curved_cut, 1);
        assert_non_null(body->polygon_numbers);
        assert_int_equal(body->polygon_numbers[0], files[i].numbers[0]);
        for (size_t p = 1; p < 5; p++)
            assert_int_equal(body->polygon_numbers[p], files[i].numbers[1]);
        assert_int_equal(body->polygon_numbers[5], files[i].numbers[1] == 1 ? 2 : 72);
        snag_io_mesh_free(&mesh);
        mesh = read_curved(files[i].name, files[i].text, false);
        assert_int_equal(only_body(&mesh)->polygon_count, 3);
        assert_int_equal(mesh.curved, 1);
        assert_int_equal(mesh.curved_cut, 0);
        snag_io_mesh_free(&mesh);
    }
}

#define TEN                                                                                                                        \
    "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 0, 0, 2\n5, 1, 0, 0\n6, 1, 1, 0\n7, 0, 1, 0\n8, 0, 0, 1\n9, 1, 0, 1\n10, 0, "   \
    "1, 1\n"

// Shells on the faces of a solid are cut like them, and only repeat its boundary: none is left out.
static void shells_on_a_solid_agree_with_it(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_curved("a.inp",
                                    TEN "*ELEMENT, TYPE=C3D10\n1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n*ELEMENT, TYPE=STRI65\n"
                                        "2, 1, 3, 2, 7, 6, 5\n3, 2, 3, 4, 6, 10, 9\n",
                                    true);
    assert_int_equal(only_body(&mesh)->polygon_count, 0);
    assert_int_equal(only_body(&mesh)->tet_count, 8);
    assert_int_equal(mesh.skipped, 2);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
}

// Nastran leaves out mid-nodes by blanks or zeros.
static void nastran_may_leave_out_mid_nodes(void **state)
{
    (void)state;
    static const char *const cards[] = {"CTETRA,5,1,1,2,3,4,5,6,+\n+,7,8,9,10\n", "CTETRA,5,1,1,2,3,4,0,6,+\n+,,8,,0\n",
                                        "CTETRA,5,1,1,2,3,4,0,0,+\n+,0,0,0,0\n"};
    static const size_t tets[] = {8, 3, 1}, cut[] = {1, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,0.,2.,0.\nGRID,4,,0.,0.,2.\nGRID,5,,1.,0.,0.\nGRID,6,,1.,1.,0.\n"
                 "GRID,7,,0.,1.,0.\nGRID,8,,0.,0.,1.\nGRID,9,,1.,0.,1.\nGRID,10,,0.,1.,1.\n%sENDDATA\n",
                 cards[i]);
        snag_io_mesh mesh = read_curved("a.bdf", text, true);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(mesh.curved_cut, cut[i]);
        assert_int_equal(mesh.curved, 0);
        if (i != 1)
            assert_int_equal(body->tet_count, tets[i]);
        for (size_t k = 0; k < body->tet_count; k++)
            assert_int_equal(body->tet_numbers[k], 5);
        snag_io_mesh_free(&mesh);
    }
    // A mid-node that does not exist is an error with its line.
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.curved = true;
    static const char bad[] = "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,0.,2.,0.\nCTRIA6,5,1,1,2,3,99\nENDDATA\n";
    assert_int_equal(snag_io_parse_mesh_with("a.bdf", bad, strlen(bad), &options, &mesh, &error), SNAG_ERROR_INDEX);
    assert_non_null(strstr(error.message, "a.bdf:4"));
    assert_non_null(strstr(error.message, "99"));
}

static void rods_bend_at_their_middle(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } files[] = {
        {"a.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 1\n3, 2, 0, 0\n*ELEMENT, TYPE=B32\n1, 1, 2, 3\n"},
        {"a.msh", MSH_HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 1\n3 2 0 0\n$EndNodes\n$Elements\n1\n1 8 2 0 1 1 3 2\n$EndElements\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        snag_io_mesh mesh = read_curved(files[i].name, files[i].text, true);
        const snag_io_body *body = only_body(&mesh);
        assert_int_equal(body->edge_count, 2);
        assert_int_equal(mesh.curved_cut, 1);
        for (size_t e = 0; e < 2; e++)
            assert_true(body->edges[2 * e] == 1 || body->edges[2 * e + 1] == 1);
        snag_io_mesh_free(&mesh);
    }
}

// What has no mid-nodes, and what is of a higher order, is as without the option.
static void other_cells_are_unchanged(void **state)
{
    (void)state;
    static const char linear[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n0 0 0 1 0 0 1 1 0 0 1 0\n"
        "0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n";
    static const char bezier[] = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n" SIX
                                 "CELLS 1 7\n6 0 1 2 3 4 5\nCELL_TYPES 1\n76\n";
    snag_io_mesh straight = read_curved("a.vtk", linear, false), same = read_curved("a.vtk", linear, true);
    assert_int_equal(only_body(&straight)->tet_count, only_body(&same)->tet_count);
    assert_memory_equal(only_body(&straight)->tets, only_body(&same)->tets, 4 * only_body(&same)->tet_count * sizeof(uint32_t));
    assert_int_equal(same.curved_cut, 0);
    snag_io_mesh_free(&straight);
    snag_io_mesh_free(&same);
    snag_io_mesh mesh = read_curved("a.vtk", bezier, true);
    assert_int_equal(mesh.curved, 1);
    assert_int_equal(mesh.curved_cut, 0);
    assert_int_equal(only_body(&mesh)->polygon_count, 1);
    snag_io_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_every_format_is_filled),
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(missing_mid_nodes_leave_straight_edges),
        cmocka_unit_test(neighbours_agree),
        cmocka_unit_test(collapsed_cells_are_filled),
        cmocka_unit_test(faces_keep_their_numbers),
        cmocka_unit_test(shells_on_a_solid_agree_with_it),
        cmocka_unit_test(nastran_may_leave_out_mid_nodes),
        cmocka_unit_test(rods_bend_at_their_middle),
        cmocka_unit_test(other_cells_are_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
