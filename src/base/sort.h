// Sorting records by 64-bit keys: stable, in linear time, in memory that the caller gives.
#ifndef SNAG_BASE_SORT_H
#define SNAG_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// What is sorted everywhere in snag: a key and a little that goes with it.
typedef struct snag__record {
    uint64_t key;
    double value;
    uint32_t kind;
    uint32_t extra;
} snag__record;

// Sorts `records` by key; equal keys keep their order. `scratch` has room for as many.
void snag__sort_records(snag__record *records, snag__record *scratch, size_t count);

// Sorts `words` by their bits from `low` (0 .. 63) up; words that agree there keep their order. All bits from `high` up (low .. 64)
// are the same in all words. There are fewer than 2^32 of them. `scratch` has room for as many; the words end up in the array that is returned,
// which is one of the two.
uint64_t *snag__sort_words(uint64_t *words, uint64_t *scratch, size_t count, int low, int high);

#endif
