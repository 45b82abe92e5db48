// How smooth a surface is around a triangle.
#ifndef SNAG_MESH_SMOOTH_H
#define SNAG_MESH_SMOOTH_H

#include "mesh/mesh.h"

// The most triangles of a neighbourhood.
enum { SNAG__NEIGHBOURHOOD_MAX = 512 };

// Whether the `count` triangles nearest to one of them across edges all face one common direction at t1, as they do where a surface
// bends little from triangle to triangle. Ignores winding. A triangle of zero area faces nothing.
bool snag__is_smooth_around(const snag__mesh *mesh, uint32_t triangle, uint32_t count);

#endif
