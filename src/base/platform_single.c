// The platform of a build without threads, such as WebAssembly: no thread ever starts, so the pool runs every task on the calling
// thread and never waits.
#include "base/platform_threads.h"

#if !SNAG__THREADS

uint32_t snag__processor_count(void)
{
    return 1;
}

bool snag__thread_start(snag__thread *thread, void (*run)(void *context), void *context)
{
    (void)thread;
    (void)run;
    (void)context;
    return false;
}

void snag__thread_join(snag__thread *thread)
{
    (void)thread;
}

void snag__lock_init(snag__lock *lock)
{
    (void)lock;
}

void snag__lock_destroy(snag__lock *lock)
{
    (void)lock;
}

void snag__lock_enter(snag__lock *lock)
{
    (void)lock;
}

void snag__lock_leave(snag__lock *lock)
{
    (void)lock;
}

void snag__signal_init(snag__signal *signal)
{
    (void)signal;
}

void snag__signal_destroy(snag__signal *signal)
{
    (void)signal;
}

void snag__signal_wait(snag__signal *signal, snag__lock *lock)
{
    (void)signal;
    (void)lock;
}

void snag__signal_one(snag__signal *signal)
{
    (void)signal;
}

void snag__signal_all(snag__signal *signal)
{
    (void)signal;
}

#include "base/platform_no_affinity.h"

#endif
