// Up to which time of the move that a set was made for its pairs are known to stay apart: a line search along that move passes them over.
//
// An ask along the move is near it all the way, by what a set allows, and so was the ask in which the pair was filtered. So vertices are
// no farther than twice that from where they were then at the same time, and a pair that stayed apart by four times that more than asked
// for is free now too.
#ifndef SNAG_QUERY_CLEARANCE_H
#define SNAG_QUERY_CLEARANCE_H

#include "query/method.h"

typedef struct snag__clearance {
    bool known;  // false: of other pairs, or of none
    double reach;  // pairs stay farther apart than this
    snag__buffer memory;
    float *free_until;  // by pair; 0: unknown
} snag__clearance;

// Another list of pairs.
static inline void snag__clearance_forget(snag__clearance *clearance)
{
    clearance->known = false;
}

// Makes it ready for impacts within `reach`; what is known of that stays. SNAG_ERROR_MEMORY.
snag_status snag__clearance_begin(snag__clearance *clearance, const snag_allocator *allocator, double reach, size_t pairs);
void snag__clearance_free(const snag_allocator *allocator, snag__clearance *clearance);

#endif
