// Springs that resist stretch; they have stiffness across their direction only if longer than at rest.
// Choi, Ko: Stable but responsive cloth, SIGGRAPH 2002 (no stiffness across a compressed spring).
#include "springs.h"

#include <stdlib.h>

// ---- building ----

bool snag__pairs_create(snag__pairs *pairs, uint32_t points, size_t count,
                        void (*ends)(const void *list, size_t at, uint32_t pair[2]), const void *list, snag__sim_memory *memory)
{
    if (count > UINT32_MAX - 1)
        return false;
    pairs->row = snag__sim_new(memory, (size_t)points + 1, sizeof *pairs->row);
    pairs->other = snag__sim_new(memory, count, sizeof *pairs->other);
    // One entry more than there are points, filled shifted by one, so that each entry ends up at the end of its row.
    pairs->back_row = snag__sim_new(memory, (size_t)points + 2, sizeof *pairs->back_row);
    pairs->back_other = snag__sim_new(memory, count, sizeof *pairs->back_other);
    pairs->back_pair = snag__sim_new(memory, count, sizeof *pairs->back_pair);
    if (memory->failed)
        return false;
    uint32_t pair[2];
    for (size_t e = 0; e < count; e++) {
        ends(list, e, pair);
        pairs->other[e] = pair[1];
        pairs->row[pair[0] + 1]++;
        pairs->back_row[pair[1] + 2]++;
    }
    for (uint32_t i = 0; i < points; i++) {
        pairs->row[i + 1] += pairs->row[i];
        pairs->back_row[i + 2] += pairs->back_row[i + 1];
    }
    for (size_t e = 0; e < count; e++) {
        ends(list, e, pair);
        uint32_t at = pairs->back_row[pair[1] + 1]++;
        pairs->back_other[at] = pair[0];
        pairs->back_pair[at] = (uint32_t)e;
    }
    return true;
}

static int compare_springs(const void *a, const void *b)
{
    const snag__spring *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static void ends_of(const void *list, size_t at, uint32_t pair[2])
{
    const snag__spring *spring = (const snag__spring *)list + at;
    pair[0] = spring->a;
    pair[1] = spring->b;
}

bool snag__springs_create(snag__springs *springs, uint32_t points, snag__spring *list, size_t count, double damping,
                          snag__sim_memory *memory)
{
    *springs = (snag__springs){.point_count = points, .damping = damping};
    springs->rest = snag__sim_new(memory, count, sizeof *springs->rest);
    springs->stiffness = snag__sim_new(memory, count, sizeof *springs->stiffness);
    springs->bend = snag__sim_new(memory, count, sizeof *springs->bend);
    springs->matrix = snag__sim_new(memory, count, sizeof *springs->matrix);
    if (memory->failed)
        return false;
    qsort(list, count, sizeof *list, compare_springs);
    for (size_t s = 0; s < count; s++) {
        springs->rest[s] = list[s].rest;
        springs->stiffness[s] = list[s].stiffness;
        springs->bend[s] = list[s].bend;
    }
    return snag__pairs_create(&springs->pairs, points, count, ends_of, list, memory);
}

// ---- forces and their matrix ----

void snag__springs_begin(snag__springs *springs, double h)
{
    springs->h = h;
    springs->bend_scale = (float)(h * h + h * springs->damping);
}

// Matrix of the spring s between i and j, and its force on i. A compressed spring would push its ends aside; that part of the
// matrix is left out, so that the matrix stays positive.
static snag__f4 stretch(const snag__springs *springs, uint32_t s, const double *xi, const double *xj, double force[3])
{
    double d[3], k = (double)springs->stiffness[s], rest = (double)springs->rest[s], h = springs->h, across = 0;
    snag__subtract3(xj, xi, d);
    double length = snag__length3(d), pull = (double)springs->bend[s];
    if (length > 0) {
        double tension = k * (1 - rest / length);
        pull += tension;
        across = fmax(tension, 0);
    }
    double scale = length > 0 ? sqrt(h * h * (k - across) + h * springs->damping * k) / length : 0;
    snag__f4 matrix = {0};
    for (int c = 0; c < 3; c++) {
        force[c] = pull * d[c];
        matrix[c] = (float)(scale * d[c]);
    }
    matrix[3] = (float)(h * h * across) + springs->bend_scale * springs->bend[s];
    return matrix;
}

void snag__springs_linearise(snag__springs *springs, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3],
                             float (*diagonal)[6])
{
    const snag__pairs *p = &springs->pairs;
    double pull[3];
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t b = p->back_row[i]; b < p->back_row[i + 1] && p->back_other[b] < from; b++) {
            snag__f4 g = stretch(springs, p->back_pair[b], x[i], x[p->back_other[b]], pull);
            snag__add_scaled3(force[i], 1, pull);
            snag__add_to_diagonal(diagonal[i], g[3], g);
        }
        for (uint32_t s = p->row[i]; s < p->row[i + 1]; s++) {
            uint32_t j = p->other[s];
            snag__f4 g = springs->matrix[s] = stretch(springs, s, x[i], x[j], pull);
            snag__add_scaled3(force[i], 1, pull);
            snag__add_to_diagonal(diagonal[i], g[3], g);
            if (j < to) {
                snag__add_scaled3(force[j], -1, pull);
                snag__add_to_diagonal(diagonal[j], g[3], g);
            }
        }
    }
}

static inline snag__f4 product_of(snag__f4 g, snag__f4 d)
{
    return g[3] * d + snag__f4_dot(g, d) * g;
}

void snag__springs_multiply(const snag__springs *springs, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const snag__pairs *p = &springs->pairs;
    const snag__f4 *matrix = springs->matrix;
    for (uint32_t i = from; i < to; i++) {
        snag__f4 xi = x[i], sum = {0};
        for (uint32_t b = p->back_row[i]; b < p->back_row[i + 1] && p->back_other[b] < from; b++)
            sum += product_of(matrix[p->back_pair[b]], xi - x[p->back_other[b]]);
        uint32_t s = p->row[i], end = p->row[i + 1];
        for (; s < end && p->other[s] < to; s++) {
            snag__f4 product = product_of(matrix[s], xi - x[p->other[s]]);
            sum += product;
            y[p->other[s]] -= product;
        }
        for (; s < end; s++)
            sum += product_of(matrix[s], xi - x[p->other[s]]);
        y[i] += sum;
    }
}

double snag__springs_energy(const snag__springs *springs, const double (*x)[3])
{
    const snag__pairs *p = &springs->pairs;
    double energy = 0;
    for (uint32_t i = 0; i < springs->point_count; i++)
        for (uint32_t s = p->row[i]; s < p->row[i + 1]; s++) {
            double d[3];
            snag__subtract3(x[p->other[s]], x[i], d);
            double longer = snag__length3(d) - (double)springs->rest[s];
            energy += ((double)springs->stiffness[s] * longer * longer + (double)springs->bend[s] * snag__dot3(d, d)) / 2;
        }
    return energy;
}
