// Orientation against rational arithmetic, on points that are hard for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "geom/geom.h"
#include "helpers/hard.h"
#include "helpers/rational.h"

enum { GRID, UNIT, FLOATS, ANY, NEARLY_FLAT, SHIFTED, HUGE_AND_TINY, FAMILIES };

// Four points of a family: on a small grid, in the unit cube, of floats, of any finite doubles, a few bits off a common
// plane, far from the origin, or of two magnitudes.
static void make_points(snag__random *random, int family, double p[4][3])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            switch (family) {
            case GRID: p[i][k] = hard_grid(random, 2); break;
            case FLOATS: p[i][k] = (float)snag__random_range(random, -1, 1); break;
            case ANY: p[i][k] = hard_any_double(random); break;
            case SHIFTED: p[i][k] = 1e6 + snag__random_range(random, -1e-6, 1e-6); break;
            case HUGE_AND_TINY: p[i][k] = hard_grid(random, 2) * (snag__random_below(random, 2) ? 1e300 : 1e-300); break;
            default: p[i][k] = snag__random_range(random, -1, 1);
            }
    if (family == NEARLY_FLAT) {
        double s = snag__random_range(random, -1, 2), t = snag__random_range(random, -1, 2);
        double scale = ldexp(1.0, (int)snag__random_below(random, 1400) - 700);
        for (int k = 0; k < 3; k++) {
            double flat = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
            p[3][k] = hard_nudged(random, flat);
            for (int i = 0; i < 4; i++)
                p[i][k] *= scale;
        }
    }
}

static void orient3d_has_the_sign_of_the_exact_volume(void **state)
{
    (void)state;
    snag__random random = {1};
    for (int i = 0; i < 60000; i++) {
        double p[4][3];
        make_points(&random, i % FAMILIES, p);
        assert_int_equal(snag__orient3d(p[0], p[1], p[2], p[3]), judge_orient3d(p[0], p[1], p[2], p[3]));
    }
}

static void orient2d_has_the_sign_of_the_exact_area(void **state)
{
    (void)state;
    snag__random random = {2};
    for (int i = 0; i < 60000; i++) {
        double p[4][3];
        make_points(&random, i % FAMILIES, p);
        if (i % 3 == 0)  // nearly or truly on a line
            for (int k = 0; k < 3; k++)
                p[2][k] = hard_nudged(&random, p[0][k] / 2 + p[1][k] / 2);
        int axis = (int)snag__random_below(&random, 3);
        assert_int_equal(snag__orient2d(p[0], p[1], p[2], axis), judge_orient2d(p[0], p[1], p[2], axis));
        assert_int_equal(snag__is_collinear(p[0], p[1], p[2]), judge_is_collinear(p[0], p[1], p[2]));
    }
}

static void swapping_two_points_turns_the_sign(void **state)
{
    (void)state;
    snag__random random = {3};
    for (int i = 0; i < 20000; i++) {
        double p[4][3];
        make_points(&random, i % FAMILIES, p);
        int sign = snag__orient3d(p[0], p[1], p[2], p[3]);
        assert_int_equal(snag__orient3d(p[1], p[0], p[2], p[3]), -sign);
        assert_int_equal(snag__orient3d(p[0], p[2], p[1], p[3]), -sign);
        assert_int_equal(snag__orient3d(p[0], p[1], p[3], p[2]), -sign);
        assert_int_equal(snag__orient3d(p[3], p[1], p[2], p[0]), -sign);
    }
}

static void the_documented_side_is_positive(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, above[3] = {0, 0, 1};
    assert_int_equal(snag__orient3d(a, b, c, above), 1);
    assert_int_equal(snag__orient2d(a, b, c, 2), 1);
}

static void equal_points_and_extremes_give_zero(void **state)
{
    (void)state;
    const double a[3] = {1e300, -1e-300, 1}, b[3] = {-1e300, 5e-324, 2}, c[3] = {1e-300, 1e300, 1.7976931348623157e308};
    assert_int_equal(snag__orient3d(a, b, c, a), 0);
    assert_int_equal(snag__orient3d(a, a, b, c), 0);
    assert_int_equal(snag__orient3d(a, b, b, c), 0);
    assert_true(snag__is_collinear(a, a, b));
    assert_true(snag__is_collinear(a, a, a));
    assert_false(snag__is_collinear(a, b, c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orient3d_has_the_sign_of_the_exact_volume), cmocka_unit_test(orient2d_has_the_sign_of_the_exact_area),
        cmocka_unit_test(swapping_two_points_turns_the_sign),        cmocka_unit_test(the_documented_side_is_positive),
        cmocka_unit_test(equal_points_and_extremes_give_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
