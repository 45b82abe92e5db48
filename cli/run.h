// Runs a verb: in this program, or in a separate one beside it.
#ifndef SNAG_CLI_RUN_H
#define SNAG_CLI_RUN_H

#include "options.h"

// Flushes stdout; a failed write turns any result into an error. Returns the exit code.
int run_finish_output(int result, words *w);

// Parses the options of a verb (arguments[1] on) and calls `run`, or prints its help. `run` NULL: starts the program beside this
// one. Returns the exit code.
int run_verb(const verb_description *verb, int (*run)(const options *o, words *w), int count, char **arguments, words *w);

// The main function of a program with a single verb; arguments[0] is the program.
int run_program(const char *verb_name, int (*run)(const options *o, words *w), int count, char **arguments);

// Replaces this process by the program snag-VERB with these arguments (arguments[0] is the verb; NULL-terminated). Searches beside
// this program, in ../libexec/snag from there, and in PATH. Returns only if it is not found, after printing how to build it.
int run_beside(const char *verb_name, char **arguments, words *w);

#endif
