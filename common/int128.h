// Unsigned integers of 128 bits: the compiler's where it has them, else two of 64 bits (32-bit processors; SNAG_NO_INT128 asks for it
// in tests). Both give the same numbers.
#ifndef SNAG_COMMON_INT128_H
#define SNAG_COMMON_INT128_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(SNAG_NO_INT128)
#define SNAG__INT128 1
#else
#define SNAG__INT128 0
#endif

#if SNAG__INT128

__extension__ typedef unsigned __int128 snag__u128;
__extension__ typedef __int128 snag__i128;

static inline snag__u128 snag__u128_of(uint64_t high, uint64_t low)
{
    return (snag__u128)high << 64 | low;
}
static inline uint64_t snag__u128_high(snag__u128 a)
{
    return (uint64_t)(a >> 64);
}
static inline uint64_t snag__u128_low(snag__u128 a)
{
    return (uint64_t)a;
}
static inline snag__u128 snag__u128_multiply(uint64_t a, uint64_t b)
{
    return (snag__u128)a * b;
}
static inline snag__u128 snag__u128_add(snag__u128 a, snag__u128 b)
{
    return a + b;
}
static inline snag__u128 snag__u128_subtract(snag__u128 a, snag__u128 b)
{
    return a - b;
}
// By 0 to 127.
static inline snag__u128 snag__u128_left(snag__u128 a, int bits)
{
    return a << bits;
}
static inline snag__u128 snag__u128_right(snag__u128 a, int bits)
{
    return a >> bits;
}
static inline bool snag__u128_less(snag__u128 a, snag__u128 b)
{
    return a < b;
}
// a / divisor, where the quotient fits: the high half of `a` is below the divisor.
static inline uint64_t snag__u128_divide(snag__u128 a, uint64_t divisor)
{
    return (uint64_t)(a / divisor);
}

#else

typedef struct snag__u128 {
    uint64_t high, low;
} snag__u128;

static inline snag__u128 snag__u128_of(uint64_t high, uint64_t low)
{
    return (snag__u128){high, low};
}
static inline uint64_t snag__u128_high(snag__u128 a)
{
    return a.high;
}
static inline uint64_t snag__u128_low(snag__u128 a)
{
    return a.low;
}
// By halves of 32 bits; `middle` cannot overflow: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
static inline snag__u128 snag__u128_multiply(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, cross = a1 * b0;
    uint64_t middle = a0 * b1 + (low >> 32) + (uint32_t)cross;
    return (snag__u128){a1 * b1 + (cross >> 32) + (middle >> 32), middle << 32 | (uint32_t)low};
}
static inline snag__u128 snag__u128_add(snag__u128 a, snag__u128 b)
{
    uint64_t low = a.low + b.low;
    return (snag__u128){a.high + b.high + (low < a.low), low};
}
static inline snag__u128 snag__u128_subtract(snag__u128 a, snag__u128 b)
{
    return (snag__u128){a.high - b.high - (a.low < b.low), a.low - b.low};
}
// By 0 to 127.
static inline snag__u128 snag__u128_left(snag__u128 a, int bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return (snag__u128){a.low << (bits - 64), 0};
    return (snag__u128){a.high << bits | a.low >> (64 - bits), a.low << bits};
}
static inline snag__u128 snag__u128_right(snag__u128 a, int bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return (snag__u128){0, a.high >> (bits - 64)};
    return (snag__u128){a.high >> bits, a.high << (64 - bits) | a.low >> bits};
}
static inline bool snag__u128_less(snag__u128 a, snag__u128 b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}
// a / divisor, where the quotient fits: the high half of `a` is below the divisor. One bit at a time.
static inline uint64_t snag__u128_divide(snag__u128 a, uint64_t divisor)
{
    uint64_t rest = a.high, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        bool over = rest >> 63 != 0;  // the rest has 65 bits after the shift
        rest = rest << 1 | (a.low >> bit & 1);
        if (over || rest >= divisor) {
            rest -= divisor;
            quotient |= (uint64_t)1 << bit;
        }
    }
    return quotient;
}

#endif

static inline snag__u128 snag__u128_add64(snag__u128 a, uint64_t b)
{
    return snag__u128_add(a, snag__u128_of(0, b));
}
// The high half of a product.
static inline uint64_t snag__multiply_high(uint64_t a, uint64_t b)
{
    return snag__u128_high(snag__u128_multiply(a, b));
}

#endif
