// Which pairs of features are in proximity: the rule by which each geometric contact of two meshes is named once.
//
// A proximity contact is a pair of features at distance d or closer:
//   vertex-face    a vertex, and a triangle whose inside holds the point closest to it;
//   vertex-edge    a vertex, and an edge that is closest to it of every triangle at the edge;
//   vertex-vertex  two vertices, one of which is closest to the other of every triangle at it;
//   edge-edge      two edges whose closest points lie inside both.
//
// "Of every triangle at it": a vertex that hovers over the inside of one triangle also has a closest point on the next
// triangle, on the edge between the two. That is no contact of its own, since the surface comes closer right beside it.
// So an edge or a vertex counts only where the surface around it has nothing closer: where the distance has a local
// minimum. This does not depend on how elements are numbered, and nothing is lost by it: for every vertex and triangle
// within d there is a contact of that vertex with a feature that is as close or closer. (If the closest feature of the
// triangle does not count, then another triangle at that feature is strictly closer; go on from there, which must end.)
// Likewise two edges within d that are closest at an end have a contact of that end, unless the only triangle at the
// other edge is the end's own.
//
// A triangle stands in a vertex-triangle contact, so of the triangles at an edge or a vertex the lowest-numbered is
// named. Of two vertices the lower (body, vertex) is the vertex side, except that a vertex without triangles (of a
// cloud) always is.
//
// No part is taken by triangles of zero area, by edges of no other triangles, by vertices that no triangle uses (except
// in a mesh without elements), by pairs of elements of one body that share a vertex, and by pairs that a filter leaves
// out. In "every triangle at it" those that are no pair with the other side are left out as well.
//
// Rods and points (thin.h) are elements like triangles. A vertex is closest to the vertex w only if w is the closest point of every
// triangle and of every rod at w; a point, and the end of rods without length, has nothing around it and is always seen, but not by a
// vertex that it is joined to by an edge. Rods of zero length take no part, their ends
// do. Names: a vertex-edge contact with a rod at which no triangle is left is named by the vertex and the edge. A vertex-vertex
// contact in which no triangle is left at either is named by the two vertices, the lower (body, vertex) first. All others are named
// by a triangle, as above. So no contact has two names.
//
// All of this is decided exactly, for a candidate at a time and with the topology of the meshes alone. So the contacts
// do not depend on which candidates are looked at, as long as those within d are among them.
#ifndef SNAG_MESH_PROXIMITY_H
#define SNAG_MESH_PROXIMITY_H

#include "geom/distance.h"
#include "mesh/thickness.h"
#include "mesh/thin.h"

// Which pairs a filter leaves in: vertex v of a and an element (a triangle or an edge) of b, or if `swapped` vertex v of b and an element
// of a. First field of the filter's own struct.
typedef struct snag__pair_filter {
    bool (*allows)(const struct snag__pair_filter *filter, bool swapped, uint32_t v, snag_element_kind kind, uint32_t element);
} snag__pair_filter;

// A contact of a vertex and a triangle: `feature` says which corners of the triangle are the closest feature, bit i for
// corner i. If `swapped` the vertex is one of b and the triangle one of a: a vertex-vertex contact is named from one
// side.
typedef struct snag__proximity {
    snag_contact_kind kind;
    uint32_t vertex, triangle, feature;
    bool swapped;
    bool exact;  // whether it took exact arithmetic; also set where there is no contact
} snag__proximity;

// Whether a vertex takes part in pairs with triangles.
static inline bool snag__proximity_has_vertex(const snag__mesh *mesh, uint32_t v)
{
    const uint32_t *start = mesh->vertex_triangles.start;
    if (mesh->thin != NULL)
        return mesh->thin->vertex_is_thin[v] || start[v] < start[v + 1];
    return mesh->triangle_count == 0 ? mesh->tet_count == 0 : start[v] < start[v + 1];
}

// Whether the candidate (vertex v of a, triangle t of b) is what a contact within the limit is named by, at t1.
// `a` and `b` are the same mesh for a body with itself; else a_first says whether a's body comes before b's. The filter, unless NULL,
// leaves the candidate in.
bool snag__proximity_vertex_triangle(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, bool a_first,
                                     snag__limit limit, const snag__pair_filter *filter, snag__proximity *out);
// The same for edges; a contact is named by just the two. `exact` is set (never cleared) where it took exact
// arithmetic.
bool snag__proximity_edge_edge(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag__limit limit, bool *exact);

// Whether vertex v of a and rod e (an edge) of b are in contact within the limit, named by the two. The filter leaves the pair in.
bool snag__proximity_vertex_rod(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, snag__limit limit,
                                const snag__pair_filter *filter, bool *exact);
// Whether vertex v of a and vertex w of b, one of them thin, are in contact within the limit. out->feature is 0 if they are named
// by the two vertices; then `swapped` says that w comes first, and `triangle` is the second vertex.
bool snag__proximity_thin_vertices(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t w, bool a_first,
                                   snag__limit limit, const snag__pair_filter *filter, snag__proximity *out);

// The same for batches of candidates (at most SNAG__PROXIMITY_BATCH), with wide kernels for the clear cases: writes the
// contacts and returns how many. Of edge-edge contacts the index of the candidate is written. `exact` is raised by how
// many candidates took exact arithmetic.
enum { SNAG__PROXIMITY_BATCH = 1024 };
// Candidates: triangle pairs[i][0] of b and vertex pairs[i][1] of a.
size_t snag__proximity_vertex_triangles(const snag__distance_kernels *kernels, const snag__mesh *a, const snag__mesh *b,
                                        bool a_first, const uint32_t (*pairs)[2], size_t count, snag__limit limit,
                                        const snag__pair_filter *filter, snag__proximity *out, size_t *exact);
// Candidates: edge pairs[i][0] of a and edge pairs[i][1] of b.
size_t snag__proximity_edge_edges(const snag__distance_kernels *kernels, const snag__mesh *a, const snag__mesh *b,
                                  const uint32_t (*pairs)[2], size_t count, snag__limit limit, uint32_t *out, size_t *exact);

// Fills in value, point_a, point_b, normal and weight of a contact between features that are known to be closest to
// each other. The normal is the unit vector from b's point to a's. At distance 0 it is the normal of the triangle (its
// corners counter-clockwise seen from the tip), or the cross product of the edges (each from its lower vertex to its
// higher, a's first); it is never zero for contacts of the rule above.
void snag__vertex_triangle_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, uint32_t feature,
                                   snag_contact *contact);
void snag__edge_edge_contact(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag_contact *contact);
// The same for a vertex and an edge, whose ends `feature` names, and for two vertices. At distance 0 there is no normal: it is zero.
void snag__vertex_edge_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, uint32_t feature,
                               snag_contact *contact);
void snag__vertex_vertex_contact(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t w, snag_contact *contact);

// ---- the closest features of two bodies ----

// The closest pair of features found so far, by element (vertex, edge or triangle) of the first and of the second body.
// Zero: none yet. `features` and `gap` go from the vertex to the other feature, or from the first body to the second.
// Of several at the same distance (compared exactly) the first counts in the order vertex-vertex, vertex-edge,
// vertex-face, edge-edge; then a vertex of the first body before one of the second; then the lower element of the first
// body, then of the second. So the result does not depend on the order in which candidates are offered.
typedef struct snag__closest {
    bool found;
    snag_contact_kind kind;
    bool vertex_second;  // vertex-edge and vertex-face: the vertex is one of the second body
    uint32_t first, second;
    snag__features features;
    snag__gap gap;  // weights are left out
} snag__closest;

// Offer a candidate: a vertex of one body (a) and a triangle of the other (b), where vertex_second says that a is the
// second body; or an edge of each. Returns whether it is the closest now. Elements that take no part are never.
bool snag__closest_vertex_triangle(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t t, bool vertex_second,
                                   snag__closest *closest);
bool snag__closest_edge_edge(const snag__mesh *a, uint32_t ea, const snag__mesh *b, uint32_t eb, snag__closest *closest);
// A vertex and a rod (an edge), and two vertices, one of them thin.
bool snag__closest_vertex_rod(const snag__mesh *a, uint32_t v, const snag__mesh *b, uint32_t e, bool vertex_second,
                              snag__closest *closest);
bool snag__closest_vertices(const snag__mesh *first, uint32_t v, const snag__mesh *second, uint32_t w, snag__closest *closest);
// Takes over `other` if it is closer, or as close and earlier in the order: how tasks of a search are joined.
bool snag__closest_join(snag__closest *closest, const snag__closest *other);

// How the closest features are named as a contact, by the rule above: the vertex and the lowest triangle at the other
// feature that the filter (unless NULL; the first body is a) leaves in (vertex_second says whose vertex; feature: corners
// of the triangle), or without triangles the rod or the vertex; or the edges of the first and the second.
typedef struct snag__closest_names {
    snag_element_kind kind_a, kind_b;
    bool vertex_second;
    uint32_t a, b, feature;
} snag__closest_names;

snag__closest_names snag__closest_name(const snag__mesh *first, const snag__mesh *second, const snag__closest *closest,
                                       const snag__pair_filter *filter);

#endif
