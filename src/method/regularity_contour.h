// The contour test of sections 2.2 and 2.3.5, which the paper leaves out: does the projected contour of a patch, or of
// two patches together, meet itself?
#ifndef SNAG_METHOD_REGULARITY_CONTOUR_H
#define SNAG_METHOD_REGULARITY_CONTOUR_H

#include "bound/surface_tree.h"
#include "method/regularity_chain.h"

// Two vectors that span the plane across each direction; their cross product points along it.
typedef struct snag__projection {
    double across[2][3];
} snag__projection;

// `projections` has 2 * SNAG__AXES entries; those of directions that do not exist are not touched.
void snag__projections_make(const snag__directions *directions, snag__projection *projections);

// Room for the test of contours of up to so many edges together.
typedef struct snag__contour_room {
    struct snag__sweep_edge *edges;
    struct snag__sweep_event *events, *sorted;
    struct snag__sweep_link *line;
    uint32_t *start;
    snag__chain chain;
} snag__contour_room;

size_t snag__contour_room_bytes(uint32_t edges);
// Cuts the room out of a block of so many bytes, aligned to 64.
void snag__contour_room_make(snag__contour_room *room, void *memory, uint32_t edges);

// Whether patch a, or a and b together (b == UINT32_MAX: a alone), certainly project onto the plane without covering
// anything twice or touching themselves; `moves`: at all times of the last move. All their triangles must face the
// direction that is projected along. "No" may also mean that it could not be made certain.
bool snag__contour_is_simple(const snag__surface_tree *tree, uint32_t a, uint32_t b, const snag__projection *projection, bool moves,
                             snag_isa isa, snag__contour_room *room);

#endif
