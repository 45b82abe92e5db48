// Lets the n-th allocation of code that calls malloc itself fail (readers and writers; the core has its own allocator).
// For programs linked with --wrap=malloc,--wrap=calloc,--wrap=realloc: see cmake/tests.cmake.
#ifndef SNAG_TEST_FAILING_MALLOC_H
#define SNAG_TEST_FAILING_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

// The n-th allocation from now on (counted from 1) and all after it return NULL, until failing_malloc_stop.
void failing_malloc_start(size_t n);
// Ends it, and says whether any allocation was refused.
bool failing_malloc_stop(void);
// The largest single request since the last call of this, in bytes.
size_t failing_malloc_largest(void);

#endif
