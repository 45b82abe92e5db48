// The contour test of sections 2.2 and 2.3.5, which the paper leaves out: does the projected contour of a patch, or of two patches
// together, intersect itself?
#ifndef SNAG_METHOD_REGULARITY_CONTOUR_H
#define SNAG_METHOD_REGULARITY_CONTOUR_H

#include "bound/surface_tree.h"
#include "method/regularity_chain.h"

// Two vectors that span the plane perpendicular to a direction; their cross product points along it.
typedef struct snag__projection {
    double across[2][3];
} snag__projection;

// `projections` has 2 * SNAG__AXES entries; those of unused directions are not written.
void snag__projections_make(const snag__directions *directions, snag__projection *projections);

// Scratch memory for a contour test.
typedef struct snag__contour_room {
    struct snag__sweep_edge *edges;
    struct snag__sweep_event *events, *sorted;
    struct snag__sweep_link *line;
    uint32_t *start;
    snag__chain chain;
} snag__contour_room;

// Makes room for contours of up to `edges` edges. False if there is no memory.
bool snag__contour_room_reserve(const snag_allocator *allocator, snag__buffer *memory, uint32_t edges, snag__contour_room *room);

// Whether patch a, or a and b together (b == UINT32_MAX: a alone), certainly project onto the plane without covering anything twice
// or touching themselves; `moves`: at all times of the step. All their triangles must face the direction of the projection. False
// may also mean that it is not certain.
bool snag__contour_is_simple(const snag__surface_tree *tree, uint32_t a, uint32_t b, const snag__projection *projection, bool moves,
                             snag_isa isa, snag__contour_room *room);

#endif
