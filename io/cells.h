// Finite-element cells: the kinds, and their decomposition into tetrahedra.
#ifndef SNAG_IO_CELLS_H
#define SNAG_IO_CELLS_H

#include "mesh.h"

// Kinds are defined by their corners. Every format that we read lists the corners first, before the nodes at the middle of
// edges, faces and the cell.
typedef enum snag__cell {
    SNAG__CELL_UNKNOWN,  // has an area or a volume, but is not read
    SNAG__CELL_NO_AREA,  // springs, masses and the like: nothing that could collide
    SNAG__CELL_POINT,
    SNAG__CELL_LINE,  // by its ends
    SNAG__CELL_TRIANGLE,
    SNAG__CELL_QUAD,
    SNAG__CELL_TET,
    SNAG__CELL_PYRAMID,
    SNAG__CELL_WEDGE,
    SNAG__CELL_HEXAHEDRON,
    SNAG__CELL_PENTAGONAL_PRISM,
    SNAG__CELL_HEXAGONAL_PRISM,
    SNAG__CELL_COUNT,
} snag__cell;

// The largest number of corners of any kind above, and of all nodes of a cell of second order.
#define SNAG__MOST_CORNERS 12
#define SNAG__MOST_NODES 27

// In place of a mid-node that is missing: its edge is straight.
#define SNAG__NO_NODE UINT32_MAX

// In which order a format lists the nodes after the corners. If the positions say clearly that a file has another one, that is taken.
typedef enum snag__node_order {
    SNAG__ORDER_VTK,  // also LS-DYNA, Ansys, XDMF, Medit
    SNAG__ORDER_GMSH,
    SNAG__ORDER_EXODUS,  // also Nastran
    SNAG__ORDER_ABAQUS,
    SNAG__ORDER_MED,
    SNAG__ORDER_VTK_8,  // Lagrange cells before version 9
    SNAG__ORDER_UNKNOWN,  // or the nodes are not on the surface
} snag__node_order;

// Number of corners of a kind; 0: not read.
size_t snag__cell_corners(snag__cell kind);

// Whether cells of a kind are rods or points, which have no numbers of their own.
static inline bool snag__cell_is_thin(snag__cell kind)
{
    return kind == SNAG__CELL_POINT || kind == SNAG__CELL_LINE;
}

// The faces of a solid kind, counterclockwise seen from outside: the size of each, then its corners. Returns their number; 0 for prisms.
size_t snag__cell_faces(snag__cell kind, const uint8_t **faces);

// Adds a cell as faces, tetrahedra, rods or points; counts kinds that are not read as skipped. `nodes` has the first
// SNAG__MOST_NODES of `count` nodes, or all: if there are more than corners, the cell is curved. By the reader's options it is cut at its
// mid-nodes (curved.c), or reduced to its corners and counted. If corners repeat, the parts with a volume are added; a cell without volume
// is counted as skipped.
snag_status snag__builder_cell(snag__builder *builder, snag__cell kind, snag__node_order order, const uint32_t *nodes,
                               size_t count);

// Tetrahedra that are added between these two calls are one cell.
snag_status snag__builder_begin_cell(snag__builder *builder, size_t *first);
snag_status snag__builder_end_cell(snag__builder *builder, size_t first);

// Adds a polyhedron by its faces: the size of each, then its vertices.
snag_status snag__builder_polyhedron(snag__builder *builder, const uint32_t *faces, size_t face_count);

// VTK writers disagree on the orientation of a wedge: swaps its ends, with their mid-nodes, if its volume is negative. The vertices
// must exist.
void snag__cell_orient_wedge(const snag__builder *builder, uint32_t *nodes, size_t count);

#endif
