// The filter of impacts in single precision drops only pairs that stay apart, in the whole move or a part of it; the same for every
// instruction set; and each term of its margin is needed.
#include "base/random.h"
#include "geom/impact.h"
#include "geom/impact_f32.h"
#include "helpers/motions.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = 4000 };
#define ROUNDING 0x1.01p-25f

typedef struct scene {
    snag__motion motions[PAIRS];
    snag__f32_path vertices[4 * PAIRS];
    uint32_t rows[PAIRS][3], columns[PAIRS][2], pairs[PAIRS][2];
    uint32_t kept[PAIRS][2], other[PAIRS][2];
    snag__impact_pair pair;
} scene;

static double within(snag__random *random, double size)
{
    return snag__random_range(random, -size, size);
}

// Two sides of a size that touch at some time near `t`, anywhere within 1 of the origin, or miss each other by a little. Those of
// `coarse` coordinates are floats.
static snag__motion touching(snag__random *random, snag__impact_pair pair, double size, double t, bool coarse)
{
    snag__motion m = {.pair = pair};
    double at[4][3], weight[3] = {snag__random_range(random, 0, 1), 0, 0}, centre[3];
    weight[1] = snag__random_range(random, 0, 1 - weight[0]);
    weight[2] = 1 - weight[0] - weight[1];
    double s = snag__random_range(random, 0, 1), r = snag__random_below(random, 2) ? snag__random_range(random, 0, 1) : 1;
    for (int k = 0; k < 3; k++) {
        centre[k] = within(random, 1 - 4 * size);
        for (int p = 0; p < 4; p++)
            at[p][k] = within(random, size / 4);
        if (pair == VF)
            at[0][k] = weight[0] * at[1][k] + weight[1] * at[2][k] + weight[2] * at[3][k];
        else if (s < 0.999)
            at[1][k] = at[0][k] + (at[2][k] + r * (at[3][k] - at[2][k]) - at[0][k]) / fmax(s, 0.25);
    }
    uint32_t slide = snag__random_below(random, 3);
    for (int p = 0; p < 4; p++)
        for (int k = 0; k < 3; k++) {
            double speed = slide == 0 ? within(random, size) : slide == 1 ? within(random, 1e-3 * size) : 0;
            m.t0[p][k] = centre[k] + at[p][k] - t * speed;
            m.t1[p][k] = centre[k] + at[p][k] + (1 - t) * speed;
            if (coarse) {
                m.t0[p][k] = (double)(float)m.t0[p][k];
                m.t1[p][k] = (double)(float)m.t1[p][k];
            }
        }
    return m;
}

static void put(scene *s, uint32_t i, const snag__motion *m)
{
    s->motions[i] = *m;
    for (uint32_t p = 0; p < 4; p++)
        for (int end = 0; end < 2; end++) {
            snag__f32_vertex *v = &s->vertices[4 * i + p].end[end];
            for (int k = 0; k < 3; k++)
                v->x[k] = (float)(end == 0 ? m->t0 : m->t1)[p][k];
            v->number = 4 * i + p;
        }
    uint32_t j = PAIRS - 1 - i, *row = m->pair == EE ? (uint32_t *)s->rows + 2 * (size_t)j : s->rows[j];
    for (uint32_t p = 0; p < 3; p++)
        if (m->pair == VF || p < 2)
            row[p] = 4 * i + p + (m->pair == VF ? 1 : 0);
    s->columns[j][0] = 4 * i + 2;
    s->columns[j][1] = 4 * i + 3;
    s->pairs[i][0] = j;
    s->pairs[i][1] = m->pair == EE ? j : 4 * i;
    s->pair = m->pair;
}

static size_t run(const scene *s, snag_isa isa, float rounding, float distance, float span, size_t count, uint32_t (*kept)[2])
{
    snag__f32_impacts candidates = {.row_vertices = s->vertices,
                                    .column_vertices = s->vertices,
                                    .rows = (const uint32_t *)s->rows,
                                    .columns = s->pair == EE ? (const uint32_t *)s->columns : NULL,
                                    .pairs = (const uint32_t(*)[2])s->pairs,
                                    .count = count,
                                    .distance = distance,
                                    .rounding = rounding,
                                    .span = span};
    const snag__f32_impact_kernels *kernels = snag__f32_impact_kernels_for(isa);
    size_t shared = 0;
    return (s->pair == EE ? kernels->edge_edges : kernels->triangle_vertices)(&candidates, kept, &shared);
}

// How many pairs are dropped that meet within the span.
static size_t count_missed(scene *s, float rounding, float span, double separation, size_t *kept)
{
    *kept = run(s, SNAG_ISA_SCALAR, rounding, nextafterf((float)separation, INFINITY), span, PAIRS, s->kept);
    size_t next = 0, missed = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        bool open = next < *kept && s->kept[next][0] == s->pairs[i][0] && s->kept[next][1] == s->pairs[i][1];
        next += open;
        if (open)
            continue;
        snag__impact found = snag__impact_find(&s->motions[i], separation, 0);
        missed += found.verdict != SNAG__IMPACT_FREE && found.t <= (double)span;
    }
    assert_int_equal(next, *kept);
    return missed;
}

static void fill(scene *s, snag__random *random, snag__impact_pair pair, double size, float span, bool coarse)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        double t = snag__random_below(random, 2) ? (double)span : snag__random_range(random, 0, 1);
        snag__motion m = touching(random, pair, size, t, coarse);
        put(s, i, &m);
    }
}

static void only_pairs_that_stay_apart_are_dropped(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    snag__random random = {4711};
    static const double sizes[] = {0.2, 1e-3, 1e-5, 3e-7, 1e-8};
    static const float spans[] = {1, 0.5f, 0.01f, 1e-6f};
    for (size_t round = 0; round < 5 * 4 * 2; round++) {
        snag__impact_pair pair = round % 2 == 0 ? EE : VF;
        float span = spans[round / 2 % 4];
        fill(s, &random, pair, sizes[round / 8], span, round % 3 == 0);
        size_t kept;
        assert_int_equal(count_missed(s, ROUNDING, span, 0, &kept), 0);
        assert_int_equal(count_missed(s, ROUNDING, span, 0.05 * sizes[round / 8], &kept), 0);
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
            if (snag__isa_available((snag_isa)isa))
                for (size_t count = PAIRS - 17; count <= PAIRS; count += 17) {
                    size_t scalar = run(s, SNAG_ISA_SCALAR, ROUNDING, 0, span, count, s->kept);
                    assert_int_equal(run(s, (snag_isa)isa, ROUNDING, 0, span, count, s->other), scalar);
                    assert_memory_equal(s->kept, s->other, scalar * sizeof *s->kept);
                }
    }
    free(s);
}

static void what_coordinates_are_off_by_counts(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    snag__random random = {815};
    for (int pair = 0; pair < 2; pair++) {
        size_t kept;
        fill(s, &random, pair ? EE : VF, 3e-7, 1, false);
        assert_true(count_missed(s, 0, 1, 0, &kept) > 0);
    }
    free(s);
}

// Floats, where an end of one edge is at an end of the other, from t0 to t1, neither of which all is relative to; or a vertex in the
// middle of an edge of the triangle, which lies across the line between the middles. Along some directions they just touch, and
// what is computed of their distance is rounding.
static snag__motion chained(snag__random *random, snag__impact_pair pair)
{
    snag__motion m = {.pair = pair};
    double apart = snag__random_below(random, 2) ? 1 : 1e-3;
    for (int end = 0; end < 2; end++) {
        double(*x)[3] = end == 0 ? m.t0 : m.t1, across[3], length = 0;
        for (int k = 0; k < 3; k++) {
            double at = (double)(float)within(random, 1e-2);
            x[0][k] = (double)(float)snag__random_range(random, 0, apart);
            x[2][k] = (double)(float)snag__random_range(random, -apart, 0);
            x[1][k] = x[3][k] = at;
            across[k] = within(random, 1);
        }
        if (pair == EE)
            continue;
        // Corner 1 is at x[2]; the edge from corner 2 to 3 is square to the line from there to its middle, where the vertex is.
        for (int k = 0; k < 3; k++) {
            x[0][k] = ldexp(round(ldexp(x[0][k], 12)), -12);
            x[1][k] = x[2][k];
            length += (x[0][k] - x[1][k]) * (x[0][k] - x[1][k]);
        }
        double along = 0;
        for (int k = 0; k < 3; k++)
            along += across[k] * (x[0][k] - x[1][k]) / length;
        for (int k = 0; k < 3; k++) {
            double half = ldexp(round(ldexp(0.5 * (across[k] - along * (x[0][k] - x[1][k])), 20)), -20);
            x[2][k] = x[0][k] + half;
            x[3][k] = x[0][k] - half;
        }
    }
    return m;
}

// Coordinates that are floats are off by nothing: then what the filter itself rounds is all that counts.
static void what_the_filter_rounds_counts(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    snag__random random = {2};
    static const float spans[] = {1, 0.75f, 0.3f, 0.01f};
    for (int round = 0; round < 8; round++) {
        size_t kept;
        for (uint32_t i = 0; i < PAIRS; i++) {
            snag__motion m = chained(&random, round % 2 ? EE : VF);
            put(s, i, &m);
        }
        assert_int_equal(count_missed(s, 0, spans[round / 2], 0, &kept), 0);
    }
    free(s);
}

// Pairs far from each other are dropped, or the filter would be of no use.
static void most_pairs_that_stay_apart_are_dropped(void **state)
{
    (void)state;
    scene *s = malloc(sizeof *s);
    snag__random random = {99};
    for (int pair = 0; pair < 2; pair++) {
        for (uint32_t i = 0; i < PAIRS; i++) {
            snag__motion m = touching(&random, pair ? EE : VF, 0.01, 0.5, false);
            for (int p = 0; p < (pair ? 2 : 1); p++)
                m.t0[p][i % 3] += 0.02, m.t1[p][i % 3] += 0.02;
            put(s, i, &m);
        }
        assert_true(run(s, SNAG_ISA_SCALAR, ROUNDING, 0, 1, PAIRS, s->kept) < PAIRS / 20);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_pairs_that_stay_apart_are_dropped),
        cmocka_unit_test(what_coordinates_are_off_by_counts),
        cmocka_unit_test(what_the_filter_rounds_counts),
        cmocka_unit_test(most_pairs_that_stay_apart_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
