// Hints that tell most pairs of elements that are not excluded: for every vertex whose excluded pairs all come from one item (exclusions.h)
// its item, and for every item a small Bloom filter of the higher items it is excluded from. So a pair of elements is known not to be excluded
// from one word for each pair of their vertices, with few exceptions.
#ifndef SNAG_QUERY_EXCLUSION_HINTS_H
#define SNAG_QUERY_EXCLUSION_HINTS_H

#include "base/memory.h"
#include "mesh/mesh.h"

// Of a vertex: 0 where it has no item; this where it has several, or is at an edge with one: then nothing is known.
#define SNAG__ITEM_UNKNOWN UINT32_MAX

// Zero is empty.
typedef struct snag__exclusion_hints {
    uint32_t *start;  // by item, and one more: its words
    uint64_t *words;
    snag__buffer memory;
} snag__exclusion_hints;

// Makes the words from the sorted lists of higher partners of `items` items, numbered from 1. False without memory.
bool snag__exclusion_hints_make(snag__exclusion_hints *hints, const snag__csr *partners, uint32_t items,
                                const snag_allocator *allocator);

typedef struct snag__item_hash {
    uint32_t high;
    uint64_t bits;  // three of a word
} snag__item_hash;

static inline snag__item_hash snag__hash_item(uint32_t item)
{
    uint64_t h = item * UINT64_C(0x9E3779B97F4A7C15);
    return (snag__item_hash){(uint32_t)(h >> 32),
                             (uint64_t)1 << (h >> 14 & 63) | (uint64_t)1 << (h >> 20 & 63) | (uint64_t)1 << (h >> 26 & 63)};
}

// Whether two items, neither of them unknown, may be excluded from each other. The lower one's words tell; 0 is no item.
static inline bool snag__items_may_meet(const snag__exclusion_hints *hints, uint32_t x, uint32_t y)
{
    uint32_t item = x < y ? x : y, first = hints->start[item], size = hints->start[item + 1] - first;
    snag__item_hash hash = snag__hash_item(x ^ y ^ item);
    return (hash.bits & ~hints->words[first + (uint32_t)((uint64_t)hash.high * size >> 32)]) == 0;
}

void snag__exclusion_hints_free(const snag_allocator *allocator, snag__exclusion_hints *hints);

#endif
