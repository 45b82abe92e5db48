// Cuts finite-element cells into tetrahedra.
//
// A cell is a cone: its lowest-numbered vertex is the apex, and every face without that vertex is a base. A face with more
// than three vertices is cut into a triangle fan around its own lowest vertex. The cone cuts the faces at the apex in the
// same way, since the apex is their lowest vertex too. So the cut of a face depends only on the face, and two cells of any
// kind agree on the face between them: the tetrahedra are conforming.
// Dompierre, Labbe, Vallet, Camarero: How to Subdivide Pyramids, Prisms and Hexahedra into Tetrahedra, 8th International
// Meshing Roundtable, 1999. Difference: they cut some hexahedra into five tetrahedra; a cone always makes six.
#include "curved.h"

#include <stdlib.h>
#include <string.h>

// Faces of a cell kind, counterclockwise seen from outside: the size of each, then its corners.
typedef struct cell_shape {
    uint8_t corners, faces;
    uint8_t list[32];
} cell_shape;

static const cell_shape shapes[SNAG__CELL_COUNT] = {
    [SNAG__CELL_POINT] = {1, 0, {0}},
    [SNAG__CELL_LINE] = {2, 0, {0}},
    [SNAG__CELL_TRIANGLE] = {3, 0, {0}},
    [SNAG__CELL_QUAD] = {4, 0, {0}},
    [SNAG__CELL_TET] = {4, 4, {3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 0, 3, 2}},
    [SNAG__CELL_PYRAMID] = {5, 5, {4, 0, 3, 2, 1, 3, 0, 1, 4, 3, 1, 2, 4, 3, 2, 3, 4, 3, 3, 0, 4}},
    [SNAG__CELL_WEDGE] = {6, 5, {3, 0, 2, 1, 3, 3, 4, 5, 4, 0, 1, 4, 3, 4, 1, 2, 5, 4, 4, 2, 0, 3, 5}},
    [SNAG__CELL_HEXAHEDRON] = {8, 6, {4, 0, 3, 2, 1, 4, 4, 5, 6, 7, 4, 0, 1, 5, 4, 4, 1, 2, 6, 5, 4, 2, 3, 7, 6, 4, 3, 0, 4, 7}},
    // prism_faces lists their faces.
    [SNAG__CELL_PENTAGONAL_PRISM] = {10, 7, {0}},
    [SNAG__CELL_HEXAGONAL_PRISM] = {12, 8, {0}},
};

size_t snag__cell_corners(snag__cell kind)
{
    return shapes[kind].corners;
}

size_t snag__cell_faces(snag__cell kind, const uint8_t **faces)
{
    *faces = shapes[kind].list;
    return shapes[kind].list[0] ? shapes[kind].faces : 0;
}

// ---- cutting ----

// The vertices of a face without consecutive duplicates; returns its size.
static size_t distinct(const uint32_t *face, size_t size, uint32_t *vertices)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (count == 0 || vertices[count - 1] != face[i])
            vertices[count++] = face[i];
    while (count > 1 && vertices[count - 1] == vertices[0])
        count--;
    return count;
}

static size_t lowest_place(const uint32_t *vertices, size_t count)
{
    size_t lowest = 0;
    for (size_t i = 1; i < count; i++)
        lowest = vertices[i] < vertices[lowest] ? i : lowest;
    return lowest;
}

static bool holds(const uint32_t *vertices, size_t count, uint32_t vertex)
{
    for (size_t i = 0; i < count; i++)
        if (vertices[i] == vertex)
            return true;
    return false;
}

// The tetrahedra over a face that does not contain the apex.
static snag_status add_cone(snag__builder *builder, uint32_t apex, const uint32_t *face, size_t size)
{
    snag_status status = SNAG_OK;
    size_t lowest = lowest_place(face, size);
    for (size_t i = 1; i + 1 < size && status == SNAG_OK; i++) {
        uint32_t tet[4] = {apex, face[lowest], face[(lowest + i) % size], face[(lowest + i + 1) % size]};
        if (tet[1] != tet[2] && tet[2] != tet[3] && tet[3] != tet[1])
            status = snag__builder_tet(builder, tet);
    }
    return status;
}

// Numbers the tetrahedra added since the last cell: each is its own cell.
static snag_status number_tets(snag__builder *builder)
{
    snag_status status = snag__builder_reserve_tet_cells(builder);
    while (status == SNAG_OK && builder->numbered_tets < builder->tet_count)
        builder->tet_cells[builder->numbered_tets++] = (uint32_t)builder->cell_count++;
    return status;
}

snag_status snag__builder_begin_cell(snag__builder *builder, size_t *first)
{
    *first = builder->tet_count;
    return number_tets(builder);
}

snag_status snag__builder_end_cell(snag__builder *builder, size_t first)
{
    if (builder->tet_count == first)
        snag__builder_skip(builder, 1, true);
    snag_status status = snag__builder_reserve_tet_cells(builder);
    while (status == SNAG_OK && builder->numbered_tets < builder->tet_count)
        builder->tet_cells[builder->numbered_tets++] = (uint32_t)builder->cell_count;
    builder->cell_count += status == SNAG_OK;
    return status;
}

static double volume6(const snag__builder *builder, const uint32_t tet[4])
{
    const double *o = builder->positions + 3 * (size_t)tet[0];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = builder->positions[3 * (size_t)tet[i + 1] + (size_t)k] - o[k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

snag_status snag__builder_polyhedron(snag__builder *builder, const uint32_t *faces, size_t face_count)
{
    uint32_t apex = UINT32_MAX;
    size_t longest = 0, first;
    snag_status status = snag__builder_begin_cell(builder, &first);
    const uint32_t *face = faces;
    for (size_t f = 0; f < face_count; f++, face += 1 + *face) {
        longest = *face > longest ? *face : longest;
        for (uint32_t i = 1; i <= *face; i++)
            apex = face[i] < apex ? face[i] : apex;
    }
    uint32_t *vertices = malloc((longest + 1) * sizeof *vertices);
    if (!vertices)
        return SNAG_ERROR_MEMORY;
    face = faces;
    for (size_t f = 0; f < face_count && status == SNAG_OK; f++, face += 1 + *face) {
        size_t size = distinct(face + 1, *face, vertices);
        if (size >= 3 && !holds(vertices, size, apex))
            status = add_cone(builder, apex, vertices, size);
    }
    free(vertices);
    // Writers disagree on the orientation of polyhedron faces.
    for (size_t k = first; k < builder->tet_count; k++)
        if (volume6(builder, builder->tets + 4 * k) < 0) {
            uint32_t *tet = builder->tets + 4 * k, other = tet[2];
            tet[2] = tet[3];
            tet[3] = other;
        }
    return status == SNAG_OK ? snag__builder_end_cell(builder, first) : status;
}

// ---- kinds ----

static snag_status add_face(snag__builder *builder, const uint32_t *corners, size_t size)
{
    uint32_t vertices[4];
    size_t count = distinct(corners, size, vertices);
    if (count >= 3)
        return snag__builder_polygon(builder, vertices, count);
    // A polygon that collapses to a line keeps its number among the faces, and is reported as degenerate like any other.
    return snag__builder_polygon(builder, corners, size);
}

// The faces of a prism over `sides` corners, in the format of cell_shape.list.
static void prism_faces(uint8_t sides, uint8_t list[44])
{
    *list++ = sides;
    for (uint8_t i = 0; i < sides; i++)
        *list++ = i ? (uint8_t)(sides - i) : 0;
    *list++ = sides;
    for (uint8_t i = 0; i < sides; i++)
        *list++ = (uint8_t)(sides + i);
    for (uint8_t i = 0; i < sides; i++) {
        uint8_t next = (uint8_t)((i + 1) % sides);
        const uint8_t side[5] = {4, i, next, (uint8_t)(sides + next), (uint8_t)(sides + i)};
        memcpy(list, side, sizeof side);
        list += sizeof side;
    }
}

static snag_status add_solid(snag__builder *builder, snag__cell kind, const uint32_t *corners)
{
    const cell_shape *shape = &shapes[kind];
    uint8_t prism[44];
    const uint8_t *face = shape->list;
    if (face[0] == 0) {
        prism_faces(kind == SNAG__CELL_HEXAGONAL_PRISM ? 6 : 5, prism);
        face = prism;
    }
    size_t first;
    snag_status status = snag__builder_begin_cell(builder, &first);
    uint32_t apex = corners[lowest_place(corners, shape->corners)];
    for (size_t f = 0; f < shape->faces && status == SNAG_OK; f++, face += 1 + *face) {
        uint32_t named[6], vertices[6];
        for (uint8_t i = 0; i < *face; i++)
            named[i] = corners[face[1 + i]];
        size_t size = distinct(named, *face, vertices);
        if (size >= 3 && !holds(vertices, size, apex))
            status = add_cone(builder, apex, vertices, size);
    }
    return status == SNAG_OK ? snag__builder_end_cell(builder, first) : status;
}

static bool repeats(const uint32_t *corners, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (holds(corners, i, corners[i]))
            return true;
    return false;
}

static snag_status add_straight(snag__builder *builder, snag__cell kind, const uint32_t *corners)
{
    if (kind == SNAG__CELL_LINE)
        return snag__builder_edge(builder, corners[0], corners[1]);
    if (kind == SNAG__CELL_TRIANGLE || kind == SNAG__CELL_QUAD)
        return add_face(builder, corners, snag__cell_corners(kind));
    if (kind == SNAG__CELL_TET && !repeats(corners, 4))
        return snag__builder_tet(builder, corners);
    return add_solid(builder, kind, corners);
}

static bool has_more_nodes(const uint32_t *nodes, size_t corners, size_t count)
{
    for (size_t i = corners; i < count && i < SNAG__MOST_NODES; i++)
        if (nodes[i] != SNAG__NO_NODE)
            return true;
    return false;
}

snag_status snag__builder_cell(snag__builder *builder, snag__cell kind, snag__node_order order, const uint32_t *nodes, size_t count)
{
    size_t corners = snag__cell_corners(kind);
    if (corners == 0) {
        snag__builder_skip(builder, 1, kind != SNAG__CELL_NO_AREA);
        return SNAG_OK;
    }
    if (kind == SNAG__CELL_POINT)
        return snag__builder_point(builder, nodes[0]);
    if (count == corners || !has_more_nodes(nodes, corners, count))
        return add_straight(builder, kind, nodes);
    bool done = false;
    snag_status status = snag__builder_is_curved(builder) ? snag__curved_cell(builder, kind, order, nodes, count, &done) : SNAG_OK;
    if (status != SNAG_OK || done)
        return status;
    builder->curved++;
    return add_straight(builder, kind, nodes);
}

void snag__cell_orient_wedge(const snag__builder *builder, uint32_t *nodes, size_t count)
{
    double sum = 0;
    for (size_t i = 3; i < 6; i++)
        sum += volume6(builder, (const uint32_t[4]){nodes[0], nodes[1], nodes[2], nodes[i]});
    if (sum >= 0)
        return;
    // The ends, then the mid-nodes of their edges; those between the ends stay.
    for (size_t first = 0; first < 12 && first + 6 <= count; first += 6)
        for (size_t i = first; i < first + 3; i++) {
            uint32_t other = nodes[i];
            nodes[i] = nodes[i + 3];
            nodes[i + 3] = other;
        }
}
