// Whole files: what is there is read, and a target is replaced by a whole file or not at all.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "file.h"

static char folder[PATH_BYTES];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    static char content[200000];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (char)(i * 7 + i / 256);
    static const size_t sizes[] = {0, 1, 4095, 4096, sizeof content};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *path = path_in(folder, "some.bin");
        put_file(path, content, sizes[i]);
        char *data;
        size_t size;
        snag_io_error error;
        assert_int_equal(snag__file_read(path, NULL, &data, &size, &error), SNAG_OK);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(data, content, size);
        free(data);
    }
}

// Nobody writes to it, and nobody has to.
static void a_pipe_is_refused_without_waiting(void **state)
{
    (void)state;
    static const char *const names[] = {"pipe.obj", "pipe.pc2", "pipe.snag", "pipe.glb", "pipe.node"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = path_in(folder, names[i]);
        assert_int_equal(mkfifo(path, 0600), 0);
        snag_io_error error;
        snag_io_mesh mesh;
        snag_io_cache *cache;
        snag_io_chunked *chunked;
        snag_status status = i == 1   ? snag_io_cache_open(path, &cache, &error)
                             : i == 2 ? snag_io_chunked_open(path, &chunked, &error)
                                      : snag_io_read_mesh(path, &mesh, &error);
        assert_int_equal(status, SNAG_ERROR_FILE);
        assert_says(&error, names[i]);
        assert_says(&error, "is a pipe or a device");
    }
}

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    char *data;
    size_t size;
    snag_io_error error;
    assert_int_equal(snag__file_read(path_in(folder, "absent.obj"), NULL, &data, &size, &error), SNAG_ERROR_FILE);
    assert_null(data);
    assert_says(&error, "absent.obj");
    assert_says(&error, "No such file");
    assert_int_equal(snag__file_read(folder, NULL, &data, &size, &error), SNAG_ERROR_FILE);
    assert_says(&error, "is a folder");
}

static void a_file_appears_only_when_it_is_whole(void **state)
{
    (void)state;
    const char *path = path_in(folder, "out.txt");
    put_file(path, "old", 3);
    snag__output output;
    snag_io_error error;
    assert_int_equal(snag__output_open(&output, path, &error), SNAG_OK);
    fputs("new and longer", output.stream);
    fflush(output.stream);
    char *before = get_file(path, NULL);
    assert_string_equal(before, "old");
    free(before);
    assert_int_equal(files_in(folder), 2);
    assert_int_equal(snag__output_close(&output, true, &error), SNAG_OK);
    char *after = get_file(path, NULL);
    assert_string_equal(after, "new and longer");
    free(after);
    assert_int_equal(files_in(folder), 1);
    assert_null(output.stream);
    assert_int_equal(snag__output_close(&output, true, &error), SNAG_OK);
}

static void a_file_that_is_not_kept_leaves_no_trace(void **state)
{
    (void)state;
    const char *path = path_in(folder, "out.txt");
    put_file(path, "old", 3);
    snag__output output, other;
    assert_int_equal(snag__output_open(&output, path, NULL), SNAG_OK);
    assert_int_equal(snag__output_open(&other, path, NULL), SNAG_OK);
    assert_string_not_equal(output.part, other.part);
    fputs("never", output.stream);
    assert_int_equal(snag__output_close(&output, false, NULL), SNAG_OK);
    assert_int_equal(snag__output_close(&other, false, NULL), SNAG_OK);
    char *after = get_file(path, NULL);
    assert_string_equal(after, "old");
    free(after);
    assert_int_equal(files_in(folder), 1);
}

// A link stays a link, and what it leads to is replaced as a whole: near and far, through another one, there or not yet.
static void links_are_followed(void **state)
{
    (void)state;
    assert_int_equal(mkdir(path_in(folder, "deep"), 0700), 0);
    char target[PATH_BYTES + 32], link[PATH_BYTES + 32], second[PATH_BYTES + 32];
    snprintf(target, sizeof target, "%s/deep/target.txt", folder);
    snprintf(link, sizeof link, "%s/link.txt", folder);
    snprintf(second, sizeof second, "%s/deep/second.txt", folder);
    snag__output output;
    snag_io_error error;
    for (int way = 0; way < 4; way++) {
        unlink(link);
        unlink(second);
        unlink(target);
        assert_int_equal(symlink("../link.txt", second), 0);
        assert_int_equal(symlink(way % 2 ? target : "deep/target.txt", link), 0);
        if (way < 2)
            put_file(target, "old", 3);
        assert_int_equal(snag__output_open(&output, second, &error), SNAG_OK);
        fputs("new", output.stream);
        assert_int_equal(snag__output_close(&output, true, &error), SNAG_OK);
        struct stat about;
        assert_int_equal(lstat(link, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat(second, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        char *after = get_file(target, NULL);
        assert_string_equal(after, "new");
        free(after);
    }
    assert_int_equal(files_in(path_in(folder, "deep")), 2);
    // Links in a circle lead nowhere.
    unlink(link);
    assert_int_equal(symlink("link.txt", link), 0);
    assert_int_equal(snag__output_open(&output, link, &error), SNAG_ERROR_FILE);
    assert_says(&error, "link.txt: cannot write");
    unlink(second);
    unlink(target);
}

// What writers left behind that were killed is not in the way.
static void parts_of_others_do_not_hinder(void **state)
{
    (void)state;
    char path[PATH_BYTES + 32], part[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/many.txt", folder);
    for (int i = 0; i < 150; i++) {
        snprintf(part, sizeof part, "%s.part%d", path, i);
        put_file(part, "stale", 5);
    }
    snag__output output;
    snag_io_error error;
    assert_int_equal(snag__output_open(&output, path, &error), SNAG_OK);
    assert_int_equal(snag__output_close(&output, true, &error), SNAG_OK);
    assert_int_equal(files_in(folder), 151);
    for (int i = 150; i < 10000; i++) {
        snprintf(part, sizeof part, "%s.part%d", path, i);
        put_file(part, "", 0);
    }
    assert_int_equal(snag__output_open(&output, path, &error), SNAG_ERROR_FILE);
    assert_says(&error, "10000 unfinished files");
    assert_says(&error, "many.txt.part9999");
}

static void what_cannot_be_written_is_named(void **state)
{
    (void)state;
    snag__output output;
    snag_io_error error;
    assert_int_equal(snag__output_open(&output, path_in(folder, "no/such/folder.txt"), &error), SNAG_ERROR_FILE);
    assert_says(&error, "no/such/folder.txt: cannot write");
    assert_null(output.stream);
    // The target is a folder: the rename fails, and the part is gone.
    assert_int_equal(mkdir(path_in(folder, "taken"), 0700), 0);
    assert_int_equal(snag__output_open(&output, path_in(folder, "taken"), &error), SNAG_OK);
    assert_int_equal(snag__output_close(&output, true, &error), SNAG_ERROR_FILE);
    assert_int_equal(files_in(folder), 1);
}

static void a_full_medium_is_noticed(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    snag__output output;
    snag_io_error error;
    assert_int_equal(snag__output_open(&output, path_in(folder, "out.txt"), &error), SNAG_OK);
    // The descriptor now leads to a device that takes nothing.
    FILE *full = freopen("/dev/full", "w", output.stream);
    assert_non_null(full);
    fputs("lost", output.stream);
    assert_int_equal(snag__output_close(&output, true, &error), SNAG_ERROR_FILE);
    assert_says(&error, "No space left");
    assert_int_equal(files_in(folder), 0);
}

static void names_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *path, *stem;
    } cases[] = {{"a/b.c/cloth.v2.obj", "cloth.v2"}, {"cloth", "cloth"}, {"a.b/cloth", "cloth"}, {".obj", ".obj"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length;
        const char *stem = snag__path_stem(cases[i].path, &length);
        assert_int_equal(length, strlen(cases[i].stem));
        assert_memory_equal(stem, cases[i].stem, length);
    }
    assert_true(snag__path_has_ending("a/B.OBJ", ".obj"));
    assert_false(snag__path_has_ending("a.obj/b", ".obj"));
    assert_false(snag__path_has_ending("bj", ".obj"));
}

static void long_paths_leave_room_for_words(void **state)
{
    (void)state;
    char path[5000];
    memset(path, 'x', sizeof path);
    strcpy(path + 4900, "/folder/cloth.obj");
    assert_string_equal(snag__path_shown(path), "folder/cloth.obj");
    memset(path + 4900, 'x', 10);  // no folder to cut at
    assert_true(strlen(snag__path_shown(path)) <= 200);
    assert_string_equal(snag__path_shown("a/b.obj"), "a/b.obj");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_is_refused_without_waiting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_appears_only_when_it_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_kept_leaves_no_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_of_others_do_not_hinder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_medium_is_noticed, set_up, tear_down),
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(long_paths_leave_room_for_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
