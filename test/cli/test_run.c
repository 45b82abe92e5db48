// Verbs that are programs of their own: where the tool looks for snag-bench and snag-repro, what it hands on, and what it says where
// they are missing. The tool is copied into the test's folder, and shell scripts stand for the programs.
#define _DEFAULT_SOURCE
#include "run_tool.h"

static void shell(const char *format, ...)
{
    char command[3000], text[2500];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(command, sizeof command, "cd '%s' && %s", tool_folder, text);
    assert_int_equal(system(command), 0);
}

// A script that tells who it is and what it was given, and ends with a code.
static void write_program(const char *path, const char *who, int code)
{
    char text[300];
    snprintf(text, sizeof text, "#!/bin/sh\necho \"%s\"\nfor a in \"$@\"; do echo \"<$a>\"; done\nexit %d\n", who, code);
    tool_write(path, text);
    shell("chmod +x %s", path);
}

// Runs the copy, whose path has no programs in it but the shell's own.
static tool_run run_copy(const char *path, const char *arguments)
{
    char command[3000];
    snprintf(command, sizeof command, "cd '%s' && PATH='%s:/usr/bin:/bin' bin/snag %s >stdout.txt 2>stderr.txt", tool_folder, path,
             arguments);
    int status = system(command);
    return (tool_run){WIFEXITED(status) ? WEXITSTATUS(status) : -1, tool_read("stdout.txt"), tool_read("stderr.txt")};
}

static void expect_out(tool_run run, int code, const char *out)
{
    if (run.code != code || strcmp(run.out, out) != 0)
        fail_msg("ended with %d and printed: %s%s", run.code, run.out, run.err);
    tool_free(&run);
}

static int setup(void **state)
{
    int result = tool_setup(state);
    tool_make_folder("bin");
    tool_make_folder("libexec");
    tool_make_folder("libexec/snag");
    tool_make_folder("path");
    shell("cp \"$SNAG_TOOL\" bin/snag");
    return result;
}

static void a_missing_program_is_named_with_a_way_to_get_it(void **state)
{
    (void)state;
    static const char *const verbs[] = {"bench", "repro"};
    for (int i = 0; i < 2; i++) {
        char arguments[40];
        snprintf(arguments, sizeof arguments, "%s all", verbs[i]);
        tool_run run = run_copy("/nowhere", arguments);
        assert_int_equal(run.code, 2);
        assert_string_equal(run.out, "");
        assert_non_null(strstr(run.err, i == 0 ? "snag-bench" : "snag-repro"));
        assert_non_null(strstr(run.err, "SNAG_LAB"));
        tool_free(&run);
    }
}

static void help_needs_no_program(void **state)
{
    (void)state;
    tool_run run = run_copy("/nowhere", "bench --help");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "snag bench"));
    tool_free(&run);
    run = run_copy("/nowhere", "help repro");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "five papers"));
    tool_free(&run);
    run = run_copy("/nowhere", "repro --nonsense");
    assert_int_equal(run.code, 2);
    assert_non_null(strstr(run.err, "--nonsense"));
    tool_free(&run);
}

static void the_nearest_program_gets_the_arguments_and_gives_the_code(void **state)
{
    (void)state;
    write_program("path/snag-bench", "in PATH", 1);
    char path[600];
    snprintf(path, sizeof path, "%s", tool_path("path"));
    expect_out(run_copy(path, "bench tets --threads 1"), 1, "in PATH\n<tets>\n<--threads>\n<1>\n");
    write_program("libexec/snag/snag-bench", "in libexec", 0);
    expect_out(run_copy(path, "bench surfaces 'a file.obj'"), 0, "in libexec\n<surfaces>\n<a file.obj>\n");
    write_program("bin/snag-bench", "beside", 7);
    expect_out(run_copy(path, "bench page x"), 7, "beside\n<page>\n<x>\n");
    // What cannot be run does not count.
    shell("rm bin/snag-bench && : >bin/snag-bench");
    expect_out(run_copy(path, "bench page x"), 0, "in libexec\n<page>\n<x>\n");
    // A link to the tool leads to what is beside the tool, not beside the link.
    shell("ln -s ../bin/snag path/snag && path/snag bench page x >linked.txt");
    char *linked = tool_read("linked.txt");
    assert_string_equal(linked, "in libexec\n<page>\n<x>\n");
    free(linked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_program_is_named_with_a_way_to_get_it),
        cmocka_unit_test(help_needs_no_program),
        cmocka_unit_test(the_nearest_program_gets_the_arguments_and_gives_the_code),
    };
    return cmocka_run_group_tests(tests, setup, tool_teardown);
}
