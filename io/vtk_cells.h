// VTK cell types, shared by the legacy and the XML format.
#ifndef SNAG_IO_VTK_CELLS_H
#define SNAG_IO_VTK_CELLS_H

#include "cells.h"

enum { SNAG__VTK_POLY_VERTEX = 2, SNAG__VTK_POLY_LINE = 4, SNAG__VTK_STRIP = 6, SNAG__VTK_POLYGON = 7, SNAG__VTK_POLYHEDRON = 42 };

// Whether a cell of this type may have this many points.
bool snag__vtk_is_sound(int64_t type, size_t count);

// Adds a cell of a valid size, except a polyhedron. Splits a strip into triangles, each a face with its own number, and a polyline
// into rods.
// Converts pixels and voxels to quads and hexahedra. Counts unknown types as skipped.
snag_status snag__vtk_add(snag__builder *builder, int64_t type, const uint32_t *points, size_t count);

#endif
