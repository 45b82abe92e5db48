// Cloths that start tangled, by seed: what untangling is tested and measured with.
#ifndef SNAG_BENCH_TANGLES_H
#define SNAG_BENCH_TANGLES_H

#include "snag/shapes.h"

typedef enum tangle_kind {
    TANGLE_LAYERS = 0,  // two wavy sheets that lie through each other; one body each
    TANGLE_FOLD = 1,  // a sheet folded over onto itself, once or twice, whose layers pass through each other
} tangle_kind;

// A tangle of one or two sheets with cells x cells quads each; the sheets measure 1 x 1. Unused shapes are zero. Ends
// the program without memory.
typedef struct tangle {
    snag_shape shapes[2];
    size_t count;
} tangle;

tangle tangle_make(tangle_kind kind, uint32_t cells, uint64_t seed);
void tangle_free(tangle *t);

#endif
