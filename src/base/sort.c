// Radix sort, least significant digit first. Digits in which all keys agree cost nothing, and most do: keys are pairs of
// element numbers, of which a few dozen bits are in use.
#include "base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS };

static void count_digits(const snag__record *records, size_t count, size_t counts[DIGITS][BUCKETS])
{
    memset(counts, 0, sizeof(size_t[DIGITS][BUCKETS]));
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][(records[i].key >> (digit * DIGIT_BITS)) & (BUCKETS - 1)]++;
}

// Turns counts into the place of the first record of each bucket.
static void counts_to_places(size_t counts[BUCKETS])
{
    size_t place = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        size_t next = place + counts[bucket];
        counts[bucket] = place;
        place = next;
    }
}

void snag__sort_records(snag__record *records, snag__record *scratch, size_t count)
{
    if (count < 2)
        return;
    size_t counts[DIGITS][BUCKETS];
    count_digits(records, count, counts);

    snag__record *from = records, *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++) {
        int shift = digit * DIGIT_BITS;
        if (counts[digit][(from[0].key >> shift) & (BUCKETS - 1)] == count)
            continue;
        counts_to_places(counts[digit]);
        for (size_t i = 0; i < count; i++)
            to[counts[digit][(from[i].key >> shift) & (BUCKETS - 1)]++] = from[i];
        snag__record *swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, count * sizeof *records);
}
