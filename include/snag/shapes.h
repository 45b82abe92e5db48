// Shapes made by arithmetic: for scenes, tests, benches and first steps. Every shape is freed by snag_shape_free.
#ifndef SNAG_SHAPES_H
#define SNAG_SHAPES_H

#include "snag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A mesh in plain arrays that the caller owns (malloc): a surface has triangles, a volume has tetrahedra.
typedef struct snag_shape {
    double *positions;  // x, y, z
    size_t vertex_count;
    uint32_t *triangles;  // outward (counter-clockwise seen from outside) for closed shapes, towards +z for sheets
    size_t triangle_count;
    uint32_t *tets;  // of positive volume
    size_t tet_count;
} snag_shape;

SNAG_API void snag_shape_free(snag_shape *shape);

// The makers below fill *shape and leave it zero when they fail: SNAG_ERROR_ARGUMENT for a NULL shape, too few cells for
// the shape, or a length that is not positive and finite; SNAG_ERROR_SIZE for more than 2^32 - 1 vertices or elements.

// A rectangle in the plane z = 0, centred at the origin, of columns x rows quads with alternating diagonals.
SNAG_API snag_status snag_shape_sheet(uint32_t columns, uint32_t rows, double width, double height, snag_shape *shape);
// A sphere about the origin: an icosahedron whose triangles are cut in four `subdivisions` times (20 * 4^n triangles).
SNAG_API snag_status snag_shape_icosphere(uint32_t subdivisions, double radius, snag_shape *shape);
// A sphere of `segments` x `rings` cells with triangles at the poles along z (2 * segments * (rings - 1) triangles).
SNAG_API snag_status snag_shape_sphere(uint32_t segments, uint32_t rings, double radius, snag_shape *shape);
// A torus around z of `segments` x `sides` quads, each cut in two; the tube is thinner than the radius.
SNAG_API snag_status snag_shape_torus(uint32_t segments, uint32_t sides, double radius, double tube, snag_shape *shape);
// A closed box about the origin with edges of length x, y and z, each side cut into cells x cells quads.
SNAG_API snag_status snag_shape_box(uint32_t cells, double x, double y, double z, snag_shape *shape);
// A closed cylinder along z about the origin: `segments` around, `rings` cells along.
SNAG_API snag_status snag_shape_cylinder(uint32_t segments, uint32_t rings, double radius, double height, snag_shape *shape);
// A block of nx x ny x nz cubic cells of the given size with a corner at the origin, each cell cut into five tetrahedra
// so that neighbours fit.
SNAG_API snag_status snag_shape_block(uint32_t nx, uint32_t ny, uint32_t nz, double cell, snag_shape *shape);

// Moves all vertices: scaled about the origin, then shifted.
SNAG_API void snag_shape_transform(snag_shape *shape, double scale, double x, double y, double z);

#ifdef __cplusplus
}
#endif

#endif
