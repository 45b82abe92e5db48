// Threads that run the tasks of a call beside the thread that makes it. See docs/decisions/0003-own-threads.md.
#ifndef SNAG_BASE_POOL_H
#define SNAG_BASE_POOL_H

#include "base/memory.h"

typedef struct snag__pool snag__pool;

// For `threads` threads in all, the caller's among them; they begin when there is first something for them to do. NULL
// without memory.
snag__pool *snag__pool_create(const snag_allocator *allocator, uint32_t threads);
void snag__pool_destroy(const snag_allocator *allocator, snag__pool *pool);

// Calls task(context, i) once for each i in 0..count-1 and returns when all are done. The caller takes tasks like everyone else,
// and waits only for tasks that others have begun: threads that get no processor hold nothing up. Within a task
// it runs all tasks itself. Tasks are run under the caller's floating-point environment. In a process that was forked off,
// where the threads are not, new ones begin.
void snag__pool_run(snag__pool *pool, uint32_t count, void (*task)(void *context, uint32_t index), void *context);

// Whether more work follows soon, so that threads without any should rather look for it than sleep. May be called at any time,
// and with NULL.
void snag__pool_expect(snag__pool *pool, bool more);

#endif
