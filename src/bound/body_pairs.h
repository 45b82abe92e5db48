// Pairs of bodies whose boxes overlap, by a binary tree over the boxes: the broad phase between bodies.
#ifndef SNAG_BOUND_BODY_PAIRS_H
#define SNAG_BOUND_BODY_PAIRS_H

#include "base/memory.h"

#include <stdint.h>

// An empty box has lo > hi and overlaps nothing.
typedef struct snag__body_box {
    float lo[3], hi[3];
} snag__body_box;

typedef struct snag__body_pair {
    uint32_t a, b;  // a <= b; a body whose box is not empty is also paired with itself
} snag__body_pair;

// Keeps its memory from call to call. Zero is empty.
typedef struct snag__body_pairs {
    snag__body_pair *pairs;  // each once, in no particular order
    size_t pair_count;
    snag__buffer nodes, order, pair_memory;
} snag__body_pairs;

// Finds the pairs. False without memory.
bool snag__body_pairs_find(snag__body_pairs *body_pairs, const snag__body_box *boxes, uint32_t count,
                           const snag_allocator *allocator);
void snag__body_pairs_free(const snag_allocator *allocator, snag__body_pairs *body_pairs);

#endif
