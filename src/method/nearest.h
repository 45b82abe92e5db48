// What a search for the closest features of two bodies has found so far: shared by all methods that answer `distance`.
//
// The closest points of two surfaces lie on a vertex and a triangle or on two edges, unless the surfaces pass through each
// other: then the distance is 0, and the first intersecting pair of triangles stands for it. The result does not depend on
// the order in which pairs are offered, as long as all are offered that are not farther apart than it.
#ifndef SNAG_METHOD_NEAREST_H
#define SNAG_METHOD_NEAREST_H

#include "mesh/proximity.h"
#include "query/kind.h"

typedef struct snag__nearest {
    snag__closest closest;
    bool crossing;
    uint32_t crossing_a, crossing_b;  // the lowest intersecting triangles, of the first and the second body
} snag__nearest;

// Two bodies by place in ask->bodies, first < second, and the kinds and sides of elements that are compared just now.
typedef struct snag__near_bodies {
    const snag__ask *ask;
    uint32_t first, second;
    double limit;  // pairs farther apart than this do not count
    double begins, share;  // the part of the whole search that comes before this couple, and its own
    int step;  // of the comparison, see snag__nearest_pass
    snag__pass pass;  // triangles with vertices, edges with edges, or triangles with triangles
    uint32_t row_body, column_body;
} snag__near_bodies;

// How far apart pairs may be that still count: a little more than the distance so far, so that rounding hides no pair that
// is as close. 0 where intersections are looked for.
float snag__nearest_reach(const snag__near_bodies *body_pair, const snag__nearest *best);

// Offers the pair (row element, column element).
void snag__nearest_offer(const snag__near_bodies *body_pair, uint32_t row, uint32_t column, snag__nearest *best);
// Takes over what another task of the search has found, if it is nearer.
void snag__nearest_join(snag__nearest *best, const snag__nearest *other);

// Sets the pass and the sides of a comparison of two bodies, step = 0, 1, 2: triangles of the first with vertices of the
// second, the other way round, edges. Step 3 looks for triangles that intersect. False if there is no such step, or none is
// needed: intersections do not count where the bodies are known to touch.
bool snag__nearest_pass(snag__near_bodies *body_pair, int step, const snag__nearest *best);

// Between rounds, with the part of the present step that is done: looks at the clock and calls the progress callback, and begins the
// next round. False: the search is to end here.
bool snag__nearest_go_on(snag__ask *ask, const snag__near_bodies *body_pair, double done);

// Compares all pairs of the couple's pass that can matter, and offers them to `best`. False if it was ended before.
typedef bool snag__nearest_compare(void *context, const snag__near_bodies *body_pair, snag__nearest *best);
// All passes of two bodies, one after the other, unless one is ended.
void snag__nearest_passes(const snag__near_bodies *body_pair, snag__nearest_compare *compare, void *context, snag__nearest *best);

// Finds what is closest of two bodies, if it is not farther than the couple's limit. Where the ask is stopped on the way, what was
// found is not known to be the closest, and does not count.
typedef snag_status snag__nearest_search(void *context, const snag__near_bodies *body_pair, snag__nearest *best);

// The closest features of each two bodies that are wanted, by a method's way to search: one record for each two. With
// `within` or `closest` in the question only pairs of bodies are looked at whose boxes are near enough.
snag_status snag__nearest_find(snag__ask *ask, snag__nearest_search *search, void *context);

#endif
