// Stable sorting by 64-bit keys, in linear time, in memory of the caller's.
#ifndef SNAG_BASE_SORT_H
#define SNAG_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// A key and its payload.
typedef struct snag__record {
    uint64_t key;
    double value;
    uint32_t kind;
    uint32_t extra;
} snag__record;

// Sorts `records` by key; equal keys keep their order. `scratch` has room for as many.
void snag__sort_records(snag__record *records, snag__record *scratch, size_t count);

// Sorts `words` by their bits low .. high - 1, where all bits from `high` up are equal in all words (0 <= low <= high <= 64). Equal
// words keep their order. Fewer than 2^32 words; `scratch` has room for as many. Returns the sorted array, which is one of the two.
uint64_t *snag__sort_words(uint64_t *words, uint64_t *scratch, size_t count, int low, int high);

#endif
