// Judges of polygons and of their triangles, in rational arithmetic: see rational.h.
#ifndef SNAG_TEST_RATIONAL_POLYGON_H
#define SNAG_TEST_RATIONAL_POLYGON_H

#include <stdbool.h>
#include <stdint.h>

typedef struct judge_polygon {
    const double (*x)[3];
    const uint32_t *vertices;
    uint32_t count;
} judge_polygon;

// The axis along which its area is largest, the first of equal ones, and the sign of the area; 0 if there is none.
int judge_polygon_axis(const judge_polygon *polygon, int *sign);

// Whether the areas of the triangles, with their signs, sum up to that of the polygon, seen along the axis.
bool judge_area_is_kept(const judge_polygon *polygon, const uint32_t (*triangles)[3], int axis);

// Whether the open triangles, seen along the axis, have a point in common.
bool judge_overlap(const double (*x)[3], const uint32_t a[3], const uint32_t b[3], int axis);

// How often the polygon goes around a point that lies on none of its edges; *on tells whether it does.
int judge_winding(const judge_polygon *polygon, int axis, const double point[3], bool *on);

// Whether the point lies in the open triangle, in either orientation.
bool judge_in_triangle(const double (*x)[3], const uint32_t t[3], int axis, const double point[3]);

// Whether the point lies between the ends of the segment, and at neither.
bool judge_between(const double a[3], const double b[3], int axis, const double point[3]);

// Whether no two edges have a point in common, but neighbours their corner, and no corner turns back.
bool judge_is_simple(const judge_polygon *polygon, int axis);

#endif
