// See cast_tree.h.
#include "probe/cast_tree.h"

#include <math.h>
#include <string.h>

enum { CAST_NODES, CAST_LEAVES, CAST_BODIES, CAST_BLOCKS, CAST_REFITS };

// Products of three coordinates, and of one with the inverse of a direction (see cast_kernel.c), stay far from the limits of floats.
#define LARGEST 1e12
#define SMALLEST 1e-9

bool snag__cast_tree_reserve(snag__cast_tree *tree, const snag__bvh *bvh, const snag_allocator *allocator)
{
    if (tree->builds == bvh->builds)
        return true;
    tree->builds = 0;
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS, blocks = 0;
    for (uint32_t i = 0; i < bvh->node_count; i++)
        blocks += !bvh->nodes[i].leaf;
    const snag__room rooms[] = {
        {&tree->memory[CAST_NODES], &tree->nodes, blocks + 1, sizeof *tree->nodes},
        {&tree->memory[CAST_LEAVES], &tree->leaves, leaves + 1, sizeof *tree->leaves},
        {&tree->memory[CAST_BODIES], &tree->bodies, bvh->tree_count + 1u, sizeof *tree->bodies},
        {&tree->memory[CAST_BLOCKS], &tree->block_of, bvh->node_count + 1u, sizeof *tree->block_of},
        {&tree->memory[CAST_REFITS], &tree->refits, bvh->tree_count + 1u, sizeof *tree->refits},
    };
    if (!snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    uint32_t block = 0;
    for (uint32_t i = 0; i < bvh->node_count; i++)
        tree->block_of[i] = bvh->nodes[i].leaf ? UINT32_MAX : block++;
    memset(tree->nodes, 0, (blocks + 1) * sizeof *tree->nodes);
    memset(tree->leaves, 0, (leaves + 1) * sizeof *tree->leaves);
    memset(tree->refits, 0, bvh->tree_count * sizeof *tree->refits);
    tree->builds = bvh->builds;
    return true;
}

static uint32_t child_of(const snag__cast_tree *tree, const snag__bvh *bvh, uint32_t node)
{
    const snag__node *n = &bvh->nodes[node];
    return n->leaf ? n->first / SNAG__LEAF_ELEMENTS | SNAG__CAST_LEAF : tree->block_of[node];
}

static void fill_node(snag__cast_tree *tree, const snag__bvh *bvh, uint32_t node)
{
    const snag__node *n = &bvh->nodes[node];
    snag__cast_node *block = &tree->nodes[tree->block_of[node]];
    for (uint32_t i = 0; i < SNAG__ARITY_MAX; i++) {
        bool there = i < n->count;
        block->child[i] = there ? child_of(tree, bvh, n->first + i) : SNAG__CAST_LEAF;
        for (uint32_t axis = 0; axis < 3; axis++) {
            block->bounds[axis * SNAG__ARITY_MAX + i] = there ? bvh->node_bounds.lo[axis][n->first + i] : INFINITY;
            block->bounds[(3 + axis) * SNAG__ARITY_MAX + i] = there ? bvh->node_bounds.hi[axis][n->first + i] : -INFINITY;
        }
    }
}

void snag__cast_tree_fill(snag__cast_tree *tree, const snag__bvh *bvh, uint32_t body)
{
    const snag__tree *t = &bvh->trees[body];
    snag__cast_body *b = &tree->bodies[body];
    double extent = 0, largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        b->lo[axis] = (double)bvh->node_bounds.lo[axis][t->root];
        b->hi[axis] = (double)bvh->node_bounds.hi[axis][t->root];
        extent = fmax(extent, b->hi[axis] - b->lo[axis]);
        largest = fmax(largest, fmax(fabs(b->lo[axis]), fabs(b->hi[axis])));
    }
    b->usable = largest < LARGEST && extent > SMALLEST;
    if (!b->usable)
        return;
    b->root = child_of(tree, bvh, t->root);
    for (uint32_t node = t->root; node < t->level_first[t->levels]; node++)
        if (!bvh->nodes[node].leaf)
            fill_node(tree, bvh, node);
}

void snag__cast_tree_fill_leaf(snag__cast_tree *tree, uint32_t leaf, const double *corners)
{
    snag__cast_leaf *to = &tree->leaves[leaf];
    double spread = 0;
    for (size_t i = 0; i < sizeof to->corners / sizeof *to->corners; i++) {
        to->corners[i] = (float)corners[i];
        double off = fabs(corners[i] - (double)to->corners[i]);
        spread = off > spread ? off : spread;
    }
    to->spread = spread > 0 ? nextafterf((float)spread, INFINITY) : 0;
}

void snag__cast_tree_free(snag__cast_tree *tree, const snag_allocator *allocator)
{
    snag__buffers_free(allocator, tree->memory, sizeof tree->memory / sizeof(snag__buffer));
    *tree = (snag__cast_tree){0};
}
