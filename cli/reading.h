// How the tool reads its inputs: bounded in memory, importers that are not ours in a process of their own, and listening to
// --limit and Ctrl-C.
#ifndef SNAG_CLI_READING_H
#define SNAG_CLI_READING_H

#include "options.h"
#include "snag/io.h"

// Valid as long as the options.
snag_io_read_options reading_options(const options *o);

// Says why an input could not be read.
int reading_failed(const options *o, const snag_io_error *error, words *w);

// Whether the time of --limit is over, which runs since the options were read.
bool reading_time_is_over(const options *o);

#endif
