// What callbacks and tasks ask of the world that they are called by is refused, and changes nothing; what only reads is allowed.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "helpers/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 14 };

typedef struct stage {
    snag_world *world;
    snag_response *response;
    snag_body_id body;
    snag_shape shape;
    const snag_answer *earlier;  // of the same world
    _Atomic uint32_t refused, not_refused;
    bool only_once;
} stage;

static const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static snag_status read_block(void *context, size_t block, double *out)
{
    (void)context, (void)block;
    memcpy(out, corners, sizeof corners);
    return SNAG_OK;
}

// Makes each call that changes a world once, and counts what comes of it.
static void try_all(stage *s)
{
    snag_positions positions = snag_positions_f64(s->shape.positions, s->shape.vertex_count);
    snag_body_def surface = snag_default_body_def();
    snag_memory memory;
    snag_surface_block block = {{0, 0, 0}, {1, 1, 0}, 0, 1};
    snag_source_def source = snag_default_source_def();
    source.blocks = &block;
    source.block_count = 1;
    source.read = read_block;
    any_question question = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    const snag_mesh_report *report = NULL;
    snag_tree_info tree;
    snag_body_id id = {7, 7};
    snag_response_def response = snag_default_response_def();
    response.dt = 1;
    double *x = malloc(3 * sizeof *x * s->shape.vertex_count), *masses = calloc(s->shape.vertex_count, sizeof *masses);
    assert_non_null(x);
    assert_non_null(masses);
    memcpy(x, s->shape.positions, 3 * sizeof *x * s->shape.vertex_count);
    for (size_t i = 0; i < s->shape.vertex_count; i++)
        masses[i] = 1;
    snag_response_body body = {.body = s->body,
                               .vertex_count = s->shape.vertex_count,
                               .positions = x,
                               .inverse_masses = masses,
                               .start = s->shape.positions};
    const snag_status got[CALLS] = {
        any_ask(s->world, &question, &answer),
        any_ask(s->world, NULL, NULL),
        snag_world_add(s->world, &surface, &id),
        snag_world_add_source(s->world, &source, &id),
        snag_world_begin_step(s->world),
        snag_world_move(s->world, s->body, positions),
        snag_world_teleport(s->world, s->body, positions),
        snag_world_check(s->world, s->body, &report),
        snag_world_tree(s->world, s->body, &tree),
        snag_world_memory(s->world, &memory),
        snag_world_remove(s->world, s->body),
        snag_response_apply(s->response, s->world, &response, &body, 1, s->earlier, NULL),
        snag_response_advance(s->response, s->world, &response, &body, 1, NULL),
        snag_response_untangle(s->response, s->world, &response, &body, 1, NULL),
    };
    for (int i = 0; i < CALLS; i++)
        atomic_fetch_add(got[i] == SNAG_ERROR_BUSY ? &s->refused : &s->not_refused, 1);
    snag_world_destroy(s->world);
    if (strstr(snag_world_message(s->world), "in the middle of another call") == NULL || !snag_world_is_busy(s->world) ||
        answer != NULL || id.index != 7)
        atomic_fetch_add(&s->not_refused, 1);
    free(x);
    free(masses);
}

static void count_task(void *context, uint32_t index)
{
    ((uint32_t *)context)[index]++;
}

// What only reads, and tasks of the user's own, which the calling thread runs.
static void read_all(stage *s)
{
    snag_body_info info;
    uint32_t runs[5] = {0};
    bool good = snag_world_body(s->world, s->body, &info) == SNAG_OK && info.vertex_count == s->shape.vertex_count &&
                snag_world_body_count(s->world) == 2 && snag_world_threads(s->world) > 0 &&
                snag_world_isa(s->world) != SNAG_ISA_BEST;
    snag_world_run(s->world, 5, count_task, runs);
    for (int i = 0; i < 5; i++)
        good = good && runs[i] == 1;
    if (!good)
        atomic_fetch_add(&s->not_refused, 1);
}

static void intrude(stage *s)
{
    if (s->only_once && s->refused > 0)
        return;
    read_all(s);
    try_all(s);
}

static bool intrude_by_progress(void *context, double done)
{
    (void)done;
    intrude(context);
    return true;
}

static bool intrude_by_filter(void *context, snag_body_id a, snag_body_id b)
{
    (void)a, (void)b;
    intrude(context);
    return true;
}

static void intrude_by_task(void *context, uint32_t index)
{
    (void)index;
    intrude(context);
}

static stage make_stage(uint32_t threads, const snag_tasks *tasks)
{
    stage s = {0};
    scene_options options = {.threads = threads};
    if (tasks != NULL)
        options.tasks = *tasks;
    s.world = scene_world(&options);
    assert_non_null(s.world);
    assert_int_equal(snag_response_create(NULL, &s.response), SNAG_OK);
    snag_shape block;
    assert_int_equal(snag_shape_icosphere(2, 1, &s.shape), SNAG_OK);
    assert_int_equal(snag_shape_block(3, 3, 3, 0.5, &block), SNAG_OK);
    snag_body_id other;
    assert_int_equal(scene_add(s.world, &s.shape, SNAG_F64, NULL, &s.body), SNAG_OK);
    assert_int_equal(scene_add(s.world, &block, SNAG_F64, NULL, &other), SNAG_OK);
    snag_shape_free(&block);
    return s;
}

static void free_stage(stage *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
    snag_shape_free(&s->shape);
}

static uint64_t ask(stage *s, snag_method method, snag_question question, bool intruded)
{
    any_question def = any_default(question);
    def.method = method;
    def.distance = 0.1;
    def.self = def.self && snag_method_finds_self(method, question);
    if (intruded) {
        def.progress = intrude_by_progress;
        def.filter = intrude_by_filter;
        def.context = s;
    }
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(s->world, &def, &answer), SNAG_OK);
    assert_false(snag_world_is_busy(s->world));
    s->earlier = answer;
    return scene_hash(answer);
}

static void asks_from_progress_and_filter_are_refused_and_change_no_answer(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2)
        for (int method = SNAG_METHOD_BRUTE; method < SNAG_METHOD_COUNT; method++)
            for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
                if (!snag_method_answers((snag_method)method, (snag_question)question))
                    continue;
                stage s = make_stage(threads, NULL);
                s.only_once = true;
                uint64_t expected = ask(&s, (snag_method)method, (snag_question)question, false);
                // `active` finds other contacts each time; a fresh world finds the same.
                free_stage(&s);
                s = make_stage(threads, NULL);
                s.only_once = true;
                ask(&s, SNAG_METHOD_BRUTE, SNAG_PROXIMITIES, false);
                assert_true(ask(&s, (snag_method)method, (snag_question)question, true) == expected);
                assert_true(s.refused == CALLS && s.not_refused == 0);
                assert_int_equal(snag_world_body_count(s.world), 2);
                free_stage(&s);
            }
}

static void tasks_of_the_user_are_refused(void **state)
{
    (void)state;
    uint32_t two = 2;
    const snag_tasks tasks = test_threads(&two);
    for (int own = 0; own < 2; own++) {
        stage s = make_stage(3, own ? &tasks : NULL);
        ask(&s, SNAG_METHOD_BRUTE, SNAG_PROXIMITIES, false);
        snag_world_run(s.world, 20, intrude_by_task, &s);
        assert_true(s.refused == 20 * CALLS && s.not_refused == 0);
        assert_false(snag_world_is_busy(s.world));
        free_stage(&s);
    }
}

// ---- the user's task callback, a source and its end, the allocator ----

typedef struct intruding_tasks {
    stage *stage;
    bool on;
} intruding_tasks;

static void run_and_intrude(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    intruding_tasks *tasks = context;
    for (uint32_t i = 0; i < count; i++)
        task(task_context, i);
    if (tasks->on)
        intrude(tasks->stage);
}

static void the_task_callback_is_refused(void **state)
{
    (void)state;
    stage s;
    intruding_tasks tasks = {&s, false};
    s = make_stage(4, &(snag_tasks){run_and_intrude, &tasks});
    uint64_t expected = ask(&s, SNAG_METHOD_KDOP, SNAG_PROXIMITIES, false);
    tasks.on = s.only_once = true;
    assert_true(ask(&s, SNAG_METHOD_KDOP, SNAG_PROXIMITIES, false) == expected);
    assert_true(s.refused == CALLS && s.not_refused == 0);
    // A step of the response is a call of its own, too.
    s.refused = 0;
    snag_response_def def = snag_default_response_def();
    def.dt = 1;
    double *x = calloc(3 * s.shape.vertex_count, sizeof *x), *masses = calloc(s.shape.vertex_count, sizeof *masses);
    memcpy(x, s.shape.positions, 3 * s.shape.vertex_count * sizeof *x);
    masses[0] = 1;
    snag_response_body body = {
        .body = s.body, .vertex_count = s.shape.vertex_count, .positions = x, .inverse_masses = masses, .start = s.shape.positions};
    assert_int_equal(snag_response_advance(s.response, s.world, &def, &body, 1, NULL), SNAG_OK);
    assert_true(s.refused == CALLS && s.not_refused == 0);
    free(x);
    free(masses);
    tasks.on = false;
    free_stage(&s);
}

static snag_status intrude_by_read(void *context, size_t block, double *out)
{
    try_all(context);
    return read_block(context, block, out);
}

static void intrude_by_close(void *context)
{
    try_all(context);
}

static void sources_are_refused(void **state)
{
    (void)state;
    for (int by_destroy = 0; by_destroy < 2; by_destroy++) {
        stage s = make_stage(2, NULL);
        snag_surface_block block = {{0, 0, 0}, {1, 1, 0}, 0, 1};
        snag_source_def def = snag_default_source_def();
        def.blocks = &block;
        def.block_count = 1;
        def.read = intrude_by_read;
        def.close = intrude_by_close;
        def.context = &s;
        snag_body_id id;
        assert_int_equal(snag_world_add_source(s.world, &def, &id), SNAG_OK);
        ask(&s, SNAG_METHOD_SPHERES, SNAG_INTERSECTIONS, false);
        assert_true(s.refused > 0 && s.refused % CALLS == 0 && s.not_refused == 0);
        s.refused = 0;
        if (!by_destroy)
            assert_int_equal(snag_world_remove(s.world, id), SNAG_OK);
        snag_world_destroy(s.world);
        assert_true(s.refused == CALLS && s.not_refused == 0);
        s.world = NULL;
        free_stage(&s);
    }
}

// A task callback that wants the response, which is in a call, to work on another world.
typedef struct second_use {
    snag_response *response;
    snag_world *other;
    snag_response_body *body;
    snag_status got;
} second_use;

static void use_response(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    second_use *use = context;
    snag_response_def def = snag_default_response_def();
    for (uint32_t i = 0; i < count; i++)
        task(task_context, i);
    if (use->response != NULL) {
        use->got = snag_response_untangle(use->response, use->other, &def, use->body, 1, NULL);
        snag_response_destroy(use->response);
    }
}

static void a_response_in_a_call_is_refused_another_world(void **state)
{
    (void)state;
    second_use use = {0};
    stage s = make_stage(4, &(snag_tasks){use_response, &use}), other = make_stage(1, NULL);
    double *masses = calloc(s.shape.vertex_count, sizeof *masses);
    assert_non_null(masses);
    masses[0] = 1;
    snag_response_body body = {
        .body = s.body, .vertex_count = s.shape.vertex_count, .positions = s.shape.positions, .inverse_masses = masses};
    snag_response_def def = snag_default_response_def();
    use = (second_use){s.response, other.world, &body, SNAG_OK};
    assert_int_equal(snag_response_untangle(s.response, s.world, &def, &body, 1, NULL), SNAG_OK);
    assert_int_equal(use.got, SNAG_ERROR_BUSY);
    assert_non_null(strstr(snag_response_message(s.response), "in the middle of another call"));
    use.response = NULL;
    free(masses);
    free_stage(&other);
    free_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_from_progress_and_filter_are_refused_and_change_no_answer),
        cmocka_unit_test(tasks_of_the_user_are_refused),
        cmocka_unit_test(the_task_callback_is_refused),
        cmocka_unit_test(sources_are_refused),
        cmocka_unit_test(a_response_in_a_call_is_refused_another_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
