// Thickness: radii of bodies and of vertices, and how close two elements must be to count.
//
// A body is as thick as balls around all its points: of its radius, or of radii at the vertices that vary linearly between them (a rod
// is a cone then). Two elements are within a distance d of each other if the gap between such hulls is at most d. What is decided is
// simpler and never misses one of these: an element has the largest radius of its vertices, and two elements are in proximity if they are
// within d + (radius of a + radius of b), added in double. Where radii are equal the two are the same.
//
// Where each contact of features stands once (proximity.h), a vertex stands for the edges that end there, and so has the largest radius of
// its neighbours along edges. Something closer hides a contact only if it is near enough to be in contact itself: a vertex may be
// too far from a thin part right below it, and near enough to a thick part beside.
#ifndef SNAG_MESH_THICKNESS_H
#define SNAG_MESH_THICKNESS_H

#include "mesh/mesh.h"

// How close elements of two meshes must be.
typedef struct snag__limit {
    double d;  // the limit of all pairs; if tapered the largest of all
    double base;  // tapered: without the radii
    bool tapered;  // radii differ within one of the meshes
} snag__limit;

// The same for all pairs, whatever the radii.
static inline snag__limit snag__limit_of(double d)
{
    return (snag__limit){.d = d};
}

// With the radii of both.
static inline snag__limit snag__limit_between(const snag__mesh *a, const snag__mesh *b, double d)
{
    return (snag__limit){d + (a->radius + b->radius), d, a->radii != NULL || b->radii != NULL};
}

// The largest radius of some vertices.
static inline double snag__radius_of(const snag__mesh *mesh, const uint32_t *vertices, int count)
{
    if (mesh->radii == NULL)
        return mesh->radius;
    float most = 0;
    for (int i = 0; i < count; i++)
        most = mesh->radii[vertices[i]] > most ? mesh->radii[vertices[i]] : most;
    return (double)most;
}

// The radius of a vertex that stands for the edges at it.
static inline double snag__ring_radius(const snag__mesh *mesh, uint32_t v)
{
    return mesh->radii == NULL ? mesh->radius : (double)mesh->ring_radii[v];
}

// ---- for mesh.c ----

snag_status snag__thickness_check(const snag_body_def *def, snag__mesh_error *error);
// Copies the radii, once edges are known. False without memory.
bool snag__thickness_copy(snag__mesh *mesh, const snag_body_def *def);

#endif
