// Files of any kind: written beside their target, and there only when all of them is.
#define _XOPEN_SOURCE 700
#include "support.h"

#include <signal.h>
#include <sys/resource.h>

static void a_file_gets_its_name_at_the_end(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "page.html");
    snag_io_file *file = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_file_create(path, &file, &error), SNAG_OK);
    assert_int_equal(snag_io_file_write(file, "one ", 4, &error), SNAG_OK);
    assert_int_equal(snag_io_file_write(file, NULL, 0, &error), SNAG_OK);
    assert_int_equal(snag_io_file_write(file, "two", 3, &error), SNAG_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(snag_io_file_close(file, true, &error), SNAG_OK);
    size_t size = 0;
    char *text = get_file(path, &size);
    assert_int_equal(size, 7);
    assert_memory_equal(text, "one two", 7);
    free(text);
    // Given up: the file that was there stays as it was.
    assert_int_equal(snag_io_file_create(path, &file, &error), SNAG_OK);
    assert_int_equal(snag_io_file_write(file, "three", 5, &error), SNAG_OK);
    assert_int_equal(snag_io_file_close(file, false, &error), SNAG_OK);
    text = get_file(path, &size);
    assert_int_equal(size, 7);
    free(text);
    assert_int_equal(files_in(folder), 1);
    remove_folder(folder);
}

static void a_full_medium_leaves_nothing(void **state)
{
    (void)state;
    enum { LIMIT = 4096, PIECE = 1000 };
    static const char piece[PIECE];
    char folder[PATH_BYTES];
    make_folder(folder);
    struct rlimit before, low = {LIMIT, LIMIT};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    snag_io_file *file = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_file_create(path_in(folder, "large.bin"), &file, &error), SNAG_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    snag_status status = SNAG_OK;
    for (int i = 0; i < 100 && status == SNAG_OK; i++)
        status = snag_io_file_write(file, piece, sizeof piece, &error);
    bool said = strstr(error.message, "large.bin") != NULL;
    snag_status closed = snag_io_file_close(file, true, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, SNAG_ERROR_FILE);
    assert_true(said);
    assert_int_equal(closed, SNAG_ERROR_FILE);
    assert_int_equal(files_in(folder), 0);
    remove_folder(folder);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    snag_io_file *file = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_file_create(NULL, &file, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_file_create("/no/such/folder/file", &file, &error), SNAG_ERROR_FILE);
    assert_null(file);
    assert_int_equal(snag_io_file_write(NULL, "", 0, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_file_close(NULL, true, NULL), SNAG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gets_its_name_at_the_end),
        cmocka_unit_test(a_full_medium_leaves_nothing),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
