#include "base/memory.h"

#include "base/assert.h"
#include "base/platform.h"

#include <string.h>

static void *default_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    return snag__aligned_allocate(size, alignment);
}

static void default_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    snag__aligned_free(memory);
}

snag_allocator snag__default_allocator(void)
{
    return (snag_allocator){.allocate = default_allocate, .release = default_release};
}

void *snag__allocate(const snag_allocator *allocator, size_t count, size_t size)
{
    SNAG__ASSERT(allocator != NULL && allocator->allocate != NULL && allocator->release != NULL);
    if (count == 0 || size == 0 || count > SIZE_MAX / 2 / size)
        return NULL;
    void *memory = allocator->allocate(allocator->context, count * size, SNAG__ALIGNMENT);
    SNAG__ASSERT((uintptr_t)memory % SNAG__ALIGNMENT == 0 && "the allocator ignores the alignment");
    return memory;
}

void snag__release(const snag_allocator *allocator, void *memory, size_t count, size_t size)
{
    SNAG__ASSERT(size == 0 || count <= SIZE_MAX / size);
    if (memory != NULL)
        allocator->release(allocator->context, memory, count * size);
}

bool snag__buffer_reserve(const snag_allocator *allocator, snag__buffer *buffer, size_t keep, size_t count, size_t size)
{
    SNAG__ASSERT(buffer != NULL && size > 0);
    SNAG__ASSERT(keep * size <= buffer->bytes && (buffer->data != NULL || buffer->bytes == 0));
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

void snag__buffers_free(const snag_allocator *allocator, snag__buffer *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        snag__buffer_free(allocator, &buffers[i]);
}

static void set_pointer(const snag__room *room, void *data)
{
    memcpy(room->pointer, &data, sizeof data);
}

bool snag__rooms_grow(const snag_allocator *allocator, const snag__room *rooms, size_t count, size_t keep)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        SNAG__ASSERT(rooms[i].buffer != NULL && rooms[i].pointer != NULL);
        good = good && snag__buffer_reserve(allocator, rooms[i].buffer, keep, rooms[i].count, rooms[i].size);
        set_pointer(&rooms[i], rooms[i].buffer->data);
    }
    return good;
}

bool snag__rooms_reserve(const snag_allocator *allocator, const snag__room *rooms, size_t count)
{
    return snag__rooms_grow(allocator, rooms, count, 0);
}

static size_t aligned(size_t bytes)
{
    return (bytes + SNAG__ALIGNMENT - 1) / SNAG__ALIGNMENT * SNAG__ALIGNMENT;
}

bool snag__rooms_carve(const snag_allocator *allocator, snag__buffer *buffer, const snag__room *rooms, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        SNAG__ASSERT(rooms[i].buffer == NULL && rooms[i].pointer != NULL && rooms[i].size > 0);
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
