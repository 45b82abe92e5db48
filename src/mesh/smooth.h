// How smooth a surface is where one looks at it.
#ifndef SNAG_MESH_SMOOTH_H
#define SNAG_MESH_SMOOTH_H

#include "mesh/mesh.h"

// Triangles of a neighbourhood, at most.
enum { SNAG__NEIGHBOURHOOD_MAX = 512 };

// Whether the `count` triangles around one of them, those nearest to it over edges, all face one direction at t1, as
// they do where a surface bends little from triangle to triangle. Winding is of no account. One without area faces
// nothing.
bool snag__is_smooth_around(const snag__mesh *mesh, uint32_t triangle, uint32_t count);

#endif
