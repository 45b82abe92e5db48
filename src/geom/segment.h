// Segment against triangle, decided exactly; one by one, and wide over arrays of pairs.
#ifndef SNAG_GEOM_SEGMENT_H
#define SNAG_GEOM_SEGMENT_H

#include "base/isa.h"
#include "geom/geom.h"

// Whether the closed segment pq meets the closed triangle t. CROSSING: p and q lie strictly on different sides of the
// triangle's plane and the segment passes through the interior. TOUCHING: they meet otherwise: an end on the triangle,
// the segment through an edge or a corner, or in the plane. DEGENERATE: the triangle has zero area. A segment of zero
// length is a point. Every order of the corners and ends gives one answer.
snag__meeting snag__segment_meets_triangle(const double p[3], const double q[3], const double *const t[3]);

// Whether the segment pq passes through the closed tetrahedron and ends outside of it: it meets the tetrahedron, and
// neither end is in it. A flat tetrahedron holds nothing, so nothing passes through it.
bool snag__segment_passes_tet(const double p[3], const double q[3], const double *const tet[4]);
// Where a segment that passes through a tetrahedron enters and leaves it on the way from p to q, each coordinate the
// double nearest to the exact one.
void snag__segment_in_tet(const double p[3], const double q[3], const double *const tet[4], double enters[3], double leaves[3]);

// Candidate pairs: edge pairs[i][0] of body a against triangle pairs[i][1] of body b. Vertices are not looked up as
// shared.
typedef struct snag__segment_pairs {
    const double (*x_a)[3];
    const uint32_t (*edges_a)[2];
    const double (*x_b)[3];
    const uint32_t (*triangles_b)[3];
    const uint32_t (*pairs)[2];
    size_t count;
} snag__segment_pairs;

// The answers are those of the single function, and they and the counts are the same for every instruction set.
typedef struct snag__segment_kernels {
    // Writes a snag__meeting for each pair. Returns how many needed the exact path.
    size_t (*meet)(const snag__segment_pairs *pairs, uint8_t *meeting);
} snag__segment_kernels;

// `isa` is one that is available; else the scalar table is given.
const snag__segment_kernels *snag__segment_kernels_for(snag_isa isa);

#endif
