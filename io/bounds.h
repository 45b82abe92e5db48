// What bounds the reading of a file: the caller's limit of memory, and the caller's wish to stop.
#ifndef SNAG_IO_BOUNDS_H
#define SNAG_IO_BOUNDS_H

#include "file.h"

// One call of a reader, with all files that it opens.
struct snag__reading {
    snag_io_read_options options;
    uint64_t input_bytes;  // of the files that were read
    uint64_t claimed_bytes;  // what was made of them and is still there
    bool beside;  // the source's name is a path, and files beside it may be read
};

// Whether options were made by their default function; NULL are.
static inline bool snag__reading_fits(const snag_io_read_options *options)
{
    return !options || options->cookie == SNAG_COOKIE(17);
}
snag__reading snag__reading_begin(const snag_io_read_options *options);

// Files that were read: what may be made of them grows with their size.
void snag__reading_add_input(snag__reading *reading, uint64_t bytes);
// How much memory may be taken in all.
uint64_t snag__reading_most(const snag__reading *reading);

// Before memory is asked for whose size the file chooses: SNAG_ERROR_LIMIT, with a message in source->error, if that is more
// than allowed. What is given back later is released. A source without a reading has no limit.
snag_status snag__claim_bytes(const snag__source *source, uint64_t bytes);
void snag__release_bytes(const snag__source *source, uint64_t bytes);

// From time to time: SNAG_ERROR_LIMIT, with a message, once the caller wants to stop.
snag_status snag__reading_goes_on(const snag__source *source);

// Fails with what a limit says and the caller's advice.
snag_status snag__fail_limit(const snag__source *source, const char *format, ...) SNAG__PRINTF(2, 3);

#endif
