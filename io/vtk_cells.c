// VTK cell types.
#include "vtk_cells.h"
#include "curved.h"

enum { PIXEL = 8, VOXEL = 11, LINEAR_QUADRATIC_QUAD = 30, QUADRATIC_POLYGON = 36, FIRST_BEZIER = 75 };

typedef struct vtk_type {
    uint8_t type;
    uint8_t kind;  // snag__cell
    uint8_t least, most;  // allowed number of points; most 0: no upper limit (Lagrange and Bezier cells of any degree)
} vtk_type;

static const vtk_type types[] = {
    {1, SNAG__CELL_POINT, 1, 1},
    {3, SNAG__CELL_LINE, 2, 2},
    {21, SNAG__CELL_LINE, 3, 3},
    {35, SNAG__CELL_LINE, 4, 4},
    {68, SNAG__CELL_LINE, 2, 0},
    {75, SNAG__CELL_LINE, 2, 0},
    {5, SNAG__CELL_TRIANGLE, 3, 3},
    {8, SNAG__CELL_QUAD, 4, 4},
    {9, SNAG__CELL_QUAD, 4, 4},
    {10, SNAG__CELL_TET, 4, 4},
    {11, SNAG__CELL_HEXAHEDRON, 8, 8},
    {12, SNAG__CELL_HEXAHEDRON, 8, 8},
    {13, SNAG__CELL_WEDGE, 6, 6},
    {14, SNAG__CELL_PYRAMID, 5, 5},
    {15, SNAG__CELL_PENTAGONAL_PRISM, 10, 10},
    {16, SNAG__CELL_HEXAGONAL_PRISM, 12, 12},
    // Second order, some with nodes at the middle of faces and of the cell.
    {22, SNAG__CELL_TRIANGLE, 6, 6},
    {23, SNAG__CELL_QUAD, 8, 8},
    {24, SNAG__CELL_TET, 10, 10},
    {25, SNAG__CELL_HEXAHEDRON, 20, 20},
    {26, SNAG__CELL_WEDGE, 15, 15},
    {27, SNAG__CELL_PYRAMID, 13, 13},
    {28, SNAG__CELL_QUAD, 9, 9},
    {29, SNAG__CELL_HEXAHEDRON, 27, 27},
    {30, SNAG__CELL_QUAD, 6, 6},
    {31, SNAG__CELL_WEDGE, 12, 12},
    {32, SNAG__CELL_WEDGE, 18, 18},
    {33, SNAG__CELL_HEXAHEDRON, 24, 24},
    {34, SNAG__CELL_TRIANGLE, 7, 7},
    {37, SNAG__CELL_PYRAMID, 19, 19},
    // Lagrange and Bezier.
    {69, SNAG__CELL_TRIANGLE, 3, 0},
    {70, SNAG__CELL_QUAD, 4, 0},
    {71, SNAG__CELL_TET, 4, 0},
    {72, SNAG__CELL_HEXAHEDRON, 8, 0},
    {73, SNAG__CELL_WEDGE, 6, 0},
    {74, SNAG__CELL_PYRAMID, 5, 0},
    {76, SNAG__CELL_TRIANGLE, 3, 0},
    {77, SNAG__CELL_QUAD, 4, 0},
    {78, SNAG__CELL_TET, 4, 0},
    {79, SNAG__CELL_HEXAHEDRON, 8, 0},
    {80, SNAG__CELL_WEDGE, 6, 0},
    {81, SNAG__CELL_PYRAMID, 5, 0},
};

static const vtk_type *find_type(int64_t type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

bool snag__vtk_is_sound(int64_t type, size_t count)
{
    if (type == SNAG__VTK_STRIP || type == SNAG__VTK_POLYGON)
        return count >= 3;
    if (type == QUADRATIC_POLYGON)
        return count >= 6 && count % 2 == 0;
    if (type == SNAG__VTK_POLY_VERTEX || type == SNAG__VTK_POLY_LINE)
        return count >= (type == SNAG__VTK_POLY_LINE ? 2 : 1);
    const vtk_type *known = find_type(type);
    return !known || (count >= known->least && (known->most == 0 || count <= known->most));
}

// Flip every second triangle of a strip, so that all face the same way.
static snag_status add_strip(snag__builder *builder, const uint32_t *points, size_t count)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i + 2 < count && status == SNAG_OK; i++) {
        uint32_t triangle[3] = {points[i + i % 2], points[i + 1 - i % 2], points[i + 2]};
        status = snag__builder_polygon(builder, triangle, 3);
    }
    return status;
}

// Control points of Bezier cells are not on the cell.
static snag__node_order order_of(int64_t type)
{
    return type >= FIRST_BEZIER ? SNAG__ORDER_UNKNOWN : SNAG__ORDER_VTK;
}

snag_status snag__vtk_add(snag__builder *builder, int64_t type, const uint32_t *points, size_t count)
{
    if (type == SNAG__VTK_STRIP)
        return add_strip(builder, points, count);
    if (type == SNAG__VTK_POLYGON)
        return snag__builder_polygon(builder, points, count);
    if (type == QUADRATIC_POLYGON) {
        if (snag__builder_is_curved(builder))
            return snag__curved_polygon(builder, points, points + count / 2, count / 2, SNAG__NO_NODE);
        builder->curved++;
        return snag__builder_polygon(builder, points, count / 2);
    }
    if (type == SNAG__VTK_POLY_LINE)
        return snag__builder_polyline(builder, points, count);
    if (type == SNAG__VTK_POLY_VERTEX) {
        snag_status status = SNAG_OK;
        for (size_t i = 0; i < count && status == SNAG_OK; i++)
            status = snag__builder_point(builder, points[i]);
        return status;
    }
    const vtk_type *known = find_type(type);
    if (!known) {
        snag__builder_skip(builder, 1, snag__vtk_is_solid(type));
        return SNAG_OK;
    }
    uint32_t nodes[SNAG__MOST_NODES];
    for (size_t i = 0; i < count && i < SNAG__MOST_NODES; i++)
        nodes[i] = points[i];
    // The points of pixels and voxels are in axis order.
    for (size_t i = 2; (type == PIXEL && i < 4) || (type == VOXEL && i < 8); i += 4) {
        nodes[i] = points[i + 1];
        nodes[i + 1] = points[i];
    }
    if (known->kind == SNAG__CELL_WEDGE)
        snag__cell_orient_wedge(builder, nodes, count);
    if (type == LINEAR_QUADRATIC_QUAD) {  // mid-nodes on two sides
        const uint32_t all[8] = {points[0], points[1], points[2], points[3], points[4], SNAG__NO_NODE, points[5], SNAG__NO_NODE};
        return snag__builder_cell(builder, SNAG__CELL_QUAD, SNAG__ORDER_VTK, all, 8);
    }
    return snag__builder_cell(builder, known->kind, order_of(type), nodes, count);
}
