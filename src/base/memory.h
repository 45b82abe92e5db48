// Memory from the world's allocator: sizes checked for overflow, growable buffers that keep what they have.
#ifndef SNAG_BASE_MEMORY_H
#define SNAG_BASE_MEMORY_H

#include "snag/base.h"

// Wide loads may read a whole vector; every allocation is aligned for the widest.
#define SNAG__ALIGNMENT 64

// malloc and free, for whoever gives no allocator of his own.
snag_allocator snag__default_allocator(void);

// Memory for `count` items of `size` bytes, not cleared. NULL if the product overflows or the allocator fails.
// A count of 0 gives NULL too; ask for at least one where NULL must mean failure.
void *snag__allocate(const snag_allocator *allocator, size_t count, size_t size);
void snag__release(const snag_allocator *allocator, void *memory, size_t count, size_t size);

// A growable array of bytes owned by a struct that knows its item type. Zero is empty.
typedef struct snag__buffer {
    void *data;
    size_t bytes;  // capacity
} snag__buffer;

// Makes room for `count` items. Growing at least doubles, and keeps the first `keep` items.
// On failure the buffer is as it was.
bool snag__buffer_reserve(const snag_allocator *allocator, snag__buffer *buffer, size_t keep, size_t count, size_t size);
void snag__buffer_free(const snag_allocator *allocator, snag__buffer *buffer);

// A table of rooms says which arrays a struct has: how many items of which size, and where the pointer to them stands. It is the one
// way to give a struct its memory: a new array is a new line, and cannot overflow another.
typedef struct snag__room {
    snag__buffer *buffer;  // of its own; NULL in snag__rooms_carve
    void *pointer;  // to a pointer to items
    size_t count, size;
} snag__room;

// Makes room for all of them, each in its own buffer, and sets the pointers. On failure some buffers may have grown; no pointer
// into a buffer that has moved is left behind. What was in the arrays is lost where they grow.
bool snag__rooms_reserve(const snag_allocator *allocator, const snag__room *rooms, size_t count);
// The same for arrays that live and die together, one after the other in one buffer, each at a multiple of SNAG__ALIGNMENT bytes. On
// failure nothing has changed.
bool snag__rooms_carve(const snag_allocator *allocator, snag__buffer *buffer, const snag__room *rooms, size_t count);

#endif
