// Splitting polygons into triangles: see polygon.c.
#ifndef SNAG_MESH_POLYGON_H
#define SNAG_MESH_POLYGON_H

#include "mesh/mesh.h"

// Fills triangles and triangle_faces, which have room, from the polygons and the mesh's positions; and the list of polygons that
// cross themselves. False without memory.
bool snag__split_polygons(snag__mesh *mesh, const snag_body_def *def);

#endif
