#include "helpers/failing_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka wants the ones above first
#include <cmocka.h>

#define LIVE 0x11fe11fe11fe11feu
#define RELEASED 0xdeaddeaddeaddeadu
#define GUARD_BYTES 16
#define GUARD 0xa5
#define RUBBISH 0xcd

// Stands right before each block.
typedef struct header {
    uint64_t state;
    size_t size;
    void *memory;  // what malloc gave
} header;

static void *allocate(void *context, size_t size, size_t alignment)
{
    failing_allocator *self = context;
    size_t call = atomic_fetch_add(&self->calls, 1) + 1;
    if (self->fail_at != 0 && (call == self->fail_at || (self->keep_failing && call > self->fail_at)))
        return NULL;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        atomic_fetch_add(&self->faults, 1);
    if (size > SIZE_MAX - alignment - sizeof(header) - GUARD_BYTES)
        return NULL;
    char *memory = malloc(size + alignment + sizeof(header) + GUARD_BYTES);
    if (memory == NULL)
        return NULL;
    uintptr_t at = ((uintptr_t)memory + sizeof(header) + alignment - 1) / alignment * alignment;
    char *block = memory + (at - (uintptr_t)memory);
    memcpy(block - sizeof(header), &(header){LIVE, size, memory}, sizeof(header));
    memset(block, RUBBISH, size);
    memset(block + size, GUARD, GUARD_BYTES);
    atomic_fetch_add(&self->live_blocks, 1);
    atomic_fetch_add(&self->live_bytes, size);
    return block;
}

static bool is_guard_whole(const char *guard)
{
    for (int i = 0; i < GUARD_BYTES; i++)
        if ((unsigned char)guard[i] != GUARD)
            return false;
    return true;
}

static void release(void *context, void *block, size_t size)
{
    failing_allocator *self = context;
    if (block == NULL) {
        atomic_fetch_add(&self->faults, 1);
        return;
    }
    header h;
    memcpy(&h, (char *)block - sizeof h, sizeof h);
    if (h.state != LIVE) {
        atomic_fetch_add(&self->faults, 1);  // never ours, or written over, or released before: leave it alone
        return;
    }
    if (h.size != size || !is_guard_whole((char *)block + h.size))
        atomic_fetch_add(&self->faults, 1);
    atomic_fetch_sub(&self->live_blocks, 1);
    atomic_fetch_sub(&self->live_bytes, h.size);
    h.state = RELEASED;
    memcpy((char *)block - sizeof h, &h, sizeof h);
    memset(block, RUBBISH, h.size);
    free(h.memory);
}

snag_allocator failing_allocator_start(failing_allocator *self, size_t fail_at)
{
    memset(self, 0, sizeof *self);
    self->fail_at = fail_at;
    return (snag_allocator){.allocate = allocate, .release = release, .context = self};
}

void failing_allocator_assert_clean(failing_allocator *self)
{
    assert_int_equal(atomic_load(&self->faults), 0);
    assert_int_equal(atomic_load(&self->live_blocks), 0);
    assert_int_equal(atomic_load(&self->live_bytes), 0);
}

size_t failing_allocator_sweep(snag_status (*cycle)(const snag_allocator *allocator, void *context), void *context)
{
    failing_allocator self;
    snag_allocator allocator = failing_allocator_start(&self, 0);
    assert_int_equal(cycle(&allocator, context), SNAG_OK);
    failing_allocator_assert_clean(&self);
    size_t calls = atomic_load(&self.calls);
    for (size_t n = 1; n <= 2 * calls; n++) {
        allocator = failing_allocator_start(&self, (n + 1) / 2);
        self.keep_failing = n % 2 == 0;
        assert_int_equal(cycle(&allocator, context), SNAG_ERROR_MEMORY);
        failing_allocator_assert_clean(&self);
    }
    return calls;
}
