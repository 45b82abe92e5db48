// The platform of POSIX systems: Linux, macOS, the BSDs; clock and memory of WebAssembly too.
#ifndef _WIN32

#define _GNU_SOURCE
#include "base/platform_threads.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

// Of the processors we know; where pages are larger the advice is for fewer of them.
#define HUGE_PAGE ((size_t)2 << 20)

uint64_t snag__clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

// Large arrays get large pages where the system has them: the first touch of a page costs about as much as zeroing it, so that a new
// world would spend a quarter of its first ask on small ones. Only whole pages are asked for: what is never touched is not there.
#if defined(MADV_HUGEPAGE)
static void *allocate_huge(size_t size)
{
    char *memory = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (memory != NULL)
        (void)madvise(memory, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);  // advice: without it pages are small
    return memory;
}
#endif

void *snag__aligned_allocate(size_t size, size_t alignment)
{
    // aligned_alloc wants a size that is a multiple of the alignment.
    if (size > SIZE_MAX / 2 || alignment > SIZE_MAX / 2)
        return NULL;
#if defined(MADV_HUGEPAGE)
    if (size >= HUGE_PAGE && alignment <= HUGE_PAGE)
        return allocate_huge(size);
#endif
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void snag__aligned_free(void *memory)
{
    free(memory);
}

#ifdef __wasi__

uint64_t snag__process_id(void)
{
    return 0;
}

snag__library *snag__library_open(const char *name)
{
    (void)name;
    return NULL;
}

void (*snag__library_function(snag__library *library, const char *name))(void)
{
    (void)library;
    (void)name;
    return NULL;
}

#else

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

uint64_t snag__process_id(void)
{
    return (uint64_t)getpid();
}

snag__library *snag__library_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void (*snag__library_function(snag__library *library, const char *name))(void)
{
    // ISO C has no conversion between the two kinds of pointer; POSIX says that their bytes are the same.
    void *address = dlsym(library, name);
    void (*function)(void);
    _Static_assert(sizeof function == sizeof address, "functions have addresses like data");
    memcpy(&function, &address, sizeof function);
    return function;
}

#endif

#if SNAG__THREADS

uint32_t snag__processor_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

// ---- threads ----

static void *run_thread(void *context)
{
    const snag__thread *thread = context;
    thread->run(thread->context);
    return NULL;
}

bool snag__thread_start(snag__thread *thread, void (*run)(void *context), void *context)
{
    thread->run = run;
    thread->context = context;
    return pthread_create(&thread->id, NULL, run_thread, thread) == 0;
}

void snag__thread_join(snag__thread *thread)
{
    pthread_join(thread->id, NULL);
}

void snag__lock_init(snag__lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
}

void snag__lock_destroy(snag__lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

void snag__lock_enter(snag__lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

void snag__lock_leave(snag__lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

void snag__signal_init(snag__signal *signal)
{
    pthread_cond_init(&signal->condition, NULL);
}

void snag__signal_destroy(snag__signal *signal)
{
    pthread_cond_destroy(&signal->condition);
}

void snag__signal_wait(snag__signal *signal, snag__lock *lock)
{
    pthread_cond_wait(&signal->condition, &lock->mutex);
}

void snag__signal_one(snag__signal *signal)
{
    pthread_cond_signal(&signal->condition);
}

void snag__signal_all(snag__signal *signal)
{
    pthread_cond_broadcast(&signal->condition);
}

// ---- where a sleeping thread wakes up ----

#ifdef CPU_COUNT

int snag__processor_now(void)
{
    return sched_getcpu();
}

static cpu_set_t allowed_at(const snag__sleep_place *place)
{
    cpu_set_t set;
    _Static_assert(sizeof set == sizeof place->allowed, "platform_threads.h");
    memcpy(&set, place->allowed, sizeof set);
    return set;
}

static void forbid(snag__sleep_place *place, pthread_t thread, int processor)
{
    cpu_set_t others = allowed_at(place);
    if (processor < 0 || processor >= CPU_SETSIZE)
        return;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0)
        place->avoided = processor;
}

void snag__sleep_begin(snag__sleep_place *place, int avoided)
{
    cpu_set_t now;
    if (pthread_getaffinity_np(pthread_self(), sizeof now, &now) != 0)
        return;
    memcpy(place->allowed, &now, sizeof now);
    forbid(place, pthread_self(), avoided);
}

void snag__sleep_avoid(snag__sleep_place *place, const snag__thread *thread, int avoided)
{
    if (place->avoided >= 0 && place->avoided != avoided)
        forbid(place, thread->id, avoided);
}

void snag__sleep_end(snag__sleep_place *place)
{
    if (place->avoided < 0)
        return;
    cpu_set_t now, allowed = allowed_at(place), left = allowed;
    CPU_CLR(place->avoided, &left);
    if (pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0 && CPU_EQUAL(&now, &left))
        pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
    place->avoided = -1;
}

#else

#include "base/platform_no_affinity.h"

#endif
#endif
#endif

// ISO C wants a declaration in every file.
typedef int snag__platform_posix;
