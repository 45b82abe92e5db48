// TetGen: a .node file with vertices, and beside it an .ele file with tetrahedra or a .face file with triangles.
#ifndef SNAG_IO_TETGEN_H
#define SNAG_IO_TETGEN_H

#include "mesh.h"

// `corners` per element: 4 in an .ele file, 3 in a .face file. Messages name the faulty file.
snag_status snag__read_tetgen(const snag__source *nodes, const snag__source *elements, size_t corners, snag__builder *builder);

// Reads both files, given the path of either, and makes the mesh.
snag_status snag__read_tetgen_files(const char *path, snag__reading *reading, snag_io_mesh *mesh, snag_io_error *error);

bool snag__is_tetgen(const char *path);

#endif
