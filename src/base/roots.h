// Union-find: parent[v] is another element of v's set; a root is its own parent.
#ifndef SNAG_BASE_ROOTS_H
#define SNAG_BASE_ROOTS_H

#include <stdint.h>

// The root of v's set, with path halving.
static inline uint32_t snag__root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

#endif
