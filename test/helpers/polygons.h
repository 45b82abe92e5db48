// Random polygons of many kinds, in the plane z = 0 and with coordinates that are small multiples of a power of two, so
// that what is done to them next can be exact.
#ifndef SNAG_TEST_POLYGONS_H
#define SNAG_TEST_POLYGONS_H

#include "base/random.h"

#include <stdbool.h>

enum { POLYGON_MOST = 1024 };

typedef struct test_polygon {
    double x[POLYGON_MOST][3];
    uint32_t vertices[POLYGON_MOST];
    uint32_t vertex_count, count;
} test_polygon;

// ---- simple ----

// Seen whole from one point.
void make_star(snag__random *random, uint32_t count, test_polygon *made);
// An upper and a lower chain from left to right.
void make_monotone(snag__random *random, uint32_t count, test_polygon *made);
// Random points, whose tour is freed of crossings two edges at a time. May fail to become simple: then false.
bool make_untangled(snag__random *random, uint32_t count, uint32_t grid, test_polygon *made);
// A corridor that winds inward; for any count that is a multiple of 4, into arrays of the caller.
void make_spiral(uint32_t count, double (*x)[3]);

// ---- limits of simple ones ----

// Up to `holes` holes in a star, each reached by a bridge: an edge that is walked both ways, its ends repeated.
void make_holes(snag__random *random, uint32_t count, uint32_t holes, test_polygon *made);
// The boundary of squares that are glued along some of their sides, with the slits between those that are not, joined
// by paths of no width, and with antennas: edges lie upon edges, corners touch corners and edges.
void make_cells(snag__random *random, test_polygon *made);

// ---- changes that cover nothing and uncover nothing ----

void add_straight_corners(snag__random *random, uint32_t count, test_polygon *polygon);
// Some of those there are: then an edge may lie upon a part of another one.
void drop_straight_corners(snag__random *random, uint32_t percent, test_polygon *polygon);
void add_repeated_corners(snag__random *random, uint32_t count, test_polygon *polygon);
// Out and back, in any direction, so that it may cross the polygon if it is long.
void add_spikes(snag__random *random, uint32_t count, double length, test_polygon *polygon);
// The same loop from another corner, and perhaps the other way around.
void turn_loop(snag__random *random, test_polygon *polygon);
// Corners at one place get one vertex.
void share_vertices(test_polygon *polygon);

// ---- into space ----

// By small integers: exactly flat, in a plane that is not parallel to any axis.
void shear(snag__random *random, test_polygon *polygon);
// By a random rotation, rounded: not flat.
void rotate(snag__random *random, test_polygon *polygon);

#endif
