// Every complete method gives what brute gives, byte for byte: on random, degenerate and moving scenes, for each of its
// options, for several threads and every instruction set.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    snag_method method;
    uint32_t k, arity;
} options;

static const options all_options[] = {
    {SNAG_METHOD_KDOP, 0, 0},       {SNAG_METHOD_KDOP, 6, 2},  {SNAG_METHOD_KDOP, 14, 4}, {SNAG_METHOD_KDOP, 18, 8},
    {SNAG_METHOD_KDOP, 26, 2},      {SNAG_METHOD_KDOP, 18, 4}, {SNAG_METHOD_HASH, 0, 0},  {SNAG_METHOD_REGIONS, 0, 0},
    {SNAG_METHOD_REGULARITY, 0, 0}, {SNAG_METHOD_AUTO, 0, 0},
};
enum { OPTIONS = sizeof all_options / sizeof *all_options };

// The answer of brute, kept while others are asked.
typedef struct expected {
    snag_contact *contacts;
    size_t count, degenerate;
    double earliest;
} expected;

static expected ask_brute(snag_world *world, any_question ask)
{
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    expected e = {malloc((answer->count + 1) * sizeof(snag_contact)), answer->count, answer->degenerate, answer->earliest};
    if (e.count > 0)
        memcpy(e.contacts, answer->contacts, e.count * sizeof *e.contacts);
    return e;
}

static void compare_with_brute(snag_world *world, snag_question question, double distance, size_t *contacts)
{
    any_question ask = any_default(question);
    ask.distance = distance;
    // Every fifth time, since keeping a separation costs much more than meeting.
    ask.separation = *contacts % 5 == 0 ? distance / 4 : 0;
    ask.every_pair = *contacts % 2 == 0;
    ask.edges = *contacts % 4 != 1;
    expected e = ask_brute(world, ask);
    *contacts += e.count;
    for (int i = 0; i < OPTIONS; i++) {
        if (!snag_method_answers(all_options[i].method, question))
            continue;
        ask.method = all_options[i].method;
        ask.k = all_options[i].k;
        ask.arity = all_options[i].arity;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_true(answer->complete);
        assert_int_equal(answer->count, e.count);
        assert_int_equal(answer->degenerate, e.degenerate);
        assert_true(answer->earliest == e.earliest);
        if (e.count > 0)
            assert_memory_equal(answer->contacts, e.contacts, e.count * sizeof *e.contacts);
    }
    free(e.contacts);
}

static void assert_equals_brute(snag_world *world, const any_question *ask)
{
    expected e = ask_brute(world, *ask);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, e.count);
    if (e.count > 0)
        assert_memory_equal(answer->contacts, e.contacts, e.count * sizeof *e.contacts);
    free(e.contacts);
}

// Methods that find contacts between bodies only.
static void compare_between(snag_world *world)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_SPHERES;
    ask.self = false;
    assert_equals_brute(world, &ask);
}

static void compare_all_questions(snag_world *world, double distance, size_t contacts[SNAG_QUESTION_COUNT])
{
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        if (snag_method_answers(SNAG_METHOD_BRUTE, (snag_question)question))
            compare_with_brute(world, (snag_question)question, distance, &contacts[question]);
    compare_between(world);
}

static void add_and_free(snag_world *world, snag_shape shape, snag_body_id *id)
{
    assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, id), SNAG_OK);
    snag_shape_free(&shape);
}

static void soups_of_all_degrees_of_degeneracy(void **state)
{
    (void)state;
    size_t contacts[SNAG_QUESTION_COUNT] = {0};
    snag__random random = {21};
    for (uint32_t round = 0; round < 12; round++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1 + round % 3, .isa = scene_isa(round)});
        uint32_t grid = round % 4 == 3 ? 0 : 1u << round % 4;
        snag_body_id id;
        add_and_free(world, scene_soup(20 + round, grid, round % 2 == 0, &random), &id);
        add_and_free(world, scene_soup(5 + round / 2, grid, false, &random), &id);
        add_and_free(world, scene_tet_soup(3 + round / 4, grid, &random), &id);
        compare_all_questions(world, 0.05, contacts);
        snag_world_destroy(world);
    }
    assert_true(contacts[SNAG_INTERSECTIONS] > 1000 && contacts[SNAG_PENETRATIONS] > 100);
}

static void move_sheets_and_blocks(snag_isa isa)
{
    size_t contacts[SNAG_QUESTION_COUNT] = {0};
    snag__random random = {22};
    snag_world *world = scene_world(&(scene_options){.threads = 2, .isa = isa});
    snag_shape shapes[4];
    snag_body_id ids[4];
    shapes[0] = scene_crumpled_sheet(16, 0.12, &random);
    shapes[1] = scene_crumpled_sheet(11, 0.05, &random);
    assert_int_equal(snag_shape_block(3, 2, 3, 0.2, &shapes[2]), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.3, &shapes[3]), SNAG_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
    for (int step = 0; step < 7; step++) {
        // Not all bodies move in each step, and in one step one jumps across the scene.
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        for (int i = step % 2; i < 4; i++) {
            scene_shake(&shapes[i], 0.02, &random);
            if (step == 5)
                snag_shape_transform(&shapes[i], 1, i == 3 ? 0.5 : 0, 0, 0);
            assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(shapes[i].positions, shapes[i].vertex_count)),
                             SNAG_OK);
        }
        compare_all_questions(world, 0.01, contacts);
    }
    assert_int_equal(snag_world_remove(world, ids[1]), SNAG_OK);
    compare_all_questions(world, 0.01, contacts);
    for (int i = 0; i < 4; i++)
        snag_shape_free(&shapes[i]);
    snag_world_destroy(world);
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        assert_true(contacts[question] > 0 || !snag_method_answers(SNAG_METHOD_BRUTE, (snag_question)question));
}

static void moving_sheets_and_blocks_over_many_steps(void **state)
{
    (void)state;
    for (uint32_t i = 0; i == 0 || scene_isa(i) != scene_isa(0); i++)
        move_sheets_and_blocks(scene_isa(i));
}

static void shake_a_quarter(snag_shape *shape, double by, snag__random *random)
{
    size_t first = snag__random_below(random, 3) * shape->vertex_count / 4;
    for (size_t i = 3 * first; i < 3 * first + 3 * shape->vertex_count / 4; i++)
        shape->positions[i] += (snag__random_unit(random) - 0.5) * by;
}

// One question all along, so that trees are kept and only stale nodes are renewed; other parts move at each step.
static void lazily_follow(snag_question question, double margin, uint32_t round, snag__random *random)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1 + round % 2, .isa = scene_isa(round)});
    snag_shape shapes[2] = {scene_crumpled_sheet(12, 0.1, random), scene_crumpled_sheet(7, 0.05, random)};
    snag_body_id ids[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
    any_question ask = any_default(question);
    ask.method = SNAG_METHOD_KDOP;
    ask.k = 14;
    ask.distance = 0.01;
    ask.lazy = margin;
    for (int step = 0; step < 9; step++) {
        int which = step % 3 == 0;
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        shake_a_quarter(&shapes[which], step == 7 ? 0.5 : 0.02, random);
        assert_int_equal(
            snag_world_move(world, ids[which], snag_positions_f64(shapes[which].positions, shapes[which].vertex_count)), SNAG_OK);
        assert_equals_brute(world, &ask);
    }
    for (int i = 0; i < 2; i++)
        snag_shape_free(&shapes[i]);
    snag_world_destroy(world);
}

static void lazy_bounds_miss_nothing_while_parts_move(void **state)
{
    (void)state;
    static const double margins[] = {1e-12, 0.004, 0.03, 10};
    static const snag_question questions[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_DISTANCE};
    snag__random random = {25};
    for (uint32_t margin = 0; margin < 4; margin++)
        for (uint32_t question = 0; question < 3; question++)
            lazily_follow(questions[question], margins[margin], margin + question, &random);
}

static void many_bodies_and_sizes_from_none_to_some_leaves(void **state)
{
    (void)state;
    size_t contacts[SNAG_QUESTION_COUNT] = {0};
    snag__random random = {23};
    snag_world *world = scene_world(&(scene_options){.threads = 3});
    for (uint32_t i = 0; i < 24; i++) {
        snag_shape soup = i % 3 == 2 ? scene_tet_soup(i / 3, 0, &random) : scene_soup(3 * i, 0, true, &random);
        snag_shape_transform(&soup, 0.2, snag__random_unit(&random), snag__random_unit(&random), snag__random_unit(&random));
        snag_body_id id;
        add_and_free(world, soup, &id);
    }
    compare_all_questions(world, 0.02, contacts);
    assert_true(contacts[SNAG_INTERSECTIONS] > 100);
    snag_world_destroy(world);
}

static void all_in_one_point_in_one_plane_and_at_extreme_scales(void **state)
{
    (void)state;
    static const double scales[] = {0, 1e-300, 1e-30, 1e30, 1e300};
    size_t contacts[SNAG_QUESTION_COUNT] = {0};
    snag__random random = {24};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        snag_world *world = scene_world(&(scene_options){.isa = scene_isa((uint32_t)i)});
        snag_shape soup = scene_soup(40, 3, true, &random);
        snag_shape_transform(&soup, scales[i], scales[i], 0, 0);
        snag_shape tets = scene_tet_soup(5, 3, &random);
        snag_shape_transform(&tets, scales[i], scales[i], 0, 0);
        snag_body_id id;
        add_and_free(world, soup, &id);
        add_and_free(world, tets, &id);
        compare_all_questions(world, scales[i] / 16, contacts);
        snag_world_destroy(world);
    }
    snag_world *world = scene_world(&(scene_options){0});
    snag_shape flat = scene_soup(60, 6, true, &random);
    for (size_t v = 0; v < flat.vertex_count; v++)
        flat.positions[3 * v + 2] = 0.25;
    snag_body_id id;
    add_and_free(world, flat, &id);
    compare_all_questions(world, 0.01, contacts);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_of_all_degrees_of_degeneracy),
        cmocka_unit_test(moving_sheets_and_blocks_over_many_steps),
        cmocka_unit_test(lazy_bounds_miss_nothing_while_parts_move),
        cmocka_unit_test(many_bodies_and_sizes_from_none_to_some_leaves),
        cmocka_unit_test(all_in_one_point_in_one_plane_and_at_extreme_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
