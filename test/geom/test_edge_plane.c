// Points where edges meet planes: the wide kernels give the bits of exact arithmetic, and rarely need it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "geom/edge_plane.h"
#include "geom/geom.h"
#include "helpers/hard.h"

enum { COUNT = 101 };

enum { UNIT, FLOATS, SHIFTED, SMALL_TRIANGLES, GRID, STEEP, ANY, FAMILIES };

static void make_point(snag__random *random, int family, double p[3])
{
    for (int k = 0; k < 3; k++)
        switch (family) {
        case FLOATS: p[k] = (float)snag__random_range(random, -1, 1); break;
        case SHIFTED: p[k] = 1e6 + snag__random_range(random, -1, 1); break;
        case SMALL_TRIANGLES: p[k] = 0.5 + snag__random_range(random, -1e-3, 1e-3); break;
        case GRID: p[k] = hard_grid(random, 5); break;
        case STEEP: p[k] = snag__random_range(random, -1, 1) * (k == 2 ? 1e-9 : 1); break;
        case ANY: p[k] = hard_any_double(random); break;
        default: p[k] = snag__random_range(random, -1, 1);
        }
}

// Points five by five: an edge that passes through the plane of three points.
static void make_cuts(snag__random *random, int family, double (*points)[3], snag__edge_plane *cuts)
{
    for (size_t i = 0; i < COUNT; i++) {
        double(*p)[3] = points + 5 * i;
        do {
            for (int j = 0; j < 5; j++)
                make_point(random, family, p[j]);
        } while (snag__orient3d(p[0], p[1], p[2], p[3]) * snag__orient3d(p[0], p[1], p[2], p[4]) >= 0);
        cuts[i] = (snag__edge_plane){p[3], p[4], {p[0], p[1], p[2]}};
    }
}

static void kernels_give_the_bits_of_exact_arithmetic(void **state)
{
    (void)state;
    static double points[5 * COUNT][3], expected[COUNT][3], got[COUNT][3];
    static snag__edge_plane cuts[COUNT];
    snag__random random = {1};
    size_t exact[FAMILIES] = {0}, all = 0;
    for (int round = 0; round < 20 * FAMILIES; round++) {
        int family = round % FAMILIES;
        make_cuts(&random, family, points, cuts);
        for (size_t i = 0; i < COUNT; i++)
            snag__edge_plane_point(&cuts[i], expected[i]);
        size_t count = COUNT - (size_t)round % 9, needed = SIZE_MAX;
        for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            if (!snag__isa_available(isa))
                continue;
            memset(got, 0xee, sizeof got);
            size_t now = snag__edge_plane_kernels_for(isa)->points(cuts, count, got);
            assert_memory_equal(got, expected, count * sizeof *got);
            assert_true(needed == SIZE_MAX || needed == now);
            needed = now;
        }
        exact[family] += needed;
        all += family == 0 ? count : 0;
    }
    for (int family = UNIT; family <= SMALL_TRIANGLES; family++)
        assert_true(exact[family] < all / 100);
}

// Rounding the exact point to nearest cannot leave the box of the edge.
static void points_stay_in_the_box_of_the_edge(void **state)
{
    (void)state;
    static double points[5 * COUNT][3];
    static snag__edge_plane cuts[COUNT];
    snag__random random = {2};
    for (int family = 0; family < FAMILIES; family++) {
        make_cuts(&random, family, points, cuts);
        for (size_t i = 0; i < COUNT; i++) {
            double p[3];
            snag__edge_plane_point(&cuts[i], p);
            for (int k = 0; k < 3; k++) {
                assert_true(p[k] >= fmin(cuts[i].from[k], cuts[i].to[k]));
                assert_true(p[k] <= fmax(cuts[i].from[k], cuts[i].to[k]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_give_the_bits_of_exact_arithmetic),
        cmocka_unit_test(points_stay_in_the_box_of_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
