// The part of cmocka's interface that our tests use, for systems that cmocka is not packaged for (mingw-w64, cross builds). Where the
// real one is found, it is used. Each test runs until its first failure; the program exits with the number of failed tests.
#ifndef SNAG_TEST_CMOCKA_H
#define SNAG_TEST_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
} CMUnitTest;

// The real one's allocations are checked for leaks; ours leave that to the sanitizers of the build that has it.
#define test_malloc malloc
#define test_calloc calloc
#define test_free free
#ifdef _WIN32
// Windows has no aligned_alloc whose memory free() takes; tests load what they allocate without relying on it.
#define aligned_alloc(alignment, size) malloc(size)
#endif

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED = 2 };

// One test runs at a time, on the main thread.
static jmp_buf cmocka_end;

#define cmocka_unit_test(f)                                                                                                        \
    {                                                                                                                              \
#f, f, NULL, NULL                                                                                                          \
    }
#define cmocka_unit_test_setup_teardown(f, begin, end)                                                                             \
    {                                                                                                                              \
#f, f, begin, end                                                                                                          \
    }

#define print_message(...) ((void)printf(__VA_ARGS__))
#define skip() longjmp(cmocka_end, CMOCKA_SKIPPED)
#define fail_msg(...) ((void)printf(__VA_ARGS__), (void)printf("\n%s:%d: failure\n", __FILE__, __LINE__), cmocka_stop())
#define fail() fail_msg("failed")

static inline void cmocka_stop(void)
{
    fflush(stdout);
    longjmp(cmocka_end, CMOCKA_FAILED);
}

static inline void cmocka_check(int good, const char *what, const char *file, int line)
{
    if (good)
        return;
    printf("%s\n%s:%d: failure\n", what, file, line);
    cmocka_stop();
}

static inline void cmocka_equal(uintmax_t a, uintmax_t b, int equal, const char *what, const char *file, int line)
{
    if ((a == b) == equal)
        return;
    printf("%s: %#llx and %#llx\n", what, (unsigned long long)a, (unsigned long long)b);
    cmocka_check(0, what, file, line);
}

// A function, since a comparison with a constant 0 would be warned of.
static inline void cmocka_range(uintmax_t x, uintmax_t low, uintmax_t high, const char *what, const char *file, int line)
{
    cmocka_check(x >= low && x <= high, what, file, line);
}

static inline void cmocka_text(const char *a, const char *b, int equal, const char *what, const char *file, int line)
{
    if ((strcmp(a, b) == 0) == equal)
        return;
    printf("%s: \"%s\" and \"%s\"\n", what, a, b);
    cmocka_check(0, what, file, line);
}

#define assert_true(c) cmocka_check((c) ? 1 : 0, #c, __FILE__, __LINE__)
#define assert_false(c) cmocka_check((c) ? 0 : 1, "not " #c, __FILE__, __LINE__)
#define assert_null(p) cmocka_check((p) == NULL, #p " is not NULL", __FILE__, __LINE__)
#define assert_non_null(p) cmocka_check((p) != NULL, #p " is NULL", __FILE__, __LINE__)
#define assert_ptr_equal(a, b) cmocka_check((const void *)(a) == (const void *)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_int_equal(a, b) cmocka_equal((uintmax_t)(a), (uintmax_t)(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) cmocka_equal((uintmax_t)(a), (uintmax_t)(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(x, low, high)                                                                                              \
    cmocka_range((uintmax_t)(x), (uintmax_t)(low), (uintmax_t)(high), #x " in " #low " .. " #high, __FILE__, __LINE__)
#define assert_string_equal(a, b) cmocka_text(a, b, 1, #a " == " #b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) cmocka_text(a, b, 0, #a " != " #b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) cmocka_check(memcmp(a, b, size) == 0, "bytes: " #a " == " #b, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) cmocka_check(memcmp(a, b, size) != 0, "bytes: " #a " != " #b, __FILE__, __LINE__)

#define cmocka_run_group_tests(tests, begin, end) cmocka_run_all(tests, sizeof(tests) / sizeof((tests)[0]), begin, end)

// Runs one test. setjmp stands alone, and nothing that changes after it is read after a jump.
static inline int cmocka_run_one(const CMUnitTest *test, void **state)
{
    switch (setjmp(cmocka_end)) {
    case 0: test->test(state); return 0;
    case CMOCKA_SKIPPED: return CMOCKA_SKIPPED;
    default: return CMOCKA_FAILED;
    }
}

static inline int cmocka_run_all(const CMUnitTest *tests, size_t count, int (*begin)(void **state), int (*end)(void **state))
{
    void *shared = NULL;
    int failed = begin != NULL && begin(&shared) != 0;
    for (size_t i = 0; i < count; i++) {
        void *state = shared;
        printf("[ RUN      ] %s\n", tests[i].name);
        fflush(stdout);
        int result = CMOCKA_FAILED;
        if (tests[i].setup == NULL || tests[i].setup(&state) == 0)
            result = cmocka_run_one(&tests[i], &state);
        if (tests[i].teardown != NULL && tests[i].teardown(&state) != 0)
            result = CMOCKA_FAILED;
        printf("[  %s ] %s\n", result == 0 ? "     OK" : result == CMOCKA_SKIPPED ? "SKIPPED" : " FAILED", tests[i].name);
        fflush(stdout);
        failed += result == CMOCKA_FAILED;
    }
    if (end != NULL && end(&shared) != 0)
        failed++;
    printf(failed ? "[  FAILED  ] %d test(s).\n" : "[  PASSED  ] %d test(s).\n", failed ? failed : (int)count);
    return failed;
}

#endif
