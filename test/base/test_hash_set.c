// The set holds what was added since it was cleared and nothing else: compared with a plain array.
#include "base/hash_set.h"
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"

enum { KEYS = 600 };

static bool is_in(const uint64_t *keys, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

// Keys that share their low bits, their high bits, or nothing; many come twice.
static uint64_t draw(snag__random *random)
{
    uint64_t x = snag__random_u64(random) % 300;
    switch (snag__random_below(random, 3)) {
    case 0: return x << 32;
    case 1: return x << 32 | x;
    default: return snag__random_below(random, 2) ? x : UINT64_MAX - x;
    }
}

static void it_holds_what_was_added_since_it_was_cleared(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag__hash_set set = {0};
    snag__random random = {4};
    assert_false(snag__hash_set_has(&set, 0));
    for (size_t round = 0; round < 200; round++) {
        uint64_t keys[KEYS];
        size_t count = 0, most = snag__random_below(&random, KEYS);
        assert_true(snag__hash_set_clear(&allocator, &set, round % 2 ? most : 0));
        assert_false(snag__hash_set_has(&set, 0));
        for (size_t i = 0; i < most; i++) {
            uint64_t key = draw(&random);
            assert_true(snag__hash_set_has(&set, key) == is_in(keys, count, key));
            assert_true(snag__hash_set_reserve(&allocator, &set, count + 1));
            bool added = snag__hash_set_add(&set, key);
            assert_true(added == !is_in(keys, count, key));
            keys[count] = key;
            count += added;
            assert_int_equal(set.count, count);
        }
        for (size_t i = 0; i < count; i++)
            assert_true(snag__hash_set_has(&set, keys[i]));
    }
    snag__hash_set_free(&allocator, &set);
    failing_allocator_assert_clean(&memory);
}

static void a_failed_allocation_leaves_it_as_it_was(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag__hash_set set = {0};
    memory.fail_at = 1;
    assert_false(snag__hash_set_clear(&allocator, &set, 10));
    assert_false(snag__hash_set_has(&set, 3));
    assert_true(snag__hash_set_clear(&allocator, &set, 10));
    for (uint64_t key = 0; key < 10; key++)
        assert_true(snag__hash_set_add(&set, key << 40));
    memory.fail_at = memory.calls + 1;
    assert_false(snag__hash_set_reserve(&allocator, &set, 1000));
    memory.fail_at = memory.calls + 1;
    assert_false(snag__hash_set_clear(&allocator, &set, 1000));
    memory.fail_at = memory.calls + 1;
    assert_false(snag__hash_set_reserve(&allocator, &set, SIZE_MAX / 64));
    for (uint64_t key = 0; key < 10; key++)
        assert_true(snag__hash_set_has(&set, key << 40));
    assert_int_equal(set.count, 10);
    snag__hash_set_free(&allocator, &set);
    failing_allocator_assert_clean(&memory);
}

static void once_large_it_allocates_nothing(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag__hash_set set = {0};
    assert_true(snag__hash_set_clear(&allocator, &set, 1000));
    size_t calls = memory.calls;
    for (uint64_t round = 0; round < 50; round++) {
        assert_true(snag__hash_set_clear(&allocator, &set, 1000));
        for (uint64_t i = 0; i < 1000; i++)
            assert_true(snag__hash_set_add(&set, i * (round + 1)));
    }
    assert_int_equal(memory.calls, calls);
    snag__hash_set_free(&allocator, &set);
    failing_allocator_assert_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_was_added_since_it_was_cleared),
        cmocka_unit_test(a_failed_allocation_leaves_it_as_it_was),
        cmocka_unit_test(once_large_it_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
