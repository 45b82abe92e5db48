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
            size_t truth = paper_active_truth(p), last = 0;
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

// A strip that is folded in half: row j of one half lies over row j of the other, a tenth of an edge apart.
enum { STRIP_ROWS = 20, STRIP_COLUMNS = 4 };

static void fold_strip(snag_shape *strip, double *positions, uint32_t *triangles)
{
    size_t count = 0;
    for (uint32_t i = 0; i < 2 * STRIP_ROWS; i++)
        for (uint32_t j = 0; j < STRIP_COLUMNS; j++) {
            double *x = &positions[3 * (size_t)(i * STRIP_COLUMNS + j)];
            x[0] = i < STRIP_ROWS ? i : 2 * STRIP_ROWS - 1 - i;
            x[1] = j;
            x[2] = i < STRIP_ROWS ? 0 : 0.1;
        }
    for (uint32_t i = 0; i + 1 < 2 * STRIP_ROWS; i++)
        for (uint32_t j = 0; j + 1 < STRIP_COLUMNS; j++) {
            uint32_t v = i * STRIP_COLUMNS + j;
            const uint32_t corners[6] = {v, v + 1, v + STRIP_COLUMNS, v + 1, v + STRIP_COLUMNS + 1, v + STRIP_COLUMNS};
            for (int k = 0; k < 6; k++)
                triangles[3 * count + (size_t)k] = corners[k];
            count += 2;
        }
    *strip = (snag_shape){.positions = positions,
                          .vertex_count = (size_t)2 * STRIP_ROWS * STRIP_COLUMNS,
                          .triangles = triangles,
                          .triangle_count = count};
}

// Within half an edge each point has just the one above it. The way to it along the strip is 0.1, 2.1, 4.1 edges and so on: the first
// is near along the strip, all others are contacts. Nothing else is.
static void one_surface_collides_with_itself_but_not_with_its_neighbours(void **state)
{
    (void)state;
    static double positions[3 * 2 * STRIP_ROWS * STRIP_COLUMNS];
    static uint32_t triangles[3 * 2 * 2 * STRIP_ROWS * STRIP_COLUMNS];
    snag_shape strip;
    fold_strip(&strip, positions, triangles);
    for (int mode = 0; mode < 2; mode++)
        for (uint32_t leaf = 1; leaf <= 64; leaf *= 8) {
            const paper_active_def def = {
                .a = &strip, .b = &strip, .distance = 0.5, .leaf = leaf, .new_pairs = 100, .recursive = mode == 1, .seed = 5};
            paper_active *p = paper_active_new(&def);
            assert_non_null(p);
            const size_t truth = (size_t)(STRIP_ROWS - 1) * STRIP_COLUMNS;
            assert_int_equal(paper_active_truth(p), truth);
            size_t last = 0;
            for (int step = 0; step < 40; step++) {
                paper_active_step taken;
                assert_true(paper_active_run(p, &taken));
                assert_true(taken.found <= truth && taken.found >= last);
                last = taken.found;
            }
            assert_int_equal(last, truth);
            // Opened, it touches itself nowhere; folded again, it does.
            for (size_t v = (size_t)STRIP_ROWS * STRIP_COLUMNS; v < strip.vertex_count; v++)
                positions[3 * v + 2] += 5;
            paper_active_step opened;
            assert_true(paper_active_run(p, &opened));
            assert_int_equal(paper_active_truth(p), 0);
            assert_int_equal(opened.found, 0);
            for (size_t v = (size_t)STRIP_ROWS * STRIP_COLUMNS; v < strip.vertex_count; v++)
                positions[3 * v + 2] -= 5;
            paper_active_free(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_finds_all_with_enough_pairs_and_nothing_else),
                                       cmocka_unit_test(one_surface_collides_with_itself_but_not_with_its_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
