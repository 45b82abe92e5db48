#include "helpers/failing_malloc.h"

#include <stdint.h>

// The linker sends calls of malloc to __wrap_malloc, and __real_malloc to the true one.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool armed;
static bool refused;
static size_t left;
static size_t largest;

void failing_malloc_start(size_t n)
{
    armed = true;
    refused = false;
    left = n - 1;
}

bool failing_malloc_stop(void)
{
    armed = false;
    return refused;
}

size_t failing_malloc_largest(void)
{
    size_t result = largest;
    largest = 0;
    return result;
}

static bool must_fail(size_t size)
{
    if (size > largest)
        largest = size;
    if (!armed)
        return false;
    if (left > 0) {
        left--;
        return false;
    }
    refused = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return must_fail(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes = count != 0 && size > SIZE_MAX / count ? SIZE_MAX : count * size;
    return must_fail(bytes) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return must_fail(size) ? NULL : __real_realloc(memory, size);
}
