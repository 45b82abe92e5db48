// A progress bar on stderr if it is a terminal, and Ctrl-C, which ends the search cleanly instead of leaving half-written files.
#ifndef SNAG_CLI_PROGRESS_H
#define SNAG_CLI_PROGRESS_H

#include "words.h"

typedef struct progress {
    words *words;
    bool enabled;  // stderr is a terminal, and not quiet
    double started;  // seconds
    double last_drawn;  // seconds
    size_t step, steps;  // frames done, and total
    char label[24];  // name of a step
} progress;

// Seconds on a monotonic clock.
double progress_seconds(void);

void progress_begin(progress *p, words *w, const char *label, size_t steps);
// Fraction `part` of step `step` is done, 0..1. Draws at most a few times a second.
void progress_show(progress *p, size_t step, double part);
// The same as a question's progress callback; the context is the progress. False once the user wants to stop.
bool progress_callback(void *context, double done);
void progress_end(progress *p);

// From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE set a flag instead of ending the program; a second one ends it as usual.
void progress_catch_interrupt(void);
bool progress_interrupted(void);

#endif
