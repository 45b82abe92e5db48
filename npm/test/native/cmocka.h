// The part of cmocka that test/golden and its helpers use, for WebAssembly, where Debian has no cmocka: an assertion that fails ends the
// program, so a test that follows is not run.
#ifndef SNAG_NPM_CMOCKA_H
#define SNAG_NPM_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};
#define cmocka_unit_test(function)                                                                                                 \
    {                                                                                                                              \
#function, function                                                                                                        \
    }

static int snag_test_skipped;

static inline void snag_test_require(int holds, const char *words, const char *file, int line)
{
    if (holds)
        return;
    printf("%s:%d: %s does not hold\n", file, line, words);
    exit(1);
}
#define assert_true(condition) snag_test_require((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define assert_false(condition) assert_true(!(condition))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_int_not_equal(a, b) assert_true((a) != (b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), exit(1))
#define skip()                                                                                                                     \
    do {                                                                                                                           \
        snag_test_skipped = 1;                                                                                                     \
        return;                                                                                                                    \
    } while (0)

#define cmocka_run_group_tests(tests, setup, teardown) snag_test_run(tests, sizeof(tests) / sizeof *(tests))
static inline int snag_test_run(const struct CMUnitTest *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        snag_test_skipped = 0;
        printf("[ RUN ] %s\n", tests[i].name);
        fflush(stdout);
        tests[i].run(&state);
        printf("[ %s ] %s\n", snag_test_skipped ? "SKIPPED" : "OK", tests[i].name);
    }
    return 0;
}

#endif
