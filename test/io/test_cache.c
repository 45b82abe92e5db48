// Caches: what was put into the bytes by hand comes back, and nothing that is damaged is believed.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "support.h"

#include "helpers/failing_malloc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>

enum { FRAMES = 4, VERTICES = 5 };

static float coordinate(int frame, int vertex, int axis)
{
    return (float)(frame * 100 + vertex * 10 + axis) * 0.37f - 17.25f;
}

static void put_frames(bytes *b, int frames, int vertices)
{
    for (int f = 0; f < frames; f++)
        for (int v = 0; v < vertices; v++)
            for (int axis = 0; axis < 3; axis++)
                put_f32(b, coordinate(f, v, axis));
}

static void put_pc2_header(bytes *b, int32_t version, int32_t vertices, int32_t frames)
{
    put_raw(b, "POINTCACHE2", 12);
    put_i32(b, version);
    put_i32(b, vertices);
    put_f32(b, 0);
    put_f32(b, 1);
    put_i32(b, frames);
}

static void make_pc2(bytes *b)
{
    *b = (bytes){.big = false};
    put_pc2_header(b, 1, VERTICES, FRAMES);
    put_frames(b, FRAMES, VERTICES);
}

static void make_mdd(bytes *b)
{
    *b = (bytes){.big = true};
    put_i32(b, FRAMES);
    put_i32(b, VERTICES);
    for (int f = 0; f < FRAMES; f++)
        put_f32(b, (float)f / 24);
    put_frames(b, FRAMES, VERTICES);
}

static void assert_frames(snag_io_cache *cache)
{
    assert_int_equal(snag_io_cache_frame_count(cache), FRAMES);
    assert_int_equal(snag_io_cache_vertex_count(cache), VERTICES);
    for (int f = FRAMES - 1; f >= 0; f--) {  // any order
        float xyz[3 * VERTICES];
        snag_io_error error;
        assert_int_equal(snag_io_cache_read(cache, (size_t)f, xyz, &error), SNAG_OK);
        for (int v = 0; v < VERTICES; v++)
            for (int axis = 0; axis < 3; axis++) {
                float expected = coordinate(f, v, axis);
                assert_memory_equal(&xyz[3 * v + axis], &expected, sizeof(float));
            }
    }
}

static void assert_frames_of(const char *name, const bytes *b)
{
    snag_io_cache *cache = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_cache_open_memory(name, b->data, b->size, &cache, &error), SNAG_OK);
    assert_frames(cache);
    snag_io_cache_close(cache);

    char folder[PATH_BYTES];
    make_folder(folder);
    put_file(path_in(folder, name), b->data, b->size);
    assert_int_equal(snag_io_cache_open(path_in(folder, name), &cache, &error), SNAG_OK);
    assert_frames(cache);
    snag_io_cache_close(cache);
    remove_folder(folder);
}

static void frames_come_back_bit_for_bit(void **state)
{
    (void)state;
    static bytes b;
    make_pc2(&b);
    assert_frames_of("cloth.pc2", &b);
    assert_frames_of("CLOTH.PC2", &b);
    make_mdd(&b);
    assert_frames_of("cloth.mdd", &b);
}

static snag_status open_status(const char *name, const bytes *b, size_t size, snag_io_error *error)
{
    snag_io_cache *cache = (snag_io_cache *)error;  // must be set to NULL
    // A copy of the right size, so that a read past the end is seen by the sanitizer.
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, b->data, size);
    copy = realloc(copy, size ? size : 1);
    assert_non_null(copy);
    snag_status status = snag_io_cache_open_memory(name, copy, size, &cache, error);
    assert_true((cache != NULL) == (status == SNAG_OK));
    assert_int_equal(error->status, status);
    assert_true(status == SNAG_OK || strncmp(error->message, name, strlen(name)) == 0);
    snag_io_cache_close(cache);
    free(copy);
    return status;
}

// What a truncated cache still holds, and what it says of the rest.
static void assert_held(const char *name, const bytes *b, size_t size, size_t held)
{
    snag_io_cache *cache = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_cache_open_memory(name, b->data, size, &cache, &error), SNAG_OK);
    assert_int_equal(snag_io_cache_frame_count(cache), FRAMES);
    assert_int_equal(snag_io_cache_held_count(cache), held);
    float xyz[3 * VERTICES];
    for (size_t f = 0; f < FRAMES; f++) {
        snag_status status = snag_io_cache_read(cache, f, xyz, &error);
        assert_int_equal(status, f < held ? SNAG_OK : SNAG_ERROR_FORMAT);
        char words[160];
        snprintf(words, sizeof words, "frame %zu is missing; it has %zu complete frames of 5 vertices, and its header promises 4",
                 f, held);
        if (status != SNAG_OK)
            assert_says(&error, words);
    }
    snag_io_cache_close(cache);
}

static void every_prefix_gives_its_whole_frames_and_tells_of_the_rest(void **state)
{
    (void)state;
    static bytes b;
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind ? "x.mdd" : "x.pc2";
        (kind ? make_mdd : make_pc2)(&b);
        size_t header = kind ? 8 + 4 * FRAMES : 32;
        for (size_t size = 0; size < b.size; size++) {
            snag_io_error error;
            size_t held = size < header ? 0 : (size - header) / (VERTICES * 12);
            assert_int_equal(open_status(name, &b, size, &error), held ? SNAG_OK : SNAG_ERROR_FORMAT);
            if (held)
                assert_held(name, &b, size, held);
            else if (size >= header)
                assert_says(&error, "not even one complete frame of 5 vertices; its header promises 4");
        }
        snag_io_error error;
        assert_int_equal(open_status(name, &b, b.size, &error), SNAG_OK);
        assert_int_equal(open_status(name, &b, b.size + 1, &error), SNAG_ERROR_FORMAT);
        assert_says(&error, "1 bytes after the 4 frames");
    }
}

static void hostile_counts_are_refused(void **state)
{
    (void)state;
    static const int32_t counts[] = {INT32_MIN, -1, 0, 1, 2, 3, 65536, 0x20000000, 0x55555556, INT32_MAX - 1, INT32_MAX};
    enum { COUNTS = sizeof counts / sizeof *counts };
    for (int i = 0; i < COUNTS; i++)
        for (int j = 0; j < COUNTS; j++) {
            static bytes pc2, mdd;
            pc2 = (bytes){.big = false};
            put_pc2_header(&pc2, 1, counts[i], counts[j]);
            put_u64(&pc2, 0);  // less than one vertex
            mdd = (bytes){.big = true};
            put_i32(&mdd, counts[i]);
            put_i32(&mdd, counts[j]);
            put_u64(&mdd, 0);
            snag_io_error error;
            assert_int_equal(open_status("x.pc2", &pc2, pc2.size, &error), SNAG_ERROR_FORMAT);
            assert_int_equal(open_status("x.mdd", &mdd, mdd.size, &error), SNAG_ERROR_FORMAT);
        }
}

static void other_files_are_not_taken_for_caches(void **state)
{
    (void)state;
    static bytes b;
    snag_io_error error;
    make_pc2(&b);
    b.data[3] = 'X';
    assert_int_equal(open_status("x.pc2", &b, b.size, &error), SNAG_ERROR_FORMAT);
    assert_says(&error, "POINTCACHE2");
    b = (bytes){.big = false};
    put_pc2_header(&b, 2, VERTICES, FRAMES);
    put_frames(&b, FRAMES, VERTICES);
    assert_int_equal(open_status("x.pc2", &b, b.size, &error), SNAG_ERROR_UNSUPPORTED);
    assert_says(&error, "version 2");
    make_pc2(&b);
    assert_int_equal(open_status("x.obj", &b, b.size, &error), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(open_status("folder.pc2/x", &b, b.size, &error), SNAG_ERROR_UNSUPPORTED);

    assert_true(snag_io_is_cache("a/b.pc2"));
    assert_true(snag_io_is_cache("b.Mdd"));
    assert_false(snag_io_is_cache("b.pc2.obj"));
    assert_false(snag_io_is_cache("pc2"));
    assert_false(snag_io_is_cache("a.pc2/b"));
}

static void values_that_are_not_finite_are_named(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < 3; i++) {
            static bytes b;
            (kind ? make_mdd : make_pc2)(&b);
            size_t header = kind ? 8 + 4 * FRAMES : 32;
            size_t end = b.size;
            b.size = header + (2 * VERTICES + 3) * 12 + 4 * (size_t)i;  // frame 2, vertex 3
            put_f32(&b, bad[i]);
            b.size = end;
            snag_io_cache *cache = NULL;
            snag_io_error error;
            assert_int_equal(snag_io_cache_open_memory(kind ? "x.mdd" : "x.pc2", b.data, b.size, &cache, &error), SNAG_OK);
            float xyz[3 * VERTICES];
            for (size_t f = 0; f < FRAMES; f++)
                assert_int_equal(snag_io_cache_read(cache, f, xyz, &error), f == 2 ? SNAG_ERROR_NOT_FINITE : SNAG_OK);
            snag_io_cache_read(cache, 2, xyz, &error);
            assert_says(&error, "frame 2: vertex 3 is not finite");
            assert_int_equal(snag_io_cache_read(cache, FRAMES, xyz, &error), SNAG_ERROR_ARGUMENT);
            assert_says(&error, "no frame 4");
            assert_int_equal(snag_io_cache_read(cache, SIZE_MAX, xyz, &error), SNAG_ERROR_ARGUMENT);
            snag_io_cache_close(cache);
        }
}

static void bad_arguments_and_files_are_refused(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    snag_io_cache *cache = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_cache_open(path_in(folder, "none.pc2"), &cache, &error), SNAG_ERROR_FILE);
    assert_says(&error, "none.pc2");
    assert_int_equal(mkdir(path_in(folder, "sub.pc2"), 0700), 0);
    assert_int_equal(snag_io_cache_open(path_in(folder, "sub.pc2"), &cache, &error), SNAG_ERROR_FILE);
    assert_says(&error, "is a folder, not a file");
    put_file(path_in(folder, "empty.mdd"), "", 0);
    assert_int_equal(snag_io_cache_open(path_in(folder, "empty.mdd"), &cache, NULL), SNAG_ERROR_FORMAT);
    assert_null(cache);
    assert_int_equal(snag_io_cache_open(NULL, &cache, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_cache_open("x.pc2", NULL, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_cache_open_memory("x.pc2", NULL, 9, &cache, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_cache_read(NULL, 0, NULL, &error), SNAG_ERROR_ARGUMENT);
    snag_io_cache_close(NULL);
    remove_folder(folder);
}

static void a_file_that_shrinks_gives_an_error(void **state)
{
    (void)state;
    char folder[PATH_BYTES];
    make_folder(folder);
    static bytes b;
    make_pc2(&b);
    const char *path = path_in(folder, "x.pc2");
    put_file(path, b.data, b.size);
    snag_io_cache *cache = NULL;
    snag_io_error error;
    assert_int_equal(snag_io_cache_open(path, &cache, &error), SNAG_OK);
    assert_int_equal(truncate(path, (off_t)b.size - 1), 0);
    float xyz[3 * VERTICES];
    assert_int_equal(snag_io_cache_read(cache, FRAMES - 2, xyz, &error), SNAG_OK);
    assert_int_equal(snag_io_cache_read(cache, FRAMES - 1, xyz, &error), SNAG_ERROR_FILE);
    assert_says(&error, "shorter");
    snag_io_cache_close(cache);
    remove_folder(folder);
}

// 6 GB, nearly all of it a hole that no disk stores: offsets need more than 32 bits, and no more than a frame is read.
static void files_beyond_four_gigabytes_are_streamed(void **state)
{
    (void)state;
    enum { MANY = 1000, LAST = 499999 };
    char folder[PATH_BYTES];
    make_folder(folder);
    const char *path = path_in(folder, "long.pc2");
    static bytes b;
    b = (bytes){.big = false};
    put_pc2_header(&b, 1, MANY, LAST + 1);
    put_file(path, b.data, b.size);
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    if (ftruncate(file, 32 + (off_t)MANY * 12 * (LAST + 1)) != 0) {
        print_message("left out: no room for a sparse file of 6 GB (%s)\n", strerror(errno));
        close(file);
        remove_folder(folder);
        skip();
    }
    float value = 42.5f;
    assert_int_equal(pwrite(file, &value, 4, 32 + (off_t)MANY * 12 * LAST + 12 * 7), 4);
    close(file);

    snag_io_cache *cache = NULL;
    snag_io_error error;
    failing_malloc_largest();
    assert_int_equal(snag_io_cache_open(path, &cache, &error), SNAG_OK);
    assert_int_equal(snag_io_cache_frame_count(cache), LAST + 1);
    float xyz[3 * MANY];
    assert_int_equal(snag_io_cache_read(cache, LAST, xyz, &error), SNAG_OK);
    assert_true(failing_malloc_largest() < 4096);
    assert_true(xyz[21] == value && xyz[20] == 0);
    snag_io_cache_close(cache);
    remove_folder(folder);
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    static bytes b;
    make_pc2(&b);
    size_t n = 1;
    for (bool refused = true; refused; n++) {
        snag_io_cache *cache = NULL;
        snag_io_error error;
        failing_malloc_start(n);
        snag_status status = snag_io_cache_open_memory("x.pc2", b.data, b.size, &cache, &error);
        refused = failing_malloc_stop();
        assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_OK);
        snag_io_cache_close(cache);
    }
    assert_true(n > 2);
}

// ---- real data ----

static void assert_cache_counts(const char *path, size_t frames, size_t vertices)
{
    snag_io_cache *cache = NULL;
    snag_io_error error;
    if (snag_io_cache_open(path, &cache, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(snag_io_cache_frame_count(cache), frames);
    assert_int_equal(snag_io_cache_vertex_count(cache), vertices);
    float *xyz = malloc(vertices * 3 * sizeof *xyz);
    assert_non_null(xyz);
    for (size_t f = 0; f < frames; f++)
        assert_int_equal(snag_io_cache_read(cache, f, xyz, &error), SNAG_OK);
    free(xyz);
    snag_io_cache_close(cache);
}

// Rows of SOURCES.md: | file | repo | path | commit | licence | bytes | V | F | T | SI | frames=N ... |
static void listed_sequences_have_the_listed_counts(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    char *table = get_file(path_in(folder, "SOURCES.md"), NULL);
    size_t checked = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[256];
        const char *frames = strstr(line, "frames=");
        if (sscanf(line, "| %255s |", name) != 1 || !strstr(name, ".pc2") || !frames)
            continue;
        const char *cell = line;
        for (int bars = 0; bars < 7; cell++)
            bars += *cell == '|';
        assert_cache_counts(path_in(folder, name), strtoul(frames + 7, NULL, 10), strtoul(cell, NULL, 10));
        checked++;
    }
    free(table);
    assert_int_equal(checked, 5);
}

// The number after the next `"key":` at or after `text`.
static size_t json_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtoul(strchr(at, ':') + 1, NULL, 10);
}

static void blender_scenes_have_the_counts_of_their_description(void **state)
{
    (void)state;
    const char *folder = data_folder();
    if (!folder)
        skip();
    static const char *scenes[] = {"cloth-drape",    "cloth-drape-noself", "cloth-twist", "cloth-twist-noself",
                                   "dressed-figure", "soft-pile",          "soft-pile-sb"};
    size_t checked = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char scene[PATH_BYTES];
        snprintf(scene, sizeof scene, "%s/blender/%s", folder, scenes[i]);
        char *json = get_file(path_in(scene, "scene.json"), NULL);
        size_t frames = json_number(json, "\"frames\"");
        for (const char *object = strstr(json, "\"objects\""); (object = strstr(object, "\"name\"")) != NULL; object++) {
            char cache[256];
            assert_int_equal(sscanf(strstr(object, "\"cache\""), "\"cache\": \"%255[^\"]", cache), 1);
            assert_cache_counts(path_in(scene, cache), frames, json_number(object, "\"vertices\""));
            checked++;
        }
        free(json);
    }
    assert_int_equal(checked, 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back_bit_for_bit),
        cmocka_unit_test(every_prefix_gives_its_whole_frames_and_tells_of_the_rest),
        cmocka_unit_test(hostile_counts_are_refused),
        cmocka_unit_test(other_files_are_not_taken_for_caches),
        cmocka_unit_test(values_that_are_not_finite_are_named),
        cmocka_unit_test(bad_arguments_and_files_are_refused),
        cmocka_unit_test(a_file_that_shrinks_gives_an_error),
        cmocka_unit_test(files_beyond_four_gigabytes_are_streamed),
        cmocka_unit_test(failing_allocations_are_a_status),
        cmocka_unit_test(listed_sequences_have_the_listed_counts),
        cmocka_unit_test(blender_scenes_have_the_counts_of_their_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
