// Arena of one simulation: allocated piece by piece, freed all at once.
#ifndef SNAG_SIM_MEMORY_H
#define SNAG_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snag__sim_piece snag__sim_piece;

// Zero is empty. `failed` stays set once an allocation has failed, so that a builder can check once at the end.
typedef struct snag__sim_memory {
    snag__sim_piece *last;
    bool failed;
} snag__sim_memory;

// Cleared memory for `count` items of `size` bytes, aligned for vectors of four floats. NULL on failure.
void *snag__sim_new(snag__sim_memory *memory, size_t count, size_t size);
// Replaces `*array` (a pointer to the array's pointer) by cleared memory for `count` items that begins with the `used` old ones. The old memory
// stays in the arena, so grow by a factor. On failure *array is unchanged.
bool snag__sim_grow(snag__sim_memory *memory, void *array, size_t used, size_t count, size_t size);
void snag__sim_free_all(snag__sim_memory *memory);

#endif
