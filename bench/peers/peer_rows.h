// Shared by the peer benchmarks: JSON rows, the choice of peers, and heap size.
#ifndef SNAG_BENCH_PEER_ROWS_H
#define SNAG_BENCH_PEER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../cli/json.h"

typedef struct peer_row {
    const char *scene, *question, *method;
    size_t elements;
    uint32_t threads, run_threads;  // used, and requested for the run: some peers have one thread only
    double wall, cpu, update, limit;
    size_t contacts, candidates, bytes, missing, extra;
} peer_row;

// Writes the object "machine" with the versions of the peers, and "left_out" with those not available.
void peer_rows_write_head(json *j);
void peer_row_write(json *j, const peer_row *row);

// Whether a comma-separated list contains a name; NULL contains every name.
bool peer_is_wanted(const char *list, const char *name);

// Bytes allocated with malloc by this program.
size_t peer_heap_bytes(void);

#endif
