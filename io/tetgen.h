// TetGen: a .node file of vertices, and beside it an .ele file of tetrahedra or a .face file of triangles.
#ifndef SNAG_IO_TETGEN_H
#define SNAG_IO_TETGEN_H

#include "mesh.h"

// `corners` of an element: 4 of an .ele file, 3 of a .face file. Messages name the file that is wrong.
snag_status snag__read_tetgen(const snag__source *nodes, const snag__source *elements, size_t corners, snag__builder *builder);

// Reads both files of either path and makes the mesh.
snag_status snag__read_tetgen_files(const char *path, snag__reading *reading, snag_io_mesh *mesh, snag_io_error *error);

bool snag__is_tetgen(const char *path);

#endif
