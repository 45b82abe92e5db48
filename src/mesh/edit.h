// The elements of a mesh after an edit: see snag/edit.h for what an edit is.
#ifndef SNAG_MESH_EDIT_H
#define SNAG_MESH_EDIT_H

#include "base/memory.h"
#include "mesh/mesh.h"
#include "snag/edit.h"

// A mesh is edited in a copy: vertices and elements first, then all that is derived from them.
typedef struct snag__edited {
    const snag__mesh *old;
    const snag_edit_def *def;
    uint32_t corners;  // of an element: 3 or 4
    uint32_t vertex_count, element_count;
    uint32_t *elements;  // `corners` vertices each
    uint32_t *vertex_from, *vertex_other;  // by new vertex: see snag_edit_map; of an edge also its vertex[1]
    double *vertex_at;  // by new vertex: where on the edge; 0 for others
    uint32_t *element_from;  // by new element
    uint8_t *touched;  // by element: what the edit does to it
    uint32_t *edges, *triangles;  // new numbers of old ones
    size_t room;  // elements that there is room for
    snag__buffer memory[8];
} snag__edited;

// Checks an edit and makes the mesh that comes of it, at the present positions. `edited` has the maps. On failure nothing is kept.
snag_status snag__mesh_edit(const snag__mesh *old, const snag_edit_def *def, snag__edited *edited, snag__mesh *made,
                            snag__mesh_error *error);
// A vertex that comes of a split, from the positions of those before it.
void snag__edited_mix(const snag__edited *edited, const double (*x)[3], uint32_t v, double out[3]);
// Once labels are made: element_from names old elements alone, as the map of an edit does.
void snag__edited_forget_added(snag__edited *edited);
void snag__edited_free(const snag_allocator *allocator, snag__edited *edited);

#endif
