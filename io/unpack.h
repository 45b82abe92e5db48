// Compressed data: zlib streams (RFC 1950) and raw deflate streams as in zip archives (RFC 1951), using zlib.
#ifndef SNAG_IO_UNPACK_H
#define SNAG_IO_UNPACK_H

#include "snag/base.h"

// Deflate expands a byte to at most 1032 bytes. A stream that claims more is damaged, and is rejected before allocating memory.
#define SNAG__UNPACK_MOST_GAIN 1032

// Unpacks a stream of exactly `out_size` bytes and verifies the checksum of a zlib stream. SNAG_ERROR_FORMAT: it is
// damaged, or has more or fewer bytes. SNAG_ERROR_MEMORY: zlib is out of memory.
snag_status snag__unpack_zlib(const void *in, size_t size, void *out, size_t out_size);
snag_status snag__unpack_deflate(const void *in, size_t size, void *out, size_t out_size);
// The CRC-32 used in zip archives.
uint32_t snag__crc32(const void *bytes, size_t size);

#endif
