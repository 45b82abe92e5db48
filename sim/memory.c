#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16

// Windows of 64 bits, which has no aligned_alloc, aligns all memory so.
#ifdef _WIN32
#define aligned_alloc(alignment, size) malloc(size)
#endif

struct snag__sim_piece {
    _Alignas(ALIGNMENT) snag__sim_piece *before;
};

void *snag__sim_new(snag__sim_memory *memory, size_t count, size_t size)
{
    snag__sim_piece *piece = NULL;
    if (count <= (SIZE_MAX / 2) / size) {
        size_t bytes = (sizeof *piece + count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        piece = aligned_alloc(ALIGNMENT, bytes);
        if (piece != NULL)
            memset(piece, 0, bytes);
    }
    if (piece == NULL) {
        memory->failed = true;
        return NULL;
    }
    piece->before = memory->last;
    memory->last = piece;
    return piece + 1;
}

bool snag__sim_grow(snag__sim_memory *memory, void *array, size_t used, size_t count, size_t size)
{
    void *old, *grown = snag__sim_new(memory, count, size);
    if (grown == NULL)
        return false;
    memcpy(&old, array, sizeof old);
    if (used > 0)
        memcpy(grown, old, used * size);
    memcpy(array, &grown, sizeof grown);
    return true;
}

void snag__sim_free_all(snag__sim_memory *memory)
{
    while (memory->last != NULL) {
        snag__sim_piece *before = memory->last->before;
        free(memory->last);
        memory->last = before;
    }
}
