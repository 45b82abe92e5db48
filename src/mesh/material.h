// Walks through the material of a volume: along a line from tetrahedron to tetrahedron, and out to the nearest surface.
//
// Walks go from neighbour to neighbour, never to a tetrahedron that merely overlaps. So where a body overlaps itself, they find the
// surface of the material in which they start.
#ifndef SNAG_MESH_MATERIAL_H
#define SNAG_MESH_MATERIAL_H

#include "mesh/mesh.h"

#define SNAG__NO_TET UINT32_MAX

// What is across the face opposite corner `i` of tetrahedron k: one tetrahedron; none (the face is a boundary triangle); or several,
// where walks end.
typedef enum snag__beyond { SNAG__BEYOND_TET, SNAG__BEYOND_SURFACE, SNAG__BEYOND_SEVERAL } snag__beyond;
snag__beyond snag__tet_beyond(const snag__mesh *mesh, uint32_t k, int i, uint32_t *other);

// ---- along a line ----

typedef enum snag__way_end {
    SNAG__WAY_LOST = 0,  // undecided: numbers out of range, a face of several tetrahedra, a start without volume
    SNAG__WAY_OUT,  // it left through the boundary
    SNAG__WAY_ARRIVED,  // it reached its end inside the material
} snag__way_end;

typedef struct snag__way {
    uint32_t tet;  // the last one
    uint32_t face[3];  // out: the boundary triangle's vertices, counter-clockwise seen along `normal` from its tip
    double t;  // out: it left at x + t d, never below 0
    double normal[3];  // out: unit normal of that triangle, on the side of d
} snag__way;

// Follows the line x + t d (positions at t1) from tetrahedron k, which contains x, towards larger t. With `arrive` it ends at t = 1.
// The walk is the line's preimage in the material: it runs backwards through an inverted tetrahedron, and takes no time through a
// flat one. It never visits a face twice, so it ends.
snag__way_end snag__way_follow(const snag__mesh *mesh, uint32_t k, const double x[3], const double d[3], bool arrive,
                               snag__way *way);

// ---- the nearest surface ----

// Memory of searches, kept by the caller.
typedef struct snag__material_scratch {
    snag__buffer heap;
    snag__buffer table, slots;  // hash table of the visited tetrahedra, and their slots
    size_t table_size;  // a power of two; the table is empty between searches
} snag__material_scratch;

typedef struct snag__way_out {
    bool found;
    double distance;
    double point[3];  // on the surface
    double normal[3];  // unit, from x to the point; at distance 0 out of the boundary triangle. Zero if that has no area
} snag__way_out;

// The boundary point that a ball growing in the material around x, in tetrahedron k, reaches first, up to `limit`. Ignores boundary
// triangles with vertex `own` (or SNAG__NO_VERTEX). If the body does not overlap itself this is the closest point of its boundary.
// False if memory ran out.
#define SNAG__NO_VERTEX UINT32_MAX
bool snag__nearest_way_out(const snag__mesh *mesh, uint32_t k, const double x[3], uint32_t own, double limit,
                           const snag_allocator *allocator, snag__material_scratch *scratch, snag__way_out *out);
void snag__material_scratch_free(const snag_allocator *allocator, snag__material_scratch *scratch);

#endif
