// Reads and writes numbers of either byte order at any address.
#ifndef SNAG_IO_BYTES_H
#define SNAG_IO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The first `size` bytes (at most 8) as an unsigned number.
static inline uint64_t snag__bytes_unsigned(const char *at, size_t size, bool big)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)(uint8_t)at[big ? size - 1 - i : i] << 8 * i;
    return value;
}

static inline uint32_t snag__bytes_u32(const char *at, bool big)
{
    return (uint32_t)snag__bytes_unsigned(at, 4, big);
}

static inline int32_t snag__bytes_i32(const char *at, bool big)
{
    return (int32_t)snag__bytes_u32(at, big);
}

static inline uint64_t snag__bytes_u64(const char *at, bool big)
{
    return snag__bytes_unsigned(at, 8, big);
}

static inline float snag__bytes_f32(const char *at, bool big)
{
    uint32_t bits = snag__bytes_u32(at, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double snag__bytes_f64(const char *at, bool big)
{
    uint64_t bits = snag__bytes_u64(at, big);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Writes the low `size` bytes of a number, little-endian. Returns size.
static inline size_t snag__bytes_put(uint8_t *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return size;
}

// The same for a double, or for the nearest float.
static inline size_t snag__bytes_put_scalar(uint8_t *bytes, double value, bool as_double)
{
    if (as_double) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        return snag__bytes_put(bytes, bits, sizeof bits);
    }
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return snag__bytes_put(bytes, bits, sizeof bits);
}

#endif
