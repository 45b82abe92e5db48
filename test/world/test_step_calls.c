// Time: a step is from where bodies stood when it began to where they are now. And what a world says of its bodies and its memory.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t one_triangle[] = {0, 1, 2};

// A triangle that spans (0, 0) at a height.
typedef struct plate {
    double x[9];
} plate;

static plate at_height(double z)
{
    return (plate){{-2, -1, z, 2, -1, z, 0, 2, z}};
}

static snag_positions positions_of(const plate *p)
{
    return snag_positions_f64(p->x, 3);
}

static snag_body_id add(snag_world *world, double z, void *user)
{
    plate p = at_height(z);
    snag_body_def def = snag_default_body_def();
    def.positions = positions_of(&p);
    def.triangles = one_triangle;
    def.triangle_count = 1;
    def.user = user;
    snag_body_id id = {0, 0};
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static void move(snag_world *world, snag_body_id body, double z)
{
    plate p = at_height(z);
    assert_int_equal(snag_world_move(world, body, positions_of(&p)), SNAG_OK);
}

static void teleport(snag_world *world, snag_body_id body, double z)
{
    plate p = at_height(z);
    assert_int_equal(snag_world_teleport(world, body, positions_of(&p)), SNAG_OK);
}

static void begin_step(snag_world *world)
{
    assert_int_equal(snag_world_begin_step(world), SNAG_OK);
}

// Whether anything meets on the way; all methods say the same.
static bool meets(snag_world *world)
{
    int found = -1;
    for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
        any_question ask = any_default(SNAG_IMPACTS);
        const snag_answer *answer = NULL;
        ask.method = (snag_method)method;
        if (!snag_method_answers(ask.method, SNAG_IMPACTS))
            continue;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_true(found == -1 || found == (answer->count > 0));
        found = answer->count > 0;
    }
    return found == 1;
}

static void a_step_is_from_its_beginning_to_the_last_move(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id body = add(world, 1, NULL);
    add(world, 0, NULL);
    assert_false(meets(world));
    // Without a step motion counts from where the body was added, as often as it is moved.
    move(world, body, 0.5);
    assert_false(meets(world));
    move(world, body, -1);
    assert_true(meets(world));
    move(world, body, 0.25);
    assert_false(meets(world));
    move(world, body, -0.5);
    assert_true(meets(world));
    // From there a step leads away, and back again.
    begin_step(world);
    move(world, body, -2);
    assert_false(meets(world));
    move(world, body, 3);
    assert_true(meets(world));
    snag_world_destroy(world);
}

static void a_body_that_is_not_moved_within_a_step_rests(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id body = add(world, 1, NULL), other = add(world, 0, NULL);
    begin_step(world);
    move(world, body, -1);
    assert_true(meets(world));
    for (int i = 0; i < 3; i++) {
        begin_step(world);
        assert_false(meets(world));
    }
    // Nor does it move again because another one does.
    move(world, other, -0.5);
    assert_false(meets(world));
    move(world, other, -2);
    assert_true(meets(world));
    begin_step(world);
    move(world, body, -1.5);
    assert_false(meets(world));
    snag_world_destroy(world);
}

static void a_teleport_is_no_motion(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id body = add(world, 1, NULL);
    add(world, 0, NULL);
    teleport(world, body, -1);
    assert_false(meets(world));
    move(world, body, 1);
    assert_true(meets(world));
    // In the middle of a step, and as the last thing before a new one.
    teleport(world, body, 2);
    assert_false(meets(world));
    begin_step(world);
    assert_false(meets(world));
    move(world, body, 1);
    teleport(world, body, -3);
    begin_step(world);
    move(world, body, -1);
    assert_false(meets(world));
    move(world, body, 1);
    assert_true(meets(world));
    snag_world_destroy(world);
}

static void a_move_that_fails_leaves_the_step_as_it_was(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id body = add(world, 1, NULL);
    add(world, 0, NULL);
    move(world, body, -1);
    plate bad = at_height(5);
    bad.x[8] = NAN;
    assert_int_equal(snag_world_move(world, body, positions_of(&bad)), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_world_teleport(world, body, positions_of(&bad)), SNAG_ERROR_NOT_FINITE);
    assert_true(meets(world));
    begin_step(world);
    assert_int_equal(snag_world_move(world, body, positions_of(&bad)), SNAG_ERROR_NOT_FINITE);
    assert_false(meets(world));
    snag_world_destroy(world);
}

// Bodies come, move, teleport and go in any order; a list of heights knows what must meet.
static void any_order_of_calls_keeps_to_the_rules(void **state)
{
    (void)state;
    enum { BODIES = 8, CALLS = 3000 };
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag__random random = {17};
    struct {
        snag_body_id id;
        double from, to;
    } bodies[BODIES] = {0};
    bool met = false, missed = false;
    for (int call = 0; call < CALLS; call++) {
        uint32_t which = snag__random_below(&random, BODIES), what = snag__random_below(&random, 12);
        double z = snag__random_range(&random, -1, 1);
        bool there = bodies[which].id.index != 0;
        if (what < 2) {
            begin_step(world);
            for (int i = 0; i < BODIES; i++)
                bodies[i].from = bodies[i].to;
        } else if (!there) {
            bodies[which].id = add(world, z, NULL);
            bodies[which].from = bodies[which].to = z;
        } else if (what < 4) {
            assert_int_equal(snag_world_remove(world, bodies[which].id), SNAG_OK);
            bodies[which].id = (snag_body_id){0, 0};
        } else if (what < 6) {
            teleport(world, bodies[which].id, z);
            bodies[which].from = bodies[which].to = z;
        } else {
            move(world, bodies[which].id, z);
            bodies[which].to = z;
        }
        bool expected = false;
        for (int i = 0; i < BODIES; i++)
            for (int k = 0; k < i; k++)
                expected = expected || (bodies[i].id.index != 0 && bodies[k].id.index != 0 &&
                                        (bodies[i].from > bodies[k].from) != (bodies[i].to > bodies[k].to));
        any_question ask = any_default(SNAG_IMPACTS);
        const snag_answer *answer = NULL;
        ask.method = SNAG_METHOD_BRUTE;
        ask.tolerance = 0;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count > 0, expected);
        met = met || expected;
        missed = missed || !expected;
    }
    assert_true(met && missed);
    snag_world_destroy(world);
}

static void an_answer_survives_steps_moves_and_new_bodies(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id body = add(world, 1, NULL);
    add(world, 0, NULL);
    move(world, body, -1);
    any_question ask = any_default(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    assert_true(count > 0);
    snag_answer before = *answer;
    snag_contact *contacts = malloc(count * sizeof *contacts);
    memcpy(contacts, answer->contacts, count * sizeof *contacts);
    begin_step(world);
    move(world, body, 4);
    teleport(world, body, 7);
    add(world, 9, NULL);
    assert_memory_equal(answer, &before, sizeof before);
    assert_memory_equal(answer->contacts, contacts, count * sizeof *contacts);
    assert_true(answer->reason[0] != 0);
    free(contacts);
    snag_world_destroy(world);
}

static void bodies_carry_what_the_user_gave_them(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    int mine;
    snag_body_id a = add(world, 0, &mine), b = add(world, 1, NULL);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, a, &info), SNAG_OK);
    assert_ptr_equal(info.user, &mine);
    assert_int_equal(snag_world_body(world, b, &info), SNAG_OK);
    assert_null(info.user);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_from_its_beginning_to_the_last_move),
        cmocka_unit_test(a_body_that_is_not_moved_within_a_step_rests),
        cmocka_unit_test(a_teleport_is_no_motion),
        cmocka_unit_test(a_move_that_fails_leaves_the_step_as_it_was),
        cmocka_unit_test(any_order_of_calls_keeps_to_the_rules),
        cmocka_unit_test(an_answer_survives_steps_moves_and_new_bodies),
        cmocka_unit_test(bodies_carry_what_the_user_gave_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
