// Vertices in single precision of as many pairs of elements as there are lanes, transposed: for the filters of distances and impacts.
#ifndef SNAG_GEOM_F32_GATHER_H
#define SNAG_GEOM_F32_GATHER_H

#include "base/simd.h"
#include "geom/f32_distance.h"

typedef struct snag__f32_vec3 {
    snag__f32w x, y, z;
} snag__f32_vec3;

// One side of pairs. An element's vertices are ids[corners * element ..]; without ids an element is a vertex.
typedef struct snag__f32_side {
    const snag__f32_vertex *vertices;
    size_t stride;  // from one vertex to the next
    const uint32_t *ids;
    uint32_t corners;
    int entry;  // of a pair, 0 or 1
} snag__f32_side;

// Corner `corner` of the elements of pairs[0 .. lanes - 1]. Returns its number. What is loaded has no detour through an array of
// pointers: that took as long as all arithmetic.
static inline __attribute__((always_inline)) snag__i32w snag__f32_gather(const snag__f32_side *side, const uint32_t (*pairs)[2],
                                                                         uint32_t corner, snag__f32_vec3 *x)
{
#define NUMBER(k) (side->corners > 0 ? side->ids[side->corners * (size_t)pairs[k][side->entry] + corner] : pairs[k][side->entry])
#define VERTEX(k) (side->vertices + side->stride * NUMBER(k))
#if SNAG__LANES_F32 >= 8
#define FOUR(k) _mm_loadu_ps(VERTEX(k)->x)
#if SNAG__LANES_F32 == 16
#define ROW(k)                                                                                                                     \
    _mm512_insertf32x4(                                                                                                            \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(FOUR(k)), FOUR((k) + 4), 1), FOUR((k) + 8), 2),               \
        FOUR((k) + 12), 3)
    __m512 r0 = ROW(0), r1 = ROW(1), r2 = ROW(2), r3 = ROW(3);
    __m512 xy01 = _mm512_unpacklo_ps(r0, r1), zn01 = _mm512_unpackhi_ps(r0, r1);
    __m512 xy23 = _mm512_unpacklo_ps(r2, r3), zn23 = _mm512_unpackhi_ps(r2, r3);
    *x = (snag__f32_vec3){(snag__f32w)_mm512_shuffle_ps(xy01, xy23, 0x44), (snag__f32w)_mm512_shuffle_ps(xy01, xy23, 0xee),
                          (snag__f32w)_mm512_shuffle_ps(zn01, zn23, 0x44)};
    return (snag__i32w)_mm512_shuffle_ps(zn01, zn23, 0xee);
#else
#define ROW(k) _mm256_insertf128_ps(_mm256_castps128_ps256(FOUR(k)), FOUR((k) + 4), 1)
    __m256 r0 = ROW(0), r1 = ROW(1), r2 = ROW(2), r3 = ROW(3);
    __m256 xy01 = _mm256_unpacklo_ps(r0, r1), zn01 = _mm256_unpackhi_ps(r0, r1);
    __m256 xy23 = _mm256_unpacklo_ps(r2, r3), zn23 = _mm256_unpackhi_ps(r2, r3);
    *x = (snag__f32_vec3){(snag__f32w)_mm256_shuffle_ps(xy01, xy23, 0x44), (snag__f32w)_mm256_shuffle_ps(xy01, xy23, 0xee),
                          (snag__f32w)_mm256_shuffle_ps(zn01, zn23, 0x44)};
    return (snag__i32w)_mm256_shuffle_ps(zn01, zn23, 0xee);
#endif
#undef ROW
#undef FOUR
#else
    float lanes[3][SNAG__LANES_F32];
    uint32_t numbers[SNAG__LANES_F32];
    for (size_t lane = 0; lane < SNAG__LANES_F32; lane++) {
        const snag__f32_vertex *v = VERTEX(lane);
        for (int axis = 0; axis < 3; axis++)
            lanes[axis][lane] = v->x[axis];
        numbers[lane] = v->number;
    }
    *x = (snag__f32_vec3){snag__f32w_load(lanes[0]), snag__f32w_load(lanes[1]), snag__f32w_load(lanes[2])};
    return snag__i32w_load(numbers);
#endif
#undef VERTEX
#undef NUMBER
}

// The same where vertices stand in twos, 2 n and 2 n + 1 for each number n: one load for both.
static inline __attribute__((always_inline)) void snag__f32_gather_twos(const snag__f32_side *side, const uint32_t (*pairs)[2],
                                                                        uint32_t corner, snag__f32_vec3 x[2], snag__i32w number[2])
{
#define NUMBER(k) (side->corners > 0 ? side->ids[side->corners * (size_t)pairs[k][side->entry] + corner] : pairs[k][side->entry])
#if SNAG__LANES_F32 >= 8
#define TWO(k) _mm256_loadu_ps(side->vertices[2 * (size_t)NUMBER(k)].x)
// Of four, or of twice four: all x in one, all y, all z, all numbers; those of the first in even quarters, of the second in odd ones.
#define FOUR(bits, r0, r1, r2, r3, x, y, z, n)                                                                                     \
    do {                                                                                                                           \
        __m##bits xy01 = _mm##bits##_unpacklo_ps(r0, r1), zn01 = _mm##bits##_unpackhi_ps(r0, r1);                                  \
        __m##bits xy23 = _mm##bits##_unpacklo_ps(r2, r3), zn23 = _mm##bits##_unpackhi_ps(r2, r3);                                  \
        x = _mm##bits##_shuffle_ps(xy01, xy23, 0x44);                                                                              \
        y = _mm##bits##_shuffle_ps(xy01, xy23, 0xee);                                                                              \
        z = _mm##bits##_shuffle_ps(zn01, zn23, 0x44);                                                                              \
        n = _mm##bits##_shuffle_ps(zn01, zn23, 0xee);                                                                              \
    } while (0)
#if SNAG__LANES_F32 == 16
#define ROW(k) (__m512) _mm512_insertf64x4((__m512d)_mm512_castps256_ps512(TWO(k)), (__m256d)TWO((k) + 4), 1)
    __m512 low[4], high[4];
    FOUR(512, ROW(0), ROW(1), ROW(2), ROW(3), low[0], low[1], low[2], low[3]);
    FOUR(512, ROW(8), ROW(9), ROW(10), ROW(11), high[0], high[1], high[2], high[3]);
#define FIRST(axis) _mm512_shuffle_f32x4(low[axis], high[axis], 0x88)
#define SECOND(axis) _mm512_shuffle_f32x4(low[axis], high[axis], 0xdd)
#else
#define ROW(k) TWO(k)
    __m256 low[4], high[4];
    FOUR(256, ROW(0), ROW(1), ROW(2), ROW(3), low[0], low[1], low[2], low[3]);
    FOUR(256, ROW(4), ROW(5), ROW(6), ROW(7), high[0], high[1], high[2], high[3]);
#define FIRST(axis) _mm256_permute2f128_ps(low[axis], high[axis], 0x20)
#define SECOND(axis) _mm256_permute2f128_ps(low[axis], high[axis], 0x31)
#endif
    x[0] = (snag__f32_vec3){(snag__f32w)FIRST(0), (snag__f32w)FIRST(1), (snag__f32w)FIRST(2)};
    x[1] = (snag__f32_vec3){(snag__f32w)SECOND(0), (snag__f32w)SECOND(1), (snag__f32w)SECOND(2)};
    number[0] = (snag__i32w)FIRST(3);
    number[1] = (snag__i32w)SECOND(3);
#undef SECOND
#undef FIRST
#undef ROW
#undef FOUR
#undef TWO
#else
    for (uint32_t k = 0; k < 2; k++) {
        const snag__f32_side one = {side->vertices + k, 2, side->ids, side->corners, side->entry};
        number[k] = snag__f32_gather(&one, pairs, corner, &x[k]);
    }
#endif
#undef NUMBER
}

// The pairs of a block of lanes. If fewer are left than lanes they are copied to `room`, the first once more in each lane behind the last.
static inline const uint32_t (*snag__f32_block(const uint32_t (*pairs)[2], size_t left, uint32_t (*room)[2]))[2]
{
    if (left >= SNAG__LANES_F32)
        return pairs;
    for (size_t lane = 0; lane < SNAG__LANES_F32; lane++)
        memcpy(room[lane], pairs[lane < left ? lane : 0], sizeof *room);
    return (const uint32_t(*)[2])room;
}

// Writes the pairs of a block whose lanes are set, and returns how many. `kept` may be the array that the pairs are read from, as long as it
// is not ahead of them: no more is written than was read.
static inline size_t snag__f32_keep(const uint32_t (*pairs)[2], size_t lanes, uint32_t left, uint32_t (*kept)[2])
{
#if SNAG__LANES_F32 == 16
    if (lanes == SNAG__LANES_F32) {
        __m512i low = _mm512_loadu_si512(pairs), high = _mm512_loadu_si512(pairs + 8);
        _mm512_storeu_si512(kept, _mm512_maskz_compress_epi64((__mmask8)left, low));
        size_t count = (size_t)__builtin_popcount(left & 0xff);
        _mm512_storeu_si512(kept + count, _mm512_maskz_compress_epi64((__mmask8)(left >> 8), high));
        return count + (size_t)__builtin_popcount(left >> 8 & 0xff);
    }
#endif
    // Without a branch for each: which are left cannot be guessed.
    size_t count = 0;
    for (size_t lane = 0; lane < lanes; lane++) {
        uint32_t row = pairs[lane][0], column = pairs[lane][1];
        kept[count][0] = row;
        kept[count][1] = column;
        count += left >> lane & 1;
    }
    return count;
}

#endif
