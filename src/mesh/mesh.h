// A body's mesh: elements and topology, built once, and positions, which change with every move.
#ifndef SNAG_MESH_MESH_H
#define SNAG_MESH_MESH_H

#include "base/parallel.h"
#include "snag/mesh.h"

// A triangle that repeats a vertex keeps its number but has no edges: its entries in triangle_edges are this.
#define SNAG__NO_EDGE UINT32_MAX

// Vertices are numbered 0 .. 2^32 - 3. The sides of all triangles are counted in 32 bits, and each face of a tetrahedron may be a
// triangle.
#define SNAG__MAX_VERTICES (UINT32_MAX - 1)
#define SNAG__MAX_TRIANGLES (UINT32_MAX / 3 - 1)
#define SNAG__MAX_TETS (SNAG__MAX_TRIANGLES / 4)

// Kinds of elements that only searches know, beside those of the API: see thin.h. A rod is an edge as well.
#define SNAG__ROD ((snag_element_kind)5)
#define SNAG__THIN_VERTEX ((snag_element_kind)6)
#define SNAG__POINT ((snag_element_kind)7)
enum { SNAG__SEARCH_KINDS = 8 };

// Lists in compressed form (CSR): the items of list i are items[start[i]] .. items[start[i + 1] - 1].
typedef struct snag__csr {
    uint32_t *start;  // count + 1 entries
    uint32_t *items;
} snag__csr;

struct snag__thin;  // thin.h

// No array is NULL, even of an empty mesh, apart from spare, vertex_of, crossed, radii and ring_radii, and links that are not made yet.
typedef struct snag__mesh {
    uint32_t vertex_count, triangle_count, edge_count, tet_count;
    uint32_t triangle_holes, tet_holes;  // elements that were removed: see snag__is_hole

    double (*x_t0)[3];  // positions at the begin of the step; the same array as x_t1 while the body rests
    double (*x_t1)[3];  // current positions
    double (*spare)[3];  // the unused array while the body rests; NULL until it has moved once

    uint32_t (*triangles)[3];
    uint32_t *triangle_faces;  // by triangle: the user's polygon, or the tetrahedron whose face it is
    uint32_t (*tets)[4];

    struct snag__thin *thin;  // rods and points; NULL without any
    uint32_t (*edges)[2];  // of the triangles, and rods: the lower vertex first, sorted lexicographically
    // Links, which take as much memory as the rest: all or none are there, and what looks at neighbours wants them.
    bool linked;
    uint32_t (*triangle_edges)[3];  // edge i runs from corner i to corner i + 1; or SNAG__NO_EDGE
    snag__csr vertex_triangles;  // triangles at each vertex, ascending, each once
    snag__csr edge_triangles;  // triangles at each edge, ascending, each once
    snag__csr vertex_tets;  // tetrahedra at each vertex, ascending; without those that repeat a vertex
    uint8_t *vertex_used;  // 1 for the vertices of elements; in a mesh without elements for all
    uint32_t *vertex_of;  // of a welded surface: the vertex that each is merged into, which alone is used; else NULL
    uint32_t *crossed;  // polygons whose triangles do not tile them, ascending; NULL if there are none
    uint32_t crossed_count;

    double radius;  // of the vertices: the largest if they differ
    float *radii, *ring_radii;  // by vertex: its own, and the largest of its neighbours along edges; NULL: all are the same

    bool has_area;  // every triangle has an area at t1: false also where that is not known

    // A surface that is edited has room for more in its arrays, and a second set of some: see edit_repair.c. Zero, or at least as much as
    // there is.
    uint32_t vertex_room, triangle_room, edge_room;
    uint32_t (*next_edges)[2];
    snag__csr next_vertex_triangles, next_edge_triangles;

    snag_allocator allocator;
} snag__mesh;

// Whether an element is one that was removed: all its corners are the same vertex.
static inline bool snag__is_hole(const uint32_t *vertices, uint32_t corners)
{
    for (uint32_t c = 1; c < corners; c++)
        if (vertices[c] != vertices[0])
            return false;
    return true;
}
// The elements of a kind, `corners` vertices each; `vertices` is NULL for the vertices themselves.
typedef struct snag__elements {
    const uint32_t *vertices;
    uint32_t corners, count;
} snag__elements;

snag__elements snag__mesh_elements(const snag__mesh *mesh, snag_element_kind kind);

// The error message when a function below fails.
typedef struct snag__mesh_error {
    char message[160];
} snag__mesh_error;

// Checks a def (indices, sizes, finite coordinates) and builds the mesh. On failure *mesh is zero.
snag_status snag__mesh_from_def(const snag_body_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                snag__mesh_error *error);
// The same without the links of a surface of triangles or polygons, where nothing wants them yet: see snag__mesh_link.
snag_status snag__mesh_unlinked_from_def(const snag_body_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                         snag__mesh_error *error);
// Makes the links, if there are none. False without memory, and then there are still none.
bool snag__mesh_link(snag__mesh *mesh, const snag__parallel *parallel);
void snag__mesh_unlink(snag__mesh *mesh);
void snag__mesh_free(snag__mesh *mesh);

// Checks new positions (count, finite) and makes them t1, or with `teleport` t0 and t1. `farthest`, unless NULL, gets the largest
// displacement of a vertex along an axis. On failure nothing changes. The first move of a mesh allocates. Welded vertices stay welded.
snag_status snag__mesh_move(snag__mesh *mesh, snag_positions positions, bool teleport, const snag__parallel *parallel,
                            double *farthest, snag__mesh_error *error);
// The current positions become t0. Copies nothing.
void snag__mesh_begin_step(snag__mesh *mesh);
static inline bool snag__mesh_rests(const snag__mesh *mesh)
{
    return mesh->x_t0 == mesh->x_t1;
}

// Checks a view of positions: not NULL, stride large enough, finite coordinates.
snag_status snag__positions_check(snag_positions positions, const snag__parallel *parallel, snag__mesh_error *error);
// Vertex i of a view, as doubles. Floats convert without loss.
void snag__positions_get(snag_positions positions, size_t i, double xyz[3]);

// Reports the issues of a mesh. They are stored in `issues`, a buffer of snag_mesh_issue from the mesh's allocator, owned by the
// caller. On failure neither buffer nor report changes.
snag_status snag__mesh_check(const snag__mesh *mesh, snag__buffer *issues, snag_mesh_report *report);

// Makes room in a surface of triangles alone for so many vertices, triangles and edges in all, and for the second set of lists. False
// without memory: then nothing has changed.
bool snag__mesh_make_room(snag__mesh *mesh, uint32_t vertices, uint32_t triangles, uint32_t edges);

// Whether the topology is consistent: indexes in range, edges sorted and matching the triangles, lists ascending. For SNAG__VALIDATE.
bool snag__mesh_validate(const snag__mesh *mesh);

// ---- topology.c, for mesh.c only: all return false if memory ran out, and leave what they made to mesh_free ----

// Fills triangle_count, triangles and triangle_faces from the tetrahedra: the faces of exactly one tetrahedron, ordered by
// tetrahedron and opposite vertex. A face looks out of its tetrahedron as it lies at t1, inverted or not; a tetrahedron without
// volume counts as positive, and one that repeats a vertex has no faces.
bool snag__mesh_build_boundary(snag__mesh *mesh);
// Fills edges from the triangles and rods.
bool snag__mesh_build_edges(snag__mesh *mesh);

// Arrays of a mesh have room for at least one item, so that NULL always means failure.
static inline void *snag__mesh_array(const snag__mesh *mesh, size_t count, size_t size)
{
    return snag__allocate(&mesh->allocator, count > 0 ? count : 1, size);
}
static inline void snag__mesh_release_array(const snag__mesh *mesh, void *memory, size_t count, size_t size)
{
    snag__release(&mesh->allocator, memory, count > 0 ? count : 1, size);
}

#endif
