// Bucket sort by the leading bits of the keys; then each bucket is sorted while it is in the cache. Buckets that are large all the
// same (many contacts of one element) are radix sorted, so the time is always linear in the count.
#include "base/sort.h"

#include "base/assert.h"

#include <stdbool.h>
#include <string.h>

enum {
    BUCKETS_MAX = 8192,
    BUCKET_RECORDS = 4,  // of evenly spread keys
    RANK_MAX = 32,  // up to so many records are sorted by rank
    DIGIT_BITS = 8,
    VALUES = 1 << DIGIT_BITS,
};

// ---- few records: by rank ----

// A record's rank is the number of smaller ones. More comparisons than insertion sort, but no unpredictable branch.
static void sort_by_rank(const snag__record *from, snag__record *to, size_t count)
{
    uint32_t rank[RANK_MAX] = {0};
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

// Exclusive prefix sum: counts become the index of the first record of each.
static void counts_to_starts(size_t *counts, size_t count)
{
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        size_t next = start + counts[i];
        counts[i] = start;
        start = next;
    }
}

static void sort_by_digit(const snag__record *from, snag__record *to, size_t count, int shift)
{
    size_t next[VALUES] = {0};
    for (size_t i = 0; i < count; i++)
        next[from[i].key >> shift & (VALUES - 1)]++;
    counts_to_starts(next, VALUES);
    for (size_t i = 0; i < count; i++)
        to[next[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

// Skips digits in which all keys agree: most of them.
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

// The shift that maps keys to at most `buckets` buckets.
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
    SNAG__ASSERT(records != NULL && scratch != NULL && (scratch >= records + count || records >= scratch + count));
    size_t ends[BUCKETS_MAX], buckets = 2;  // at least 2: a shift of 64 bits is undefined
    while (buckets < BUCKETS_MAX && buckets * BUCKET_RECORDS < count)
        buckets *= 2;
    uint64_t least;
    int shift = shift_of(records, count, buckets, &least);
    memset(ends, 0, buckets * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[(records[i].key - least) >> shift]++;
    counts_to_starts(ends, buckets);
    for (size_t i = 0; i < count; i++)
        scratch[ends[(records[i].key - least) >> shift]++] = records[i];
    for (size_t bucket = 0, start = 0; bucket < buckets; start = ends[bucket++]) {
        size_t inside = ends[bucket] - start;
        if (inside <= RANK_MAX)
            sort_by_rank(scratch + start, records + start, inside);
        else
            sort_by_radix(scratch + start, records + start, inside);
    }
}

// ---- words: radix sort with digits whose width grows with the count ----

enum { INSERTION_MAX = 24, WIDTH_MIN = 8, WIDTH_MAX = 12, PARTS = 4 };

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

// Sorts by the digit of `width` bits at `shift`. Neighbours often share a digit, and their counter would be a chain of dependent
// increments: so the words are split into parts that are interleaved, each with counters of its own.
static void sort_words_by_digit(const uint64_t *from, uint64_t *to, size_t count, int shift, int width)
{
    uint32_t next[PARTS][1 << WIDTH_MAX], start = 0;
    size_t values = (size_t)1 << width, mask = values - 1, part = count / PARTS;
    for (int k = 0; k < PARTS; k++)
        memset(next[k], 0, values * sizeof **next);
    for (size_t i = 0; i < part; i++)
        for (size_t k = 0; k < PARTS; k++)
            next[k][from[k * part + i] >> shift & mask]++;
    for (size_t i = PARTS * part; i < count; i++)
        next[PARTS - 1][from[i] >> shift & mask]++;
    for (size_t value = 0; value < values; value++)
        for (int k = 0; k < PARTS; k++) {
            uint32_t end = start + next[k][value];
            next[k][value] = start;
            start = end;
        }
    for (size_t i = 0; i < part; i++)
        for (size_t k = 0; k < PARTS; k++) {
            uint64_t word = from[k * part + i];
            to[next[k][word >> shift & mask]++] = word;
        }
    for (size_t i = PARTS * part; i < count; i++)
        to[next[PARTS - 1][from[i] >> shift & mask]++] = from[i];
}

// The most bits of a digit.
static int digit_width(size_t count)
{
    int width = WIDTH_MIN;
    while (width < WIDTH_MAX && count >> (width + 2) > 0)
        width++;
    return width;
}

uint64_t *snag__sort_words(uint64_t *words, uint64_t *scratch, size_t count, int low, int high)
{
    SNAG__ASSERT(0 <= low && low <= high && high <= 64 && count <= UINT32_MAX);
    if (low == high)
        return words;
    if (count <= INSERTION_MAX) {
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
