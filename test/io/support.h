// What the tests of readers and writers share: folders that vanish, files made of bytes, and byte orders spelled out.
#ifndef SNAG_TEST_IO_SUPPORT_H
#define SNAG_TEST_IO_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snag/io.h"

enum { PATH_BYTES = 1024 };

// ---- folders ----

static inline void make_folder(char folder[PATH_BYTES])
{
    const char *root = getenv("TMPDIR");
    snprintf(folder, PATH_BYTES, "%s/snag_test_XXXXXX", root && *root ? root : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static inline const char *path_in(const char *folder, const char *name)
{
    static char paths[4][2 * PATH_BYTES];  // a call may need a few at once
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline size_t files_in(const char *folder)
{
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open_folder);
    return count;
}

// Removes the folder with its files (and empty folders).
static inline void remove_folder(const char *folder)
{
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(path_in(folder, entry->d_name));
    closedir(open_folder);
    assert_int_equal(rmdir(folder), 0);
}

static inline void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// The whole file with a zero byte after it; to be freed.
static inline char *get_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    bytes[length] = 0;
    fclose(file);
    if (size)
        *size = (size_t)length;
    return bytes;
}

// ---- bytes ----

typedef struct bytes {
    uint8_t data[65536];
    size_t size;
    bool big;  // byte order of what is put
} bytes;

static inline void put_raw(bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void put_text(bytes *b, const char *text)
{
    put_raw(b, text, strlen(text));
}

static inline void put_unsigned(bytes *b, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
        put_raw(b, &byte, 1);
    }
}

static inline void put_i32(bytes *b, int32_t value)
{
    put_unsigned(b, (uint32_t)value, 4);
}

static inline void put_u64(bytes *b, uint64_t value)
{
    put_unsigned(b, value, 8);
}

static inline void put_f32(bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_unsigned(b, bits, 4);
}

static inline void put_f64(bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_unsigned(b, bits, 8);
}

// ---- words ----

static inline void assert_says(const snag_io_error *error, const char *words)
{
    if (!strstr(error->message, words))
        fail_msg("the message \"%s\" does not say \"%s\"", error->message, words);
}

// The folder with real data, or NULL with a word why the test is left out.
static inline const char *data_folder(void)
{
    const char *folder = getenv("SNAG_DATA");
    if (!folder || access(folder, R_OK) != 0) {
        print_message("left out: SNAG_DATA does not name the folder of real data\n");
        return NULL;
    }
    return folder;
}

#endif
