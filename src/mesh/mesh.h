// A body's mesh: its elements and how they hang together, built once; and its positions, which change with every move.
#ifndef SNAG_MESH_MESH_H
#define SNAG_MESH_MESH_H

#include "base/memory.h"
#include "snag/mesh.h"

// Compressed lists: the items of list i are items[start[i]] .. items[start[i + 1] - 1].
typedef struct snag__lists {
    uint32_t *start;  // count + 1 entries
    uint32_t *items;
} snag__lists;

typedef struct snag__mesh {
    uint32_t vertex_count, triangle_count, edge_count, tet_count;

    double (*x_t0)[3];  // positions before the last move
    double (*x_t1)[3];  // positions now

    uint32_t (*triangles)[3];
    uint32_t *triangle_faces;  // the user's polygon of each triangle, or of a volume's boundary the tetrahedron
    uint32_t (*tets)[4];

    uint32_t (*edges)[2];           // of the triangles: the lower vertex first, sorted by it and then by the other
    uint32_t (*triangle_edges)[3];  // edge i runs from corner i to corner i + 1
    snag__lists vertex_triangles;   // triangles at each vertex, ascending
    snag__lists edge_triangles;     // triangles at each edge, ascending
    uint8_t *vertex_used;           // 1 for a vertex of some element; in a mesh without elements for all

    snag_allocator allocator;
} snag__mesh;

// What is wrong with a mesh, as words for the user: filled where a function below fails.
typedef struct snag__mesh_error {
    char message[160];
} snag__mesh_error;

// Builds the mesh from a def and checks all of it: indices, sizes, finite coordinates. On failure *mesh is zero.
snag_status snag__mesh_from_surface(const snag_surface_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                    snag__mesh_error *error);
snag_status snag__mesh_from_volume(const snag_volume_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                   snag__mesh_error *error);
void snag__mesh_free(snag__mesh *mesh);

// Checks new positions (count, finite) and, if all are good, makes them t1 and the present ones t0; or, with
// `place`, both. Nothing is changed on failure.
snag_status snag__mesh_move(snag__mesh *mesh, snag_positions positions, bool place, snag__mesh_error *error);

// Checks a view of positions: not NULL, a stride that holds three numbers, finite coordinates.
snag_status snag__positions_check(snag_positions positions, snag__mesh_error *error);
// Vertex i of a view, as doubles. Floats convert without loss.
void snag__positions_get(snag_positions positions, size_t i, double xyz[3]);

// The mesh check. The issues are kept in `issues`, a buffer of snag_mesh_issue owned by the caller.
snag_status snag__mesh_check(const snag__mesh *mesh, snag__buffer *issues, snag_mesh_report *report);

#endif
