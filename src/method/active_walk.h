// The geometry of the method `active`: walks of a pair of primitives over the surfaces at t1 to a local minimum of their distance. In
// plain double precision and without a proof, since the result is only a candidate for the exact test.
#ifndef SNAG_METHOD_ACTIVE_WALK_H
#define SNAG_METHOD_ACTIVE_WALK_H

#include "base/assert.h"
#include "mesh/mesh.h"

#define SNAG__NOBODY UINT32_MAX

// The closest point of a triangle to a point.
typedef struct snag__foot {
    double squared;  // distance
    uint32_t feature;  // corners of the closest feature, bit i for corner i: 7 is the inside
    bool above;  // on the side from which the corners run counter-clockwise
} snag__foot;

snag__foot snag__foot_on_triangle(const double p[3], const snag__mesh *mesh, uint32_t t);
// Only the side.
bool snag__is_above(const double p[3], const snag__mesh *mesh, uint32_t t);
double snag__squared_distance(const double a[3], const double b[3]);

// The closest points of two edges.
typedef struct snag__edge_crossing {
    double squared;  // distance
    bool inside;  // both points are between the ends of their edges
} snag__edge_crossing;

// With `ends` the closest points may be ends of the edges, and count as inside.
snag__edge_crossing snag__edges_crossing(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, bool ends);

// Point-point: replaces vertex *a and vertex *b alternately by the neighbour that is closest to the other, until none is closer, at
// most `most` times each. In one mesh (a_mesh == b_mesh) the two never come to share a triangle. Returns the squared distance.
double snag__walk_points(const snag__mesh *a_mesh, uint32_t *a, const snag__mesh *b_mesh, uint32_t *b, uint32_t most);

// Vertex-triangle: replaces triangle *t by the one beyond its closest feature, as long as that is closer to p. Triangles at vertex
// `self` are skipped (SNAG__NOBODY: none). If the closest feature is an edge or a vertex, *t ends as its triangle with the lowest
// number, which is the one that contacts name.
snag__foot snag__walk_triangle(const double p[3], const snag__mesh *mesh, uint32_t *t, uint32_t self, uint32_t most);

// Whether two vertices of a mesh are the same or have a triangle in common.
bool snag__are_neighbours(const snag__mesh *mesh, uint32_t v, uint32_t w);

#endif
