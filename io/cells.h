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

// The largest number of corners of any kind above.
#define SNAG__MOST_CORNERS 12

// Number of corners of a kind; 0: not read.
size_t snag__cell_corners(snag__cell kind);

// Whether cells of a kind are rods or points, which have no numbers of their own.
static inline bool snag__cell_is_thin(snag__cell kind)
{
    return kind == SNAG__CELL_POINT || kind == SNAG__CELL_LINE;
}

// Adds a cell by its corners, as faces, tetrahedra, rods or points; counts kinds that are not read as skipped. `nodes` is the number of
// all nodes of the cell: if there are more nodes than corners, the cell is curved; it is reduced to its corners and
// counted. If corners repeat, the parts with a volume are added; a cell without volume is counted as skipped.
snag_status snag__builder_cell(snag__builder *builder, snag__cell kind, const uint32_t *corners, size_t nodes);

// Adds a polyhedron by its faces: the size of each, then its vertices.
snag_status snag__builder_polyhedron(snag__builder *builder, const uint32_t *faces, size_t face_count);

// VTK writers disagree on the orientation of a wedge: swaps its ends if its volume is negative. The vertices must exist.
void snag__cell_orient_wedge(const snag__builder *builder, uint32_t corners[6]);

#endif
