// A progress bar on stderr, for work that takes longer than a moment and a user who sits at a terminal; and the user's
// wish to stop (Ctrl-C), which ends the search in an orderly way instead of leaving half-written files behind.
#ifndef SNAG_CLI_PROGRESS_H
#define SNAG_CLI_PROGRESS_H

#include "words.h"

typedef struct progress {
    words *words;
    bool enabled;  // stderr is a terminal, and not quiet
    double started;  // seconds
    double last_drawn;  // seconds
    size_t step, steps;  // frames done, and in all
    char label[24];  // what a step is
} progress;

// Seconds of a clock that only goes forward.
double progress_seconds(void);

void progress_begin(progress *p, words *w, const char *label, size_t steps);
// `part` of step `step` is done, 0..1. Draws a few times a second at most.
void progress_show(progress *p, size_t step, double part);
// The same as the callback of a question: the context is the progress. False once the user wants to stop.
bool progress_callback(void *context, double done);
void progress_end(progress *p);

// From here on Ctrl-C, a polite kill, a terminal that is closed and a reader of the output who has gone are noted rather than
// fatal; a second one ends the program as usual.
void progress_catch_interrupt(void);
bool progress_interrupted(void);

#endif
