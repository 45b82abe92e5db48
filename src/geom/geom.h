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

// The interior of a triangle is the triangle without its edges.
typedef enum snag__meeting {
    SNAG__APART = 0,
    SNAG__CROSSING,  // the interiors meet, the planes differ: each passes through the other
    SNAG__TOUCHING,  // they meet, but not with their interiors: a corner or an edge of one rests on the other
    SNAG__COPLANAR,  // the interiors meet, the planes are one: they share an area
    SNAG__DEGENERATE,  // one of the two has zero area: it takes part in no pair
} snag__meeting;

// Two triangles by their corners, and by vertex numbers that say what they share.
// Without a shared vertex: whether the closed triangles meet (touching counts). With one, two or three shared vertices:
// whether they meet beyond what they share, by the rule of the design: one: the edge opposite the shared vertex in either
// triangle meets the other closed triangle; two: coplanar and on the same side of the shared edge; three: always.
// Shared vertices must have equal coordinates. The 36 orders of the corners and swapping the triangles give one answer.
snag__meeting snag__triangles_meet(const double *const a[3], const uint32_t va[3], const double *const b[3], const uint32_t vb[3]);

// The ends of the segment along which two meeting triangles meet; equal ends for a point. For coplanar triangles: two
// corners of the shared area that lie farthest apart. Each coordinate is the double nearest to the exact one, and `from` is
// the lower end by x, y, z: the same for every order of the corners. Zeros if they do not meet or one has zero area.
void snag__triangles_segment(const double *const a[3], const double *const b[3], double from[3], double to[3]);

// ---- point against tetrahedron (tetrahedron.c) ----

// Whether p is in the closed tetrahedron, in either orientation. A flat tetrahedron contains nothing.
bool snag__point_in_tet(const double p[3], const double *const tet[4]);
// The same by half-spaces of the four faces, as the barycentric test's rival; the answers are equal.
bool snag__point_in_tet_half_spaces(const double p[3], const double *const tet[4]);
// Barycentric weights of p, each within 1e-12 of the exact one (relative to it where it exceeds 1) and with its sign: none
// is negative for a point inside. Zero for a flat tetrahedron.
void snag__tet_weights(const double p[3], const double *const tet[4], double weight[4]);
// The sign of the volume, exactly.
int snag__tet_orientation(const double *const tet[4]);

#endif
