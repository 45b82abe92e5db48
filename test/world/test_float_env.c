// Answers do not depend on the floating-point environment that callers have set, and callers find it as they left it.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "base/float_env.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "helpers/threads.h"

#include <fenv.h>
#ifdef _WIN32
#include <xmmintrin.h>
#endif
#include <stdlib.h>
#include <string.h>

typedef enum environment {
    DEFAULT,
    DOWNWARD,
    UPWARD,
    TOWARD_ZERO,
    FLUSHED,  // denormal results and operands are zero
    FLUSHED_UPWARD,
    TRAPPING,
    ENVIRONMENTS
} environment;

static void flush_denormals(void)
{
#if defined(__SSE2__)
    snag__float_env_set(snag__float_env_now() | 0x8040);
#elif defined(__aarch64__)
    snag__float_env_set(snag__float_env_now() | 1u << 24);
#endif
}

// fesetenv(FE_DFL_ENV) of mingw-w64 resets the x87 unit alone.
static void set_default(void)
{
    fesetenv(FE_DFL_ENV);
#ifdef _WIN32
    _mm_setcsr(0x1f80);
#endif
}

static void set(environment e)
{
    static const int roundings[] = {
        [DEFAULT] = FE_TONEAREST, [DOWNWARD] = FE_DOWNWARD,     [UPWARD] = FE_UPWARD,     [TOWARD_ZERO] = FE_TOWARDZERO,
        [FLUSHED] = FE_TONEAREST, [FLUSHED_UPWARD] = FE_UPWARD, [TRAPPING] = FE_TONEAREST};
    set_default();
    fesetround(roundings[e]);
    if (e == FLUSHED || e == FLUSHED_UPWARD)
        flush_denormals();
#ifdef __GLIBC__
    if (e == TRAPPING)
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
#endif
}

// Leaves flags aside, which computing may raise.
static snag__float_env controls(void)
{
#if defined(__SSE2__)
    return snag__float_env_now() & 0xffc0;
#else
    return snag__float_env_now();
#endif
}

#define UNCHANGED(call)                                                                                                            \
    do {                                                                                                                           \
        set(e);                                                                                                                    \
        snag__float_env before = controls();                                                                                       \
        snag_status status = (call);                                                                                               \
        snag__float_env after = controls();                                                                                        \
        set_default();                                                                                                             \
        assert_int_equal(status, SNAG_OK);                                                                                         \
        assert_true(before == after);                                                                                              \
    } while (0)

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

typedef struct kind_of_world {
    double scale;
    uint32_t cells;  // of each sheet along a side
    uint32_t threads;
    bool tasks;
} kind_of_world;

typedef struct scene {
    snag_world *world;
    snag_shape shape[3], moved[3];
    snag_body_id body[3];
} scene;

static scene make_scene(const kind_of_world *kind, environment e)
{
    scene made;
    scene_options options = {.threads = kind->threads};
    if (kind->tasks)
        options.tasks = test_threads(&kind->threads);
    made.world = scene_world(&options);
    assert_non_null(made.world);
    snag__random random = {11};
    for (int i = 0; i < 2; i++)
        made.shape[i] = scene_crumpled_sheet(kind->cells, 0.1, &random);
    assert_int_equal(snag_shape_block(2, 2, 2, 0.3, &made.shape[2]), SNAG_OK);
    for (int i = 0; i < 3; i++) {
        made.moved[i] = made.shape[i];
        size_t bytes = 3 * made.shape[i].vertex_count * sizeof(double);
        made.moved[i].positions = malloc(bytes);
        assert_non_null(made.moved[i].positions);
        memcpy(made.moved[i].positions, made.shape[i].positions, bytes);
        scene_shake(&made.moved[i], 0.02, &random);
        snag_shape_transform(&made.shape[i], kind->scale, 0, 0, 0);
        snag_shape_transform(&made.moved[i], kind->scale, 0, 0, 0);
        UNCHANGED(scene_add(made.world, &made.shape[i], SNAG_F64, NULL, &made.body[i]));
        UNCHANGED(
            snag_world_move(made.world, made.body[i], snag_positions_f64(made.moved[i].positions, made.moved[i].vertex_count)));
    }
    return made;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < 3; i++) {
        free(s->moved[i].positions);
        snag_shape_free(&s->shape[i]);
    }
    snag_world_destroy(s->world);
}

static uint64_t answer(const kind_of_world *kind, snag_method method, snag_question question, environment e)
{
    scene s = make_scene(kind, e);
    any_question ask = any_default(question);
    ask.method = method;
    ask.distance = 0.03 * kind->scale;
    ask.tolerance = 1e-6 * kind->scale;
    ask.self = ask.self && snag_method_finds_self(method, question);
    ask.edges = question == SNAG_PENETRATIONS;
    const snag_answer *got = NULL;
    uint64_t hash = 1;
    for (int times = 0; times < 2; times++) {  // trees are built in one environment, and used in another
        UNCHANGED(any_ask(s.world, &ask, &got));
        hash = mix(hash, &(uint64_t){scene_hash(got)}, sizeof(uint64_t));
        assert_true(got->count > 0 || method == SNAG_METHOD_ACTIVE);
    }
    const snag_mesh_report *report = NULL;
    UNCHANGED(snag_world_check(s.world, s.body[2], &report));
    hash = mix(hash, report->minimum, sizeof report->minimum);
    hash = mix(hash, &report->mean_edge, sizeof report->mean_edge);
    free_scene(&s);
    return hash;
}

static void answers_are_the_same_in_every_environment(void **state)
{
    (void)state;
    const kind_of_world kinds[] = {
        {1, 8, 1, false}, {1, 8, 3, false}, {1, 8, 3, true}, {0x1p-1060, 3, 1, false}, {0x1p-140, 4, 3, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int method = SNAG_METHOD_AUTO; method < SNAG_METHOD_COUNT; method++)
            for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
                if (!snag_method_answers((snag_method)method, (snag_question)question))
                    continue;
                uint64_t expected = answer(&kinds[i], (snag_method)method, (snag_question)question, DEFAULT);
                for (int e = DOWNWARD; e < ENVIRONMENTS; e++)
                    if (answer(&kinds[i], (snag_method)method, (snag_question)question, (environment)e) != expected)
                        fail_msg("%s by %s at scale %g on %u threads differs in environment %d",
                                 snag_question_name((snag_question)question), snag_method_name((snag_method)method), kinds[i].scale,
                                 kinds[i].threads, e);
            }
}

// ---- response and welding ----

static uint64_t respond(environment e, double scale)
{
    const kind_of_world kind = {scale, 8, 3, false};
    scene s = make_scene(&kind, e);
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01 * scale;
    def.dt = 0.01;
    snag_response_body bodies[2];
    double *inverse[2];
    for (int i = 0; i < 2; i++) {
        inverse[i] = malloc(s.shape[i].vertex_count * sizeof(double));
        assert_non_null(inverse[i]);
        for (size_t v = 0; v < s.shape[i].vertex_count; v++)
            inverse[i][v] = 1 + (double)(v % 7);
        bodies[i] = (snag_response_body){.body = s.body[i],
                                         .vertex_count = s.shape[i].vertex_count,
                                         .positions = s.moved[i].positions,
                                         .inverse_masses = inverse[i],
                                         .start = s.shape[i].positions};
    }
    snag_response_report report;
    uint64_t hash = 1;
    for (int call = 0; call < 2; call++) {
        if (call == 0)
            UNCHANGED(snag_response_untangle(response, s.world, &def, bodies, 2, &report));
        else
            UNCHANGED(snag_response_advance(response, s.world, &def, bodies, 2, &report));
        for (int i = 0; i < 2; i++)
            hash = mix(hash, s.moved[i].positions, 3 * s.moved[i].vertex_count * sizeof(double));
    }
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.distance = 0.02 * scale;
    const snag_answer *found = NULL;
    for (int i = 0; i < 2; i++)
        assert_int_equal(snag_world_teleport(s.world, s.body[i], snag_positions_f64(s.moved[i].positions, s.moved[i].vertex_count)),
                         SNAG_OK);
    assert_int_equal(snag_world_remove(s.world, s.body[2]), SNAG_OK);
    assert_int_equal(any_ask(s.world, &ask, &found), SNAG_OK);
    UNCHANGED(snag_response_apply(response, s.world, &def, bodies, 2, found, &report));
    for (int i = 0; i < 2; i++) {
        hash = mix(hash, s.moved[i].positions, 3 * s.moved[i].vertex_count * sizeof(double));
        free(inverse[i]);
    }
    snag_response_destroy(response);
    free_scene(&s);
    return hash;
}

static void responses_are_the_same_in_every_environment(void **state)
{
    (void)state;
    uint64_t expected = respond(DEFAULT, 1);
    for (int e = DOWNWARD; e < ENVIRONMENTS; e++)
        assert_true(respond((environment)e, 1) == expected);
}

static void denormal_coordinates_are_not_welded(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 0x1p-1070, 0, 0, 0x1p-1071, 0, 0, -0.0, 0, 0};
    for (environment e = DEFAULT; e < ENVIRONMENTS; e++) {
        uint32_t vertex_of[4];
        UNCHANGED(snag_mesh_weld(snag_positions_f64(x, 4), NULL, vertex_of));
        assert_true(vertex_of[0] == 0 && vertex_of[1] == 1 && vertex_of[2] == 2 && vertex_of[3] == 0);
    }
}

// ---- tasks of the user's own ----

static void note_environment(void *context, uint32_t index)
{
    ((snag__float_env *)context)[index] = controls();
}

static void tasks_of_the_user_run_in_his_environment(void **state)
{
    (void)state;
    enum { TASKS = 200 };
    scene_options options = {.threads = 3};
    snag_world *world = scene_world(&options);
    assert_non_null(world);
    for (environment e = DEFAULT; e < ENVIRONMENTS; e++) {
        snag__float_env seen[TASKS];
        set(e);
        snag__float_env mine = controls();
        snag_world_run(world, TASKS, note_environment, seen);
        snag__float_env after = controls();
        set_default();
        assert_true(after == mine);
        for (int i = 0; i < TASKS; i++)
            assert_true(seen[i] == mine);
    }
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_in_every_environment),
        cmocka_unit_test(responses_are_the_same_in_every_environment),
        cmocka_unit_test(denormal_coordinates_are_not_welded),
        cmocka_unit_test(tasks_of_the_user_run_in_his_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
