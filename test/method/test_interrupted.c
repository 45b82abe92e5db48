// An ask that runs out of memory, or that is stopped, leaves nothing behind: the next answer is that of a world which never knew
// of it. Every allocation of every kind of ask fails once, at each step of a world's life, and every call of progress stops once.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 5, STEPS = 5 };

typedef struct life {
    snag_world *world;
    snag_shape shapes[BODIES];
    double *added[BODIES];  // positions with which a body was added: they turn the faces of tetrahedra outward
    double *before[BODIES];  // positions before the last step
    bool moved[BODIES];  // in the last step; else t0 is t1
    snag_body_id ids[BODIES];
} life;

static void copy_positions(const snag_shape *shape, double **to)
{
    size_t bytes = 3 * shape->vertex_count * sizeof(double);
    *to = realloc(*to, bytes);
    memcpy(*to, shape->positions, bytes);
}

// Sheets that pass through themselves and each other, a ball and two bodies of tetrahedra in their midst.
static void make_shapes(snag_shape shapes[BODIES], snag__random *random)
{
    shapes[0] = scene_crumpled_sheet(7, 0.12, random);
    shapes[1] = scene_crumpled_sheet(4, 0.1, random);
    assert_int_equal(snag_shape_block(1, 1, 2, 0.3, &shapes[2]), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(1, 0.3, &shapes[3]), SNAG_OK);
    shapes[4] = scene_tet_soup(3, 0, random);
}

static void begin(life *l, const scene_options *options, snag__random *random)
{
    *l = (life){.world = scene_world(options)};
    make_shapes(l->shapes, random);
    for (int i = 0; i < BODIES; i++) {
        assert_int_equal(scene_add(l->world, &l->shapes[i], SNAG_F64, NULL, &l->ids[i]), SNAG_OK);
        copy_positions(&l->shapes[i], &l->added[i]);
    }
}

static void end(life *l)
{
    snag_world_destroy(l->world);
    for (int i = 0; i < BODIES; i++) {
        snag_shape_free(&l->shapes[i]);
        free(l->added[i]);
        free(l->before[i]);
    }
}

// What happens before a step: a small move of all, a jump of one, a body that goes and comes back, a violent move.
static void live_on(life *l, int step, snag__random *random)
{
    if (step == 0)
        return;
    assert_int_equal(snag_world_begin_step(l->world), SNAG_OK);
    for (int i = 0; i < BODIES; i++) {
        copy_positions(&l->shapes[i], &l->before[i]);
        l->moved[i] = false;
        scene_shake(&l->shapes[i], step == 4 ? 0.3 : 0.01, random);
        if (step == 2 && i == 3)
            snag_shape_transform(&l->shapes[i], 1, 0.4, 0.1, 0);
        snag_positions positions = snag_positions_f64(l->shapes[i].positions, l->shapes[i].vertex_count);
        if (step == 3 && i == 1) {
            assert_int_equal(snag_world_remove(l->world, l->ids[i]), SNAG_OK);
            assert_int_equal(scene_add(l->world, &l->shapes[i], SNAG_F64, NULL, &l->ids[i]), SNAG_OK);
            copy_positions(&l->shapes[i], &l->added[i]);
        } else if (step == 2 && i == 2) {
            assert_int_equal(snag_world_teleport(l->world, l->ids[i], positions), SNAG_OK);
        } else {
            assert_int_equal(snag_world_move(l->world, l->ids[i], positions), SNAG_OK);
            l->moved[i] = true;
        }
    }
}

static bool not_the_first_two(void *context, snag_body_id a, snag_body_id b)
{
    (void)context;
    return a.index + b.index != 3;
}

// The kinds of asks: `variant` is an option that takes other ways through a method. False: there is no such variant.
static bool set_variant(any_question *ask, int variant)
{
    bool features = ask->question == SNAG_PROXIMITIES;
    ask->self = snag_method_finds_self(ask->method, ask->question) && ask->question != SNAG_OVERLAPS;
    ask->distance = features ? 0.02 : 0;
    switch (variant) {
    case 0: return true;
    case 1: ask->filter = not_the_first_two; return true;
    case 2: ask->track = true; return ask->question != SNAG_OVERLAPS;
    case 3: ask->output = SNAG_OUTPUT_PAIRS; return true;
    case 4: ask->every_pair = ask->edges = true; return features || ask->question == SNAG_PENETRATIONS;
    case 5: ask->lazy = 0.05, ask->k = 18, ask->arity = 2; return ask->method == SNAG_METHOD_KDOP;
    case 6: ask->self = false; return ask->method == SNAG_METHOD_KDOP || ask->method == SNAG_METHOD_REGULARITY;
    case 7: ask->between = false; return snag_method_finds_self(ask->method, ask->question);
    case 8: ask->closest = 3; return ask->question == SNAG_DISTANCE;
    case 9: ask->within = 0.05; return ask->question == SNAG_DISTANCE;
    case 10: ask->lines = true; return ask->method == SNAG_METHOD_REGIONS;
    case 11: ask->separation = 0.01; return ask->question == SNAG_IMPACTS;
    case 12: ask->output = SNAG_OUTPUT_COUNT; return true;
    case 13: ask->output = SNAG_OUTPUT_EARLIEST; return ask->question == SNAG_IMPACTS;
    default: ask->depth = 3, ask->idle = 1; return ask->method == SNAG_METHOD_SPHERES;
    }
}
enum { VARIANTS = 15 };

// A body of a fresh world with the same id: its generation is as high as that of a body which came back.
static void add_again(snag_world *world, const life *l, int i)
{
    snag_shape shape = l->shapes[i];
    shape.positions = l->added[i];
    snag_body_id id = {0, 0};
    while (id.generation < l->ids[i].generation) {
        if (id.generation > 0)
            assert_int_equal(snag_world_remove(world, id), SNAG_OK);
        assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
    }
    snag_positions now = snag_positions_f64(l->shapes[i].positions, shape.vertex_count);
    assert_int_equal(snag_world_teleport(world, id, l->moved[i] ? snag_positions_f64(l->before[i], shape.vertex_count) : now),
                     SNAG_OK);
    if (l->moved[i])
        assert_int_equal(snag_world_move(world, id, now), SNAG_OK);
}

// The answer of a world that has just been made of the same bodies.
static uint64_t fresh_answer(const life *l, any_question ask)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < BODIES; i++)
        add_again(world, l, i);
    const snag_answer *answer = NULL;
    ask.track = false;
    if (snag_method_answers(SNAG_METHOD_BRUTE, ask.question))
        ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    uint64_t hash = scene_hash(answer);
    snag_world_destroy(world);
    return hash;
}

static bool is_complete(const any_question *ask)
{
    return ask->method != SNAG_METHOD_ACTIVE;
}

// Takes ids and phases out, which a world that was never asked before gives otherwise.
static uint64_t hash_without_track(const snag_answer *answer)
{
    snag_contact *copy = malloc((answer->count + 1) * sizeof *copy);
    for (size_t i = 0; i < answer->count; i++) {
        copy[i] = answer->contacts[i];
        copy[i].id = 0, copy[i].phase = SNAG_PHASE_NONE, copy[i].age = 0;
    }
    snag_answer plain = *answer;
    plain.contacts = copy;
    uint64_t hash = scene_hash(&plain);
    free(copy);
    return hash;
}

static void assert_fresh(const life *l, const any_question *ask, const snag_answer *answer)
{
    if (!is_complete(ask))
        return;
    assert_true(answer->complete);
    uint64_t hash = ask->track ? hash_without_track(answer) : scene_hash(answer);
    // Methods between bodies count no degenerate triangles, and overlaps depend on the trees' age.
    if (ask->method != SNAG_METHOD_SPHERES && hash != fresh_answer(l, *ask))
        fail_msg("%s by %s%s%s%s: not what a fresh world answers", snag_question_name(ask->question), snag_method_name(ask->method),
                 ask->filter ? ", filter" : "", ask->track ? ", track" : "", ask->every_pair ? ", every pair" : "");
}

// Lets the allocations of the ask fail one after the other until none is left to fail. What an ask has allocated before it failed
// may be kept for the next: so the one that fails is the first new one again and again, as long as something changes. Trees of
// spheres make hundreds of small blocks alike: after so many failures larger and larger steps are taken.
enum { FAILURES_ONE_BY_ONE = 40 };

static size_t ask_until_memory_is_enough(life *l, failing_allocator *memory, const any_question *ask, const snag_answer **answer)
{
    size_t failures = 0;
    for (size_t n = 1;;) {
        size_t bytes = memory->live_bytes, at = memory->calls + n;
        memory->fail_at = at;
        snag_status status = any_ask(l->world, ask, answer);
        memory->fail_at = 0;
        if (memory->calls < at) {
            assert_int_equal(status, SNAG_OK);
            return failures;
        }
        // An ask may do without what it did not get.
        assert_true(status == SNAG_ERROR_MEMORY || status == SNAG_OK);
        failures++;
        n = failures > FAILURES_ONE_BY_ONE ? 2 * n : bytes == memory->live_bytes ? n + 1 : 1;
    }
}

static size_t interrupt_by_memory(const any_question *ask, uint32_t threads, int steps)
{
    failing_allocator memory;
    snag__random random = {77};
    life l;
    size_t failures = 0;
    begin(&l, &(scene_options){.threads = threads, .allocator = failing_allocator_start(&memory, 0)}, &random);
    for (int step = 0; step < steps; step++) {
        live_on(&l, step, &random);
        const snag_answer *answer = NULL;
        failures += ask_until_memory_is_enough(&l, &memory, ask, &answer);
        assert_fresh(&l, ask, answer);
    }
    end(&l);
    failing_allocator_assert_clean(&memory);
    return failures;
}

static void no_failed_allocation_leaves_a_trace(void **state)
{
    (void)state;
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++)
            for (int variant = 0; variant < VARIANTS; variant++) {
                any_question ask = any_default((snag_question)question);
                ask.method = (snag_method)method;
                if (snag_method_answers(ask.method, ask.question) && set_variant(&ask, variant))
                    assert_true(interrupt_by_memory(&ask, 1 + (uint32_t)variant % 2, variant < 2 ? STEPS : 2) > 0);
            }
}

// Stops at a chosen call.
typedef struct stopper {
    int calls, stop_at;
} stopper;

static bool stop(void *context, double done)
{
    stopper *s = context;
    assert_true(done >= 0 && done <= 1 + 1e-9);
    return ++s->calls != s->stop_at;
}

static int interrupt_by_progress(any_question *ask)
{
    snag__random random = {78};
    life l;
    int stops = 0;
    begin(&l, &(scene_options){.threads = 1}, &random);
    for (int step = 0; step < 2; step++) {
        live_on(&l, step, &random);
        for (int at = 1;; at++) {
            stopper s = {0, at};
            const snag_answer *answer = NULL;
            ask->progress = stop;
            ask->context = &s;
            assert_int_equal(any_ask(l.world, ask, &answer), SNAG_OK);
            bool stopped = s.calls >= at;
            if (!stopped || at > 40) {
                ask->progress = NULL;
                assert_int_equal(any_ask(l.world, ask, &answer), SNAG_OK);
                assert_fresh(&l, ask, answer);
                break;
            }
            assert_true(s.calls == at);
            stops++;
        }
    }
    end(&l);
    return stops;
}

static void no_stopped_search_leaves_a_trace(void **state)
{
    (void)state;
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++)
            for (int variant = 0; variant < VARIANTS; variant += variant == 0 ? 8 : 1) {
                any_question ask = any_default((snag_question)question);
                ask.method = (snag_method)method;
                if (snag_method_answers(ask.method, ask.question) && set_variant(&ask, variant))
                    interrupt_by_progress(&ask);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failed_allocation_leaves_a_trace),
        cmocka_unit_test(no_stopped_search_leaves_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
