// Shared by the kernels of `hash`: vectors of eight floats.
#ifndef SNAG_METHOD_HASH_LANES_H
#define SNAG_METHOD_HASH_LANES_H

#include "base/simd.h"

#include <string.h>

// Eight lanes for every instruction set: the compiler splits them as needed.
typedef float f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int64_t l4 __attribute__((vector_size(32)));

#if defined(__AVX2__) && defined(__BMI2__) && !defined(SNAG_KERNEL_SCALAR)
#define HAS_AVX2 1
#endif

// GCC has Clang's shuffles since version 12.
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE_F4(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define SHUFFLE_F8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE_F4(a, b, ...) __builtin_shuffle(a, b, (i4){__VA_ARGS__})
#define SHUFFLE_F8(a, b, ...) __builtin_shuffle(a, b, (i8){__VA_ARGS__})
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
    f8 b = min_f8(a, SHUFFLE_F8(a, a, 4, 5, 6, 7, 0, 1, 2, 3));
    b = min_f8(b, SHUFFLE_F8(b, b, 2, 3, 0, 1, 6, 7, 4, 5));
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
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return (f8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

// Transposes eight points of four coordinates into four vectors.
static inline void transpose(const f4 v[8], f8 out[4])
{
    f4 x[2], y[2], z[2], w[2];
    for (int half = 0; half < 2; half++) {
        const f4 *a = v + 4 * (size_t)half;
        f4 xy01 = SHUFFLE_F4(a[0], a[1], 0, 4, 1, 5), xy23 = SHUFFLE_F4(a[2], a[3], 0, 4, 1, 5);
        f4 zw01 = SHUFFLE_F4(a[0], a[1], 2, 6, 3, 7), zw23 = SHUFFLE_F4(a[2], a[3], 2, 6, 3, 7);
        x[half] = SHUFFLE_F4(xy01, xy23, 0, 1, 4, 5);
        y[half] = SHUFFLE_F4(xy01, xy23, 2, 3, 6, 7);
        z[half] = SHUFFLE_F4(zw01, zw23, 0, 1, 4, 5);
        w[half] = SHUFFLE_F4(zw01, zw23, 2, 3, 6, 7);
    }
    out[0] = join(x[0], x[1]);
    out[1] = join(y[0], y[1]);
    out[2] = join(z[0], z[1]);
    out[3] = join(w[0], w[1]);
}

// Stores the lanes whose bits are set, packed. Writes up to eight.
static inline void keep_lanes(f8 x, uint32_t bits, float *to)
{
#ifdef HAS_AVX2
    __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)snag__numbers_of_bits(bits)));
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps((__m256)x, order));
#else
    for (int count = 0; bits != 0; bits &= bits - 1)
        to[count++] = x[__builtin_ctz(bits)];
#endif
}

#endif
