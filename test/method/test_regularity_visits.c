// The patches that a search of `regularity` looked at: every triangle is in one, the hierarchy alone looks at all leaves, and what is
// regular is left in large patches.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>

// The number of different patches of a ball; *largest: the triangles of the largest one.
static size_t count_patches(snag_world *world, snag_regularity_mode mode, size_t triangles, size_t *largest)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_REGULARITY;
    ask.regularity = mode;
    ask.visits = true;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->method, SNAG_METHOD_REGULARITY);
    const snag_lab_results *lab = answer->statistics->lab;
    assert_int_equal(lab->visit_count, triangles);
    size_t count = 0, *sizes = calloc(triangles + 1, sizeof *sizes);
    *largest = 0;
    for (size_t i = 0; i < triangles; i++) {
        const snag_patch_visit *visit = &lab->visits[i];
        assert_int_equal(visit->triangle, i);
        assert_true(visit->patch < triangles && (visit->level == 0) == (visit->patch == 0));
        count += sizes[visit->patch]++ == 0;
        *largest = sizes[visit->patch] > *largest ? sizes[visit->patch] : *largest;
    }
    free(sizes);
    return count;
}

static void regular_parts_stay_in_large_patches(void **state)
{
    (void)state;
    snag_shape ball;
    snag_body_id id;
    assert_int_equal(snag_shape_icosphere(4, 1, &ball), SNAG_OK);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        snag_world *world = scene_world(&(scene_options){.threads = threads});
        assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &id), SNAG_OK);
        size_t largest, classical = count_patches(world, SNAG_REGULARITY_CLASSICAL, ball.triangle_count, &largest);
        assert_true(largest <= 16 && classical >= ball.triangle_count / 16);
        assert_true(count_patches(world, SNAG_REGULARITY_CERTIFIED, ball.triangle_count, &largest) < classical / 4);
        assert_true(largest > 100);
        // Without the wish nothing is listed.
        any_question ask = any_default(SNAG_INTERSECTIONS);
        const snag_answer *answer = NULL;
        ask.method = SNAG_METHOD_REGULARITY;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->statistics->lab->visit_count, 0);
        snag_world_destroy(world);
    }
    snag_shape_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(regular_parts_stay_in_large_patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
