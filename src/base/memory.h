// Memory from the world's allocator: sizes checked for overflow, and growable buffers.
#ifndef SNAG_BASE_MEMORY_H
#define SNAG_BASE_MEMORY_H

#include "snag/base.h"

// Every allocation is aligned for the widest vector.
#define SNAG__ALIGNMENT 64

// malloc and free, for users who give no allocator.
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
// Frees an array of `count` buffers.
void snag__buffers_free(const snag_allocator *allocator, snag__buffer *buffers, size_t count);

// A table of rooms lists the arrays of a struct: how many items of which size, and where the pointer to them is kept. Every struct
// gets its memory this way: a new array is a new line, and cannot overflow another.
typedef struct snag__room {
    snag__buffer *buffer;  // NULL in snag__rooms_carve
    void *pointer;  // address of the pointer to the items
    size_t count, size;
} snag__room;

// Reserves every room in its own buffer and sets the pointers. Arrays that grow lose their contents. On failure some buffers may
// have grown; all pointers are valid.
bool snag__rooms_reserve(const snag_allocator *allocator, const snag__room *rooms, size_t count);
// The same, but every array keeps its first `keep` items.
bool snag__rooms_grow(const snag_allocator *allocator, const snag__room *rooms, size_t count, size_t keep);
// Reserves all rooms one after the other in one buffer, each aligned to SNAG__ALIGNMENT. On failure nothing has changed.
bool snag__rooms_carve(const snag_allocator *allocator, snag__buffer *buffer, const snag__room *rooms, size_t count);

#endif
