// Exact geometry of single elements: the base of the oracle and of the exact stage of every method. Points are arrays of three
// finite doubles. Every function here is pure.
#ifndef SNAG_GEOM_GEOM_H
#define SNAG_GEOM_GEOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- predicates (predicates.c): a floating-point filter first, exact integers where it is in doubt ----

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
    SNAG__TOUCHING,  // they meet, but not their interiors: a corner or an edge of one rests on the other
    SNAG__COPLANAR,  // the interiors meet in one plane: they share an area
    SNAG__DEGENERATE,  // one of the two has zero area: it meets nothing
} snag__meeting;

// Two triangles by their corners and their vertex numbers; equal numbers are shared vertices, with equal coordinates.
// Without a shared vertex: whether the closed triangles meet (touching counts). With shared vertices: whether they meet beyond these.
// One shared: the edge opposite the shared vertex in either triangle meets the other closed triangle; two: coplanar and on the same
// side of the shared edge; three: always. The answer does not depend on the order of corners or triangles.
snag__meeting snag__triangles_meet(const double *const a[3], const uint32_t va[3], const double *const b[3], const uint32_t vb[3]);

// The ends of the segment in which two triangles meet; equal ends for a point. For coplanar triangles: two corners of the shared area
// that lie farthest apart. Each coordinate is the double nearest to the exact one, and `from` is the lexicographically lower end: the
// same for every order of the corners. Zeros if they do not meet or one has zero area.
void snag__triangles_segment(const double *const a[3], const double *const b[3], double from[3], double to[3]);

// ---- point against tetrahedron (tetrahedron.c) ----

// Whether p is in the closed tetrahedron, in either orientation. A flat tetrahedron contains nothing.
bool snag__point_in_tet(const double p[3], const double *const tet[4]);
// The same by the half-spaces of the four faces, the paper's alternative; the answers are equal.
bool snag__point_in_tet_half_spaces(const double p[3], const double *const tet[4]);
// Barycentric weights of p, each with the right sign and within 1e-12 of the exact one (relative to it where it exceeds 1). Zero for
// a flat tetrahedron.
void snag__tet_weights(const double p[3], const double *const tet[4], double weight[4]);
// The sign of the volume, exactly.
int snag__tet_orientation(const double *const tet[4]);

#endif
