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

#endif
