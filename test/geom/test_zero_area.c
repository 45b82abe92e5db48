// Triangles without an area are counted as the exact predicate counts them, and no width is promised that is not there.
#include "geom/zero_area.h"
#include "geom/geom.h"
#include "helpers/test.h"

#include "base/random.h"

#include <math.h>

enum { VERTICES = 60, TRIANGLES = 301 };

static double width_of(const double *a, const double *b, const double *c)
{
    const double *x[3] = {a, b, c};
    double longest = 0, u[3], v[3];
    for (int i = 0; i < 3; i++) {
        const double *p = x[i], *q = x[(i + 1) % 3];
        longest = fmax(longest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    return hypot(hypot(n[0], n[1]), n[2]) / longest;
}

static void counts_are_exact_and_widths_are_there(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-160, 1e-80, 1e80, 1e160, 1e300};
    snag__random random = {81};
    for (int round = 0; round < 48; round++) {
        double x[VERTICES][3], scale = scales[round % 6];
        uint32_t triangles[TRIANGLES][3], zero_area = 0;
        bool coarse = round % 4 < 2;  // on a grid many have no area
        for (int v = 0; v < VERTICES; v++)
            for (int axis = 0; axis < 3; axis++)
                x[v][axis] = scale * (coarse ? snag__random_below(&random, 3) : snag__random_unit(&random));
        double least = INFINITY;
        for (int t = 0; t < TRIANGLES; t++) {
            for (uint32_t i = 0; i < 3; i++)
                triangles[t][i] = (snag__random_below(&random, VERTICES / 3)) * 3 + i;
            const uint32_t *v = triangles[t];
            zero_area += snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]);
            least = fmin(least, scale == 1 ? width_of(x[v[0]], x[v[1]], x[v[2]]) : INFINITY);
        }
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            double width = -1;
            if (!snag__isa_available((snag_isa)isa))
                continue;
            assert_int_equal(snag__count_zero_area((const double(*)[3])x, (const uint32_t(*)[3])triangles, TRIANGLES, &snag__alone,
                                                   (snag_isa)isa, &width),
                             zero_area);
            assert_true(zero_area == 0 || width == 0);
            if (scale == 1)
                assert_true(width <= least && (zero_area > 0 || width > 0.99 * least));
            else
                assert_true(width <= 2 * scale);
        }
    }
}

// Corners t (1, 2, 3) lie on one line exactly, but so far apart that their differences are rounded, each coordinate in its own
// way: the sides seem to span an area.
static void sides_that_rounding_has_turned_apart_are_still_zero_area(void **state)
{
    (void)state;
    double x[3 * TRIANGLES][3];
    uint32_t triangles[TRIANGLES][3];
    snag__random random = {82};
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        double t = ldexp((double)(snag__random_u64(&random) >> 18), i % 3 == 0 ? -45 : -30);
        for (int axis = 0; axis < 3; axis++)
            x[i][axis] = t * (axis + 1);
        triangles[i / 3][i % 3] = i;
    }
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        double width;
        if (snag__isa_available((snag_isa)isa))
            assert_int_equal(snag__count_zero_area((const double(*)[3])x, (const uint32_t(*)[3])triangles, TRIANGLES, &snag__alone,
                                                   (snag_isa)isa, &width),
                             TRIANGLES);
    }
}

// Of many triangles every piece is counted, by any number of threads.
static void counts_and_widths_are_the_same_by_any_number_of_threads(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    snag__random random = {83};
    enum { MANY = 300000 };
    double(*x)[3] = test_malloc(3 * MANY * sizeof *x);
    uint32_t(*triangles)[3] = test_malloc(MANY * sizeof *triangles);
    for (uint32_t i = 0; i < 3 * MANY; i++) {
        for (int axis = 0; axis < 3; axis++)
            x[i][axis] = snag__random_unit(&random);
        triangles[i / 3][i % 3] = i;
    }
    for (size_t count = 0; count <= MANY; count = 3 * count + 1) {
        for (size_t zero_area = 0; zero_area < 3 && zero_area <= count; zero_area++) {
            if (zero_area > 0)  // the first, and the last
                triangles[zero_area == 1 ? 0 : count - 1][1] = triangles[zero_area == 1 ? 0 : count - 1][0];
            double width, other;
            size_t found = snag__count_zero_area((const double(*)[3])x, (const uint32_t(*)[3])triangles, count, &snag__alone,
                                                 snag__isa_best(), &width);
            assert_int_equal(found, count == 1 && zero_area == 2 ? 1 : zero_area);
            snag__pool *pool = snag__pool_create(&allocator, 3);
            const snag__parallel parallel = {.pool = pool, .threads = 3};
            assert_int_equal(snag__count_zero_area((const double(*)[3])x, (const uint32_t(*)[3])triangles, count, &parallel,
                                                   snag__isa_best(), &other),
                             found);
            assert_true(width == other);
            snag__pool_destroy(&allocator, pool);
        }
        for (uint32_t i = 0; i < count; i++)
            triangles[i][1] = 3 * i + 1;
    }
    test_free(x);
    test_free(triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_exact_and_widths_are_there),
                                       cmocka_unit_test(sides_that_rounding_has_turned_apart_are_still_zero_area),
                                       cmocka_unit_test(counts_and_widths_are_the_same_by_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
