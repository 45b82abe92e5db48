// Comparing two ways at the same detection ratio.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "garment_runs.h"

static void times_are_interpolated_at_a_ratio(void **state)
{
    (void)state;
    figure_run *runs = calloc(3, sizeof *runs);
    assert_non_null(runs);
    const double ratios[3] = {0.4, 0.6, 0.9}, least[3] = {0.1, 0.3, 0.5}, us[3] = {100, 400, 1600};
    for (int i = 0; i < 3; i++) {
        runs[i].ratio = ratios[i];
        runs[i].least = least[i];
        runs[i].total_us = us[i];
    }
    assert_true(fabs(garment_time_at(runs, 3, 0.6, false) - 400) < 1e-9);
    assert_true(fabs(garment_time_at(runs, 3, 0.5, false) - 200) < 1e-9);
    assert_true(fabs(garment_time_at(runs, 3, 0.2, true) - 200) < 1e-9);
    assert_true(fabs(garment_time_at(runs, 3, 0.1, false) - 100) < 1e-9);
    assert_true(isnan(garment_time_at(runs, 3, 0.95, false)));
    assert_true(isnan(garment_time_at(runs, 3, 0.6, true)));
    free(runs);
}

// All ways search the same steps: a complete one finds all, and a second complete one finds as much.
static void ways_take_turns_on_one_motion(void **state)
{
    (void)state;
    const figure_way ways[3] = {
        {.method = SNAG_METHOD_KDOP}, {.method = SNAG_METHOD_BRUTE}, {.method = SNAG_METHOD_ACTIVE, .new_pairs = 20}};
    figure_run *runs = calloc(3, sizeof *runs);
    assert_non_null(runs);
    size_t triangles[2];
    snag_sim_def def = snag_default_sim_def();
    def.scene = "dressed-man";
    def.size = 0.02;
    def.threads = 1;
    const garment_job job = {.def = &def, .settle = 2, .steps = 3, .ways = ways, .count = 3, .staged = 1};
    assert_int_equal(garment_runs(&job, runs, triangles), SNAG_OK);
    assert_true(triangles[0] > 0 && triangles[1] > 0);
    assert_true(runs[0].contacts > 0);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(runs[i].ratio - 1) < 1e-12 && runs[i].total_us > 0);
    assert_true(runs[2].ratio > 0 && runs[2].ratio <= 1);
    assert_true(runs[0].update_us > 0 && runs[1].update_us == 0);
    def.scene = "no-such-scene";
    assert_true(garment_runs(&job, runs, triangles) != SNAG_OK);
    free(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_interpolated_at_a_ratio),
        cmocka_unit_test(ways_take_turns_on_one_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
