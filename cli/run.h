// How a verb is run: in this program, or in one of its own beside it.
#ifndef SNAG_CLI_RUN_H
#define SNAG_CLI_RUN_H

#include "options.h"

// A result that could not be written is no result, whatever was found. Returns the exit code.
int run_finish_output(int result, words *w);

// Reads the options of a verb, which stand behind arguments[0], and does its work by `run`, or prints its help. `run` NULL: by the program
// beside this one. Returns the exit code.
int run_verb(const verb_description *verb, int (*run)(const options *o, words *w), int count, char **arguments, words *w);

// The main of a program that is one verb: arguments[0] is the program.
int run_program(const char *verb_name, int (*run)(const options *o, words *w), int count, char **arguments);

// Starts the program snag-VERB with these arguments (arguments[0] is the verb, NULL is behind the last one) in the place of this one. It is
// looked for beside this program, in ../libexec/snag from there, and in PATH. Returns only if it is not there, and has said how
// to get it.
int run_beside(const char *verb_name, char **arguments, words *w);

#endif
