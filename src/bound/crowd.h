// Pairs of bodies whose boxes meet, through a hierarchy of the boxes: many bodies do not cost the square of their number,
// however they are arranged.
#ifndef SNAG_BOUND_CROWD_H
#define SNAG_BOUND_CROWD_H

#include "base/memory.h"

#include <stdint.h>

// An empty box has lo > hi and meets nothing.
typedef struct snag__crowd_box {
    float lo[3], hi[3];
} snag__crowd_box;

typedef struct snag__crowd_pair {
    uint32_t a, b;  // a <= b; a body whose box is not empty is also paired with itself
} snag__crowd_pair;

// Memory that is kept from call to call. Zero is a good start.
typedef struct snag__crowd {
    snag__crowd_pair *pairs;  // each once, in no order that matters
    size_t pair_count;
    snag__buffer nodes, order, pair_memory;
} snag__crowd;

// Finds the pairs. False without memory.
bool snag__crowd_find(snag__crowd *crowd, const snag__crowd_box *boxes, uint32_t count, const snag_allocator *allocator);
void snag__crowd_free(const snag_allocator *allocator, snag__crowd *crowd);

#endif
