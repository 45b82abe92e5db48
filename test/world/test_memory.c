// What a world says that it holds is what its allocator has given it, by what it is for; and what was for a body goes with it.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "world/world.h"

#include <string.h>

enum { BODIES = 5 };

static snag_memory memory_of(const snag_world *world)
{
    snag_memory memory;
    memset(&memory, 0xff, sizeof memory);
    assert_int_equal(snag_world_memory(world, &memory), SNAG_OK);
    return memory;
}

// The parts are counted in bytes that were asked for, so that they are exactly what the allocator has given.
static snag_memory assert_adds_up(const snag_world *world, failing_allocator *allocator)
{
    snag_memory memory = memory_of(world);
    size_t rest = memory.total - memory.bodies - memory.methods - memory.answers;
    assert_true(rest >= sizeof *world && rest < sizeof *world + (1 << 16));
    assert_int_equal(memory.total, atomic_load(&allocator->live_bytes));
    return memory;
}

static snag_shape shape_of(int i)
{
    snag__random random = {(uint64_t)i + 1};
    snag_shape shape;
    switch (i) {
    case 0: return scene_crumpled_sheet(20, 0.1, &random);
    case 1: return scene_soup(60, 0, true, &random);
    case 2: assert_int_equal(snag_shape_block(3, 3, 4, 0.2, &shape), SNAG_OK); return shape;
    case 3: return scene_tet_soup(20, 0, &random);
    default: assert_int_equal(snag_shape_icosphere(2, 0.4, &shape), SNAG_OK); return shape;
    }
}

static void ask_everything(snag_world *world, failing_allocator *allocator)
{
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
            if (!snag_method_answers((snag_method)method, (snag_question)question))
                continue;
            any_question ask = any_default((snag_question)question);
            ask.method = (snag_method)method;
            ask.self = snag_method_finds_self(ask.method, ask.question);
            ask.distance = 0.05;
            ask.edges = true;
            ask.track = question != SNAG_OVERLAPS && method != SNAG_METHOD_ACTIVE;
            for (int output = 0; output <= SNAG_OUTPUT_COUNT; output++) {
                const snag_answer *answer = NULL;
                ask.output = (snag_output)output;
                ask.track = ask.track && output == 0;
                assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
                snag_memory memory = assert_adds_up(world, allocator);
                // At least what is listed.
                size_t listed = answer->contacts != NULL ? answer->count * sizeof *answer->contacts : 0;
                listed += answer->pairs != NULL ? answer->count * sizeof *answer->pairs : 0;
                assert_true(memory.answers >= listed);
            }
        }
}

static void the_parts_add_up_and_bodies_go_with_what_they_held(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        failing_allocator counter;
        snag_allocator allocator = failing_allocator_start(&counter, 0);
        snag_world *world = scene_world(&(scene_options){.threads = threads, .allocator = allocator});
        snag_memory empty = assert_adds_up(world, &counter);
        assert_true(empty.bodies == 0 && empty.methods == 0 && empty.answers == 0);
        snag_body_id ids[BODIES];
        size_t before[BODIES];
        for (int i = 0; i < BODIES; i++) {
            snag_shape shape = shape_of(i);
            before[i] = memory_of(world).bodies;
            assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &ids[i]), SNAG_OK);
            snag_memory memory = assert_adds_up(world, &counter);
            assert_true(memory.bodies >= before[i] + 3 * shape.vertex_count * sizeof(double));
            assert_true(memory.methods == 0 && memory.answers == 0);
            snag_shape_free(&shape);
        }
        ask_everything(world, &counter);
        snag_memory asked = assert_adds_up(world, &counter);
        assert_true(asked.methods > 0 && asked.answers > 0);
        // The first move has an array of positions of its own; later ones, and steps, none.
        for (int move = 0; move < 3; move++) {
            size_t bytes = memory_of(world).bodies, vertices = 0;
            assert_int_equal(snag_world_begin_step(world), SNAG_OK);
            for (int i = 0; i < BODIES; i++) {
                snag_shape shape = shape_of(i);
                snag_shape_transform(&shape, 1, 0.01 * move, 0, 0);
                assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(shape.positions, shape.vertex_count)), SNAG_OK);
                vertices += shape.vertex_count;
                snag_shape_free(&shape);
            }
            assert_int_equal(assert_adds_up(world, &counter).bodies - bytes, move == 0 ? 3 * vertices * sizeof(double) : 0);
        }
        ask_everything(world, &counter);
        for (int i = BODIES - 1; i >= 0; i--) {
            assert_int_equal(snag_world_remove(world, ids[i]), SNAG_OK);
            assert_true(assert_adds_up(world, &counter).bodies >= before[i]);
        }
        assert_int_equal(memory_of(world).bodies, 0);
        // Methods and answers keep their buffers for the next step; what they hold of bodies that are gone is let go.
        ask_everything(world, &counter);
        assert_int_equal(assert_adds_up(world, &counter).bodies, 0);
        snag_world_destroy(world);
        failing_allocator_assert_clean(&counter);
    }
}

// A world that is asked the same again holds the same, once the second ask has learnt what pays from then on.
static void nothing_grows_from_ask_to_ask(void **state)
{
    (void)state;
    failing_allocator counter;
    snag_allocator allocator = failing_allocator_start(&counter, 0);
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = allocator});
    for (int i = 0; i < BODIES; i++) {
        snag_shape shape = shape_of(i);
        snag_body_id id;
        assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&shape);
    }
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    snag_memory first = {0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        snag_memory now = assert_adds_up(world, &counter);
        if (i == 1)
            first = now;
        if (i > 0)
            assert_memory_equal(&now, &first, sizeof now);
    }
    snag_world_destroy(world);
    failing_allocator_assert_clean(&counter);
}

static bool want_none(void *context, snag_body_id a, snag_body_id b)
{
    (void)context, (void)a, (void)b;
    return false;
}

// The room for a record of each pair of bodies counts among the answers, whatever is found.
static void records_of_distances_are_counted_as_answers(void **state)
{
    (void)state;
    enum { MANY = 20 };
    failing_allocator counter;
    snag_allocator allocator = failing_allocator_start(&counter, 0);
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = allocator});
    for (int i = 0; i < MANY; i++) {
        snag_shape shape = shape_of(4);
        snag_body_id id;
        assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&shape);
    }
    any_question ask = any_default(SNAG_DISTANCE);
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_BRUTE;
    ask.filter = want_none;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 0);
    assert_true(assert_adds_up(world, &counter).answers >= MANY * (MANY - 1) / 2 * sizeof(snag__record));
    snag_world_destroy(world);
    failing_allocator_assert_clean(&counter);
}

static snag_status status_within;

static bool ask_for_memory(void *context, double done)
{
    (void)done;
    snag_memory memory;
    status_within = snag_world_memory(context, &memory);
    return true;
}

static void it_needs_a_world_that_is_not_busy(void **state)
{
    (void)state;
    snag_memory memory;
    assert_int_equal(snag_world_memory(NULL, &memory), SNAG_ERROR_ARGUMENT);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    assert_int_equal(snag_world_memory(world, NULL), SNAG_ERROR_ARGUMENT);
    snag_shape shape = shape_of(0);
    snag_body_id id;
    assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
    snag_shape_free(&shape);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    ask.progress = ask_for_memory;
    ask.context = world;
    status_within = SNAG_OK;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(status_within, SNAG_ERROR_BUSY);
    assert_string_equal(snag_world_message(world), "");
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_add_up_and_bodies_go_with_what_they_held),
        cmocka_unit_test(nothing_grows_from_ask_to_ask),
        cmocka_unit_test(records_of_distances_are_counted_as_answers),
        cmocka_unit_test(it_needs_a_world_that_is_not_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
