// The allocator that judges the others' memory is judged itself: each of its findings once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/failing_allocator.h"

static void blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    failing_allocator self;
    snag_allocator allocator = failing_allocator_start(&self, 0);
    for (size_t alignment = 8; alignment <= 128; alignment *= 2) {
        char *block = allocator.allocate(allocator.context, 100, alignment);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        assert_int_equal(self.live_blocks, 1);
        assert_int_equal(self.live_bytes, 100);
        block[0] = block[99] = 1;
        allocator.release(allocator.context, block, 100);
    }
    failing_allocator_assert_clean(&self);
    assert_int_equal(self.calls, 5);
}

static void named_call_fails_once_or_from_there_on(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        failing_allocator self;
        snag_allocator allocator = failing_allocator_start(&self, 2);
        self.keep_failing = keep;
        for (int call = 1; call <= 4; call++) {
            void *block = allocator.allocate(allocator.context, 8, 8);
            assert_int_equal(block == NULL, call == 2 || (keep && call > 2));
            if (block != NULL)
                allocator.release(allocator.context, block, 8);
        }
        failing_allocator_assert_clean(&self);
    }
}

static void faults_and_leaks_are_found(void **state)
{
    (void)state;
    failing_allocator self;
    snag_allocator allocator = failing_allocator_start(&self, 0);
    char *block = allocator.allocate(allocator.context, 24, 8);
    assert_int_equal(self.live_blocks, 1);
    allocator.release(allocator.context, block, 23);
    assert_int_equal(self.faults, 1);
    assert_int_equal(self.live_blocks, 0);

    block = allocator.allocate(allocator.context, 24, 8);
    block[24] = 0;
    allocator.release(allocator.context, block, 24);
    assert_int_equal(self.faults, 2);

    allocator.release(allocator.context, NULL, 0);
    assert_int_equal(self.faults, 3);

    // Memory that it never gave: whatever stands before it is no header of a live block.
    uint64_t foreign[16] = {0};
    allocator.release(allocator.context, &foreign[8], 64);
    assert_int_equal(self.faults, 4);
}

// Reports and releases as it should, whichever call fails.
static snag_status sound_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    void *blocks[3];
    snag_status status = SNAG_OK;
    for (int i = 0; i < 3; i++) {
        blocks[i] = allocator->allocate(allocator->context, 10, 64);
        if (blocks[i] == NULL)
            status = SNAG_ERROR_MEMORY;
    }
    for (int i = 0; i < 3; i++)
        if (blocks[i] != NULL)
            allocator->release(allocator->context, blocks[i], 10);
    return status;
}

static void sweep_runs_every_failure_and_says_how_many_calls(void **state)
{
    (void)state;
    assert_int_equal(failing_allocator_sweep(sound_cycle, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_counted),
        cmocka_unit_test(named_call_fails_once_or_from_there_on),
        cmocka_unit_test(faults_and_leaks_are_found),
        cmocka_unit_test(sweep_runs_every_failure_and_says_how_many_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
