// Writes a PC2 cache frame by frame; sets the number of frames in the header at the end.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "file.h"

#include "common/system.h"
#include "surface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_COUNT_OFFSET = 28 };

struct snag_io_pc2 {
    snag__output output;
    size_t vertex_count;
    uint64_t frame_count;
    bool broken;  // a write failed
};

static void put_u32(FILE *stream, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    fwrite(bytes, 1, sizeof bytes, stream);
}

static void put_float(FILE *stream, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(stream, bits);
}

static void write_header(FILE *stream, size_t vertex_count)
{
    fwrite("POINTCACHE2", 1, 12, stream);
    put_u32(stream, 1);
    put_u32(stream, (uint32_t)vertex_count);
    put_float(stream, 0);  // the first frame
    put_float(stream, 1);  // frames per sample
    put_u32(stream, 0);  // frames so far
}

snag_status snag_io_pc2_create(const char *path, size_t vertex_count, snag_io_pc2 **pc2, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (pc2)
        *pc2 = NULL;
    if (!path || !pc2)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "PC2: path and result must be given");
    if (vertex_count == 0 || vertex_count > INT32_MAX)
        return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: a PC2 cache has 1 to 2^31-1 vertices, not %zu", snag__path_shown(path),
                             vertex_count);
    snag_io_pc2 *writer = calloc(1, sizeof *writer);
    if (!writer)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", snag__path_shown(path));
    writer->vertex_count = vertex_count;
    snag_status status = snag__output_open(&writer->output, path, error);
    if (status != SNAG_OK) {
        free(writer);
        return status;
    }
    write_header(writer->output.stream, vertex_count);
    *pc2 = writer;
    return SNAG_OK;
}

static snag_status check_frame(const snag_io_pc2 *pc2, const snag_positions *positions, snag_io_error *error)
{
    const char *path = snag__path_shown(pc2->output.path);
    size_t bad = 0;
    if (positions->count != pc2->vertex_count)
        return snag__io_fail(error, SNAG_ERROR_MISMATCH, "%s: a frame has %zu vertices, but the cache was made for %zu", path,
                             positions->count, pc2->vertex_count);
    if (pc2->frame_count == INT32_MAX)
        return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: a PC2 cache has at most 2^31-1 frames", path);
    snag_status status = snag__io_positions_check(positions, true, &bad);
    if (status == SNAG_ERROR_NOT_FINITE)
        return snag__io_fail(error, status, "%s: frame %llu: vertex %zu is not finite as float", path,
                             (unsigned long long)pc2->frame_count, bad);
    if (status != SNAG_OK)
        return snag__io_fail(error, status, "%s: positions are not given, or neither float nor double", path);
    return SNAG_OK;
}

static snag_status write_failure(snag_io_pc2 *pc2, snag_io_error *error)
{
    pc2->broken = true;
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot write: %s", snag__path_shown(pc2->output.path),
                         errno ? strerror(errno) : "write error");
}

snag_status snag_io_pc2_write(snag_io_pc2 *pc2, snag_positions positions, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!pc2)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "PC2: the cache must be given");
    snag_status status = check_frame(pc2, &positions, error);
    if (status != SNAG_OK)
        return status;
    FILE *stream = pc2->output.stream;
    errno = 0;
    for (size_t v = 0; v < positions.count; v++) {
        double xyz[3];
        snag__io_position_get(&positions, v, xyz);
        for (int axis = 0; axis < 3; axis++)
            put_float(stream, (float)xyz[axis]);
    }
    if (ferror(stream))
        return write_failure(pc2, error);
    pc2->frame_count++;
    return SNAG_OK;
}

// Whether the file may be renamed to its target.
static snag_status finish(snag_io_pc2 *pc2, snag_io_error *error)
{
    errno = 0;
    if (pc2->frame_count == 0)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: not saved: no frame was written", snag__path_shown(pc2->output.path));
    if (pc2->broken || sys_seek(pc2->output.stream, FRAME_COUNT_OFFSET, SEEK_SET) != 0)
        return write_failure(pc2, error);
    put_u32(pc2->output.stream, (uint32_t)pc2->frame_count);
    return SNAG_OK;
}

snag_status snag_io_pc2_close(snag_io_pc2 *pc2, bool keep, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!pc2)
        return SNAG_OK;
    snag_status status = keep ? finish(pc2, error) : SNAG_OK;
    bool whole = keep && status == SNAG_OK;
    snag_status closed = snag__output_close(&pc2->output, whole, error);
    free(pc2);
    return status != SNAG_OK ? status : closed;
}
