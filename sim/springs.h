// Springs between points, evaluated for ranges of points in parallel. A spring is stored in the row of its lower point and serves
// both ends if they are in one range; if not, the upper range evaluates it again. The order of sums depends only on the ranges.
#ifndef SNAG_SIM_SPRINGS_H
#define SNAG_SIM_SPRINGS_H

#include "implicit.h"

// Pairs of points i < other, by rows: those of row i are row[i] .. row[i + 1] - 1, sorted by the other point. And the transpose:
// the pairs in which i is the upper point, sorted by the lower.
typedef struct snag__pairs {
    uint32_t *row, *other;
    uint32_t *back_row, *back_other, *back_pair;
} snag__pairs;

// Builds the rows from `count` pairs, sorted by both points. False: out of memory.
bool snag__pairs_create(snag__pairs *pairs, uint32_t points, size_t count,
                        void (*ends)(const void *list, size_t at, uint32_t pair[2]), const void *list, snag__sim_memory *memory);

typedef struct snag__spring {
    uint32_t a, b;  // a < b
    float rest, stiffness;
    float bend;  // beside its stretch, a force of bend * (x_b - x_a) on a
} snag__spring;

typedef struct snag__springs {
    uint32_t point_count;
    snag__pairs pairs;
    float *rest, *stiffness, *bend;
    double damping;
    // For the current step: its length, and h^2 + h damping.
    double h;
    float bend_scale;
    // h^2 K + h D of a spring is d I + g g^T, with g in the first three and d in the last.
    snag__f4 *matrix;
} snag__springs;

// Sorts the list. False: out of memory.
bool snag__springs_create(snag__springs *springs, uint32_t points, snag__spring *list, size_t count, double damping,
                          snag__sim_memory *memory);

// As in snag__model.
void snag__springs_begin(snag__springs *springs, double h);
void snag__springs_linearise(snag__springs *springs, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3],
                             float (*diagonal)[6]);
void snag__springs_multiply(const snag__springs *springs, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y);
double snag__springs_energy(const snag__springs *springs, const double (*x)[3]);

// Adds d I + g g^T to a diagonal block.
static inline void snag__add_to_diagonal(float diagonal[6], float d, snag__f4 g)
{
    diagonal[0] += d + g[0] * g[0];
    diagonal[1] += d + g[1] * g[1];
    diagonal[2] += d + g[2] * g[2];
    diagonal[3] += g[0] * g[1];
    diagonal[4] += g[0] * g[2];
    diagonal[5] += g[1] * g[2];
}

#endif
