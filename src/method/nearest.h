// The search for the closest features of two bodies, shared by all methods that answer `distance`.
//
// The closest points of two surfaces lie on a vertex and a triangle or on two edges, unless the surfaces intersect: then the
// distance is 0, and the first intersecting pair of triangles represents it. With rods and points they may also lie on a vertex and a
// rod or on two vertices, and a rod may pass through a triangle. The result does not depend on the order in which pairs are offered,
// as long as all pairs are offered that are no farther apart than the result.
#ifndef SNAG_METHOD_NEAREST_H
#define SNAG_METHOD_NEAREST_H

#include "mesh/proximity.h"
#include "query/kind.h"

typedef struct snag__nearest {
    snag__closest closest;
    bool crossing;
    // The lowest that intersect: triangles of the first and the second body, or an edge (a rod) of one and a triangle of the other.
    // Triangles come first, then edges of the first body.
    uint32_t crossing_step;
    uint32_t crossing_a, crossing_b;
} snag__nearest;

// Two bodies by their index in ask->bodies, first < second, and the pass that is being compared.
typedef struct snag__near_bodies {
    const snag__ask *ask;
    uint32_t first, second;
    double limit;  // pairs farther apart are ignored
    double begins, share;  // the part of the whole search before these two bodies, and theirs
    int step;  // see snag__nearest_pass
    snag__pass pass;
    uint32_t row_body, column_body;
} snag__near_bodies;

// By how much bounds must be inflated so that no pair as close as the best is missed: the best distance and a little more for
// rounding. 0 in the pass that looks for intersections.
float snag__nearest_reach(const snag__near_bodies *body_pair, const snag__nearest *best);

// Offers the pair (row element, column element).
void snag__nearest_offer(const snag__near_bodies *body_pair, uint32_t row, uint32_t column, snag__nearest *best);
// Takes the result of another task if it is nearer.
void snag__nearest_join(snag__nearest *best, const snag__nearest *other);

// Sets the pass of a step: triangles of the first body with vertices of the second, the other way round, edges; where there are rods and
// points, the same with rods and with thin vertices; then triangles that intersect, and rods that pass through triangles. False if there
// is no such step, or none is needed: bodies that are known to touch have distance 0 already.
bool snag__nearest_pass(snag__near_bodies *body_pair, int step, const snag__nearest *best);

// Between rounds, with the part of the present step that is done: checks budget and progress, and begins the next round. False:
// stop the search here.
bool snag__nearest_go_on(snag__ask *ask, const snag__near_bodies *body_pair, double done);

// Offers all pairs of the pass that may be as close as `best`. False if it was stopped.
typedef bool snag__nearest_compare(void *context, const snag__near_bodies *body_pair, snag__nearest *best);
// Runs all passes of two bodies, until one is stopped.
void snag__nearest_passes(const snag__near_bodies *body_pair, snag__nearest_compare *compare, void *context, snag__nearest *best);

// Finds the closest features of two bodies within body_pair->limit. If the ask is stopped on the way, the result is dropped.
typedef snag_status snag__nearest_search(void *context, const snag__near_bodies *body_pair, snag__nearest *best);

// Finds the closest features of all wanted pairs of bodies by a method's search: one record for each pair. With `within` or
// `closest` in the question, only pairs of bodies whose boxes are near enough are searched.
snag_status snag__nearest_find(snag__ask *ask, snag__nearest_search *search, void *context);

#endif
