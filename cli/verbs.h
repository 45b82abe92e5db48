// The verbs: each does its work with the options it was given and returns the exit code of the program.
#ifndef SNAG_CLI_VERBS_H
#define SNAG_CLI_VERBS_H

#include "options.h"

int verb_check(const options *o, words *w);
int verb_probe(const options *o, words *w);
int verb_info(const options *o, words *w);
int verb_demo(const options *o, words *w);
int verb_sim(const options *o, words *w);
int verb_convert(const options *o, words *w);
int verb_fix(const options *o, words *w);

#endif
