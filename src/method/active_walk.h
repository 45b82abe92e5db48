// Walks of one pair of primitives to a local minimum of their distance, on the surface of meshes as they lie at t1: the
// geometry of the method `active`. In plain double precision and without a proof, since what a walk ends at is only a
// candidate: the exact stage decides.
#ifndef SNAG_METHOD_ACTIVE_WALK_H
#define SNAG_METHOD_ACTIVE_WALK_H

#include "mesh/mesh.h"

#define SNAG__NOBODY UINT32_MAX

// Where a point is closest to a triangle.
typedef struct snag__foot {
    double squared;  // the distance, squared
    uint32_t feature;  // corners of the closest feature, bit i for corner i: 7 is the inside
    bool above;  // on the side from which the corners run counter-clockwise
} snag__foot;

snag__foot snag__foot_on_triangle(const double p[3], const snag__mesh *mesh, uint32_t t);
// Only on which side.
bool snag__is_above(const double p[3], const snag__mesh *mesh, uint32_t t);
double snag__squared_distance(const double a[3], const double b[3]);

// Where two edges are closest.
typedef struct snag__crossing {
    double squared;
    bool inside;  // at points that are inside their edges, both
} snag__crossing;

// With `ends` the closest points may be at ends of the edges, and always are inside.
snag__crossing snag__edges_crossing(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, bool ends);

// Point-point: replaces vertex *a and vertex *b in turn by the neighbour that is closest to the other, until none is closer.
// Of one mesh (a_mesh == b_mesh) the two never come to share a triangle. Returns the distance, squared. Each is replaced
// `most` times at the most.
double snag__walk_points(const snag__mesh *a_mesh, uint32_t *a, const snag__mesh *b_mesh, uint32_t *b, uint32_t most);

// Vertex-triangle: replaces triangle *t by the one beyond its closest feature, as long as that is closer to p. Triangles at
// vertex `self` are left out (SNAG__NOBODY: none are). Where the closest feature is an edge or a vertex, *t ends as the
// lowest-numbered triangle at it, which is what contacts are named by.
snag__foot snag__walk_triangle(const double p[3], const snag__mesh *mesh, uint32_t *t, uint32_t self, uint32_t most);

// Whether two vertices of a mesh are the same or have a triangle in common.
bool snag__are_neighbours(const snag__mesh *mesh, uint32_t v, uint32_t w);

#endif
