// Cells by the type numbers of VTK, which its old and its XML formats share.
#ifndef SNAG_IO_VTK_CELLS_H
#define SNAG_IO_VTK_CELLS_H

#include "cells.h"

enum { SNAG__VTK_STRIP = 6, SNAG__VTK_POLYGON = 7, SNAG__VTK_POLYHEDRON = 42 };

// Whether a cell of this type may have so many points.
bool snag__vtk_is_sound(int64_t type, size_t count);

// Adds a cell of a sound size, but no polyhedron. A strip is split: each of its triangles is a face with a number of its own.
// Pixels and voxels are turned into quads and hexahedra. Types that are not known are counted as skipped.
snag_status snag__vtk_add(snag__builder *builder, int64_t type, const uint32_t *points, size_t count);

#endif
