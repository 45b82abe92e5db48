// Small random bodies that mix triangles or tetrahedra with rods and points, full of what goes wrong: repeated and shared vertices,
// elements without length, area or volume, rods along the sides of triangles, points at the ends of rods.
#ifndef SNAG_TEST_MIXED_H
#define SNAG_TEST_MIXED_H

#include "base/random.h"
#include "snag/snag.h"

enum { MIXED_VERTICES = 16, MIXED_ELEMENTS = 10 };

typedef struct mixed_body {
    double x_t0[MIXED_VERTICES][3], x[MIXED_VERTICES][3];
    uint32_t triangles[MIXED_ELEMENTS][3], tets[MIXED_ELEMENTS][4], edges[MIXED_ELEMENTS][2], points[MIXED_ELEMENTS];
    double radius;
    float radii[MIXED_VERTICES];
    bool tapered;  // radii count, else the radius
    uint32_t vertex_count, triangle_count, tet_count, edge_count, point_count;
} mixed_body;

// Whole coordinates below `grid`, or with 0 any in 0..1; the motion is of the same sort. Without thickness.
void mixed_make(mixed_body *body, uint32_t grid, snag__random *random);
// Gives it a random thickness: none, a radius or radii of its vertices, at most `most`.
void mixed_thicken(mixed_body *body, double most, snag__random *random);
snag_body_def mixed_def(const mixed_body *body);
// Adds it and moves it.
snag_body_id mixed_add(snag_world *world, const mixed_body *body);

#endif
