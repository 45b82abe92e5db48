// Header of an MDD point cache, big-endian: frames, vertices, then the time of each frame in seconds (float). Positions
// follow: float x, y, z of all vertices, frame by frame. There is no magic number and no version.
#include "cache.h"
#include "file.h"

enum { COUNT_BYTES = 8 };

static uint32_t big_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[3] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[0] << 24;
}

snag_status snag__mdd_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout, snag_io_error *error)
{
    if (size < COUNT_BYTES)
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: ends inside the header (%zu of %d bytes)", name, size, COUNT_BYTES);
    int32_t frames = (int32_t)big_u32(header);
    int32_t vertices = (int32_t)big_u32(header + 4);
    if (vertices <= 0 || frames <= 0)
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: the header says %d vertices and %d frames; both must be positive", name,
                             vertices, frames);
    *layout = (snag__cache_layout){.frame_count = (uint64_t)frames,
                                   .vertex_count = (uint64_t)vertices,
                                   .first_byte = COUNT_BYTES + (uint64_t)frames * sizeof(float),
                                   .big_endian = true};
    return SNAG_OK;
}
