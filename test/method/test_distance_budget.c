// `distance` keeps its budget and listens to the progress callback within a pair of bodies, by every method; what it then lists is
// true. The clock is one that the test turns: each look at it moves it on, so that no machine is too slow or too fast.
#include "common/any_question.h"
#include "helpers/clock.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <string.h>

typedef struct way {
    snag_method method;
    snag_regions_rule rule;
    uint32_t threads;
} way;

static const way ways[] = {
    {SNAG_METHOD_BRUTE, 0, 1},
    {SNAG_METHOD_BRUTE, 0, 3},
    {SNAG_METHOD_KDOP, 0, 1},
    {SNAG_METHOD_KDOP, 0, 3},
    {SNAG_METHOD_REGIONS, 0, 1},
    {SNAG_METHOD_REGIONS, 0, 3},
    {SNAG_METHOD_REGIONS, SNAG_REGIONS_PAPER, 1},
    {SNAG_METHOD_AUTO, 0, 2},
};
enum { WAYS = sizeof ways / sizeof *ways, BODIES_MAX = 6 };

// Spheres within each other: they are about as close everywhere, so that there is something to do.
static snag_world *make_world(const way *w, uint32_t bodies, test_clock *clock)
{
    scene_options options = {.threads = w->threads};
    snag_world *world = scene_world(&options);
    assert_non_null(world);
    test_clock_set(world, clock);
    for (uint32_t i = 0; i < bodies; i++) {
        snag_shape shape;
        snag_body_id id;
        assert_int_equal(snag_shape_icosphere(2, 1, &shape), SNAG_OK);
        snag__random random = {i + 1};
        scene_shake(&shape, 1e-3, &random);
        snag_shape_transform(&shape, 1 + 0.2 * i, 0, 0, 0);
        assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&shape);
    }
    return world;
}

static any_question question_of(const way *w)
{
    any_question ask = any_default(SNAG_DISTANCE);
    ask.method = w->method;
    ask.regions = w->rule;
    ask.distance = 0.4;  // paper: vertices so near collide
    return ask;
}

static void assert_listed_is_true(const snag_answer *answer, const snag_contact *all, size_t count)
{
    for (size_t i = 0; i < answer->count; i++) {
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = memcmp(&answer->contacts[i], &all[k], sizeof *all) == 0;
        assert_true(found);
    }
}

// With budgets from none to enough, by powers of two, in a fresh world each: never anything but the truth, ever more of it, and
// almost no look at the clock when it is over.
static void check_budgets(const way *w, uint32_t bodies, uint32_t closest)
{
    static snag_contact all[BODIES_MAX * BODIES_MAX];
    test_clock clock = {0, 1};
    snag_world *world = make_world(w, bodies, &clock);
    any_question ask = question_of(w);
    ask.closest = closest;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count, stops = 0, within_a_couple = 0;
    assert_true((count > 0 || w->rule == SNAG_REGIONS_PAPER) && count < sizeof all / sizeof *all);
    memcpy(all, answer->contacts, count * sizeof *all);
    bool whole = answer->complete;
    snag_world_destroy(world);
    double covered = 0;
    for (uint64_t budget = 1; budget < 1u << 24; budget += budget / 2 + 1) {
        clock.looks = 0;
        world = make_world(w, bodies, &clock);
        clock.looks = 0;
        ask.budget_us = budget;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        if (closest == 0)
            assert_listed_is_true(answer, all, count);
        bool stopped = answer->covered < 1;
        if (stopped) {
            assert_false(answer->complete);
            assert_true(answer->count <= count);
            // A look by every task that was at work, and one or two after it.
            assert_true(clock.looks <= budget + 2 * SNAG__MAX_TASKS + 16);
            within_a_couple += answer->count == 0;
            stops++;
        }
        if (w->threads == 1 && closest == 0)
            assert_true(answer->covered >= covered);
        covered = answer->covered;
        bool done = !stopped && answer->complete == whole;
        if (done)
            assert_int_equal(answer->count, count);
        snag_world_destroy(world);
        if (done)
            break;
        assert_true(budget < 1u << 23);
    }
    assert_true(stops > 0 && within_a_couple > 0);
}

static void budgets_are_kept_and_what_is_listed_is_true(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        check_budgets(&ways[i], 2, 0);
        if (ways[i].rule == SNAG_REGIONS_EXACT) {
            check_budgets(&ways[i], BODIES_MAX, 0);
            check_budgets(&ways[i], BODIES_MAX, 3);
        }
    }
}

// ---- progress ----

typedef struct listener {
    uint32_t calls, stop_at;
    double last;
} listener;

static bool listen(void *context, double done)
{
    listener *l = context;
    assert_true(done >= l->last && done >= 0 && done <= 1);
    l->last = done;
    return ++l->calls != l->stop_at;
}

static void progress_is_called_within_two_bodies_and_may_end_it(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++)
        for (uint32_t bodies = 2; bodies <= 4; bodies += 2) {
            test_clock clock = {0, 20000};  // every look ends a round
            snag_world *world = make_world(&ways[i], bodies, &clock);
            any_question ask = question_of(&ways[i]);
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            uint64_t expected = scene_hash(answer);
            snag_world_destroy(world);
            world = make_world(&ways[i], bodies, &clock);
            listener l = {0};
            ask.progress = listen;
            ask.context = &l;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            assert_true(scene_hash(answer) == expected && answer->covered == 1);
            assert_true(l.calls > bodies * (bodies - 1) / 2);
            snag_world_destroy(world);
            world = make_world(&ways[i], bodies, &clock);
            l = (listener){.stop_at = 1};
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            assert_true(l.calls == 1 && !answer->complete && answer->covered < 1 && answer->count == 0);
            // The next ask is as if nothing had been.
            ask.progress = NULL;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            assert_true(scene_hash(answer) == expected);
            snag_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_kept_and_what_is_listed_is_true),
        cmocka_unit_test(progress_is_called_within_two_bodies_and_may_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
