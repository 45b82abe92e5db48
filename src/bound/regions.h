// Regions of a body: an octree over its vertices, in which each region is followed by one vertex of its own.
//
// Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects, 2007, part I.
// A region of more than 30 vertices is divided in eight of equal size. Its middle vertex is the mesh vertex nearest to the
// mean of its vertices, and stays the same while the body deforms: only the radius around it is measured anew.
// Differs: every triangle and every edge belongs to one leaf, and the radius holds all corners of a leaf's elements, so
// that it bounds the surface and not just the vertices. A box of the same corners comes with it: surfaces are flat, and
// spheres around tasks of them reach far into the room beside. All bounds are floats rounded outward.
#ifndef SNAG_BOUND_REGIONS_H
#define SNAG_BOUND_REGIONS_H

#include "base/memory.h"
#include "base/parallel.h"
#include "geom/box.h"
#include "mesh/mesh.h"

enum {
    SNAG__REGION_VERTICES = 30,  // more are divided
    SNAG__REGION_PARTS = 8,
    SNAG__REGION_LEVELS = 32,  // what is still too large then stays so: such vertices lie almost in one point
};

// A run of neighbours in an array.
typedef struct snag__run {
    uint32_t first, count;
} snag__run;

// Elements by kind: vertices, edges, triangles.
enum { SNAG__REGION_KINDS = 3 };

typedef struct snag__region {
    uint32_t middle;  // the vertex that stands for it
    uint32_t level;  // 0: the whole body
    snag__run parts;  // regions; none of a leaf
    snag__run elements[SNAG__REGION_KINDS];  // places, by kind; of a region that is no leaf: its vertices alone
    snag__run cover;  // of a leaf: the corners of all its elements, each once
} snag__region;

// Bounds by region, as arrays with room for a whole vector behind the last.
typedef struct snag__region_bounds {
    float *middle[3], *radius;  // of the middle vertex, rounded to nearest; the radius is around that
    float *lo[3], *hi[3];
} snag__region_bounds;

// Zero is empty.
typedef struct snag__regions {
    snag__region *regions;  // those of a level are neighbours, the parts of a region too; the whole body comes first
    uint32_t region_count;  // 0: no vertex takes part in anything
    uint32_t levels;
    uint32_t level_first[SNAG__REGION_LEVELS + 2];
    uint32_t *leaves;  // regions
    uint32_t leaf_count;
    snag__region_bounds bounds;
    uint64_t *bounded;  // by region: the pose that its bounds are of; of a region that is no leaf only where all are

    // By kind and place: the element's number, its vertices, and its box.
    uint32_t *elements[SNAG__REGION_KINDS], *corners[SNAG__REGION_KINDS];
    snag__kdops boxes[SNAG__REGION_KINDS];
    uint64_t *boxed;  // by region: the pose that the boxes of a leaf's elements are of
    uint32_t *cover;

    // Heights along a direction that a search has chosen, as lower bounds: of elements by kind and place, of leaves by region.
    // The stamps by region say in which search they were measured.
    float *heights[SNAG__REGION_KINDS], *leaf_heights;
    uint64_t *heights_stamp, *leaf_heights_stamp;

    bool inside;  // whether vertices inside of a volume take part
    uint64_t build;  // which these are: a number that the owner gives once built, and never twice; 0: there are none
    double size_built;  // of its leaves, when it was built: see snag__regions_degradation
    snag__buffer memory[11];
} snag__regions;

static inline bool snag__region_is_leaf(const snag__region *region)
{
    return region->parts.count == 0;
}

// Divides the vertices that take part in pairs with triangles, by their positions at t1; with `inside` those inside of
// volumes too. On failure (memory) the regions are empty. `scratch` is for sorting. Bounds are not made yet, and there is no
// number yet.
bool snag__regions_build(snag__regions *regions, const snag__mesh *mesh, bool inside, const snag_allocator *allocator,
                         snag__buffer *scratch);
void snag__regions_free(const snag_allocator *allocator, snag__regions *regions);

// Bounds all regions anew for the positions at t1, which are those of `pose`. Those of this pose are left alone.
void snag__regions_update(snag__regions *regions, const snag__mesh *mesh, uint64_t pose, const snag__parallel *parallel,
                          snag_isa isa);
// The same for one leaf alone.
void snag__regions_update_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa);
// Boxes of a leaf's elements. Different leaves may be boxed at the same time.
void snag__regions_box_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa);

// How much the regions have been spoilt by deformation since they were built: the squared radii of the leaves relative to
// that of the whole, 1 as new. To be asked when the bounds are up to date.
double snag__regions_degradation(const snag__regions *regions);

// The greatest distance of a vertex of the region from its middle vertex, at t1: the paper's radius (equation 2). And the
// greatest of a level (equation 3).
double snag__region_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t region);
double snag__regions_level_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t level);

// Whether a leaf is convex: each of its triangles has the third corners of its neighbours in the leaf on one side or in
// its plane, all on the same side.
bool snag__region_is_convex(const snag__regions *regions, const snag__mesh *mesh, uint32_t leaf);

#endif
