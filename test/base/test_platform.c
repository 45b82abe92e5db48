// What the core asks of the system holds on every platform.
#include "helpers/test.h"

#include <string.h>

#include "base/clock.h"
#include "base/platform_threads.h"

static void the_clock_never_goes_back_and_does_move(void **state)
{
    (void)state;
    uint64_t first = snag__clock_us(), last = first;
    // 2 ms at most, if the clock ticks at all.
    for (uint64_t reads = 0; last < first + 2000; reads++) {
        uint64_t now = snag__clock_us();
        assert_true(now >= last);
        last = now;
        assert_true(reads < 1000000000u);
    }
}

static void aligned_memory_is_aligned_for_any_size(void **state)
{
    (void)state;
    static const size_t alignments[] = {8, 16, 64, 128, 4096};
    for (size_t a = 0; a < sizeof alignments / sizeof *alignments; a++)
        for (size_t size = 1; size < 300; size += 13) {
            char *memory = snag__aligned_allocate(size, alignments[a]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % alignments[a], 0);
            memset(memory, 7, size);
            snag__aligned_free(memory);
        }
    snag__aligned_free(NULL);
}

static void too_much_memory_is_refused(void **state)
{
    (void)state;
    // Through a volatile, so that the compiler does not warn of what is meant.
    volatile size_t most = SIZE_MAX;
    assert_null(snag__aligned_allocate(most, 64));
    assert_null(snag__aligned_allocate(most - 63, 64));
}

static void there_is_a_processor(void **state)
{
    (void)state;
    assert_true(snag__processor_count() >= 1);
    assert_true(snag__processor_count() < 100000);
#if !SNAG__THREADS
    assert_int_equal(snag__processor_count(), 1);
#endif
}

static void the_process_keeps_its_id(void **state)
{
    (void)state;
    assert_true(snag__process_id() == snag__process_id());
}

static void a_missing_library_is_none(void **state)
{
    (void)state;
    assert_null(snag__library_open("no-such-library-of-snag"));
}

typedef struct meeting {
    snag__lock lock;
    snag__signal signal;
    int turn, turns;
} meeting;

// Two threads take turns: each waits for the other's signal.
static void take_turns(meeting *m, int mine)
{
    for (int i = 0; i < 1000; i++) {
        snag__lock_enter(&m->lock);
        while (m->turn != mine)
            snag__signal_wait(&m->signal, &m->lock);
        m->turns++;
        m->turn = 1 - mine;
        if (i % 2 == 0)
            snag__signal_all(&m->signal);
        else
            snag__signal_one(&m->signal);
        snag__lock_leave(&m->lock);
    }
}

static void take_second_turns(void *context)
{
    take_turns(context, 1);
}

static void threads_take_turns_or_none_starts(void **state)
{
    (void)state;
    meeting m = {.turn = 0};
    snag__thread thread;
    snag__lock_init(&m.lock);
    snag__signal_init(&m.signal);
    bool started = snag__thread_start(&thread, take_second_turns, &m);
    assert_int_equal(started, SNAG__THREADS);
    if (started) {
        take_turns(&m, 0);
        snag__thread_join(&thread);
        assert_int_equal(m.turns, 2000);
    }
    snag__signal_destroy(&m.signal);
    snag__lock_destroy(&m.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_never_goes_back_and_does_move),
        cmocka_unit_test(aligned_memory_is_aligned_for_any_size),
        cmocka_unit_test(too_much_memory_is_refused),
        cmocka_unit_test(there_is_a_processor),
        cmocka_unit_test(the_process_keeps_its_id),
        cmocka_unit_test(a_missing_library_is_none),
        cmocka_unit_test(threads_take_turns_or_none_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
