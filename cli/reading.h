// How the tool reads its inputs: with a memory limit, third-party importers in a process of their own, stopping at --limit and
// Ctrl-C.
#ifndef SNAG_CLI_READING_H
#define SNAG_CLI_READING_H

#include "options.h"
#include "snag/io.h"

// Valid as long as the options.
snag_io_read_options reading_options(const options *o);

// Prints why an input could not be read.
int reading_failed(const options *o, const snag_io_error *error, words *w);

// Whether --limit is reached, counted from when the options were parsed.
bool reading_time_is_over(const options *o);

#endif
