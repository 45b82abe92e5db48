// Compressed bytes: zlib streams (RFC 1950) and the bare deflate streams of zip archives (RFC 1951), through zlib.
#ifndef SNAG_IO_UNPACK_H
#define SNAG_IO_UNPACK_H

#include "snag/base.h"

// Deflate makes at most 1032 bytes of one. A stream that promises more is damaged, which is seen before memory is asked for.
#define SNAG__UNPACK_MOST_GAIN 1032

// Unpacks a stream that must give exactly `out_size` bytes and end there. SNAG_ERROR_FORMAT: it is damaged, or gives more or
// fewer. SNAG_ERROR_MEMORY: zlib got no memory. A zlib stream's own checksum is checked.
snag_status snag__unpack_zlib(const void *in, size_t size, void *out, size_t out_size);
snag_status snag__unpack_deflate(const void *in, size_t size, void *out, size_t out_size);
// The checksum of zip archives.
uint32_t snag__crc32(const void *bytes, size_t size);

#endif
