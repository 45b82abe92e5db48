// Answers from sets of candidates over many random steps are those of full asks, byte for byte.
//
//     SNAG_STEPS=10000 build/test_candidate_steps_world
#include "candidate_rig.h"

#include <math.h>
#include <stdio.h>

// Some question that a set for `distance` answers.
static snag_question_def any_question_within(double distance, snag__random *random)
{
    static const double parts[] = {1, 1, 1, 0.7, 0.3, 0};
    snag_question_def ask = snag_default_question_def(snag__random_below(random, 2) ? SNAG_PROXIMITIES : SNAG_IMPACTS);
    bool impacts = ask.question == SNAG_IMPACTS;
    ask.output = (snag_output)snag__random_below(random, SNAG_OUTPUT_FORM_COUNT - !impacts);
    assert_true(impacts || ask.output != SNAG_OUTPUT_EARLIEST);
    ask.every_pair = !impacts && snag__random_below(random, 2);
    ask.distance = impacts ? 0 : distance * parts[snag__random_below(random, 6)];
    ask.separation = impacts && snag__random_below(random, 3) == 0 ? distance / 2 : 0;
    ask.until = impacts && snag__random_below(random, 3) == 0 ? snag__random_range(random, 0, 1) : 1;
    ask.self = snag__random_below(random, 4) > 0;
    ask.between = !ask.self || snag__random_below(random, 4) > 0;
    return ask;
}

// Bodies from now on are where they are after a part of their steps.
static void take_step(rig *r, double part)
{
    for (int i = 0; i < BODIES; i++)
        for (size_t k = 0; k < 3 * r->shapes[i].vertex_count; k++)
            r->x[i][k] += part * r->step[i][k];
}

// A new set: along a step, or for some margin around where bodies rest.
static void collect_anew(rig *r, snag_collect_def *def, snag_candidates **set, snag__random *random)
{
    bool along = snag__random_below(random, 2);
    double length = 0.1 * pow(10, -snag__random_range(random, 0, 3));
    def->distance = 0.05 * pow(10, -snag__random_range(random, 0, 1.5));
    def->margin = along && snag__random_below(random, 3) > 0 ? 0 : length * snag__random_range(random, 0.2, 1.5);
    choose_step(r, length, random);
    move_by(r, 0, 0, random);
    snag_world_begin_step(r->world);
    if (along)
        move_by(r, 1, 0, random);
    assert_int_equal(snag_world_collect(r->world, def, set), SNAG_OK);
}

// SNAG_STEPS steps of bodies that go along lines, wander about and stay, with a question or two at each.
static void random_steps_have_the_bytes_of_full_asks(void **state)
{
    (void)state;
    const char *words = getenv("SNAG_STEPS");
    size_t steps = words != NULL ? strtoull(words, NULL, 10) : 400, contacts = 0, asks = 0, stale = 0;
    rig r;
    open_rig(&r, 2);
    snag__random random = {31};
    snag_candidates *set = NULL;
    snag_collect_def def = snag_default_collect_def();
    double part = 0;
    for (size_t step = 0; step < steps; step++) {
        if (step % 25 == 0) {
            if (set != NULL && snag__random_below(&random, 3) == 0)
                take_step(&r, snag__random_range(&random, -0.5, 0.5));
            collect_anew(&r, &def, &set, &random);
        }
        // On the line backwards, anywhere, or nowhere; and off it by less than the margin, or a little more.
        part = snag__random_below(&random, 2) ? 0.8 * part : snag__random_range(&random, 0, 1);
        double noise = snag__random_below(&random, 2) ? 0 : def.margin * 0.6 * pow(10, -snag__random_range(&random, 0, 4));
        if (snag__random_below(&random, 5) > 0)
            move_by(&r, part, noise, &random);
        for (uint32_t i = 0; i <= snag__random_below(&random, 3); i++) {
            snag_status status = snag_candidates_check(r.world, set, true);
            if (status == SNAG_ERROR_STALE) {
                stale++;
                continue;
            }
            assert_int_equal(status, SNAG_OK);
            contacts += assert_same(&r, any_question_within(def.distance, &random), set);
            asks++;
        }
    }
    printf("%zu steps, %zu asks, %zu contacts and impacts; %zu times the set was stale\n", steps, asks, contacts, stale);
    assert_true(asks > steps / 2 && stale > 0 && contacts > 20 * asks);
    snag_candidates_destroy(set);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_have_the_bytes_of_full_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
