// Experiments with sphere trees: Algorithm 1 as the paper prints it, and the spheres of a tree to draw.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <string.h>

static any_question question_of(snag_backend backend, snag_spheres_rule rule, uint32_t depth)
{
    any_question ask = any_default(SNAG_OVERLAPS);
    ask.method = SNAG_METHOD_SPHERES;
    ask.self = false;
    ask.depth = depth;
    ask.backend = backend;
    ask.spheres = rule;
    return ask;
}

// Two shapes in a world of their own; NULL where there is no OpenGL.
static snag_world *two_shapes(const snag_shape *a, const snag_shape *b, bool needs_gl)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id;
    const snag_answer *answer = NULL;
    assert_int_equal(scene_add(world, a, SNAG_F64, NULL, &id), SNAG_OK);
    assert_int_equal(scene_add(world, b, SNAG_F64, NULL, &id), SNAG_OK);
    any_question ask = question_of(SNAG_BACKEND_GL, SNAG_SPHERES_COMPLETE, 1);
    if (!needs_gl || any_ask(world, &ask, &answer) == SNAG_OK)
        return world;
    print_message("skipped: %s\n", snag_world_message(world));
    snag_world_destroy(world);
    return NULL;
}

// A needle along the diagonal is thinner than a pixel in every view.
static void the_rule_as_printed_misses_what_is_thin(void **state)
{
    (void)state;
    double needle[9] = {-1, -1, -1, 1, 1, 1, 1, 1, 1 + 1e-6};
    uint32_t one[3] = {0, 1, 2};
    const snag_shape thin = {.positions = needle, .vertex_count = 3, .triangles = one, .triangle_count = 1};
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(3, 0.9, &ball), SNAG_OK);
    snag_world *world = two_shapes(&thin, &ball, true);
    if (world != NULL) {
        const snag_answer *answer = NULL;
        any_question ask = question_of(SNAG_BACKEND_GL, SNAG_SPHERES_COMPLETE, 4);
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        size_t complete = answer->count;
        assert_true(answer->complete && complete > 0);
        ask.spheres = SNAG_SPHERES_PAPER;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_true(!answer->complete && answer->count < complete);
        ask.spheres = SNAG_SPHERES_COMPLETE;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, complete);  // the tree of the other rule is not taken over
        snag_world_destroy(world);
    }
    snag_shape_free(&ball);
}

// A ball meets all eight octants, and the first view of each shows it: 8 queries, not 24.
static void the_rule_as_printed_stops_at_the_first_view_that_shows_something(void **state)
{
    (void)state;
    snag_shape ball, other;
    assert_int_equal(snag_shape_icosphere(3, 1, &ball), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 1, &other), SNAG_OK);
    snag_shape_transform(&other, 1, 0.5, 0, 0);
    snag_world *world = two_shapes(&ball, &other, true);
    if (world != NULL) {
        const snag_answer *answer = NULL;
        any_question ask = question_of(SNAG_BACKEND_GL, SNAG_SPHERES_PAPER, 1);
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->statistics->tested, 16);
        ask.spheres = SNAG_SPHERES_COMPLETE;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->statistics->tested, 48);
        snag_world_destroy(world);
    }
    snag_shape_free(&ball);
    snag_shape_free(&other);
}

static void the_rule_as_printed_needs_opengl(void **state)
{
    (void)state;
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(1, 1, &ball), SNAG_OK);
    snag_world *world = two_shapes(&ball, &ball, false);
    const snag_answer *answer = NULL;
    any_question ask = question_of(SNAG_BACKEND_CPU, SNAG_SPHERES_PAPER, 1);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), "backend gl"));
    ask.spheres = SNAG_SPHERES_RULE_COUNT;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    snag_world_destroy(world);
    snag_shape_free(&ball);
}

static bool is_listed(const snag_lab_results *lab, snag_body_id body, const double centre[3], double radius)
{
    for (size_t i = 0; i < lab->sphere_count; i++) {
        const snag_tree_sphere *s = &lab->spheres[i];
        if (s->leaf && s->body.index == body.index && s->radius == radius && memcmp(s->centre, centre, sizeof s->centre) == 0)
            return true;
    }
    return false;
}

// As many as snag_world_tree counts, roots first; the leaves of all contacts are among them, also after a rigid motion.
static void the_spheres_of_trees_are_listed(void **state)
{
    (void)state;
    snag_shape ring, ball;
    assert_int_equal(snag_shape_torus(24, 10, 0.5, 0.2, &ring), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.4, &ball), SNAG_OK);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id ids[2];
    assert_int_equal(scene_add(world, &ring, SNAG_F64, NULL, &ids[0]), SNAG_OK);
    assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &ids[1]), SNAG_OK);
    any_question ask = question_of(SNAG_BACKEND_CPU, SNAG_SPHERES_COMPLETE, 4);
    ask.trees = true;
    for (int step = 0; step < 3; step++) {
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        const snag_lab_results *lab = answer->statistics->lab;
        size_t expected = 0;
        for (int i = 0; i < 2; i++) {
            snag_tree_info info;
            assert_int_equal(snag_world_tree(world, ids[i], &info), SNAG_OK);
            expected += info.node_count;
        }
        assert_int_equal(lab->sphere_count, expected);
        assert_true(lab->spheres[0].depth == 0 && !lab->spheres[0].leaf);
        assert_true(answer->count > 0);
        for (size_t i = 0; i < answer->count; i++) {
            const snag_contact *c = &answer->contacts[i];
            assert_true(is_listed(lab, c->body_a, c->point_a, c->weight[0]));
            assert_true(is_listed(lab, c->body_b, c->point_b, c->weight[1]));
        }
        snag_shape_transform(&ball, 1, 0.1, 0.05, 0);
        assert_int_equal(snag_world_move(world, ids[1], snag_positions_f64(ball.positions, ball.vertex_count)), SNAG_OK);
    }
    // Without the wish nothing is listed.
    const snag_answer *answer = NULL;
    ask.trees = false;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->statistics->lab->sphere_count, 0);
    snag_world_destroy(world);
    snag_shape_free(&ring);
    snag_shape_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_as_printed_misses_what_is_thin),
        cmocka_unit_test(the_rule_as_printed_stops_at_the_first_view_that_shows_something),
        cmocka_unit_test(the_rule_as_printed_needs_opengl),
        cmocka_unit_test(the_spheres_of_trees_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
