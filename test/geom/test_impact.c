// The impact test against the rational judge and dense sampling; on public data see test_impact_data.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geom/impact.h"
#include "helpers/motions.h"
#include "helpers/rational_impact.h"
#include "helpers/sampled_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many random motions: few in CI; SNAG_MANY=100 makes it a hundred times as many.
static int many(int count)
{
    const char *factor = getenv("SNAG_MANY");
    return factor ? count * atoi(factor) : count;
}

// The same bits in every order, and agreement with the judge in verdict and time.
static bool check_motion(const snag__motion *m)
{
    snag__impact impact = snag__impact_find(m, 0, 0);
    double low = 1, high = 1;
    bool truth = rational_impact_first(m->pair == EE, m->t0, m->t1, &low, &high);
    bool right = impact.verdict == (truth ? SNAG__IMPACT_MEETS : SNAG__IMPACT_FREE);
    right = right && impact.t <= (truth ? high : 1) && impact.t >= (truth ? low - 0x1p-38 : 1) && impact.t >= 0;
    for (int i = 0; i < order_count(m->pair); i++) {
        snag__motion other = in_order(m, order_of(m->pair, i));
        snag__impact again = snag__impact_find(&other, 0, 0);
        right = right && again.verdict == impact.verdict && again.t == impact.t && again.exact == impact.exact;
    }
    if (!right) {
        print_motion(m);
        print_message("  judge: %d in [%a, %a]; found: %d at %a%s\n", truth, low, high, impact.verdict, impact.t,
                      impact.exact ? " (exact)" : "");
    }
    return right;
}

// ---- random motions ----

typedef enum style {
    STYLE_EVEN,
    STYLE_GRID,
    STYLE_FLAT,
    STYLE_LINE,
    STYLE_REST,
    STYLE_SHARED,
    STYLE_FAR,
    STYLE_NEAR,
    STYLES
} style;

static void random_point(snag__random *random, style how, double x[3])
{
    for (int k = 0; k < 3; k++) {
        switch (how) {
        case STYLE_EVEN:
        case STYLE_FAR:
        case STYLE_NEAR: x[k] = snag__random_range(random, -1, 1); break;
        case STYLE_FLAT: x[k] = k == 2 ? 0 : (double)snag__random_below(random, 5) - 2; break;
        case STYLE_LINE: x[k] = k > 0 ? 0 : (double)snag__random_below(random, 9) - 4; break;
        default: x[k] = (double)snag__random_below(random, 4) - 1.5; break;
        }
    }
}

// Moves the last point (of edges) or the first (of a vertex and a triangle) so that the sides touch at t0, but for
// rounding; or at t1, or at both. The motions that then only rounding decides are hard on every bound.
static void bring_near(snag__random *random, snag__motion *m)
{
    uint32_t ends = snag__random_below(random, 3);
    double u = (double)snag__random_below(random, 5) / 4, v = (1 - u) * snag__random_unit(random);
    for (int end = 0; end < 2; end++) {
        double(*x)[3] = end ? m->t1 : m->t0;
        for (int k = 0; k < 3 && (ends == 2 || ends == (uint32_t)end); k++) {
            if (m->pair == VF)
                x[0][k] = (1 - u - v) * x[1][k] + u * x[2][k] + v * x[3][k];
            else
                x[3][k] = x[2][k] + 1.7 * (x[0][k] + u * (x[1][k] - x[0][k]) - x[2][k]);
        }
    }
    if (snag__random_below(random, 2))  // small steps, so that what holds at t0 is in doubt all along
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                m->t1[i][k] = m->t0[i][k] + (m->t1[i][k] - m->t0[i][k]) * 0x1p-45;
}

static snag__motion random_motion(snag__random *random, style how)
{
    snag__motion m = {.pair = snag__random_below(random, 2) ? EE : VF};
    for (int i = 0; i < 4; i++) {
        random_point(random, how, m.t0[i]);
        random_point(random, how, m.t1[i]);
        if (how == STYLE_REST && snag__random_below(random, 2))
            memcpy(m.t1[i], m.t0[i], sizeof m.t1[i]);
        if (how == STYLE_SHARED && i > 0 && snag__random_below(random, 2)) {
            memcpy(m.t0[i], m.t0[0], sizeof m.t0[i]);
            if (snag__random_below(random, 2))
                memcpy(m.t1[i], m.t1[0], sizeof m.t1[i]);
        }
    }
    if (how == STYLE_NEAR)
        bring_near(random, &m);
    // A plane or a line askew, in numbers that are exact: (x, y, 0) -> (x, y, x + 2 y) and (x, 0, 0) -> (x, 2 x, -x).
    for (int i = 0; i < 4; i++)
        for (int end = 0; end < 2; end++) {
            double *x = end ? m.t1[i] : m.t0[i];
            if (how == STYLE_FLAT)
                x[2] = x[0] + 2 * x[1] + (end ? 3 : 0);
            if (how == STYLE_LINE) {
                x[1] = end ? 2 * x[0] : x[0];
                x[2] = -x[0];
            }
            if (how == STYLE_FAR)
                for (int k = 0; k < 3; k++)
                    x[k] = x[k] * 1e-3 + 1000;
        }
    return m;
}

static void random_and_degenerate_motions_agree_with_the_rational_judge(void **state)
{
    (void)state;
    snag__random random = {7};
    int wrong = 0, hits = 0, exact = 0, count = many(60);
    for (int how = 0; how < STYLES; how++) {
        int hits_before = hits, exact_before = exact;
        for (int i = 0; i < count; i++) {
            snag__motion m = random_motion(&random, (style)how);
            wrong += !check_motion(&m);
            snag__impact impact = snag__impact_find(&m, 0, 0);
            hits += is_hit(impact);
            exact += impact.exact;
        }
        print_message("style %d: %d of %d meet, %d exact\n", how, hits - hits_before, count, exact - exact_before);
    }
    assert_int_equal(wrong, 0);
}

// ---- degenerate motions, by name ----

static snag__motion motion_of(snag__impact_pair pair, const double t0[4][3], const double t1[4][3])
{
    snag__motion m = {.pair = pair};
    memcpy(m.t0, t0, sizeof m.t0);
    memcpy(m.t1, t1, sizeof m.t1);
    return m;
}

static void expect_meeting(const snag__motion *m, double t)
{
    assert_true(check_motion(m));
    snag__impact impact = snag__impact_find(m, 0, 1e-6);
    assert_int_equal(impact.verdict, SNAG__IMPACT_MEETS);
    assert_true(impact.t <= t && impact.t >= t - 0x1p-38);
}

static void expect_free(const snag__motion *m)
{
    assert_true(check_motion(m));
    snag__impact impact = snag__impact_find(m, 0, 1e-6);
    assert_int_equal(impact.verdict, SNAG__IMPACT_FREE);
    assert_true(impact.t == 1);
}

#define TRIANGLE                                                                                                                   \
    {0, 0, 0}, {4, 0, 0},                                                                                                          \
    {                                                                                                                              \
        0, 4, 0                                                                                                                    \
    }

static void a_vertex_through_a_triangle_meets_it_on_the_way(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{1, 1, 3}, TRIANGLE}, (double[4][3]){{1, 1, -1}, TRIANGLE});
    expect_meeting(&m, 0.75);
    m.t1[0][2] = 0;  // just reaches it
    expect_meeting(&m, 1);
    m.t1[0][2] = 0x1p-1060;
    expect_free(&m);
    m = motion_of(VF, (double[4][3]){{3, 3, 3}, TRIANGLE}, (double[4][3]){{3, 3, -1}, TRIANGLE});
    expect_free(&m);
    m.t0[0][0] = m.t1[0][0] = 1;  // onto the slanted edge
    expect_meeting(&m, 0.75);
    m.t0[0][0] = m.t1[0][0] = 1 + 0x1p-52;
    expect_free(&m);
    m = motion_of(VF, (double[4][3]){{4, 0, 3}, TRIANGLE}, (double[4][3]){{4, 0, -1}, TRIANGLE});  // onto a corner
    expect_meeting(&m, 0.75);
}

static void parallel_edges_meet_where_they_come_to_overlap(void **state)
{
    (void)state;
    snag__motion m = motion_of(EE, (double[4][3]){{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {3, 1, 0}},
                               (double[4][3]){{0, 0, 0}, {2, 0, 0}, {1, -1, 0}, {3, -1, 0}});
    expect_meeting(&m, 0.5);
    for (int i = 2; i < 4; i++) {
        m.t0[i][0] += 1;  // now only end to end
        m.t1[i][0] += 1;
    }
    expect_meeting(&m, 0.5);
    for (int i = 2; i < 4; i++) {
        m.t0[i][0] += 0x1p-50;
        m.t1[i][0] += 0x1p-50;
    }
    expect_free(&m);
}

static void edges_on_one_line_meet_end_to_end(void **state)
{
    (void)state;
    snag__motion m = motion_of(EE, (double[4][3]){{0, 0, 0}, {1, 2, 3}, {3, 6, 9}, {4, 8, 12}},
                               (double[4][3]){{0, 0, 0}, {1, 2, 3}, {-1, -2, -3}, {0, 0, 0}});
    expect_meeting(&m, 0.5);
    m = motion_of(EE, (double[4][3]){{0, 0, 0}, {1, 2, 3}, {3, 6, 9}, {4, 8, 12}},
                  (double[4][3]){{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {9, 18, 27}});
    expect_free(&m);
}

static void a_slide_within_the_plane_meets_at_the_border(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{-4, 1, 0}, TRIANGLE}, (double[4][3]){{4, 1, 0}, TRIANGLE});
    expect_meeting(&m, 0.5);
    m.t0[0][1] = m.t1[0][1] = 4;  // past the corner, touching it
    expect_meeting(&m, 0.5);
    m.t0[0][1] = m.t1[0][1] = 4 + 0x1p-50;
    expect_free(&m);
    // Edges in one plane: the end of one runs into the side of the other.
    m = motion_of(EE, (double[4][3]){{0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {2, 0, 0}},
                  (double[4][3]){{0, -1, 0}, {0, 1, 0}, {-3, 0, 0}, {-2, 0, 0}});
    expect_meeting(&m, 0.25);
}

static void without_motion_they_meet_at_once_or_never(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{1, 1, 0}, TRIANGLE}, (double[4][3]){{1, 1, 0}, TRIANGLE});
    expect_meeting(&m, 0);
    m.t0[0][2] = m.t1[0][2] = 5e-324;
    expect_free(&m);
    m = motion_of(EE, (double[4][3]){{0, 0, 0}, {2, 2, 2}, {0, 2, 1}, {2, 0, 1}},
                  (double[4][3]){{0, 0, 0}, {2, 2, 2}, {0, 2, 1}, {2, 0, 1}});
    expect_meeting(&m, 0);
}

static void touching_at_the_start_is_an_impact_at_0_even_when_they_part(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{1, 1, 0}, TRIANGLE}, (double[4][3]){{1, 1, 7}, TRIANGLE});
    expect_meeting(&m, 0);
    m = motion_of(VF, (double[4][3]){{4, 0, 0}, TRIANGLE}, (double[4][3]){{9, 0, 0}, TRIANGLE});
    expect_meeting(&m, 0);
    m = motion_of(EE, (double[4][3]){{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                  (double[4][3]){{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
    expect_meeting(&m, 0);
}

// The volume is (t - 1/2)^2: the vertex comes down to the tilting triangle, touches it and leaves.
static void a_graze_is_found_and_a_near_miss_is_not(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{0, 0.25, 0.25}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                               (double[4][3]){{0.5, 0.25, -0.75}, {0, 0, 0}, {1, 0, -2}, {0, 1, 0}});
    expect_meeting(&m, 0.5);
    m.t0[0][2] += 0x1p-54;
    expect_free(&m);
}

static void an_edge_without_length_is_a_point(void **state)
{
    (void)state;
    snag__motion m = motion_of(EE, (double[4][3]){{-1, 0, 0}, {1, 0, 0}, {0.5, 0, 1}, {0.5, 0, 1}},
                               (double[4][3]){{-1, 0, 0}, {1, 0, 0}, {0.5, 0, -1}, {0.5, 0, -1}});
    expect_meeting(&m, 0.5);
    m.t0[2][1] = m.t0[3][1] = 0x1p-1050;
    expect_free(&m);
    m = motion_of(EE, (double[4][3]){{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
                  (double[4][3]){{3, 3, 3}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}});
    expect_meeting(&m, 1.0 / 3);
}

static void a_triangle_without_area_is_a_segment_or_a_point(void **state)
{
    (void)state;
    snag__motion m = motion_of(VF, (double[4][3]){{1, 0, 1}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                               (double[4][3]){{1, 0, -1}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
    expect_meeting(&m, 0.5);
    m.t0[0][1] = 0x1p-38;
    expect_free(&m);
    m = motion_of(VF, (double[4][3]){{1, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                  (double[4][3]){{-1, 0, -1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
    expect_meeting(&m, 0.5);
    // Flat at t = 1/2 only, when the vertex passes through the line that it is then.
    m = motion_of(VF, (double[4][3]){{0, 0, 1}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                  (double[4][3]){{0, 0, -1}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}});
    expect_meeting(&m, 0.5);
}

static void repeated_vertices_have_defined_answers(void **state)
{
    (void)state;
    snag__motion m = {.pair = VF};
    expect_meeting(&m, 0);
    m.pair = EE;
    expect_meeting(&m, 0);
    m = motion_of(VF, (double[4][3]){{0, 0, 0}, TRIANGLE}, (double[4][3]){{5, 5, 5}, TRIANGLE});
    expect_meeting(&m, 0);
}

// ---- extreme coordinates ----

static void scaling_by_powers_of_two_changes_nothing(void **state)
{
    (void)state;
    snag__random random = {3};
    int exponents[] = {-1000, -700, -300, -60, 60, 300, 700, 1000};
    for (int i = 0; i < 100; i++) {
        snag__motion m = random_motion(&random, i % 2 ? STYLE_GRID : STYLE_EVEN);
        // Coordinates of 20 bits, so that none is lost at either end of the range.
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                m.t0[p][k] = rint(m.t0[p][k] * 0x1p20) * 0x1p-20;
                m.t1[p][k] = rint(m.t1[p][k] * 0x1p20) * 0x1p-20;
            }
        snag__impact unscaled = snag__impact_find(&m, 0, 0);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            snag__motion scaled = m;
            for (int p = 0; p < 4; p++)
                for (int k = 0; k < 3; k++) {
                    scaled.t0[p][k] = ldexp(m.t0[p][k], exponents[e]);
                    scaled.t1[p][k] = ldexp(m.t1[p][k], exponents[e]);
                }
            snag__impact impact = snag__impact_find(&scaled, 0, 0);
            assert_int_equal(impact.verdict, unscaled.verdict);
            assert_true(fabs(impact.t - unscaled.t) <= 0x1p-38);
        }
    }
}

// A plane stays a plane, and a time a time; the numbers become as long as they can.
static void scaling_along_the_axes_changes_nothing(void **state)
{
    (void)state;
    snag__random random = {5};
    const int exponents[3] = {1000, -1000, 20};
    for (int i = 0; i < 160; i++) {
        snag__motion m = random_motion(&random, (style)(i % STYLES));
        if (i % STYLES == STYLE_EVEN || i % STYLES == STYLE_FAR) {  // a graze, in either direction
            m = motion_of(VF, (double[4][3]){{0, 0.25, 0.25}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                          (double[4][3]){{0.5, 0.25, -0.75}, {0, 0, 0}, {1, 0, -2}, {0, 1, 0}});
            m.t0[0][1] = m.t1[0][1] = 0.125 * (double)(i % 8);
        }
        snag__motion scaled = m;
        for (int p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                scaled.t0[p][k] = ldexp(m.t0[p][k], exponents[(k + i) % 3]);
                scaled.t1[p][k] = ldexp(m.t1[p][k], exponents[(k + i) % 3]);
            }
        snag__impact unscaled = snag__impact_find(&m, 0, 0), impact = snag__impact_find(&scaled, 0, 0);
        assert_int_equal(impact.verdict, unscaled.verdict);
        assert_true(fabs(impact.t - unscaled.t) <= 0x1p-38);
    }
}

// Zeros, ones, and numbers from 2^-range to 2^range.
static double wild_number(snag__random *random, int range)
{
    double sign = snag__random_below(random, 2) ? 1 : -1;
    switch (snag__random_below(random, 8)) {
    case 0: return sign;
    case 1: return sign * ldexp(1, range);
    case 2: return sign * ldexp(1, -range);
    case 3: return sign * ldexp(snag__random_range(random, 0.5, 1), range);
    case 4: return sign * ldexp(snag__random_range(random, 0.5, 1), (int)snag__random_below(random, 100) - 50);
    default: return 0;
    }
}

static snag__motion wild_motion(snag__random *random, int range)
{
    snag__motion m = {.pair = snag__random_below(random, 2) ? EE : VF};
    for (int p = 0; p < 4; p++)
        for (int k = 0; k < 3; k++) {
            m.t0[p][k] = wild_number(random, range);
            m.t1[p][k] = snag__random_below(random, 2) ? m.t0[p][k] : wild_number(random, range);
        }
    return m;
}

static void check_details(const snag__motion *m, double t)
{
    snag__impact_details details;
    snag__impact_describe(m, t, &details);
    double length = 0, sum_a = 0, sum_b = 0;
    for (int k = 0; k < 3; k++) {
        assert_true(isfinite(details.point_a[k]) && isfinite(details.point_b[k]) && isfinite(details.normal[k]));
        length += details.normal[k] * details.normal[k];
    }
    assert_true(length == 0 || fabs(length - 1) < 1e-14);
    for (int i = 0; i < 4; i++) {
        assert_true(details.weight[i] >= 0 && details.weight[i] <= 1);
        *(m->pair == EE && i < 2 ? &sum_a : &sum_b) += details.weight[i];
    }
    assert_true(fabs(sum_b - 1) < 1e-14 && (m->pair == VF || fabs(sum_a - 1) < 1e-14));
}

// Without the judge, whose time grows with the range: bounds that hold for any motion.
static snag__impact check_bounds(const snag__motion *m)
{
    snag__impact impact = snag__impact_find(m, 0, 0);
    assert_true(impact.t >= 0 && impact.t <= 1 && (is_hit(impact) || impact.t == 1));
    check_details(m, impact.t);
    snag__impact wide = snag__impact_find(m, 1e-10, 0);
    assert_true(wide.t >= 0 && wide.t <= 1);
    if (impact.verdict == SNAG__IMPACT_MEETS)
        assert_true(is_hit(wide) && wide.t <= impact.t + 0x1p-38);
    check_details(m, wide.t);
    return impact;
}

static void magnitudes_from_the_smallest_to_the_largest_may_be_mixed(void **state)
{
    (void)state;
    snag__random random = {11};
    int hits = 0, unresolved = 0, count = many(400), judged = many(60);
    for (int i = 0; i < count; i++) {
        snag__motion m = wild_motion(&random, i < judged ? 80 : 996);
        snag__impact impact = check_bounds(&m);
        hits += is_hit(impact);
        unresolved += impact.verdict == SNAG__IMPACT_UNRESOLVED;
        if (i < judged)
            assert_true(check_motion(&m));
    }
    print_message("%d of %d meet, %d of them unresolved\n", hits, count, unresolved);
    // Only times that agree in all bits that are looked at are left unresolved.
    assert_true(hits > count / 20 && hits < count / 2 && unresolved * 10 <= count);
}

// ---- with a separation ----

static void with_a_separation_no_sample_comes_closer_before_the_time(void **state)
{
    (void)state;
    snag__random random = {23};
    int hits = 0, count = many(200);
    for (int i = 0; i < count; i++) {
        style how = (style)snag__random_below(&random, STYLES);
        snag__motion m = random_motion(&random, how);
        double separation = snag__random_range(&random, 0.001, how == STYLE_FAR ? 0.002 : 0.5);
        double tolerance = snag__random_below(&random, 3) == 0 ? 0 : separation * 1e-3;
        snag__impact impact = snag__impact_find(&m, separation, tolerance);
        assert_int_not_equal(impact.verdict, SNAG__IMPACT_UNRESOLVED);
        hits += is_hit(impact);
        double end = is_hit(impact) ? impact.t : 1;
        for (int j = 0; j <= 40; j++)
            if (end > 0)
                assert_true((double)sampled_distance(&m, (long double)end * j / 40) > separation * (1 - 1e-9));
        if (is_hit(impact))
            assert_true((double)sampled_distance(&m, impact.t) <= separation + tolerance + 1e-9);
        for (int j = 0; j < order_count(m.pair); j++) {
            snag__motion other = in_order(&m, order_of(m.pair, j));
            snag__impact again = snag__impact_find(&other, separation, tolerance);
            assert_true(again.verdict == impact.verdict && again.t == impact.t);
        }
        check_details(&m, impact.t);
    }
    assert_true(hits > count / 10 && hits < count * 9 / 10);
}

static void separations_at_the_edge_of_motions_have_defined_answers(void **state)
{
    (void)state;
    // Zero motion within and beyond the separation.
    snag__motion m = motion_of(VF, (double[4][3]){{1, 1, 1}, TRIANGLE}, (double[4][3]){{1, 1, 1}, TRIANGLE});
    assert_true(is_hit(snag__impact_find(&m, 1.5, 0)) && snag__impact_find(&m, 1.5, 0).t == 0);
    assert_true(is_hit(snag__impact_find(&m, 1, 0)));
    assert_false(is_hit(snag__impact_find(&m, 0.999, 0)));
    // A slide in parallel just above the separation is free, at once.
    m.t0[0][0] = -100;
    m.t1[0][0] = 100;
    assert_int_equal(snag__impact_find(&m, 0.999999, 1e-9).verdict, SNAG__IMPACT_FREE);
    assert_int_equal(snag__impact_find(&m, 1.000001, 1e-9).verdict, SNAG__IMPACT_MEETS);
    // Parallel edges closing in.
    m = motion_of(EE, (double[4][3]){{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {3, 1, 0}},
                  (double[4][3]){{0, 0, 0}, {2, 0, 0}, {1, -1, 0}, {3, -1, 0}});
    snag__impact impact = snag__impact_find(&m, 0.5, 1e-8);
    assert_true(is_hit(impact) && impact.t <= 0.25 && impact.t > 0.25 - 1e-8);
    // Larger than everything.
    assert_true(snag__impact_find(&m, 1e308, 1e308).t == 0);
    assert_true(is_hit(snag__impact_find(&(snag__motion){.pair = EE}, 5e-324, 0)));
}

// Points within 1 of each other but for some that are up to 2^29 away: sides that are long against their distance.
static snag__motion long_motion(snag__random *random)
{
    snag__motion m = {.pair = snag__random_below(random, 2) ? EE : VF};
    uint32_t exponents = 1 + snag__random_below(random, 30);
    bool still = snag__random_below(random, 2) == 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            int exponent = snag__random_below(random, 2) ? (int)snag__random_below(random, exponents) : 0;
            m.t0[i][k] = ldexp(snag__random_range(random, -1, 1), exponent);
            m.t1[i][k] = m.t0[i][k] + (still ? 0 : snag__random_range(random, -2, 2));
        }
    return m;
}

static double size_of(const snag__motion *m)
{
    double size = 0;
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fmax(fabs(m->t0[i][k] - m->t0[0][k]), fabs(m->t1[i][k] - m->t1[0][k])));
    return size;
}

// The direction between long sides that are near each other must be right to a rounding of their length: an angle of a
// rounding of their distance lets the far ends look as if they met.
static void long_sides_are_reported_only_when_they_come_near(void **state)
{
    (void)state;
    snag__random random = {29};
    int hits = 0, count = many(4000);
    for (int i = 0; i < count; i++) {
        snag__motion m = long_motion(&random);
        double separation = snag__random_range(&random, 0.001, 0.5);
        snag__impact impact = snag__impact_find(&m, separation, 0);
        if (impact.verdict != SNAG__IMPACT_MEETS)
            continue;
        hits++;
        assert_true((double)sampled_distance(&m, impact.t) <= separation + 0x1p-38 * size_of(&m));
    }
    assert_true(hits > count / 20 && hits < count / 2);
    // 833 apart, one of them 4e8 times as long as that.
    const double near_ends[4][3] = {{-160.625, -345207996416, 0}, {833.25, 0, 0}, {0, -135704, 14360}, {0, 0, 0}};
    snag__motion m = motion_of(EE, near_ends, near_ends);
    assert_int_equal(snag__impact_find(&m, 64.25, 0.0078).verdict, SNAG__IMPACT_FREE);
}

// ---- where and how ----

static void the_normal_points_from_b_to_a_as_before_the_impact(void **state)
{
    (void)state;
    snag__impact_details details;
    for (int side = -1; side <= 1; side += 2) {
        snag__motion m = motion_of(VF, (double[4][3]){{1, 2, 3.0 * side}, TRIANGLE}, (double[4][3]){{1, 2, -1.0 * side}, TRIANGLE});
        snag__impact_describe(&m, snag__impact_find(&m, 0, 0).t, &details);
        assert_true(details.normal[0] == 0 && details.normal[1] == 0 && details.normal[2] == side);
        assert_true(fabs(details.weight[0] - 0.25) < 1e-12 && fabs(details.weight[1] - 0.25) < 1e-12);
        assert_true(fabs(details.weight[2] - 0.5) < 1e-12 && details.weight[3] == 0);
        assert_true(fabs(details.point_b[0] - 1) < 1e-11 && fabs(details.point_b[1] - 2) < 1e-11);
    }
    // Edges: a passes down through b; and with the sides exchanged.
    snag__motion m = motion_of(EE, (double[4][3]){{-1, 0, 1}, {3, 0, 1}, {0, -1, 0}, {0, 3, 0}},
                               (double[4][3]){{-1, 0, -1}, {3, 0, -1}, {0, -1, 0}, {0, 3, 0}});
    for (int i = 0; i < 8; i++) {
        snag__motion other = in_order(&m, ee_orders[i]);
        snag__impact_describe(&other, snag__impact_find(&other, 0, 0).t, &details);
        assert_true(fabs(details.normal[2] - (ee_orders[i][0] < 2 ? 1 : -1)) < 1e-14);
        for (int j = 0; j < 4; j++)
            assert_true(fabs(details.weight[j] - (ee_orders[i][j] % 2 ? 0.25 : 0.75)) < 1e-12);
    }
}

static void normals_of_degenerate_motions_are_as_documented(void **state)
{
    (void)state;
    snag__impact_details details;
    // A slide in the plane: along the slide, against the border.
    snag__motion m = motion_of(VF, (double[4][3]){{-4, 1, 0}, TRIANGLE}, (double[4][3]){{4, 1, 0}, TRIANGLE});
    snag__impact_describe(&m, snag__impact_find(&m, 0, 0).t, &details);
    assert_true(fabs(details.normal[0] + 1) < 1e-9);
    // Touching from the start: against the motion.
    m = motion_of(VF, (double[4][3]){{1, 1, 0}, TRIANGLE}, (double[4][3]){{1, 2, 5}, TRIANGLE});
    snag__impact_describe(&m, 0, &details);
    assert_true(details.normal[2] == -1);
    // Touching, without motion and without a plane: none.
    m = (snag__motion){.pair = EE};
    snag__impact_describe(&m, 0, &details);
    assert_true(details.normal[0] == 0 && details.normal[1] == 0 && details.normal[2] == 0);
    // With a separation: along the line between the closest points.
    m = motion_of(VF, (double[4][3]){{-3, -4, 0}, TRIANGLE}, (double[4][3]){{0, 0, 0}, TRIANGLE});
    snag__impact_describe(&m, snag__impact_find(&m, 1, 1e-6).t, &details);
    assert_true(fabs(details.normal[0] + 0.6) < 1e-12 && fabs(details.normal[1] + 0.8) < 1e-12);
}

// ---- the wide filter ----

enum { RUN = 3000 };

typedef struct run_data {
    double x_t0[4 * RUN][3], x_t1[4 * RUN][3];
    uint32_t pairs[RUN][2], edges[2 * RUN][2], triangles[RUN][3];
    uint32_t open[RUN], other[RUN];
} run_data;

// Pair i has points 4 i .. 4 i + 3; the elements are numbered backwards, so that no number is right by chance.
static void make_run(run_data *data, snag__impact_pair pair, uint64_t seed, snag__impact_run *run)
{
    snag__random random = {seed};
    for (uint32_t i = 0; i < RUN; i++) {
        snag__motion m;
        do {
            m = random_motion(&random, i % 2 ? STYLE_NEAR : (style)snag__random_below(&random, STYLES));
        } while (m.pair != pair);
        int exponent = snag__random_below(&random, 8) == 0 ? (int)snag__random_below(&random, 2000) - 1000 : 0;
        for (uint32_t p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                data->x_t0[4 * i + p][k] = ldexp(m.t0[p][k], exponent);
                data->x_t1[4 * i + p][k] = ldexp(m.t1[p][k], exponent);
            }
        uint32_t j = RUN - 1 - i;
        for (uint32_t p = 0; p < 2; p++) {
            data->edges[j][p] = 4 * i + p;
            data->edges[RUN + j][p] = 4 * i + 2 + p;
        }
        for (uint32_t p = 0; p < 3; p++)
            data->triangles[j][p] = 4 * i + 1 + p;
        data->pairs[i][1] = pair == EE ? j : 4 * i;
        data->pairs[i][0] = pair == EE ? RUN + j : j;
    }
    *run = (snag__impact_run){.pair = pair, .pairs = (const uint32_t(*)[2])data->pairs, .a_column = 1};
    run->a.x_t0 = run->b.x_t0 = (const double(*)[3])data->x_t0;
    run->a.x_t1 = run->b.x_t1 = (const double(*)[3])data->x_t1;
    run->a.elements = pair == EE ? data->edges[0] : NULL;
    run->b.elements = pair == EE ? data->edges[0] : data->triangles[0];
}

static void the_filter_rejects_only_free_pairs_and_the_same_for_every_instruction_set(void **state)
{
    (void)state;
    static const double separations[] = {0, 0.1};
    run_data *data = malloc(sizeof *data);
    for (int pair = 0; pair < 2; pair++)
        for (int s = 0; s < 2; s++) {
            snag__impact_run run;
            double separation = separations[s], tolerance = 1e-3;
            make_run(data, (snag__impact_pair)pair, 99 + (uint64_t)s, &run);
            run.reach = separation > 0 ? separation + tolerance : 0;
            size_t count = snag__impact_kernels_for(SNAG_ISA_SCALAR)->filter(&run, 0, RUN, data->open);
            size_t next = 0;
            for (uint32_t i = 0; i < RUN; i++) {
                if (next < count && data->open[next] == i) {
                    next++;
                    continue;
                }
                snag__motion m;
                snag__impact_run_motion(&run, i, &m);
                assert_int_equal(snag__impact_find(&m, separation, tolerance).verdict, SNAG__IMPACT_FREE);
            }
            assert_int_equal(next, count);
            assert_true(count > RUN / 10 && count < RUN * 9 / 10);
            for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
                if (!snag__isa_available((snag_isa)isa))
                    continue;
                // In pieces whose ends are no multiple of a vector.
                const snag__impact_kernels *kernels = snag__impact_kernels_for((snag_isa)isa);
                size_t first = 0, found = 0;
                for (size_t length = 1; first < RUN; first += length, length = length * 2 + 1) {
                    size_t end = first + length < RUN ? first + length : RUN;
                    found += kernels->filter(&run, first, end, data->other + found);
                }
                assert_int_equal(found, count);
                assert_memory_equal(data->other, data->open, count * sizeof *data->open);
            }
        }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vertex_through_a_triangle_meets_it_on_the_way),
        cmocka_unit_test(parallel_edges_meet_where_they_come_to_overlap),
        cmocka_unit_test(edges_on_one_line_meet_end_to_end),
        cmocka_unit_test(a_slide_within_the_plane_meets_at_the_border),
        cmocka_unit_test(without_motion_they_meet_at_once_or_never),
        cmocka_unit_test(touching_at_the_start_is_an_impact_at_0_even_when_they_part),
        cmocka_unit_test(a_graze_is_found_and_a_near_miss_is_not),
        cmocka_unit_test(an_edge_without_length_is_a_point),
        cmocka_unit_test(a_triangle_without_area_is_a_segment_or_a_point),
        cmocka_unit_test(repeated_vertices_have_defined_answers),
        cmocka_unit_test(scaling_by_powers_of_two_changes_nothing),
        cmocka_unit_test(scaling_along_the_axes_changes_nothing),
        cmocka_unit_test(magnitudes_from_the_smallest_to_the_largest_may_be_mixed),
        cmocka_unit_test(with_a_separation_no_sample_comes_closer_before_the_time),
        cmocka_unit_test(long_sides_are_reported_only_when_they_come_near),
        cmocka_unit_test(separations_at_the_edge_of_motions_have_defined_answers),
        cmocka_unit_test(the_normal_points_from_b_to_a_as_before_the_impact),
        cmocka_unit_test(normals_of_degenerate_motions_are_as_documented),
        cmocka_unit_test(the_filter_rejects_only_free_pairs_and_the_same_for_every_instruction_set),
        cmocka_unit_test(random_and_degenerate_motions_agree_with_the_rational_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
