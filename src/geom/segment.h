// Exact intersection of segments with triangles and tetrahedra, one by one and with SIMD over arrays of pairs.
#ifndef SNAG_GEOM_SEGMENT_H
#define SNAG_GEOM_SEGMENT_H

#include "base/isa.h"
#include "geom/geom.h"

// Whether the closed segment pq meets the closed triangle t. CROSSING: p and q lie strictly on different sides of the triangle's plane
// and the segment passes through the interior. TOUCHING: they meet otherwise: an end on the triangle, the segment through an edge or a
// corner, or in the plane. DEGENERATE: the triangle has zero area. A segment of zero length is a point. The answer does not depend on
// the order of corners and ends.
snag__meeting snag__segment_meets_triangle(const double p[3], const double q[3], const double *const t[3]);

// Whether a segment from corner `shared` of a triangle to q meets the triangle elsewhere too: it lies in the plane and points into the
// triangle or along one of its edges. False for a triangle of zero area.
bool snag__segment_enters_triangle(const double *const t[3], int shared, const double q[3]);
// Whether the segment lies in the plane of a triangle that has an area.
bool snag__segment_is_in_plane(const double p[3], const double q[3], const double *const t[3]);
// The first and the last point, from p to q, at which a segment meets a triangle that it is known to meet; equal where it is one point.
// A point where it passes through the plane is the double nearest to the exact one; points in the plane are rounded.
void snag__segment_in_triangle(const double p[3], const double q[3], const double *const t[3], double first[3], double last[3]);

// Whether the segment pq meets the closed tetrahedron with neither end in it. Nothing passes through a flat tetrahedron.
bool snag__segment_passes_tet(const double p[3], const double q[3], const double *const tet[4]);
// Where such a segment, from p to q, enters and leaves the tetrahedron; each coordinate is the double nearest to the exact one.
void snag__segment_in_tet(const double p[3], const double q[3], const double *const tet[4], double enters[3], double leaves[3]);

// Candidate pairs: edge pairs[i][0] of body a against triangle pairs[i][1] of body b. Shared vertices are not considered.
typedef struct snag__segment_pairs {
    const double (*x_a)[3];
    const uint32_t (*edges_a)[2];
    const double (*x_b)[3];
    const uint32_t (*triangles_b)[3];
    const uint32_t (*pairs)[2];
    size_t count;
} snag__segment_pairs;

// The answers are those of the single function; answers and counts are the same for every instruction set.
typedef struct snag__segment_kernels {
    // Writes a snag__meeting for each pair. Returns how many needed the exact path.
    size_t (*meet)(const snag__segment_pairs *pairs, uint8_t *meeting);
} snag__segment_kernels;

// The scalar table if `isa` is not available.
const snag__segment_kernels *snag__segment_kernels_for(snag_isa isa);

#endif
