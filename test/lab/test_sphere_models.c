// The models of `snag repro rodriguez`: the paper's triangle counts, and what makes them a test of shape.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "sphere_runs.h"

static void models_have_the_counts_of_the_paper(void **state)
{
    (void)state;
    static const size_t counts[SPHERE_MODELS] = {1496, 1500, 1500, 600, 5104, 5110, 5144};
    for (size_t i = 0; i < SPHERE_MODELS; i++) {
        snag_shape shape;
        const char *name, *like;
        assert_true(sphere_model(i, &name, &like, &shape));
        assert_int_equal(shape.triangle_count, counts[i]);
        for (size_t k = 0; k < 3 * shape.triangle_count; k++)
            assert_true(shape.triangles[k] < shape.vertex_count);
        for (size_t k = 0; k < 3 * shape.vertex_count; k++)
            assert_true(isfinite(shape.positions[k]));
        snag_shape_free(&shape);
    }
    snag_shape shape;
    const char *name, *like;
    assert_false(sphere_model(SPHERE_MODELS, &name, &like, &shape));
}

// A tree that lacks a branch misses it and all below, and nothing else.
static void what_a_tree_lacks_is_counted(void **state)
{
    (void)state;
    snag_shape shape;
    const char *name, *like;
    sphere_tree whole, part;
    assert_true(sphere_model(3, &name, &like, &shape));
    assert_int_equal(sphere_whole_tree(&shape, SPHERE_CPU, 3, &whole), SNAG_OK);
    assert_int_equal(sphere_whole_tree(&shape, SPHERE_CPU, 3, &part), SNAG_OK);
    size_t all, kept = 0, dropped = 0;
    assert_int_equal(sphere_missed(&whole, &part, 3, &all), 0);
    assert_true(all > 50);
    // Parents come first: drop the second child of the root and what follows it down to the next.
    bool drop = false;
    int children = 0;
    for (size_t i = 0; i < part.count; i++) {
        if (part.spheres[i].depth == 1)
            drop = ++children == 2;
        dropped += drop && part.spheres[i].depth == 3;
        if (!drop)
            part.spheres[kept++] = part.spheres[i];
    }
    part.count = kept;
    assert_true(dropped > 0);
    assert_int_equal(sphere_missed(&whole, &part, 3, &all), dropped);
    assert_int_equal(sphere_missed(&part, &whole, 3, &all), 0);
    free(whole.spheres);
    free(part.spheres);
    snag_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_counts_of_the_paper),
        cmocka_unit_test(what_a_tree_lacks_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
