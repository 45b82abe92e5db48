// Names come from files and command lines, and may hold anything: no output becomes invalid by them, no terminal and no
// spreadsheet obeys them.
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

#include "snag/io.h"

// Two triangles that cross, with these names.
static void write_named(const char *file, const char *first, const char *second)
{
    char text[600];
    snprintf(text, sizeof text, "o %s\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\no %s\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nf 4 5 6\n",
             first, second);
    tool_write(file, text);
}

static bool is_utf8(const char *text)
{
    uint32_t code;
    for (size_t length; *text; text += length)
        if ((length = snag_io_utf8(text, &code)) == 0)
            return false;
    return true;
}

// C1 controls, and the override that shows "gnp.exe" as "exe.png", both as UTF-8; and a byte that is none.
#define C1 "\xc2\x9b"
#define OVERRIDE "\xe2\x80\xae"
#define ISOLATE "\xe2\x81\xa6"
#define NO_UTF8 "\xff"

static void assert_harmless(const char *text)
{
    assert_true(is_utf8(text));
    assert_null(strstr(text, C1));
    assert_null(strstr(text, OVERRIDE));
    assert_null(strstr(text, ISOLATE));
    assert_null(strchr(text, 0x1b));
}

static void what_misleads_a_terminal_is_escaped(void **state)
{
    (void)state;
    write_named("odd.obj", "a" C1 "31m" OVERRIDE "gnp", "b\x1b[2J" NO_UTF8 ISOLATE "\xe7\xb5\xb9");
    static const char *const verbs[] = {"check odd.obj", "check --json odd.obj", "check --jsonl odd.obj", "info odd.obj",
                                        "info --json odd.obj"};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        tool_run run = tool("%s", verbs[i]);
        assert_harmless(run.out);
        assert_harmless(run.err);
        assert_non_null(strstr(run.out, "\\u202e"));
        assert_non_null(strstr(run.out, "\xe7\xb5\xb9"));  // what is no harm stays
        tool_free(&run);
    }
    tool_run run = tool_expect(1, "check odd.obj");
    assert_non_null(strstr(run.out, "a\\x9b31m\\u202egnp"));
    assert_non_null(strstr(run.out, "b\\x1b[2J\\xff\\u2066"));
    tool_free(&run);
    // Files that are not there, options, verbs.
    static const char *const wrong[] = {"check 'no" C1 OVERRIDE NO_UTF8 ".obj'", "check '--q" C1 OVERRIDE "'", "'" C1 OVERRIDE "'",
                                        "check --cache 'a" OVERRIDE "=x.pc2' odd.obj",
                                        "check odd.obj --pairs 'no/" OVERRIDE NO_UTF8 "'"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        run = tool_expect(2, wrong[i]);
        assert_harmless(run.err);
        assert_non_null(strstr(run.err, "\\u202e"));
        tool_free(&run);
    }
}

static void every_file_is_valid_utf8(void **state)
{
    (void)state;
    write_named("bytes.obj", "caf\xe9 \"\\ \x02", "half\xe7\xb5");
    tool_run run = tool_expect(1, "check -q bytes.obj --pairs b.csv --glb b.glb --vtu b.pvd");
    tool_free(&run);
    char *csv = tool_read("b.csv"), *pvd = tool_read("b.pvd"), *glb = tool_read("b.glb");
    assert_true(is_utf8(csv) && is_utf8(pvd));
    assert_non_null(strstr(csv, "caf\xef\xbf\xbd"));
    assert_non_null(strstr(csv, "half\xef\xbf\xbd\xef\xbf\xbd"));
    // The JSON of a GLB stands after 20 bytes, as long as bytes 12 to 15 say.
    uint32_t length;
    memcpy(&length, glb + 12, 4);
    char *json = strndup(glb + 20, length);
    assert_non_null(json);
    assert_int_equal(strlen(json), length);
    assert_true(is_utf8(json));
    assert_true(read_json_valid(json));
    assert_non_null(strstr(json, "caf\xef\xbf\xbd \\u0022\\u005c \\u0002"));
    free(json);
    free(csv);
    free(pvd);
    free(glb);
    run = tool_expect(1, "check -q b.glb");  // and is read back
    tool_free(&run);
}

static void cells_that_look_like_formulas_are_marked_on_demand(void **state)
{
    (void)state;
    static const char *const names[] = {"=1+1", "+1", "-1", "@x", "=a,\"b\""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char plain[40], marked[40];
        bool quoted = strchr(names[i], ',') != NULL;
        write_named("formula.obj", names[i], "other");
        tool_run run = tool_expect(1, "check -q formula.obj --pairs plain.csv");
        tool_free(&run);
        run = tool_expect(1, "check -q formula.obj --csv-safe --pairs safe.csv");
        tool_free(&run);
        char *first = tool_read("plain.csv"), *second = tool_read("safe.csv");
        snprintf(plain, sizeof plain, "\n0,%s%.3s", quoted ? "\"" : "", names[i]);
        snprintf(marked, sizeof marked, "\n0,%s'%.3s", quoted ? "\"" : "", names[i]);
        assert_non_null(strstr(first, plain));
        assert_non_null(strstr(second, marked));
        assert_non_null(strstr(second, ",other,"));
        free(first);
        free(second);
    }
    // Numbers stay numbers: negative ones begin with a minus, which is no formula.
    tool_write("low.obj", "o a\nv -2 -1 0\nv -1 0 0\nv -2 1 0\nf 1 2 3\no b\nv -1.75 0 -1\nv -1.75 0 1\nv -1.75 3 0\nf 4 5 6\n");
    tool_run run = tool_expect(1, "check -q low.obj --csv-safe --pairs low.csv");
    tool_free(&run);
    char *csv = tool_read("low.csv");
    assert_non_null(strstr(csv, ",-1.75,"));
    assert_null(strchr(csv, '\''));
    free(csv);
}

static void outputs_follow_links_and_no_two_are_one_file(void **state)
{
    (void)state;
    write_named("x.obj", "a", "b");
    tool_make_folder("real");
    tool_write("real/out.csv", "old");
    assert_int_equal(symlink("real/out.csv", tool_path("link.csv")), 0);
    tool_run run = tool_expect(1, "check -q x.obj --pairs link.csv");
    tool_free(&run);
    struct stat about;
    assert_int_equal(lstat(tool_path("link.csv"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    char *csv = tool_read("real/out.csv");
    assert_non_null(strstr(csv, "crossing"));
    free(csv);
    tool_refuses("check -q x.obj --pairs real/out.csv --ply link.csv", "another output", NULL);
    assert_int_equal(symlink("x.obj", tool_path("input.obj")), 0);
    tool_refuses("check -q x.obj --ply input.obj", "would overwrite an input", NULL);
    run = tool_expect(2, "check -q x.obj --pairs /dev/stdout");  // which the test has led to a file
    assert_non_null(strstr(run.err, "not a regular file"));
    tool_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_misleads_a_terminal_is_escaped),
        cmocka_unit_test(every_file_is_valid_utf8),
        cmocka_unit_test(cells_that_look_like_formulas_are_marked_on_demand),
        cmocka_unit_test(outputs_follow_links_and_no_two_are_one_file),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
