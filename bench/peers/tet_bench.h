// Vertices in tetrahedra: compares snag's hash with the peers that answer this question, on one thread.
#ifndef SNAG_BENCH_TET_BENCH_H
#define SNAG_BENCH_TET_BENCH_H

#include "../cli/json.h"

typedef enum tet_bench_result { TET_BENCH_AGREES, TET_BENCH_DIFFERS, TET_BENCH_FAILED } tet_bench_result;

// The scene is a setup of the spatial hashing paper (A to E), or "tets-SIZE": blocks of about SIZE tetrahedra. Prints a table, and
// writes rows if `j` is not NULL.
tet_bench_result tet_bench(const char *scene, int repeats, const char *only, json *j);

#endif
