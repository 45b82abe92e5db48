// A sphere tree that exists only where it was needed lately: an octree over the triangles of a body, of which a level is made
// when somebody looks below a node, and forgotten when nobody has for a while.
//
// A level holds the children of one node: the octants of its box that triangles meet ("grey" ones), each in a sphere, with
// lists of those triangles. A level is made from the triangles of its node alone.
#ifndef SNAG_BOUND_SPHERE_TREE_H
#define SNAG_BOUND_SPHERE_TREE_H

#include "base/memory.h"
#include "bound/sphere_tree_kernel.h"

// Locational codes of nodes, a one and three bits for each level, fit in 32 bits.
#define SNAG__SPHERE_DEPTH_MAX 10

typedef struct snag__sphere_level snag__sphere_level;

// Aligned for wide loads, with the lists of its children behind it in the same block of memory.
struct snag__sphere_level {
    snag__eight_spheres spheres;  // of the children, in the world; made for the place `placed`
    snag__octants octants;
    snag__sphere_level *above, *below[8];  // of the children, where they exist
    snag__sphere_level *newer, *older;  // in the order of use
    uint64_t used;  // the last step that looked at this level
    uint64_t placed;
    const uint32_t *triangles;  // of the children, one list after the other; NULL in the root: all triangles of the body
    uint32_t start[9];
    uint32_t rank[8];  // of the children among all leaves of an answer; 0 while none is made
    uint32_t code;  // locational code of the node whose children these are
    uint8_t grey;  // bit i: child i exists
    uint8_t child_count;
    uint8_t depth;  // of the children
    uint8_t coarse;  // bit i: the list of child i is one of blocks on disk
    uint8_t divisible;  // bit i: the box of child i can be cut
    bool crowded;  // its triangles are so large that going deeper only repeats them
    bool blurred;  // the margin for rounding is larger than its boxes: spheres below would be as large and all meet
    size_t bytes;
};

// One node: a child of a level.
typedef struct snag__sphere_node {
    snag__sphere_level *level;
    uint32_t child;
} snag__sphere_node;

// Where triangles are read from while levels are made.
typedef struct snag__sphere_geometry {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    uint32_t triangle_count;
} snag__sphere_geometry;

typedef struct snag__sphere_tree {
    snag__sphere_level root;  // the level of the root, with one child; never forgotten
    snag__sphere_level *newest, *oldest;
    // The rigid motion from where the tree was made to where the body is: world = rotation * point + shift, and no point of the
    // surface is farther than `slack` from there.
    double rotation[3][3], shift[3], slack;
    uint64_t place;  // counts motions: spheres of levels with another one are stale
    size_t level_count;  // without the root's
    size_t bytes;  // of these levels
    // Since the tree began: levels made, triangles read for them.
    uint64_t levels_made, triangles_read;
} snag__sphere_tree;

// Puts a tree that has no levels, or is zero, around a box in which all of `count` triangles lie, or with `coarse` blocks of
// triangles. The place is where they are.
void snag__sphere_tree_begin(snag__sphere_tree *tree, const double lo[3], const double hi[3], uint32_t count, bool coarse);
// Forgets all levels.
void snag__sphere_tree_clear(snag__sphere_tree *tree, const snag_allocator *allocator);
// Moves the whole tree.
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

// Whether the box of a node can be cut at all.
static inline bool snag__sphere_can_cut(snag__sphere_node node)
{
    return (node.level->divisible >> node.child & 1) != 0;
}
// The octants that a node would be cut in.
void snag__sphere_cut(snag__sphere_node node, snag__octants *octants);
// The locational code of a node: 1 for the root, then eight times its parent's and the octant.
uint32_t snag__sphere_code(snag__sphere_node node);
// The sphere of a node, in the world. Its level has been looked at in this place.
void snag__sphere_of(snag__sphere_node node, snag__sphere *sphere);

// What a level is made of: triangles (by `list`, or with NULL 0, 1, 2, ...), and the octants that each of them goes to. Only
// children in `grey` exist. `coarse`: they are blocks of triangles.
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

// Whether a node's list is one of blocks.
static inline bool snag__sphere_is_coarse(snag__sphere_node node)
{
    return (node.level->coarse >> node.child & 1) != 0;
}

// Notes that a level is looked at in this step, and puts its spheres where the body is.
void snag__sphere_visit(snag__sphere_tree *tree, snag__sphere_level *level, uint64_t step);
// Forgets the levels that were looked at last before `step`.
void snag__sphere_forget(snag__sphere_tree *tree, uint64_t step, const snag_allocator *allocator);
// Forgets one level and all below it.
void snag__sphere_drop(snag__sphere_tree *tree, snag__sphere_level *level, const snag_allocator *allocator);

#endif
