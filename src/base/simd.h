// One vector type for every instruction set. A kernel computes the same bits in each lane whatever the width, because no operation
// mixes lanes and the build forbids contraction.
// Lanes: SNAG__LANES_F32 floats or SNAG__LANES_F64 doubles. In the scalar build both are 1 and the types are plain numbers.
#ifndef SNAG_BASE_SIMD_H
#define SNAG_BASE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(SNAG_KERNEL_SCALAR)
#define SNAG__LANES_F32 1
#define SNAG__LANES_F64 1
#elif defined(__AVX512F__)
#include <immintrin.h>
#define SNAG__LANES_F32 16
#define SNAG__LANES_F64 8
#elif defined(__AVX2__)
#include <immintrin.h>
#define SNAG__LANES_F32 8
#define SNAG__LANES_F64 4
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#define SNAG__LANES_F32 4
#define SNAG__LANES_F64 2
#elif defined(__aarch64__)
#include <arm_neon.h>
#define SNAG__LANES_F32 4
#define SNAG__LANES_F64 2
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define SNAG__LANES_F32 4
#define SNAG__LANES_F64 2
#else
#define SNAG__LANES_F32 4
#define SNAG__LANES_F64 2
#endif

#if SNAG__LANES_F32 == 1
typedef float snag__f32w;
typedef int32_t snag__i32w;
typedef double snag__f64w;
typedef int64_t snag__i64w;
#else
typedef float snag__f32w __attribute__((vector_size(SNAG__LANES_F32 * 4)));
typedef int32_t snag__i32w __attribute__((vector_size(SNAG__LANES_F32 * 4)));
typedef double snag__f64w __attribute__((vector_size(SNAG__LANES_F64 * 8)));
typedef int64_t snag__i64w __attribute__((vector_size(SNAG__LANES_F64 * 8)));
#endif

#define SNAG__ALL_F32 ((1u << SNAG__LANES_F32) - 1u)
#define SNAG__ALL_F64 ((1u << SNAG__LANES_F64) - 1u)

// ---- load, store, broadcast ----

static inline snag__f32w snag__f32w_load(const float *from)
{
    snag__f32w v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void snag__f32w_store(float *to, snag__f32w v)
{
    memcpy(to, &v, sizeof v);
}

static inline snag__f64w snag__f64w_load(const double *from)
{
    snag__f64w v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void snag__f64w_store(double *to, snag__f64w v)
{
    memcpy(to, &v, sizeof v);
}

static inline snag__i32w snag__i32w_load(const void *from)
{
    snag__i32w v;
    memcpy(&v, from, sizeof v);
    return v;
}

#if SNAG__LANES_F32 == 1
static inline snag__f32w snag__f32w_all(float x)
{
    return x;
}
static inline snag__f64w snag__f64w_all(double x)
{
    return x;
}
static inline snag__i32w snag__i32w_all(int32_t x)
{
    return x;
}
static inline snag__i64w snag__i64w_all(int64_t x)
{
    return x;
}
#else
static inline snag__f32w snag__f32w_all(float x)
{
    return x - (snag__f32w){0};
}
static inline snag__f64w snag__f64w_all(double x)
{
    return x - (snag__f64w){0};
}
static inline snag__i32w snag__i32w_all(int32_t x)
{
    return x - (snag__i32w){0};
}
static inline snag__i64w snag__i64w_all(int64_t x)
{
    return x - (snag__i64w){0};
}
#endif

// ---- comparisons: a mask has all bits of a lane set where the comparison holds ----

#if SNAG__LANES_F32 == 1
#define SNAG__MASK32(condition) (-(int32_t)(condition))
#define SNAG__MASK64(condition) (-(int64_t)(condition))
#else
#define SNAG__MASK32(condition) ((snag__i32w)(condition))
#define SNAG__MASK64(condition) ((snag__i64w)(condition))
#endif

static inline snag__i32w snag__f32w_le(snag__f32w a, snag__f32w b)
{
    return SNAG__MASK32(a <= b);
}
static inline snag__i32w snag__f32w_lt(snag__f32w a, snag__f32w b)
{
    return SNAG__MASK32(a < b);
}
static inline snag__i32w snag__i32w_eq(snag__i32w a, snag__i32w b)
{
    return SNAG__MASK32(a == b);
}
static inline snag__i64w snag__f64w_le(snag__f64w a, snag__f64w b)
{
    return SNAG__MASK64(a <= b);
}
static inline snag__i64w snag__f64w_lt(snag__f64w a, snag__f64w b)
{
    return SNAG__MASK64(a < b);
}
static inline snag__i64w snag__f64w_eq(snag__f64w a, snag__f64w b)
{
    return SNAG__MASK64(a == b);
}

// One bit per lane, lane 0 lowest.
static inline uint32_t snag__i32w_bits(snag__i32w mask)
{
#if SNAG__LANES_F32 == 1
    return (uint32_t)mask & 1u;
#elif SNAG__LANES_F32 == 16
    return (uint32_t)_mm512_movepi32_mask((__m512i)mask);
#elif SNAG__LANES_F32 == 8
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE4_1__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < SNAG__LANES_F32; i++)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

static inline uint32_t snag__i64w_bits(snag__i64w mask)
{
#if SNAG__LANES_F32 == 1
    return (uint32_t)mask & 1u;
#elif SNAG__LANES_F32 == 16
    return (uint32_t)_mm512_movepi64_mask((__m512i)mask);
#elif SNAG__LANES_F32 == 8
    return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE4_1__)
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
#elif defined(__wasm_simd128__)
    return wasm_i64x2_bitmask((v128_t)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < SNAG__LANES_F64; i++)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

// ---- masks that are only counted and combined: where the processor has registers for them, a bit for each lane ----

#if SNAG__LANES_F32 == 16
typedef __mmask16 snag__f32m;
static inline snag__f32m snag__f32m_le(snag__f32w a, snag__f32w b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}
static inline snag__f32m snag__f32m_lt(snag__f32w a, snag__f32w b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
static inline snag__f32m snag__i32m_eq(snag__i32w a, snag__i32w b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}
static inline uint32_t snag__f32m_bits(snag__f32m mask)
{
    return mask;
}
#else
typedef snag__i32w snag__f32m;
static inline snag__f32m snag__f32m_le(snag__f32w a, snag__f32w b)
{
    return snag__f32w_le(a, b);
}
static inline snag__f32m snag__f32m_lt(snag__f32w a, snag__f32w b)
{
    return snag__f32w_lt(a, b);
}
static inline snag__f32m snag__i32m_eq(snag__i32w a, snag__i32w b)
{
    return snag__i32w_eq(a, b);
}
static inline uint32_t snag__f32m_bits(snag__f32m mask)
{
    return snag__i32w_bits(mask);
}
#endif

// ---- select: `a` where the mask is set, else `b` ----

#if SNAG__LANES_F32 == 1
static inline snag__f32w snag__f32w_select(snag__i32w mask, snag__f32w a, snag__f32w b)
{
    return mask ? a : b;
}
static inline snag__f64w snag__f64w_select(snag__i64w mask, snag__f64w a, snag__f64w b)
{
    return mask ? a : b;
}
#else
static inline snag__f32w snag__f32w_select(snag__i32w mask, snag__f32w a, snag__f32w b)
{
#ifdef __wasm_simd128__
    return (snag__f32w)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
    return (snag__f32w)((mask & (snag__i32w)a) | (~mask & (snag__i32w)b));
#endif
}
static inline snag__f64w snag__f64w_select(snag__i64w mask, snag__f64w a, snag__f64w b)
{
#ifdef __wasm_simd128__
    return (snag__f64w)wasm_v128_bitselect((v128_t)a, (v128_t)b, (v128_t)mask);
#else
    return (snag__f64w)((mask & (snag__i64w)a) | (~mask & (snag__i64w)b));
#endif
}
#endif

// ---- minimum and maximum: (a < b ? a : b) and (a > b ? a : b), also for NaN and signed zeros ----

static inline snag__f32w snag__f32w_min(snag__f32w a, snag__f32w b)
{
#if SNAG__LANES_F32 == 16
    return (snag__f32w)_mm512_min_ps((__m512)a, (__m512)b);
#elif SNAG__LANES_F32 == 8
    return (snag__f32w)_mm256_min_ps((__m256)a, (__m256)b);
#elif SNAG__LANES_F32 == 4 && defined(__SSE4_1__)
    return (snag__f32w)_mm_min_ps((__m128)a, (__m128)b);
#elif SNAG__LANES_F32 == 4 && defined(__wasm_simd128__)
    return (snag__f32w)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return snag__f32w_select(snag__f32w_lt(a, b), a, b);
#endif
}

static inline snag__f32w snag__f32w_max(snag__f32w a, snag__f32w b)
{
#if SNAG__LANES_F32 == 16
    return (snag__f32w)_mm512_max_ps((__m512)a, (__m512)b);
#elif SNAG__LANES_F32 == 8
    return (snag__f32w)_mm256_max_ps((__m256)a, (__m256)b);
#elif SNAG__LANES_F32 == 4 && defined(__SSE4_1__)
    return (snag__f32w)_mm_max_ps((__m128)a, (__m128)b);
#elif SNAG__LANES_F32 == 4 && defined(__wasm_simd128__)
    return (snag__f32w)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return snag__f32w_select(snag__f32w_lt(b, a), a, b);
#endif
}

static inline snag__f64w snag__f64w_min(snag__f64w a, snag__f64w b)
{
#if SNAG__LANES_F32 == 16
    return (snag__f64w)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif SNAG__LANES_F32 == 8
    return (snag__f64w)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif SNAG__LANES_F32 == 4 && defined(__SSE4_1__)
    return (snag__f64w)_mm_min_pd((__m128d)a, (__m128d)b);
#elif SNAG__LANES_F32 == 4 && defined(__wasm_simd128__)
    return (snag__f64w)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
#else
    return snag__f64w_select(snag__f64w_lt(a, b), a, b);
#endif
}

static inline snag__f64w snag__f64w_max(snag__f64w a, snag__f64w b)
{
#if SNAG__LANES_F32 == 16
    return (snag__f64w)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif SNAG__LANES_F32 == 8
    return (snag__f64w)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif SNAG__LANES_F32 == 4 && defined(__SSE4_1__)
    return (snag__f64w)_mm_max_pd((__m128d)a, (__m128d)b);
#elif SNAG__LANES_F32 == 4 && defined(__wasm_simd128__)
    return (snag__f64w)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
#else
    return snag__f64w_select(snag__f64w_lt(b, a), a, b);
#endif
}

static inline snag__f64w snag__f64w_abs(snag__f64w a)
{
#if SNAG__LANES_F32 == 1
    return fabs(a);
#else
    return (snag__f64w)((snag__i64w)a & snag__i64w_all(INT64_MAX));
#endif
}

// ---- bits ----

#if SNAG__LANES_F32 >= 8
// The indexes of the set bits of a byte, ascending, one per byte of the result.
static inline uint64_t snag__numbers_of_bits(uint32_t bits)
{
    // Each set bit becomes a byte of ones, which selects its index out of 7..0.
    return _pext_u64(0x0706050403020100u, _pdep_u64(bits, 0x0101010101010101u) * 0xff);
}
#endif

#endif
