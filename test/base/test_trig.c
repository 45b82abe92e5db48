// snag__sin and snag__cos against rounded values of a table (computed with 60 digits), against libm within its error, and at the edges.
#include "base/trig.h"
#include "helpers/test.h"

#include <math.h>

static void hard_cases_are_rounded_correctly(void **state)
{
    (void)state;
    // Values that glibc 2.36 rounds to the other neighbour.
    static const struct {
        double x, sine, cosine;
    } cases[] = {
        {0x1.ee7b845816c90p+2, 0x1.fbd4db9e28d5fp-1, 0x1.04cdfe1f83ba5p-3},
        {-0x1.b212e0c11e2e0p+2, -0x1.ea3a568455bf5p-2, 0x1.c183acccbf6a7p-1},
        {0x1.15ecaab66bf80p+1, 0x1.a66e35f3e27e5p-1, -0x1.214dac56fd548p-1},
        {0x1.aed15ec35ffc0p+0, 0x1.fcc984342a840p-1, -0x1.ca24a757f8f21p-4},
        {0x1.0000000000000p+0, 0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1},
        {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.0000000000000p+0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(snag__sin(cases[i].x) == cases[i].sine);
        assert_true(snag__cos(cases[i].x) == cases[i].cosine);
    }
}

static void values_are_within_an_ulp_of_libm(void **state)
{
    (void)state;
    for (int i = -20000; i <= 20000; i++) {
        double x = 0.0123 * i + 1e-7 * i * i;
#ifdef _WIN32
        // mingw-w64 leaves these to the x87 unit, which takes pi for a number of 66 bits: near zeros only the absolute error is small.
        assert_true(fabs(snag__sin(x) - sin(x)) <= 0x1p-52 && fabs(snag__cos(x) - cos(x)) <= 0x1p-52);
#else
        assert_true(fabs(snag__sin(x) - sin(x)) <= fabs(sin(x)) * 0x1p-52);
        assert_true(fabs(snag__cos(x) - cos(x)) <= fabs(cos(x)) * 0x1p-52);
#endif
    }
}

static void zero_quarters_and_signs(void **state)
{
    (void)state;
    assert_true(snag__sin(0) == 0 && !signbit(snag__sin(0)) && signbit(snag__sin(-0.0)));
    assert_true(snag__cos(0) == 1);
    assert_true(snag__sin(0x1p-600) == 0x1p-600);
    assert_true(snag__sin(0x1.921fb54442d18p+0) == 1);  // pi / 2
    assert_true(snag__cos(0x1.921fb54442d18p+0) == 0x1.1a62633145c07p-54);
    assert_true(snag__sin(-1) == -snag__sin(1) && snag__cos(-1) == snag__cos(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_cases_are_rounded_correctly),
        cmocka_unit_test(values_are_within_an_ulp_of_libm),
        cmocka_unit_test(zero_quarters_and_signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
