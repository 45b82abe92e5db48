// snag check --batch: many files, each checked on its own.
#ifndef SNAG_CLI_BATCH_H
#define SNAG_CLI_BATCH_H

#include "options.h"

// Prints a line for each file as it is done, and writes the summary page. Returns 1 if any file has contacts, else 2 if any failed, else 0.
int batch_run(const options *o, words *w);

#endif
