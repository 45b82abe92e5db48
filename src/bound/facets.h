// Two cheap proofs that triangles of a leaf do not intersect those of another, for whole vectors of pairs at a time. They come
// after the boxes and before the exact test, and leave over few pairs that do not intersect.
//
// Planes: the corners of one triangle lie strictly on one side of the other's plane. Single precision, with a margin that
// makes the proof hold for the coordinates as given.
//
// Fans: the triangles around a vertex have no more in common than the vertex and their edges: see fans.h.
#ifndef SNAG_BOUND_FACETS_H
#define SNAG_BOUND_FACETS_H

#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "bound/fans.h"
#include "bound/frame.h"
#include "bound/links.h"
#include "geom/near.h"

#include <stdatomic.h>

// Corners and planes of the triangles at 16 places, relative to the centre. Planes are n.x = d with max |n_i| = 1. Points with
// n.x < below or n.x > above are certainly on that side. A needle, whose plane is not certain, has n = 0: every point is in doubt.
typedef struct snag__facet_block {
    float corner[3][3][SNAG__LEAF_ELEMENTS];  // corner, axis
    float normal[3][SNAG__LEAF_ELEMENTS];
    float below[SNAG__LEAF_ELEMENTS], above[SNAG__LEAF_ELEMENTS];
} snag__facet_block;

// Searches count the numbers of all blocks in 32 bits. There are no facets of more places than this.
enum { SNAG__FACET_PLACES_MAX = 1 << 28 };

// What belongs to one tree of the forest.
typedef struct snag__facet_tree {
    uint64_t pose;    // of its fans and neighbours
    uint64_t filled;  // pose of what is by place
    uint32_t first_hub, hub_count;
} snag__facet_tree;

struct snag__facets {
    snag__facet_block *blocks;  // by place / 16
    uint16_t *turns;            // by place: see fans.h
    snag__near_triangle *near;  // by place: for the test that comes next
    snag__frame frame;
    float margin;  // a corner farther than this from a plane is certainly on that side; infinite: nothing is certain

    snag__fans fans;
    snag__links links;  // what fans prove

    snag__facet_tree *trees;
    uint64_t builds;  // of the forest that all of the above was made for; 0: it is not complete

    // Between bodies alone no triangles share a vertex, and few leaves meet: there are no fans and links then, and what is by
    // place is there for marked leaves only.
    bool sparse;
    uint64_t sparse_builds;  // of the forest that there is room for
    atomic_uchar *marks;     // by leaf
    snag__buffer memory[5];
    snag__buffer scratch;
};

typedef struct snag__facet_kernels {
    // Fills the blocks of places first .. first + count - 1 (first is a multiple of 16), their turns, and records for the
    // test that comes next. `bounds`, if not NULL, gets their boxes as the nearest floats: see kdop_grow of box.h.
    void (*fill)(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t first, size_t count, snag__facets *facets,
                 snag__kdops *bounds);
} snag__facet_kernels;

SNAG__DECLARE_KERNELS(snag__facet_kernels, snag__facet_kernels);
const snag__facet_kernels *snag__facet_kernels_for(snag_isa isa);

// Whether the facets were made for the forest as it is built, so that they may be filled while it is refitted.
bool snag__facets_fit(const snag__facets *facets, const snag__forest *forest);
// Brings the facets up to date with a forest of triangles that has just been refitted, or built anew. False without memory.
bool snag__facets_refit(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa);
// The same for a search between bodies, as far as it can be done before the leaves that meet are known. Threads may then mark
// these at the same time, and when all are marked they are filled.
bool snag__facets_start_sparse(snag__facets *facets, const snag__forest *forest, const snag_allocator *allocator);
static inline void snag__facets_mark(snag__facets *facets, uint32_t leaf)
{
    atomic_store_explicit(&facets->marks[leaf], 1, memory_order_relaxed);
}
void snag__facets_fill_marked(snag__facets *facets, const snag__forest *forest, const snag__parallel *parallel, snag_isa isa);

// Triangles of zero area among those of a tree, counted exactly. Not of sparse facets.
size_t snag__facets_degenerate(const snag__facets *facets, const snag__forest *forest, uint32_t tree,
                               const snag__parallel *parallel);
void snag__facets_free(const snag_allocator *allocator, snag__facets *facets);

#endif
