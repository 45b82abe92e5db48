// Shared by the files of `regions`: the regions of each body, and for each pair of bodies the pairs of leaves that were near, kept
// from ask to ask.
#ifndef SNAG_METHOD_REGIONS_H
#define SNAG_METHOD_REGIONS_H

#include "bound/body_pairs.h"
#include "bound/regions_kernel.h"
#include "query/kind.h"

#include <float.h>
#include <math.h>

typedef struct snag__region_pair {
    uint32_t a, b;
} snag__region_pair;

// The regions of a body. Trees have the same indices as the bodies of the ask.
typedef struct snag__region_tree {
    snag_body_id id;
    uint64_t topology;  // stamp of the elements that it was built from
    snag__regions regions;
    double displacement;  // of the body, when all bounds were computed
    uint32_t jumps;
    bool rebuild_due;  // degraded by deformation: the next ask rebuilds it
} snag__region_tree;

// A pair of bodies in the last ask, and the pairs of their leaves that were near.
typedef struct snag__region_link {
    snag_body_id id[2];
    uint64_t build[2];  // of the trees that the leaves belong to
    double displacement[2];  // of the bodies, when the pairs were found
    uint32_t jumps[2];
    double last_displacement[2];  // at the last ask
    double reach;  // all pairs of leaves within this distance are listed
    uint32_t vertex[2];  // the closest ones
    size_t first, count;  // of the pairs of leaves
} snag__region_link;

// The links of one question. Those of the last ask are looked up while those of this one are written.
typedef struct snag__region_links {
    snag__buffer links[2], pairs[2];
    size_t link_count[2], pair_count[2];
    snag__buffer order;  // of the last ask: records sorted by the bodies
    int now;  // the one that is written
} snag__region_links;

enum { SNAG__REGION_LINKS_DISTANCE, SNAG__REGION_LINKS_PROXIMITIES, SNAG__REGION_LINKS };

typedef struct snag__region_state {
    snag__buffer trees[2];  // the first is in use, the other for when bodies come and go
    uint32_t tree_count;
    uint64_t builds;  // counts all builds, so that no two have the same number
    snag__region_links links[SNAG__REGION_LINKS];
    snag__buffer frontier[2], near, stale, scratch, boxes, lines;
    size_t line_count;
    uint64_t stamp;  // counts searches among leaves: see snag__regions.heights_stamp
    snag__body_pairs body_pairs;
} snag__region_state;

// Two bodies and their trees; both the same for a body with itself.
typedef struct snag__region_bodies {
    snag__ask *ask;
    snag__region_state *state;
    const snag__region_kernels *kernels;
    uint32_t index[2];  // into ask->bodies
    snag__regions *tree[2];
    const snag__mesh *mesh[2];
} snag__region_bodies;

// The state, with a tree for each body (not built yet for new bodies); NULL if there is no memory.
snag__region_state *snag__region_state_of(snag__ask *ask);
// Two bodies with their trees, which are built if they are new. False if there is no memory.
bool snag__region_bodies_of(snag__ask *ask, snag__region_state *state, uint32_t first, uint32_t second,
                            snag__region_bodies *body_pair);
// Builds a body's tree if it is new or lacks vertices that the question is about. False if there is no memory.
bool snag__region_tree_need(snag__ask *ask, snag__region_state *state, uint32_t index);
// Updates the bounds of a body's tree, and builds it if it is new. A degraded tree is rebuilt by the next ask, since its leaves may be
// listed already. False if there is no memory.
bool snag__region_tree_update(snag__ask *ask, snag__region_state *state, uint32_t index);
// An upper bound on how much nearer two vertices of the bodies may have come since the bodies had these displacements; INFINITY after
// a teleport.
double snag__region_approach(const snag__region_bodies *body_pair, const double displacement[2], const uint32_t jumps[2]);

// ---- links (regions_links.c) ----

// Begins an ask: drops what a failed one has written.
void snag__region_links_begin(snag__region_links *links);
// The link of two bodies from the last ask; NULL if there is none.
const snag__region_link *snag__region_links_find(const snag__region_links *links, const snag__region_bodies *body_pair);
// Whether its pairs of leaves still include all that can be within `reach`.
bool snag__region_link_holds(const snag__region_link *link, const snag__region_bodies *body_pair, double reach);
// A link of two bodies as they are now, without pairs.
snag__region_link snag__region_link_new(const snag__region_bodies *body_pair);
// Copies the pairs of an old link to a new one. False if there is no memory.
bool snag__region_links_keep(snag__region_links *links, const snag__region_link *old, const snag__region_bodies *body_pair,
                             snag__region_link *link);
// Appends a link. False if there is no memory.
bool snag__region_links_add(snag__region_links *links, const snag__region_link *link, const snag_allocator *allocator);
// Makes room for `count` more pairs. NULL if there is no memory.
snag__region_pair *snag__region_links_room(snag__region_links *links, size_t count, const snag_allocator *allocator);
// Ends an ask: its links are those of the last ask from now on. False if there is no memory.
bool snag__region_links_swap(snag__region_links *links, const snag_allocator *allocator);
void snag__region_links_free(snag__region_links *links, const snag_allocator *allocator);
// How much to add to the reach of a link, so that it holds for some steps of the present motion.
double snag__region_link_margin(const snag__region_link *old, const snag__region_bodies *body_pair);

// ---- comparing regions (regions_traverse.c) ----

// A search for pairs of leaves.
typedef struct snag__region_visit {
    double reach;  // pairs that may be within this distance are followed
    // Called after each level with the two regions whose middle vertices are closest to each other; may lower the reach. May be
    // NULL.
    void (*level_done)(void *context, uint32_t region_a, uint32_t region_b, double *reach);
    void *context;
    snag__region_links *links;  // pairs of leaves are appended here
    size_t count;  // how many were
} snag__region_visit;

// Breadth first through both trees, whose bounds must be up to date. False if there is no memory.
bool snag__region_traverse(const snag__region_bodies *body_pair, snag__region_visit *visit);
// Counts a pair of regions that is opened, and keeps the line between their middle vertices if lines are wanted. False if there is no
// memory.
bool snag__region_note_opened(const snag__region_bodies *body_pair, snag__region_pair pair);
void snag__region_lines_begin(snag__region_state *state);
void snag__region_lines_end(snag__ask *ask, const snag__region_state *state);
// Finds the pairs of a new link by a traversal.
bool snag__region_links_search(snag__region_links *links, const snag__region_bodies *body_pair, snag__region_visit *visit,
                               snag__region_link *link);

// The reach rounded up.
static inline float snag__region_float_reach(double reach)
{
    return reach < (double)FLT_MAX ? nextafterf((float)reach, INFINITY) : INFINITY;
}

// ---- elements of leaves (regions_leaves.c) ----

// A pair of leaves.
typedef struct snag__region_leaf_pair {
    uint32_t index[2], leaf[2];  // of bodies in ask->bodies, and of their leaves
} snag__region_leaf_pair;

// Appends the pairs of leaves that may be within reach to state->near, in order; *count is the number of pairs in it. `slope` (or
// NULL) goes up from the second body to the first: pairs too far apart along it are dropped. False if there is no memory.
bool snag__leaves_near(const snag__region_bodies *body_pair, const snag__region_pair *pairs, size_t pair_count, double reach,
                       const snag__region_slope *slope, size_t *count);
// Computes the boxes of the elements of all leaves in state->near, and with a slope their heights along it, those of the second body
// measured downward.
bool snag__leaves_box(snag__ask *ask, snag__region_state *state, size_t near_count, const snag__region_slope *slope);

// Takes at most SNAG__LEAF_BATCH pairs of elements, (row, column) by number. Returns the reach from then on.
typedef float snag__leaf_take(void *context, const uint32_t (*pairs)[2], size_t count);
enum { SNAG__LEAF_BATCH = 1024 };

// The elements of a kind of one leaf.
typedef struct snag__leaf_side {
    const snag__regions *tree;
    uint32_t leaf;
    snag_element_kind kind;
} snag__leaf_side;
// Finds pairs of elements of two leaves whose boxes are within `reach`. With `sloped` pairs too far apart along the slope are dropped.
void snag__leaves_compare(const snag__box_kernels *kernels, const snag__leaf_side *rows, const snag__leaf_side *columns,
                          bool sloped, float reach, snag__leaf_take *take, void *context);

// ---- the questions ----

snag_status snag__regions_distance(snag__ask *ask);
snag_status snag__regions_proximities(snag__ask *ask);

#endif
