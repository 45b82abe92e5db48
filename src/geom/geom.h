// Geometry on single elements, decided exactly: what the oracle and the exact stage of every method stand on.
// Points are arrays of three finite doubles. Every function here is pure.
#ifndef SNAG_GEOM_GEOM_H
#define SNAG_GEOM_GEOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- predicates (predicates.c): a floating filter first, exact integer arithmetic where it is in doubt ----

// The sign (-1, 0, 1) of the volume of the tetrahedron abcd: positive if d sees abc counter-clockwise,
// that is det(b - a, c - a, d - a) > 0.
int snag__orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
// The sign of the area of abc after dropping coordinate `axis` (0, 1, 2); the two that stay keep their cyclic order.
int snag__orient2d(const double a[3], const double b[3], const double c[3], int axis);
// Whether abc has zero area, exactly.
bool snag__is_collinear(const double a[3], const double b[3], const double c[3]);

// ---- triangle against triangle (triangle.c) ----

typedef enum snag__meeting {
    SNAG__APART = 0,
    SNAG__CROSSING,    // the interior of one passes through the other's
    SNAG__TOUCHING,    // they meet in a point or along a boundary, neither passes through
    SNAG__COPLANAR,    // both in one plane, and they share more than what they share by index
    SNAG__DEGENERATE,  // one of the two has zero area: it takes part in no pair
} snag__meeting;

// Two triangles by their corners, and by vertex numbers that say what they share.
// Without a shared vertex: whether the closed triangles meet (touching counts). With one, two or three shared vertices:
// whether they meet beyond what they share, by the rule of the design: one: the edge opposite the shared vertex in either
// triangle meets the other closed triangle; two: coplanar and on the same side of the shared edge; three: always.
// Shared vertices must have equal coordinates. The 36 orders of the corners and swapping the triangles give one answer.
snag__meeting snag__triangles_meet(const double *const a[3], const uint32_t va[3], const double *const b[3],
                                   const uint32_t vb[3]);

// The ends of the segment along which two meeting triangles meet; equal ends for a point. For coplanar triangles: two
// points of the shared area that lie farthest apart. Rounded to double; the same for every order of the corners.
void snag__triangles_segment(const double *const a[3], const double *const b[3], double from[3], double to[3]);

// ---- point against tetrahedron (tetrahedron.c) ----

// Whether p is in the closed tetrahedron, in either orientation. A flat tetrahedron contains nothing.
bool snag__point_in_tet(const double p[3], const double *const tet[4]);
// The same by half-spaces of the four faces, as the barycentric test's rival; the answers are equal.
bool snag__point_in_tet_half_spaces(const double p[3], const double *const tet[4]);
// Barycentric weights of p, in double; they sum to 1. Zero for a flat tetrahedron.
void snag__tet_weights(const double p[3], const double *const tet[4], double weight[4]);
// The sign of the volume, exactly.
int snag__tet_orientation(const double *const tet[4]);

#endif
