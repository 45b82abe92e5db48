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

#include "helpers/failing_malloc.h"
#include "snag/io.h"
#include "temporary.h"

enum { PATH_BYTES = 1024 };

// ---- folders ----

static inline void make_folder(char folder[PATH_BYTES])
{
    assert_true(temporary_folder(folder, PATH_BYTES));
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

// ---- meshes ----

// Reads a mesh from memory of just its size, so that a sanitizer sees every read past the end. Checks what holds of any
// outcome: a message that begins with the name, or a mesh whose vertices all exist.
static inline snag_status parse(const char *name, const void *data, size_t size, snag_io_mesh *mesh, snag_io_error *error)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    snag_status status = snag_io_parse_mesh(name, copy, size, mesh, error);
    free(copy);
    assert_int_equal(error->status, status);
    if (status != SNAG_OK) {
        assert_int_equal(strncmp(error->message, name, strlen(name)), 0);
        assert_true(mesh->body_count == 0 && !mesh->bodies);
    }
    for (size_t b = 0; b < mesh->body_count; b++) {
        const snag_io_body *body = &mesh->bodies[b];
        for (size_t i = 0; i < 4 * body->tet_count; i++)
            assert_true(body->tets[i] < body->vertex_count);
        size_t corner = 0;
        for (size_t p = 0; p < body->polygon_count; p++)
            for (uint32_t i = 0; i < (body->polygon_sizes ? body->polygon_sizes[p] : 3); i++)
                assert_true(body->polygon_vertices[corner++] < body->vertex_count);
    }
    return status;
}

static inline void assert_refused(const char *name, const void *data, size_t size, snag_status expected, const char *words)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_status status = parse(name, data, size, &mesh, &error);
    if (status != expected || !strstr(error.message, words))
        fail_msg("status %d and \"%s\" instead of %d and \"%s\"", (int)status, error.message, (int)expected, words);
}

static inline void assert_text_refused(const char *name, const char *text, snag_status expected, const char *words)
{
    assert_refused(name, text, strlen(text), expected, words);
}

// Every prefix shorter than `whole` is refused; whether those from there on are read is left open.
static inline void assert_prefixes_refused(const char *name, const void *data, size_t size, size_t whole)
{
    for (size_t length = 0; length <= size; length++) {
        snag_io_mesh mesh;
        snag_io_error error;
        snag_status status = parse(name, data, length, &mesh, &error);
        if (length < whole && status == SNAG_OK)
            fail_msg("%s: %zu of %zu bytes were taken for a whole file", name, length, size);
        if (length == size && status != SNAG_OK)
            fail_msg("%s", error.message);
        snag_io_mesh_free(&mesh);
    }
}

// Each byte replaced by others, in turn: whatever comes out is sound, and no more memory is asked for than the file
// can fill.
static inline void assert_changes_survived(const char *name, const void *data, size_t size)
{
    static const uint8_t others[] = {0, 1, 0x7f, 0x80, 0xff, '9', '-', ' ', '\n', 'x', '$', '#'};
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, data, size);
    failing_malloc_largest();
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < sizeof others; k++) {
            uint8_t before = copy[i];
            copy[i] = others[k];
            snag_io_mesh mesh;
            snag_io_error error;
            parse(name, copy, size, &mesh, &error);
            snag_io_mesh_free(&mesh);
            copy[i] = before;
        }
    free(copy);
    enum { ZLIB_WINDOW = 32768 };
    assert_true(failing_malloc_largest() <= ZLIB_WINDOW + 16384 + 16 * size);
}

static inline void assert_failing_allocations_survived(const char *name, const void *data, size_t size)
{
    size_t n = 1;
    for (bool refused = true; refused; n++) {
        snag_io_mesh mesh;
        snag_io_error error;
        failing_malloc_start(n);
        snag_status status = snag_io_parse_mesh(name, data, size, &mesh, &error);
        refused = failing_malloc_stop();
        // Shrinking an array is allowed to fail.
        assert_true(status == SNAG_OK || (refused && status == SNAG_ERROR_MEMORY));
        assert_true(status == SNAG_OK || !mesh.bodies);
        snag_io_mesh_free(&mesh);
    }
    assert_true(n > 3);
}

static int compare_faces(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

// Faces of exactly one tetrahedron, counted by sorting.
static inline size_t boundary_count(const uint32_t *tets, size_t tet_count)
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    uint32_t(*faces)[3] = malloc(4 * tet_count * sizeof *faces);
    assert_non_null(faces);
    for (size_t k = 0; k < tet_count; k++)
        for (size_t f = 0; f < 4; f++) {
            uint32_t *face = faces[4 * k + f];
            for (int i = 0; i < 3; i++)
                face[i] = tets[4 * k + (size_t)corners[f][i]];
            for (int i = 0; i < 2; i++)  // three are sorted by three exchanges
                for (int j = 0; j < 2 - i; j++)
                    if (face[j] > face[j + 1]) {
                        uint32_t other = face[j];
                        face[j] = face[j + 1];
                        face[j + 1] = other;
                    }
        }
    qsort(faces, 4 * tet_count, sizeof *faces, compare_faces);
    size_t count = 0;
    for (size_t i = 0; i < 4 * tet_count;) {
        size_t same = 1;
        while (i + same < 4 * tet_count && compare_faces(faces[i], faces[i + same]) == 0)
            same++;
        count += same == 1;
        i += same;
    }
    free(faces);
    return count;
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

// Reads the meshes of tetrahedra that SOURCES.md lists with this ending, and compares their counts with its columns
// | file | repo | path | commit | licence | bytes | V | F | T | ... F is the boundary. Returns how many there are.
static inline size_t check_listed_tets(const char *folder, const char *ending)
{
    char *table = get_file(path_in(folder, "SOURCES.md"), NULL);
    size_t checked = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char name[256];
        if (sscanf(line, "| %255s |", name) != 1 || strncmp(name, "tets/", 5) != 0)
            continue;
        if (strcmp(strrchr(name, '.'), ending) != 0)
            continue;
        const char *cell = line;
        for (int bars = 0; bars < 7; cell++)
            bars += *cell == '|';
        unsigned long vertices, boundary, tets;
        assert_int_equal(sscanf(cell, "%lu | %lu | %lu", &vertices, &boundary, &tets), 3);
        snag_io_mesh mesh;
        snag_io_error error;
        if (snag_io_read_mesh(path_in(folder, name), &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        assert_int_equal(mesh.body_count, 1);
        assert_int_equal(mesh.vertex_count, vertices);
        assert_int_equal(mesh.tet_count, tets);
        assert_null(mesh.bodies[0].tet_numbers);
        assert_int_equal(boundary_count(mesh.bodies[0].tets, mesh.tet_count), boundary);
        snag_io_mesh_free(&mesh);
        checked++;
    }
    free(table);
    return checked;
}

#endif
