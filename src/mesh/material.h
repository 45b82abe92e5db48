// Ways through the material of a volume: straight on from tetrahedron to tetrahedron, and out by the nearest surface.
//
// A point that lies in a tetrahedron is followed through neighbours, never through what merely lies at the same place.
// So a body that overlaps itself is told apart: the surface that is found is the one around the tetrahedron one starts
// from.
#ifndef SNAG_MESH_MATERIAL_H
#define SNAG_MESH_MATERIAL_H

#include "mesh/mesh.h"

#define SNAG__NO_TET UINT32_MAX

// The tetrahedra on the other side of the face opposite corner `i` of tetrahedron k: the one there is; or none (the
// face is a boundary triangle); or several, where no way leads on.
typedef enum snag__beyond { SNAG__BEYOND_TET, SNAG__BEYOND_SURFACE, SNAG__BEYOND_SEVERAL } snag__beyond;
snag__beyond snag__tet_beyond(const snag__mesh *mesh, uint32_t k, int i, uint32_t *other);

// ---- straight ways ----

typedef enum snag__way_end {
    SNAG__WAY_LOST = 0,  // nothing can be said: numbers out of range, a face of several tetrahedra, a start without volume
    SNAG__WAY_OUT,  // it left through the boundary
    SNAG__WAY_ARRIVED,  // it came to its end inside the material
} snag__way_end;

typedef struct snag__way {
    uint32_t tet;  // the last one
    uint32_t face[3];  // out: the boundary triangle's vertices, counter-clockwise seen along `normal` from its tip
    double t;  // out: it left at x + t d, never below 0
    double normal[3];  // out: unit normal of that triangle, on the side of d
} snag__way;

// Follows the line x + t d at t1 from tetrahedron k, which holds x, towards growing t. With `arrive` it ends at t = 1.
// The way is the line's preimage in the material: in an inverted tetrahedron it runs backwards, and through a flat one
// without delay. It never comes to a face twice, so it ends.
snag__way_end snag__way_follow(const snag__mesh *mesh, uint32_t k, const double x[3], const double d[3], bool arrive,
                               snag__way *way);

// ---- the nearest surface ----

// Memory for searches, kept by the caller.
typedef struct snag__material_scratch {
    snag__buffer heap;
    snag__buffer table, slots;  // the tetrahedra visited, by hash, and where they stand in the table
    size_t table_size;  // a power of two; between searches all of the table is empty
} snag__material_scratch;

typedef struct snag__way_out {
    bool found;
    double distance;
    double point[3];  // on the surface
    double normal[3];  // unit, from x to the point; at distance 0 out of the boundary triangle. Zero if that has no area
} snag__way_out;

// The boundary point that a ball growing in the material around x, in tetrahedron k, meets first. Boundary triangles
// with vertex `own` (or SNAG__NO_VERTEX) are passed over. Nothing farther than `limit` is found. Where the body does
// not overlap itself this is the closest point of its boundary. False if memory ran out.
#define SNAG__NO_VERTEX UINT32_MAX
bool snag__nearest_way_out(const snag__mesh *mesh, uint32_t k, const double x[3], uint32_t own, double limit,
                           const snag_allocator *allocator, snag__material_scratch *scratch, snag__way_out *out);
void snag__material_scratch_free(const snag_allocator *allocator, snag__material_scratch *scratch);

#endif
