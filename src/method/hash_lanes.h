// What the kernels of `hash` share: vectors of eight floats.
#ifndef SNAG_METHOD_HASH_LANES_H
#define SNAG_METHOD_HASH_LANES_H

#include "base/simd.h"

#include <string.h>

// Eight lanes whatever the instruction set: the compiler cuts them as it must.
typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int64_t l4 __attribute__((vector_size(32)));

#if defined(__AVX2__) && defined(__BMI2__) && !defined(SNAG_KERNEL_SCALAR)
#define HAS_AVX2 1
#endif

static inline f8 all_f8(float x)
{
    return x - (f8){0};
}

static inline uint32_t bits_of(i8 mask)
{
#ifdef HAS_AVX2
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

static inline f8 select_f8(i8 mask, f8 a, f8 b)
{
    return (f8)((mask & (i8)a) | (~mask & (i8)b));
}

static inline f8 min_f8(f8 a, f8 b)
{
#ifdef HAS_AVX2
    return (f8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return select_f8((i8)(a < b), a, b);
#endif
}

static inline f8 max_f8(f8 a, f8 b)
{
#ifdef HAS_AVX2
    return (f8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return select_f8((i8)(a > b), a, b);
#endif
}

static inline float least_lane(f8 a)
{
    f8 b = min_f8(a, __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    b = min_f8(b, __builtin_shufflevector(b, b, 2, 3, 0, 1, 6, 7, 4, 5));
    return b[0] < b[1] ? b[0] : b[1];
}

static inline f8 load_f8(const float *from)
{
    f8 x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline d4 load_d4(const double *from)
{
    d4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline f8 join(f4 low, f4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

#endif
