// Unpacks compressed data, using zlib.
#include "unpack.h"

#include <stdlib.h>
#include <zlib.h>

// zlib uses 32-bit counts.
#define MOST_AT_ONCE ((size_t)1 << 30)

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

static uInt at_once(size_t left)
{
    return (uInt)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE);
}

static snag_status unpack(const void *in, size_t size, void *out, size_t out_size, int window_bits)
{
    Bytef none;
    z_stream stream = {.zalloc = allocate, .zfree = release, .next_in = (z_const Bytef *)in};
    stream.next_out = out_size ? out : &none;
    int result = inflateInit2(&stream, window_bits);
    if (result != Z_OK)
        return result == Z_MEM_ERROR ? SNAG_ERROR_MEMORY : SNAG_ERROR_FORMAT;
    size_t in_left = size, out_left = out_size;
    // Without progress inflate returns Z_BUF_ERROR, so this loop ends.
    while (result == Z_OK) {
        uInt in_part = at_once(in_left), out_part = at_once(out_left);
        stream.avail_in = in_part;
        stream.avail_out = out_part;
        result = inflate(&stream, Z_NO_FLUSH);
        in_left -= in_part - stream.avail_in;
        out_left -= out_part - stream.avail_out;
    }
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR)
        return SNAG_ERROR_MEMORY;
    return result == Z_STREAM_END && in_left == 0 && out_left == 0 ? SNAG_OK : SNAG_ERROR_FORMAT;
}

snag_status snag__unpack_zlib(const void *in, size_t size, void *out, size_t out_size)
{
    return unpack(in, size, out, out_size, MAX_WBITS);
}

snag_status snag__unpack_deflate(const void *in, size_t size, void *out, size_t out_size)
{
    return unpack(in, size, out, out_size, -MAX_WBITS);  // negative: without header and checksum
}

uint32_t snag__crc32(const void *bytes, size_t size)
{
    const Bytef *at = bytes;
    uLong sum = crc32(0, Z_NULL, 0);
    for (size_t left = size; left > 0;) {
        uInt part = at_once(left);
        sum = crc32(sum, at, part);
        at += part;
        left -= part;
    }
    return (uint32_t)sum;
}
