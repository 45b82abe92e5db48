// For every vertex of a body those that are near it in the rest pose, itself among them: found by a grid, whose cells are hashed.
#ifndef SNAG_MESH_REST_BALLS_H
#define SNAG_MESH_REST_BALLS_H

#include "base/memory.h"
#include "mesh/mesh.h"

// Zero is empty.
typedef struct snag__rest_balls {
    snag__csr ball;  // by vertex
    bool usable;  // false: there would be more than they are worth, or coordinates are beyond what squares can hold
    snag__buffer start, items, work;
} snag__rest_balls;

// Lists the vertices that are certainly within a distance d > 0 of each other: all but those that rounding might put there. False without
// memory.
bool snag__rest_balls_build(snag__rest_balls *balls, const double (*x)[3], uint32_t vertex_count, double d,
                            const snag_allocator *allocator);
void snag__rest_balls_free(const snag_allocator *allocator, snag__rest_balls *balls);

#endif
