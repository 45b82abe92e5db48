// Benchmark rows, read from the JSON files of `snag bench --json` and of the peers' programs into one list.
#ifndef SNAG_LAB_BENCH_ROWS_H
#define SNAG_LAB_BENCH_ROWS_H

#include "../cli/words.h"

typedef struct bench_row {
    char bench[16], scene[64], question[24], method[32];
    double threads, run_threads;  // its own, and those of its run
    double elements, contacts, ms, limit_ms, bytes;
    double wall_ms, cpu_ms, update_ms, candidates, missing, extra;  // of peers; else NaN
} bench_row;

// A fact about the machine, or the version of a library.
typedef struct bench_fact {
    char name[32], value[160];
} bench_fact;

typedef struct bench_rows {
    bench_row *rows;
    size_t count, capacity;
    bench_fact *facts;  // each name once
    size_t fact_count, fact_capacity;
    bench_fact *left_out;  // libraries that were not available, and why
    size_t left_out_count, left_out_capacity;
} bench_rows;

// On failure these print the reason and return EXIT_ERROR, else EXIT_CLEAN. Free the rows in any case.
int bench_rows_read(const char *path, bench_rows *rows, words *w);
// Every FILE.json of a folder except bench.json, sorted by name.
int bench_rows_read_folder(const char *folder, bench_rows *rows, words *w);
void bench_rows_free(bench_rows *rows);

// FOLDER/bench.json and FOLDER/bench.csv.
int bench_rows_write(const bench_rows *rows, const char *folder, words *w);

bool bench_rows_add_fact(bench_rows *rows, const char *name, const char *value);
// Whether the time of a row is snag's own.
bool bench_row_is_ours(const bench_row *row);
// Whether two rows measure the same thing.
bool bench_row_is_same(const bench_row *a, const bench_row *b);

#endif
