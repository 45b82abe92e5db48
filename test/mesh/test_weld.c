#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "snag/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_matches_pair_loop(const double (*x)[3], uint32_t count, const uint32_t *vertex_of)
{
    for (uint32_t v = 0; v < count; v++) {
        uint32_t lowest = 0;
        while (x[lowest][0] != x[v][0] || x[lowest][1] != x[v][1] || x[lowest][2] != x[v][2])
            lowest++;
        assert_int_equal(vertex_of[v], lowest);
    }
}

static void random_clouds_match_a_pair_loop(void **state)
{
    (void)state;
    snag__random random = {3};
    for (int round = 0; round < 3000; round++) {
        enum { MOST = 80 };
        double x[MOST][3];
        float f[MOST][3];
        uint32_t count = snag__random_below(&random, MOST + 1), grid = 1 + snag__random_below(&random, 5);
        for (uint32_t v = 0; v < count; v++)
            for (int c = 0; c < 3; c++) {
                // Thirds do not fit a float: rounding makes float clouds other than double ones. Zeros of either sign.
                double value = ((double)snag__random_below(&random, grid) - 2) / 3;
                x[v][c] = value == 0 && snag__random_below(&random, 2) ? -0.0 : value;
                f[v][c] = (float)x[v][c];
            }
        uint32_t from_double[MOST], from_float[MOST];
        assert_int_equal(snag_mesh_weld(snag_positions_f64(&x[0][0], count), NULL, from_double), SNAG_OK);
        assert_int_equal(snag_mesh_weld(snag_positions_f32(&f[0][0], count), NULL, from_float), SNAG_OK);
        assert_matches_pair_loop((const double(*)[3])x, count, from_double);
        assert_memory_equal(from_double, from_float, count * sizeof *from_double);
    }
}

static void coordinates_one_bit_apart_stay_apart(void **state)
{
    (void)state;
    const double x[4][3] = {{1, 1, 1}, {1, 1, nextafter(1, 2)}, {1, nextafter(1, 0), 1}, {1, 1, 1}};
    const uint32_t expected[4] = {0, 1, 2, 0};
    uint32_t vertex_of[4];
    assert_int_equal(snag_mesh_weld(snag_positions_f64(&x[0][0], 4), NULL, vertex_of), SNAG_OK);
    assert_memory_equal(vertex_of, expected, sizeof expected);
}

static void many_copies_of_few_points_become_few(void **state)
{
    (void)state;
    enum { COUNT = 200000, POINTS = 3 };
    double *x = malloc(COUNT * 3 * sizeof *x);
    uint32_t *vertex_of = malloc(COUNT * sizeof *vertex_of);
    assert_non_null(x);
    assert_non_null(vertex_of);
    for (uint32_t v = 0; v < COUNT; v++)
        for (int c = 0; c < 3; c++)
            x[3 * v + c] = v % POINTS;
    assert_int_equal(snag_mesh_weld(snag_positions_f64(x, COUNT), NULL, vertex_of), SNAG_OK);
    for (uint32_t v = 0; v < COUNT; v++)
        assert_int_equal(vertex_of[v], v % POINTS);
    free(x);
    free(vertex_of);
}

static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

// The z that takes weld.c's hash of (x, y, z) into the lowest bucket; may be no finite number.
static double colliding_z(double x, double y, uint64_t low_bits)
{
    uint64_t bits[2], h = 0;
    memcpy(&bits[0], &x, 8);
    memcpy(&bits[1], &y, 8);
    for (int c = 0; c < 2; c++) {
        h = (h ^ bits[c]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    uint64_t wanted = (low_bits & 0xffffffffu) * inverse_of(0xd6e8feb86659fd93u);
    wanted ^= wanted >> 32;
    uint64_t z_bits = (wanted * inverse_of(0x9e3779b97f4a7c15u)) ^ h;
    double z;
    memcpy(&z, &z_bits, 8);
    return z;
}

// A hash table, or sorting a bucket by insertion, would take minutes here.
static void coordinates_chosen_to_collide_cost_no_more_than_sorting(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    snag__random random;
    double(*x)[3] = malloc(COUNT * sizeof *x);
    uint32_t *vertex_of = malloc(COUNT * sizeof *vertex_of);
    assert_non_null(x);
    assert_non_null(vertex_of);
    for (uint32_t v = 0; v < COUNT; v++) {
        uint32_t point = v % (COUNT / 2);  // each point twice
        random.state = point;
        x[v][0] = point;
        x[v][1] = 1;
        do {
            x[v][2] = colliding_z(point, 1, snag__random_u64(&random));
        } while (!isfinite(x[v][2]));
    }
    // By comparing each with each this would take hours.
    assert_int_equal(snag_mesh_weld(snag_positions_f64(&x[0][0], COUNT), NULL, vertex_of), SNAG_OK);
    for (uint32_t v = 0; v < COUNT; v++)
        assert_int_equal(vertex_of[v], v % (COUNT / 2));
    free(x);
    free(vertex_of);
}

static void bad_input_is_refused_and_nothing_is_written(void **state)
{
    (void)state;
    const double bad[2][3] = {{0, 0, 0}, {0, NAN, 0}};
    uint32_t vertex_of[2] = {77, 77};
    assert_int_equal(snag_mesh_weld(snag_positions_f64(&bad[0][0], 2), NULL, vertex_of), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_mesh_weld(snag_positions_f64(NULL, 2), NULL, vertex_of), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_mesh_weld(snag_positions_f64(&bad[0][0], SIZE_MAX), NULL, vertex_of), SNAG_ERROR_SIZE);
    assert_int_equal(snag_mesh_weld(snag_positions_f64(&bad[0][0], 1), NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(vertex_of[0], 77);
    assert_int_equal(vertex_of[1], 77);
    assert_int_equal(snag_mesh_weld(snag_positions_f64(NULL, 0), NULL, NULL), SNAG_OK);
}

static snag_status weld_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    const float x[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    uint32_t vertex_of[3];
    return snag_mesh_weld(snag_positions_f32(&x[0][0], 3), allocator, vertex_of);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(weld_cycle, NULL) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds_match_a_pair_loop),
        cmocka_unit_test(coordinates_one_bit_apart_stay_apart),
        cmocka_unit_test(many_copies_of_few_points_become_few),
        cmocka_unit_test(coordinates_chosen_to_collide_cost_no_more_than_sorting),
        cmocka_unit_test(bad_input_is_refused_and_nothing_is_written),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
