// The lab: benchmarks and the papers' experiments. Two programs beside the tool, snag-bench and snag-repro, started by `snag bench`
// and `snag repro`. They share the tool's options, messages, inputs and JSON (cli/).
#ifndef SNAG_LAB_LAB_H
#define SNAG_LAB_LAB_H

#include "../cli/options.h"

int verb_bench(const options *o, words *w);
int verb_repro(const options *o, words *w);

// ---- the benches ----

struct json;
int bench_surfaces(const options *o, words *w);
int bench_page(const options *o, words *w);
int bench_sweep(const options *o, words *w);
// The sweep of `leaf`, which only the paper's own algorithm has.
int bench_sweep_leaf(const options *o, words *w);
// The object "machine" of a bench's JSON.
void bench_print_machine(struct json *j);

#endif
