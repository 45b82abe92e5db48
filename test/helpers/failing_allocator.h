// An allocator that fails on purpose, and that tells what its user does wrong: blocks never released, released twice, with
// a wrong size, or written past their ends. New memory holds rubbish, so that nobody relies on zeros.
// Safe for several threads.
#ifndef SNAG_TEST_FAILING_ALLOCATOR_H
#define SNAG_TEST_FAILING_ALLOCATOR_H

#include "snag/base.h"

#include <stdatomic.h>

typedef struct failing_allocator {
    size_t fail_at;  // the call that returns NULL, counted from 1; 0: none
    bool keep_failing;  // all calls from there on return NULL
    atomic_size_t calls;  // of allocate, the failed ones too
    atomic_size_t live_blocks;  // not yet released
    atomic_size_t live_bytes;
    atomic_size_t faults;  // wrong sizes, unknown or twice released blocks, bytes written outside
} failing_allocator;

// Makes *self anew and returns an allocator that uses it. *self outlives all that is allocated.
snag_allocator failing_allocator_start(failing_allocator *self, size_t fail_at);

// Fails the running cmocka test if blocks are left or there were faults.
void failing_allocator_assert_clean(failing_allocator *self);

// Calls `cycle` with an allocator that never fails, then with one that fails at the 1st, 2nd, ... call, and then with
// ones that fail at all calls from there on. The cycle does all it does and cleans up after itself; it must return SNAG_OK
// in the first run and SNAG_ERROR_MEMORY whenever a call failed. Leaks and faults fail the test.
// Returns the number of calls of the run that did not fail.
size_t failing_allocator_sweep(snag_status (*cycle)(const snag_allocator *allocator, void *context), void *context);

#endif
