// What the files of `kdop` share: the trees, kept from ask to ask.
#ifndef SNAG_METHOD_KDOP_H
#define SNAG_METHOD_KDOP_H

#include "bound/body_pairs.h"
#include "bound/bvh_kernel.h"
#include "method/rebuild_policy.h"
#include "query/kind.h"

typedef struct snag__kdop_state {
    snag__bvh bvhs[SNAG__SEARCH_KINDS];  // by element kind
    snag__plane_cull plane_cull;
    snag__quantized_aabbs quantized;  // of the triangles
    snag__body_pairs body_pairs;
    // Of triangles with vertices, and of edges with edges: for the filter that was asked last, and for the one before.
    snag__leaf_masks masks[2][2];
    bool masks_last[2];
    snag__rebuild_policy rebuild[SNAG_QUESTION_COUNT][SNAG__MAX_PASSES];  // by question and pass
    bool rebuild_due[SNAG__SEARCH_KINDS];  // by element kind: the BVH is to be built anew
    snag__buffer bodies, poses, grow, boxes, frontier[2], scratch;
    // Of impacts where only a part of the move matters: how large it is, positions of all bodies at its end, and where they begin.
    double part;
    uint64_t parts;  // so many there have been
    snag__buffer part_x, part_of;
} snag__kdop_state;

// The state of an ask; NULL without memory.
snag__kdop_state *snag__kdop_state_of(snag__ask *ask);

// Builds or refits the BVH of a kind for the bodies and the question of the ask.
snag_status snag__kdop_update(snag__ask *ask, snag__kdop_state *state, snag_element_kind kind);

// The question `distance` (kdop_distance.c).
snag_status snag__kdop_distance(snag__ask *ask);

// Both ends of every edge in single precision, by slot, so that a filter reads them at once and not by the numbers of vertices: edge by edge
// 32 bytes that lie together where edges do. They stand where the last answer was, which is free as long as the search lasts; if there is no
// room for them there, few contacts were found and they do not pay: then NULL. Not for asks whose records leave memory.
const struct snag__f32_vertex *snag__kdop_ends(const snag__ask *ask, const snag__bvh *edges);

#endif
