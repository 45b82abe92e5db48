// Worker threads that share the tasks of a call with the calling thread. See docs/decisions/0003-own-threads.md.
#ifndef SNAG_BASE_POOL_H
#define SNAG_BASE_POOL_H

#include "base/memory.h"

typedef struct snag__pool snag__pool;

// A pool for `threads` threads, counting the caller's. Workers start with the first job. NULL without memory.
snag__pool *snag__pool_create(const snag_allocator *allocator, uint32_t threads);
void snag__pool_destroy(const snag_allocator *allocator, snag__pool *pool);

// Calls task(context, i) once for each i in 0..count-1 and returns when all are done. The caller takes tasks too and waits only for
// those that others have begun, so a worker without a processor holds nothing up. A nested call runs all its tasks itself. Tasks run
// under the caller's floating-point environment. After a fork the child starts workers of its own.
void snag__pool_run(snag__pool *pool, uint32_t count, void (*task)(void *context, uint32_t index), void *context);

// Says whether more work follows soon: idle workers then spin longer before they sleep. May be called at any time, and with NULL.
void snag__pool_expect(snag__pool *pool, bool more);

#endif
