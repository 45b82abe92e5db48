// The method `active` finds a part of what brute finds, byte for byte; the same part for the same seed; keeps what it found;
// and says how large the part is.
#include "common/any_question.h"
#include "figure_scene.h"
#include "helpers/clock.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4 };

typedef struct stage {
    snag_world *world;
    snag_shape shapes[BODIES];
    snag_body_id ids[BODIES];
    snag__random random;
    test_clock clock;  // for budgets
} stage;

// Two crumpled sheets through each other, a sphere and a soup.
static snag_status stage_open(stage *s, uint32_t cells, const scene_options *options)
{
    *s = (stage){.random = {91}, .clock = {.us_of_a_look = 1}};
    s->world = scene_world(options);
    if (s->world == NULL)
        return SNAG_ERROR_MEMORY;
    test_clock_set(s->world, &s->clock);
    s->shapes[0] = scene_crumpled_sheet(cells, 0.1, &s->random);
    s->shapes[1] = scene_crumpled_sheet(cells + 3, 0.05, &s->random);
    assert_int_equal(snag_shape_icosphere(2, 0.3, &s->shapes[2]), SNAG_OK);
    s->shapes[3] = scene_soup(3 * cells, 8, true, &s->random);
    snag_status status = SNAG_OK;
    for (int i = 0; i < BODIES && status == SNAG_OK; i++)
        status = scene_add(s->world, &s->shapes[i], SNAG_F64, NULL, &s->ids[i]);
    return status;
}

static void stage_close(stage *s)
{
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s->shapes[i]);
    snag_world_destroy(s->world);
}

static snag_status stage_move(stage *s)
{
    snag_status status = snag_world_begin_step(s->world);
    for (int i = 0; i < BODIES && status == SNAG_OK; i++)
        if (s->ids[i].index != 0)
            status = snag_world_move(s->world, s->ids[i], snag_positions_f64(s->shapes[i].positions, s->shapes[i].vertex_count));
    return status;
}

static snag_status stage_shake(stage *s, double amount)
{
    for (int i = 0; i < BODIES; i++)
        scene_shake(&s->shapes[i], amount, &s->random);
    return stage_move(s);
}

static any_question active(double distance)
{
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.method = SNAG_METHOD_ACTIVE;
    ask.distance = distance;
    ask.seed = 5;
    return ask;
}

static const snag_answer *ask_world(snag_world *world, const any_question *ask)
{
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, ask, &answer), SNAG_OK);
    return answer;
}

// Asks, checks that each contact is one of brute's, and returns the true ratio.
static double ask_and_compare(snag_world *world, const any_question *ask, snag_answer *got)
{
    static snag_statistics statistics;  // those of the world are the next answer's, too
    *got = *ask_world(world, ask);
    statistics = *got->statistics;
    got->statistics = &statistics;
    assert_int_equal(got->method, SNAG_METHOD_ACTIVE);
    assert_false(got->complete);
    assert_true(got->ratio_low >= 0 && got->ratio_low <= got->ratio && got->ratio <= got->ratio_high && got->ratio_high <= 1);
    size_t count = got->count;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    assert_non_null(contacts);
    if (count > 0)
        memcpy(contacts, got->contacts, count * sizeof *contacts);
    any_question all = *ask;
    all.method = SNAG_METHOD_BRUTE;
    all.budget_us = 0;
    all.progress = NULL;
    all.track = false;
    const snag_answer *brute = ask_world(world, &all);
    size_t found = 0;
    for (size_t i = 0; i < brute->count && found < count; i++)
        found += memcmp(&contacts[found], &brute->contacts[i], sizeof *contacts) == 0;
    assert_int_equal(found, count);
    free(contacts);
    got->contacts = NULL;
    return brute->count > 0 ? (double)count / (double)brute->count : 1;
}

static void what_it_finds_is_a_part_of_what_brute_finds(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        stage s;
        assert_int_equal(stage_open(&s, 14, &(scene_options){.threads = 1}), SNAG_OK);
        double last = 0;
        for (int step = 0; step < 10; step++) {
            assert_int_equal(stage_shake(&s, step < 5 ? 0.003 : 0), SNAG_OK);
            any_question ask = active(0.02);
            ask.pure = way % 2 == 1;
            ask.every_pair = way / 2 == 1;
            snag_answer got;
            last = ask_and_compare(s.world, &ask, &got);
            assert_true(got.statistics->new_pairs > 0);
        }
        // Soups have no neighbours to grow to, so not all is found; but most of it is.
        assert_true(last > 0.5);
        stage_close(&s);
    }
}

static void the_same_seed_gives_the_same_answer_for_any_threads_and_instruction_set(void **state)
{
    (void)state;
    enum { STEPS = 5 };
    uint64_t expected[2][STEPS] = {{0}}, other = 0;
    for (int isa = SNAG_ISA_BEST; isa <= SNAG_ISA_NEON; isa++)
        for (uint32_t threads = 1; threads <= 4; threads *= 2)
            for (int pure = 0; pure < 2; pure++) {
                stage s;
                scene_options options = {.threads = threads, .isa = (snag_isa)isa};
                snag_world *probe = scene_world(&options);
                if (probe == NULL)
                    continue;
                snag_world_destroy(probe);
                assert_int_equal(stage_open(&s, 12, &options), SNAG_OK);
                for (int step = 0; step < STEPS; step++) {
                    assert_int_equal(stage_shake(&s, 0.002), SNAG_OK);
                    any_question ask = active(0.02);
                    ask.pure = pure == 1;
                    ask.new_pairs = 8;
                    ask.target_ratio = 0.6;
                    const snag_answer *answer = ask_world(s.world, &ask);
                    uint64_t hash = scene_hash(answer) ^ (uint64_t)(answer->ratio * 0x1p40) ^ answer->statistics->new_pairs;
                    if (expected[pure][step] == 0)
                        expected[pure][step] = hash;
                    assert_true(hash == expected[pure][step]);
                }
                stage_close(&s);
            }
    // And another seed another one.
    stage s;
    assert_int_equal(stage_open(&s, 12, &(scene_options){.threads = 1}), SNAG_OK);
    assert_int_equal(stage_shake(&s, 0.002), SNAG_OK);
    any_question ask = active(0.02);
    ask.new_pairs = 8;
    ask.target_ratio = 0.6;
    ask.seed = 6;
    const snag_answer *answer = ask_world(s.world, &ask);
    other = scene_hash(answer) ^ (uint64_t)(answer->ratio * 0x1p40) ^ answer->statistics->new_pairs;
    assert_true(other != expected[0][0]);
    stage_close(&s);
}

static snag_world *torus_world(void)
{
    snag_shape torus, ellipsoid;
    snag_body_id id;
    assert_true(torus_scene_make(&torus, &ellipsoid));
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    assert_int_equal(scene_add(world, &torus, SNAG_F64, NULL, &id), SNAG_OK);
    assert_int_equal(scene_add(world, &ellipsoid, SNAG_F64, NULL, &id), SNAG_OK);
    snag_shape_free(&torus);
    snag_shape_free(&ellipsoid);
    return world;
}

static size_t count_all(snag_world *world, any_question ask)
{
    ask.method = SNAG_METHOD_KDOP;
    return ask_world(world, &ask)->count;
}

static void a_scene_at_rest_is_found_nearly_whole_and_stays_found(void **state)
{
    (void)state;
    snag_world *world = torus_world();
    any_question ask = active(TORUS_DISTANCE);
    ask.self = false;
    ask.new_pairs = 16;
    size_t all = count_all(world, ask), last = 0;
    assert_true(all > 1000);
    for (int step = 0; step < 40; step++) {
        size_t now = ask_world(world, &ask)->count;
        assert_true(now >= last);
        last = now;
    }
    assert_true((double)last >= 0.99 * (double)all);
    snag_world_destroy(world);
}

static void clusters_grow_ring_by_ring_from_a_single_pair(void **state)
{
    (void)state;
    snag_world *world = torus_world();
    any_question ask = active(TORUS_DISTANCE);
    ask.self = false;
    ask.new_pairs = 1;
    size_t first = ask_world(world, &ask)->count, last = 0;
    for (int step = 0; step < 30; step++)
        last = ask_world(world, &ask)->count;
    // No full recursive search in the first step, but all of the cluster in the end.
    assert_true(first < 100 && (double)last > 0.9 * (double)count_all(world, ask));
    snag_world_destroy(world);
}

static void the_stated_interval_holds_the_true_ratio_in_nine_steps_of_ten(void **state)
{
    (void)state;
    size_t held = 0, steps = 0;
    double width = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        figure_scene scene;
        assert_true(figure_scene_make(&scene, 0.15, 0.15));
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_body_id figure, dress;
        assert_int_equal(scene_add(world, &scene.figure, SNAG_F64, NULL, &figure), SNAG_OK);
        assert_int_equal(scene_add(world, &scene.dress, SNAG_F64, NULL, &dress), SNAG_OK);
        for (int step = 0; step < 30; step++) {
            figure_scene_pose(&scene, 2 * step);
            assert_int_equal(snag_world_begin_step(world), SNAG_OK);
            assert_int_equal(snag_world_move(world, figure, snag_positions_f64(scene.figure.positions, scene.figure.vertex_count)),
                             SNAG_OK);
            assert_int_equal(snag_world_move(world, dress, snag_positions_f64(scene.dress.positions, scene.dress.vertex_count)),
                             SNAG_OK);
            any_question ask = active(FIGURE_DISTANCE);
            ask.self = false;
            ask.seed = seed;
            ask.target_ratio = seed % 2 == 0 ? 0.6 : 0;
            const snag_answer *answer = ask_world(world, &ask);
            double found = (double)answer->count, low = answer->ratio_low, high = answer->ratio_high;
            double ratio = found / (double)count_all(world, ask);
            held += ratio >= low && ratio <= high;
            width += high - low;
            steps++;
        }
        snag_world_destroy(world);
        figure_scene_free(&scene);
    }
    assert_true((double)held >= 0.9 * (double)steps);
    assert_true(width / (double)steps < 0.5);
}

static void a_target_is_approached(void **state)
{
    (void)state;
    snag_world *world = torus_world();
    any_question ask = active(TORUS_DISTANCE);
    ask.self = false;
    ask.target_ratio = 0.5;
    double all = (double)count_all(world, ask), mean = 0;
    for (int step = 0; step < 60; step++) {
        double ratio = (double)ask_world(world, &ask)->count / all;
        mean += step >= 30 ? ratio / 30 : 0;
    }
    assert_true(mean > 0.35 && mean < 0.65);
    snag_world_destroy(world);
}

static void it_answers_proximities_only_and_auto_never_picks_it(void **state)
{
    (void)state;
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        assert_true(snag_method_answers(SNAG_METHOD_ACTIVE, (snag_question)question) == (question == SNAG_PROXIMITIES));
    stage s;
    assert_int_equal(stage_open(&s, 6, &(scene_options){.threads = 1}), SNAG_OK);
    any_question ask = active(0.02);
    const snag_answer *answer = NULL;
    ask.question = SNAG_INTERSECTIONS;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_true(strstr(snag_world_message(s.world), "active") != NULL);
    ask.question = SNAG_PROXIMITIES;
    ask.method = SNAG_METHOD_AUTO;
    answer = ask_world(s.world, &ask);
    assert_true(answer->method != SNAG_METHOD_ACTIVE && answer->complete);
    assert_true(answer->ratio == 1 && answer->ratio_low == 1 && answer->ratio_high == 1);
    stage_close(&s);
}

static void candidates_are_counted_without_contacts_and_change_nothing(void **state)
{
    (void)state;
    snag_world *worlds[2] = {torus_world(), torus_world()};
    any_question ask = active(TORUS_DISTANCE), only = ask;
    ask.self = only.self = false;
    only.candidates = true;
    const snag_answer *answer;
    for (int step = 0; step < 4; step++) {
        answer = ask_world(worlds[0], &only);
        assert_true(answer->count == 0 && answer->statistics->candidates > 0 && !answer->complete);
        // What was found before is still there: the other world was never asked for candidates.
        assert_int_equal(ask_world(worlds[0], &ask)->count, ask_world(worlds[1], &ask)->count);
    }
    only.pure = true;  // no hierarchy, no candidates of one
    assert_int_equal(ask_world(worlds[0], &only)->statistics->candidates, 0);
    only.pure = false;
    only.method = ask.method = SNAG_METHOD_KDOP;
    size_t contacts = ask_world(worlds[0], &ask)->count, pairs = ask_world(worlds[0], &ask)->statistics->candidates;
    answer = ask_world(worlds[0], &only);
    assert_true(answer->count == 0 && answer->statistics->candidates >= pairs && pairs >= contacts && contacts > 0 &&
                !answer->complete);
    only.method = SNAG_METHOD_HASH;
    assert_int_equal(any_ask(worlds[0], &only, &answer), SNAG_ERROR_UNSUPPORTED);
    only.method = SNAG_METHOD_KDOP;
    only.question = SNAG_DISTANCE;
    assert_int_equal(any_ask(worlds[0], &only, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(worlds[0]), "does not count candidates of distance"));
    for (int i = 0; i < 2; i++)
        snag_world_destroy(worlds[i]);
}

static void bad_numbers_are_refused_with_a_word(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 6, &(scene_options){.threads = 1}), SNAG_OK);
    const double bad[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const snag_answer *answer = NULL;
        any_question ask = active(0.02);
        ask.target_ratio = bad[i];
        assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        assert_true(strstr(snag_world_message(s.world), "target ratio") != NULL);
        ask = active(bad[i] == 1.1 ? -1 : bad[i]);
        assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        assert_true(strstr(snag_world_message(s.world), "distance") != NULL);
    }
    stage_close(&s);
}

static void empty_worlds_clouds_and_points_have_their_answers(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        any_question ask = active(0.1);
        ask.pure = pure == 1;
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        const snag_answer *answer = ask_world(world, &ask);
        assert_int_equal(answer->count, 0);
        assert_true(pure || answer->ratio_low == 1);

        // A cloud, a body without vertices, a triangle, and triangles all in one point.
        static const double xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0.05};
        static const double point[30] = {0};
        static const uint32_t triangle[3] = {0, 1, 2}, many[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        snag_body_id id;
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(xyz, 4);
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        def.triangles = triangle;
        def.triangle_count = 1;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        def.positions = snag_positions_f64(point, 10);
        def.triangles = many;
        def.triangle_count = 3;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        snag_answer got;
        for (int step = 0; step < 3; step++)
            ask_and_compare(world, &ask, &got);
        ask.distance = 0;
        ask_and_compare(world, &ask, &got);
        snag_world_destroy(world);
    }
}

static void scales_from_tiny_to_huge_do_no_harm(void **state)
{
    (void)state;
    static const double scales[] = {1e-300, 1e-20, 1e20, 1e300};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        for (int pure = 0; pure < 2; pure++) {
            stage s;
            assert_int_equal(stage_open(&s, 2, &(scene_options){.threads = 1}), SNAG_OK);
            for (int k = 0; k < BODIES; k++)
                snag_shape_transform(&s.shapes[k], scales[i], 0, 0, 0);
            assert_int_equal(stage_move(&s), SNAG_OK);
            any_question ask = active(0.05 * scales[i]);
            ask.pure = pure == 1;
            // Exact arithmetic over 600 orders of magnitude takes its time: once is enough.
            for (int step = 0; step < 3; step++)
                ask_world(s.world, &ask);
            snag_answer got;
            ask_and_compare(s.world, &ask, &got);
            stage_close(&s);
        }
}

static void bodies_that_jump_and_come_back_keep_no_false_contact(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        stage s;
        assert_int_equal(stage_open(&s, 12, &(scene_options){.threads = 1}), SNAG_OK);
        any_question ask = active(0.02);
        ask.pure = way == 1;
        ask.budget_us = way == 2 ? 3000 : 0;
        for (int step = 0; step < 12; step++) {
            double jump = step % 4 == 1 ? 50 : step % 4 == 3 ? -50 : 0;
            snag_shape_transform(&s.shapes[step % BODIES], 1, jump, 0, 0);
            // One vertex alone goes across the scene as well.
            s.shapes[0].positions[3 * (step % 20)] += step % 2 == 0 ? 7 : -7;
            if (step == 6)
                assert_int_equal(
                    snag_world_teleport(s.world, s.ids[0], snag_positions_f64(s.shapes[0].positions, s.shapes[0].vertex_count)),
                    SNAG_OK);
            assert_int_equal(stage_move(&s), SNAG_OK);
            snag_answer got;
            ask_and_compare(s.world, &ask, &got);
        }
        stage_close(&s);
    }
}

static void a_body_that_is_removed_takes_its_pairs_along(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 12, &(scene_options){.threads = 1}), SNAG_OK);
    any_question ask = active(0.02);
    snag_answer got;
    double before = 0, after = 0;
    for (int step = 0; step < 6; step++)
        before = ask_and_compare(s.world, &ask, &got);
    // The numbers of all elements behind it shift; the pairs of the others stay.
    assert_int_equal(snag_world_remove(s.world, s.ids[0]), SNAG_OK);
    s.ids[0] = (snag_body_id){0};
    ask.new_pairs = 1;
    after = ask_and_compare(s.world, &ask, &got);
    assert_true(before > 0.5 && after > 0.5);
    // Another of other topology takes its place.
    snag_shape other = scene_crumpled_sheet(7, 0.1, &s.random);
    assert_int_equal(scene_add(s.world, &other, SNAG_F64, NULL, &s.ids[0]), SNAG_OK);
    for (int step = 0; step < 3; step++)
        ask_and_compare(s.world, &ask, &got);
    snag_shape_free(&other);
    s.ids[0] = (snag_body_id){0};
    stage_close(&s);
}

static bool not_the_first(void *context, snag_body_id a, snag_body_id b)
{
    return a.index != *(const uint32_t *)context && b.index != *(const uint32_t *)context;
}

static void self_between_and_filter_choose_the_bodies(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 12, &(scene_options){.threads = 1}), SNAG_OK);
    uint32_t out = s.ids[0].index;
    for (int step = 0; step < 16; step++) {
        any_question ask = active(0.02);
        ask.pure = step % 8 >= 4;
        ask.self = step % 4 != 1;
        ask.between = step % 4 != 2;
        ask.filter = step % 4 == 3 ? not_the_first : NULL;
        ask.context = &out;
        snag_answer got;
        ask_and_compare(s.world, &ask, &got);
    }
    stage_close(&s);
}

static void a_budget_is_kept_and_the_pairs_with_it(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 20, &(scene_options){.threads = 1}), SNAG_OK);
    any_question ask = active(0.02);
    ask.budget_us = 1;
    snag_answer got;
    for (int step = 0; step < 5; step++)
        ask_and_compare(s.world, &ask, &got);
    size_t tight = got.count;
    ask.budget_us = 20000;
    for (int step = 0; step < 12; step++)
        ask_and_compare(s.world, &ask, &got);
    assert_true(got.count > tight + 100);
    // It ends when the clock says so.
    uint64_t looks = s.clock.looks;
    ask_and_compare(s.world, &ask, &got);
    assert_true(s.clock.looks - looks <= ask.budget_us + 100);
    ask.budget_us = UINT64_MAX;
    ask_and_compare(s.world, &ask, &got);
    stage_close(&s);
}

static bool stop_at(void *context, double done)
{
    int *left = context;
    assert_true(done >= 0 && done <= 1);
    return --*left > 0;
}

static void progress_may_end_the_search(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 12, &(scene_options){.threads = 1}), SNAG_OK);
    for (int after = 1; after < 6; after++) {
        int left = after;
        any_question ask = active(0.02);
        ask.progress = stop_at;
        ask.context = &left;
        snag_answer got;
        ask_and_compare(s.world, &ask, &got);
    }
    stage_close(&s);
}

static void contacts_that_persist_keep_their_id(void **state)
{
    (void)state;
    snag_world *world = torus_world();
    any_question ask = active(TORUS_DISTANCE);
    ask.track = true;
    size_t last = 0;
    for (int step = 0; step < 8; step++) {
        const snag_answer *answer = ask_world(world, &ask);
        size_t persist = 0;
        for (size_t i = 0; i < answer->count; i++)
            persist += answer->contacts[i].phase == SNAG_PHASE_PERSIST;
        assert_true(persist + answer->ended_count == last);
        last = answer->count;
    }
    assert_true(last > 100);
    snag_world_destroy(world);
}

static snag_status whole_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    stage s;
    snag_status status = stage_open(&s, 4, &(scene_options){.threads = 1, .allocator = *allocator});
    for (int step = 0; step < 6 && status == SNAG_OK; step++) {
        any_question ask = active(0.05);
        ask.pure = step % 3 == 2;
        const snag_answer *answer = NULL;
        status = stage_shake(&s, 0.01);
        if (status == SNAG_OK && step == 3) {
            status = snag_world_remove(s.world, s.ids[1]);
            s.ids[1] = (snag_body_id){0};
        }
        if (status == SNAG_OK)
            status = any_ask(s.world, &ask, &answer);
    }
    stage_close(&s);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(whole_cycle, NULL) > 20);
}

// An ask that fails leaves the pairs as they were: the next answers as if it had not been.
static void a_failed_ask_forgets_no_pairs(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    stage s, untroubled;
    assert_int_equal(stage_open(&s, 8, &(scene_options){.threads = 1, .allocator = allocator}), SNAG_OK);
    assert_int_equal(stage_open(&untroubled, 8, &(scene_options){.threads = 1}), SNAG_OK);
    size_t failures = 0;
    for (int step = 0; step < 6; step++) {
        any_question ask = active(0.03);
        const snag_answer *answer = NULL;
        for (size_t n = 1;; n++, failures++) {
            memory.fail_at = memory.calls + n;
            snag_status status = any_ask(s.world, &ask, &answer);
            if (status == SNAG_OK)
                break;
            assert_int_equal(status, SNAG_ERROR_MEMORY);
        }
        memory.fail_at = 0;
        assert_true(scene_hash(answer) == scene_hash(ask_world(untroubled.world, &ask)));
    }
    assert_true(failures > 10);
    stage_close(&s);
    stage_close(&untroubled);
    failing_allocator_assert_clean(&memory);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    stage s;
    assert_int_equal(stage_open(&s, 10, &(scene_options){.threads = 2, .allocator = allocator}), SNAG_OK);
    size_t calls = 0;
    for (int step = 0; step < 60; step++) {
        if (step == 40)
            calls = memory.calls;
        any_question ask = active(0.02);
        ask.track = true;
        ask_world(s.world, &ask);
    }
    assert_int_equal(memory.calls, calls);
    stage_close(&s);
    failing_allocator_assert_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_finds_is_a_part_of_what_brute_finds),
        cmocka_unit_test(the_same_seed_gives_the_same_answer_for_any_threads_and_instruction_set),
        cmocka_unit_test(a_scene_at_rest_is_found_nearly_whole_and_stays_found),
        cmocka_unit_test(clusters_grow_ring_by_ring_from_a_single_pair),
        cmocka_unit_test(the_stated_interval_holds_the_true_ratio_in_nine_steps_of_ten),
        cmocka_unit_test(a_target_is_approached),
        cmocka_unit_test(it_answers_proximities_only_and_auto_never_picks_it),
        cmocka_unit_test(candidates_are_counted_without_contacts_and_change_nothing),
        cmocka_unit_test(bad_numbers_are_refused_with_a_word),
        cmocka_unit_test(empty_worlds_clouds_and_points_have_their_answers),
        cmocka_unit_test(scales_from_tiny_to_huge_do_no_harm),
        cmocka_unit_test(bodies_that_jump_and_come_back_keep_no_false_contact),
        cmocka_unit_test(a_body_that_is_removed_takes_its_pairs_along),
        cmocka_unit_test(self_between_and_filter_choose_the_bodies),
        cmocka_unit_test(a_budget_is_kept_and_the_pairs_with_it),
        cmocka_unit_test(progress_may_end_the_search),
        cmocka_unit_test(contacts_that_persist_keep_their_id),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
        cmocka_unit_test(a_failed_ask_forgets_no_pairs),
        cmocka_unit_test(a_warm_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
