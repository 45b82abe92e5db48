// Compressed bytes: zlib streams (RFC 1950, 1951).
#ifndef SNAG_IO_INFLATE_H
#define SNAG_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Unpacks a zlib stream that must give just `out_size` bytes, and checks its sum. False: it is damaged, or gives more or
// fewer.
bool snag__inflate(const uint8_t *in, size_t size, uint8_t *out, size_t out_size);

#endif
