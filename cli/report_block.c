// A block of a report: columns of numbers, deflated and written as text that is safe in HTML.
#include "report_block.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

#if SNAG_REPORT
#include <limits.h>
#include <zlib.h>
#endif

void block_clear(report_block *block)
{
    block->count = 0;
    block->failed = false;
}

void block_free(report_block *block)
{
    free(block->bytes);
    free(block->packed);
    *block = (report_block){0};
}

uint8_t *block_room(report_block *block, size_t count)
{
    if (block->failed || count > SIZE_MAX - block->count ||
        !words_grow((void **)&block->bytes, &block->capacity, block->count + count, 1)) {
        block->failed = true;
        return NULL;
    }
    uint8_t *room = block->bytes + block->count;
    block->count += count;
    return room;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

void block_u8(report_block *block, uint8_t value)
{
    uint8_t *room = block_room(block, 1);
    if (room)
        room[0] = value;
}

void block_u32(report_block *block, uint32_t value)
{
    block_column32(block, &value, 1);
}

void block_f64(report_block *block, double value)
{
    block_column64(block, &value, 1);
}

void block_column32(report_block *block, const uint32_t *values, size_t count)
{
    enum { WIDTH = 4 };
    uint8_t *room = count < SIZE_MAX / WIDTH ? block_room(block, count * WIDTH) : block_room(block, SIZE_MAX);
    for (size_t i = 0; room && i < count; i++)
        for (size_t k = 0; k < WIDTH; k++)
            room[k * count + i] = (uint8_t)(values[i] >> (8 * k));
}

void block_column64(report_block *block, const double *values, size_t count)
{
    enum { WIDTH = 8 };
    uint8_t *room = count < SIZE_MAX / WIDTH ? block_room(block, count * WIDTH) : block_room(block, SIZE_MAX);
    for (size_t i = 0; room && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (size_t k = 0; k < WIDTH; k++)
            room[k * count + i] = (uint8_t)(bits >> (8 * k));
    }
}

void block_text(report_block *block, const char *text, size_t size)
{
    uint8_t *room = block_room(block, size);
    if (room && size)
        memcpy(room, text, size);
}

// ---- packing -------------------------------------------------------------------------------------------------------

#if SNAG_REPORT

// Deflates into block->packed. Level 4: level 9 takes six times as long and gains 2 %.
static bool pack(report_block *block, size_t *packed)
{
    enum { LEVEL = 4, RAW = -15, MEMORY = 9 };
    z_stream stream = {0};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t taken = 0, made = 0;  // zlib itself counts in unsigned ints
    int state = Z_OK;
    do {
        size_t left = block->count - taken;
        stream.next_in = block->bytes + taken;
        stream.avail_in = left > INT_MAX ? INT_MAX : (uInt)left;
        size_t given = stream.avail_in;
        size_t wanted = made + 65536 + given / 2;
        if (!words_grow((void **)&block->packed, &block->packed_capacity, wanted, 1)) {
            state = Z_MEM_ERROR;
            break;
        }
        size_t room = block->packed_capacity - made;
        stream.next_out = block->packed + made;
        stream.avail_out = room > INT_MAX ? INT_MAX : (uInt)room;
        size_t offered = stream.avail_out;
        state = deflate(&stream, given == left ? Z_FINISH : Z_NO_FLUSH);
        taken += given - stream.avail_in;
        made += offered - stream.avail_out;
    } while (state == Z_OK || state == Z_BUF_ERROR);
    deflateEnd(&stream);
    *packed = made;
    return state == Z_STREAM_END;
}

static snag_status write_base64(const uint8_t *bytes, size_t count, snag_io_file *out, snag_io_error *error)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < count && status == SNAG_OK; i += 3) {
        size_t left = count - i;
        uint32_t three =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        text[used++] = digits[three >> 18];
        text[used++] = digits[three >> 12 & 63];
        text[used++] = left > 1 ? digits[three >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[three & 63] : '=';
        if (used == sizeof text || left <= 3) {
            status = snag_io_file_write(out, text, used, error);
            used = 0;
        }
    }
    return status;
}

snag_status block_write(report_block *block, snag_io_file *out, snag_io_error *error)
{
    size_t packed = 0;
    if (!block->failed && pack(block, &packed))
        return write_base64(block->packed, packed, out, error);
    *error = (snag_io_error){SNAG_ERROR_MEMORY, "out of memory"};
    return SNAG_ERROR_MEMORY;
}

#else

snag_status block_write(report_block *block, snag_io_file *out, snag_io_error *error)
{
    (void)block, (void)out;
    *error = (snag_io_error){SNAG_ERROR_UNSUPPORTED, "this build cannot write reports"};
    return SNAG_ERROR_UNSUPPORTED;
}

#endif
