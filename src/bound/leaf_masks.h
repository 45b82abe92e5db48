// Masks of neighbours: for every two leaves of one body with elements that are at most n edges apart on the mesh, a bit matrix of 16 x 16
// slots. They depend on the trees and the topology only, so they are learnt once for a build, and a search masks whole rows out. Two leaves
// without a matrix have no neighbours.
// They also have elements with vertices that are near each other in the rest pose. These are most, but not all of those that are near there:
// elements are nearer than their vertices, and which are is decided exactly, but only of the few that a search leaves.
#ifndef SNAG_BOUND_LEAF_MASKS_H
#define SNAG_BOUND_LEAF_MASKS_H

#include "bound/leaf_adjacency.h"
#include "mesh/rest_balls.h"
#include "mesh/rings.h"

enum {
    SNAG__MASKS_START,
    SNAG__MASKS_OTHER,
    SNAG__MASKS_UNWANTED,
    SNAG__MASKS_FULL,
    SNAG__MASKS_KNOWN,
    SNAG__MASKS_WORK,
    SNAG__MASKS_BUFFERS
};

// Who is a neighbour. Of those by the rest pose some may be missing in the masks.
typedef struct snag__neighbours {
    uint32_t rings;  // n; 0: not by edges
    double rest;  // the distance; 0: not by the rest pose
    // By tree; NULL: none of its pairs are looked for. Of what is 0 there is no list.
    const snag__rings *const *ring_tables;
    const double (*const *rest_x)[3];
} snag__neighbours;

// Zero is empty.
typedef struct snag__leaf_masks {
    uint64_t row_builds, column_builds;  // stamps of the BVHs that they are of, or will be if these are searched again; 0: none
    uint32_t rings;
    double rest;
    bool learnt;
    bool many;  // more matrices than are worth their memory: there are none
    uint8_t *known;  // by tree: its leaves have their matrices

    uint32_t *start;  // by leaf (slot / 16) of the columns, and one more: its first matrix
    uint32_t *other;  // by matrix: the leaf of the rows
    // By matrix, and an empty one after the last: row i belongs to slot i of the rows. Of a leaf with itself also the pairs (i, j) with
    // j <= i, so that each pair is seen once.
    snag__leaf_table *unwanted;
    uint16_t *full;  // and the rows of which no column is left
    uint32_t count;
    snag__buffer memory[SNAG__MASKS_BUFFERS];
} snag__leaf_masks;

// Whether the masks are those of these BVHs and neighbours, learnt or noted.
bool snag__leaf_masks_fit(const snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                          const snag__neighbours *neighbours);
// Notes what masks are to be learnt, now or in the next search.
void snag__leaf_masks_note(snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                           const snag__neighbours *neighbours);
// Learns the masks that were noted. False without memory: then there are none.
bool snag__leaf_masks_learn(snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                            const snag__neighbours *neighbours, const snag_allocator *allocator);
// Whether a search of a body with itself can use them.
static inline bool snag__leaf_masks_know(const snag__leaf_masks *masks, uint32_t tree)
{
    return masks->learnt && !masks->many && masks->known[tree] != 0;
}
void snag__leaf_masks_free(const snag_allocator *allocator, snag__leaf_masks *masks);

#endif
