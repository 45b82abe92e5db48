// Regions of a body that deforms: the middle vertices stay, the radii and boxes are measured anew. See regions.h.
#include "bound/regions_kernel.h"

#include "geom/geom.h"

#include <math.h>

enum { LEAVES_OF_A_TASK = 64 };

SNAG__DECLARE_KERNELS(snag__region_kernels, snag__region_kernels);

const snag__region_kernels *snag__region_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__region_kernels, isa)
}

// ---- rounding outward ----

static float float_below(double x)
{
    float nearest = (float)x;
    return (double)nearest > x ? nextafterf(nearest, -INFINITY) : nearest;
}

static float float_above(double x)
{
    float nearest = (float)x;
    return (double)nearest < x ? nextafterf(nearest, INFINITY) : nearest;
}

// No less than `length`, whose relative error is below 2^-50; what has underflowed on the way is less than the least float.
static float radius_above(double length)
{
    return nextafterf(float_above(length * (1 + 0x1p-48)), INFINITY);
}

// ---- leaves ----

void snag__regions_update_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa)
{
    if (regions->bounded[leaf] == pose)
        return;
    const snag__region *region = &regions->regions[leaf];
    snag__region_bounds *bounds = &regions->bounds;
    float middle[3];
    for (int axis = 0; axis < 3; axis++)
        bounds->middle[axis][leaf] = middle[axis] = (float)mesh->x_t1[region->middle][axis];
    snag__region_extent extent;
    snag__region_kernels_for(isa)->extent((const double(*)[3])mesh->x_t1, regions->cover + region->cover.first, region->cover.count,
                                          middle, &extent);
    for (int axis = 0; axis < 3; axis++) {
        bounds->lo[axis][leaf] = float_below(extent.lo[axis]);
        bounds->hi[axis][leaf] = float_above(extent.hi[axis]);
    }
    bounds->radius[leaf] = radius_above(sqrt(extent.squared));
    regions->bounded[leaf] = pose;
}

void snag__regions_box_leaf(snag__regions *regions, uint32_t leaf, const snag__mesh *mesh, uint64_t pose, snag_isa isa)
{
    if (regions->boxed[leaf] == pose)
        return;
    const snag__box_kernels *kernels = snag__box_kernels_for(isa);
    for (int kind = 0; kind < SNAG__REGION_KINDS; kind++) {
        snag__run run = regions->regions[leaf].elements[kind];
        if (run.count > 0)
            kernels->kdop_from_elements(NULL, (const double(*)[3])mesh->x_t1, regions->corners[kind], (uint32_t)kind + 1, run.first,
                                        run.count, 0, &regions->boxes[kind]);
    }
    regions->boxed[leaf] = pose;
}

// ---- all ----

typedef struct update {
    snag__regions *regions;
    const snag__mesh *mesh;
    uint64_t pose;
    snag_isa isa;
} update;

static void update_leaves(void *context, uint32_t task)
{
    const update *u = context;
    uint32_t first = task * LEAVES_OF_A_TASK, last = first + LEAVES_OF_A_TASK;
    for (uint32_t i = first; i < last && i < u->regions->leaf_count; i++)
        snag__regions_update_leaf(u->regions, u->regions->leaves[i], u->mesh, u->pose, u->isa);
}

// From a part's middle vertex to the other end of its sphere, or to the farthest corner of the box: whichever is nearer
// holds the region.
static float radius_of(const snag__regions *regions, const snag__region *region, uint32_t self)
{
    const snag__region_bounds *bounds = &regions->bounds;
    double reach = 0, corner = 0;
    for (uint32_t part = region->parts.first; part < region->parts.first + region->parts.count; part++) {
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            double d = (double)bounds->middle[axis][part] - (double)bounds->middle[axis][self];
            squared += d * d;
        }
        double far = sqrt(squared) + (double)bounds->radius[part];
        reach = isfinite(far) ? fmax(reach, far) : INFINITY;  // middles beyond the range of float have no difference
    }
    for (int axis = 0; axis < 3; axis++) {
        double middle = (double)bounds->middle[axis][self];
        double d = fmax((double)bounds->hi[axis][self] - middle, middle - (double)bounds->lo[axis][self]);
        corner += d * d;
    }
    corner = sqrt(corner);
    return radius_above(corner < reach ? corner : reach);
}

static void join_parts(snag__regions *regions, const snag__mesh *mesh, uint32_t self)
{
    const snag__region *region = &regions->regions[self];
    snag__region_bounds *bounds = &regions->bounds;
    for (int axis = 0; axis < 3; axis++) {
        float lo = INFINITY, hi = -INFINITY;
        for (uint32_t part = region->parts.first; part < region->parts.first + region->parts.count; part++) {
            lo = fminf(lo, bounds->lo[axis][part]);
            hi = fmaxf(hi, bounds->hi[axis][part]);
        }
        bounds->lo[axis][self] = lo;
        bounds->hi[axis][self] = hi;
        bounds->middle[axis][self] = (float)mesh->x_t1[region->middle][axis];
    }
    bounds->radius[self] = radius_of(regions, region, self);
}

// The squared radii of the leaves, relative to that of the whole.
static double size_of_leaves(const snag__regions *regions)
{
    double sum = 0, whole = (double)regions->bounds.radius[0];
    for (uint32_t i = 0; i < regions->leaf_count; i++) {
        double part = (double)regions->bounds.radius[regions->leaves[i]] / whole;
        sum += part * part;
    }
    return sum;
}

void snag__regions_update(snag__regions *regions, const snag__mesh *mesh, uint64_t pose, const snag__parallel *parallel,
                          snag_isa isa)
{
    if (regions->region_count == 0 || regions->bounded[0] == pose)
        return;
    update u = {regions, mesh, pose, isa};
    snag__parallel_for(parallel, (regions->leaf_count + LEAVES_OF_A_TASK - 1) / LEAVES_OF_A_TASK, update_leaves, &u);
    for (uint32_t i = regions->region_count; i-- > 0;)
        if (!snag__region_is_leaf(&regions->regions[i])) {
            join_parts(regions, mesh, i);
            regions->bounded[i] = pose;
        }
    if (regions->size_built == 0)
        regions->size_built = size_of_leaves(regions);
}

double snag__regions_degradation(const snag__regions *regions)
{
    if (regions->region_count == 0 || !(regions->size_built > 0))
        return 1;
    double degraded = size_of_leaves(regions) / regions->size_built;
    return isfinite(degraded) ? degraded : 1;  // beyond the range of float no division helps
}

// ---- what the paper measures ----

double snag__region_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t region)
{
    const snag__region *r = &regions->regions[region];
    const double *middle = mesh->x_t1[r->middle];
    double farthest = 0;
    for (uint32_t i = 0; i < r->elements[SNAG_VERTEX].count; i++) {
        const double *x = mesh->x_t1[regions->elements[SNAG_VERTEX][r->elements[SNAG_VERTEX].first + i]];
        farthest = fmax(farthest, hypot(hypot(x[0] - middle[0], x[1] - middle[1]), x[2] - middle[2]));
    }
    return farthest;
}

double snag__regions_level_radius(const snag__regions *regions, const snag__mesh *mesh, uint32_t level)
{
    double largest = 0;
    for (uint32_t i = level < regions->levels ? regions->level_first[level] : regions->region_count;
         i < regions->region_count && regions->regions[i].level == level; i++)
        largest = fmax(largest, snag__region_radius(regions, mesh, i));
    return largest;
}

// The corner of a triangle that is not on its edge number `side`.
static const double *opposite_corner(const snag__mesh *mesh, uint32_t triangle, uint32_t edge)
{
    const uint32_t *v = mesh->triangles[triangle];
    for (int side = 0; side < 3; side++)
        if (mesh->triangle_edges[triangle][side] == edge)
            return mesh->x_t1[v[(side + 2) % 3]];
    return mesh->x_t1[v[0]];
}

static bool is_in_leaf(const snag__regions *regions, uint32_t leaf, uint32_t triangle)
{
    const snag__run run = regions->regions[leaf].elements[SNAG_TRIANGLE];
    const uint32_t *places = regions->elements[SNAG_TRIANGLE] + run.first;
    for (uint32_t i = 0; i < run.count; i++)
        if (places[i] == triangle)
            return true;
    return false;
}

bool snag__region_is_convex(const snag__regions *regions, const snag__mesh *mesh, uint32_t leaf)
{
    const snag__run run = regions->regions[leaf].elements[SNAG_TRIANGLE];
    bool above = false, below = false;
    for (uint32_t i = 0; i < run.count; i++) {
        uint32_t t = regions->elements[SNAG_TRIANGLE][run.first + i];
        const uint32_t *v = mesh->triangles[t];
        for (int side = 0; side < 3; side++) {
            uint32_t e = mesh->triangle_edges[t][side];
            for (uint32_t k = e == SNAG__NO_EDGE ? 0 : mesh->edge_triangles.start[e];
                 e != SNAG__NO_EDGE && k < mesh->edge_triangles.start[e + 1]; k++) {
                uint32_t other = mesh->edge_triangles.items[k];
                if (other == t || !is_in_leaf(regions, leaf, other))
                    continue;
                int sign = snag__orient3d(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]], opposite_corner(mesh, other, e));
                above |= sign > 0;
                below |= sign < 0;
            }
        }
    }
    return !(above && below);
}
