// Two cheap proofs that triangles of two leaves do not intersect, for vectors of pairs. They run between the box test and the exact
// test, and leave few pairs that do not intersect.
//
// Planes: the corners of one triangle lie strictly on one side of the other's plane. In float, with a margin that covers the
// rounding of the double coordinates.
//
// Vertex stars: the triangles around a vertex share nothing but the vertex and their edges: see vertex_star.h.
#ifndef SNAG_BOUND_PLANE_CULL_H
#define SNAG_BOUND_PLANE_CULL_H

#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "bound/vertex_star.h"
#include "bound/local_origin.h"
#include "bound/leaf_adjacency.h"
#include "geom/f32_filter.h"

#include <stdatomic.h>

// Corners and planes of the triangles at 16 slots, relative to the local origin. Planes are n.x = d with max |n_i| = 1. Points with
// n.x < below or n.x > above are certainly on that side. A needle, whose plane is not certain, has n = 0: no side is certain.
typedef struct snag__plane_cull_block {
    float corner[3][3][SNAG__LEAF_ELEMENTS];  // corner, axis
    float normal[3][SNAG__LEAF_ELEMENTS];
    float below[SNAG__LEAF_ELEMENTS], above[SNAG__LEAF_ELEMENTS];
} snag__plane_cull_block;

// Searches index the floats of all blocks with 32 bits, so a BVH with more slots than this has no plane culls.
enum { SNAG__PLANE_CULL_SLOTS_MAX = 1 << 28 };

// One tree of the BVH.
typedef struct snag__plane_cull_tree {
    uint64_t pose;  // stamp of its vertex stars and adjacency tables
    uint64_t filled;  // stamp of its arrays by slot
    uint32_t first_star_block, star_block_count;
} snag__plane_cull_tree;

// Buffers of plane culls.
enum {
    SNAG__PLANE_CULL_BLOCKS,
    SNAG__PLANE_CULL_TURNS,
    SNAG__PLANE_CULL_F32,
    SNAG__PLANE_CULL_TREES,
    SNAG__PLANE_CULL_MARKS,
    SNAG__PLANE_CULL_SCRATCH,
    SNAG__PLANE_CULL_BUFFERS
};

struct snag__plane_cull {
    snag__plane_cull_block *blocks;  // by slot / 16
    uint16_t *turns;  // by slot: see vertex_star.h
    snag__f32_triangle *f32;  // by slot: for the float filter, the next test
    snag__local_origin local_origin;
    float margin;  // a corner farther than this from a plane is certainly on that side; infinite: nothing is certain

    // Of the build `learnt`, 0 if of none. Without them searches are right, but test adjacent pairs one by one.
    snag__vertex_stars vertex_stars;
    snag__leaf_adjacency adjacency;  // pairs that vertex stars prove apart
    uint64_t learnt;

    snag__plane_cull_tree *trees;
    uint64_t builds;  // stamp of the BVH that all of the above was made for; 0: incomplete

    // A search between bodies only: no triangles share a vertex and few leaves meet. So there are no vertex stars and no adjacency
    // tables, and arrays by slot are filled for marked leaves only.
    bool sparse;
    uint64_t sparse_builds;  // stamp of the BVH that there is room for
    atomic_uchar *marks;  // by leaf
    snag__buffer memory[SNAG__PLANE_CULL_BUFFERS];
};

typedef struct snag__plane_cull_kernels {
    // Fills the blocks, turns and float triangles of slots first .. first + count - 1 (first is a multiple of 16). `bounds`, if not
    // NULL, gets their boxes rounded to nearest: see kdop_grow of box.h.
    void (*fill)(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t first, size_t count, snag__plane_cull *plane_cull,
                 snag__kdops *bounds);
} snag__plane_cull_kernels;

SNAG__DECLARE_KERNELS(snag__plane_cull_kernels, snag__plane_cull_kernels);
const snag__plane_cull_kernels *snag__plane_cull_kernels_for(snag_isa isa);

// Whether the plane culls belong to this build of the BVH, so that they may be filled while it is refitted.
bool snag__plane_cull_fit(const snag__plane_cull *plane_cull, const snag__bvh *bvh);
// Notes that the arrays by slot of a tree have been filled for its current pose.
void snag__plane_cull_note_filled(snag__plane_cull *plane_cull, uint32_t index, const snag__tree *tree);
// Updates the plane culls after a BVH of triangles was refitted or rebuilt. `learn`: also vertex stars and adjacency tables, which take
// longer to learn than one search without them; once learnt they stay for the build. False without memory.
bool snag__plane_cull_refit(snag__plane_cull *plane_cull, const snag__bvh *bvh, bool learn, const snag_allocator *allocator,
                            const snag__parallel *parallel, snag_isa isa);
// The same for a search between bodies: prepares, then threads mark the leaves that meet, then the marked leaves are filled.
bool snag__plane_cull_start_sparse(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator);
static inline void snag__plane_cull_mark(snag__plane_cull *plane_cull, uint32_t leaf)
{
    atomic_store_explicit(&plane_cull->marks[leaf], 1, memory_order_relaxed);
}
void snag__plane_cull_fill_marked(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag__parallel *parallel, snag_isa isa);

// Counts the triangles of zero area of a tree, exactly. Not for sparse plane culls.
size_t snag__plane_cull_degenerate(const snag__plane_cull *plane_cull, const snag__bvh *bvh, uint32_t tree,
                                   const snag__parallel *parallel);
void snag__plane_cull_free(const snag_allocator *allocator, snag__plane_cull *plane_cull);

#endif
