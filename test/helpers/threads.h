// Threads of the tests' own: runs the tasks of a call on real threads through the task callback, so that ThreadSanitizer
// sees them.
#ifndef SNAG_TEST_THREADS_H
#define SNAG_TEST_THREADS_H

#include "snag/base.h"

// A task callback that spreads the tasks over `threads` threads.
snag_tasks test_threads(const uint32_t *threads);

#endif
