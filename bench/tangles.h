// Tangled cloths, generated from a seed, for tests and benchmarks of untangling.
#ifndef SNAG_BENCH_TANGLES_H
#define SNAG_BENCH_TANGLES_H

#include "snag/shapes.h"

typedef enum tangle_kind {
    TANGLE_LAYERS = 0,  // two wavy sheets that pass through each other; one body each
    TANGLE_FOLD = 1,  // a sheet folded onto itself, once or twice, whose layers pass through each other
} tangle_kind;

// A tangle of one or two 1 x 1 sheets with cells x cells quads each. Unused shapes are zero. Exits the program if out of memory.
typedef struct tangle {
    snag_shape shapes[2];
    size_t count;
} tangle;

tangle tangle_make(tangle_kind kind, uint32_t cells, uint64_t seed);
void tangle_free(tangle *t);

#endif
