// Impacts by regularity are those of brute, byte for byte: on sheets of every topology and contour that bend, crumple,
// roll up and turn, in small steps and in large ones. The proof over the whole move is what leaves pairs out, and
// without the contour test contacts would be missing: these very surfaces show it.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    size_t moves, contacts, contacts_of_paper, left_out, with_contacts;
} tally;

static const void *listed(const snag_answer *answer)
{
    return answer->contacts != NULL ? (const void *)answer->contacts : answer->pairs;
}

static void compare(snag_world *world, const any_question *def, tally *sum)
{
    any_question ask = *def;
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count, tests[SNAG_REGULARITY_MODE_COUNT];
    size_t size = ask.output == SNAG_OUTPUT_CONTACTS ? sizeof(snag_contact) : sizeof(snag_pair);
    double earliest = answer->earliest;
    snag_pair culprit = answer->culprit;
    void *expected = malloc((count + 1) * size);
    if (count > 0)
        memcpy(expected, listed(answer), count * size);
    ask.method = SNAG_METHOD_REGULARITY;
    for (int mode = 0; mode < SNAG_REGULARITY_MODE_COUNT; mode++) {
        ask.regularity = (snag_regularity_mode)mode;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        tests[mode] = answer->statistics->tested;
        if (mode == SNAG_REGULARITY_PAPER) {
            assert_true(answer->count <= count);
            sum->contacts_of_paper += answer->count;
            continue;
        }
        assert_int_equal(answer->count, count);
        assert_true(answer->earliest == earliest);
        assert_memory_equal(&answer->culprit, &culprit, sizeof culprit);
        if (count > 0)
            assert_memory_equal(listed(answer), expected, count * size);
    }
    free(expected);
    sum->moves++;
    sum->contacts += count;
    sum->with_contacts += count > 0;
    sum->left_out += tests[SNAG_REGULARITY_CLASSICAL] - tests[SNAG_REGULARITY_CERTIFIED];
}

// Turns all of a shape about an axis through its middle, by so many radians.
static void turn(snag_shape *shape, double angle, int axis)
{
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        double *x = shape->positions + 3 * (size_t)v, a = x[(axis + 1) % 3], b = x[(axis + 2) % 3];
        x[(axis + 1) % 3] = cos(angle) * a - sin(angle) * b;
        x[(axis + 2) % 3] = sin(angle) * a + cos(angle) * b;
    }
}

// A surface that bends, turns and shakes from pose to pose.
static void compare_moves(snag_shape *shape, double step, snag__random *random, tally *sum)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1 + (uint32_t)sum->moves % 2});
    snag_body_id id;
    any_question ask = any_default(SNAG_IMPACTS);
    ask.output = sum->moves % 4 == 0 ? SNAG_OUTPUT_CONTACTS : SNAG_OUTPUT_PAIRS;
    assert_int_equal(scene_add(world, shape, SNAG_F64, NULL, &id), SNAG_OK);
    for (uint32_t pose = 0; pose < 2; pose++) {
        surface_bend(shape, step, random);
        turn(shape, snag__random_range(random, -4, 4) * step, (int)snag__random_below(random, 3));
        if (snag__random_below(random, 3) == 0)
            scene_shake(shape, 0.05 * step, random);
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(shape->positions, shape->vertex_count)), SNAG_OK);
        compare(world, &ask, sum);
    }
    snag_world_destroy(world);
    snag_shape_free(shape);
}

static void sheets_that_bend_and_crumple(void **state)
{
    (void)state;
    snag__random random = {71};
    tally sum = {0};
    for (int round = 0; round < 80; round++) {
        snag_shape sheet;
        uint32_t cells = 4 + snag__random_below(&random, 8);
        assert_int_equal(snag_shape_sheet(cells, cells, 1, 1, &sheet), SNAG_OK);
        surface_bend(&sheet, snag__random_range(&random, 0, 0.2), &random);
        if (round % 4 == 0)
            surface_slit(&sheet, &random);
        if (round % 5 == 0)
            surface_remove_triangles(&sheet, 0.1, &random);
        if (round % 6 == 0)
            surface_flip_triangles(&sheet, 0.3, &random);
        if (round % 7 == 0)
            surface_collapse(&sheet, 2, &random);
        compare_moves(&sheet, pow(10, snag__random_range(&random, -3, -0.5)), &random, &sum);
    }
    assert_true(sum.with_contacts > 25 && sum.with_contacts < sum.moves && sum.left_out > 20000);
}

// Contours that slide over each other while every normal points up.
static void spirals_and_stars_whose_arms_slide_over_each_other(void **state)
{
    (void)state;
    snag__random random = {72};
    tally sum = {0};
    for (int round = 0; round < 80; round++) {
        double turns = snag__random_range(&random, 0.8, 1.6), width = snag__random_range(&random, 0.1, 0.5);
        snag_shape shape = round % 3 == 0 ? surface_star(3 + snag__random_below(&random, 5), 3, 0.8)
                                          : surface_spiral(20 + snag__random_below(&random, 20), 2, 0.6,
                                                           0.6 + snag__random_range(&random, -0.1, 0.5) * turns, width, turns);
        compare_moves(&shape, pow(10, snag__random_range(&random, -2.5, -0.5)), &random, &sum);
    }
    assert_true(sum.contacts > 1000 && sum.contacts_of_paper < sum.contacts && sum.left_out > 5000);
}

static void rolls_moebius_strips_and_closed_surfaces(void **state)
{
    (void)state;
    snag__random random = {73};
    tally sum = {0};
    for (int round = 0; round < 40; round++) {
        snag_shape shape;
        if (round % 4 == 0)
            shape = surface_roll(3, snag__random_range(&random, 0.5, 2), snag__random_range(&random, 0.05, 0.2));
        else if (round % 4 == 1)
            shape = surface_moebius(24 + snag__random_below(&random, 10), 2);
        else if (round % 4 == 2)
            shape = surface_klein(12, 8);
        else
            assert_int_equal(snag_shape_icosphere(2, 1, &shape), SNAG_OK);
        compare_moves(&shape, pow(10, snag__random_range(&random, -3, -1)), &random, &sum);
    }
    assert_true(sum.contacts > 100 && sum.left_out > 10000);
}

// Two bodies, one of which has a vertex of its own; then the same with a separation, which no proof covers.
static void bodies_loose_vertices_and_separations(void **state)
{
    (void)state;
    snag__random random = {74};
    tally sum = {0};
    for (int round = 0; round < 24; round++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_shape sheet;
        snag_body_id ids[3];
        assert_int_equal(snag_shape_sheet(6, 6, 1, 1, &sheet), SNAG_OK);
        assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &ids[0]), SNAG_OK);
        surface_bend(&sheet, 0.1, &random);
        assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &ids[1]), SNAG_OK);
        snag_body_def point = snag_default_body_def();
        double at[3] = {0.1, 0.1, 0.3};
        point.positions = snag_positions_f64(at, 1);
        if (round % 2 == 1)
            assert_int_equal(snag_world_add(world, &point, &ids[2]), SNAG_OK);
        any_question ask = any_default(SNAG_IMPACTS);
        ask.separation = round % 3 == 2 ? 0.01 : 0;
        surface_bend(&sheet, 0.1, &random);
        assert_int_equal(snag_world_move(world, ids[1], snag_positions_f64(sheet.positions, sheet.vertex_count)), SNAG_OK);
        at[2] = -0.3;
        if (round % 2 == 1)
            assert_int_equal(snag_world_move(world, ids[2], point.positions), SNAG_OK);
        compare(world, &ask, &sum);
        snag_world_destroy(world);
        snag_shape_free(&sheet);
    }
    assert_true(sum.with_contacts > 12);
}

// Questions about slots and about moves share one tree.
static void both_questions_in_turn(void **state)
{
    (void)state;
    snag__random random = {75};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_shape sheet;
    snag_body_id id;
    tally sum = {0};
    assert_int_equal(snag_shape_sheet(9, 9, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
    for (int round = 0; round < 12; round++) {
        any_question slots = any_default(SNAG_INTERSECTIONS);
        any_question moves = any_default(SNAG_IMPACTS);
        surface_bend(&sheet, 0.2, &random);
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(sheet.positions, sheet.vertex_count)), SNAG_OK);
        compare(world, round % 2 == 0 ? &slots : &moves, &sum);
        compare(world, round % 2 == 0 ? &moves : &slots, &sum);
    }
    assert_true(sum.contacts > 100);
    snag_world_destroy(world);
    snag_shape_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_that_bend_and_crumple),
        cmocka_unit_test(spirals_and_stars_whose_arms_slide_over_each_other),
        cmocka_unit_test(rolls_moebius_strips_and_closed_surfaces),
        cmocka_unit_test(bodies_loose_vertices_and_separations),
        cmocka_unit_test(both_questions_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
