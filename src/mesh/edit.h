// The elements of a mesh after an edit: see snag/edit.h for what an edit is.
#ifndef SNAG_MESH_EDIT_H
#define SNAG_MESH_EDIT_H

#include "base/memory.h"
#include "base/sort.h"
#include "mesh/mesh.h"
#include "snag/edit.h"

// Edits that touch a larger part of the triangles (one of so many) build the mesh anew.
enum { SNAG__REPAIRED_PART = 4 };

typedef struct snag__made_edge {
    uint32_t edge, vertex[2];  // its number, and the lower vertex first
} snag__made_edge;

struct snag__repair_place;

// What an edit of a surface changes in the topology: see edit_repair.c.
typedef struct snag__repair {
    uint32_t *touched;  // triangles that change, and new ones, ascending
    uint32_t touched_count;
    snag__record *sides, *corners, *scratch;  // sides and corners of these that come and go: by edge, and by vertex
    uint32_t side_count, corner_count;
    struct snag__repair_place *edges, *vertices;  // whose triangles change
    uint32_t edge_places, vertex_places;
    uint32_t edge_count;  // of the edited mesh
    uint8_t *used;  // by vertex: whether it has triangles
    uint32_t *gone;  // old edges that are no more, ascending
    snag__made_edge *made;  // new edges, ascending
    uint32_t gone_count, made_count;
    snag__buffer memory[9];
} snag__repair;

// Vertices and elements are edited in a copy. Then the mesh is built anew from them, or a surface is repaired in place.
typedef struct snag__edited {
    const snag__mesh *old;
    const snag_edit_def *def;
    uint32_t corners;  // of an element: 3 or 4
    uint32_t vertex_count, element_count;
    uint32_t new_vertices;  // of vertex_count
    uint32_t *elements;  // `corners` vertices each
    uint32_t *vertex_from, *vertex_other;  // by new vertex: see snag_edit_map; of an edge also its vertex[1]
    double *vertex_at;  // by new vertex: where on the edge; 0 for others
    uint32_t *element_from;  // by new element
    uint8_t *touched;  // by element: what the edit does to it
    uint32_t *edges, *triangles;  // new numbers of old ones
    size_t room;  // elements that there is room for
    bool in_place;
    snag__repair repair;  // in place: what to do
    snag__buffer memory[9];
} snag__edited;

// Checks an edit and makes the mesh that comes of it, at the present positions. `edited` has the maps, in memory that it keeps from edit
// to edit. Where edited->in_place is set, `made` has numbers of vertices, edges and triangles but no arrays, and maps of edges and
// triangles are there after snag__mesh_repair. On failure nothing is made. `anew`: not in place.
snag_status snag__mesh_edit(snag__mesh *old, const snag_edit_def *def, bool anew, snag__edited *edited, snag__mesh *made,
                            snag__mesh_error *error);
// Edits the mesh in place. Cannot fail.
void snag__mesh_repair(snag__mesh *mesh, snag__edited *edited);
// A vertex that comes of a split, from the positions of those before it.
void snag__edited_mix(const snag__edited *edited, const double (*x)[3], uint32_t v, double out[3]);
// Once labels are made: element_from names old elements alone, as the map of an edit does.
void snag__edited_forget_added(snag__edited *edited);
void snag__edited_free(const snag_allocator *allocator, snag__edited *edited);

// ---- for edit.c ----

bool snag__repair_is_worth_it(const snag__edited *edited);
// Finds what changes. False without memory.
bool snag__repair_plan(snag__edited *edited);

#endif
