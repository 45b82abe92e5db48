// Impacts that random motions hardly ever have: roots of every multiplicity, points that stay on one line, coordinates at the end
// of the range; against the rational judge, and against the same motion at another scale.
#include "base/random.h"
#include "geom/impact.h"
#include "geom/impact_inside.h"
#include "helpers/motions.h"
#include "helpers/rational_impact.h"
#include "helpers/test.h"

#include <math.h>

// Verdict and time as the judge says, in every order of the points.
static void assert_judged(const snag__motion *m)
{
    double low = 1, high = 1;
    bool truth = rational_impact_first(m->pair == EE, m->t0, m->t1, &low, &high);
    for (int i = 0; i < order_count(m->pair); i++) {
        snag__motion other = in_order(m, order_of(m->pair, i));
        snag__impact found = snag__impact_find(&other, 0, 0);
        bool right = found.verdict == (truth ? SNAG__IMPACT_MEETS : SNAG__IMPACT_FREE) && found.t <= (truth ? high : 1) &&
                     found.t >= (truth ? low - 0x1p-38 : 1);
        if (!right) {
            print_motion(&other);
            fail_msg("judge: %d in [%a, %a]; found: %d at %a", truth, low, high, found.verdict, found.t);
        }
    }
}

// Three vectors from point 0 to the others at t: (1 - t / root) e, where e are edges of a tetrahedron. All four points meet in one
// at the root, and the volume has a root of multiplicity three there.
static snag__motion shrinking(snag__impact_pair pair, double rate, const double drift[3])
{
    static const double e[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    snag__motion m = {.pair = pair};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            m.t0[i][k] = e[i][k];
            m.t1[i][k] = e[i][k] * (1 - rate) + drift[k];
        }
    return m;
}

static void four_points_that_meet_in_one_have_a_triple_root(void **state)
{
    (void)state;
    static const double rates[] = {2, 3, 1.5, 1, 7, 1.0009765625, 0.5, 1000003};
    static const double drifts[][3] = {{0, 0, 0}, {1, 2, 4}, {-0.375, 0.5, 1e-3}};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (size_t d = 0; d < 3; d++)
            for (int pair = 0; pair < 2; pair++) {
                snag__motion m = shrinking(pair ? EE : VF, rates[r], drifts[d]);
                assert_judged(&m);
                snag__impact found = snag__impact_find(&m, 0, 0);
                if (rates[r] == 2)
                    assert_true(found.t == 0.5 || d > 1);
                // Points that are off by a little: the root splits.
                m.t1[3][2] += 0x1p-30;
                assert_judged(&m);
                m.t1[2][0] -= 0x1p-40;
                assert_judged(&m);
            }
}

// Two of the vectors shrink, the third stays: a double root, and a single one that may come before or after it.
static void double_roots_before_and_after_a_single_one(void **state)
{
    (void)state;
    snag__random random = {31};
    for (int i = 0; i < 150; i++) {
        static const double none[3] = {0, 0, 0};
        snag__motion m = shrinking(i % 2 ? EE : VF, 1 + (double)snag__random_below(&random, 6) / 2, none);
        int other = 1 + (int)snag__random_below(&random, 3);
        double rate = (double)snag__random_below(&random, 9) / 4;
        for (int k = 0; k < 3; k++)
            m.t1[other][k] = m.t0[other][k] * (1 - rate);
        assert_judged(&m);
    }
}

// On one line along an axis, or along a diagonal that turns: points coincide, or ends of edges do, or nothing does.
static void points_on_one_line_meet_where_they_come_to_coincide(void **state)
{
    (void)state;
    snag__random random = {32};
    for (int i = 0; i < 1000; i++) {
        snag__motion m = {.pair = i % 2 ? EE : VF};
        uint32_t along = snag__random_below(&random, 5);
        for (int p = 0; p < 4; p++)
            for (int end = 0; end < 2; end++) {
                double s = (double)snag__random_below(&random, 7) - 3, *x = end ? m.t1[p] : m.t0[p];
                for (int k = 0; k < 3; k++)
                    x[k] = along == 3 ? s * (k + 1) : along == 4 ? s * (end ? 1 : k) : (uint32_t)k == along ? s : 2;
            }
        assert_judged(&m);
    }
}

// The same motion 2^exponent times as large meets at the same time: all is relative.
static void separations_hold_at_the_end_of_the_range(void **state)
{
    (void)state;
    snag__random random = {33};
    static const int exponents[] = {900, 1001, 1015, 1021};
    int hits = 0;
    for (int i = 0; i < 600; i++) {
        snag__motion m = {.pair = i % 2 ? EE : VF}, large;
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                m.t0[p][k] = snag__random_range(&random, -1, 1);
                m.t1[p][k] = m.t0[p][k] + snag__random_range(&random, -1, 1);
            }
        double separation = snag__random_range(&random, 0, 0.2), tolerance = 1e-5;
        snag__impact small = snag__impact_find(&m, separation, tolerance);
        hits += is_hit(small);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            large.pair = m.pair;
            for (int p = 0; p < 4; p++)
                for (int k = 0; k < 3; k++) {
                    large.t0[p][k] = ldexp(m.t0[p][k], exponents[e]);
                    large.t1[p][k] = ldexp(m.t1[p][k], exponents[e]);
                }
            snag__impact found = snag__impact_find(&large, ldexp(separation, exponents[e]), ldexp(tolerance, exponents[e]));
            assert_int_equal(found.verdict, small.verdict);
            assert_true(found.t == small.t);
            snag__impact_details of_small, of_large;
            snag__impact_describe(&m, small.t, &of_small);
            snag__impact_describe(&large, small.t, &of_large);
            for (int k = 0; k < 3; k++) {
                assert_true(of_small.normal[k] == of_large.normal[k]);
                assert_true(of_large.point_a[k] == ldexp(of_small.point_a[k], exponents[e]) || exponents[e] > 1000);
            }
        }
    }
    assert_true(hits > 50 && hits < 550);
}

// ---- the filter ----

static bool filter_rejects(const snag__motion *m)
{
    static const uint32_t pairs[1][2] = {{0, 0}}, edges[2][2] = {{0, 1}, {2, 3}}, triangle[3] = {1, 2, 3}, sides[1][2] = {{1, 0}};
    bool ee = m->pair == EE;
    snag__impact_run run = {.pair = m->pair, .pairs = ee ? sides : pairs, .a_column = 1};
    run.a = run.b = (snag__impact_side){m->t0, m->t1, NULL};
    run.a.elements = ee ? edges[0] : NULL;
    run.b.elements = ee ? edges[0] : triangle;
    uint32_t open;
    return snag__impact_kernels_for(SNAG_ISA_SCALAR)->filter(&run, 0, 1, &open) == 0;
}

// Two axes so short that their product vanishes, and a third so long that it would have counted.
static void the_filter_keeps_what_meets_though_products_vanish(void **state)
{
    (void)state;
    static const int exponents[][3] = {{-1000, 200, -100}, {-60, -1010, 290}, {250, -600, -600}, {-1060, 0, 0}};
    snag__random random = {31};
    int hits = 0;
    for (int i = 0; i < 3000; i++) {
        snag__motion m = {.pair = i % 2 ? EE : VF};
        const int *e = exponents[i % 4];
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                m.t0[p][k] = ldexp(snag__random_below(&random, 3), e[(k + i) % 3]);
                m.t1[p][k] = ldexp(snag__random_below(&random, 3), e[(k + i) % 3]);
            }
        if (snag__impact_find(&m, 0, 0).verdict != SNAG__IMPACT_MEETS)
            continue;
        hits++;
        for (int j = 0; j < order_count(m.pair); j++) {
            snag__motion other = in_order(&m, order_of(m.pair, j));
            if (filter_rejects(&other)) {
                print_motion(&other);
                fail_msg("rejected, but it meets");
            }
        }
    }
    assert_true(hits > 300);
}

// Two edges whose heights never meet, while depths fall from 2^816: more bits of time than the exact stage looks at.
static void an_axis_keeps_sides_apart_at_all_magnitudes(void **state)
{
    (void)state;
    snag__motion motion = {
        .pair = SNAG__IMPACT_EDGE_EDGE,
        .t0 = {{-0x1.f14fa74c08dbep-3, 0x1.5194a49b3468bp+0, 0x1.beca07b816c6fp-2},
               {0x1.f970fca5cf361p-589, 0x1.5194a49b3468bp+0, 0x1.dd2219f8cfb5bp-465},
               {-0x1.b6c4e08e2ffccp-294, 0x1.fd4ee2af11bep-4, -0x1.496da251025f2p-3},
               {0x1.e72cef0d95bf8p-1, 0x1.716a48c62e33p-1, 0x1.de89a410675d9p+816}},
        .t1 = {{-0x1.f14784147578dp-3, 0x1.5194a49b3468bp+0, 0x1.beca07b816c6fp-2},
               {0x1.e71d9b289b5d1p-1, 0x1.5194a49b3468bp+0, 0x1.beca07b816c6fp-2},
               {0x1.e71d9b289b5d1p-1, 0x1.fd4ee2af11bep-4, -0x1.496da251025f2p-3},
               {0x1.e71d9b289b5d1p-1, 0x1.716a48c62e33p-1, -0x1.496da251025f2p-3}},
    };
    for (int turned = 0; turned < 2; turned++) {
        assert_int_equal(snag__impact_find(&motion, 0, 1e-6).verdict, SNAG__IMPACT_FREE);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) {
                double x_t0 = motion.t0[i][k], x_t1 = motion.t1[i][k];
                motion.t0[i][k] = motion.t0[i + 2][k], motion.t1[i][k] = motion.t1[i + 2][k];
                motion.t0[i + 2][k] = x_t0, motion.t1[i + 2][k] = x_t1;
            }
    }
    // Where they change sides they may meet.
    for (int i = 0; i < 2; i++)
        motion.t1[i][1] = -3;
    assert_int_not_equal(snag__impact_find(&motion, 0, 1e-6).verdict, SNAG__IMPACT_FREE);
}

// Halving comes upon a root that is a double in the middle, and ends there.
static void a_root_in_the_middle_is_the_time(void **state)
{
    (void)state;
    static const double triangle[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (int turn = -1; turn <= 1; turn += 2) {
        snag__motion m = {.pair = VF};
        for (int k = 0; k < 3; k++) {
            m.t0[0][k] = k < 2 ? 0.25 : -turn;
            m.t1[0][k] = k < 2 ? 0.25 : turn;
            for (int i = 0; i < 3; i++)
                m.t0[i + 1][k] = m.t1[i + 1][k] = triangle[i][k];
        }
        assert_true(snag__impact_exact_time(&m, 0.25, 0.75) == 0.5);
        double beside = snag__impact_exact_time(&m, 0.375, 0.75);
        assert_true(beside <= 0.5 && beside >= 0.5 - 0x1p-53);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_points_that_meet_in_one_have_a_triple_root),
        cmocka_unit_test(a_root_in_the_middle_is_the_time),
        cmocka_unit_test(double_roots_before_and_after_a_single_one),
        cmocka_unit_test(points_on_one_line_meet_where_they_come_to_coincide),
        cmocka_unit_test(separations_hold_at_the_end_of_the_range),
        cmocka_unit_test(the_filter_keeps_what_meets_though_products_vanish),
        cmocka_unit_test(an_axis_keeps_sides_apart_at_all_magnitudes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
