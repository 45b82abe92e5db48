#include "base/counted.h"

#include "base/assert.h"

static void *allocate(void *context, size_t size, size_t alignment)
{
    snag__counted *counted = context;
    void *memory = counted->base.allocate(counted->base.context, size, alignment);
    if (memory != NULL)
        atomic_fetch_add_explicit(&counted->bytes, size, memory_order_relaxed);
    return memory;
}

static void release(void *context, void *memory, size_t size)
{
    snag__counted *counted = context;
    size_t before = atomic_fetch_sub_explicit(&counted->bytes, size, memory_order_relaxed);
    SNAG__ASSERT(before >= size && "more is released than was allocated");
    (void)before;
    counted->base.release(counted->base.context, memory, size);
}

void snag__counted_init(snag__counted *counted, const snag_allocator *base)
{
    SNAG__ASSERT(base->allocate != NULL && base->release != NULL);
    counted->base = *base;
    counted->allocator = (snag_allocator){.allocate = allocate, .release = release, .context = counted};
    atomic_init(&counted->bytes, 0);
}

size_t snag__counted_bytes(const snag__counted *counted)
{
    return atomic_load_explicit(&counted->bytes, memory_order_relaxed);
}
