// Sorts by key: records are dealt out to buckets by the first bits of their keys, so that few share one, and each bucket is
// put in order by itself while it is in the cache. Buckets that are large all the same (many contacts of one element) are
// sorted by radix, so that the time is always in proportion to the count.
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

enum {
    BUCKETS_MAX = 8192,
    OF_A_BUCKET = 4,  // records, if keys are spread evenly
    FEW = 32,  // that are sorted by rank
    DIGIT_BITS = 8,
    VALUES = 1 << DIGIT_BITS,
};

// ---- few records: by rank ----

// Each record goes to the place that the number of smaller ones gives it. More comparisons than by insertion, but none that a
// branch hangs on.
static void place_all(const snag__record *from, snag__record *to, size_t count)
{
    uint32_t rank[FEW] = {0};
    for (size_t i = 1; i < count; i++) {
        uint32_t not_larger = 0;
        for (size_t k = 0; k < i; k++) {
            uint32_t larger = from[k].key > from[i].key;
            rank[k] += larger;
            not_larger += 1 - larger;
        }
        rank[i] = not_larger;
    }
    for (size_t i = 0; i < count; i++)
        to[rank[i]] = from[i];
}

// ---- many: radix, least significant digit first ----

// Turns counts into the place of the first record of each.
static void counts_to_places(size_t *counts, size_t count)
{
    size_t place = 0;
    for (size_t i = 0; i < count; i++) {
        size_t next = place + counts[i];
        counts[i] = place;
        place = next;
    }
}

static void sort_by_digit(const snag__record *from, snag__record *to, size_t count, int shift)
{
    size_t places[VALUES] = {0};
    for (size_t i = 0; i < count; i++)
        places[from[i].key >> shift & (VALUES - 1)]++;
    counts_to_places(places, VALUES);
    for (size_t i = 0; i < count; i++)
        to[places[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

// Digits in which all keys agree cost nothing, and most do.
static void sort_by_radix(snag__record *from, snag__record *to, size_t count)
{
    snag__record *const wanted = to;
    uint64_t differ = 0;
    for (size_t i = 1; i < count; i++)
        differ |= from[i].key ^ from[0].key;
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if ((differ >> shift & (VALUES - 1)) == 0)
            continue;
        sort_by_digit(from, to, count, shift);
        snag__record *swap = from;
        from = to;
        to = swap;
    }
    if (from != wanted)
        memcpy(wanted, from, count * sizeof *wanted);
}

// ---- buckets ----

// How far keys are shifted to become the numbers of at most `buckets` buckets.
static int shift_of(const snag__record *records, size_t count, size_t buckets, uint64_t *least)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = records[i].key < low ? records[i].key : low;
        high = records[i].key > high ? records[i].key : high;
    }
    *least = low;
    int shift = 0;
    while ((high - low) >> shift >= buckets)
        shift++;
    return shift;
}

void snag__sort_records(snag__record *records, snag__record *scratch, size_t count)
{
    if (count < 2)
        return;
    size_t ends[BUCKETS_MAX], buckets = 2;  // so that keys are shifted by 63 bits at most
    while (buckets < BUCKETS_MAX && buckets * OF_A_BUCKET < count)
        buckets *= 2;
    uint64_t least;
    int shift = shift_of(records, count, buckets, &least);
    memset(ends, 0, buckets * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[(records[i].key - least) >> shift]++;
    counts_to_places(ends, buckets);
    for (size_t i = 0; i < count; i++)
        scratch[ends[(records[i].key - least) >> shift]++] = records[i];
    for (size_t bucket = 0, start = 0; bucket < buckets; start = ends[bucket++]) {
        size_t inside = ends[bucket] - start;
        if (inside <= FEW)
            place_all(scratch + start, records + start, inside);
        else
            sort_by_radix(scratch + start, records + start, inside);
    }
}

// ---- words: radix with digits as long as their number is worth ----

enum { FEW_WORDS = 24, LEAST_WIDTH = 8, MOST_WIDTH = 12, PARTS = 4 };

static void insert_words(uint64_t *words, size_t count, int low)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t k = i;
        for (; k > 0 && words[k - 1] >> low > word >> low; k--)
            words[k] = words[k - 1];
        words[k] = word;
    }
}

// Sorts by the digit of `width` bits at `shift`. Neighbours often have the same digit, and would have to wait for each other's
// place: so parts of the words are dealt out in turns, each to places of its own.
static void sort_words_by_digit(const uint64_t *from, uint64_t *to, size_t count, int shift, int width)
{
    uint32_t places[PARTS][1 << MOST_WIDTH], place = 0;
    size_t values = (size_t)1 << width, mask = values - 1, part = count / PARTS;
    for (int k = 0; k < PARTS; k++)
        memset(places[k], 0, values * sizeof **places);
    for (size_t i = 0; i < part; i++)
        for (size_t k = 0; k < PARTS; k++)
            places[k][from[k * part + i] >> shift & mask]++;
    for (size_t i = PARTS * part; i < count; i++)
        places[PARTS - 1][from[i] >> shift & mask]++;
    for (size_t value = 0; value < values; value++)
        for (int k = 0; k < PARTS; k++) {
            uint32_t next = place + places[k][value];
            places[k][value] = place;
            place = next;
        }
    for (size_t i = 0; i < part; i++)
        for (size_t k = 0; k < PARTS; k++) {
            uint64_t word = from[k * part + i];
            to[places[k][word >> shift & mask]++] = word;
        }
    for (size_t i = PARTS * part; i < count; i++)
        to[places[PARTS - 1][from[i] >> shift & mask]++] = from[i];
}

// How many bits a digit has at most.
static int digit_width(size_t count)
{
    int width = LEAST_WIDTH;
    while (width < MOST_WIDTH && count >> (width + 2) > 0)
        width++;
    return width;
}

uint64_t *snag__sort_words(uint64_t *words, uint64_t *scratch, size_t count, int low, int high)
{
    if (low == high)
        return words;
    if (count <= FEW_WORDS) {
        insert_words(words, count, low);
        return words;
    }
    int most = digit_width(count), digits = (high - low + most - 1) / most, width = (high - low + digits - 1) / digits;
    for (int digit = 0; digit < digits; digit++) {
        sort_words_by_digit(words, scratch, count, low + digit * width, width);
        uint64_t *swap = words;
        words = scratch;
        scratch = swap;
    }
    return words;
}
