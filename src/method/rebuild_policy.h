// When trees are worth building anew. Deformation makes their bounds larger and searches longer, by and by, and nobody
// knows how long that goes on. So it is as with rented skis: once searches have taken as much more than the first one as
// new trees cost, new ones are built. Whatever comes, that is about twice what was necessary at most.
// What a search takes is counted, never timed, so that the same asks build the same trees.
#ifndef SNAG_METHOD_REBUILD_POLICY_H
#define SNAG_METHOD_REBUILD_POLICY_H

#include "query/kind.h"

// What searches have in common whose counts may be compared.
typedef struct snag__rebuild_case {
    uint64_t row_builds, column_builds;  // of the two BVHs, or twice of one
    size_t slots;  // of both
    double reach, lazy;
    bool self, between;
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;
} snag__rebuild_case;

// All zero: nothing was searched yet.
typedef struct snag__rebuild_policy {
    snag__rebuild_case of;
    size_t first, last;  // pairs of leaves that the first search of this case compared, and the latest
    size_t excess;  // what all of them took more than the first
    uint32_t doublings;  // of the price: so many times new trees were no better, for the bodies themselves are in a tangle
    bool rebuild_due;
} snag__rebuild_policy;

// For each slot of the trees, so many pairs of leaves take as long as building them: 0.1 microseconds against 1, and some
// more because most of building is done by one thread.
enum { SNAG__REBUILD_PRICE = 16 };

// Notes a search that was not ended early. True if trees had better be built anew before the next.
bool snag__rebuild_policy_note(snag__rebuild_policy *rebuild, const snag__rebuild_case *now, size_t leaf_pairs);

#endif
