// Point against tetrahedron, judged by rational arithmetic.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "geom/geom.h"
#include "geom/tetrahedron_kernel.h"
#include "helpers/hard.h"
#include "helpers/rational.h"

typedef struct question {
    double tet[4][3], p[3];
    const double *corner[4];
} question;

// Tetrahedra and points: random, on a grid, of any doubles, flat or nearly so, with the point on a face, edge or
// corner; at any scale.
static void make_question(snag__random *random, question *q)
{
    uint32_t family = snag__random_below(random, 6);
    double weight[4], sum = 0;
    for (int i = 0; i < 4; i++) {
        weight[i] = snag__random_below(random, 2) ? snag__random_below(random, 4) : snag__random_unit(random);
        sum += weight[i];
    }
    for (int k = 0; k < 3; k++) {
        q->p[k] = 0;
        for (int i = 0; i < 4; i++) {
            q->tet[i][k] = family == 0  ? hard_any_double(random)
                           : family < 3 ? hard_grid(random, 4)
                                        : snag__random_range(random, -1, 1);
            if (family == 5 && i == 3)
                q->tet[i][k] =
                    hard_nudged(random, q->tet[0][k] + 0.5 * (q->tet[1][k] - q->tet[0][k]) + 0.25 * (q->tet[2][k] - q->tet[0][k]));
            q->p[k] += sum > 0 ? weight[i] / sum * q->tet[i][k] : 0;
        }
        if (family == 0 || family == 1)
            q->p[k] = family == 0 ? hard_any_double(random) : hard_grid(random, 4);
        if (!isfinite(q->p[k]))
            q->p[k] = 0;
    }
    double scale = family && snag__random_below(random, 4) == 0 ? ldexp(1, (int)snag__random_below(random, 1900) - 1000) : 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            q->tet[i][k] *= scale;
    for (int k = 0; k < 3; k++)
        q->p[k] *= scale;
    for (int i = 0; i < 4; i++)
        q->corner[i] = q->tet[i];
}

static void points_are_inside_as_rational_arithmetic_says(void **state)
{
    (void)state;
    snag__random random = {1};
    int inside = 0;
    for (int i = 0; i < 8000; i++) {
        question q;
        make_question(&random, &q);
        bool judged = judge_point_in_tet(q.p, q.tet);
        assert_int_equal(snag__point_in_tet(q.p, q.corner), judged);
        assert_int_equal(snag__point_in_tet_half_spaces(q.p, q.corner), judged);
        inside += judged;
    }
    assert_in_range(inside, 1600, 6400);
}

static void the_wide_kernels_give_the_same_answers(void **state)
{
    (void)state;
    enum { COUNT = 61 };
    static double tets[4 * COUNT][3], points[COUNT][3];
    static uint32_t corners[COUNT][4], pairs[COUNT][2];
    snag__random random = {4};
    for (int round = 0; round < 60; round++) {
        uint8_t expected[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            question q;
            make_question(&random, &q);
            memcpy(tets[4 * i], q.tet, sizeof q.tet);
            memcpy(points[i], q.p, sizeof q.p);
            for (uint32_t k = 0; k < 4; k++)
                corners[i][k] = 4 * i + k;
            pairs[i][0] = pairs[i][1] = i;
            expected[i] = judge_point_in_tet(q.p, q.tet);
        }
        snag__tet_pairs all = {.x_a = tets, .tets_a = corners, .x_b = points, .pairs = pairs, .count = COUNT};
        all.count -= (size_t)round % 9;
        size_t exact[2] = {0};
        for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            const snag__tet_kernels *kernels = snag__tet_kernels_for(isa);
            if (!snag__isa_available(isa))
                continue;
            for (int half_spaces = 0; half_spaces < 2; half_spaces++) {
                uint8_t inside[COUNT];
                size_t needed = (half_spaces ? kernels->inside_half_spaces : kernels->inside)(&all, inside);
                assert_memory_equal(inside, expected, all.count);
                if (isa == SNAG_ISA_SCALAR)
                    exact[half_spaces] = needed;
                assert_int_equal(needed, exact[half_spaces]);
                assert_true(needed < all.count);
            }
        }
    }
}

static void every_order_of_corners_gives_one_answer(void **state)
{
    (void)state;
    snag__random random = {2};
    for (int i = 0; i < 1500; i++) {
        question q;
        make_question(&random, &q);
        bool inside = snag__point_in_tet(q.p, q.corner);
        for (int order = 0; order < 24; order++) {
            const double *corner[4];
            int left[4] = {0, 1, 2, 3}, rest = order;
            for (int j = 0; j < 4; j++) {
                int pick = rest % (4 - j);
                rest /= 4 - j;
                corner[j] = q.corner[left[pick]];
                memmove(left + pick, left + pick + 1, (size_t)(3 - pick) * sizeof *left);
            }
            assert_int_equal(snag__point_in_tet(q.p, corner), inside);
            assert_int_equal(snag__point_in_tet_half_spaces(q.p, corner), inside);
        }
    }
}

static void weights_are_close_to_the_exact_ones_and_have_their_signs(void **state)
{
    (void)state;
    snag__random random = {3};
    for (int i = 0; i < 8000; i++) {
        question q;
        make_question(&random, &q);
        double weight[4], exact[4];
        judge_tet_weights(q.p, q.tet, exact);
        snag__tet_weights(q.p, q.corner, weight);
        for (int k = 0; k < 4; k++) {
            assert_false(isnan(weight[k]));
            assert_int_equal((weight[k] > 0) - (weight[k] < 0), (exact[k] > 0) - (exact[k] < 0));
            if (isfinite(exact[k]))
                assert_true(fabs(weight[k] - exact[k]) <= 1e-12 * fmax(1, fabs(exact[k])));
        }
    }
}

static void a_flat_tetrahedron_holds_nothing_and_has_no_weights(void **state)
{
    (void)state;
    const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, p[3] = {0.25, 0.25, 0};
    const double *corner[4] = {flat[0], flat[1], flat[2], flat[3]};
    double weight[4];
    assert_false(snag__point_in_tet(p, corner));
    assert_false(snag__point_in_tet_half_spaces(p, corner));
    assert_int_equal(snag__tet_orientation(corner), 0);
    snag__tet_weights(p, corner, weight);
    for (int i = 0; i < 4; i++)
        assert_true(weight[i] == 0);
}

static void corners_edges_and_faces_are_inside(void **state)
{
    (void)state;
    const double tet[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    const double *corner[4] = {tet[0], tet[1], tet[2], tet[3]}, *turned[4] = {tet[1], tet[0], tet[2], tet[3]};
    const double inside[][3] = {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}};
    const double outside[][3] = {{-1e-300, 0, 0}, {4.0000000000000009, 0, 0}, {1, 1, 2.0000000000000004}, {9, 9, 9}};
    assert_int_equal(snag__tet_orientation(corner), 1);
    assert_int_equal(snag__tet_orientation(turned), -1);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        assert_true(snag__point_in_tet(inside[i], corner) && snag__point_in_tet(inside[i], turned));
        assert_true(snag__point_in_tet_half_spaces(inside[i], corner));
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_false(snag__point_in_tet(outside[i], corner) || snag__point_in_tet(outside[i], turned));
        assert_false(snag__point_in_tet_half_spaces(outside[i], corner));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_inside_as_rational_arithmetic_says),
        cmocka_unit_test(the_wide_kernels_give_the_same_answers),
        cmocka_unit_test(every_order_of_corners_gives_one_answer),
        cmocka_unit_test(weights_are_close_to_the_exact_ones_and_have_their_signs),
        cmocka_unit_test(a_flat_tetrahedron_holds_nothing_and_has_no_weights),
        cmocka_unit_test(corners_edges_and_faces_are_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
