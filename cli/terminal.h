// The terminal, signals and arguments of the tool on every system.
#ifndef SNAG_CLI_TERMINAL_H
#define SNAG_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// To be called first in main. On Windows: makes the arguments UTF-8, writes results without translating line ends, shows UTF-8, and
// lets the terminal understand the progress bar's control sequences.
void terminal_begin(int *count, char ***arguments);
// Whether standard error is a terminal that understands control sequences.
bool terminal_shows_progress(void);
// Columns of the terminal; a bar that wraps leaves a trail of lines, since \r returns to the begin of the last one only.
size_t terminal_width(void);
// Calls `handler` when the user wants to stop (Ctrl-C, end of the session) or nobody reads the output any more.
void terminal_catch_interrupt(void (*handler)(int signal_number));
// Seconds on a monotonic clock.
double terminal_seconds(void);
// The folder of the running program, without a trailing slash. "" if unknown.
void terminal_own_folder(char *folder, size_t size);
// Runs a program in place of this one and returns only if it cannot be started (see errno). `search`: look for it in PATH.
void terminal_become(const char *path, char **arguments, bool search);
// What the name of a program ends in.
#ifdef _WIN32
#define TERMINAL_PROGRAM_ENDING ".exe"
#else
#define TERMINAL_PROGRAM_ENDING ""
#endif

#endif
