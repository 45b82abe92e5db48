// An allocator that counts the bytes allocated through it, on top of another.
#ifndef SNAG_BASE_COUNTED_H
#define SNAG_BASE_COUNTED_H

#include "snag/base.h"

#include <stdatomic.h>

typedef struct snag__counted {
    snag_allocator allocator;  // allocate from this one
    snag_allocator base;
    atomic_size_t bytes;
} snag__counted;

// The struct must not move while any of its memory is in use.
void snag__counted_init(snag__counted *counted, const snag_allocator *base);
size_t snag__counted_bytes(const snag__counted *counted);

#endif
