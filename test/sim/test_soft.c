// Soft bodies against the continuum they stand for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "soft.h"

#define CELL 0.1

static const snag__material material = {.density = 500, .young = 2e4, .poisson = 0.25, .damping = 0};

typedef struct fixture {
    snag_shape shape;
    snag__sim_memory memory;
    snag__soft soft;
    snag__implicit system;
} fixture;

// A block of 4 x 3 x 2 cells, at rest.
static void start(fixture *f)
{
    *f = (fixture){0};
    assert_int_equal(snag_shape_block(4, 3, 2, CELL, &f->shape), SNAG_OK);
    assert_true(snag__implicit_create(&f->system, 60, &f->memory));
    assert_true(snag__soft_create(&f->soft, &f->shape, &material, f->system.mass, &f->memory));
    memcpy(f->system.x, f->shape.positions, f->system.count * sizeof *f->system.x);
    f->system.model = snag__soft_model(&f->soft);
    f->system.tolerance = 1e-4;
    f->system.max_iterations = 200;
}

static void finish(fixture *f)
{
    snag_shape_free(&f->shape);
    snag__sim_free_all(&f->memory);
}

static void find_forces(fixture *f, double h)
{
    snag__implicit *s = &f->system;
    memset(s->force, 0, s->count * sizeof *s->force);
    memset(s->diagonal, 0, s->count * sizeof *s->diagonal);
    s->model.begin(s->model.self, h);
    s->model.prepare(s->model.self, (const double(*)[3])s->x, 0, s->model.element_count);
    s->model.linearise(s->model.self, (const double(*)[3])s->x, 0, s->count, s->force, s->diagonal);
}

static double largest_force(const fixture *f)
{
    double largest = 0;
    for (size_t i = 0; i < f->system.count; i++)
        largest = fmax(largest, snag__length3(f->system.force[i]));
    return largest;
}

static void total(const fixture *f, double sum[3], double turn[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    memset(turn, 0, 3 * sizeof *turn);
    for (size_t i = 0; i < f->system.count; i++) {
        double moment[3];
        snag__cross3(f->system.x[i], f->system.force[i], moment);
        snag__add_scaled3(sum, 1, f->system.force[i]);
        snag__add_scaled3(turn, 1, moment);
    }
}

static double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(int32_t)*state / 2147483648.0;
}

static void shake(fixture *f, double amount)
{
    uint32_t random = 11;
    for (size_t i = 0; i < f->system.count; i++)
        for (int k = 0; k < 3; k++)
            f->system.x[i][k] += amount * noise(&random);
}

static double smallest_volume(const fixture *f)
{
    double smallest = INFINITY;
    for (size_t k = 0; k < f->soft.tet_count; k++) {
        const uint32_t *p = f->soft.tets[k].point;
        double e[3][3], n[3];
        for (int c = 0; c < 3; c++)
            snag__subtract3(f->system.x[p[c + 1]], f->system.x[p[0]], e[c]);
        snag__cross3(e[0], e[1], n);
        smallest = fmin(smallest, snag__dot3(n, e[2]) / 6);
    }
    return smallest;
}

static void test_a_block_knows_its_mass_and_its_surface(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    double mass = 0;
    for (size_t i = 0; i < f.system.count; i++)
        mass += f.system.mass[i];
    assert_true(fabs(mass - 500 * 0.4 * 0.3 * 0.2) < 1e-9);
    assert_true(snag__soft_surface(&f.shape));
    assert_int_equal(f.shape.triangle_count, 4 * (4 * 3 + 3 * 2 + 2 * 4));
    double volume = 0;
    for (size_t t = 0; t < f.shape.triangle_count; t++) {
        const uint32_t *c = f.shape.triangles + 3 * t;
        const double *x = f.shape.positions;
        double n[3];
        snag__cross3(x + 3 * c[1], x + 3 * c[2], n);
        volume += snag__dot3(x + 3 * c[0], n) / 6;
    }
    assert_true(fabs(volume - 0.024) < 1e-12);
    finish(&f);
}

static void test_a_block_at_rest_feels_nothing_wherever_it_is_turned(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    // A turn by 120 degrees about (1, 1, 1), and then by the angle of 3-4-5 about x.
    for (size_t i = 0; i < f.system.count; i++) {
        const double *p = f.shape.positions + 3 * i;
        double a = p[2], b = p[0], c = p[1];
        f.system.x[i][0] = a + 5;
        f.system.x[i][1] = 0.6 * b - 0.8 * c;
        f.system.x[i][2] = 0.8 * b + 0.6 * c - 1;
    }
    find_forces(&f, 0.01);
    assert_true(largest_force(&f) < 1e-3 * 2e4 * CELL * CELL);
    finish(&f);
}

// Stretched by a part e along x, and kept from narrowing, the stress is (lambda + 2 mu) e along x and lambda e across.
static void test_a_stretched_block_resists_as_its_material_says(void **state)
{
    (void)state;
    fixture f;
    const double e = 0.02, lambda = 2e4 * 0.25 / (1.25 * 0.5), mu = 2e4 / 2.5;
    start(&f);
    for (size_t i = 0; i < f.system.count; i++)
        f.system.x[i][0] *= 1 + e;
    find_forces(&f, 0.01);
    double pull[3] = {0};
    for (size_t i = 0; i < f.system.count; i++)
        for (int k = 0; k < 3; k++)
            if (f.shape.positions[3 * i + (size_t)k] == f.shape.positions[3 * 59 + k])
                pull[k] -= f.system.force[i][k];
    assert_true(fabs(pull[0] / ((lambda + 2 * mu) * e * 0.3 * 0.2) - 1) < 1e-3);
    assert_true(fabs(pull[1] / (lambda * e * 0.4 * 0.2) - 1) < 1e-3);
    assert_true(fabs(pull[2] / (lambda * e * 0.4 * 0.3) - 1) < 1e-3);
    finish(&f);
}

// Corotational forces sum to zero exactly; their moment does as far as the rotation has converged.
static void test_forces_push_no_block_as_a_whole(void **state)
{
    (void)state;
    fixture f;
    double sum[3], turn[3];
    start(&f);
    shake(&f, 0.02);
    find_forces(&f, 0.01);
    total(&f, sum, turn);
    assert_true(largest_force(&f) > 1);
    assert_true(snag__length3(sum) < 1e-9 && snag__length3(turn) < 1e-2);
    finish(&f);
}

static void test_the_matrix_is_symmetric_positive_and_owns_its_diagonal(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    shake(&f, 0.01);
    find_forces(&f, 0.02);
    size_t count = f.system.count;
    snag__f4 *a = snag__sim_new(&f.memory, count, sizeof *a), *b = snag__sim_new(&f.memory, count, sizeof *b);
    snag__f4 *ya = snag__sim_new(&f.memory, count, sizeof *a), *yb = snag__sim_new(&f.memory, count, sizeof *b);
    uint32_t random = 9;
    double ab = 0, ba = 0, aa = 0;
    for (size_t i = 0; i < count; i++) {
        a[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
        b[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
    }
    f.system.model.multiply(f.system.model.self, a, 0, f.system.count, ya);
    f.system.model.multiply(f.system.model.self, b, 0, f.system.count, yb);
    for (size_t i = 0; i < count; i++) {
        ab += (double)snag__f4_dot(a[i], yb[i]);
        ba += (double)snag__f4_dot(b[i], ya[i]);
        aa += (double)snag__f4_dot(a[i], ya[i]);
    }
    assert_true(aa > 0 && fabs(ab - ba) < 1e-5 * aa);
    for (size_t i = 0; i < count; i += 7) {
        memset(a, 0, count * sizeof *a);
        memset(ya, 0, count * sizeof *ya);
        a[i][2] = 1;
        f.system.model.multiply(f.system.model.self, a, 0, f.system.count, ya);
        assert_true(fabs((double)(ya[i][2] - f.system.diagonal[i][2])) < 1e-4 * (double)ya[i][2]);
        assert_true(fabs((double)(ya[i][0] - f.system.diagonal[i][4])) < 1e-4 * (double)ya[i][2]);
        assert_true(fabs((double)(ya[i][1] - f.system.diagonal[i][5])) < 1e-4 * (double)ya[i][2]);
    }
    finish(&f);
}

static void test_a_block_pressed_flat_comes_back(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    f.soft.material.damping = 0.02;
    f.system.drag = 1;
    for (size_t i = 0; i < f.system.count; i++)
        f.system.x[i][2] *= -0.3;  // flat, and inside out
    assert_true(smallest_volume(&f) < 0);
    for (int n = 0; n < 500; n++)
        assert_true(snag__implicit_step(&f.system, 0.01));
    assert_true(smallest_volume(&f) > 0.9 * CELL * CELL * CELL / 6);
    finish(&f);
}

// A block that is stretched and let go swings; without air or damping its energy is a closed system's.
static void test_forces_are_the_slope_of_the_energy_and_no_step_adds_to_it(void **state)
{
    (void)state;
    fixture f;
    start(&f);
    snag__implicit *s = &f.system;
    uint32_t random = 4;
    for (size_t i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            s->x[i][k] = (k == 0 ? 1.3 : 0.95) * s->x[i][k] + 0.03 * CELL * noise(&random);
    find_forces(&f, 0.02);
    double largest = largest_force(&f);
    for (size_t i = 0; i < s->count; i += 7)
        for (int k = 0; k < 3; k++) {
            const double step = 1e-6 * CELL, here = s->x[i][k];
            s->x[i][k] = here + step;
            double more = s->model.energy(s->model.self, (const double(*)[3])s->x);
            s->x[i][k] = here - step;
            double less = s->model.energy(s->model.self, (const double(*)[3])s->x);
            s->x[i][k] = here;
            assert_true(fabs((less - more) / (2 * step) - s->force[i][k]) < 1e-3 * largest);
        }
    double before = HUGE_VAL, highest = 0, lowest = HUGE_VAL;
    for (int step = 0; step < 400; step++) {
        assert_true(snag__implicit_step(s, 0.001));
        double elastic = s->model.energy(s->model.self, (const double(*)[3])s->x), energy = elastic;
        for (size_t i = 0; i < s->count; i++)
            energy += s->mass[i] * snag__dot3(s->v[i], s->v[i]) / 2;
        assert_true(energy < before * (1 + 1e-4));
        before = energy;
        highest = fmax(highest, elastic);
        lowest = fmin(lowest, elastic);
    }
    assert_true(highest > 10 * lowest);  // it swings: what deformation gives up is motion for a while
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_the_slope_of_the_energy_and_no_step_adds_to_it),
        cmocka_unit_test(test_a_block_knows_its_mass_and_its_surface),
        cmocka_unit_test(test_a_block_at_rest_feels_nothing_wherever_it_is_turned),
        cmocka_unit_test(test_a_stretched_block_resists_as_its_material_says),
        cmocka_unit_test(test_forces_push_no_block_as_a_whole),
        cmocka_unit_test(test_the_matrix_is_symmetric_positive_and_owns_its_diagonal),
        cmocka_unit_test(test_a_block_pressed_flat_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
