// Threads, locks and wake-ups, for pool.c. Apart from platform.h because these types need a header of the system.
#ifndef SNAG_BASE_PLATFORM_THREADS_H
#define SNAG_BASE_PLATFORM_THREADS_H

#include "base/platform.h"

#include <stdbool.h>

#if !SNAG__THREADS

typedef struct snag__thread {
    char unused;
} snag__thread;
typedef struct snag__lock {
    char unused;
} snag__lock;
typedef struct snag__signal {
    char unused;
} snag__signal;

#elif SNAG__WINDOWS

typedef struct snag__thread {
    void *handle;
    void (*run)(void *context);
    void *context;
} snag__thread;
// SRWLOCK and CONDITION_VARIABLE: one pointer each, which platform_windows.c checks.
typedef struct snag__lock {
    void *state;
} snag__lock;
typedef struct snag__signal {
    void *state;
} snag__signal;

#else

#include <pthread.h>

typedef struct snag__thread {
    pthread_t id;
    void (*run)(void *context);
    void *context;
} snag__thread;
typedef struct snag__lock {
    pthread_mutex_t mutex;
} snag__lock;
typedef struct snag__signal {
    pthread_cond_t condition;
} snag__signal;

#endif

// Starts run(context) on a new thread. `thread` must not move until it is joined. False if the system gives no thread.
bool snag__thread_start(snag__thread *thread, void (*run)(void *context), void *context);
void snag__thread_join(snag__thread *thread);

void snag__lock_init(snag__lock *lock);
void snag__lock_destroy(snag__lock *lock);
void snag__lock_enter(snag__lock *lock);
void snag__lock_leave(snag__lock *lock);

void snag__signal_init(snag__signal *signal);
void snag__signal_destroy(snag__signal *signal);
// Waits for a signal, without the lock meanwhile. May return without one.
void snag__signal_wait(snag__signal *signal, snag__lock *lock);
void snag__signal_one(snag__signal *signal);
void snag__signal_all(snag__signal *signal);

// ---- where a sleeping thread wakes up ----
// Linux may wake a worker on the caller's processor although others are idle: in a virtual machine a processor that was idle for
// some milliseconds counts as busy. The worker then waits for the next tick, up to 4 ms, half a step. So a sleeping worker is
// forbidden the caller's processor. Elsewhere these functions do nothing.

typedef struct snag__sleep_place {
    int avoided;  // processor the thread may not wake on, or -1: set it to -1 before the first use
    uint64_t allowed[16];  // its processors, to be restored when it wakes: Linux's cpu_set_t, whose header wants _GNU_SOURCE
} snag__sleep_place;

// The processor this thread runs on now, or -1.
int snag__processor_now(void);
// The calling thread is about to sleep and should not wake on that processor (-1: any).
void snag__sleep_begin(snag__sleep_place *place, int avoided);
// The processor to avoid has changed while `thread` sleeps.
void snag__sleep_avoid(snag__sleep_place *place, const snag__thread *thread, int avoided);
// The calling thread is awake: it may run everywhere again, unless somebody else has changed its affinity meanwhile.
void snag__sleep_end(snag__sleep_place *place);

#endif
