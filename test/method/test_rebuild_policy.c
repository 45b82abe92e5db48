// Trees are built anew when searches have taken as much more as new trees cost: not before, less often where it does not help, and
// always by the same counts.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/kdop.h"
#include "world/world.h"

#include <math.h>

enum { SLOTS = 1000, PRICE = SNAG__REBUILD_PRICE * SLOTS };

static snag__rebuild_case trees(uint64_t builds)
{
    return (snag__rebuild_case){.row_builds = builds, .column_builds = builds, .slots = SLOTS, .self = true, .between = true};
}

// Searches of the same trees until they are worn; SIZE_MAX if they are not after a thousand.
static size_t searches_until_rebuild_due(snag__rebuild_policy *rebuild, uint64_t builds, size_t leaf_pairs)
{
    snag__rebuild_case now = trees(builds);
    for (size_t i = 1; i <= 1000; i++)
        if (snag__rebuild_policy_note(rebuild, &now, leaf_pairs))
            return i;
    return SIZE_MAX;
}

static void searches_that_take_no_more_rebuild_nothing(void **state)
{
    (void)state;
    snag__rebuild_policy rebuild = {0};
    assert_int_equal(searches_until_rebuild_due(&rebuild, 1, 5000), SIZE_MAX);
    assert_int_equal(searches_until_rebuild_due(&rebuild, 1, 4000), SIZE_MAX);
    assert_int_equal(searches_until_rebuild_due(&rebuild, 1, 0), SIZE_MAX);
    assert_int_equal(rebuild.excess, 0);
}

static void trees_are_rebuild_due_when_as_much_was_paid_as_they_cost(void **state)
{
    (void)state;
    for (size_t more = 1000; more <= 64000; more *= 4) {
        snag__rebuild_policy rebuild = {0};
        snag__rebuild_case now = trees(1);
        assert_false(snag__rebuild_policy_note(&rebuild, &now, 5000));
        assert_int_equal(searches_until_rebuild_due(&rebuild, 1, 5000 + more), PRICE / more + 1);
    }
}

// What is saved in between counts too, but nothing is saved up.
static void searches_that_take_less_pay_back(void **state)
{
    (void)state;
    snag__rebuild_policy rebuild = {0};
    snag__rebuild_case now = trees(1);
    snag__rebuild_policy_note(&rebuild, &now, 5000);
    for (int i = 0; i < 2000; i++) {
        assert_false(snag__rebuild_policy_note(&rebuild, &now, 6000));
        assert_false(snag__rebuild_policy_note(&rebuild, &now, 4000));
    }
    for (int i = 0; i < 100; i++)
        assert_false(snag__rebuild_policy_note(&rebuild, &now, 1));
    assert_int_equal(searches_until_rebuild_due(&rebuild, 1, 6000), PRICE / 1000 + 1);
}

static void trees_that_are_no_better_cost_twice_as_much_the_next_time(void **state)
{
    (void)state;
    snag__rebuild_policy rebuild = {0};
    snag__rebuild_case now = trees(1);
    snag__rebuild_policy_note(&rebuild, &now, 5000);
    size_t took = searches_until_rebuild_due(&rebuild, 1, 6000);
    for (uint64_t builds = 2; builds < 5; builds++) {
        // A sixth of the search is not enough of a gain.
        now = trees(builds);
        assert_false(snag__rebuild_policy_note(&rebuild, &now, 5000));
        size_t takes = searches_until_rebuild_due(&rebuild, builds, 6000);
        assert_true(takes >= 2 * took - 2 && takes <= 2 * took + 2);
        took = takes;
    }
    // A third is.
    now = trees(9);
    assert_false(snag__rebuild_policy_note(&rebuild, &now, 4000));
    assert_int_equal(searches_until_rebuild_due(&rebuild, 9, 5000), PRICE / 1000 + 1);
}

// No number of failures makes the price more than a number can hold.
static void the_price_stops_doubling(void **state)
{
    (void)state;
    snag__rebuild_policy rebuild = {0};
    for (uint64_t builds = 1; builds < 200; builds++) {
        snag__rebuild_case now = trees(builds);
        size_t much = (size_t)PRICE << 20, more = (size_t)PRICE << 17;  // a gain of a ninth
        assert_false(snag__rebuild_policy_note(&rebuild, &now, much));
        assert_int_equal(searches_until_rebuild_due(&rebuild, builds, much + more), 1);
    }
}

static bool all(void *context, snag_body_id a, snag_body_id b)
{
    (void)context, (void)a, (void)b;
    return true;
}

static void searches_of_another_kind_are_not_compared(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        snag__rebuild_policy rebuild = {0};
        snag__rebuild_case now = trees(1), other = now;
        int context;
        other.row_builds += i == 0;
        other.column_builds += i == 1;
        other.slots += i == 2;
        other.reach = i == 3;
        other.lazy = i == 4;
        other.self = i != 5;
        other.between = i != 6;
        other.filter = i == 7 ? all : NULL;
        other.context = i == 7 ? &context : NULL;
        for (int turn = 0; turn < 100; turn++) {
            assert_false(snag__rebuild_policy_note(&rebuild, &now, 0));
            assert_false(snag__rebuild_policy_note(&rebuild, &other, PRICE));
        }
    }
}

// ---- in a world ----

enum { CELLS = 48, STEPS = 160 };

// A wavy sheet whose slices slide to and fro, more and more: its nodes are drawn out.
static void shear(const snag_shape *flat, double far, snag_shape *sheet)
{
    for (size_t v = 0; v < flat->vertex_count; v++) {
        const double *from = &flat->positions[3 * v];
        double *to = &sheet->positions[3 * v];
        to[0] = from[0] + far * sin(40 * from[1]);
        to[1] = from[1] + far * sin(33 * from[0]);
        to[2] = 0.2 * sin(5 * from[0]) * cos(4 * from[1]);
    }
}

typedef struct observed {
    uint64_t builds;
    size_t leaf_pairs;
} observed;

// What kdop finds is compared with what brute finds.
static observed ask_kdop(snag_world *world, snag_question question, bool compare)
{
    any_question ask = any_default(question);
    ask.method = SNAG_METHOD_KDOP;
    ask.distance = question == SNAG_PROXIMITIES ? 0.002 : 0;
    const snag_answer *answer;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    const snag__kdop_state *kdop = world->scratch.states[SNAG_METHOD_KDOP].data;
    observed o = {kdop->bvhs[SNAG_TRIANGLE].builds, kdop->rebuild[question][0].last};
    if (compare) {
        uint64_t found = scene_hash(answer);
        size_t count = answer->count;
        ask.method = SNAG_METHOD_BRUTE;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_true(count > 100);
        assert_int_equal(answer->count, count);
        assert_true(scene_hash(answer) == found);
    }
    return o;
}

// A sheet is drawn out and then rests: new trees come once, some time later. Worlds of one thread and of two build them at the
// same step.
static void a_motion_gets_new_trees(snag_question question, double far)
{
    snag_shape flat, sheet;
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &flat), SNAG_OK);
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet), SNAG_OK);
    snag_world *worlds[2];
    snag_body_id ids[2];
    shear(&flat, 0, &sheet);
    for (uint32_t w = 0; w < 2; w++) {
        worlds[w] = scene_world(&(scene_options){.threads = w + 1});
        assert_int_equal(scene_add(worlds[w], &sheet, SNAG_F64, NULL, &ids[w]), SNAG_OK);
    }
    observed rebuild_due = {0}, last = {0};
    for (int step = 0; step < STEPS; step++) {
        shear(&flat, far * fmin(1, step / 10.0), &sheet);
        observed now[2];
        for (int w = 0; w < 2; w++) {
            snag_positions positions = snag_positions_f64(sheet.positions, sheet.vertex_count);
            assert_int_equal(snag_world_begin_step(worlds[w]), SNAG_OK);
            assert_int_equal(snag_world_move(worlds[w], ids[w], positions), SNAG_OK);
            now[w] = ask_kdop(worlds[w], question, step % 40 == 30);
        }
        assert_true(now[0].builds == now[1].builds && now[0].leaf_pairs == now[1].leaf_pairs);
        last = now[0];
        if (step == 20)
            rebuild_due = last;
    }
    assert_int_equal(rebuild_due.builds, 1);
    assert_int_equal(last.builds, 2);
    assert_true(last.leaf_pairs < rebuild_due.leaf_pairs - rebuild_due.leaf_pairs / 10);
    for (int w = 0; w < 2; w++)
        snag_world_destroy(worlds[w]);
    snag_shape_free(&flat);
    snag_shape_free(&sheet);
}

static void intersections_get_new_trees(void **state)
{
    (void)state;
    a_motion_gets_new_trees(SNAG_INTERSECTIONS, 0.07);
}

static void proximities_get_new_trees(void **state)
{
    (void)state;
    a_motion_gets_new_trees(SNAG_PROXIMITIES, 0.07);
}

static bool never(void *context, double done)
{
    (void)context, (void)done;
    return false;
}

// What a search took that did not come to its end tells nothing.
static void a_search_that_was_ended_early_is_not_noted(void **state)
{
    (void)state;
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet), SNAG_OK);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id;
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
    size_t whole = ask_kdop(world, SNAG_INTERSECTIONS, false).leaf_pairs;
    assert_true(whole > 0);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_KDOP;
    ask.between = false;  // another case: it would be noted as such
    ask.progress = never;
    const snag_answer *answer;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_false(answer->complete);
    const snag__kdop_state *kdop = world->scratch.states[SNAG_METHOD_KDOP].data;
    assert_true(kdop->rebuild[SNAG_INTERSECTIONS][0].of.between);
    assert_int_equal(kdop->rebuild[SNAG_INTERSECTIONS][0].last, whole);
    snag_world_destroy(world);
    snag_shape_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_that_take_no_more_rebuild_nothing),
        cmocka_unit_test(trees_are_rebuild_due_when_as_much_was_paid_as_they_cost),
        cmocka_unit_test(searches_that_take_less_pay_back),
        cmocka_unit_test(trees_that_are_no_better_cost_twice_as_much_the_next_time),
        cmocka_unit_test(the_price_stops_doubling),
        cmocka_unit_test(searches_of_another_kind_are_not_compared),
        cmocka_unit_test(intersections_get_new_trees),
        cmocka_unit_test(proximities_get_new_trees),
        cmocka_unit_test(a_search_that_was_ended_early_is_not_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
