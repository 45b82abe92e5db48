// Internals of animation caches: PC2 and MDD differ in header and byte order; frames are read the same way (cache.c).
#ifndef SNAG_IO_CACHE_H
#define SNAG_IO_CACHE_H

#include "snag/io.h"

// The header of a cache.
typedef struct snag__cache_layout {
    uint64_t frame_count;
    uint64_t vertex_count;
    uint64_t first_byte;  // offset of the positions of frame 0; the others follow without gaps
    bool big_endian;
} snag__cache_layout;

// The largest header of a format; shorter files give what they have.
#define SNAG__CACHE_HEADER_BYTES 32

// Each reads a header from the first `size` bytes of a file and rejects counts that are not positive.
snag_status snag__pc2_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout,
                             snag_io_error *error);
snag_status snag__mdd_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout,
                             snag_io_error *error);

#endif
