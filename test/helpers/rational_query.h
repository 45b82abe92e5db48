// Judges of queries in rationals (GMP): they construct points and clip intervals, where the library compares signs.
#ifndef TEST_HELPERS_RATIONAL_QUERY_H
#define TEST_HELPERS_RATIONAL_QUERY_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether origin + t d, for t in 0 .. limit, meets the closed triangle, which has an area; t is the smallest. d is `direction`, or for
// a segment direction - origin.
bool judge_ray(const double origin[3], const double direction[3], bool segment, double limit, const double *const triangle[3],
               mpq_t t);

bool judge_on_triangle(const double p[3], const double *const triangle[3]);

// The winding number of triangles around p, which lies on none of them, and how many of them a ray to infinity meets. Directions are drawn
// until the ray meets no edge.
typedef struct judge_winding {
    long winding;
    unsigned long crossings;
} judge_winding;
judge_winding judge_wind(const double p[3], const double (*x)[3], const uint32_t (*triangles)[3], size_t count);

// Whether the closed triangle meets the box: clips it by the six sides.
bool judge_box(const double lo[3], const double hi[3], const double *const triangle[3]);

#endif
