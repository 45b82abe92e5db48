// Tools for benchmarks: clocks, medians, and a counting allocator.
#ifndef SNAG_LAB_MEASURE_H
#define SNAG_LAB_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "snag/base.h"

#ifdef _WIN32
#include <malloc.h>
// Windows has no aligned_alloc whose memory free() takes.
#define MEASURE_ALIGNED(alignment, size) _aligned_malloc(size, alignment)
#define MEASURE_FREE(memory) _aligned_free(memory)
#define MEASURE_ARRAY(size) malloc(size)
#else
#define MEASURE_ALIGNED(alignment, size) aligned_alloc(alignment, size)
#define MEASURE_FREE(memory) free(memory)
#define MEASURE_ARRAY(size) aligned_alloc(64, size)
#endif

static inline double measure_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

// Processor time of this process, which other programs do not affect.
static inline double measure_cpu_ms(void)
{
    return measure_ms(CLOCK_PROCESS_CPUTIME_ID);
}

// Processor time for one thread, which other programs do not affect; wall-clock time for more.
static inline clockid_t measure_clock(uint32_t threads)
{
    return threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
}

static int measure_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values. 0 if there are none.
static inline double measure_median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, measure_by_value);
    return values[count / 2];
}

// An array, aligned for the widest kernels if possible, with a spare vector at the end. Exits the program if out of memory.
static inline void *measure_array(size_t count, size_t size)
{
    void *memory = MEASURE_ARRAY((count * size + 127) / 64 * 64);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void *measure_allocate(void *context, size_t size, size_t alignment)
{
    void *memory = MEASURE_ALIGNED(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory)
        *(size_t *)context += size;
    return memory;
}

static void measure_release(void *context, void *memory, size_t size)
{
    *(size_t *)context -= size;
    MEASURE_FREE(memory);
}

// An allocator that counts the bytes in use in *bytes.
static inline snag_allocator measure_allocator(size_t *bytes)
{
    return (snag_allocator){.allocate = measure_allocate, .release = measure_release, .context = bytes};
}

#endif
