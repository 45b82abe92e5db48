// Writes zip archives, for tests and fuzzers of what reads them: in the forms that programs write.
#ifndef SNAG_TEST_ZIP_WRITER_H
#define SNAG_TEST_ZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef enum zip_form {
    ZIP_STORED,
    ZIP_DEFLATED,
    ZIP_64,  // deflated, with sizes, offsets and the directory in their wide form
    ZIP_FORM_COUNT,
} zip_form;

typedef struct zip_file {
    const char *name;
    const void *data;
    size_t size;
} zip_file;

enum { ZIP_MOST_FILES = 16 };

typedef struct zip_writer {
    uint8_t *out;
    size_t size, room;
} zip_writer;

static inline void zip_require(bool holds)
{
    if (!holds)
        abort();
}

static inline void zip_put(zip_writer *w, uint64_t value, size_t size)
{
    zip_require(w->room - w->size >= size);
    for (size_t i = 0; i < size; i++)
        w->out[w->size++] = (uint8_t)(value >> 8 * i);
}

static inline void zip_put_bytes(zip_writer *w, const void *from, size_t size)
{
    zip_require(w->room - w->size >= size);
    if (size)
        memcpy(w->out + w->size, from, size);
    w->size += size;
}

// A deflate stream without zlib's header and sum.
static inline size_t zip_deflate(const zip_file *file, uint8_t *out, size_t room)
{
    z_stream stream = {.next_in = (z_const Bytef *)file->data, .avail_in = (uInt)file->size};
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    zip_require(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    zip_require(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

// What local and central headers have in common, from the version on.
static inline void zip_put_entry(zip_writer *w, const zip_file *file, zip_form form, size_t packed, bool wide)
{
    uint32_t crc = (uint32_t)crc32(0, file->data, (uInt)file->size);
    zip_put(w, form == ZIP_64 ? 45 : 20, 2), zip_put(w, 0, 2), zip_put(w, form == ZIP_STORED ? 0 : 8, 2);
    zip_put(w, 0, 4), zip_put(w, crc, 4);
    zip_put(w, wide ? UINT32_MAX : packed, 4), zip_put(w, wide ? UINT32_MAX : file->size, 4);
    zip_put(w, strlen(file->name), 2), zip_put(w, wide ? 28 : 0, 2);
}

static inline void zip_put_end(zip_writer *w, size_t directory, size_t count, bool wide)
{
    size_t size = w->size - directory, end = w->size;
    if (wide) {
        zip_put_bytes(w, "PK\6\6", 4);
        zip_put(w, 44, 8), zip_put(w, 45, 2), zip_put(w, 45, 2), zip_put(w, 0, 4), zip_put(w, 0, 4);
        zip_put(w, count, 8), zip_put(w, count, 8), zip_put(w, size, 8), zip_put(w, directory, 8);
        zip_put_bytes(w, "PK\6\7", 4);
        zip_put(w, 0, 4), zip_put(w, end, 8), zip_put(w, 1, 4);
    }
    zip_put_bytes(w, "PK\5\6", 4);
    zip_put(w, 0, 4), zip_put(w, wide ? UINT16_MAX : count, 2), zip_put(w, wide ? UINT16_MAX : count, 2);
    zip_put(w, wide ? UINT32_MAX : size, 4), zip_put(w, wide ? UINT32_MAX : directory, 4), zip_put(w, 0, 2);
}

// The size of the archive, which must fit.
static inline size_t write_zip(uint8_t *out, size_t room, const zip_file *files, size_t count, zip_form form)
{
    zip_writer w = {out, 0, room};
    size_t at[ZIP_MOST_FILES], packed[ZIP_MOST_FILES];
    bool wide = form == ZIP_64;
    zip_require(count <= ZIP_MOST_FILES);
    for (size_t i = 0; i < count; i++) {
        at[i] = w.size;
        zip_put_bytes(&w, "PK\3\4", 4);
        size_t header = w.size;
        zip_put_entry(&w, &files[i], form, 0, false);
        zip_put_bytes(&w, files[i].name, strlen(files[i].name));
        packed[i] = form == ZIP_STORED ? files[i].size : zip_deflate(&files[i], out + w.size, room - w.size);
        if (form == ZIP_STORED)
            zip_put_bytes(&w, files[i].data, files[i].size);
        else
            w.size += packed[i];
        zip_writer again = {out, header, room};  // now that the size is known
        zip_put_entry(&again, &files[i], form, packed[i], false);
    }
    size_t directory = w.size;
    for (size_t i = 0; i < count; i++) {
        zip_put_bytes(&w, "PK\1\2", 4);
        zip_put(&w, wide ? 45 : 20, 2);
        zip_put_entry(&w, &files[i], form, packed[i], wide);
        zip_put(&w, 0, 2), zip_put(&w, 0, 2), zip_put(&w, 0, 2), zip_put(&w, 0, 4), zip_put(&w, wide ? UINT32_MAX : at[i], 4);
        zip_put_bytes(&w, files[i].name, strlen(files[i].name));
        if (wide)
            zip_put(&w, 1, 2), zip_put(&w, 24, 2), zip_put(&w, files[i].size, 8), zip_put(&w, packed[i], 8), zip_put(&w, at[i], 8);
    }
    zip_put_end(&w, directory, count, wide);
    return w.size;
}

#endif
