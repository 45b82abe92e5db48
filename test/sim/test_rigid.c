// Rigid bodies keep their shape and their momentum.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "rigid.h"

enum { COUNT = 6 };

typedef struct fixture {
    snag__sim_memory memory;
    snag__rigid rigid;
    double x[COUNT + 2][3], v[COUNT + 2][3], mass[COUNT + 2];  // one point before and one after that are not its own
} fixture;

static void start(fixture *f)
{
    static const double places[COUNT][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {-1, 0.5, 0}, {0.2, -1, 0.4}, {0.3, 0.3, -1}};
    *f = (fixture){0};
    for (int i = 0; i < COUNT; i++) {
        memcpy(f->x[i + 1], places[i], sizeof places[i]);
        f->mass[i + 1] = 0.5 + i;
    }
    assert_true(snag__rigid_create(&f->rigid, 1, COUNT, (const double(*)[3])f->x, f->mass, &f->memory));
}

static void momenta(const fixture *f, double line[3], double turn[3])
{
    memset(line, 0, 3 * sizeof *line);
    memset(turn, 0, 3 * sizeof *turn);
    for (int i = 1; i <= COUNT; i++) {
        double cross[3];
        snag__cross3(f->x[i], f->v[i], cross);
        snag__add_scaled3(line, f->mass[i], f->v[i]);
        snag__add_scaled3(turn, f->mass[i], cross);
    }
}

static double distance(const double *a, const double *b)
{
    double d[3];
    snag__subtract3(a, b, d);
    return snag__length3(d);
}

static void test_a_push_at_one_vertex_keeps_both_momenta(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    f.v[2][0] = 3, f.v[2][2] = -1, f.v[5][1] = 0.7;
    f.v[0][0] = f.v[COUNT + 1][0] = 8;
    double line[3], turn[3], line_after[3], turn_after[3];
    momenta(&f, line, turn);
    snag__rigid_velocities(&f.rigid, (const double(*)[3])f.x, f.mass, f.v);
    momenta(&f, line_after, turn_after);
    assert_true(distance(line, line_after) < 1e-12 && distance(turn, turn_after) < 1e-12);
    // No two points approach or leave each other.
    for (int i = 1; i <= COUNT; i++)
        for (int j = 1; j < i; j++) {
            double d[3], w[3];
            snag__subtract3(f.x[i], f.x[j], d);
            snag__subtract3(f.v[i], f.v[j], w);
            assert_true(fabs(snag__dot3(d, w)) < 1e-12);
        }
    assert_true(f.v[0][0] == 8 && f.v[COUNT + 1][0] == 8);
    snag__sim_free_all(&f.memory);
}

static void test_points_that_were_moved_singly_come_back_into_shape(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    fixture before = f;
    for (int round = 0; round < 40; round++) {
        f.x[1 + round % COUNT][round % 3] += 0.2;
        double centre[3] = {0}, after[3] = {0};
        for (int i = 1; i <= COUNT; i++)
            snag__add_scaled3(centre, f.mass[i], f.x[i]);
        snag__rigid_positions(&f.rigid, f.mass, f.x);
        for (int i = 1; i <= COUNT; i++)
            snag__add_scaled3(after, f.mass[i], f.x[i]);
        assert_true(distance(centre, after) < 1e-10);
        for (int i = 1; i <= COUNT; i++)
            for (int j = 1; j < i; j++)
                assert_true(fabs(distance(f.x[i], f.x[j]) - distance(before.x[i], before.x[j])) < 1e-12);
    }
    assert_true(distance(f.x[1], before.x[1]) > 0.1);
    snag__sim_free_all(&f.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_push_at_one_vertex_keeps_both_momenta),
        cmocka_unit_test(test_points_that_were_moved_singly_come_back_into_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
