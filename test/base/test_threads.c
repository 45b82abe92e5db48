// The threads of a world: every task is run once, whoever runs it. ThreadSanitizer watches this program.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/platform.h"
#include "base/pool.h"
#include "helpers/failing_allocator.h"

enum { MOST = 3000 };

// How many of three threads there are: in a build without threads the caller is alone.
enum { TAKING_PART = SNAG__THREADS ? 3 : 1 };

typedef struct job {
    uint32_t runs[MOST];
    _Atomic uint32_t begun;
    snag__pool *pool;
    struct job *inner;
} job;

static void count_run(void *context, uint32_t index)
{
    job *j = context;
    j->runs[index]++;  // not atomic: a task that two threads run is a race
    atomic_fetch_add(&j->begun, 1);
}

static void assert_run_once(const job *j, uint32_t count)
{
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(j->runs[i], i < count);
}

static void every_task_is_run_once_for_any_number_of_threads(void **state)
{
    (void)state;
    static job j;
    snag_allocator allocator = snag__default_allocator();
    for (uint32_t threads = 1; threads <= 8; threads++) {
        snag__pool *pool = snag__pool_create(&allocator, threads);
        for (uint32_t count = 0; count < MOST; count = count * 3 / 2 + 1) {
            memset(&j, 0, sizeof j);
            snag__pool_run(pool, count, count_run, &j);
            assert_run_once(&j, count);
        }
        snag__pool_destroy(&allocator, pool);
    }
}

// Jobs follow each other faster than threads wake up and fall asleep: one that comes late must not run a task of the wrong job.
static void jobs_in_quick_succession_do_not_mix(void **state)
{
    (void)state;
    static job jobs[2];
    snag_allocator allocator = snag__default_allocator();
    snag__pool *pool = snag__pool_create(&allocator, 4);
    for (uint32_t round = 0; round < 20000; round++) {
        job *j = &jobs[round % 2];
        uint32_t count = 2 + round % 7;
        memset(j->runs, 0, 16 * sizeof j->runs[0]);
        snag__pool_run(pool, count, count_run, j);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(j->runs[i], i < count);
    }
    snag__pool_destroy(&allocator, pool);
}

static void run_inner(void *context, uint32_t index)
{
    job *j = context;
    j->runs[index]++;
    if (index == 5)
        snag__pool_run(j->pool, 100, count_run, j->inner);
}

static void a_task_may_ask_for_tasks(void **state)
{
    (void)state;
    static job outer, inner;
    snag_allocator allocator = snag__default_allocator();
    outer.pool = snag__pool_create(&allocator, 3);
    outer.inner = &inner;
    snag__pool_run(outer.pool, 40, run_inner, &outer);
    assert_run_once(&outer, 40);
    assert_run_once(&inner, 100);
    snag__pool_destroy(&allocator, outer.pool);
}

static void note_thread(void *context, uint32_t index)
{
    ((pthread_t *)context)[index] = pthread_self();
}

static void one_thread_is_the_caller(void **state)
{
    (void)state;
    pthread_t ran[64];
    snag_allocator allocator = snag__default_allocator();
    snag__pool *pool = snag__pool_create(&allocator, 1);
    snag__pool_run(pool, 64, note_thread, ran);
    for (int i = 0; i < 64; i++)
        assert_true(pthread_equal(ran[i], pthread_self()));
    snag__pool_destroy(&allocator, pool);
}

static void wait_for_another(void *context, uint32_t index)
{
    (void)index;
    _Atomic uint32_t *begun = context;
    atomic_fetch_add(begun, 1);
    while (atomic_load(begun) < TAKING_PART)
        continue;
}

static void all_threads_take_part(void **state)
{
    (void)state;
    _Atomic uint32_t begun = 0;
    snag_allocator allocator = snag__default_allocator();
    snag__pool *pool = snag__pool_create(&allocator, 3);
    snag__pool_run(pool, 3, wait_for_another, &begun);  // ends only if all threads are in it at once
    assert_int_equal(begun, 3);
    snag__pool_destroy(&allocator, pool);
}

// Long enough for workers to fall asleep, whether they expect more or not.
static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void sleepers_are_woken_whatever_they_expected(void **state)
{
    (void)state;
    snag_allocator allocator = snag__default_allocator();
    snag__pool_expect(NULL, true);
    snag__pool *pool = snag__pool_create(&allocator, 3);
    for (int round = 0; round < 6; round++) {
        _Atomic uint32_t begun = 0;
        snag__pool_expect(pool, round % 2 == 0);
        snag__pool_run(pool, 3, wait_for_another, &begun);
        assert_int_equal(begun, 3);
        if (round % 3 != 0)
            rest();
    }
    snag__pool_destroy(&allocator, pool);
}

#ifdef CPU_COUNT
typedef struct survey {
    _Atomic uint32_t begun;
    cpu_set_t allowed[3];
} survey;

static void note_allowed(void *context, uint32_t index)
{
    survey *s = context;
    sched_getaffinity(0, sizeof s->allowed[index], &s->allowed[index]);
    wait_for_another(&s->begun, index);
}

// A worker avoids the caller's processor while it sleeps, and no longer.
static void workers_may_run_where_they_might_before(void **state)
{
    (void)state;
    cpu_set_t mine;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    snag_allocator allocator = snag__default_allocator();
    snag__pool *pool = snag__pool_create(&allocator, 3);
    for (int round = 0; round < 4; round++) {
        survey s = {0};
        snag__pool_run(pool, 3, note_allowed, &s);
        for (int i = 0; i < 3; i++)
            assert_true(CPU_EQUAL(&s.allowed[i], &mine));
        rest();
    }
    snag__pool_destroy(&allocator, pool);
}
#endif

static void without_memory_there_is_no_pool(void **state)
{
    (void)state;
    failing_allocator failing;
    snag_allocator allocator = failing_allocator_start(&failing, 1);
    assert_null(snag__pool_create(&allocator, 4));
    snag__pool_destroy(&allocator, NULL);
    failing_allocator_assert_clean(&failing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_run_once_for_any_number_of_threads),
        cmocka_unit_test(jobs_in_quick_succession_do_not_mix),
        cmocka_unit_test(a_task_may_ask_for_tasks),
        cmocka_unit_test(one_thread_is_the_caller),
        cmocka_unit_test(all_threads_take_part),
        cmocka_unit_test(sleepers_are_woken_whatever_they_expected),
#ifdef CPU_COUNT
        cmocka_unit_test(workers_may_run_where_they_might_before),
#endif
        cmocka_unit_test(without_memory_there_is_no_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
