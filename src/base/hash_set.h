// A set of 64-bit keys with O(1) clearing: what a search has visited in this step. Open addressing; a key is in the set if its slot
// carries the current stamp. Keys are pairs of element numbers, looked up mostly in the order of the first number, so the first
// number chooses the slot and consecutive lookups stay in the cache.
#ifndef SNAG_BASE_HASH_SET_H
#define SNAG_BASE_HASH_SET_H

#include "base/memory.h"

typedef struct snag__hash_slot {
    uint64_t key;
    uint64_t stamp;
} snag__hash_slot;

// Zero is an empty set without capacity.
typedef struct snag__hash_set {
    snag__buffer memory;  // of snag__hash_slot
    size_t capacity;  // slots, a power of two
    size_t count;
    uint64_t stamp;
} snag__hash_set;

// Empties the set and makes room for `count` keys: adding so many then cannot fail. On failure the set is as it was.
bool snag__hash_set_clear(const snag_allocator *allocator, snag__hash_set *set, size_t count);
// Makes room for `count` keys in total and keeps the present ones. On failure the set is as it was.
bool snag__hash_set_reserve(const snag_allocator *allocator, snag__hash_set *set, size_t count);
// Adds a key for which there is room. False if it was there already.
bool snag__hash_set_add(snag__hash_set *set, uint64_t key);
bool snag__hash_set_has(const snag__hash_set *set, uint64_t key);
// Prefetches the slot where the search for a key begins.
static inline void snag__hash_set_fetch(const snag__hash_set *set, uint64_t key)
{
    const snag__hash_slot *slots = (const snag__hash_slot *)set->memory.data;
    if (set->capacity > 0)
        __builtin_prefetch(&slots[(size_t)(key >> 31) & (set->capacity - 1)]);
}
void snag__hash_set_free(const snag_allocator *allocator, snag__hash_set *set);

#endif
