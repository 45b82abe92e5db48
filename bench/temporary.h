// Temporary folder for tests and benchmarks.
#ifndef SNAG_BENCH_TEMPORARY_H
#define SNAG_BENCH_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Creates an empty folder in TMPDIR, or in /tmp. False on failure, with errno.
static inline bool temporary_folder(char *folder, size_t size)
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, size, "%s/snag_XXXXXX", base != NULL && base[0] != 0 ? base : "/tmp");
    return length > 0 && (size_t)length < size && mkdtemp(folder) != NULL;
}

#endif
