// Grouping neighbours bottom up, from triangles to one element that holds all: see surface_tree.h.
#ifndef SNAG_BOUND_SURFACE_TREE_GROUP_H
#define SNAG_BOUND_SURFACE_TREE_GROUP_H

#include "base/memory.h"
#include "mesh/mesh.h"

// Elements of all levels: triangles first, then level by level. The last is the root.
typedef struct snag__grouping {
    uint32_t *parent;  // the root's is itself
    uint32_t count;
    snag__buffer memory;
} snag__grouping;

// False without memory. The caller frees the grouping in any case.
bool snag__group_surface(const snag__mesh *mesh, const snag_allocator *allocator, snag__grouping *grouping);

#endif
