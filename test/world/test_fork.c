// A world after fork(): the child has none of its threads, and can use and destroy it all the same.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// ThreadSanitizer ends children that start threads unless it is told that they may.
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

enum { SECONDS = 120 };  // after which a child that hangs is ended: no test waits for it

typedef struct scene {
    snag_world *world;
    snag_body_id body[2];
    snag_shape sheet[2];
} scene;

static scene make_scene(uint32_t threads)
{
    scene s;
    scene_options options = {.threads = threads};
    s.world = scene_world(&options);
    assert_non_null(s.world);
    snag__random random = {5};
    for (int i = 0; i < 2; i++) {
        s.sheet[i] = scene_crumpled_sheet(40, 0.1, &random);
        assert_int_equal(scene_add(s.world, &s.sheet[i], SNAG_F64, NULL, &s.body[i]), SNAG_OK);
    }
    return s;
}

static void free_scene(scene *s)
{
    snag_world_destroy(s->world);
    for (int i = 0; i < 2; i++)
        snag_shape_free(&s->sheet[i]);
}

static uint64_t ask(const scene *s)
{
    any_question def = any_default(SNAG_PROXIMITIES);
    def.distance = 0.02;
    const snag_answer *answer = NULL;
    if (snag_world_move(s->world, s->body[0], snag_positions_f64(s->sheet[0].positions, s->sheet[0].vertex_count)) != SNAG_OK ||
        any_ask(s->world, &def, &answer) != SNAG_OK)
        return 0;
    return scene_hash(answer);
}

// Runs `work` in a child; its exit code, or -1 if a signal ended it.
static int in_child(int (*work)(scene *s, uint64_t expected), scene *s, uint64_t expected)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        _exit(work(s, expected));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int destroy(scene *s, uint64_t expected)
{
    (void)expected;
    free_scene(s);
    return 0;
}

static int use_and_destroy(scene *s, uint64_t expected)
{
    for (int i = 0; i < 3; i++)
        if (ask(s) != expected)
            return 1;
    free_scene(s);
    return 0;
}

// A child of a child, and one that never asks.
static int fork_again(scene *s, uint64_t expected)
{
    if (ask(s) != expected || in_child(use_and_destroy, s, expected) != 0 || in_child(destroy, s, expected) != 0)
        return 1;
    return use_and_destroy(s, expected);
}

static void a_child_destroys_and_uses_a_world(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        scene s = make_scene(threads);
        assert_int_equal(in_child(destroy, &s, 0), 0);  // before its threads have begun
        uint64_t expected = ask(&s);
        assert_true(expected != 0);
        for (int i = 0; i < 20; i++)  // sleeping and looking for work, as it comes
            assert_int_equal(in_child(i % 2 == 0 ? destroy : use_and_destroy, &s, expected), 0);
        assert_int_equal(in_child(fork_again, &s, expected), 0);
        assert_true(ask(&s) == expected);
        free_scene(&s);
    }
}

// ---- a fork in the middle of an ask ----

typedef struct middle {
    pid_t child;
    bool forked;
} middle;

static bool fork_in_progress(void *context, double done)
{
    (void)done;
    middle *m = context;
    if (!m->forked) {
        m->forked = true;
        m->child = fork();
        if (m->child == 0)
            alarm(SECONDS);
    }
    return true;
}

static void an_ask_goes_on_in_both_processes(void **state)
{
    (void)state;
    scene s = make_scene(4);
    uint64_t expected = ask(&s);
    middle m = {0};
    any_question def = any_default(SNAG_PROXIMITIES);
    def.distance = 0.02;
    def.progress = fork_in_progress;
    def.context = &m;
    const snag_answer *answer = NULL;
    fflush(NULL);
    snag_status status = any_ask(s.world, &def, &answer);
    bool same = status == SNAG_OK && scene_hash(answer) == expected;
    free_scene(&s);
    assert_true(m.forked);
    if (m.child == 0)
        _exit(same ? 0 : 1);
    assert_true(same);
    int code;
    assert_int_equal(waitpid(m.child, &code, 0), m.child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_destroys_and_uses_a_world),
        cmocka_unit_test(an_ask_goes_on_in_both_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
