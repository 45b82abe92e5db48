// A body's mesh: its elements and how they hang together, built once; and its positions, which change with every move.
#ifndef SNAG_MESH_MESH_H
#define SNAG_MESH_MESH_H

#include "base/parallel.h"
#include "snag/mesh.h"

// A triangle that repeats a vertex keeps its number but bounds nothing: all its entries in triangle_edges are this.
#define SNAG__NO_EDGE UINT32_MAX

// Vertices are numbered 0 .. 2^32 - 3, and the sides of all triangles are counted in 32 bits;
// each of a volume's faces may be a triangle.
#define SNAG__MAX_VERTICES (UINT32_MAX - 1)
#define SNAG__MAX_TRIANGLES (UINT32_MAX / 3 - 1)
#define SNAG__MAX_TETS (SNAG__MAX_TRIANGLES / 4)

// Compressed lists: the items of list i are items[start[i]] .. items[start[i + 1] - 1].
typedef struct snag__csr {
    uint32_t *start;  // count + 1 entries
    uint32_t *items;
} snag__csr;

// No array is NULL, even of an empty mesh, apart from spare, vertex_of and crossed.
typedef struct snag__mesh {
    uint32_t vertex_count, triangle_count, edge_count, tet_count;

    double (*x_t0)[3];  // positions when the step began; the same array as x_t1 while the body rests
    double (*x_t1)[3];  // positions now
    double (*spare)[3];  // the array that is not in use while the body rests; NULL until it has moved once

    uint32_t (*triangles)[3];
    uint32_t *triangle_faces;  // the user's polygon of each triangle, or of a volume's boundary the tetrahedron
    uint32_t (*tets)[4];

    uint32_t (*edges)[2];  // of the triangles: the lower vertex first, sorted by it and then by the other
    uint32_t (*triangle_edges)[3];  // edge i runs from corner i to corner i + 1; or SNAG__NO_EDGE, see there
    snag__csr vertex_triangles;  // triangles at each vertex, ascending, each once
    snag__csr edge_triangles;  // triangles at each edge, ascending, each once
    snag__csr vertex_tets;  // tetrahedra at each vertex, ascending; without those that repeat a vertex
    uint8_t *vertex_used;  // 1 for a vertex of some element; in a mesh without elements for all
    uint32_t *vertex_of;  // of a welded surface: the vertex that stands for each (and alone is used); else NULL
    uint32_t *crossed;  // polygons whose triangles do not tile them, ascending; NULL if there are none
    uint32_t crossed_count;

    bool has_area;  // every triangle has an area at t1: false also where that is not known

    snag_allocator allocator;
} snag__mesh;

// What is wrong with a mesh, as words for the user: filled where a function below fails.
typedef struct snag__mesh_error {
    char message[160];
} snag__mesh_error;

// Builds the mesh from a def and checks all of it: indices, sizes, finite coordinates. On failure *mesh is zero.
snag_status snag__mesh_from_def(const snag_body_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                snag__mesh_error *error);
void snag__mesh_free(snag__mesh *mesh);

// Checks new positions (count, finite) and, if all are good, makes them t1; or with `teleport` t0 and t1. `farthest`, unless NULL,
// gets how far any vertex has gone along any axis from where it was at t1. Nothing is changed on failure; the first move of a mesh
// allocates. Welded vertices stay welded.
snag_status snag__mesh_move(snag__mesh *mesh, snag_positions positions, bool teleport, const snag__parallel *parallel,
                            double *farthest, snag__mesh_error *error);
// The present positions become t0. Copies nothing.
void snag__mesh_begin_step(snag__mesh *mesh);
static inline bool snag__mesh_rests(const snag__mesh *mesh)
{
    return mesh->x_t0 == mesh->x_t1;
}

// Checks a view of positions: not NULL, a stride that holds three numbers, finite coordinates.
snag_status snag__positions_check(snag_positions positions, const snag__parallel *parallel, snag__mesh_error *error);
// Vertex i of a view, as doubles. Floats convert without loss.
void snag__positions_get(snag_positions positions, size_t i, double xyz[3]);

// The mesh check. The issues are kept in `issues`, a buffer of snag_mesh_issue from the mesh's allocator, owned by the
// caller. On failure neither is changed.
snag_status snag__mesh_check(const snag__mesh *mesh, snag__buffer *issues, snag_mesh_report *report);

// ---- used by mesh.c alone (topology.c): all return false if memory ran out, and leave what they made to mesh_free ----

// Fills triangle_count, triangles and triangle_faces from the tetrahedra: the faces of exactly one tetrahedron, in the
// order of tetrahedron and of the vertex that the face lies opposite to. A face looks out of its tetrahedron as it lies at
// t1, inverted or not; a tetrahedron without volume counts as positive, and one that repeats a vertex has no faces.
bool snag__mesh_build_boundary(snag__mesh *mesh);
// Fills vertex_tets, for a surface too.
bool snag__mesh_build_vertex_tets(snag__mesh *mesh);
// Fills edges, triangle_edges and the lists from the triangles.
bool snag__mesh_build_topology(snag__mesh *mesh);

// Arrays of a mesh have room for at least one item, so that NULL always means failure.
static inline void *snag__mesh_array(const snag__mesh *mesh, size_t count, size_t size)
{
    return snag__allocate(&mesh->allocator, count > 0 ? count : 1, size);
}

// One block of scratch for a whole function: one thing to fail, one to release.
static inline uint32_t *snag__allocate_words(const snag_allocator *allocator, uint64_t count)
{
    return count > SIZE_MAX / sizeof(uint32_t) ? NULL : snag__allocate(allocator, (size_t)count, sizeof(uint32_t));
}

static inline void snag__release_words(const snag_allocator *allocator, uint32_t *words, uint64_t count)
{
    snag__release(allocator, words, (size_t)count, sizeof(uint32_t));
}

#endif
