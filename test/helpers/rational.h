// Judges in rational arithmetic (GMP) that share no code with the library: slow, plain, and right for any finite input.
// They construct points where the library only compares signs.
#ifndef SNAG_TEST_RATIONAL_H
#define SNAG_TEST_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

// The sign of det(b - a, c - a, d - a).
int judge_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
// The sign of the area of abc seen along `axis`, the other two coordinates in cyclic order.
int judge_orient2d(const double a[3], const double b[3], const double c[3], int axis);
bool judge_is_collinear(const double a[3], const double b[3], const double c[3]);

typedef enum judge_meeting { JUDGE_APART, JUDGE_CROSSING, JUDGE_TOUCHING, JUDGE_COPLANAR, JUDGE_DEGENERATE } judge_meeting;

// The rule for triangles that share vertices by number, word for word: one: the edge opposite to it in one triangle
// meets the other closed triangle; two: coplanar and on the same side of the shared edge; three: always.
// The kind: the middle of all corners of the common part is inside both triangles (crossing, coplanar) or not
// (touching).
judge_meeting judge_triangles(const double a[3][3], const uint32_t va[3], const double b[3][3], const uint32_t vb[3]);

// The corners of the common part of two triangles, each coordinate rounded to the nearest double, without doubles and
// sorted by x, y, z. Returns how many (at most 12).
int judge_common_corners(const double a[3][3], const double b[3][3], double corner[12][3]);

// Where a segment meets a triangle that is not degenerate: apart, crossing (from one strict side to the other, through
// the interior), or touching.
judge_meeting judge_segment_triangle(const double p[3], const double q[3], const double t[3][3]);

// Solves for the weights of p by elimination. False for a flat tetrahedron. The weights are rounded to nearest.
bool judge_tet_weights(const double p[3], const double tet[4][3], double weight[4]);
bool judge_point_in_tet(const double p[3], const double tet[4][3]);

// Whether the segment pq has a part in the closed tetrahedron, found by clipping it where a weight turns negative, and
// neither end is in it. `enters` and `leaves` are rounded to nearest; zero where it does not pass.
bool judge_segment_through_tet(const double p[3], const double q[3], const double tet[4][3], double enters[3], double leaves[3]);

#endif
