// Runs the tool as a user would, in a folder made for the test, and keeps what it printed and how it ended.
// The tool is the program that the environment variable SNAG_TOOL names.
#ifndef SNAG_TEST_RUN_TOOL_H
#define SNAG_TEST_RUN_TOOL_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary.h"

typedef struct tool_run {
    int code;  // exit code
    char *out, *err;
} tool_run;

// The folder of the running test program.
static char tool_folder[256];

static inline int tool_setup(void **state)
{
    (void)state;
    // A sanitizer must not end a program with the code that means "contacts found".
    setenv("ASAN_OPTIONS", "exitcode=99", 1);
    setenv("UBSAN_OPTIONS", "exitcode=99", 1);
    setenv("TSAN_OPTIONS", "exitcode=99", 1);
    if (!getenv("SNAG_TOOL")) {
        fprintf(stderr, "SNAG_TOOL does not name the tool; run this under CTest\n");
        return -1;
    }
    return temporary_folder(tool_folder, sizeof tool_folder) ? 0 : -1;
}

static inline int tool_teardown(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", tool_folder);
    return system(command);
}

static inline char *tool_path(const char *name)
{
    static char path[4][600];
    static int turn;
    char *made = path[turn = (turn + 1) % 4];
    snprintf(made, sizeof path[0], "%s/%s", tool_folder, name);
    return made;
}

static inline char *tool_read_path(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

// A file of the folder, to be freed; NULL if it is not there.
static inline char *tool_read(const char *name)
{
    return tool_read_path(tool_path(name));
}

static inline bool tool_has(const char *name)
{
    return access(tool_path(name), F_OK) == 0;
}

static inline void tool_write_bytes(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(tool_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void tool_write(const char *name, const char *text)
{
    tool_write_bytes(name, text, strlen(text));
}

static inline void tool_make_folder(const char *name)
{
    assert_true(mkdir(tool_path(name), 0777) == 0 || errno == EEXIST);
}

// A PC2 cache of `frames` frames of `points` points; position() fills a frame.
static inline void tool_write_pc2(const char *name, int32_t points, int32_t frames, const float *xyz)
{
    char head[32];
    int32_t version = 1;
    float start = 0, rate = 1;
    memcpy(head, "POINTCACHE2", 12);
    memcpy(head + 12, &version, 4);
    memcpy(head + 16, &points, 4);
    memcpy(head + 20, &start, 4);
    memcpy(head + 24, &rate, 4);
    memcpy(head + 28, &frames, 4);
    FILE *file = fopen(tool_path(name), "wb");
    assert_non_null(file);
    size_t count = (size_t)points * (size_t)frames * 3;
    assert_int_equal(fwrite(head, 1, sizeof head, file), sizeof head);
    assert_int_equal(fwrite(xyz, sizeof *xyz, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline void tool_free(tool_run *run)
{
    free(run->out);
    free(run->err);
    *run = (tool_run){0};
}

// Runs `snag ARGUMENTS` in the folder, through the shell.
static inline tool_run tool(const char *format, ...)
{
    char arguments[4000], command[5000];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "cd '%s' && \"$SNAG_TOOL\" %s >stdout.txt 2>stderr.txt </dev/null", tool_folder, arguments);
    int status = system(command);
    tool_run run = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, tool_read("stdout.txt"), tool_read("stderr.txt")};
    assert_non_null(run.out);
    assert_non_null(run.err);
    if (run.code < 0 || run.code > 2 || strstr(run.err, "runtime error") || strstr(run.err, "Sanitizer")) {
        print_error("snag %s\nended with %d and said:\n%s\n", arguments, run.code, run.err);
        fail();
    }
    return run;
}

// Runs and expects an exit code; shows what was said if it is another.
static inline tool_run tool_expect(int code, const char *arguments)
{
    tool_run run = tool("%s", arguments);
    if (run.code != code) {
        print_error("snag %s\nended with %d, not %d\nstdout: %s\nstderr: %s\n", arguments, run.code, code, run.out, run.err);
        fail();
    }
    return run;
}

// Runs what must fail: exit 2, nothing on stdout, and words on stderr that hold each of the given ones (end with NULL).
static inline void tool_refuses(const char *arguments, ...)
{
    tool_run run = tool_expect(2, arguments);
    va_list list;
    va_start(list, arguments);
    for (const char *expected; (expected = va_arg(list, const char *)) != NULL;)
        if (!strstr(run.err, expected)) {
            print_error("snag %s\nshould say \"%s\" but says: %s\n", arguments, expected, run.err);
            fail();
        }
    va_end(list);
    assert_string_equal(run.out, "");
    tool_free(&run);
}

#endif
