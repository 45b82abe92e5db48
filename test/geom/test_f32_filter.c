// The filter in single precision against the single functions, which test_triangle.c judges: what it decides is true.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "helpers/meeting.h"
#include "helpers/soup.h"

enum { VERTICES = 48, TRIANGLES = 96, PAIRS = 1000 };

typedef struct cloud {
    double x[VERTICES][3];
    uint32_t corners[TRIANGLES][3];
    uint32_t pairs[PAIRS][2];
    bool same_body;
} cloud;

static void choose_pairs(snag__random *random, cloud *c)
{
    for (int t = 0; t < TRIANGLES; t++)
        for (int i = 0; i < 3; i++)
            c->corners[t][i] = snag__random_below(random, VERTICES);
    for (int i = 0; i < PAIRS; i++)
        for (int side = 0; side < 2; side++)
            c->pairs[i][side] = snag__random_below(random, TRIANGLES);
}

static double reach_of(const double (*x)[3], size_t count, const double centre[3])
{
    double reach = 0;
    for (size_t i = 0; i < 3 * count; i++)
        reach = fmax(reach, fabs(x[i / 3][i % 3] - centre[i % 3]));
    return reach;
}

// Every instruction set decides the same pairs, and rightly; so does the kernel that filters with it. Returns how many
// pairs stay in doubt.
static size_t assert_true_decisions(snag__triangle_pairs pairs, size_t triangle_count, const double centre[3], double reach)
{
    static uint8_t meeting[PAIRS + 1];
    static uint16_t doubt[PAIRS], doubt_scalar[PAIRS];
    snag__f32_triangle *f32 = aligned_alloc(64, triangle_count * sizeof *f32);
    snag__f32_pairs f32_pairs = {f32, f32, snag__f32_rounding(reach), pairs.same_body};
    size_t doubts_scalar = 0;
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available(isa))
            continue;
        const snag__f32_filter_kernels *kernels = snag__f32_filter_kernels_for(isa);
        memset(meeting, 0xee, sizeof meeting);
        kernels->fill(pairs.x_a, pairs.triangles_a, triangle_count, centre, f32);
        size_t doubts = kernels->filter(&f32_pairs, pairs.pairs, pairs.count, meeting, doubt), next = 0;
        assert_int_equal(meeting[pairs.count], 0xee);
        for (size_t i = 0; i < pairs.count; i++) {
            if (next < doubts && doubt[next] == i)
                next++;
            else
                assert_int_equal(meeting[i], meeting_told_singly(&pairs, i));
        }
        assert_int_equal(next, doubts);
        if (isa == SNAG_ISA_SCALAR) {
            doubts_scalar = doubts;
            memcpy(doubt_scalar, doubt, sizeof doubt);
        }
        assert_int_equal(doubts, doubts_scalar);
        assert_memory_equal(doubt, doubt_scalar, doubts * sizeof *doubt);

        pairs.f32 = &f32_pairs;
        snag__triangle_kernels_for(isa)->meet(&pairs, meeting);
        for (size_t i = 0; i < pairs.count; i++)
            assert_int_equal(meeting[i], meeting_told_singly(&pairs, i));
    }
    free(f32);
    return doubts_scalar;
}

static size_t assert_cloud(const cloud *c, const double centre[3], size_t pair_count)
{
    snag__triangle_pairs pairs = {
        .x_a = c->x,
        .triangles_a = c->corners,
        .x_b = c->x,
        .triangles_b = c->corners,
        .same_body = c->same_body,
        .pairs = c->pairs,
        .count = pair_count,
    };
    return assert_true_decisions(pairs, TRIANGLES, centre, reach_of(c->x, VERTICES, centre));
}

static void clear_pairs_are_decided(void **state)
{
    (void)state;
    static cloud c;
    snag__random random = {1};
    const double centre[3] = {0};
    size_t doubts = 0;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 3 * VERTICES; i++)
            c.x[i / 3][i % 3] = snag__random_range(&random, -1, 1);
        choose_pairs(&random, &c);
        for (int t = 0; t < TRIANGLES; t++)  // no corner in common, no corner twice
            for (int i = 0; i < 3; i++)
                c.corners[t][i] = (uint32_t)(t % 2 * 24 + i * 8) + snag__random_below(&random, 8);
        for (int i = 0; i < PAIRS; i++) {
            c.pairs[i][0] &= ~1u;
            c.pairs[i][1] |= 1u;
        }
        doubts += assert_cloud(&c, centre, PAIRS);
    }
    assert_in_range(doubts, 0, 8 * PAIRS / 50);
}

static void shared_corners_on_one_side_are_decided(void **state)
{
    (void)state;
    // A fan around vertex 0, in a bowl: neighbours share a corner or an edge, and lie on one side of each other's planes. Each
    // triangle is there three times, so that any corners may be the shared ones.
    enum { AROUND = 12 };
    static cloud c;
    const double centre[3] = {0};
    c.same_body = true;
    for (uint32_t i = 0; i < AROUND; i++) {
        double angle = 2 * 3.14159265358979 * i / AROUND;
        memcpy(c.x[i + 1], (double[3]){cos(angle), sin(angle), 0.5}, sizeof c.x[0]);
        const uint32_t corners[3] = {0, i + 1, (i + 1) % AROUND + 1};
        for (uint32_t turn = 0; turn < 3; turn++)
            for (uint32_t k = 0; k < 3; k++)
                c.corners[3 * i + turn][k] = corners[(k + turn) % 3];
    }
    size_t count = 0;
    for (uint32_t i = 0; i < 3 * AROUND; i++)
        for (uint32_t j = 3 * (i / 3 + 1); j < 3 * AROUND; j++) {
            c.pairs[count][0] = i;
            c.pairs[count++][1] = j;
        }
    assert_int_equal(assert_cloud(&c, centre, count), 0);
}

static void triangles_that_pass_each_other_at_a_shared_corner_are_decided(void **state)
{
    (void)state;
    // All triangles have vertex 0; the others lie anywhere: some pass through each other there, some in opposite directions.
    static cloud c;
    snag__random random = {9};
    const double centre[3] = {0};
    c.same_body = true;
    size_t doubts = 0;
    for (int round = 0; round < 8; round++) {
        for (int i = 3; i < 3 * VERTICES; i++)
            c.x[i / 3][i % 3] = snag__random_range(&random, -1, 1);
        choose_pairs(&random, &c);
        for (uint32_t t = 0; t < TRIANGLES; t++) {
            uint32_t from = t % 2 * 20 + 1, turn = snag__random_below(&random, 3);
            c.corners[t][turn] = 0;
            c.corners[t][(turn + 1) % 3] = from + snag__random_below(&random, 10);
            c.corners[t][(turn + 2) % 3] = from + 10 + snag__random_below(&random, 10);
        }
        for (int i = 0; i < PAIRS; i++) {
            c.pairs[i][0] &= ~1u;
            c.pairs[i][1] |= 1u;
        }
        doubts += assert_cloud(&c, centre, PAIRS);
    }
    assert_in_range(doubts, 0, 8 * PAIRS / 50);
}

// Vertices within a few roundings of a plane, of a line or of each other, at all sizes and far from the centre.
static void what_is_decided_is_true_however_close(void **state)
{
    (void)state;
    static cloud c;
    snag__random random = {2};
    for (int round = 0; round < 400; round++) {
        double size = ldexp(1, (int)snag__random_below(&random, 120) - 60);
        double thin = ldexp(size, -(int)snag__random_below(&random, 40));
        double away = round % 3 == 0 ? 0 : ldexp(size, (int)snag__random_below(&random, 30));
        double centre[3] = {0};
        for (int i = 0; i < 3; i++)
            centre[i] = round % 4 == 1 ? away : 0;
        for (int v = 0; v < VERTICES; v++) {
            double p[3] = {snag__random_range(&random, -size, size), snag__random_range(&random, -size, size),
                           snag__random_range(&random, -thin, thin)};
            if (round % 5 == 0)
                p[1] = p[0] + snag__random_range(&random, -thin, thin);
            for (int k = 0; k < 3; k++)
                c.x[v][(k + round) % 3] = p[k] + away;
        }
        choose_pairs(&random, &c);
        c.same_body = round % 2;
        assert_cloud(&c, centre, PAIRS - (size_t)round % 20);
    }
}

// First corners so close to the centre that they are hardly off: then it is the rounding of long edges that counts.
static void the_rounding_of_edges_is_bounded(void **state)
{
    (void)state;
    static cloud c;
    snag__random random = {5};
    const double centre[3] = {0};
    for (int round = 0; round < 400; round++) {
        double small = ldexp(1, -(int)snag__random_below(&random, 30)), thin = ldexp(1, -(int)snag__random_below(&random, 26));
        for (int v = 0; v < VERTICES; v++)
            for (int k = 0; k < 3; k++)
                c.x[v][k] = snag__random_range(&random, -1, 1) * (v < 8 ? small : 1) * (k == round % 3 ? thin : 1);
        choose_pairs(&random, &c);
        for (int t = 0; t < TRIANGLES; t++)
            c.corners[t][0] %= 8;
        snag__triangle_pairs pairs = {c.x, c.corners, c.x, c.corners, round % 2, c.pairs, PAIRS, NULL};
        assert_true_decisions(pairs, TRIANGLES, centre, reach_of(c.x, 8, centre));
    }
}

// An edge of each passes almost through one point, far from the planes' being in doubt: whether the spans overlap is close.
static void edges_that_almost_meet_are_decided_rightly(void **state)
{
    (void)state;
    static hard_soup soup;
    snag__random random = {6};
    const double centre[3] = {0};
    for (int round = 0; round < 200; round++) {
        double gap = ldexp(1, -(int)snag__random_below(&random, 30));
        soup.count = HARD_SOUP;
        for (uint32_t n = 0; n < HARD_SOUP; n++) {
            double(*a)[3] = soup.positions + 6 * (size_t)n, (*b)[3] = a + 3;
            for (int k = 0; k < 3; k++) {
                double p = snag__random_range(&random, -1, 1), d = snag__random_range(&random, -1, 1);
                a[0][k] = snag__random_range(&random, -0.01, 0.01);
                b[0][k] = snag__random_range(&random, -0.01, 0.01);
                a[1][k] = a[0][k] + (p - a[0][k]) * 1.5;
                a[2][k] = snag__random_range(&random, -1, 1);
                p += snag__random_range(&random, -gap, gap);
                b[1][k] = p + d;
                b[2][k] = p - 0.7 * d;
            }
            for (uint32_t i = 0; i < 6; i++)
                soup.triangles[2 * n + i / 3][i % 3] = 6 * n + i;
            soup.pairs[n][0] = 2 * n;
            soup.pairs[n][1] = 2 * n + 1;
        }
        assert_true_decisions(hard_soup_pairs(&soup), 2 * soup.count, centre, 0.01);
    }
}

static void extreme_coordinates_are_left_in_doubt(void **state)
{
    (void)state;
    static cloud c;
    snag__random random = {3};
    const double centre[3] = {0};
    for (int exponent = -1070; exponent < 1024; exponent += 7) {
        for (int i = 0; i < 3 * VERTICES; i++)
            c.x[i / 3][i % 3] = ldexp(snag__random_range(&random, -1, 1), exponent);
        choose_pairs(&random, &c);
        c.same_body = exponent % 2;
        assert_cloud(&c, centre, 64);
    }
}

static void hard_pairs_are_decided_rightly_or_not_at_all(void **state)
{
    (void)state;
    static hard_soup soup;
    snag__random random = {4};
    const double centre[3] = {0};
    for (int round = 0; round < 100; round++) {
        for (soup.count = 0; soup.count < HARD_SOUP;) {
            hard_pair pair;
            hard_triangle_pair(&random, &pair);
            hard_soup_add(&soup, &pair);
        }
        assert_true_decisions(hard_soup_pairs(&soup), 2 * soup.count, centre, reach_of(soup.positions, 6 * soup.count, centre));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_pairs_are_decided),
        cmocka_unit_test(shared_corners_on_one_side_are_decided),
        cmocka_unit_test(triangles_that_pass_each_other_at_a_shared_corner_are_decided),
        cmocka_unit_test(what_is_decided_is_true_however_close),
        cmocka_unit_test(the_rounding_of_edges_is_bounded),
        cmocka_unit_test(edges_that_almost_meet_are_decided_rightly),
        cmocka_unit_test(extreme_coordinates_are_left_in_doubt),
        cmocka_unit_test(hard_pairs_are_decided_rightly_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
