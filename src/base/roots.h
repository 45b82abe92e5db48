// Sets of numbers that grow together: each number names one of its set, and the root names itself.
#ifndef SNAG_BASE_ROOTS_H
#define SNAG_BASE_ROOTS_H

#include <stdint.h>

// The root of a number's set. Halves the way there, so that chains stay short.
static inline uint32_t snag__root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

#endif
