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

// ---- on a floor ----

enum { CORNERS = 8 };

typedef struct box {
    snag__sim_memory memory;
    snag__rigid rigid;
    double x[CORNERS][3], v[CORNERS][3], mass[CORNERS];
} box;

// 0.4 x 0.3 x 0.2, turned about x and y, its lowest corner at a height.
static void start_box(box *b, double turn, double height)
{
    *b = (box){0};
    double lowest = HUGE_VAL, c = cos(turn), s = sin(turn);
    for (int i = 0; i < CORNERS; i++) {
        double p[3] = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.15 : -0.15, i & 4 ? 0.1 : -0.1};
        double y = c * p[1] - s * p[2], z = s * p[1] + c * p[2];
        b->x[i][0] = c * p[0] + s * z;
        b->x[i][1] = y;
        b->x[i][2] = c * z - s * p[0];
        lowest = fmin(lowest, b->x[i][2]);
        b->mass[i] = 0.25;
    }
    for (int i = 0; i < CORNERS; i++)
        b->x[i][2] += height - lowest;
    assert_true(snag__rigid_create(&b->rigid, 0, CORNERS, (const double(*)[3])b->x, b->mass, &b->memory));
}

static void fall(box *b, const snag__obstacle *floor, double h)
{
    for (int i = 0; i < CORNERS; i++) {
        b->v[i][2] -= 9.81 * h;
        snag__add_scaled3(b->x[i], h, b->v[i]);
    }
    snag__rigid_velocities(&b->rigid, (const double(*)[3])b->x, b->mass, b->v);
    snag__rigid_positions(&b->rigid, b->mass, b->x);
    snag__rigid_meet(&b->rigid, floor, 1, b->mass, b->x, b->v);
}

static void test_a_box_falls_onto_the_floor_and_comes_to_rest_on_a_side(void **state)
{
    (void)state;
    const snag__obstacle floor = {.kind = SNAG__FLOOR, .centre = {0, 0, 0.5}, .friction = 0.5};
    box b;
    start_box(&b, 0.4, 1);
    double highest = HUGE_VAL;
    for (int step = 0; step < 1600; step++) {
        fall(&b, &floor, 1.0 / 400);
        double energy = 0;
        for (int i = 0; i < CORNERS; i++) {
            assert_true(b.x[i][2] > 0.5 - 1e-9);
            energy += b.mass[i] * (snag__dot3(b.v[i], b.v[i]) / 2 + 9.81 * b.x[i][2]);
        }
        assert_true(energy < highest * (1 + 1e-3));
        highest = fmin(highest, energy);
    }
    int down = 0;
    for (int i = 0; i < CORNERS; i++) {
        assert_true(snag__length3(b.v[i]) < 0.05);
        down += b.x[i][2] < 0.5 + 2e-3;
    }
    assert_int_equal(down, 4);
    snag__sim_free_all(&b.memory);
}

static void test_a_sliding_box_stops_where_coulomb_says(void **state)
{
    (void)state;
    const double frictions[] = {0.2, 0.5};
    for (int round = 0; round < 2; round++) {
        const snag__obstacle floor = {.kind = SNAG__FLOOR, .friction = frictions[round]};
        box b;
        start_box(&b, 0, 0);
        for (int i = 0; i < CORNERS; i++)
            b.v[i][0] = 1.5;
        for (int step = 0; step < 2000; step++)
            fall(&b, &floor, 1.0 / 1000);
        double way = b.rigid.centre[0], expected = 1.5 * 1.5 / (2 * frictions[round] * 9.81);
        assert_true(fabs(way / expected - 1) < 0.03);
        snag__sim_free_all(&b.memory);
    }
}

static void test_a_ball_that_stands_in_the_way_stops_a_box(void **state)
{
    (void)state;
    const snag__obstacle ball = {.kind = SNAG__BALL, .centre = {0.2, 0.15, -1}, .radius = 1, .friction = 0.3};
    box b;
    start_box(&b, 0, 0.1);
    double deepest = 0, slowest = 0;
    for (int step = 0; step < 100; step++) {
        fall(&b, &ball, 1.0 / 400);
        for (int i = 0; i < CORNERS; i++) {
            double normal[3];
            deepest = fmin(deepest, snag__obstacle_distance(&ball, b.x[i], normal));
        }
        slowest = fmax(slowest, fabs(b.v[0][2] - b.v[3][2]));
    }
    assert_true(deepest > -1e-3);
    assert_true(slowest > 0.5);  // one corner is stopped, the others go on: it turns
    snag__sim_free_all(&b.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_push_at_one_vertex_keeps_both_momenta),
        cmocka_unit_test(test_points_that_were_moved_singly_come_back_into_shape),
        cmocka_unit_test(test_a_box_falls_onto_the_floor_and_comes_to_rest_on_a_side),
        cmocka_unit_test(test_a_sliding_box_stops_where_coulomb_says),
        cmocka_unit_test(test_a_ball_that_stands_in_the_way_stops_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
