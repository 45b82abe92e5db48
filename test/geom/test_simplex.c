// Whether two simplices are within a distance agrees with the distance of their hulls, for all pairs of kinds.
#include "geom/simplex.h"

#include "base/random.h"
#include "helpers/hull_distance.h"
#include "helpers/test.h"

static void random_corners(snag__random *random, uint32_t grid, double spread, double x[4][3])
{
    double at[3];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = snag__random_unit(random);
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            x[i][axis] = at[axis] + spread * snag__random_unit(random);
            if (grid > 0)
                x[i][axis] = floor(x[i][axis] * grid) / grid;
        }
}

static snag__simplex simplex_of(double x[4][3], int count)
{
    return (snag__simplex){.corner = {x[0], x[1], x[2], x[3]}, .count = count};
}

static void agrees_with_the_distance_of_hulls(void **state)
{
    (void)state;
    snag__random random = {31};
    size_t near = 0, far = 0;
    for (uint32_t round = 0; round < 6000; round++) {
        double x[4][3], y[4][3], spread = round % 3 == 0 ? 1.5 : 0.4;
        uint32_t grid = round % 4 == 0 ? 4 : 0;
        random_corners(&random, grid, spread, x);
        random_corners(&random, grid, spread, y);
        snag__simplex a = simplex_of(x, 1 + (int)(round % 4)), b = simplex_of(y, 1 + (int)(round / 4 % 4));
        double distance = hull_distance(a.corner, a.count, b.corner, b.count), d = 0.3 * snag__random_unit(&random);
        bool within = snag__simplices_within(&a, &b, d);
        assert_int_equal(within, snag__simplices_within(&b, &a, d));
        if (fabs(distance - d) < 1e-9)
            continue;
        assert_int_equal(within, distance < d);
        // A flat tetrahedron or triangle may be inside of another one all the same.
        if (distance == 0 && grid == 0)
            assert_true(snag__simplices_within(&a, &b, 0));
        near += within;
        far += !within;
    }
    assert_true(near > 500 && far > 500);
}

static void the_bound_itself_is_within(void **state)
{
    (void)state;
    double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
           y[4][3] = {{0.25, 0.25, -0.125}, {2, 2, -3}, {3, 2, -3}, {2, 3, -3}};
    for (int i = 1; i <= 4; i++)
        for (int k = 3; k <= 4; k++) {
            snag__simplex a = simplex_of(y, i), b = simplex_of(x, k);
            assert_true(snag__simplices_within(&a, &b, 0.125));
            assert_false(snag__simplices_within(&a, &b, nextafter(0.125, 0)));
        }
}

static void what_is_inside_is_at_distance_zero(void **state)
{
    (void)state;
    double x[4][3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 8}}, y[4][3] = {{1, 1, 1}, {1.5, 1, 1}, {1, 1.5, 1}, {1, 1, 1.5}};
    for (int i = 1; i <= 4; i++) {
        snag__simplex inside = simplex_of(y, i), tet = simplex_of(x, 4);
        assert_true(snag__simplices_within(&inside, &tet, 0));
        assert_true(snag__simplices_within(&tet, &inside, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_distance_of_hulls),
        cmocka_unit_test(the_bound_itself_is_within),
        cmocka_unit_test(what_is_inside_is_at_distance_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
