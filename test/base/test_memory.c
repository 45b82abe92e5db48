#include "base/memory.h"
#include "base/parallel.h"
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

static void rooms_are_apart_aligned_and_keep_what_they_are_told_to(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    snag__buffer buffers[2] = {{0}}, block = {0};
    uint8_t *bytes;
    uint32_t *words;
    const snag__room own[] = {{&buffers[0], &bytes, 10, 1}, {&buffers[1], &words, 10, 4}};
    assert_true(snag__rooms_reserve(&allocator, own, 2));
    memset(bytes, 1, 10);
    memset(words, 2, 40);
    const snag__room larger[] = {{&buffers[0], &bytes, 1000, 1}, {&buffers[1], &words, 1000, 4}};
    assert_true(snag__rooms_grow(&allocator, larger, 2, 10));
    for (int i = 0; i < 10; i++)
        assert_true(bytes[i] == 1 && words[i] == 0x02020202u);
    snag__buffers_free(&allocator, buffers, 2);
    assert_true(buffers[0].data == NULL && buffers[1].data == NULL);

    const snag__room carved[] = {{NULL, &bytes, 10, 1}, {NULL, &words, 10, 4}};
    assert_true(snag__rooms_carve(&allocator, &block, carved, 2));
    assert_ptr_equal(bytes, block.data);
    assert_ptr_equal(words, (char *)block.data + SNAG__ALIGNMENT);
    snag__buffer_free(&allocator, &block);
    const snag__room huge[] = {{NULL, &bytes, SIZE_MAX / 9, 1}, {NULL, &words, SIZE_MAX / 9, 4}};
    assert_false(snag__rooms_carve(&allocator, &block, huge, 2));
}

static void tasks_share_a_range(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 40; count++) {
        uint32_t next = 3;
        for (uint32_t task = 0; task < snag__task_count(count, 8); task++) {
            snag__range range = snag__task_range(3, 3 + count, 8, task);
            assert_int_equal(range.first, next);
            assert_true(range.last > range.first && range.last - range.first <= 8);
            next = range.last;
        }
        assert_int_equal(next, 3 + count);
    }
    assert_int_equal(snag__task_count(UINT32_MAX, 8), 1u << 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(growing_keeps_what_was_there_and_at_least_doubles),
        cmocka_unit_test(memory_is_aligned_for_the_widest_vectors),
        cmocka_unit_test(rooms_are_apart_aligned_and_keep_what_they_are_told_to),
        cmocka_unit_test(tasks_share_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
