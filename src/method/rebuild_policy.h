// When to rebuild trees. Deformation makes their bounds larger and searches longer, and the future is unknown: the ski rental
// problem. Once all searches together have cost as much more than the first one as new trees cost, trees are rebuilt. That costs at
// most about twice the optimum. Costs are counted, never timed, so that the same asks build the same trees.
#ifndef SNAG_METHOD_REBUILD_POLICY_H
#define SNAG_METHOD_REBUILD_POLICY_H

#include "query/kind.h"

// Searches whose counts are comparable agree in these.
typedef struct snag__rebuild_case {
    uint64_t row_builds, column_builds;  // of the two BVHs, which may be the same
    size_t slots;  // of both
    double reach, lazy;
    bool self, between;
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;
} snag__rebuild_case;

// All zero: nothing was searched yet.
typedef struct snag__rebuild_policy {
    snag__rebuild_case of;
    size_t first, last;  // pairs of leaves compared by the first search of this case, and by the latest
    size_t excess;  // pairs of leaves of all searches beyond those of the first
    uint32_t doublings;  // of the price: how often new trees were no better, because the bodies themselves are entangled
    bool rebuild_due;
} snag__rebuild_policy;

// The cost of building, in pairs of leaves per slot: 1 microsecond for a slot against 0.1 for a pair, and some more because most
// of building runs on one thread.
enum { SNAG__REBUILD_PRICE = 16 };

// Adds a search that was not stopped early. True if trees should be rebuilt before the next one.
bool snag__rebuild_policy_note(snag__rebuild_policy *rebuild, const snag__rebuild_case *now, size_t leaf_pairs);

#endif
