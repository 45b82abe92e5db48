// What the core asks of the operating system: clock, aligned memory, processors, process, shared libraries; platform_threads.h adds
// threads. Nothing else in src/ includes a header of the system (script/check-layers). One file for each family implements both:
// platform_posix.c, platform_windows.c, and platform_single.c for builds without threads, such as WebAssembly.
#ifndef SNAG_BASE_PLATFORM_H
#define SNAG_BASE_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define SNAG__WINDOWS 1
#else
#define SNAG__WINDOWS 0
#endif

// Whether the library can start threads. The build defines SNAG_NO_THREADS for systems without (option SNAG_THREADS); every task then
// runs on the calling thread.
#if defined(SNAG_NO_THREADS) || defined(__wasi__)
#define SNAG__THREADS 0
#else
#define SNAG__THREADS 1
#endif

// Microseconds on a monotonic clock.
uint64_t snag__clock_us(void);

// Memory at a multiple of `alignment`, a power of two that is at least the size of a pointer. NULL if there is none.
void *snag__aligned_allocate(size_t size, size_t alignment);
void snag__aligned_free(void *memory);

// The number of processors this process may use, at least 1; always 1 in a build without threads.
uint32_t snag__processor_count(void);

// Tells a process from its fork. 0 on systems without processes.
uint64_t snag__process_id(void);

// A shared library that is loaded once and stays loaded. NULL if there is none of that name, or if the system cannot load any.
typedef struct snag__library snag__library;
snag__library *snag__library_open(const char *name);
// The address of a function, or NULL. Convert it to the function's type before calling it.
void (*snag__library_function(snag__library *library, const char *name))(void);

// A short rest in a loop that spins.
static inline void snag__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

#endif
