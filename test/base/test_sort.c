#include "base/random.h"
#include "base/sort.h"
#include "helpers/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_key_then_place(const void *a, const void *b)
{
    const snag__record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->extra < y->extra ? -1 : 1;
}

static void check_sorted_like_qsort(size_t count, uint64_t mask, uint64_t seed)
{
    snag__random random = {seed};
    snag__record *records = malloc((count + 1) * sizeof *records), *expected = malloc((count + 1) * sizeof *records);
    snag__record *scratch = malloc((count + 1) * sizeof *records);
    memset(records, 0, (count + 1) * sizeof *records);
    for (size_t i = 0; i < count; i++)
        records[i] = (snag__record){.key = snag__random_u64(&random) & mask, .extra = (uint32_t)i};
    memcpy(expected, records, count * sizeof *records);
    qsort(expected, count, sizeof *expected, by_key_then_place);
    snag__sort_records(records, scratch, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(records[i].key == expected[i].key);
        assert_int_equal(records[i].extra, expected[i].extra);
    }
    free(records);
    free(expected);
    free(scratch);
}

static void records_are_sorted_by_key_and_equal_keys_keep_their_order(void **state)
{
    (void)state;
    static const uint64_t masks[] = {UINT64_MAX, 0, 0xff, 0xff00000000000000u, 0x0000ffff0000ffffu, 1u, 0x8000000000000000u};
    static const size_t counts[] = {0, 1, 2, 3, 255, 256, 257, 5000};
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            check_sorted_like_qsort(counts[c], masks[m], 7 * m + c);
}

// Many contacts of one element, few of all others.
static void keys_that_body_pairs_together_are_sorted(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static snag__record records[COUNT], expected[COUNT], scratch[COUNT];
    snag__random random = {5};
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t low = snag__random_below(&random, 10) < 7 ? 4711 : snag__random_below(&random, 100000);
        records[i] = (snag__record){.key = low << 32 | snag__random_below(&random, 300), .extra = i};
    }
    memcpy(expected, records, sizeof records);
    qsort(expected, COUNT, sizeof *expected, by_key_then_place);
    snag__sort_records(records, scratch, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(records[i].key == expected[i].key);
        assert_int_equal(records[i].extra, expected[i].extra);
    }
}

// Words carry their number below the bits that they are sorted by.
static void check_words(size_t count, int low, int high, bool crowded, uint64_t seed)
{
    snag__random random = {seed};
    uint64_t *words = malloc((count + 1) * sizeof *words), *scratch = malloc((count + 1) * sizeof *words);
    uint64_t mask = high == 64 ? UINT64_MAX : ((uint64_t)1 << high) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = snag__random_u64(&random);
        if (crowded)
            key &= (uint64_t)0x1001 << (high / 2) | 3;
        words[i] = (key >> low << low | (i & (((uint64_t)1 << low) - 1))) & mask;
    }
    uint64_t sum = 0, sum_after = 0;
    for (size_t i = 0; i < count; i++)
        sum += words[i] * words[i];
    const uint64_t *sorted = snag__sort_words(words, scratch, count, low, high);
    assert_true(sorted == words || sorted == scratch);
    for (size_t i = 0; i < count; i++)
        sum_after += sorted[i] * sorted[i];
    assert_true(sum == sum_after);
    for (size_t i = 1; i < count; i++) {
        uint64_t last = sorted[i - 1] >> low, now = sorted[i] >> low;
        assert_true(last <= now);
        assert_true(last != now || (size_t)1 << low < count || sorted[i - 1] < sorted[i]);
    }
    free(words);
    free(scratch);
}

static void words_are_sorted_by_their_bits_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 24, 25, 27, 1000, 4099, 70001};
    static const int lows[] = {0, 17, 17, 20, 17, 17}, highs[] = {64, 17, 18, 29, 51, 64};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < sizeof lows / sizeof *lows; k++)
            for (int crowded = 0; crowded < 2; crowded++)
                check_words(counts[c], lows[k], highs[k], crowded != 0, 11 * c + k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_sorted_by_key_and_equal_keys_keep_their_order),
        cmocka_unit_test(keys_that_body_pairs_together_are_sorted),
        cmocka_unit_test(words_are_sorted_by_their_bits_and_equal_ones_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
