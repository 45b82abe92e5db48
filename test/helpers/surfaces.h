// Surfaces of every topology and of bad habits, for tests of what is built on them.
#ifndef SNAG_TEST_SURFACES_H
#define SNAG_TEST_SURFACES_H

#include "base/random.h"
#include "snag/shapes.h"

// A strip that closes with a half twist, and a bottle without an inside (which passes through itself).
snag_shape surface_moebius(uint32_t segments, uint32_t rows);
snag_shape surface_klein(uint32_t segments, uint32_t sides);
// Triangles around one vertex.
snag_shape surface_fan(uint32_t triangles);
// Triangles anywhere; with `share` they use each other's vertices, at random.
snag_shape surface_soup(uint32_t triangles, bool share, snag__random *random);
// A strip along a curve in the plane z = 0 that winds around the origin: radius from `start` to `end`, `turns` turns.
snag_shape surface_spiral(uint32_t segments, uint32_t rows, double start, double end, double width, double turns);
// A flat star: rays whose contour goes far out and back.
snag_shape surface_star(uint32_t rays, uint32_t rings, double depth);
// A sheet rolled up around y, so many turns, with so much room between the layers.
snag_shape surface_roll(uint32_t cells, double turns, double gap);

// Takes out, turns over or repeats triangles.
void surface_remove_triangles(snag_shape *shape, double part, snag__random *random);
void surface_flip_triangles(snag_shape *shape, double part, snag__random *random);
void surface_repeat_triangles(snag_shape *shape, uint32_t count, snag__random *random);
// Cuts along a line: triangles on one side get vertices of their own.
void surface_slit(snag_shape *shape, snag__random *random);
// Bends by a few waves.
void surface_bend(snag_shape *shape, double amplitude, snag__random *random);
// Rounds coordinates to a grid: triangles touch, lie flat in each other, lose their area.
void surface_snap(snag_shape *shape, double cell);
// Lets vertices fall together.
void surface_collapse(snag_shape *shape, uint32_t count, snag__random *random);

#endif
