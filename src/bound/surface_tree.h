// A hierarchy over a surface: neighbouring triangles are grouped into patches, and patches into larger ones.
//
// Volino, Magnenat Thalmann: Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity, Eurographics 1994, sections 2.3.1 (hierarchy), 2.3.3 (adjacency), 2.3.4 (directions).
// Differs: leaves hold up to 16 triangles, which are compared as a block; contours are chains of directed edges, and adjacency is
// stored, for any topology (docs/design/regularity.md).
#ifndef SNAG_BOUND_SURFACE_TREE_H
#define SNAG_BOUND_SURFACE_TREE_H

#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/mesh.h"

enum {
    SNAG__PATCH_TRIANGLES = 16,  // the most of a leaf: one block of the leaf comparison
    SNAG__PATCH_CHILDREN = 5,  // the most; three where the surface allows it
    SNAG__SURFACE_LEVELS = 64,
    SNAG__AXES = 32,  // sampled directions come in opposite pairs: the most axes
};

// Part of a surface: a subsurface of the paper.
typedef struct snag__patch {
    float lo[3], hi[3];  // its box
    uint64_t directions;  // bit i: every triangle faces direction i; see snag__directions
    uint32_t first_child;
    uint16_t child_count;  // 0: a leaf
    uint16_t irregular;  // its contour is of no use to the contour test: an edge counts twice, or it is far too long
    uint32_t first_slot, slot_count;  // its triangles
    uint32_t first_contour, contour_count;  // its contour; empty if irregular
    uint32_t looped;  // 1: its contour is one loop; each edge has at most one other triangle, facing the same side
    uint32_t first_stored, stored_count;  // its adjacency vertices
    uint32_t parent;  // UINT32_MAX: none
} snag__patch;

// A directed edge of a contour: the patch lies on its left, seen from the side its triangles face. Edges are sorted by number; next
// and previous are relative to the first edge of the contour and form closed loops.
typedef struct snag__contour_edge {
    uint32_t edge;  // its number in the mesh
    uint32_t from;  // the vertex where it begins
    uint32_t next, previous;
} snag__contour_edge;

// An edge of a contour that is one loop, in the order of the loop.
typedef struct snag__loop_edge {
    uint32_t from;
    uint32_t beyond;  // the slot of the triangle on its other side; UINT32_MAX: none
} snag__loop_edge;

// Buffers of a tree.
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
    SNAG__TREE_BUFFERS
};

typedef struct snag__surface_tree {
    const snag__mesh *mesh;
    uint64_t body;  // id and generation
    uint64_t pose;  // stamp of the positions that boxes and directions are of
    uint32_t axes;  // number of axes of the directions
    bool swept;  // boxes and directions hold during the whole move, not only at its end: set before a refit

    // By patch, breadth first: the patches of a level are neighbours, and so are the children of a patch.
    snag__patch *patches;
    uint32_t patch_count;
    uint32_t level_first[SNAG__SURFACE_LEVELS + 1];
    uint32_t levels;

    // By slot: the triangles of every patch are contiguous.
    uint32_t triangle_count;
    uint32_t *triangles;  // the triangle's number
    uint32_t (*corners)[3];  // its vertices, flipped so that neighbours face the same side where possible
    uint32_t *vertex_start;  // by vertex: where its slots begin
    uint32_t *vertex_slots;  // slots of the triangles at each vertex, ascending

    snag__contour_edge *contours;
    snag__loop_edge *loops;  // parallel to `contours`; meaningless for patches that are not looped
    size_t contour_count;
    uint32_t longest_contour;
    uint32_t *stored;  // adjacency vertices
    size_t stored_count;

    uint32_t needles;  // triangles whose normal was uncertain at the last refit

    snag__buffer memory[SNAG__TREE_BUFFERS];
} snag__surface_tree;

// Builds the tree of a mesh from its current positions. On failure (memory) the tree is empty.
bool snag__surface_tree_build(snag__surface_tree *tree, const snag__mesh *mesh, const snag_allocator *allocator);
void snag__surface_tree_free(const snag_allocator *allocator, snag__surface_tree *tree);
// Whether every triangle is in one leaf, patches, contours and stored vertices are consistent and, once refitted, every box is within
// its parent's. For SNAG__VALIDATE.
bool snag__surface_tree_validate(const snag__surface_tree *tree);

// Whether two patches, neither of which contains the other, share a vertex. Looks only at their adjacency vertices: O(1) in a
// well-formed tree, with O(log n) steps each. `steps` (or NULL) counts the vertices looked at.
bool snag__patches_adjacent(const snag__surface_tree *tree, uint32_t a, uint32_t b, size_t *steps);

// Whether one of a vertex's triangles is at a slot first .. last - 1.
bool snag__vertex_in_slots(const snag__surface_tree *tree, uint32_t vertex, uint32_t first, uint32_t last);

// ---- directions ----

// Sampled directions (2.3.4): the corners, face middles and edge middles of a regular polyhedron. Direction i is axis
// i, direction SNAG__AXES + i its opposite.
typedef struct snag__directions {
    float axis[3][SNAG__AXES];  // by coordinate; axes after the last are zero, and nothing faces them
    uint32_t axes;
} snag__directions;

// `count` is 6 (octahedron), 12 (icosahedron), 32 (with its faces) or 62 (with its edges too).
void snag__directions_make(uint32_t count, snag__directions *directions);
// Of the directions that a patch faces, the one nearest to their mean.
uint32_t snag__middle_direction(const snag__directions *directions, uint64_t faced);

// ---- refit ----

typedef struct snag__surface_kernels {
    // Boxes and directions of the leaves among patches first .. last - 1, from the triangles' corners. Returns how many
    // triangles had no certain normal.
    uint32_t (*leaves)(snag__surface_tree *tree, const snag__directions *directions, uint32_t first, uint32_t last);
} snag__surface_kernels;

SNAG__DECLARE_KERNELS(snag__surface_kernels, snag__surface_kernels);
const snag__surface_kernels *snag__surface_kernels_for(snag_isa isa);

// Updates boxes and directions of all patches: leaves from the triangles, then bottom up level by level.
void snag__surface_tree_refit(snag__surface_tree *tree, const snag__directions *directions, const snag__parallel *parallel,
                              snag_isa isa);

// ---- used by surface_tree.c alone: false without memory ----

bool snag__surface_tree_find_contours(snag__surface_tree *tree, const snag_allocator *allocator);
bool snag__surface_tree_find_adjacency(snag__surface_tree *tree, const snag_allocator *allocator);

#endif
