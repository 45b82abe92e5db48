// Two cheap proofs that triangles of a leaf do not intersect those of another, for whole vectors of pairs at a time. They come
// after the boxes and before the exact test, and leave over few pairs that do not intersect.
//
// Planes: the corners of one triangle lie strictly on one side of the other's plane. Single precision, with a margin that
// makes the proof hold for the coordinates as given.
//
// Vertex stars: the triangles around a vertex have no more in common than the vertex and their edges: see vertex stars.h.
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

// Corners and planes of the triangles at 16 slots, relative to the centre. Planes are n.x = d with max |n_i| = 1. Points with
// n.x < below or n.x > above are certainly on that side. A needle, whose plane is not certain, has n = 0: every point is in doubt.
typedef struct snag__plane_cull_block {
    float corner[3][3][SNAG__LEAF_ELEMENTS];  // corner, axis
    float normal[3][SNAG__LEAF_ELEMENTS];
    float below[SNAG__LEAF_ELEMENTS], above[SNAG__LEAF_ELEMENTS];
} snag__plane_cull_block;

// Searches count the numbers of all blocks in 32 bits. There are no plane culls of more slots than this.
enum { SNAG__PLANE_CULL_SLOTS_MAX = 1 << 28 };

// What belongs to one tree of the BVH.
typedef struct snag__plane_cull_tree {
    uint64_t pose;  // of its vertex stars and neighbours
    uint64_t filled;  // pose of what is by slot
    uint32_t first_star_block, star_block_count;
} snag__plane_cull_tree;

struct snag__plane_cull {
    snag__plane_cull_block *blocks;  // by slot / 16
    uint16_t *turns;  // by slot: see vertex stars.h
    snag__f32_triangle *f32;  // by slot: for the test that comes next
    snag__local_origin local_origin;
    float margin;  // a corner farther than this from a plane is certainly on that side; infinite: nothing is certain

    snag__vertex_stars vertex_stars;
    snag__leaf_adjacency adjacency;  // what vertex stars prove

    snag__plane_cull_tree *trees;
    uint64_t builds;  // of the BVH that all of the above was made for; 0: it is not complete

    // Between bodies alone no triangles share a vertex, and few leaves meet: there are no vertex stars and adjacency tables then, and what is by
    // slot is there for marked leaves only.
    bool sparse;
    uint64_t sparse_builds;  // of the BVH that there is room for
    atomic_uchar *marks;  // by leaf
    snag__buffer memory[5];
    snag__buffer scratch;
};

typedef struct snag__plane_cull_kernels {
    // Fills the blocks of slots first .. first + count - 1 (first is a multiple of 16), their turns, and records for the
    // test that comes next. `bounds`, if not NULL, gets their boxes as the nearest floats: see kdop_grow of box.h.
    void (*fill)(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t first, size_t count, snag__plane_cull *plane_cull,
                 snag__kdops *bounds);
} snag__plane_cull_kernels;

SNAG__DECLARE_KERNELS(snag__plane_cull_kernels, snag__plane_cull_kernels);
const snag__plane_cull_kernels *snag__plane_cull_kernels_for(snag_isa isa);

// Whether the plane culls were made for the BVH as it is built, so that they may be filled while it is refitted.
bool snag__plane_cull_fit(const snag__plane_cull *plane_cull, const snag__bvh *bvh);
// Brings the plane culls up to date with a BVH of triangles that has just been refitted, or built anew. False without memory.
bool snag__plane_cull_refit(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator,
                            const snag__parallel *parallel, snag_isa isa);
// The same for a search between bodies, as far as it can be done before the leaves that meet are known. Threads may then mark
// these at the same time, and when all are marked they are filled.
bool snag__plane_cull_start_sparse(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag_allocator *allocator);
static inline void snag__plane_cull_mark(snag__plane_cull *plane_cull, uint32_t leaf)
{
    atomic_store_explicit(&plane_cull->marks[leaf], 1, memory_order_relaxed);
}
void snag__plane_cull_fill_marked(snag__plane_cull *plane_cull, const snag__bvh *bvh, const snag__parallel *parallel, snag_isa isa);

// Triangles of zero area among those of a tree, counted exactly. Not of sparse plane culls.
size_t snag__plane_cull_degenerate(const snag__plane_cull *plane_cull, const snag__bvh *bvh, uint32_t tree,
                                   const snag__parallel *parallel);
void snag__plane_cull_free(const snag_allocator *allocator, snag__plane_cull *plane_cull);

#endif
