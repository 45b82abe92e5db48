// Header of a PC2 point cache: "POINTCACHE2" and a zero byte, then little-endian version (1), vertices, first frame
// (float), frames per sample (float) and frames. Positions follow: float x, y, z of all vertices, frame by frame.
#include "cache.h"
#include "file.h"

#include <string.h>

enum { HEADER_BYTES = 32 };

static uint32_t little_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

snag_status snag__pc2_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout, snag_io_error *error)
{
    static const char magic[12] = "POINTCACHE2";
    if (size < sizeof magic || memcmp(header, magic, sizeof magic) != 0)
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: is not a PC2 cache: it does not begin with POINTCACHE2", name);
    if (size < HEADER_BYTES)
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: ends inside the header (%zu of %d bytes)", name, size, HEADER_BYTES);
    uint32_t version = little_u32(header + 12);
    if (version != 1)
        return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: unknown PC2 version %d; only version 1 is supported", name,
                             (int32_t)version);
    // The two floats between the counts set the time of each frame, which we do not need.
    int32_t vertices = (int32_t)little_u32(header + 16);
    int32_t frames = (int32_t)little_u32(header + 28);
    if (vertices <= 0 || frames <= 0)
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: the header says %d vertices and %d frames; both must be positive", name,
                             vertices, frames);
    *layout = (snag__cache_layout){
        .frame_count = (uint64_t)frames, .vertex_count = (uint64_t)vertices, .first_byte = HEADER_BYTES, .big_endian = false};
    return SNAG_OK;
}
