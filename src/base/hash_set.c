#include "base/hash_set.h"

#include "base/assert.h"

#include <string.h>

enum { SLOTS_MIN = 64 };

// Two slots per key: an unsuccessful search probes 2.5 slots on average.
static size_t slots_for(size_t count)
{
    size_t slots = SLOTS_MIN;
    while (slots < 2 * count)
        slots *= 2;
    return slots;
}

// The slot that holds the key, or the empty one where it belongs. Probes a window of slots by the first number of the pair; if many
// pairs share that number and fill the window, goes on at a hash of all bits.
static snag__hash_slot *find(const snag__hash_set *set, uint64_t key)
{
    enum { WINDOW = 8 };
    snag__hash_slot *slots = set->memory.data;
    size_t mask = set->capacity - 1, i = (size_t)(key >> 31);
    for (int n = 0; n < WINDOW; n++, i++)
        if (slots[i & mask].stamp != set->stamp || slots[i & mask].key == key)
            return &slots[i & mask];
    uint64_t mixed = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15u;
    i = (size_t)(mixed >> 32) & mask;
    while (slots[i].stamp == set->stamp && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

// Gives the set new, empty memory. The caller frees the old one.
static bool renew(const snag_allocator *allocator, snag__hash_set *set, size_t slots)
{
    snag__buffer memory = {0};
    if (slots > SIZE_MAX / sizeof(snag__hash_slot) / 2 ||
        !snag__buffer_reserve(allocator, &memory, 0, slots, sizeof(snag__hash_slot)))
        return false;
    memset(memory.data, 0, slots * sizeof(snag__hash_slot));
    set->memory = memory;
    set->capacity = slots;
    set->count = 0;
    set->stamp = 1;
    return true;
}

bool snag__hash_set_clear(const snag_allocator *allocator, snag__hash_set *set, size_t count)
{
    size_t slots = slots_for(count);
    if (slots > set->capacity) {
        snag__buffer old = set->memory;
        if (!renew(allocator, set, slots))
            return false;
        snag__buffer_free(allocator, &old);
        return true;
    }
    set->count = 0;
    set->stamp++;
    return true;
}

bool snag__hash_set_reserve(const snag_allocator *allocator, snag__hash_set *set, size_t count)
{
    SNAG__ASSERT(count >= set->count);
    size_t slots = slots_for(count);
    if (slots <= set->capacity)
        return true;
    snag__hash_set old = *set;
    if (!renew(allocator, set, slots))
        return false;
    const snag__hash_slot *from = old.memory.data;
    for (size_t i = 0; i < old.capacity; i++)
        if (from[i].stamp == old.stamp)
            snag__hash_set_add(set, from[i].key);
    snag__buffer_free(allocator, &old.memory);
    return true;
}

bool snag__hash_set_add(snag__hash_set *set, uint64_t key)
{
    SNAG__ASSERT(set->capacity >= SLOTS_MIN && (set->capacity & (set->capacity - 1)) == 0);
    SNAG__ASSERT(2 * set->count < set->capacity + 2 && "the set is full");
    snag__hash_slot *slot = find(set, key);
    if (slot->stamp == set->stamp)
        return false;
    *slot = (snag__hash_slot){key, set->stamp};
    set->count++;
    return true;
}

bool snag__hash_set_has(const snag__hash_set *set, uint64_t key)
{
    return set->capacity > 0 && find(set, key)->stamp == set->stamp;
}

void snag__hash_set_free(const snag_allocator *allocator, snag__hash_set *set)
{
    snag__buffer_free(allocator, &set->memory);
    *set = (snag__hash_set){0};
}
