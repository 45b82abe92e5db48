// A set of 64-bit keys that is cleared in no time: what a search has visited in this step. Open addressing; a key belongs to
// the set if its slot carries the present stamp. Keys are pairs of element numbers, and those that are asked for one after the
// other mostly have first numbers that are neighbours: so do their slots, which stay in the cache.
#ifndef SNAG_BASE_HASH_SET_H
#define SNAG_BASE_HASH_SET_H

#include "base/memory.h"

typedef struct snag__hash_slot {
    uint64_t key;
    uint64_t stamp;
} snag__hash_slot;

// Zero is an empty set without room.
typedef struct snag__hash_set {
    snag__buffer memory;  // of snag__hash_slot
    size_t capacity;  // slots in use, a power of two
    size_t count;
    uint64_t stamp;
} snag__hash_set;

// Empties the set and makes room for `count` keys: adding so many then cannot fail. On failure the set is as it was.
bool snag__hash_set_clear(const snag_allocator *allocator, snag__hash_set *set, size_t count);
// Makes room for `count` keys in all and keeps those it has. On failure the set is as it was.
bool snag__hash_set_reserve(const snag_allocator *allocator, snag__hash_set *set, size_t count);
// Adds a key for which there is room. False if it was there already.
bool snag__hash_set_add(snag__hash_set *set, uint64_t key);
bool snag__hash_set_has(const snag__hash_set *set, uint64_t key);
// Asks the memory for the slot where a key is looked for first.
static inline void snag__hash_set_fetch(const snag__hash_set *set, uint64_t key)
{
    const snag__hash_slot *slots = (const snag__hash_slot *)set->memory.data;
    if (set->capacity > 0)
        __builtin_prefetch(&slots[(size_t)(key >> 31) & (set->capacity - 1)]);
}
void snag__hash_set_free(const snag_allocator *allocator, snag__hash_set *set);

#endif
