// A hierarchy grown from the surface itself: neighbouring triangles are grouped into patches, patches into larger ones.
//
// Volino, Magnenat Thalmann: Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity, Eurographics 1994, sections 2.3.1 (hierarchy), 2.3.3 (adjacency), 2.3.4 (directions).
// Differs: the lowest patches hold up to 16 triangles, which are compared as a block; the contour of a patch is kept as
// a chain of directed edges, which any topology has; adjacency is stored for any topology too
// (docs/methods/regularity.md).
#ifndef SNAG_BOUND_SURFACE_TREE_H
#define SNAG_BOUND_SURFACE_TREE_H

#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/mesh.h"

enum {
    SNAG__PATCH_TRIANGLES = 16,  // of a patch without children, at most: one block of the leaf comparison
    SNAG__PATCH_CHILDREN = 5,  // at most; three where the surface allows it
    SNAG__SURFACE_LEVELS = 64,
    SNAG__AXES = 32,  // sampled directions come in pairs of opposite ones: this many axes at most
};

// Part of a surface: a subsurface of the paper.
typedef struct snag__patch {
    float lo[3], hi[3];  // its box
    uint64_t directions;  // bit i: every triangle faces direction i; see snag__directions
    uint32_t first_child;
    uint16_t child_count;  // 0: a leaf
    uint16_t irregular;  // its contour is no candidate for the contour test: an edge that counts twice, or far too long
    uint32_t first_slot, slot_count;  // its triangles
    uint32_t first_contour, contour_count;  // its contour; empty if irregular
    uint32_t looped;  // 1: its contour is one loop; each edge has one other triangle at most, facing the same side
    uint32_t first_stored, stored_count;  // its adjacency vertices
    uint32_t parent;  // UINT32_MAX: none
} snag__patch;

// A directed edge of a contour: the patch lies on its left, seen from where its triangles face. Edges are sorted by
// their number; next and previous ones make closed loops, and count from the first edge of the contour.
typedef struct snag__contour_edge {
    uint32_t edge;  // its number in the mesh
    uint32_t from;  // the vertex where it begins
    uint32_t next, previous;
} snag__contour_edge;

// The same edge where the contour is one loop: edges in the order of the loop.
typedef struct snag__loop_edge {
    uint32_t from;
    uint32_t beyond;  // the slot of the triangle on its other side; UINT32_MAX: none
} snag__loop_edge;

// Blocks of memory of a tree.
enum {
    SNAG__TREE_PATCHES,
    SNAG__TREE_TRIANGLES,
    SNAG__TREE_CORNERS,
    SNAG__TREE_VERTEX_START,
    SNAG__TREE_VERTEX_SLOTS,
    SNAG__TREE_CONTOURS,
    SNAG__TREE_LOOPS,
    SNAG__TREE_STORED,
    SNAG__TREE_SCRATCH,  // while it is built
    SNAG__TREE_BLOCKS
};

typedef struct snag__surface_tree {
    const snag__mesh *mesh;
    uint64_t body;  // who it is: id and generation
    uint64_t pose;  // what boxes and directions are of
    uint32_t axes;  // of how many axes the directions are
    bool swept;  // whether both hold at all times of the last move, not only at its end: set before a refit

    // By patch. The root comes first; the patches of a level are neighbours, and so are the children of a patch.
    snag__patch *patches;
    uint32_t patch_count;
    uint32_t level_first[SNAG__SURFACE_LEVELS + 1];
    uint32_t levels;

    // By slot: the order in which each patch's triangles are neighbours.
    uint32_t triangle_count;
    uint32_t *triangles;  // the triangle's number
    uint32_t (*corners)[3];  // its vertices, turned so that neighbours agree about the side they face where they can
    uint32_t *vertex_start;  // by vertex: where its slots begin
    uint32_t *vertex_slots;  // slots of the triangles at each vertex, ascending

    snag__contour_edge *contours;
    snag__loop_edge *loops;  // as many; of no meaning for patches that are not looped
    size_t contour_count;
    uint32_t longest_contour;
    uint32_t *stored;  // adjacency vertices
    size_t stored_count;

    uint32_t needles;  // triangles whose normal was not certain at the last refit

    snag__buffer memory[SNAG__TREE_BLOCKS];
} snag__surface_tree;

// Builds the tree of a mesh from its present positions. On failure (memory) the tree is empty.
bool snag__surface_tree_build(snag__surface_tree *tree, const snag__mesh *mesh, const snag_allocator *allocator);
void snag__surface_tree_free(const snag_allocator *allocator, snag__surface_tree *tree);

// Whether two patches, of which none is part of the other, have a vertex in common. Looks at their adjacency vertices
// alone: O(1) of them in a well-formed tree, O(log n) steps for each. `steps` (or NULL) counts the vertices looked at.
bool snag__patches_adjacent(const snag__surface_tree *tree, uint32_t a, uint32_t b, size_t *steps);

// Whether one of a vertex's triangles is at a slot first .. last - 1.
bool snag__vertex_in_slots(const snag__surface_tree *tree, uint32_t vertex, uint32_t first, uint32_t last);

// ---- directions ----

// Sampled directions (2.3.4): the corners, face middles and edge middles of a regular polyhedron. Direction i is axis
// i, direction SNAG__AXES + i its opposite.
typedef struct snag__directions {
    float axis[3][SNAG__AXES];  // by coordinate; axes behind the last are zero, and nothing faces them
    uint32_t axes;
} snag__directions;

// `count` is 6 (octahedron), 12 (icosahedron), 32 (with its faces) or 62 (with its edges too).
void snag__directions_make(uint32_t count, snag__directions *directions);
// The direction among those that a patch faces which lies nearest to the middle of them all.
uint32_t snag__middle_direction(const snag__directions *directions, uint64_t faced);

// ---- refit ----

typedef struct snag__surface_kernels {
    // Boxes and directions of the leaves among patches first .. last - 1, from the triangles' corners. Returns how many
    // triangles had no certain normal.
    uint32_t (*leaves)(snag__surface_tree *tree, const snag__directions *directions, uint32_t first, uint32_t last);
} snag__surface_kernels;

SNAG__DECLARE_KERNELS(snag__surface_kernels, snag__surface_kernels);
const snag__surface_kernels *snag__surface_kernels_for(snag_isa isa);

// Boxes, normals and directions of all patches in one pass: leaves from the triangles, then level by level upwards.
void snag__surface_tree_refit(snag__surface_tree *tree, const snag__directions *directions, const snag__parallel *parallel,
                              snag_isa isa);

// ---- used by surface_tree.c alone: false without memory ----

bool snag__surface_tree_find_contours(snag__surface_tree *tree, const snag_allocator *allocator);
bool snag__surface_tree_find_adjacency(snag__surface_tree *tree, const snag_allocator *allocator);

#endif
