// Editing a body in place: cutting, tearing, remeshing.
//
//     snag_edit_def edit = snag_default_edit_def();
//     snag_split_vertex tear = {vertex, triangles_on_one_side, count};
//     edit.split_vertices = &tear;
//     edit.split_vertex_count = 1;
//     snag_edit_map map;
//     status = snag_world_edit(world, cloth, &edit, &map);
//
// What stays keeps its number: vertices, triangles of a surface, tetrahedra. What is new gets the next numbers; numbers of what is
// removed are not used again. Edges, and the boundary triangles of a volume, are derived from the elements and are numbered as in a
// new body; the map has their new numbers. Contacts that are tracked keep their ids as long as their elements stay.
//
// After an edit the body is what a new body with these elements and the present positions would be, and every answer has the same
// bytes. There a removed triangle or tetrahedron is one whose corners are all the same vertex: it has no edges or faces, uses no vertex
// and takes part in nothing. A removed vertex is one that no element uses; snag_world_move still expects its position, and elements
// may use it again.
#ifndef SNAG_EDIT_H
#define SNAG_EDIT_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the arrays of a map: no number.
#define SNAG_NO_NUMBER UINT32_MAX

// Gives the listed elements a new vertex in place of one of theirs, at the same position: a tear. At least one element at the vertex
// must not be listed.
typedef struct snag_split_vertex {
    uint32_t vertex;
    const uint32_t *elements;  // triangles, or tetrahedra of a volume
    size_t element_count;
} snag_split_vertex;

// Puts a new vertex on an edge, and cuts every element with that edge in two: the one with vertex[0] keeps the number, the one with
// vertex[1] is new. Elements that repeat a vertex have no edges, and stay as they are. Positions (of t0, t1 and the rest pose) are those of vertex[0] and vertex[1], mixed by 1 - at and at.
typedef struct snag_split_edge {
    uint32_t vertex[2];
    double at;  // strictly between 0 and 1
} snag_split_edge;

// What to change: elements are removed, added, split, rewired, in this order. "Elements" are the triangles of a surface or the tetrahedra of a volume. An element may be named only
// once among `removed` and `rewired`, and not at all there if it is split. Arrays are borrowed for the call.
typedef struct snag_edit_def {
    uint32_t cookie;  // set by snag_default_edit_def; any other value is refused
    // New vertices: numbers V, V + 1, ... where V is the number of vertices before; then come those of split vertices and of split
    // edges, in their order. They are at t0 where they are at t1.
    snag_positions vertices;
    // Of these new vertices, where the body has them (snag_body_def); vertices of splits have those of the old vertex, or for an edge
    // the bits common to both.
    const uint32_t *vertex_groups, *vertex_masks;
    snag_positions rest;
    const uint32_t *removed;  // elements
    size_t removed_count;
    const snag_split_vertex *split_vertices;
    size_t split_vertex_count;
    const snag_split_edge *split_edges;
    size_t split_edge_count;
    const uint32_t *rewired;  // elements that get other vertices: those of the next array, three or four each
    const uint32_t *rewired_vertices;
    size_t rewired_count;
    const uint32_t *added;  // vertices of new elements: numbers E, E + 1, ...; then come the new halves of split ones
    size_t added_count;
    const uint32_t *added_labels;  // of these, where the body has labels; NULL: 0. Halves of split elements have their label
    // Vertices that are left without elements. They must all be listed, so that none is lost by mistake.
    const uint32_t *removed_vertices;
    size_t removed_vertex_count;
} snag_edit_def;

// Everything zero but the cookie: changes nothing.
SNAG_API snag_edit_def snag_default_edit_def(void);

// New from old, and old from new. Arrays are owned by the world and valid until the next edit, or the end of the world.
typedef struct snag_edit_map {
    size_t first_vertex, vertex_count;  // new vertices: the first, and how many
    size_t first_element, element_count;  // new triangles or tetrahedra
    const uint32_t *vertex_from;  // by new vertex: the old one it was split from; of an edge vertex[0]; or SNAG_NO_NUMBER
    const uint32_t *element_from;  // by new element: the old one it was split from, or SNAG_NO_NUMBER
    size_t old_edge_count, old_triangle_count;
    const uint32_t *edges;  // by old edge: its number now, or SNAG_NO_NUMBER. An edge stays if one joins the same vertices
    const uint32_t
        *triangles;  // the same by triangle; of a volume by boundary triangle, which stays if its tetrahedron still has it
} snag_edit_map;

// Edits a body made of triangles or tetrahedra. The last answer is no longer valid. `map` may be NULL. Nothing is changed if it fails,
// and the message names the element: SNAG_ERROR_ARGUMENT (an edit that contradicts itself, a vertex left without elements, a
// position that is not strictly within its edge), _INDEX (an element, vertex or edge that does not exist or was removed),
// _NOT_FINITE, _MISMATCH, _BODY, _UNSUPPORTED (sources, and bodies with polygons, welded vertices, rods or points, radii by vertex, or of vertices alone), _SIZE, _MEMORY.
SNAG_API snag_status snag_world_edit(snag_world *world, snag_body_id body, const snag_edit_def *edit, snag_edit_map *map);

#ifdef __cplusplus
}
#endif

#endif
