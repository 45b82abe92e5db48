// Where tests and benches put the files they make.
#ifndef SNAG_BENCH_TEMPORARY_H
#define SNAG_BENCH_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Makes an empty folder below the one that the environment variable TMPDIR names, or /tmp. False, with errno, if that fails.
static inline bool temporary_folder(char *folder, size_t size)
{
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, size, "%s/snag_XXXXXX", base != NULL && base[0] != 0 ? base : "/tmp");
    return length > 0 && (size_t)length < size && mkdtemp(folder) != NULL;
}

#endif
