// Vertices and edges of the leaves of `regularity`, for `impacts`: every feature belongs to one leaf that it is part
// of, so that each pair of features is looked at once, with a pair of leaves.
#ifndef SNAG_METHOD_REGULARITY_FEATURES_H
#define SNAG_METHOD_REGULARITY_FEATURES_H

#include "bound/bvh_kernel.h"
#include "bound/surface_tree.h"
#include "query/kind.h"

// Features of one kind, leaf by leaf.
typedef struct snag__patch_feature_list {
    uint32_t *first;  // by node, and one more: its features begin here
    uint32_t *elements;  // numbers in the body
    uint32_t *vertices;  // one of each vertex, two of each edge
    snag__kdops bounds;
} snag__patch_feature_list;

typedef struct snag__patch_features {
    snag__patch_feature_list vertices, edges;
    bool fresh;  // whether they belong to the present trees
    bool loose;  // some vertex belongs to no triangle
    snag__buffer memory[8];
} snag__patch_features;

// Room for so many boxes, none of which overlaps anything yet. False without memory.
bool snag__patch_bounds_reserve(const snag_allocator *allocator, snag__buffer *memory, size_t count, snag__kdops *bounds);

// Deals out the features of all trees; `first_patch`: by tree, its first node. False without memory.
bool snag__patch_features_build(snag__patch_features *features, const snag__surface_tree *trees, uint32_t tree_count,
                                const uint32_t *first_patch, uint32_t node_count, const snag_allocator *allocator);
void snag__patch_features_free(const snag_allocator *allocator, snag__patch_features *features);

// Bounds of the features of a leaf over the whole move.
void snag__patch_features_fill(snag__patch_features *features, const snag__mesh *mesh, uint32_t node, snag_isa isa);

// Tests the features of pairs of leaves of the same two bodies exactly; returns how many pairs of features were
// candidates.
size_t snag__patch_features_compare(const snag__patch_features *features, const snag__bvh *leaves, const snag__ask *ask,
                                    snag__record_list *list, const snag__node_pair *pairs, size_t count);

#endif
