// The implicit step with the simplest of models, against what is known in closed form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "implicit.h"

// ---- models: none, a spring to the origin, one that spoils everything ----

static void no_forces(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    (void)self, (void)x, (void)from, (void)to, (void)force, (void)diagonal;
}

static void no_matrix(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    (void)self, (void)x, (void)from, (void)to, (void)y;
}

typedef struct spring {
    double stiffness;
    float step_stiffness;
} spring;

static void spring_begin(void *self, double h)
{
    spring *s = self;
    s->step_stiffness = (float)(h * h * s->stiffness);
}

static void spring_forces(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    (void)from, (void)to;
    const spring *s = self;
    for (int k = 0; k < 3; k++) {
        force[0][k] -= s->stiffness * x[0][k];
        diagonal[0][k] += s->step_stiffness;
    }
}

static void spring_matrix(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    (void)from, (void)to;
    const spring *s = self;
    y[0] += s->step_stiffness * x[0];
}

// A chain: each point is tied to the next along x by a spring without length.
enum { LINKS = 2600 };
typedef struct chain {
    double stiffness;
    float step_stiffness;
} chain;

static void chain_begin(void *self, double h)
{
    chain *c = self;
    c->step_stiffness = (float)(h * h * c->stiffness);
}

static void chain_forces(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    const chain *c = self;
    for (uint32_t i = from; i < to; i++)
        for (int side = -1; side <= 1; side += 2) {
            if ((i == 0 && side < 0) || (i == LINKS - 1 && side > 0))
                continue;
            for (int k = 0; k < 3; k++) {
                force[i][k] += c->stiffness * (x[(int)i + side][k] - x[i][k]);
                diagonal[i][k] += c->step_stiffness;
            }
        }
}

static void chain_matrix(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const chain *c = self;
    for (uint32_t i = from; i < to; i++) {
        if (i > 0)
            y[i] += c->step_stiffness * (x[i] - x[i - 1]);
        if (i < LINKS - 1)
            y[i] += c->step_stiffness * (x[i] - x[i + 1]);
    }
}

static void spoilt_forces(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    (void)self, (void)x, (void)from, (void)to, (void)diagonal;
    force[0][1] = NAN;
}

static void start(snag__implicit *system, snag__sim_memory *memory, uint32_t count)
{
    *system = (snag__implicit){.gravity = 10, .tolerance = 1e-6, .max_iterations = 50};
    *memory = (snag__sim_memory){0};
    assert_true(snag__implicit_create(system, count, memory));
    system->model = (snag__model){.linearise = no_forces, .multiply = no_matrix};
    for (uint32_t i = 0; i < count; i++)
        system->mass[i] = 0.5 + i;
}

// ---- tests ----

static void test_a_free_point_falls_by_backward_euler(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, 3);
    system.v[1][0] = 2;
    for (int n = 0; n < 100; n++)
        assert_true(snag__implicit_step(&system, 0.01));
    // v = -g t; x = -g h^2 (1 + 2 + ... + n)
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(fabs(system.v[i][2] + 10) < 1e-5);
        assert_true(fabs(system.x[i][2] + 10 * 1e-4 * 5050) < 1e-5);
    }
    assert_true(fabs(system.x[1][0] - 2) < 1e-6);
    snag__sim_free_all(&memory);
}

static void test_a_spring_follows_backward_euler_and_loses_energy(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, 1);
    spring s = {.stiffness = 40};
    system.model = (snag__model){.self = &s, .begin = spring_begin, .linearise = spring_forces, .multiply = spring_matrix};
    system.gravity = 0;
    system.mass[0] = 0.1;
    system.x[0][0] = 1;
    double x = 1, v = 0, h = 0.05, energy = 20;
    for (int n = 0; n < 60; n++) {
        assert_true(snag__implicit_step(&system, h));
        v = (v - h * 400 * x) / (1 + h * h * 400);
        x += h * v;
        assert_true(fabs(system.x[0][0] - x) < 1e-5);
        double now = 0.5 * 0.1 * system.v[0][0] * system.v[0][0] + 0.5 * 40 * system.x[0][0] * system.x[0][0];
        assert_true(now <= energy * (1 + 1e-6));
        energy = now;
    }
    snag__sim_free_all(&memory);
}

// So many points are solved in several ranges. Only the last of them has anything to solve: a solver that forgets the sums
// of some ranges ends too early, or in the wrong direction.
static void test_all_ranges_of_a_long_chain_are_solved(void **state)
{
    (void)state;
    static double diagonal[LINKS], expected[LINKS];
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, LINKS);
    chain c = {.stiffness = 400};
    system.model = (snag__model){.self = &c, .begin = chain_begin, .linearise = chain_forces, .multiply = chain_matrix};
    system.gravity = 0;
    system.max_iterations = 200;
    const double h = 0.05, mass = 0.1, off = -h * h * 400;
    for (uint32_t i = 0; i < LINKS; i++)
        system.mass[i] = mass;
    system.v[LINKS - 100][0] = 2;
    assert_true(snag__implicit_step(&system, h));

    // (M + h^2 K) v' = M v by elimination: the matrix has three diagonals.
    for (int i = 0; i < LINKS; i++) {
        diagonal[i] = mass - off * (i == 0 || i == LINKS - 1 ? 1 : 2);
        expected[i] = i == LINKS - 100 ? mass * 2 : 0;
        if (i > 0) {
            double factor = off / diagonal[i - 1];
            diagonal[i] -= factor * off;
            expected[i] -= factor * expected[i - 1];
        }
    }
    for (int i = LINKS - 1; i >= 0; i--)
        expected[i] = (expected[i] - (i < LINKS - 1 ? off * expected[i + 1] : 0)) / diagonal[i];
    assert_true(expected[LINKS - 90] > 0.01);
    for (int i = 0; i < LINKS; i++)
        assert_true(fabs(system.v[i][0] - expected[i]) < 1e-4);
    snag__sim_free_all(&memory);
}

static void test_a_point_comes_to_rest_on_the_floor(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    snag__obstacle floor_at = {.kind = SNAG__FLOOR, .centre = {0, 0, -1}, .friction = 0.3};
    start(&system, &memory, 1);
    system.obstacles = &floor_at;
    system.obstacle_count = 1;
    system.clearance[0] = 0.01;
    for (int n = 0; n < 200; n++) {
        assert_true(snag__implicit_step(&system, 0.01));
        assert_true(system.x[0][2] >= -0.99 - 1e-12);
    }
    assert_true(fabs(system.x[0][2] + 0.99) < 1e-6);
    assert_true(fabs(system.v[0][2]) < 1e-6);
    snag__sim_free_all(&memory);
}

static void test_friction_stops_a_slide_where_coulomb_says(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    snag__obstacle floor_at = {.kind = SNAG__FLOOR, .friction = 0.25};
    start(&system, &memory, 1);
    system.obstacles = &floor_at;
    system.obstacle_count = 1;
    system.v[0][0] = 3;
    system.v[0][1] = 4;
    for (int n = 0; n < 5000; n++)
        assert_true(snag__implicit_step(&system, 1e-3));
    // v^2 / (2 mu g) = 25 / 5 along (3, 4) / 5
    assert_true(fabs(system.x[0][0] - 3) < 0.02);
    assert_true(fabs(system.x[0][1] - 4) < 0.02);
    assert_int_equal(system.hold[0], SNAG__STICKING);
    snag__sim_free_all(&memory);
}

static void test_a_held_point_leaves_when_it_is_pulled_off(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    snag__obstacle floor_at = {.kind = SNAG__FLOOR, .friction = 0.5};
    start(&system, &memory, 1);
    system.obstacles = &floor_at;
    system.obstacle_count = 1;
    for (int n = 0; n < 10; n++)
        assert_true(snag__implicit_step(&system, 0.01));
    assert_true(system.x[0][2] == 0);
    system.gravity = -10;
    for (int n = 0; n < 20; n++)
        assert_true(snag__implicit_step(&system, 0.01));
    assert_true(system.x[0][2] > 0.1);
    snag__sim_free_all(&memory);
}

static void test_points_stay_outside_a_ball_and_a_rod(void **state)
{
    (void)state;
    const snag__obstacle things[2] = {
        {.kind = SNAG__BALL, .centre = {0, 0, -1}, .radius = 0.5, .friction = 0.1},
        {.kind = SNAG__ROD, .centre = {9, 2, -1}, .radius = 0.5, .friction = 0.1},
    };
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, 40);
    system.obstacles = things;
    system.obstacle_count = 2;
    for (uint32_t i = 0; i < 40; i++) {
        system.x[i][0] = 0.02 * i - 0.4;
        system.x[i][1] = i % 2 ? 2.2 : 0.1;
        system.clearance[i] = 0.001 * i;
    }
    // The very middle of either is no special case.
    memcpy(system.x[0], things[0].centre, sizeof things[0].centre);
    memcpy(system.x[1], things[1].centre, sizeof things[1].centre);
    for (int n = 0; n < 100; n++) {
        assert_true(snag__implicit_step(&system, 0.02));
        for (uint32_t i = 0; i < 40; i++) {
            const double *x = system.x[i];
            double from_ball = sqrt(x[0] * x[0] + x[1] * x[1] + (x[2] + 1) * (x[2] + 1)), from_rod = hypot(x[1] - 2, x[2] + 1);
            assert_true(from_ball >= 0.5 + 0.001 * i - 1e-9);
            assert_true(from_rod >= 0.5 + 0.001 * i - 1e-9);
        }
    }
    snag__sim_free_all(&memory);
}

static void test_a_pinned_point_goes_where_it_is_told(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, 2);
    snag__pin pin = {.point = 1};
    system.pins = &pin;
    system.pin_count = 1;
    for (int n = 1; n <= 20; n++) {
        pin.target[0] = 0.1 * n;
        assert_true(snag__implicit_step(&system, 0.02));
        assert_memory_equal(system.x[1], pin.target, sizeof pin.target);
        assert_true(fabs(system.v[1][0] - 5) < 1e-5);
    }
    assert_true(system.x[0][2] < -0.5);
    snag__sim_free_all(&memory);
}

static void test_an_exploding_step_is_noticed(void **state)
{
    (void)state;
    snag__implicit system;
    snag__sim_memory memory;
    start(&system, &memory, 2);
    system.model.linearise = spoilt_forces;
    assert_false(snag__implicit_step(&system, 0.01));
    snag__sim_free_all(&memory);

    start(&system, &memory, 2);
    system.gravity = 1e6;
    assert_false(snag__implicit_step(&system, 0.01));
    snag__sim_free_all(&memory);

    start(&system, &memory, 2);
    system.x[1][2] = INFINITY;
    assert_false(snag__implicit_step(&system, 0.01));
    snag__sim_free_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_free_point_falls_by_backward_euler),
        cmocka_unit_test(test_a_spring_follows_backward_euler_and_loses_energy),
        cmocka_unit_test(test_all_ranges_of_a_long_chain_are_solved),
        cmocka_unit_test(test_a_point_comes_to_rest_on_the_floor),
        cmocka_unit_test(test_friction_stops_a_slide_where_coulomb_says),
        cmocka_unit_test(test_a_held_point_leaves_when_it_is_pulled_off),
        cmocka_unit_test(test_points_stay_outside_a_ball_and_a_rod),
        cmocka_unit_test(test_a_pinned_point_goes_where_it_is_told),
        cmocka_unit_test(test_an_exploding_step_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
