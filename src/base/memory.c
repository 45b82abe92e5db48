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
