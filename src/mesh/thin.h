// Rods and points of a mesh: edges and vertices that stand for themselves, not only as parts of triangles.
//
// Searches know three kinds of elements of them, by lists of two vertices each, so that everything that takes edges takes them too: a
// vertex is written as an edge from it to itself.
//
//     SNAG__ROD          the edges of the def
//     SNAG__THIN_VERTEX  the ends of rods, and the points of the def
//     SNAG__POINT        the points of the def at which no edge ends
#ifndef SNAG_MESH_THIN_H
#define SNAG_MESH_THIN_H

#include "mesh/mesh.h"

typedef struct snag__thin {
    uint32_t listed_count;  // points of the def
    uint32_t *listed;  // ascending
    uint32_t rod_count;
    uint32_t (*rods)[2];  // the lower vertex first, sorted lexicographically
    uint32_t *rod_edges;  // by rod: its number among the edges; ascending
    uint32_t vertex_count;
    uint32_t (*vertices)[2];  // ascending
    uint32_t point_count;
    uint32_t (*points)[2];  // ascending
    uint8_t *edge_is_rod;
    uint8_t *vertex_is_thin;
    snag__csr vertex_rods;  // rods at each vertex, by their edge, ascending
} snag__thin;

static inline uint32_t snag__rod_count(const snag__mesh *mesh)
{
    return mesh->thin != NULL ? mesh->thin->rod_count : 0;
}

static inline bool snag__is_rod(const snag__mesh *mesh, uint32_t e)
{
    return mesh->thin != NULL && mesh->thin->edge_is_rod[e];
}

static inline bool snag__is_thin_vertex(const snag__mesh *mesh, uint32_t v)
{
    return mesh->thin != NULL && mesh->thin->vertex_is_thin[v];
}

// Whether vertices v and w are the two ends of an edge, of a triangle or a rod.
bool snag__are_joined(const snag__mesh *mesh, uint32_t v, uint32_t w);

// The number of the rod between two vertices, among the rods; their count if there is none.
uint32_t snag__rod_between(const snag__mesh *mesh, uint32_t v, uint32_t w);

// ---- for mesh.c and topology.c: without memory they return false, and leave what they made to snag__thin_free ----

// Checks the edges and points of a def.
snag_status snag__thin_check(const snag_body_def *def, snag__mesh_error *error);
// Copies them, if there are any; the vertices of a welded mesh are those they were merged into. Elements listed twice are refused.
snag_status snag__thin_copy(snag__mesh *mesh, const snag_body_def *def, snag__mesh_error *error);
// Once the number of edges is known.
bool snag__thin_reserve_edges(snag__mesh *mesh);
// Makes the lists, once edge_is_rod is filled in.
bool snag__thin_finish(snag__mesh *mesh);
void snag__thin_free(snag__mesh *mesh);

#endif
