// The plain implementation of the active pairs paper: with enough pairs it finds all, and never what is not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "paper_active.h"

static size_t brute_truth(const snag_shape *a, const snag_shape *b, double distance)
{
    size_t count = 0;
    for (size_t i = 0; i < a->vertex_count; i++)
        for (size_t j = 0; j < b->vertex_count; j++) {
            double sum = 0;
            for (size_t k = 0; k < 3; k++)
                sum += (a->positions[3 * i + k] - b->positions[3 * j + k]) * (a->positions[3 * i + k] - b->positions[3 * j + k]);
            count += sum < distance * distance;
        }
    return count;
}

static void it_finds_all_with_enough_pairs_and_nothing_else(void **state)
{
    (void)state;
    snag_shape ball, other;
    const double distance = 0.12;
    assert_int_equal(snag_shape_icosphere(3, 1, &ball), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 0.7, &other), SNAG_OK);
    snag_shape_transform(&other, 1, 0.3, 0.05, 0);
    for (int mode = 0; mode < 2; mode++)
        for (uint32_t leaf = 1; leaf <= 64; leaf *= 8) {
            const paper_active_def def = {
                .a = &ball, .b = &other, .distance = distance, .leaf = leaf, .new_pairs = 60, .recursive = mode == 1, .seed = 3};
            paper_active *p = paper_active_new(&def);
            assert_non_null(p);
            snag_shape_transform(&other, 1, -0.05, 0, 0);
            size_t truth = paper_active_truth(&ball, &other, distance), last = 0;
            assert_int_equal(truth, brute_truth(&ball, &other, distance));
            assert_true(truth > 20);
            for (int step = 0; step < 12; step++) {
                paper_active_step taken;
                assert_true(paper_active_run(p, &taken));
                assert_true(taken.found <= truth && taken.found >= last);  // nothing moves
                assert_true(taken.leaf_pairs > 0 && taken.looked_at > 0);
                last = taken.found;
            }
            assert_true(last >= 0.95 * (double)truth);
            snag_shape_transform(&other, 1, 0.05, 0, 0);
            paper_active_free(p);
        }
    snag_shape_free(&ball);
    snag_shape_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_finds_all_with_enough_pairs_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
