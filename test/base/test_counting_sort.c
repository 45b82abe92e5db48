#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/counting_sort.h"
#include "base/random.h"

// By selection: for each key in turn, the items in the order they stand in.
static void assert_sorted_like_selection(const uint32_t *keys, uint32_t key_count, const uint32_t *order, uint32_t count,
                                         const uint32_t *start, const uint32_t *sorted)
{
    uint32_t at = 0;
    for (uint32_t key = 0; key < key_count; key++) {
        assert_int_equal(start[key], at);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t item = order != NULL ? order[i] : i;
            if (keys[item] == key)
                assert_int_equal(sorted[at++], item);
        }
    }
    assert_int_equal(start[key_count], at);
    assert_int_equal(at, count);
}

static void items_come_by_key_and_then_as_they_stood(void **state)
{
    (void)state;
    snag__random random = {5};
    for (int round = 0; round < 3000; round++) {
        enum { MOST = 50 };
        uint32_t keys[MOST], order[MOST], start[MOST + 1], sorted[MOST];
        uint32_t key_count = 1 + snag__random_below(&random, MOST), items = snag__random_below(&random, MOST + 1);
        for (uint32_t i = 0; i < items; i++)
            keys[i] = snag__random_below(&random, key_count);
        // `order` may leave out items and repeat others.
        uint32_t count = items > 0 ? snag__random_below(&random, MOST + 1) : 0;
        for (uint32_t i = 0; i < count; i++)
            order[i] = snag__random_below(&random, items);
        snag__counting_sort(keys, key_count, order, count, start, sorted);
        assert_sorted_like_selection(keys, key_count, order, count, start, sorted);
        snag__counting_sort(keys, key_count, NULL, items, start, sorted);
        assert_sorted_like_selection(keys, key_count, NULL, items, start, sorted);
    }
}

static void nothing_can_be_sorted_by_no_keys(void **state)
{
    (void)state;
    uint32_t start[1] = {9};
    snag__counting_sort(NULL, 0, NULL, 0, start, NULL);
    assert_int_equal(start[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_by_key_and_then_as_they_stood),
        cmocka_unit_test(nothing_can_be_sorted_by_no_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
