#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *default_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    // aligned_alloc wants a size that is a multiple of the alignment.
    if (size > SIZE_MAX - alignment)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void default_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

snag_allocator snag__default_allocator(void)
{
    return (snag_allocator){.allocate = default_allocate, .release = default_release};
}

void *snag__allocate(const snag_allocator *allocator, size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / 2 / size)
        return NULL;
    return allocator->allocate(allocator->context, count * size, SNAG__ALIGNMENT);
}

void snag__release(const snag_allocator *allocator, void *memory, size_t count, size_t size)
{
    if (memory != NULL)
        allocator->release(allocator->context, memory, count * size);
}

bool snag__buffer_reserve(const snag_allocator *allocator, snag__buffer *buffer, size_t keep, size_t count, size_t size)
{
    if (count > SIZE_MAX / 4 / size)
        return false;
    size_t bytes = count * size;
    if (bytes <= buffer->bytes)
        return true;
    if (bytes < 2 * buffer->bytes)
        bytes = 2 * buffer->bytes;
    void *data = snag__allocate(allocator, bytes, 1);
    if (data == NULL)
        return false;
    if (keep > 0)
        memcpy(data, buffer->data, keep * size);
    snag__release(allocator, buffer->data, buffer->bytes, 1);
    buffer->data = data;
    buffer->bytes = bytes;
    return true;
}

void snag__buffer_free(const snag_allocator *allocator, snag__buffer *buffer)
{
    snag__release(allocator, buffer->data, buffer->bytes, 1);
    *buffer = (snag__buffer){0};
}

static void set_pointer(const snag__room *room, void *data)
{
    memcpy(room->pointer, &data, sizeof data);
}

bool snag__rooms_reserve(const snag_allocator *allocator, const snag__room *rooms, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && snag__buffer_reserve(allocator, rooms[i].buffer, 0, rooms[i].count, rooms[i].size);
        set_pointer(&rooms[i], rooms[i].buffer->data);
    }
    return good;
}

static size_t aligned(size_t bytes)
{
    return (bytes + SNAG__ALIGNMENT - 1) / SNAG__ALIGNMENT * SNAG__ALIGNMENT;
}

bool snag__rooms_carve(const snag_allocator *allocator, snag__buffer *buffer, const snag__room *rooms, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (rooms[i].count > SIZE_MAX / 8 / rooms[i].size || bytes > SIZE_MAX / 8)
            return false;
        bytes += aligned(rooms[i].count * rooms[i].size);
    }
    if (!snag__buffer_reserve(allocator, buffer, 0, bytes, 1))
        return false;
    char *at = buffer->data;
    for (size_t i = 0; i < count; i++) {
        set_pointer(&rooms[i], at);
        at += aligned(rooms[i].count * rooms[i].size);
    }
    return true;
}
