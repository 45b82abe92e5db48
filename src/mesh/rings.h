// Neighbours on a mesh: which vertices are at most n edges apart, where an edge is a rod or any side of a triangle or tetrahedron.
//
// For every vertex the vertices at most r = ceil(n / 2) edges away are listed (its ball), and for odd n those at most r - 1 away. Two
// vertices are at most n apart if the larger ball of the one and the smaller ball of the other have a vertex in common. Lists of n edges
// would be looked up faster, but grow with n squared, and a single vertex with a thousand triangles makes them grow with its square.
#ifndef SNAG_MESH_RINGS_H
#define SNAG_MESH_RINGS_H

#include "base/memory.h"
#include "mesh/mesh.h"

// Zero is empty.
typedef struct snag__rings {
    uint32_t rings;  // n; 0: none yet
    snag__csr ball[2];  // the larger and the smaller; the same for even n
    snag__buffer start[2], items[2], work;
} snag__rings;

// Lists the balls of a mesh. False without memory: then there are none.
bool snag__rings_build(snag__rings *rings, const snag__mesh *mesh, uint32_t n, const snag_allocator *allocator);
// Whether two vertices are at most n edges apart.
bool snag__rings_near(const snag__rings *rings, uint32_t u, uint32_t v);
void snag__rings_free(const snag_allocator *allocator, snag__rings *rings);

#endif
