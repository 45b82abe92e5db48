// Exact integers against GMP's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "geom/exact.h"
#include "helpers/hard.h"

static void to_gmp(mpz_t z, snag__exact a)
{
    mpz_import(z, (size_t)a.length, -1, sizeof(uint64_t), 0, 0, a.limb);
    if (a.sign < 0)
        mpz_neg(z, z);
}

static void assert_is(snag__exact a, const mpz_t expected)
{
    mpz_t z;
    mpz_init(z);
    to_gmp(z, a);
    assert_int_equal(mpz_cmp(z, expected), 0);
    assert_int_equal(a.sign, mpz_sgn(expected));
    assert_true(a.length == 0 || a.limb[a.length - 1] != 0);
    assert_true((a.length == 0) == (a.sign == 0));
    mpz_clear(z);
}

// value / 2^unit through GMP's rationals.
static void expected_from(mpz_t z, double value, int unit)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, value);
    if (unit >= 0)
        mpq_div_2exp(q, q, (mp_bitcnt_t)unit);
    else
        mpq_mul_2exp(q, q, (mp_bitcnt_t)-unit);
    assert_int_equal(mpz_cmp_ui(mpq_denref(q), 1), 0);
    mpz_set(z, mpq_numref(q));
    mpq_clear(q);
}

static double any(snag__random *random)
{
    switch (snag__random_below(random, 4)) {
    case 0: return hard_grid(random, 3);
    case 1: return snag__random_range(random, -1, 1);
    case 2: return ldexp(hard_grid(random, 1000), (int)snag__random_below(random, 120) - 60);
    default: return hard_any_double(random);
    }
}

static void from_doubles_of_any_magnitude_is_exact(void **state)
{
    (void)state;
    snag__random random = {1};
    mpz_t za, zb;
    mpz_inits(za, zb, NULL);
    for (int i = 0; i < 20000; i++) {
        uint64_t limbs[8 * SNAG__EXACT_LIMBS(1)];
        snag__exact_room room = snag__exact_room_of(limbs, 8 * SNAG__EXACT_LIMBS(1));
        double a = any(&random), b = any(&random);
        int unit = snag__exact_unit(snag__exact_unit(SNAG__EXACT_NO_UNIT, a), b);
        expected_from(za, a, unit);
        expected_from(zb, b, unit);
        assert_is(snag__exact_from(&room, a, unit), za);
        assert_is(snag__exact_from(&room, b, unit), zb);
        mpz_sub(za, za, zb);
        assert_is(snag__exact_from_difference(&room, a, b, unit), za);
    }
    mpz_clears(za, zb, NULL);
}

static void the_unit_is_the_largest_that_divides_all_values(void **state)
{
    (void)state;
    assert_int_equal(snag__exact_unit(SNAG__EXACT_NO_UNIT, 0.0), SNAG__EXACT_NO_UNIT);
    assert_int_equal(snag__exact_unit(SNAG__EXACT_NO_UNIT, -12.0), 2);
    assert_int_equal(snag__exact_unit(2, 0.75), -2);
    assert_int_equal(snag__exact_unit(SNAG__EXACT_NO_UNIT, DBL_TRUE_MIN), -1074);
    assert_int_equal(snag__exact_unit(SNAG__EXACT_NO_UNIT, DBL_MAX), 971);
}

static void the_longest_numbers_fit_the_documented_room(void **state)
{
    (void)state;
    uint64_t limbs[SNAG__EXACT_LIMBS(1) * 2 + SNAG__EXACT_LIMBS(2) + SNAG__EXACT_LIMBS(3)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = snag__exact_unit(snag__exact_unit(SNAG__EXACT_NO_UNIT, DBL_MAX), DBL_TRUE_MIN);
    snag__exact difference = snag__exact_from_difference(&room, DBL_MAX, -DBL_MAX, unit);
    snag__exact least = snag__exact_from(&room, DBL_TRUE_MIN, unit);
    assert_int_equal(difference.length, 33);
    assert_int_equal(least.length, 1);
    snag__exact square = snag__exact_multiply(&room, difference, difference);
    snag__exact cube = snag__exact_multiply(&room, square, difference);
    assert_int_equal(cube.length, 99);
    mpz_t z;
    mpz_init(z);
    expected_from(z, DBL_MAX, unit);
    mpz_mul_2exp(z, z, 1);
    mpz_pow_ui(z, z, 3);
    assert_is(cube, z);
    mpz_clear(z);
}

// A random tree of operations, of degree up to 8, each result checked.
static void sums_differences_products_and_shifts_equal_those_of_gmp(void **state)
{
    (void)state;
    enum { VALUES = 24 };
    static uint64_t limbs[VALUES * SNAG__EXACT_LIMBS(8)];
    snag__random random = {2};
    mpz_t expected[VALUES], z;
    mpz_init(z);
    for (int i = 0; i < VALUES; i++)
        mpz_init(expected[i]);
    for (int round = 0; round < 400; round++) {
        snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
        snag__exact value[VALUES];
        int degree[VALUES];
        double first[4];
        int unit = SNAG__EXACT_NO_UNIT;
        for (int i = 0; i < 4; i++) {
            first[i] = any(&random);
            unit = snag__exact_unit(unit, first[i]);
        }
        for (int i = 0; i < VALUES; i++) {
            int a = i < 4 ? 0 : (int)snag__random_below(&random, (uint32_t)i),
                b = i < 4 ? 0 : (int)snag__random_below(&random, (uint32_t)i);
            int operation = i < 4 ? 4 : (int)snag__random_below(&random, 4);
            if (operation == 2 && degree[a] + degree[b] > 8)
                operation = 1;
            degree[i] = i < 4 ? 1 : operation == 2 ? degree[a] + degree[b] : degree[a] > degree[b] ? degree[a] : degree[b];
            switch (operation) {
            case 0:
                value[i] = snag__exact_add(&room, value[a], value[b]);
                mpz_add(expected[i], expected[a], expected[b]);
                break;
            case 1:
                value[i] = snag__exact_subtract(&room, value[a], value[b]);
                mpz_sub(expected[i], expected[a], expected[b]);
                break;
            case 2:
                value[i] = snag__exact_multiply(&room, value[a], value[b]);
                mpz_mul(expected[i], expected[a], expected[b]);
                break;
            case 3: {  // shifted as far as fits, then back in range by keeping the original
                snag__exact_room inner = room;
                int bits = (int)snag__random_below(&random, 130);
                mpz_mul_2exp(z, expected[a], (mp_bitcnt_t)bits);
                assert_is(snag__exact_shift(&inner, value[a], bits), z);
                value[i] = snag__exact_negate(snag__exact_keep(&room, value[a]));
                mpz_neg(expected[i], expected[a]);
                degree[i] = degree[a];
                break;
            }
            default: value[i] = snag__exact_from(&room, first[i], unit); expected_from(expected[i], first[i], unit);
            }
            assert_is(value[i], expected[i]);
            int order = mpz_cmp(expected[a], expected[b]);
            if (i >= 4)
                assert_int_equal(snag__exact_compare(value[a], value[b]), (order > 0) - (order < 0));
        }
    }
    for (int i = 0; i < VALUES; i++)
        mpz_clear(expected[i]);
    mpz_clear(z);
}

static void integers_of_64_bits_convert(void **state)
{
    (void)state;
    const int64_t values[] = {0, 1, -1, 42, INT64_MAX, INT64_MIN};
    mpz_t z;
    mpz_init(z);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t limbs[2];
        snag__exact_room room = snag__exact_room_of(limbs, 2);
        // By halves: GMP takes a long, which has 32 bits on some processors.
        mpz_set_si(z, (long)(values[i] >> 32));
        mpz_mul_2exp(z, z, 32);
        mpz_add_ui(z, z, (uint32_t)values[i]);
        assert_is(snag__exact_from_integer(&room, values[i]), z);
    }
    mpz_clear(z);
}

static void determinants_and_dots_equal_their_expansion(void **state)
{
    (void)state;
    static uint64_t limbs[9 * SNAG__EXACT_LIMBS(1) + 40 * SNAG__EXACT_LIMBS(3)];
    snag__random random = {3};
    mpz_t z[9], sum, term;
    mpz_inits(sum, term, NULL);
    for (int i = 0; i < 9; i++)
        mpz_init(z[i]);
    for (int round = 0; round < 2000; round++) {
        snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
        double d[9];
        snag__exact m[9];
        int unit = SNAG__EXACT_NO_UNIT;
        for (int i = 0; i < 9; i++)
            unit = snag__exact_unit(unit, d[i] = any(&random));
        for (int i = 0; i < 9; i++) {
            m[i] = snag__exact_from(&room, d[i], unit);
            expected_from(z[i], d[i], unit);
        }
        uint64_t *before = room.next;
        snag__exact dot = snag__exact_dot(&room, m, m + 3);
        assert_ptr_equal(room.next, before + dot.length);  // nothing else is kept
        mpz_set_ui(sum, 0);
        for (int k = 0; k < 3; k++)
            mpz_addmul(sum, z[k], z[3 + k]);
        assert_is(dot, sum);

        // The six permutations of three columns with their signs.
        static const int columns[6][4] = {{0, 1, 2, 1}, {1, 2, 0, 1}, {2, 0, 1, 1}, {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
        mpz_set_ui(sum, 0);
        for (int p = 0; p < 6; p++) {
            mpz_mul(term, z[columns[p][0]], z[3 + columns[p][1]]);
            mpz_mul(term, term, z[6 + columns[p][2]]);
            if (columns[p][3] > 0)
                mpz_add(sum, sum, term);
            else
                mpz_sub(sum, sum, term);
        }
        assert_is(snag__exact_determinant3(&room, m, m + 3, m + 6), sum);
    }
    for (int i = 0; i < 9; i++)
        mpz_clear(z[i]);
    mpz_clears(sum, term, NULL);
}

// |value - a / b 2^unit| is at most half a unit in the last place, with ties to even: no neighbour is nearer.
static void assert_nearest(double value, const mpz_t a, const mpz_t b, int unit)
{
    mpq_t exact, gap, other;
    mpq_inits(exact, gap, other, NULL);
    mpq_set_num(exact, a);
    mpq_set_den(exact, b);
    mpq_canonicalize(exact);
    if (unit >= 0)
        mpq_mul_2exp(exact, exact, (mp_bitcnt_t)unit);
    else
        mpq_div_2exp(exact, exact, (mp_bitcnt_t)-unit);
    if (isinf(value)) {
        mpq_set_d(other, DBL_MAX);
        mpq_abs(exact, exact);
        assert_true(mpq_cmp(exact, other) > 0);
    } else {
        mpq_set_d(gap, value);
        mpq_sub(gap, gap, exact);
        mpq_abs(gap, gap);
        for (int side = -1; side <= 1; side += 2) {
            double neighbour = nextafter(value, side * INFINITY);
            if (isinf(neighbour))
                continue;
            mpq_set_d(other, neighbour);
            mpq_sub(other, other, exact);
            mpq_abs(other, other);
            int order = mpq_cmp(gap, other);
            assert_true(order <= 0);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            assert_true(order < 0 || (bits & 1) == 0);
        }
    }
    mpq_clears(exact, gap, other, NULL);
}

static void ratios_are_correctly_rounded(void **state)
{
    (void)state;
    static uint64_t limbs[12 * SNAG__EXACT_LIMBS(4)];
    snag__random random = {4};
    mpz_t za, zb;
    mpz_inits(za, zb, NULL);
    for (int round = 0; round < 20000; round++) {
        snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
        double x = any(&random), y = any(&random);
        int unit = snag__exact_unit(snag__exact_unit(SNAG__EXACT_NO_UNIT, x), y);
        snag__exact a = snag__exact_from(&room, x, unit), b = snag__exact_from(&room, y, unit);
        if (snag__random_below(&random, 2))
            a = snag__exact_multiply(&room, a, b);
        if (snag__random_below(&random, 2))
            b = snag__exact_multiply(&room, b, b);
        if (snag__random_below(&random, 2))
            a = snag__exact_multiply(&room, a, a);
        if (b.sign == 0)
            continue;
        to_gmp(za, a);
        to_gmp(zb, b);
        int scale = (int)snag__random_below(&random, 4000) - 2000;
        assert_nearest(snag__exact_ratio(room, a, b, scale), za, zb, scale);
        assert_nearest(snag__exact_ratio(room, a, b, 0), za, zb, 0);
    }
    mpz_clears(za, zb, NULL);
}

// A limb of a number that long division finds hard: all bits, none, the highest or the lowest alone, or all but those.
static uint64_t hard_limb(snag__random *random)
{
    static const uint64_t limbs[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, UINT64_MAX >> 1, ((uint64_t)1 << 63) + 1};
    return limbs[snag__random_below(random, sizeof limbs / sizeof *limbs)];
}

static snag__exact hard_number(snag__random *random, uint64_t limbs[4])
{
    snag__exact number = {limbs, 1 + (int32_t)snag__random_below(random, 4), snag__random_below(random, 2) ? 1 : -1};
    for (int32_t i = 0; i < number.length; i++)
        limbs[i] = hard_limb(random);
    if (limbs[number.length - 1] == 0)
        limbs[number.length - 1] = (uint64_t)1 << 63;
    return number;
}

// The first estimate of a quotient is one or two too large, or does not fit a limb, at such numbers only.
static void ratios_of_long_runs_of_bits_are_correctly_rounded(void **state)
{
    (void)state;
    uint64_t limbs[64], limbs_a[4], limbs_b[4];
    snag__random random = {14};
    mpz_t za, zb;
    mpz_inits(za, zb, NULL);
    for (int round = 0; round < 20000; round++) {
        snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
        snag__exact a = hard_number(&random, limbs_a), b = hard_number(&random, limbs_b);
        to_gmp(za, a);
        to_gmp(zb, b);
        assert_nearest(snag__exact_ratio(room, a, b, 0), za, zb, 0);
    }
    mpz_clears(za, zb, NULL);
}

static void a_ratio_of_a_double_to_one_is_the_double(void **state)
{
    (void)state;
    snag__random random = {5};
    for (int i = 0; i < 20000; i++) {
        uint64_t limbs[8 * SNAG__EXACT_LIMBS(1)];
        snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
        double x = any(&random);
        int unit = snag__exact_unit(0, x);
        snag__exact a = snag__exact_from(&room, x, unit), one = snag__exact_from_integer(&room, 1);
        assert_true(snag__exact_ratio(room, a, one, unit) == x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_doubles_of_any_magnitude_is_exact),
        cmocka_unit_test(the_unit_is_the_largest_that_divides_all_values),
        cmocka_unit_test(the_longest_numbers_fit_the_documented_room),
        cmocka_unit_test(sums_differences_products_and_shifts_equal_those_of_gmp),
        cmocka_unit_test(integers_of_64_bits_convert),
        cmocka_unit_test(determinants_and_dots_equal_their_expansion),
        cmocka_unit_test(ratios_are_correctly_rounded),
        cmocka_unit_test(ratios_of_long_runs_of_bits_are_correctly_rounded),
        cmocka_unit_test(a_ratio_of_a_double_to_one_is_the_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
