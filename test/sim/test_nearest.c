// The nearest point of a surface against shapes whose distance is known.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "nearest.h"

static double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(int32_t)*state / 2147483648.0;
}

// A box's distance is that of its nearest side from inside, and of clamped coordinates from outside.
static void test_the_distance_of_a_box_is_known(void **state)
{
    (void)state;
    snag_shape box;
    assert_int_equal(snag_shape_box(3, 2, 4, 6, &box), SNAG_OK);
    const double half[3] = {1, 2, 3};
    snag__sim_memory memory = {0};
    snag__nearest nearest;
    assert_true(snag__nearest_create(&nearest, &box, (const double(*)[3])box.positions, &memory));
    snag__nearest_refit(&nearest);
    uint32_t random = 5;
    for (int i = 0; i < 2000; i++) {
        double p[3] = {2 * noise(&random), 3 * noise(&random), 4 * noise(&random)}, way[3], end[3];
        double inside = HUGE_VAL, outside = 0;
        for (int k = 0; k < 3; k++) {
            inside = fmin(inside, half[k] - fabs(p[k]));
            outside += fmax(fabs(p[k]) - half[k], 0) * fmax(fabs(p[k]) - half[k], 0);
        }
        double expected = inside > 0 ? inside : sqrt(outside);
        double distance = snag__nearest_surface(&nearest, p, NULL, 10, way);
        assert_true(fabs(distance - expected) < 1e-12 && fabs(snag__length3(way) - distance) < 1e-12);
        double furthest = -1;  // where the way ends is on the box
        for (int k = 0; k < 3; k++) {
            end[k] = p[k] + way[k];
            furthest = fmax(furthest, fabs(end[k]) - half[k]);
        }
        assert_true(fabs(furthest) < 1e-12);
    }
    snag__sim_free_all(&memory);
    snag_shape_free(&box);
}

// Near an edge there are two ways out of a box; the one through the face that looks forward is taken, if it is within reach.
static void test_ways_lead_forward_and_end_within_reach(void **state)
{
    (void)state;
    snag_shape box;
    assert_int_equal(snag_shape_box(5, 2, 4, 6, &box), SNAG_OK);
    snag__sim_memory memory = {0};
    snag__nearest nearest;
    assert_true(snag__nearest_create(&nearest, &box, (const double(*)[3])box.positions, &memory));
    snag__nearest_refit(&nearest);
    const double p[3] = {0.9, 1.8, 0.03}, right[3] = {1, 0, 0}, back[3] = {0, 1, 0}, left[3] = {-1, 0, 0};
    double way[3];
    assert_true(fabs(snag__nearest_surface(&nearest, p, NULL, 1, way) - 0.1) < 1e-12 && way[0] > 0);
    assert_true(fabs(snag__nearest_surface(&nearest, p, right, 1, way) - 0.1) < 1e-12 && way[0] > 0);
    assert_true(fabs(snag__nearest_surface(&nearest, p, back, 1, way) - 0.2) < 1e-12 && way[1] > 0);
    assert_true(isinf(snag__nearest_surface(&nearest, p, left, 1, way)));
    assert_true(isinf(snag__nearest_surface(&nearest, p, NULL, 0.09, way)));
    // A surface that has moved is found where it is once its boxes are.
    for (size_t i = 0; i < box.vertex_count; i++)
        box.positions[3 * i] += 5;
    snag__nearest_refit(&nearest);
    assert_true(fabs(snag__nearest_surface(&nearest, p, NULL, 9, way) - 3.1) < 1e-12);
    snag__sim_free_all(&memory);
    snag_shape_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_distance_of_a_box_is_known),
                                       cmocka_unit_test(test_ways_lead_forward_and_end_within_reach)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
