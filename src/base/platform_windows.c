// The platform of Windows 7 and later.
#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601
#include "base/platform_threads.h"

#include <malloc.h>
#include <process.h>
#include <string.h>
#include <windows.h>

uint64_t snag__clock_us(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    uint64_t seconds = (uint64_t)(ticks.QuadPart / frequency.QuadPart), rest = (uint64_t)(ticks.QuadPart % frequency.QuadPart);
    return seconds * 1000000u + rest * 1000000u / (uint64_t)frequency.QuadPart;
}

void *snag__aligned_allocate(size_t size, size_t alignment)
{
    // It adds the alignment and a pointer to the size, and not every implementation minds that the sum wraps around.
    if (size > SIZE_MAX - 2 * alignment - 64)
        return NULL;
    return _aligned_malloc(size, alignment);
}

void snag__aligned_free(void *memory)
{
    _aligned_free(memory);
}

// A process of Windows is never forked, so one number will do.
uint64_t snag__process_id(void)
{
    return 1;
}

snag__library *snag__library_open(const char *name)
{
    return (snag__library *)LoadLibraryA(name);
}

void (*snag__library_function(snag__library *library, const char *name))(void)
{
    FARPROC address = GetProcAddress((HMODULE)library, name);
    void (*function)(void);
    _Static_assert(sizeof function == sizeof address, "one kind of function pointer");
    memcpy(&function, &address, sizeof function);
    return function;
}

#if SNAG__THREADS

uint32_t snag__processor_count(void)
{
    DWORD_PTR own, all;
    // With more than 64 processors the masks are those of one group, or 0 for a process in several.
    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all) && own != 0 && own != all) {
        uint32_t count = 0;
        for (; own != 0; own &= own - 1)
            count++;
        return count;
    }
    DWORD count = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return count > 0 ? (uint32_t)count : 1;
}

// ---- threads ----

static unsigned __stdcall run_thread(void *context)
{
    const snag__thread *thread = context;
    thread->run(thread->context);
    return 0;
}

bool snag__thread_start(snag__thread *thread, void (*run)(void *context), void *context)
{
    thread->run = run;
    thread->context = context;
    // _beginthreadex and not CreateThread: the C library keeps state for each thread.
    uintptr_t handle = _beginthreadex(NULL, 0, run_thread, thread, 0, NULL);
    memcpy(&thread->handle, &handle, sizeof thread->handle);
    return handle != 0;
}

void snag__thread_join(snag__thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

_Static_assert(sizeof(snag__lock) == sizeof(SRWLOCK) && sizeof(snag__signal) == sizeof(CONDITION_VARIABLE), "platform_threads.h");

static SRWLOCK *system_lock(snag__lock *lock)
{
    return (SRWLOCK *)&lock->state;
}

static CONDITION_VARIABLE *system_signal(snag__signal *signal)
{
    return (CONDITION_VARIABLE *)&signal->state;
}

void snag__lock_init(snag__lock *lock)
{
    InitializeSRWLock(system_lock(lock));
}

// Neither holds anything that has to be given back.
void snag__lock_destroy(snag__lock *lock)
{
    (void)lock;
}

void snag__lock_enter(snag__lock *lock)
{
    AcquireSRWLockExclusive(system_lock(lock));
}

void snag__lock_leave(snag__lock *lock)
{
    ReleaseSRWLockExclusive(system_lock(lock));
}

void snag__signal_init(snag__signal *signal)
{
    InitializeConditionVariable(system_signal(signal));
}

void snag__signal_destroy(snag__signal *signal)
{
    (void)signal;
}

void snag__signal_wait(snag__signal *signal, snag__lock *lock)
{
    SleepConditionVariableSRW(system_signal(signal), system_lock(lock), INFINITE, 0);
}

void snag__signal_one(snag__signal *signal)
{
    WakeConditionVariable(system_signal(signal));
}

void snag__signal_all(snag__signal *signal)
{
    WakeAllConditionVariable(system_signal(signal));
}

// ---- where a sleeping thread wakes up: Windows chooses an idle processor by itself ----

#include "base/platform_no_affinity.h"

#endif
#endif

// ISO C wants a declaration in every file.
typedef int snag__platform_windows;
