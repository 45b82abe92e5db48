// The impact test in doubles (impact.c), several pairs at a time: what is clear is answered with the bits of snag__impact_find, what is
// not is left to it.
#ifndef SNAG_GEOM_IMPACT_SOLVE_H
#define SNAG_GEOM_IMPACT_SOLVE_H

#include "geom/impact.h"

enum { SNAG__SOLVE_FREE, SNAG__SOLVE_MEETS, SNAG__SOLVE_OPEN };

typedef struct snag__impact_solve_kernels {
    // Of pairs open[i] of a run without a separation, over the whole move: outcome[i], and t[i] where they meet.
    void (*solve)(const snag__impact_run *run, const uint32_t *open, size_t count, uint8_t *outcome, double *t);
} snag__impact_solve_kernels;

SNAG__DECLARE_KERNELS(snag__impact_solve_kernels, snag__impact_solve_kernels);
const snag__impact_solve_kernels *snag__impact_solve_kernels_for(snag_isa isa);

#endif
