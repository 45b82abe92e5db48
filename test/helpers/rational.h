// Judges in rational arithmetic (GMP) that share no code with the library: slow, plain, and right for any finite input.
#ifndef SNAG_TEST_RATIONAL_H
#define SNAG_TEST_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

// The sign of det(b - a, c - a, d - a).
int judge_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
// The sign of the area of abc seen along `axis`, the other two coordinates in cyclic order.
int judge_orient2d(const double a[3], const double b[3], const double c[3], int axis);
bool judge_is_collinear(const double a[3], const double b[3], const double c[3]);

#endif
