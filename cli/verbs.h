// The verbs: each does its work with the options it was given and returns the exit code of the program.
#ifndef SNAG_CLI_VERBS_H
#define SNAG_CLI_VERBS_H

#include "options.h"

int verb_check(const options *o, words *w);
int verb_info(const options *o, words *w);
int verb_demo(const options *o, words *w);
int verb_bench(const options *o, words *w);
int verb_sim(const options *o, words *w);
int verb_convert(const options *o, words *w);
int verb_repro(const options *o, words *w);

// ---- the benches ----

struct json;
int bench_surfaces(const options *o, words *w);
int bench_page(const options *o, words *w);
// The object "machine" of a bench's JSON.
void bench_print_machine(struct json *j);

#endif
