// Animation caches (PC2, MDD), read frame by frame: only the requested frame is in memory, so that sequences larger than memory
// can be streamed.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "cache.h"

#include "common/system.h"
#include "file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERTEX_BYTES = 3 * sizeof(float) };

struct snag_io_cache {
    char *name;  // for messages
    const uint8_t *data;  // a cache in memory; NULL: `file`
    int file;  // -1: `data`
    uint64_t size;
    snag__cache_layout layout;
    uint64_t held_count;  // complete frames in the file; fewer than in the header: truncated
};

typedef snag_status (*layout_reader)(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout,
                                     snag_io_error *error);

static layout_reader layout_reader_of(const char *path)
{
    const char *slash = sys_last_separator(path);
    const char *dot = strrchr(slash ? slash : path, '.');
    if (dot && strcasecmp(dot, ".pc2") == 0)
        return snag__pc2_layout;
    if (dot && strcasecmp(dot, ".mdd") == 0)
        return snag__mdd_layout;
    return NULL;
}

bool snag_io_is_cache(const char *path)
{
    return path && layout_reader_of(path) != NULL;
}

const char *snag_io_cache_endings(void)
{
    return ".pc2 .mdd";
}

// ---- bytes of a file or of memory ----

// Reads exactly `size` bytes at `offset`, which is within the file size at opening.
static snag_status read_bytes(const snag_io_cache *cache, uint64_t offset, void *bytes, size_t size, snag_io_error *error)
{
    if (cache->data) {
        memcpy(bytes, cache->data + offset, size);
        return SNAG_OK;
    }
    for (size_t done = 0; done < size;) {
        ssize_t got = sys_pread(cache->file, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot read: %s", cache->name, strerror(errno));
        if (got == 0)
            return snag__io_fail(error, SNAG_ERROR_FILE, "%s: the file got shorter while reading", cache->name);
        done += (size_t)got;
    }
    return SNAG_OK;
}

// ---- open ----

// A truncated file still has its first frames. A longer one is refused: extra frames would be silently ignored.
static snag_status check_size(snag_io_cache *cache, snag_io_error *error)
{
    const snag__cache_layout *layout = &cache->layout;
    uint64_t frame_bytes = layout->vertex_count * VERTEX_BYTES;
    uint64_t held = cache->size < layout->first_byte ? 0 : (cache->size - layout->first_byte) / frame_bytes;
    if (held == 0)
        return snag__io_fail(error, SNAG_ERROR_FORMAT,
                             "%s: is truncated: not even one complete frame of %llu vertices; its header promises %llu",
                             cache->name, (unsigned long long)layout->vertex_count, (unsigned long long)layout->frame_count);
    if ((size_t)frame_bytes != frame_bytes)
        return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: a frame does not fit into the memory of this machine", cache->name);
    cache->held_count = held < layout->frame_count ? held : layout->frame_count;
    if (held < layout->frame_count)
        return SNAG_OK;
    uint64_t rest = cache->size - layout->first_byte - layout->frame_count * frame_bytes;
    if (rest > 0)
        return snag__io_fail(error, SNAG_ERROR_FORMAT,
                             "%s: has %llu extra bytes after the %llu frames of %llu vertices that its header promises",
                             cache->name, (unsigned long long)rest, (unsigned long long)layout->frame_count,
                             (unsigned long long)layout->vertex_count);
    return SNAG_OK;
}

static snag_status read_layout(snag_io_cache *cache, layout_reader read, snag_io_error *error)
{
    uint8_t header[SNAG__CACHE_HEADER_BYTES];
    size_t size = cache->size < sizeof header ? (size_t)cache->size : sizeof header;
    snag_status status = read_bytes(cache, 0, header, size, error);
    if (status == SNAG_OK)
        status = read(cache->name, header, size, &cache->layout, error);
    return status == SNAG_OK ? check_size(cache, error) : status;
}

static snag_status open_file(snag_io_cache *cache, const char *path, snag_io_error *error)
{
    sys_info about;
    snag_status status = snag__file_open(path, &cache->file, error);
    if (status != SNAG_OK)
        return status;
    if (sys_fstat(cache->file, &about) != 0)
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot open: %s", cache->name, strerror(errno));
    cache->size = (uint64_t)about.st_size;
    return SNAG_OK;
}

// Opens a cache from the file `path`, or from memory if `data` is given.
static snag_status create(const char *path, const void *data, size_t size, snag_io_cache **result, snag_io_error *error)
{
    layout_reader read = layout_reader_of(path);
    if (!read)
        return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: not a cache format: the extension must be .pc2 or .mdd",
                             snag__path_shown(path));
    snag_io_cache *cache = calloc(1, sizeof *cache);
    const char *shown = snag__path_shown(path);
    size_t name_size = strlen(shown) + 1;
    char *name = malloc(name_size);
    if (!cache || !name) {
        free(cache);
        free(name);
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to open it", shown);
    }
    memcpy(name, shown, name_size);
    *cache = (snag_io_cache){.name = name, .data = data, .file = -1, .size = size};
    snag_status status = data ? SNAG_OK : open_file(cache, path, error);
    if (status == SNAG_OK)
        status = read_layout(cache, read, error);
    if (status != SNAG_OK)
        snag_io_cache_close(cache);
    else
        *result = cache;
    return status;
}

snag_status snag_io_cache_open(const char *path, snag_io_cache **cache, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (cache)
        *cache = NULL;
    if (!path || !cache)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "cache: path and result must be given");
    return create(path, NULL, 0, cache, error);
}

snag_status snag_io_cache_open_memory(const char *name, const void *data, size_t size, snag_io_cache **cache, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (cache)
        *cache = NULL;
    if (!name || !cache || (!data && size > 0))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "cache: name, data and result must be given");
    return create(name, data ? data : "", size, cache, error);
}

void snag_io_cache_close(snag_io_cache *cache)
{
    if (!cache)
        return;
    if (cache->file >= 0)
        sys_close(cache->file);
    free(cache->name);
    free(cache);
}

// ---- frames ----

size_t snag_io_cache_vertex_count(const snag_io_cache *cache)
{
    return cache != NULL ? (size_t)cache->layout.vertex_count : 0;
}

size_t snag_io_cache_frame_count(const snag_io_cache *cache)
{
    return cache != NULL ? (size_t)cache->layout.frame_count : 0;
}

size_t snag_io_cache_held_count(const snag_io_cache *cache)
{
    return cache != NULL ? (size_t)cache->held_count : 0;
}

// Converts `count` floats from the file's byte order to the machine's, in place.
static void decode_floats(float *values, size_t count, bool big_endian)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t b[4];
        memcpy(b, &values[i], sizeof b);
        uint32_t bits = big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                                   : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        memcpy(&values[i], &bits, sizeof bits);
    }
}

snag_status snag_io_cache_read(snag_io_cache *cache, size_t frame, float *xyz, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!cache || !xyz)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "cache: the cache and room for a frame must be given");
    const snag__cache_layout *layout = &cache->layout;
    if (frame >= layout->frame_count)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: no frame %zu; it has %llu frames, counted from 0", cache->name, frame,
                             (unsigned long long)layout->frame_count);
    if (frame >= cache->held_count)
        return snag__io_fail(
            error, SNAG_ERROR_FORMAT,
            "%s: is truncated: frame %zu is missing; it has %llu complete frames of %llu vertices, and its header promises %llu",
            cache->name, frame, (unsigned long long)cache->held_count, (unsigned long long)layout->vertex_count,
            (unsigned long long)layout->frame_count);
    size_t vertices = (size_t)layout->vertex_count;
    uint64_t frame_bytes = layout->vertex_count * VERTEX_BYTES;
    snag_status status = read_bytes(cache, layout->first_byte + frame * frame_bytes, xyz, (size_t)frame_bytes, error);
    if (status != SNAG_OK)
        return status;
    decode_floats(xyz, 3 * vertices, layout->big_endian);
    for (size_t i = 0; i < 3 * vertices; i++)
        if (!isfinite(xyz[i]))
            return snag__io_fail(error, SNAG_ERROR_NOT_FINITE, "%s: frame %zu: vertex %zu is not finite", cache->name, frame,
                                 i / 3);
    return SNAG_OK;
}
