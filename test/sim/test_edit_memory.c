// Out of memory in a step that tears or cuts: each allocation of the step fails once, in a process of its own. Such a step says so, or has the
// bytes of one that had memory; what is seen of the scene is whole; and a scene that cannot go on says so again.
// The simulator allocates with malloc, which this program replaces; where that cannot be (sanitizers, other C libraries) nothing is tested.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_hash.h"
#include "snag/sim.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// Steps run on one thread.
static bool armed;
static long calls, fail_at;

static bool fails(void)
{
    return armed && ++calls == fail_at;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

static bool is_whole(const snag_sim *sim)
{
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        for (size_t i = 0; i < 3 * body.triangle_count; i++)
            if (body.triangles[i] >= body.vertex_count)
                return false;
        for (size_t i = 0; i < 4 * body.tet_count; i++)
            if (body.tets[i] >= body.vertex_count)
                return false;
        for (size_t i = 0; i < 3 * body.vertex_count; i++)
            if (!(body.positions[i] > -1e6 && body.positions[i] < 1e6))
                return false;
    }
    return true;
}

enum { FINE, HAD_NO_MEMORY, OTHER_STATUS, OTHER_BYTES, NOT_WHOLE, WENT_ON, SILENT };

// In a child: the step with a failure. Says what came of it.
static int step_with_failure(snag_sim *sim, long at, uint64_t expected)
{
    fail_at = at;
    calls = 0;
    armed = true;
    snag_status status = snag_sim_step(sim);
    armed = false;
    if (status == SNAG_OK)
        return sim_hash(sim) == expected ? FINE : OTHER_BYTES;
    if (status != SNAG_ERROR_MEMORY)
        return OTHER_STATUS;
    if (snag_sim_message(sim)[0] == '\0')
        return SILENT;
    if (!is_whole(sim))
        return NOT_WHOLE;
    // With memory again: a step that edited nothing yet is made again, and edits; else the scene cannot go on. (Not the same bytes: the
    // search for rotations starts from where it came to.)
    bool edited = snag_sim_body_at(sim, 1).edits > 0;
    status = snag_sim_step(sim);
    if (!is_whole(sim))
        return NOT_WHOLE;
    if (status != SNAG_ERROR_MEMORY && (edited || status != SNAG_OK || snag_sim_body_at(sim, 1).edits == 0))
        return WENT_ON;
    snag_sim_destroy(sim);
    return HAD_NO_MEMORY;
}

static int in_a_child(snag_sim *sim, long at, uint64_t expected)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(step_with_failure(sim, at, expected));
    int result = 0;
    assert_true(child > 0 && waitpid(child, &result, 0) == child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 100 + WTERMSIG(result);
}

// The last step before the first that edits, what that step gives, and how often it allocates.
static snag_sim *before_an_edit(const snag_sim_def *def, uint64_t *expected, long *allocations)
{
    snag_sim *sim = NULL, *ahead = NULL;
    assert_int_equal(snag_sim_create(def, &sim), SNAG_OK);
    assert_int_equal(snag_sim_create(def, &ahead), SNAG_OK);
    for (int step = 0; step < 200; step++) {
        fail_at = calls = 0;
        armed = true;
        snag_status status = snag_sim_step(ahead);
        armed = false;
        assert_int_equal(status, SNAG_OK);
        if (snag_sim_body_at(ahead, 1).edits > 0)
            break;
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
    }
    assert_true(snag_sim_body_at(ahead, 1).edits > 0);
    *allocations = calls;
    *expected = sim_hash(ahead);
    snag_sim_destroy(ahead);
    return sim;
}

static void sweep(const char *scene)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = scene;
    def.size = 0.05;
    def.threads = 1;
    uint64_t expected;
    long allocations, failed = 0;
    snag_sim *sim = before_an_edit(&def, &expected, &allocations);
    assert_true(allocations > 20);
    for (long at = 1; at <= allocations; at++) {
        int result = in_a_child(sim, at, expected);
        if (result != FINE && result != HAD_NO_MEMORY)
            fail_msg("%s: allocation %ld of %ld: %d", scene, at, allocations, result);
        failed += result == HAD_NO_MEMORY;
    }
    assert_true(failed > 20);
    snag_sim_destroy(sim);
}

static void a_tear_without_memory(void **state)
{
    (void)state;
    sweep("cloth-rip");
}

static void a_cut_without_memory(void **state)
{
    (void)state;
    sweep("block-cut");
}

#else

static void a_tear_without_memory(void **state)
{
    (void)state;
    skip();
}

static void a_cut_without_memory(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tear_without_memory), cmocka_unit_test(a_cut_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
