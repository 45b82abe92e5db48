// Regions of a body: an octree over its vertices, in which each region is represented by one of its vertices.
//
// Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects, 2007, part I.
// A region of more than 30 vertices is divided into octants. Its middle vertex is the mesh vertex nearest to the mean of its
// vertices, and stays the same while the body deforms: only the radius around it is updated.
// Differs: every triangle and edge belongs to one leaf, and the radius covers all corners of a leaf's elements, so that it bounds the
// surface and not just the vertices. Each region also has a box: surfaces are flat, and spheres around pieces of them reach far into
// empty space. All bounds are floats rounded outward.
#ifndef SNAG_BOUND_REGIONS_H
#define SNAG_BOUND_REGIONS_H

#include "base/memory.h"
#include "base/parallel.h"
#include "geom/box.h"
#include "mesh/mesh.h"

enum {
    SNAG__REGION_VERTICES = 30,  // a region with more is divided
    SNAG__REGION_PARTS = 8,
    SNAG__REGION_LEVELS = 32,  // regions at the last level are not divided: their vertices almost coincide
};

// A contiguous part of an array.
typedef struct snag__run {
    uint32_t first, count;
} snag__run;

// Elements by kind: vertices, edges, triangles.
enum { SNAG__REGION_KINDS = 3 };

typedef struct snag__region {
    uint32_t middle;  // the vertex that represents it
    uint32_t level;  // 0: the whole body
    snag__run parts;  // child regions; none in a leaf
    snag__run elements[SNAG__REGION_KINDS];  // places, by kind; inner regions have vertices only
    snag__run cover;  // of a leaf: the corners of all its elements, each once
} snag__region;

// Bounds by region: arrays with a vector of padding.
typedef struct snag__region_bounds {
    float *middle[3], *radius;  // the middle vertex rounded to nearest, and the radius around that point
    float *lo[3], *hi[3];
} snag__region_bounds;

// Buffers of regions.
enum {
    SNAG__REGIONS_REGIONS,
    SNAG__REGIONS_VERTICES,
    SNAG__REGIONS_LEAVES,
    SNAG__REGIONS_ELEMENTS,
    SNAG__REGIONS_BOUNDS,
    SNAG__REGIONS_BOXES,
    SNAG__REGIONS_BUFFERS
};

// Zero is empty.
typedef struct snag__regions {
    snag__region *regions;  // breadth first: the regions of a level are neighbours, and so are the parts of a region
    uint32_t region_count;  // 0: no vertex takes part
    uint32_t levels;
    uint32_t level_first[SNAG__REGION_LEVELS + 2];
    uint32_t *leaves;  // regions
    uint32_t leaf_count;
    snag__region_bounds bounds;
    uint64_t *bounded;  // by region: pose of its bounds; of an inner region only if the whole tree was updated

    // By kind and place: the element's number, its vertices, and its box.
    uint32_t *elements[SNAG__REGION_KINDS], *corners[SNAG__REGION_KINDS];
    snag__kdops boxes[SNAG__REGION_KINDS];
    uint64_t *boxed;  // by region: pose of the boxes of a leaf's elements
    uint32_t *cover;

    // Lower bounds of heights along a direction that a search has chosen: of elements by kind and place, of leaves by region. The
    // stamps by region say in which search they were measured.
    float *heights[SNAG__REGION_KINDS], *leaf_heights;
    uint64_t *heights_stamp, *leaf_heights_stamp;

    bool inside;  // whether the inner vertices of a volume take part
    uint64_t build;  // the owner's stamp of this build, never used twice; 0: not built
    double size_built;  // of its leaves, at the first update: see snag__regions_degradation
    snag__buffer memory[SNAG__REGIONS_BUFFERS];
} snag__regions;

static inline bool snag__region_is_leaf(const snag__region *region)
{
    return region->parts.count == 0;
}

// Divides the vertices that take part in pairs with triangles, by their positions at t1; with `inside` also the inner vertices of
// volumes. Makes no bounds and sets no stamp. On failure (memory) the regions are empty.
bool snag__regions_build(snag__regions *regions, const snag__mesh *mesh, bool inside, const snag_allocator *allocator,
                         snag__buffer *scratch);
void snag__regions_free(const snag_allocator *allocator, snag__regions *regions);

// Updates the bounds of all regions to the positions at t1, whose stamp is `pose`. Skips regions that are up to date.
void snag__regions_update(snag__regions *regions, const snag__mesh *mesh, uint64_t pose, const snag__parallel *parallel,
                          snag_isa isa);
// The same for one leaf. `leaf` is the region's index.
void snag__regions_update_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa);
// Updates the boxes of a leaf's elements. Threads may update different leaves.
void snag__regions_box_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa);

// How much deformation has degraded the regions: the squared radii of the leaves relative to that of the whole, 1 as new. Bounds must
// be up to date.
double snag__regions_degradation(const snag__regions *regions);

// Whether every element is in one leaf, runs are consistent and, for regions of the pose of the whole, bounds are within those of the
// region above. For SNAG__VALIDATE.
bool snag__regions_validate(const snag__regions *regions, const snag__mesh *mesh);

// The greatest distance of a vertex of the region from its middle vertex at t1: the paper's radius (equation 2). And the greatest of
// a level (equation 3).
double snag__region_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t region);
double snag__regions_level_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t level);

// Whether a leaf is convex: the opposite corners of neighbouring triangles in the leaf all lie on the same side of each other's
// planes, or in them.
bool snag__region_is_convex(const snag__regions *regions, const snag__mesh *mesh, uint32_t leaf);

#endif
