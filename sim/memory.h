// Memory of one simulation: handed out piece by piece, given back all at once.
#ifndef SNAG_SIM_MEMORY_H
#define SNAG_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snag__sim_piece snag__sim_piece;

// Zero is empty. `failed` stays set once a request has failed, so that a builder may ask for all it needs and look
// once.
typedef struct snag__sim_memory {
    snag__sim_piece *last;
    bool failed;
} snag__sim_memory;

// Cleared memory for `count` items of `size` bytes, aligned for vectors of four floats. NULL on failure.
void *snag__sim_new(snag__sim_memory *memory, size_t count, size_t size);
void snag__sim_free_all(snag__sim_memory *memory);

#endif
