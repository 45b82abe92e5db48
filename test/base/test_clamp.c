// Zeros keep one sign on every system, and a NaN loses against a number.
#include "base/clamp.h"
#include "helpers/test.h"

#include <math.h>
#include <stdbool.h>

static bool same(double a, double b)
{
    return a == b && signbit(a) == signbit(b);
}

static void of_two_zeros_the_second_is_taken(void **state)
{
    (void)state;
    assert_true(same(snag__max(-0.0, 0.0), 0.0) && same(snag__max(0.0, -0.0), -0.0));
    assert_true(same(snag__min(-0.0, 0.0), 0.0) && same(snag__min(0.0, -0.0), -0.0));
}

static void the_larger_and_the_smaller_of_numbers(void **state)
{
    (void)state;
    assert_true(snag__max(1, 2) == 2 && snag__max(2, 1) == 2 && snag__max(-INFINITY, -1) == -1);
    assert_true(snag__min(1, 2) == 1 && snag__min(2, 1) == 1 && snag__min(INFINITY, 1) == 1);
}

static void a_number_wins_over_nan(void **state)
{
    (void)state;
    assert_true(snag__max(NAN, 1) == 1 && snag__max(1, NAN) == 1 && isnan(snag__max(NAN, NAN)));
    assert_true(snag__min(NAN, 1) == 1 && snag__min(1, NAN) == 1 && isnan(snag__min(NAN, NAN)));
}

static void clamping_never_gives_a_negative_zero(void **state)
{
    (void)state;
    assert_true(same(snag__not_negative(-0.0), 0.0) && same(snag__not_negative(-3), 0.0) && same(snag__not_negative(NAN), 0.0));
    assert_true(snag__not_negative(0x1p-1074) == 0x1p-1074 && snag__not_negative(INFINITY) == INFINITY);
    assert_true(same(snag__clamp_to(-0.0, 1), 0.0) && snag__clamp_to(2, 1) == 1 && snag__clamp_to(0.25, 1) == 0.25);
    assert_true(same(snag__clamp_to(5, 0), 0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_zeros_the_second_is_taken),
        cmocka_unit_test(the_larger_and_the_smaller_of_numbers),
        cmocka_unit_test(a_number_wins_over_nan),
        cmocka_unit_test(clamping_never_gives_a_negative_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
