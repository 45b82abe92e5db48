// An allocator that counts what is allocated through it, on top of another.
#ifndef SNAG_BASE_COUNTED_H
#define SNAG_BASE_COUNTED_H

#include "snag/base.h"

#include <stdatomic.h>

typedef struct snag__counted {
    snag_allocator allocator;  // what to allocate from
    snag_allocator base;
    atomic_size_t bytes;
} snag__counted;

// The struct must stay where it is while anything of it is allocated.
void snag__counted_init(snag__counted *counted, const snag_allocator *base);
size_t snag__counted_bytes(const snag__counted *counted);

#endif
