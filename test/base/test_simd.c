// The wide types against plain loops, in whatever width this file is compiled for.
#include "base/random.h"
#include "base/simd.h"
#include "helpers/test.h"

#include <math.h>

static const double odd_values[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 1e-310, 1e300, 3.5, -3.5};
enum { ODD = sizeof odd_values / sizeof *odd_values };

static void doubles_compare_select_and_clamp_like_plain_ones(void **state)
{
    (void)state;
    snag__random random = {1};
    for (int round = 0; round < 2000; round++) {
        double a[SNAG__LANES_F64], b[SNAG__LANES_F64], low[SNAG__LANES_F64], high[SNAG__LANES_F64], size[SNAG__LANES_F64];
        for (int i = 0; i < SNAG__LANES_F64; i++) {
            a[i] = odd_values[snag__random_below(&random, ODD)];
            b[i] = odd_values[snag__random_below(&random, ODD)];
        }
        snag__f64w x = snag__f64w_load(a), y = snag__f64w_load(b);
        snag__f64w_store(low, snag__f64w_min(x, y));
        snag__f64w_store(high, snag__f64w_max(x, y));
        snag__f64w_store(size, snag__f64w_abs(x));
        uint32_t less = snag__i64w_bits(snag__f64w_lt(x, y)), at_most = snag__i64w_bits(snag__f64w_le(x, y));
        for (int i = 0; i < SNAG__LANES_F64; i++) {
            assert_int_equal(less >> i & 1, a[i] < b[i]);
            assert_int_equal(at_most >> i & 1, a[i] <= b[i]);
            assert_memory_equal(&low[i], a[i] < b[i] ? &a[i] : &b[i], sizeof(double));
            assert_memory_equal(&high[i], a[i] > b[i] ? &a[i] : &b[i], sizeof(double));
            assert_true(size[i] == fabs(a[i]) && !signbit(size[i]));
        }
    }
}

static void floats_compare_select_and_clamp_like_plain_ones(void **state)
{
    (void)state;
    snag__random random = {2};
    for (int round = 0; round < 2000; round++) {
        float a[SNAG__LANES_F32], b[SNAG__LANES_F32], low[SNAG__LANES_F32], high[SNAG__LANES_F32];
        for (int i = 0; i < SNAG__LANES_F32; i++) {
            a[i] = (float)odd_values[snag__random_below(&random, ODD)];
            b[i] = (float)odd_values[snag__random_below(&random, ODD)];
        }
        snag__f32w x = snag__f32w_load(a), y = snag__f32w_load(b);
        snag__f32w_store(low, snag__f32w_min(x, y));
        snag__f32w_store(high, snag__f32w_max(x, y));
        uint32_t at_most = snag__i32w_bits(snag__f32w_le(x, y));
        for (int i = 0; i < SNAG__LANES_F32; i++) {
            assert_int_equal(at_most >> i & 1, a[i] <= b[i]);
            assert_memory_equal(&low[i], a[i] < b[i] ? &a[i] : &b[i], sizeof(float));
            assert_memory_equal(&high[i], a[i] > b[i] ? &a[i] : &b[i], sizeof(float));
        }
    }
}

static void one_value_fills_all_lanes(void **state)
{
    (void)state;
    double doubles[SNAG__LANES_F64];
    float floats[SNAG__LANES_F32];
    snag__f64w_store(doubles, snag__f64w_all(-0.25));
    snag__f32w_store(floats, snag__f32w_all(0.5f));
    for (int i = 0; i < SNAG__LANES_F64; i++)
        assert_true(doubles[i] == -0.25);
    for (int i = 0; i < SNAG__LANES_F32; i++)
        assert_true(floats[i] == 0.5f);
    assert_int_equal(snag__i32w_bits(snag__i32w_eq(snag__i32w_all(7), snag__i32w_all(7))), SNAG__ALL_F32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_compare_select_and_clamp_like_plain_ones),
        cmocka_unit_test(floats_compare_select_and_clamp_like_plain_ones),
        cmocka_unit_test(one_value_fills_all_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
