// Animation caches inside: PC2 and MDD differ in their header and byte order; frames are read alike (cache.c).
#ifndef SNAG_IO_CACHE_H
#define SNAG_IO_CACHE_H

#include "snag/io.h"

// What the header of a cache says.
typedef struct snag__cache_layout {
    uint64_t frame_count;
    uint64_t vertex_count;
    uint64_t first_byte;  // where the positions of frame 0 begin; those of the others follow without a gap
    bool big_endian;
} snag__cache_layout;

// The largest header of a format; shorter files give what they have.
#define SNAG__CACHE_HEADER_BYTES 32

// Each reads a header from the first `size` bytes of a file and refuses counts that are not positive.
snag_status snag__pc2_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout,
                             snag_io_error *error);
snag_status snag__mdd_layout(const char *name, const uint8_t *header, size_t size, snag__cache_layout *layout,
                             snag_io_error *error);

#endif
