// Gzip-compressed files, using zlib.
#include "gzip.h"

#include <stdlib.h>
#include <zlib.h>

// Our own allocator, so that tests can make zlib run out of memory.
static voidpf allocate(voidpf context, uInt count, uInt size)
{
    (void)context;
    return calloc(count, size);
}

static void release(voidpf context, voidpf memory)
{
    (void)context;
    free(memory);
}

typedef struct output {
    const snag__source *source;
    char *bytes;
    size_t size, capacity;
} output;

static snag_status fail(const snag__source *source, snag_status status, const char *words)
{
    return snag__io_fail(source->error, status, "%s: %s", snag__path_shown(source->name), words);
}

static snag_status grow(output *out)
{
    size_t larger = out->capacity ? 2 * out->capacity : (size_t)1 << 12;
    snag_status status = snag__claim_bytes(out->source, larger - out->capacity);
    if (status == SNAG_OK)
        status = snag__reading_goes_on(out->source);
    if (status != SNAG_OK)
        return status;
    char *bytes = realloc(out->bytes, larger);
    if (!bytes)
        return fail(out->source, SNAG_ERROR_MEMORY, "not enough memory to unpack it");
    snag__file_large_pages(bytes, larger);
    out->bytes = bytes;
    out->capacity = larger;
    return SNAG_OK;
}

// Unpacks one member; *used is the number of input bytes it takes.
static snag_status unpack_member(const char *in, size_t in_size, size_t *used, output *out)
{
    enum { AT_ONCE = 1 << 30, GZIP = 16 };
    z_stream stream = {.zalloc = allocate, .zfree = release, .next_in = (z_const Bytef *)in};
    int result = inflateInit2(&stream, MAX_WBITS + GZIP);
    if (result != Z_OK)
        return fail(out->source, SNAG_ERROR_MEMORY, "not enough memory to unpack it");
    snag_status status = SNAG_OK;
    size_t left = in_size;
    while (result == Z_OK && status == SNAG_OK) {
        if (out->size == out->capacity && (status = grow(out)) != SNAG_OK)
            break;
        size_t room = out->capacity - out->size;
        uInt in_part = (uInt)(left < AT_ONCE ? left : AT_ONCE), out_part = (uInt)(room < AT_ONCE ? room : AT_ONCE);
        stream.avail_in = in_part;
        stream.avail_out = out_part;
        stream.next_out = (Bytef *)out->bytes + out->size;
        result = inflate(&stream, Z_NO_FLUSH);
        left -= in_part - stream.avail_in;
        out->size += out_part - stream.avail_out;
    }
    inflateEnd(&stream);
    *used = in_size - left;
    if (status != SNAG_OK || result == Z_STREAM_END)
        return status;
    if (result == Z_MEM_ERROR)
        return fail(out->source, SNAG_ERROR_MEMORY, "not enough memory to unpack it");
    return fail(out->source, SNAG_ERROR_FORMAT, "is not a gzip file, or is cut off or damaged");
}

snag_status snag__gzip_open(snag__source *source, char **unpacked)
{
    *unpacked = NULL;
    if (!snag__path_is_gzip(source->name))
        return SNAG_OK;
    output out = {.source = source};
    size_t at = 0;
    snag_status status = SNAG_OK;
    do {
        size_t used = 0;
        status = unpack_member(source->data + at, source->size - at, &used, &out);
        at += used;
        // Tape archives are padded with zeros, which gzip ignores too.
        while (at < source->size && source->data[at] == 0)
            at++;
    } while (status == SNAG_OK && at < source->size);
    if (status != SNAG_OK) {
        free(out.bytes);
        return status;
    }
    *unpacked = out.bytes;
    source->data = out.bytes;
    source->size = out.size;
    return SNAG_OK;
}
