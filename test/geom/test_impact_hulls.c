// What bounds of elements keep apart is free: methods differ in the pairs that they offer, so a pair that some bound drops must not be
// an impact, resolved or not.
#include "base/random.h"
#include "geom/box.h"
#include "geom/impact.h"
#include "helpers/motions.h"
#include "helpers/test.h"

#include <math.h>

enum { BLOCK = 16, SLABS = SNAG__KDOP_SLABS_MAX };

typedef struct bounds {
    float box_lo[3], box_hi[3], lo[SLABS], hi[SLABS];
} bounds;

// The bounds of points first .. last - 1 of a motion, as `brute` and `kdop` make them.
static bounds bounds_of(const snag__motion *m, uint32_t first, uint32_t last, double reach)
{
    const snag__box_kernels *kernels = snag__box_kernels_for(SNAG_ISA_SCALAR);
    float box[6][BLOCK], kdop[2 * SLABS][BLOCK];
    snag__boxes boxes = {.count = 1};
    snag__kdops kdops = {.count = 1, .k = 2 * SLABS};
    for (int i = 0; i < SLABS; i++) {
        if (i < 3) {
            boxes.lo[i] = box[i];
            boxes.hi[i] = box[3 + i];
        }
        kdops.lo[i] = kdop[i];
        kdops.hi[i] = kdop[SLABS + i];
    }
    const double(*x_t0)[3] = m->t0, (*x_t1)[3] = m->t1;
    uint32_t corner[3] = {first, first + 1, first + 2}, corners = last - first;
    if (corners == 3)
        kernels->from_triangles(x_t0, x_t1, (const uint32_t(*)[3])corner, 0, 1, reach, &boxes);
    else if (corners == 2)
        kernels->from_edges(x_t0, x_t1, (const uint32_t(*)[2])corner, 0, 1, reach, &boxes);
    else
        kernels->from_vertices(x_t0 + first, x_t1 + first, 0, 1, reach, &boxes);
    kernels->kdop_from_elements(x_t0, x_t1, corner, corners, 0, 1, reach, &kdops);
    bounds b;
    for (int i = 0; i < SLABS; i++) {
        if (i < 3) {
            b.box_lo[i] = box[i][0];
            b.box_hi[i] = box[3 + i][0];
        }
        b.lo[i] = kdop[i][0];
        b.hi[i] = kdop[SLABS + i][0];
    }
    return b;
}

static bool are_dropped(const snag__motion *m, double separation, double tolerance)
{
    double reach = (separation + tolerance) / 2;
    uint32_t middle = m->pair == EE ? 2 : 1;
    bounds a = bounds_of(m, 0, middle, reach), b = bounds_of(m, middle, 4, reach);
    bool dropped = false;
    for (int i = 0; i < SLABS; i++) {
        dropped |= !(a.lo[i] <= b.hi[i] && b.lo[i] <= a.hi[i]);
        if (i < 3)
            dropped |= !(a.box_lo[i] <= b.box_hi[i] && b.box_lo[i] <= a.box_hi[i]);
    }
    return dropped;
}

static void assert_free_if_dropped(const snag__motion *m, double separation, double tolerance)
{
    if (!are_dropped(m, separation, tolerance))
        return;
    snag__impact found = snag__impact_find(m, separation, tolerance);
    if (found.verdict != SNAG__IMPACT_FREE) {
        print_motion(m);
        fail_msg("bounds keep them apart, yet %d at %a; separation %g, tolerance %g", found.verdict, found.t, separation,
                 tolerance);
    }
}

// Zeros, ones, and numbers from 2^-range to 2^range: where they are mixed, times differ by less than 2^-2048.
static double number(snag__random *random, int range)
{
    double sign = snag__random_below(random, 2) ? 1 : -1;
    switch (snag__random_below(random, 7)) {
    case 0: return sign;
    case 1: return sign * ldexp(1, (int)snag__random_below(random, 2u * (uint32_t)range + 1) - range);
    case 2: return sign * ldexp(snag__random_range(random, 0.5, 1), range);
    case 3: return sign * ldexp(snag__random_range(random, 0.5, 1), -range);
    case 4: return sign * ldexp(snag__random_range(random, 0.5, 1), (int)snag__random_below(random, 100) - 50);
    default: return 0;
    }
}

static snag__motion mixed(snag__random *random, int range)
{
    snag__motion m = {.pair = snag__random_below(random, 2) ? EE : VF};
    for (int p = 0; p < 4; p++)
        for (int k = 0; k < 3; k++) {
            m.t0[p][k] = number(random, range);
            m.t1[p][k] = snag__random_below(random, 2) ? m.t0[p][k] : number(random, range);
        }
    return m;
}

static void bounds_that_are_apart_are_free_at_all_scales(void **state)
{
    (void)state;
    snag__random random = {500150};
    enum { COUNT = 4000 };
    for (int i = 0; i < COUNT; i++) {
        snag__motion m = mixed(&random, i % 2 == 0 ? 1000 : 400);
        assert_free_if_dropped(&m, 0, 0);
        assert_free_if_dropped(&m, 0, 1e-6);
    }
}

// A gap along one axis, a long way along another.
static snag__motion passing(snag__random *random, double gap, double size)
{
    snag__motion m = {.pair = snag__random_below(random, 2) ? EE : VF};
    uint32_t axis = snag__random_below(random, 3);
    int middle = m.pair == EE ? 2 : 1;
    for (int p = 0; p < 4; p++)
        for (uint32_t k = 0; k < 3; k++) {
            double x = snag__random_range(random, 0, 1), y = snag__random_range(random, 0, 1);
            m.t0[p][k] = k == axis ? (p < middle ? gap + 1e-9 * x : -1e-9 * x) : size * (x - 0.5);
            m.t1[p][k] = k == axis ? (p < middle ? gap + 1e-9 * y : -1e-9 * y) : size * (y - 0.5);
        }
    return m;
}

static void with_a_separation_too(void **state)
{
    (void)state;
    snag__random random = {77};
    enum { COUNT = 4000 };
    for (int i = 0; i < COUNT; i++) {
        double separation = snag__random_range(&random, 1e-6, 1e-3), tolerance = snag__random_below(&random, 2) ? 1e-6 : 0;
        double size = ldexp(1, (int)snag__random_below(&random, 60));
        snag__motion m = passing(&random, (separation + tolerance) * snag__random_range(&random, 0.999, 1.01), size);
        assert_free_if_dropped(&m, separation, tolerance);
        m = mixed(&random, 100);
        assert_free_if_dropped(&m, snag__random_range(&random, 0, 1) * 2e-45, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_that_are_apart_are_free_at_all_scales),
        cmocka_unit_test(with_a_separation_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
