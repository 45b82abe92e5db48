// Safe motion: within which bounds vertices may move without a new crossing.
#ifndef SNAG_RESPONSE_SAFE_H
#define SNAG_RESPONSE_SAFE_H

#include "response/group.h"
#include "snag/candidates.h"

// Two elements that are closer than the reach, by their vertices in the numbering of the group: a vertex and a triangle (1 and 3), two
// edges (2 and 2), a point and a rod (1 and 2), or two points (1 and 1).
typedef struct snag__close_pair {
    uint32_t vertex[4];
    uint32_t of_a;  // how many of these are the first element's
    uint32_t count;  // of both
} snag__close_pair;

// A plane between two elements.
typedef struct snag__half_space {
    double normal[3];  // from b to a
    double slack[4];  // how far each vertex may move towards the plane; below zero: it stays
    double use[4];  // how far it should, so that the elements keep their thickness
    snag__close_pair pair;
} snag__half_space;

typedef struct snag__safe {
    snag_response *response;
    snag_world *world;
    snag__group group;
    const snag_candidate *lists[SNAG_CANDIDATE_KIND_COUNT];  // pairs by kind
    size_t list_counts[SNAG_CANDIDATE_KIND_COUNT];
    const bool *alone;  // points at which no edge ends; NULL: there are none
    size_t pair_count;  // closer than the reach
    double reach, thickness;
    bool skip_held;  // leave out pairs whose vertices are all held
    double largest;  // coordinate: what rounding is measured by
    double (*start)[3];  // where vertices are
    double (*moves)[3];  // where they want to go from there
    double *limit;  // how far each may move in any direction
} snag__safe;

// Finds the pairs closer than the reach around the present positions of the world.
snag_status snag__safe_collect(snag__safe *safe);
// Pair i of all lists. False if it takes no part: one of its bodies is not in the group, other pairs keep it apart, or see skip_held.
bool snag__safe_pair(const snag__safe *safe, size_t i, snag__close_pair *pair);

// Asks what is closer than the reach at the present positions of the world, and limits every vertex to half the distance to what is nearest and to
// half the reach.
snag_status snag__safe_bounds(snag__safe *safe);
// Shortens the moves so that all vertices stay in their half-spaces; `fraction` is the part that held vertices make.
snag_status snag__safe_truncate(const snag__safe *safe, double *fraction);
// Shortens the moves to the limits.
void snag__safe_clamp(const snag__safe *safe, double *fraction);

#endif
