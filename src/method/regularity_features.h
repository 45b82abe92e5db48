// Vertices and edges of the leaves of `regularity`, for `impacts`. Every feature is assigned to one of the leaves that contain it,
// so that each pair of features comes up with one pair of leaves only.
#ifndef SNAG_METHOD_REGULARITY_FEATURES_H
#define SNAG_METHOD_REGULARITY_FEATURES_H

#include "bound/bvh_kernel.h"
#include "bound/surface_tree.h"
#include "query/kind.h"

// Features of one kind, leaf by leaf.
typedef struct snag__patch_feature_list {
    uint32_t *first;  // [node_count + 1]: where the features of a node begin
    uint32_t *elements;  // numbers in the body
    uint32_t *vertices;  // one per vertex, two per edge
    snag__kdops bounds;
} snag__patch_feature_list;

typedef struct snag__patch_features {
    snag__patch_feature_list vertices, edges;
    bool fresh;  // they belong to the present trees
    bool loose;  // some vertex belongs to no triangle
    uint8_t *seen;  // by vertex, then by edge of a body: assigned to a leaf already
    snag__buffer memory, vertex_bound_memory, edge_bound_memory;
} snag__patch_features;

// Makes room for `count` boxes that overlap nothing yet. False if there is no memory.
bool snag__patch_bounds_reserve(const snag_allocator *allocator, snag__buffer *memory, size_t count, snag__kdops *bounds);

// Assigns the features of all trees to leaves; `first_patch`: the first node of each tree. False if there is no memory.
bool snag__patch_features_build(snag__patch_features *features, const snag__surface_tree *trees, uint32_t tree_count,
                                const uint32_t *first_patch, uint32_t node_count, const snag_allocator *allocator);
void snag__patch_features_free(const snag_allocator *allocator, snag__patch_features *features);

// Computes the bounds of a leaf's features over the whole move.
void snag__patch_features_fill(snag__patch_features *features, const snag__mesh *mesh, uint32_t node, snag_isa isa);

// Compares the features of pairs of leaves of the same two bodies; returns how many candidates were tested exactly.
size_t snag__patch_features_compare(const snag__patch_features *features, const snag__bvh *leaves, const snag__ask *ask,
                                    snag__record_list *list, const snag__node_pair *pairs, size_t count);

#endif
