// Cells of finite elements: what kinds there are, and how a cell that is no tetrahedron becomes tetrahedra.
#ifndef SNAG_IO_CELLS_H
#define SNAG_IO_CELLS_H

#include "mesh.h"

// Kinds by their corners, which stand first in the node list of every format that we read, before the nodes in the middle of
// edges, faces and the cell.
typedef enum snag__cell {
    SNAG__CELL_UNKNOWN,  // has an area or a volume, but is not read
    SNAG__CELL_NO_AREA,  // points, lines, springs
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

// The most corners that a kind above has.
#define SNAG__MOST_CORNERS 12

// Corners of a kind; 0: it is not read.
size_t snag__cell_corners(snag__cell kind);

// Adds a cell by its corners, as faces or tetrahedra; kinds that are not read are counted as skipped. `nodes` are all of the
// cell: more than its corners make it curved, and it is then taken by its corners and counted. Of a cell whose corners repeat,
// the parts that have a volume are added; one that has none is counted as skipped.
snag_status snag__builder_cell(snag__builder *builder, snag__cell kind, const uint32_t *corners, size_t nodes);

// Adds a polyhedron by its faces: the size of each, and then its vertices.
snag_status snag__builder_polyhedron(snag__builder *builder, const uint32_t *faces, size_t face_count);

// Writers of VTK do not agree on which way a wedge turns: exchanges its ends if its volume is negative. The vertices must be
// there.
void snag__cell_orient_wedge(const snag__builder *builder, uint32_t corners[6]);

#endif
