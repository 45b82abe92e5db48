// Impacts of many pairs at a time: what is clear has, bit by bit, the answer of one pair at a time, for every instruction set; nearly all of
// ordinary pairs is clear.
#include "geom/impact_solve.h"
#include "base/random.h"
#include "helpers/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 203, ROUNDS = 120 };

static const snag_isa all_isas[] = {SNAG_ISA_SCALAR,    SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3,
                                    SNAG_ISA_X86_64_V4, SNAG_ISA_NEON,      SNAG_ISA_SIMD128};
enum { ISAS = sizeof all_isas / sizeof *all_isas };

// How points move: anyhow; on a coarse grid (ties, contacts at the start, in planes and at ends); with hardly any motion; at the ends of
// what doubles hold; all in a plane; through each other fast.
typedef enum motion { ANY, GRID, SLOW, LARGE, SMALL, FLAT, FAST, MOTIONS } motion;

static double coordinate(snag__random *random, motion how, int axis)
{
    double x = snag__random_range(random, -1, 1);
    switch (how) {
    case GRID: return copysign(floor(fabs(x) * 3), x);
    case LARGE: return x * 1e70;
    case SMALL: return x * 1e-70;
    case FLAT: return axis == 2 ? 0 : x;
    default: return x;
    }
}

static void make(snag__random *random, motion how, double (*x_t0)[3], double (*x_t1)[3])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            x_t0[i][k] = coordinate(random, how, k);
            double to = coordinate(random, how, k);
            x_t1[i][k] = how == SLOW ? x_t0[i][k] + 1e-3 * to : how == FAST && i == 0 ? -9 * x_t0[i][k] : to;
        }
}

typedef struct tally {
    size_t free, meets, open;
} tally;

static void check(const snag__impact_run *run, const uint32_t *open, size_t i, uint8_t outcome, double t, tally *count)
{
    if (outcome == SNAG__SOLVE_OPEN) {
        count->open++;
        return;
    }
    snag__motion one;
    snag__impact_run_motion(run, open[i], &one);
    snag__impact impact = snag__impact_find(&one, 0, 0);
    assert_false(impact.exact);
    assert_int_equal(impact.verdict, outcome == SNAG__SOLVE_MEETS ? SNAG__IMPACT_MEETS : SNAG__IMPACT_FREE);
    if (outcome == SNAG__SOLVE_MEETS)
        assert_memory_equal(&t, &impact.t, sizeof t);
    *(outcome == SNAG__SOLVE_MEETS ? &count->meets : &count->free) += 1;
}

static void what_is_clear_is_the_answer_of_one_at_a_time(void **state)
{
    (void)state;
    static double x_t0[4 * PAIRS][3], x_t1[4 * PAIRS][3], t[PAIRS];
    static uint32_t edges[2 * PAIRS][2], triangles[PAIRS][3], vertex_pairs[PAIRS][2], edge_pairs[PAIRS][2], open[PAIRS];
    static uint8_t outcome[PAIRS], first[PAIRS];
    static double first_t[PAIRS];
    snag__random random = {1};
    tally counts[MOTIONS] = {{0, 0, 0}};
    for (uint32_t i = 0; i < PAIRS; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            edges[2 * i][k] = 4 * i + k;
            edges[2 * i + 1][k] = 4 * i + 2 + k;
        }
        for (uint32_t k = 0; k < 3; k++)
            triangles[i][k] = 4 * i + 1 + k;
        memcpy(vertex_pairs[i], (uint32_t[]){i, 4 * i}, sizeof *vertex_pairs);
        memcpy(edge_pairs[i], (uint32_t[]){2 * i + 1, 2 * i}, sizeof *edge_pairs);
        open[i] = PAIRS - 1 - i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        motion how = (motion)(round % MOTIONS);
        for (size_t i = 0; i < PAIRS; i++)
            make(&random, how, x_t0 + 4 * i, x_t1 + 4 * i);
        for (int kind = 0; kind < 2; kind++) {
            const bool is_edges = kind == SNAG__IMPACT_EDGE_EDGE;
            const double(*from)[3] = (const double(*)[3])x_t0, (*to)[3] = (const double(*)[3])x_t1;
            const snag__impact_run run = {
                .pair = (snag__impact_pair)kind,
                .a = {from, to, is_edges ? edges[0] : NULL},
                .b = {from, to, is_edges ? edges[0] : triangles[0]},
                .pairs = (const uint32_t(*)[2])(is_edges ? edge_pairs : vertex_pairs),
                .a_column = 1,
            };
            size_t count = PAIRS - (size_t)(round % 17);
            for (int isa = 0; isa < ISAS; isa++) {
                if (!snag__isa_available(all_isas[isa]))
                    continue;
                snag__impact_solve_kernels_for(all_isas[isa])->solve(&run, open, count, outcome, t);
                if (isa == 0) {
                    memcpy(first, outcome, count);
                    memcpy(first_t, t, count * sizeof *t);
                    for (size_t i = 0; i < count; i++)
                        check(&run, open, i, outcome[i], t[i], &counts[how]);
                }
                assert_memory_equal(outcome, first, count);
                for (size_t i = 0; i < count; i++)
                    if (outcome[i] == SNAG__SOLVE_MEETS)
                        assert_memory_equal(&t[i], &first_t[i], sizeof *t);
            }
        }
    }
    for (int how = 0; how < MOTIONS; how++) {
        if (getenv("V"))
            fprintf(stderr, "%d: free %zu meets %zu open %zu\n", how, counts[how].free, counts[how].meets, counts[how].open);
        size_t all = counts[how].free + counts[how].meets + counts[how].open;
        if (how == ANY || how == SLOW || how == FAST)
            assert_true(counts[how].open < all / 50 && counts[how].free > all / 2);
        else if (how == GRID)
            assert_true(counts[how].open > all / 20 && counts[how].free > 0);
        else
            assert_true(counts[how].open == all);
    }
    assert_true(counts[ANY].meets > 500 && counts[GRID].meets > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_clear_is_the_answer_of_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
