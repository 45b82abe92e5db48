// Vertices near each other in the rest pose: those of a plain loop, wherever the vertices are, and none where they would be too many.
#include "mesh/rest_balls.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>

enum { COUNT = 600 };

static double distance(const double x[3], const double y[3])
{
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

static void balls_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    static double x[COUNT][3];
    // How far the vertices are spread along each axis, where they are, and the distance.
    static const double spread[][5] = {
        {1, 1, 1, 0, 0.12},    {1, 1, 0, 0, 0.08},    {1, 0, 0, -5, 0.02}, {0, 0, 0, 3, 1e-3},
        {1e6, 1, 1, 1e6, 0.1}, {1, 1, 1e-9, 0, 1e-7}, {3, 2, 1, -1, 0.3},
    };
    snag_allocator allocator = snag__default_allocator();
    snag__random random = {3};
    for (size_t s = 0; s < sizeof spread / sizeof *spread; s++) {
        const double d = spread[s][4];
        const uint32_t count = s == 3 ? 40 : COUNT;  // all at one place
        for (uint32_t v = 0; v < count; v++)
            for (int axis = 0; axis < 3; axis++)
                x[v][axis] = spread[s][3] + spread[s][axis] * (snag__random_unit(&random) - 0.5);
        snag__rest_balls balls = {0};
        assert_true(snag__rest_balls_build(&balls, (const double(*)[3])x, count, d, &allocator));
        assert_true(balls.usable);
        for (uint32_t v = 0; v < count; v++) {
            static int listed[COUNT];
            for (uint32_t w = 0; w < count; w++)
                listed[w] = 0;
            for (uint32_t k = balls.ball.start[v]; k < balls.ball.start[v + 1]; k++)
                listed[balls.ball.items[k]]++;
            for (uint32_t w = 0; w < count; w++)
                assert_int_equal(listed[w], distance(x[v], x[w]) <= d * (1 - 1e-9));
        }
        snag__rest_balls_free(&allocator, &balls);
    }
}

static void too_many_are_none(void **state)
{
    (void)state;
    static double x[COUNT][3];
    snag_allocator allocator = snag__default_allocator();
    snag__random random = {4};
    for (uint32_t v = 0; v < COUNT; v++)
        for (int axis = 0; axis < 3; axis++)
            x[v][axis] = snag__random_unit(&random);
    snag__rest_balls balls = {0};
    const double distances[] = {0.05, 2, 1e200, 1e-200};
    for (int i = 0; i < 4; i++) {
        assert_true(snag__rest_balls_build(&balls, (const double(*)[3])x, COUNT, distances[i], &allocator));
        assert_int_equal(balls.usable, i == 0);
    }
    assert_true(snag__rest_balls_build(&balls, NULL, 0, 1, &allocator) && !balls.usable);
    snag__rest_balls_free(&allocator, &balls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_are_those_of_a_plain_loop),
        cmocka_unit_test(too_many_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
