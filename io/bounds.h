// Limits on reading a file: the caller's memory limit, and the caller's request to stop.
#ifndef SNAG_IO_BOUNDS_H
#define SNAG_IO_BOUNDS_H

#include "file.h"

// One call of a reader, with all files it opens.
struct snag__reading {
    snag_io_read_options options;
    uint64_t input_bytes;  // size of the files read
    uint64_t claimed_bytes;  // memory made from them and still in use
    bool beside;  // the source's name is a path, and files beside it may be read
};

// Whether options were initialized by their default function; NULL counts as initialized.
static inline bool snag__reading_fits(const snag_io_read_options *options)
{
    return !options || (options->cookie == SNAG_COOKIE(17) && (unsigned)options->split < SNAG_IO_SPLIT_COUNT &&
                        (unsigned)options->label < SNAG_IO_SPLIT_COUNT);
}
snag__reading snag__reading_begin(const snag_io_read_options *options);

// Counts a file that was read: the limit grows with its size.
void snag__reading_add_input(snag__reading *reading, uint64_t bytes);
// The memory limit in bytes.
uint64_t snag__reading_most(const snag__reading *reading);

// Call before allocating memory whose size the file determines: SNAG_ERROR_LIMIT, with a message in source->error, if it exceeds
// the limit. Release it when freed. A source without a reading has no limit.
snag_status snag__claim_bytes(const snag__source *source, uint64_t bytes);
void snag__release_bytes(const snag__source *source, uint64_t bytes);

// Call from time to time: SNAG_ERROR_LIMIT, with a message, once the caller wants to stop.
snag_status snag__reading_goes_on(const snag__source *source);

// Fails with a message about a limit and the caller's advice.
snag_status snag__fail_limit(const snag__source *source, const char *format, ...) SNAG__PRINTF(2, 3);

#endif
