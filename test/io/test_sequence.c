// Sequences: which files of a folder are frames, and in which order.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "helpers/failing_malloc.h"

typedef struct found {
    char folder[PATH_BYTES];
    char **paths;
    size_t count;
    snag_io_error error;
    snag_status status;
} found;

static void touch(const char *folder, const char *const *names)
{
    for (; *names; names++)
        put_file(path_in(folder, *names), "", 0);
}

static void look(found *f, const char *pattern)
{
    snag_io_paths_free(f->paths, f->count);
    f->status = snag_io_sequence(pattern, &f->paths, &f->count, &f->error);
    assert_int_equal(f->error.status, f->status);
    if (f->status != SNAG_OK) {
        assert_null(f->paths);
        assert_int_equal(f->count, 0);
        assert_non_null(strstr(f->error.message, pattern));  // says what was looked for
    }
}

static void look_in(found *f, const char *pattern)
{
    look(f, path_in(f->folder, pattern));
}

static void assert_names(const found *f, const char *const *names)
{
    if (f->status != SNAG_OK)
        fail_msg("%s", f->error.message);
    size_t n = 0;
    for (; names[n]; n++) {
        assert_true(n < f->count);
        assert_string_equal(f->paths[n], path_in(f->folder, names[n]));
    }
    assert_int_equal(f->count, n);
}

static void begin(found *f)
{
    *f = (found){.count = 0};
    make_folder(f->folder);
}

static void end(found *f)
{
    snag_io_paths_free(f->paths, f->count);
    remove_folder(f->folder);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_folder_is_sorted_by_number(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("f10.obj", "f9.obj", "f11.obj", "f8.obj", "notes.txt", "f8.pc2", ".f1.obj", "f100.obj.part0"));
    assert_int_equal(mkdir(path_in(f.folder, "f7.obj"), 0700), 0);  // a folder is no frame
    look(&f, f.folder);
    assert_names(&f, NAMES("f8.obj", "f9.obj", "f10.obj", "f11.obj"));
    assert_string_equal(f.error.message, "");
    char with_slash[PATH_BYTES + 1];
    snprintf(with_slash, sizeof with_slash, "%s/", f.folder);
    look(&f, with_slash);
    assert_names(&f, NAMES("f8.obj", "f9.obj", "f10.obj", "f11.obj"));
    end(&f);
}

static void a_missing_number_is_noted(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("cloth_0001.ply", "cloth_0002.ply", "cloth_0005.ply", "cloth_0007.ply"));
    look(&f, f.folder);
    assert_names(&f, NAMES("cloth_0001.ply", "cloth_0002.ply", "cloth_0005.ply", "cloth_0007.ply"));
    assert_says(&f.error, "3 of the numbers from 1 to 7 are missing, the first is 3");
    look_in(&f, "cloth_*.ply");
    assert_names(&f, NAMES("cloth_0001.ply", "cloth_0002.ply", "cloth_0005.ply", "cloth_0007.ply"));
    assert_says(&f.error, "are missing");
    look_in(&f, "cloth_%04d.ply");
    assert_names(&f, NAMES("cloth_0001.ply", "cloth_0002.ply", "cloth_0005.ply", "cloth_0007.ply"));
    assert_says(&f.error, "3 of the numbers from 1 to 7 are missing");
    end(&f);
}

static void a_folder_of_several_series_is_refused(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("a_1.obj", "a_2.obj", "b_1.obj"));
    look(&f, f.folder);
    assert_int_equal(f.status, SNAG_ERROR_ARGUMENT);
    assert_says(&f.error, "a_1.obj and b_1.obj");
    look_in(&f, "a_*.obj");
    assert_names(&f, NAMES("a_1.obj", "a_2.obj"));
    touch(f.folder, NAMES("ground.obj"));
    look(&f, f.folder);
    assert_int_equal(f.status, SNAG_ERROR_ARGUMENT);
    assert_says(&f.error, "ground.obj has no number");
    end(&f);
}

static void the_same_number_twice_is_refused(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("a1.obj", "a01.obj", "a2.obj"));
    look(&f, f.folder);
    assert_int_equal(f.status, SNAG_ERROR_ARGUMENT);
    assert_says(&f.error, "a01.obj and a1.obj have the same number");
    look_in(&f, "a%d.obj");  // 01 is not what %d prints
    assert_names(&f, NAMES("a1.obj", "a2.obj"));
    end(&f);
}

static void numbers_match_as_printf_prints_them(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("x_000.obj", "x_001.obj", "x_0002.obj", "x_01.obj", "x_1000.obj", "x_0.obj", "x_.obj", "x_1.obj",
                          "x_1a.obj", "x_-1.obj", "x_002.obj.bak", "yx_003.obj"));
    look_in(&f, "x_%d.obj");
    assert_names(&f, NAMES("x_0.obj", "x_1.obj", "x_1000.obj"));
    assert_says(&f.error, "998 of the numbers from 0 to 1000 are missing, the first is 2");
    assert_int_equal(remove(path_in(f.folder, "x_1000.obj")), 0);
    look_in(&f, "x_%d.obj");
    assert_names(&f, NAMES("x_0.obj", "x_1.obj"));
    look_in(&f, "x_%03d.obj");
    assert_names(&f, NAMES("x_000.obj", "x_001.obj"));
    look_in(&f, "x_%04i.obj");
    assert_names(&f, NAMES("x_0002.obj"));
    look_in(&f, "%dx_003.obj");
    assert_int_equal(f.status, SNAG_ERROR_FILE);

    touch(f.folder, NAMES("50%_8.obj", "50%_9.obj", "50%_10.obj"));
    look_in(&f, "50%%_%d.obj");
    assert_names(&f, NAMES("50%_8.obj", "50%_9.obj", "50%_10.obj"));
    end(&f);
}

static void bad_numbers_in_patterns_are_refused(void **state)
{
    (void)state;
    static const char *bad[] = {"x%s.obj", "x%d_%d.obj", "x%.obj",         "x%", "x%4d.obj", "x%0",
                                "x%n",     "x%-3d",      "x%09999999999d", "x%%"};
    found f;
    begin(&f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        look_in(&f, bad[i]);
        assert_int_equal(f.status, SNAG_ERROR_ARGUMENT);
        assert_says(&f.error, "%04d");
    }
    end(&f);
}

static void wildcards_match_like_a_shell(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("ab.obj", "aXb.obj", "aXXb.obj", "ba.obj", ".ab.obj", "a[1]b.obj", "aabaab.obj"));
    look_in(&f, "a?b.obj");
    assert_names(&f, NAMES("aXb.obj"));
    look_in(&f, "a*b.obj");
    assert_names(&f, NAMES("aXXb.obj", "aXb.obj", "a[1]b.obj", "aabaab.obj", "ab.obj"));
    look_in(&f, "*aab.obj");
    assert_names(&f, NAMES("aabaab.obj"));
    look_in(&f, ".*");
    assert_names(&f, NAMES(".ab.obj"));
    look_in(&f, "**?*b.obj**");
    assert_int_equal(f.status, SNAG_OK);
    assert_int_equal(f.count, 5);
    end(&f);
}

static void natural_order_knows_numbers_of_any_length(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("v2_100000000000000000000000.obj", "v2_99999999999999999999999.obj", "v10_1.obj", "v2_0000003.obj"));
    look_in(&f, "v*.obj");
    assert_names(&f, NAMES("v2_0000003.obj", "v2_99999999999999999999999.obj", "v2_100000000000000000000000.obj", "v10_1.obj"));
    end(&f);
}

static void a_lone_file_is_a_sequence_of_one(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("cloth.obj", "a*b.obj", "axb.obj"));
    look_in(&f, "cloth.obj");
    assert_names(&f, NAMES("cloth.obj"));
    look_in(&f, "a*b.obj");  // a name that is there wins over a pattern
    assert_names(&f, NAMES("a*b.obj"));
    end(&f);
}

static void no_match_says_what_was_looked_for(void **state)
{
    (void)state;
    found f;
    begin(&f);
    look(&f, f.folder);
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    assert_says(&f.error, "no numbered mesh file");
    look_in(&f, "cloth_%04d.obj");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    assert_says(&f.error, "a name like cloth_%04d.obj");
    look_in(&f, "cloth_*.obj");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    look_in(&f, "missing.obj");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    assert_says(&f.error, "no such file");
    look_in(&f, "none/cloth_*.obj");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    assert_says(&f.error, "cannot open");
    look(&f, "/dev/null");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    look(&f, "");
    assert_int_equal(f.status, SNAG_ERROR_FILE);
    assert_int_equal(snag_io_sequence(NULL, &f.paths, &f.count, &f.error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_sequence("x", NULL, &f.count, NULL), SNAG_ERROR_ARGUMENT);
    end(&f);
}

static void the_current_folder_needs_no_slash(void **state)
{
    (void)state;
    found f;
    begin(&f);
    touch(f.folder, NAMES("q1.obj", "q2.obj"));
    char before[PATH_BYTES];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f.folder), 0);
    look(&f, "q%d.obj");
    assert_int_equal(f.status, SNAG_OK);
    assert_int_equal(f.count, 2);
    assert_string_equal(f.paths[0], "q1.obj");
    look(&f, ".");
    assert_int_equal(f.status, SNAG_OK);
    assert_string_equal(f.paths[1], "./q2.obj");
    assert_int_equal(chdir(before), 0);
    end(&f);
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    static const char *asked[] = {"", "cloth_*.obj", "cloth_%03d.obj"};
    found f;
    begin(&f);
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "cloth_%03d.obj", i);
        touch(f.folder, NAMES(name));
    }
    for (int kind = 0; kind < 3; kind++) {
        size_t n = 1;
        for (bool refused = true; refused; n++) {
            char **paths = NULL;
            size_t count = 0;
            snag_io_error error;
            failing_malloc_start(n);
            snag_status status = snag_io_sequence(path_in(f.folder, asked[kind]), &paths, &count, &error);
            refused = failing_malloc_stop();
            assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_OK);
            assert_int_equal(count, refused ? 0 : 100);
            snag_io_paths_free(paths, count);
        }
        assert_true(n > 100);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_sorted_by_number),          cmocka_unit_test(a_missing_number_is_noted),
        cmocka_unit_test(a_folder_of_several_series_is_refused), cmocka_unit_test(the_same_number_twice_is_refused),
        cmocka_unit_test(numbers_match_as_printf_prints_them),   cmocka_unit_test(bad_numbers_in_patterns_are_refused),
        cmocka_unit_test(wildcards_match_like_a_shell),          cmocka_unit_test(natural_order_knows_numbers_of_any_length),
        cmocka_unit_test(a_lone_file_is_a_sequence_of_one),      cmocka_unit_test(no_match_says_what_was_looked_for),
        cmocka_unit_test(the_current_folder_needs_no_slash),     cmocka_unit_test(failing_allocations_are_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
