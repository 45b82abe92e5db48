#include "base/memory.h"
#include "helpers/test.h"

#include <string.h>

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    assert_null(snag__allocate(&allocator, SIZE_MAX / 2, 3));
    assert_null(snag__allocate(&allocator, SIZE_MAX, SIZE_MAX));
    snag__buffer buffer = {0};
    assert_false(snag__buffer_reserve(&allocator, &buffer, 0, SIZE_MAX / 8, 16));
    assert_null(buffer.data);
}

static void growing_keeps_what_was_there_and_at_least_doubles(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    snag__buffer buffer = {0};
    assert_true(snag__buffer_reserve(&allocator, &buffer, 0, 100, 4));
    for (int i = 0; i < 100; i++)
        ((int *)buffer.data)[i] = i;
    assert_true(snag__buffer_reserve(&allocator, &buffer, 100, 101, 4));
    assert_true(buffer.bytes >= 800);
    for (int i = 0; i < 100; i++)
        assert_int_equal(((int *)buffer.data)[i], i);
    void *before = buffer.data;
    assert_true(snag__buffer_reserve(&allocator, &buffer, 100, 150, 4));
    assert_ptr_equal(before, buffer.data);
    snag__buffer_free(&allocator, &buffer);
}

static void memory_is_aligned_for_the_widest_vectors(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    for (size_t size = 1; size < 200; size += 13) {
        void *memory = snag__allocate(&allocator, size, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % SNAG__ALIGNMENT, 0);
        snag__release(&allocator, memory, size, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(growing_keeps_what_was_there_and_at_least_doubles),
        cmocka_unit_test(memory_is_aligned_for_the_widest_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
