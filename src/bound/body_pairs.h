// Pairs of bodies whose boxes meet, through a hierarchy of the boxes: many bodies do not cost the square of their number,
// however they are arranged.
#ifndef SNAG_BOUND_BODY_PAIRS_H
#define SNAG_BOUND_BODY_PAIRS_H

#include "base/memory.h"

#include <stdint.h>

// An empty box has lo > hi and meets nothing.
typedef struct snag__body_box {
    float lo[3], hi[3];
} snag__body_box;

typedef struct snag__body_pair {
    uint32_t a, b;  // a <= b; a body whose box is not empty is also paired with itself
} snag__body_pair;

// Memory that is kept from call to call. Zero is a good start.
typedef struct snag__body_pairs {
    snag__body_pair *pairs;  // each once, in no order that matters
    size_t pair_count;
    snag__buffer nodes, order, pair_memory;
} snag__body_pairs;

// Finds the pairs. False without memory.
bool snag__body_pairs_find(snag__body_pairs *body_pairs, const snag__body_box *boxes, uint32_t count,
                           const snag_allocator *allocator);
void snag__body_pairs_free(const snag_allocator *allocator, snag__body_pairs *body_pairs);

#endif
