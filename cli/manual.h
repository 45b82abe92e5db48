// --help, manual pages and shell completions, made from the table of options.
#ifndef SNAG_CLI_MANUAL_H
#define SNAG_CLI_MANUAL_H

#include "options.h"

// `snag --help` and `snag VERB --help`.
void manual_print_overview(FILE *out);
void manual_print_help(FILE *out, const verb_description *verb);

// A page for man(1), in roff: snag(1), or snag-VERB(1).
void manual_print_page(FILE *out, const verb_description *verb);  // NULL: the page of the program

// `snag manual [VERB]` prints a page, `snag manual --all FOLDER` writes all of them into an existing folder.
int manual_run(int count, char **arguments, words *w);

// `snag completion bash|zsh|fish` prints a shell script that completes verbs, options and their values.
int manual_run_completion(int count, char **arguments, words *w);

#endif
