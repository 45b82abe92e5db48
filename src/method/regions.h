// What the files of `regions` share: the regions of each body, and the lists of near regions of each two bodies, kept from
// ask to ask.
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

// The regions of a body. Bodies and trees have the same places in an ask.
typedef struct snag__region_tree {
    snag_body_id id;
    snag__regions regions;
    double displacement;  // of the body, when all bounds were up to date
    uint32_t jumps;
    bool rebuild_due;  // deformation has spoilt it: the next ask builds it anew
} snag__region_tree;

// What is known of two bodies from the last ask: which of their leaves were near.
typedef struct snag__region_link {
    snag_body_id id[2];
    uint64_t build[2];  // of the trees: their leaves are meant
    double displacement[2];  // of the bodies, when the list was made
    uint32_t jumps[2];
    double last_displacement[2];  // and at the last ask
    double reach;  // the list holds all pairs of leaves that were so near
    uint32_t vertex[2];  // that were closest
    size_t first, count;  // pairs of leaves
} snag__region_link;

// The links of one question. Those of the last ask are looked up while those of this one are written.
typedef struct snag__region_links {
    snag__buffer links[2], pairs[2];
    size_t link_count[2], pair_count[2];
    snag__buffer order;  // of the last ask's: records sorted by the bodies
    int now;  // which is written
} snag__region_links;

enum { SNAG__REGION_LINKS_DISTANCE, SNAG__REGION_LINKS_PROXIMITIES, SNAG__REGION_LINKS };

typedef struct snag__region_state {
    snag__buffer trees[2];  // the first in use, the other for when bodies come and go
    uint32_t tree_count;
    uint64_t builds;  // of all trees there ever were: no two have the same number
    snag__region_links links[SNAG__REGION_LINKS];
    snag__buffer frontier[2], near, stale, scratch, boxes, lines;
    size_t line_count;
    uint64_t stamp;  // counts searches among leaves: see snag__regions.heights_stamp
    snag__body_pairs body_pairs;
} snag__region_state;

// Two bodies and what is known of them. For a body with itself both are the same.
typedef struct snag__region_bodies {
    snag__ask *ask;
    snag__region_state *state;
    const snag__region_kernels *kernels;
    uint32_t place[2];
    snag__regions *tree[2];
    const snag__mesh *mesh[2];
} snag__region_bodies;

// The state of an ask, with a tree for each body (not built yet if it is new); NULL without memory.
snag__region_state *snag__region_state_of(snag__ask *ask);
// Two bodies, with their trees built. False without memory.
bool snag__region_bodies_of(snag__ask *ask, snag__region_state *state, uint32_t first, uint32_t second,
                            snag__region_bodies *body_pair);
// Builds a body's tree if it is new, or lacks vertices that the question is about. False without memory.
bool snag__region_tree_need(snag__ask *ask, snag__region_state *state, uint32_t place);
// Brings the bounds of a body's tree up to date, and builds it where it is new. One that deformation has spoilt is built anew
// by the next ask: leaves of this one may be listed already. False without memory.
bool snag__region_tree_update(snag__ask *ask, snag__region_state *state, uint32_t place);
// How far any two vertices may have come nearer to each other since two bodies had travelled so far: no less than that.
// Infinite if one of them was put somewhere else.
double snag__region_approach(const snag__region_bodies *body_pair, const double displacement[2], const uint32_t jumps[2]);

// ---- links (regions_links.c) ----

// An ask begins: what one that failed has written is dropped.
void snag__region_links_begin(snag__region_links *links);
// What the last ask left of two bodies; NULL if nothing.
const snag__region_link *snag__region_links_find(const snag__region_links *links, const snag__region_bodies *body_pair);
// Whether the pairs of leaves in its list are still all that can be within `reach`.
bool snag__region_link_holds(const snag__region_link *link, const snag__region_bodies *body_pair, double reach);
// A link of two bodies as they are now, without a list.
snag__region_link snag__region_link_new(const snag__region_bodies *body_pair);
// Takes the list of an old link over to a new one. False without memory.
bool snag__region_links_keep(snag__region_links *links, const snag__region_link *old, const snag__region_bodies *body_pair,
                             snag__region_link *link);
// Writes a link.
bool snag__region_links_add(snag__region_links *links, const snag__region_link *link, const snag_allocator *allocator);
// Appends room for `count` pairs to the list that is written. NULL without memory.
snag__region_pair *snag__region_links_room(snag__region_links *links, size_t count, const snag_allocator *allocator);
// The ask is done: what was written is looked up from now on.
bool snag__region_links_turn(snag__region_links *links, const snag_allocator *allocator);
void snag__region_links_free(snag__region_links *links, const snag_allocator *allocator);
// How much farther than needed a list should reach, so that it holds for some steps of the motion there was.
double snag__region_link_margin(const snag__region_link *old, const snag__region_bodies *body_pair);

// ---- comparing regions (regions_traverse.c) ----

// What a search does with the pairs that it comes by.
typedef struct snag__region_visit {
    double reach;  // pairs that may be so near are followed
    // Called after each level with the two regions whose middle vertices were closest to each other; may lower the reach.
    // NULL: no need.
    void (*level_done)(void *context, uint32_t region_a, uint32_t region_b, double *reach);
    void *context;
    snag__region_links *links;  // pairs of leaves are appended here
    size_t count;  // so many of them
} snag__region_visit;

// Breadth first through both trees, whose bounds are up to date. False without memory.
bool snag__region_traverse(const snag__region_bodies *body_pair, snag__region_visit *visit);
// Counts a pair of regions that is looked into, and keeps the line between their middle vertices if lines are asked for.
// False without memory.
bool snag__region_note_opened(const snag__region_bodies *body_pair, snag__region_pair pair);
void snag__region_lines_begin(snag__region_state *state);
void snag__region_lines_end(snag__ask *ask, const snag__region_state *state);
// A traversal for the list of a new link.
bool snag__region_links_search(snag__region_links *links, const snag__region_bodies *body_pair, snag__region_visit *visit,
                               snag__region_link *link);

// No less than the reach.
static inline float snag__region_float_reach(double reach)
{
    return reach < (double)FLT_MAX ? nextafterf((float)reach, INFINITY) : INFINITY;
}

// ---- elements of leaves (regions_leaves.c) ----

// A pair of leaves of two trees, by places of bodies.
typedef struct snag__leaf_pair {
    uint32_t place[2], leaf[2];
} snag__leaf_pair;

// Of the pairs of leaves, those that may be within reach, in order, appended to state->near, which holds *count before and
// after. `slope` (or NULL) goes up from the second body to the first: what lies too far apart along it is left out. False
// without memory.
bool snag__leaves_near(const snag__region_bodies *body_pair, const snag__region_pair *pairs, size_t pair_count, double reach,
                       const snag__region_slope *slope, size_t *count);
// Makes the boxes of the elements of all leaves in state->near, and with a slope their heights along it: those of the
// second body are measured downward.
bool snag__leaves_box(snag__ask *ask, snag__region_state *state, size_t near_count, const snag__region_slope *slope);

// Called with pairs of elements, (row, column) by number, at most SNAG__LEAF_BATCH at a time. Returns the reach from then on.
typedef float snag__leaf_take(void *context, const uint32_t (*pairs)[2], size_t count);
enum { SNAG__LEAF_BATCH = 1024 };

// The elements of two leaves whose boxes come within `reach`.
typedef struct snag__leaf_side {
    const snag__regions *tree;
    uint32_t leaf;
    snag_element_kind kind;
} snag__leaf_side;
// With `sloped` those whose heights along the slope are too far apart are left out.
void snag__leaves_compare(const snag__box_kernels *kernels, const snag__leaf_side *rows, const snag__leaf_side *columns,
                          bool sloped, float reach, snag__leaf_take *take, void *context);

// ---- the questions ----

snag_status snag__regions_distance(snag__ask *ask);
snag_status snag__regions_proximities(snag__ask *ask);

#endif
