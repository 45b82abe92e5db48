// A sphere tree that exists only where it was needed recently: an octree over the triangles of a body whose levels are made when a
// search descends below a node, and dropped when none has for a while.
//
// A level holds the children of one node: the octants of its box that triangles meet ("grey" ones), each in a sphere, with the list
// of those triangles.
#ifndef SNAG_BOUND_SPHERE_TREE_H
#define SNAG_BOUND_SPHERE_TREE_H

#include "base/memory.h"
#include "bound/sphere_tree_kernel.h"

// Locational codes, a one and three bits for each level, fit in 32 bits.
#define SNAG__SPHERE_DEPTH_MAX 10

typedef struct snag__sphere_level snag__sphere_level;

// Aligned for wide loads; the lists of its children follow it in the same block of memory.
struct snag__sphere_level {
    snag__eight_spheres spheres;  // of the children, in world coordinates, for the tree's place `placed`
    snag__octants octants;
    snag__sphere_level *above, *below[8];  // below: by child, NULL where there is no level
    snag__sphere_level *newer, *older;  // in the order of use
    uint64_t used;  // the last step that visited this level
    uint64_t placed;
    const uint32_t *triangles;  // the children's lists, one after the other; NULL in the root: all triangles of the body
    uint32_t start[9];
    uint32_t rank[8];  // of the children among all leaves of an answer; 0 while none is made
    uint32_t code;  // locational code of the parent node
    uint8_t grey;  // bit i: child i exists
    uint8_t child_count;
    uint8_t depth;  // of the children
    uint8_t coarse;  // bit i: child i lists blocks on disk instead of triangles
    uint8_t divisible;  // bit i: the box of child i can be cut
    bool crowded;  // its triangles are so large that deeper levels would only repeat them
    bool blurred;  // the slack is larger than its boxes: spheres below would be as large and all overlap
    size_t bytes;
};

// A node: a child of a level.
typedef struct snag__sphere_node {
    snag__sphere_level *level;
    uint32_t child;
} snag__sphere_node;

// The triangles from which levels are made.
typedef struct snag__sphere_geometry {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    uint32_t triangle_count;
} snag__sphere_geometry;

typedef struct snag__sphere_tree {
    snag__sphere_level root;  // the level of the root, with one child; never dropped
    snag__sphere_level *newest, *oldest;
    // The rigid motion from where the tree was built to where the body is: world = rotation * point + shift, with all points of the
    // surface within `slack` of that.
    double rotation[3][3], shift[3], slack;
    uint64_t place;  // stamp of the motion: spheres of levels with another one are stale
    size_t level_count;  // without the root's
    size_t bytes;  // of these levels
    // Since the tree began: levels made, triangles read for them.
    uint64_t levels_made, triangles_read;
} snag__sphere_tree;

// Starts a tree without levels (or zero) with a box that holds all of `count` triangles, or with `coarse` blocks of triangles, where
// they are now.
void snag__sphere_tree_begin(snag__sphere_tree *tree, const double lo[3], const double hi[3], uint32_t count, bool coarse);
// Drops all levels.
void snag__sphere_tree_clear(snag__sphere_tree *tree, const snag_allocator *allocator);
// Sets the motion of the whole tree.
void snag__sphere_tree_move(snag__sphere_tree *tree, const double rotation[3][3], const double shift[3], double slack);

static inline snag__sphere_node snag__sphere_root(snag__sphere_tree *tree)
{
    return (snag__sphere_node){&tree->root, 0};
}

static inline uint32_t snag__sphere_count(snag__sphere_node node)
{
    return node.level->start[node.child + 1] - node.level->start[node.child];
}

// The triangles of a node; NULL: all of the body.
static inline const uint32_t *snag__sphere_list(snag__sphere_node node)
{
    return node.level->triangles != NULL ? node.level->triangles + node.level->start[node.child] : NULL;
}

// Whether the box of a node can be cut.
static inline bool snag__sphere_can_cut(snag__sphere_node node)
{
    return (node.level->divisible >> node.child & 1) != 0;
}
// The octants of a node's box.
void snag__sphere_cut(snag__sphere_node node, snag__octants *octants);
// The locational code of a node: 1 for the root, then eight times its parent's plus the octant.
uint32_t snag__sphere_code(snag__sphere_node node);
// The sphere of a node in world coordinates. Its level has been visited since the last move.
void snag__sphere_of(snag__sphere_node node, snag__sphere *sphere);

// The triangles of a level (`list`; NULL: 0, 1, 2, ...) and the octants that each of them meets. Only children in `grey` are made.
// `coarse`: blocks of triangles instead.
typedef struct snag__sphere_parts {
    const uint32_t *list;
    uint32_t count;
    const uint8_t *masks;
    uint8_t grey;
    bool coarse;
} snag__sphere_parts;

// Makes the level below a node. NULL without memory.
snag__sphere_level *snag__sphere_make(snag__sphere_tree *tree, snag__sphere_node node, const snag__octants *octants,
                                      const snag__sphere_parts *parts, const snag_allocator *allocator);

// Whether a node lists blocks instead of triangles.
static inline bool snag__sphere_is_coarse(snag__sphere_node node)
{
    return (node.level->coarse >> node.child & 1) != 0;
}

// Moves the spheres of a level to where the body is.
void snag__sphere_place(snag__sphere_tree *tree, snag__sphere_level *level);
// Notes that a level is visited in this step, and moves its spheres to where the body is.
void snag__sphere_visit(snag__sphere_tree *tree, snag__sphere_level *level, uint64_t step);
// Drops the levels that have not been visited since before `step`.
void snag__sphere_forget(snag__sphere_tree *tree, uint64_t step, const snag_allocator *allocator);
// Drops a level and all below it.
void snag__sphere_drop(snag__sphere_tree *tree, snag__sphere_level *level, const snag_allocator *allocator);

// Whether levels are linked to their parents and in the order of use, and their lists and the sums of the tree are consistent. For
// SNAG__VALIDATE.
bool snag__sphere_tree_validate(const snag__sphere_tree *tree);

#endif
