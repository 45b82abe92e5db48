// Cloth against the continuum it stands for: pull, shear and bend of a sheet; and its matrix against differences.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloth.h"

#define CELLS 12

typedef struct fixture {
    snag_shape sheet;
    snag__sim_memory memory;
    snag__cloth cloth;
    snag__model model;
    size_t count;
    double (*x)[3], (*v)[3], (*force)[3];
    double *mass;
    float (*diagonal)[6];
} fixture;

static void start(fixture *f, double width, double height, snag__fabric fabric)
{
    *f = (fixture){0};
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, width, height, &f->sheet), SNAG_OK);
    f->count = f->sheet.vertex_count;
    f->x = snag__sim_new(&f->memory, f->count, sizeof *f->x);
    f->v = snag__sim_new(&f->memory, f->count, sizeof *f->v);
    f->force = snag__sim_new(&f->memory, f->count, sizeof *f->force);
    f->mass = snag__sim_new(&f->memory, f->count, sizeof *f->mass);
    f->diagonal = snag__sim_new(&f->memory, f->count, sizeof *f->diagonal);
    assert_true(snag__cloth_create(&f->cloth, &f->sheet, &fabric, f->mass, &f->memory));
    memcpy(f->x, f->sheet.positions, f->count * sizeof *f->x);
    f->model = snag__cloth_model(&f->cloth);
}

static void finish(fixture *f)
{
    snag__sim_free_all(&f->memory);
    snag_shape_free(&f->sheet);
}

static void find_forces(fixture *f, double h)
{
    memset(f->force, 0, f->count * sizeof *f->force);
    memset(f->diagonal, 0, f->count * sizeof *f->diagonal);
    f->model.begin(f->model.self, h);
    f->model.linearise(f->model.self, (const double(*)[3])f->x, 0, (uint32_t)f->count, f->force, f->diagonal);
}

static double largest_force(const fixture *f)
{
    double largest = 0;
    for (size_t i = 0; i < 3 * f->count; i++)
        largest = fmax(largest, fabs(f->force[i / 3][i % 3]));
    return largest;
}

// Repeatable numbers in [-1, 1).
static double noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(int32_t)*state / 2147483648.0;
}

static void crumple(fixture *f, double amount)
{
    uint32_t random = 7;
    for (size_t i = 0; i < 3 * f->count; i++)
        f->x[i / 3][i % 3] += amount * noise(&random);
}

static const snag__fabric fabric = {.density = 0.2, .stretch = 50, .shear = 0.3, .bend = 1e-3, .damping = 0};

static void test_a_sheet_at_rest_feels_nothing_wherever_it_lies(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    double mass = 0;
    for (size_t i = 0; i < f.count; i++) {
        const double *p = f.sheet.positions + 3 * i;
        mass += f.mass[i];
        f.x[i][0] = 0.6 * p[0] - 0.8 * p[1] + 3;
        f.x[i][1] = 0;
        f.x[i][2] = 0.8 * p[0] + 0.6 * p[1] - 2;
    }
    find_forces(&f, 0.01);
    assert_true(fabs(mass - 0.2) < 1e-12);
    assert_true(largest_force(&f) < 1e-4);
    finish(&f);
}

// The pull across the middle of a sheet stretched by a part e along x is e * stretch * width, since the sheet may not
// narrow; the springs on the bias add their share.
static void test_a_pulled_sheet_resists_as_its_fabric_says(void **state)
{
    (void)state;
    fixture f;
    const double e = 0.01;
    start(&f, 1, 2, (snag__fabric){.density = 1, .stretch = 50, .shear = 0, .bend = 0});
    for (size_t i = 0; i < f.count; i++)
        f.x[i][0] *= 1 + e;
    find_forces(&f, 0.01);
    // The sum over the half with x > 0 is what the other half pulls with; only warp crosses the middle.
    double pull = 0;
    for (size_t i = 0; i < f.count; i++)
        if (f.sheet.positions[3 * i] > 1e-9)
            pull -= f.force[i][0];
    // Edges on the rim stand for half an area, but there is nothing missing: 2 m of width in all.
    assert_true(fabs(pull / (e * 50 * 2) - 1) < 0.05);
    finish(&f);
}

static void test_bias_is_softer_than_the_threads(void **state)
{
    (void)state;
    double resistance[2];
    for (int k = 0; k < 2; k++) {
        fixture f;
        start(&f, 1, 1, (snag__fabric){.density = 1, .stretch = 50, .shear = k == 0 ? 1 : 0.25, .bend = 0});
        for (size_t i = 0; i < f.count; i++)
            f.x[i][0] += 0.01 * f.x[i][1];
        find_forces(&f, 0.01);
        resistance[k] = largest_force(&f);
        finish(&f);
    }
    assert_true(resistance[0] > 0 && fabs(resistance[1] / resistance[0] - 0.25) < 0.02);
}

// Bent to a cylinder of radius R without stretch the energy is bend / (2 R^2) for each unit of area. The energy is a
// quadratic form, so it is -1/2 sum f . x.
static void test_a_bent_sheet_stores_what_the_continuum_says(void **state)
{
    (void)state;
    fixture f;
    const double radius = 0.8;
    start(&f, 1, 1, (snag__fabric){.density = 1, .stretch = 0, .shear = 0, .bend = 2e-3});
    for (size_t i = 0; i < f.count; i++) {
        double angle = f.sheet.positions[3 * i] / radius;
        f.x[i][0] = radius * sin(angle);
        f.x[i][2] = radius * cos(angle);
    }
    find_forces(&f, 0.01);
    double energy = 0;
    for (size_t i = 0; i < f.count; i++)
        energy -= 0.5 * (f.force[i][0] * f.x[i][0] + f.force[i][1] * f.x[i][1] + f.force[i][2] * f.x[i][2]);
    // The outermost hinges lie half a cell inside the rim: one cell of twelve is not bent.
    double expected = 2e-3 / (2 * radius * radius) * (1 - 1.0 / CELLS);
    assert_true(fabs(energy / expected - 1) < 0.1);
    finish(&f);
}

static void test_forces_push_no_sheet_as_a_whole(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    crumple(&f, 0.03);
    find_forces(&f, 0.01);
    double sum[3] = {0}, turn[3] = {0};
    for (size_t i = 0; i < f.count; i++) {
        double moment[3];
        snag__cross3(f.x[i], f.force[i], moment);
        snag__add_scaled3(sum, 1, f.force[i]);
        snag__add_scaled3(turn, 1, moment);
    }
    assert_true(largest_force(&f) > 0.1);
    assert_true(snag__length3(sum) < 1e-9 && snag__length3(turn) < 1e-9);
    finish(&f);
}

// Under tension nothing is left out of the matrix: it is the change of the forces.
static void test_the_matrix_is_the_change_of_the_forces(void **state)
{
    (void)state;
    fixture f;
    const double h = 0.02, step = 1e-6;
    start(&f, 1, 1, fabric);
    for (size_t i = 0; i < 3 * f.count; i++)
        f.x[i / 3][i % 3] *= 1.3;
    crumple(&f, 0.002);
    double(*before)[3] = malloc(f.count * sizeof *before);
    snag__f4 *d = snag__sim_new(&f.memory, f.count, sizeof *d), *y = snag__sim_new(&f.memory, f.count, sizeof *y);
    find_forces(&f, h);
    memcpy(before, f.force, f.count * sizeof *before);
    uint32_t random = 3;
    for (size_t i = 0; i < f.count; i++)
        d[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
    f.model.multiply(f.model.self, d, 0, (uint32_t)f.count, y);
    for (size_t i = 0; i < f.count; i++)
        for (int k = 0; k < 3; k++)
            f.x[i][k] += step * (double)d[i][k];
    find_forces(&f, h);
    double difference = 0, size = 0;
    for (size_t i = 0; i < f.count; i++) {
        for (int k = 0; k < 3; k++) {
            double expected = -h * h * (f.force[i][k] - before[i][k]) / step;
            difference = fmax(difference, fabs(expected - (double)y[i][k]));
            size = fmax(size, fabs(expected));
        }
    }
    assert_true(size > 0 && difference < 1e-3 * size);
    free(before);
    finish(&f);
}

static void test_the_matrix_is_symmetric_and_never_negative(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    crumple(&f, 0.1);
    find_forces(&f, 0.02);
    snag__f4 *a = snag__sim_new(&f.memory, f.count, sizeof *a), *b = snag__sim_new(&f.memory, f.count, sizeof *b);
    snag__f4 *ya = snag__sim_new(&f.memory, f.count, sizeof *a), *yb = snag__sim_new(&f.memory, f.count, sizeof *b);
    uint32_t random = 5;
    for (int round = 0; round < 20; round++) {
        double ab = 0, ba = 0, aa = 0;
        for (size_t i = 0; i < f.count; i++) {
            a[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
            b[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
        }
        memset(ya, 0, f.count * sizeof *ya);
        memset(yb, 0, f.count * sizeof *yb);
        f.model.multiply(f.model.self, a, 0, (uint32_t)f.count, ya);
        f.model.multiply(f.model.self, b, 0, (uint32_t)f.count, yb);
        for (size_t i = 0; i < f.count; i++) {
            ab += (double)snag__f4_dot(a[i], yb[i]);
            ba += (double)snag__f4_dot(b[i], ya[i]);
            aa += (double)snag__f4_dot(a[i], ya[i]);
        }
        assert_true(aa > 0 && fabs(ab - ba) < 1e-4 * aa);
    }
    // Its diagonal is what it says: one point moved along one axis.
    memset(a, 0, f.count * sizeof *a);
    memset(ya, 0, f.count * sizeof *ya);
    size_t middle = f.count / 2;
    a[middle][1] = 1;
    f.model.multiply(f.model.self, a, 0, (uint32_t)f.count, ya);
    assert_true(fabs((double)ya[middle][1] - (double)f.diagonal[middle][1]) < 1e-5 * (double)ya[middle][1]);
    assert_true(fabs((double)ya[middle][0] - (double)f.diagonal[middle][3]) < 1e-5 * (double)ya[middle][1]);
    assert_true(fabs((double)ya[middle][2] - (double)f.diagonal[middle][5]) < 1e-5 * (double)ya[middle][1]);
    finish(&f);
}

// A compressed spring pushes sideways; with that in the matrix it would be negative across the sheet.
static void test_a_compressed_sheet_keeps_the_matrix_positive(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, (snag__fabric){.density = 1, .stretch = 50, .shear = 0.3, .bend = 0});
    for (size_t i = 0; i < f.count; i++)
        for (int k = 0; k < 3; k++)
            f.x[i][k] *= 0.5;
    find_forces(&f, 0.02);
    snag__f4 *a = snag__sim_new(&f.memory, f.count, sizeof *a), *y = snag__sim_new(&f.memory, f.count, sizeof *y);
    uint32_t random = 5;
    for (size_t i = 0; i < f.count; i++)
        a[i] = snag__f4_from((double[3]){0, 0, noise(&random)});
    f.model.multiply(f.model.self, a, 0, (uint32_t)f.count, y);
    for (size_t i = 0; i < f.count; i++)
        assert_true(fabsf(y[i][2]) < 1e-9f);
    finish(&f);
}

static void test_an_edge_of_no_length_does_no_harm(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    memcpy(f.x[1], f.x[0], sizeof f.x[0]);
    find_forces(&f, 0.02);
    for (size_t i = 0; i < 3 * f.count; i++)
        assert_true(isfinite(f.force[i / 3][i % 3]));
    finish(&f);
}

// A hanging sheet without air or damping: what backward Euler does to the energy of a closed system is to lower it.
static void test_forces_are_the_slope_of_the_energy_and_no_step_adds_to_it(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    crumple(&f, 0.05);
    find_forces(&f, 0.02);
    for (size_t i = 0; i < f.count; i += 5)
        for (int k = 0; k < 3; k++) {
            const double step = 1e-6, here = f.x[i][k];
            f.x[i][k] = here + step;
            double more = f.model.energy(f.model.self, (const double(*)[3])f.x);
            f.x[i][k] = here - step;
            double less = f.model.energy(f.model.self, (const double(*)[3])f.x);
            f.x[i][k] = here;
            assert_true(fabs((less - more) / (2 * step) - f.force[i][k]) < 1e-4 * largest_force(&f));
        }

    snag__implicit system = {.gravity = 9.81, .tolerance = 1e-5, .max_iterations = 500};
    assert_true(snag__implicit_create(&system, (uint32_t)f.count, &f.memory));
    memcpy(system.x, f.x, f.count * sizeof *f.x);
    memcpy(system.mass, f.mass, f.count * sizeof *f.mass);
    system.model = f.model;
    snag__pin pins[2] = {{.point = 0}, {.point = CELLS}};
    for (int p = 0; p < 2; p++)
        memcpy(pins[p].target, system.x[pins[p].point], sizeof pins[p].target);
    system.pins = pins;
    system.pin_count = 2;
    double before = HUGE_VAL, elastic = 0;
    for (int step = 0; step < 200; step++) {
        assert_true(snag__implicit_step(&system, 0.005));
        elastic = f.model.energy(f.model.self, (const double(*)[3])system.x);
        double energy = elastic;
        for (size_t i = 0; i < f.count; i++)
            energy += f.mass[i] * (snag__dot3(system.v[i], system.v[i]) / 2 + 9.81 * system.x[i][2]);
        assert_true(energy < before + 1e-4 * fabs(energy));
        before = energy;
    }
    assert_true(elastic > 0);
    finish(&f);
}

// Forces, diagonal and product in ranges are those of the whole: what crosses from one range into the next counts once for each.
static void test_ranges_together_are_the_whole(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, 1, fabric);
    crumple(&f, 0.1);
    find_forces(&f, 0.02);
    uint32_t count = (uint32_t)f.count, cuts[] = {0, 1, 7, count / 2, count - 3, count}, random = 8;
    double(*force)[3] = snag__sim_new(&f.memory, count, sizeof *force);
    float(*diagonal)[6] = snag__sim_new(&f.memory, count, sizeof *diagonal);
    snag__f4 *x = snag__sim_new(&f.memory, count, sizeof *x);
    snag__f4 *whole = snag__sim_new(&f.memory, count, sizeof *x), *parts = snag__sim_new(&f.memory, count, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = snag__f4_from((double[3]){noise(&random), noise(&random), noise(&random)});
    for (int r = 0; r < 5; r++)
        f.model.linearise(f.model.self, (const double(*)[3])f.x, cuts[r], cuts[r + 1], force, diagonal);
    f.model.multiply(f.model.self, x, 0, count, whole);
    for (int r = 0; r < 5; r++)
        f.model.multiply(f.model.self, x, cuts[r], cuts[r + 1], parts);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(force[i][k] - f.force[i][k]) < 1e-9 * largest_force(&f));
            assert_true(fabsf(parts[i][k] - whole[i][k]) < 1e-4f * f.diagonal[i][0]);
        }
        for (int k = 0; k < 6; k++)
            assert_true(fabsf(diagonal[i][k] - f.diagonal[i][k]) < 1e-5f * f.diagonal[i][0]);
    }
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sheet_at_rest_feels_nothing_wherever_it_lies),
        cmocka_unit_test(test_a_pulled_sheet_resists_as_its_fabric_says),
        cmocka_unit_test(test_bias_is_softer_than_the_threads),
        cmocka_unit_test(test_a_bent_sheet_stores_what_the_continuum_says),
        cmocka_unit_test(test_forces_push_no_sheet_as_a_whole),
        cmocka_unit_test(test_the_matrix_is_the_change_of_the_forces),
        cmocka_unit_test(test_the_matrix_is_symmetric_and_never_negative),
        cmocka_unit_test(test_a_compressed_sheet_keeps_the_matrix_positive),
        cmocka_unit_test(test_ranges_together_are_the_whole),
        cmocka_unit_test(test_forces_are_the_slope_of_the_energy_and_no_step_adds_to_it),
        cmocka_unit_test(test_an_edge_of_no_length_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
