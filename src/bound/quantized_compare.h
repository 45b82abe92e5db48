// Which slots of a leaf overlap a box, by quantized boxes: for kernels, which define SNAG__INLINE.
#ifndef SNAG_BOUND_QUANTIZED_COMPARE_H
#define SNAG_BOUND_QUANTIZED_COMPARE_H

#include "base/simd.h"
#include "bound/quantized_aabb.h"

#include <string.h>

#if defined(SNAG_KERNEL_SCALAR) && !defined(__SSE2__) && !defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
// Without any vectors: four slots in a word. One by one, as compilers take vectors apart, self-intersections of cloth as a scalar
// WebAssembly module take 1.6 times as long.
enum { SLOTS_IN_WORD = 4, WORDS = SNAG__LEAF_ELEMENTS / SLOTS_IN_WORD };

static const uint64_t EACH = 0x0001000100010001, SIGNS = 0x8000800080008000;

// The boxes of a leaf, ready to be compared.
typedef struct leaf_quantized {
    uint64_t lo[3][WORDS], hi[3][WORDS];
} leaf_quantized;

SNAG__INLINE leaf_quantized load_leaf(const snag__quantized_leaf *boxes)
{
    leaf_quantized leaf;
    memcpy(leaf.lo, boxes->lo, sizeof leaf.lo);
    memcpy(leaf.hi, boxes->hi, sizeof leaf.hi);
    return leaf;
}

// Modulo 2^16 in each of four: the signs are left out, so that nothing is borrowed from a neighbour, and put in afterwards.
SNAG__INLINE uint64_t minus_each(uint64_t x, uint64_t y)
{
    return ((x | SIGNS) - (y & ~SIGNS)) ^ ((x ^ ~y) & SIGNS);
}

// The four signs as the lowest bits: the product has that of slot k, at bit 16 k + 15, at bit 48 + k, and no two anywhere together.
SNAG__INLINE uint32_t gather_signs(uint64_t x)
{
    return (uint32_t)((x >> 15 & EACH) * 0x0001000200040008 >> 48) & 15u;
}

SNAG__INLINE uint32_t slots_that_meet(const leaf_quantized *many, const uint16_t lo[3], const uint16_t hi[3])
{
    uint32_t bits = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        uint64_t apart = 0;
        for (int axis = 0; axis < 3; axis++)
            apart |= minus_each(hi[axis] * EACH, many->lo[axis][w]) | minus_each(many->hi[axis][w], lo[axis] * EACH);
        bits |= gather_signs(~apart) << SLOTS_IN_WORD * w;
    }
    return bits;
}

// Which slots of a leaf overlap a box; see quantized_aabb.h for why signs are right.
SNAG__INLINE uint32_t quantized_overlap(const snag__quantized_leaf *many, const uint16_t lo[3], const uint16_t hi[3])
{
    leaf_quantized leaf = load_leaf(many);
    return slots_that_meet(&leaf, lo, hi);
}

// The same for the box of a slot.
SNAG__INLINE uint32_t columns_in_quantized(const leaf_quantized *many, const snag__quantized_leaf *boxes, uint32_t lane)
{
    const uint16_t lo[3] = {boxes->lo[0][lane], boxes->lo[1][lane], boxes->lo[2][lane]},
                   hi[3] = {boxes->hi[0][lane], boxes->hi[1][lane], boxes->hi[2][lane]};
    return slots_that_meet(many, lo, hi);
}
#else
// Of all slots of a leaf; differences are signed.
typedef uint16_t quantum_numbers __attribute__((vector_size(2 * SNAG__LEAF_ELEMENTS)));

SNAG__INLINE uint32_t sign_bits(quantum_numbers x)
{
#if defined(__AVX2__)
    __m256i whole = (__m256i)x;
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return (uint32_t)_mm_movemask_epi8(bytes);
#elif defined(__wasm_simd128__) && !defined(SNAG_KERNEL_SCALAR)
    v128_t half[2];
    memcpy(half, &x, sizeof half);
    return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(half[0], half[1]));
#else
    uint32_t bits = 0;
    for (int i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        bits |= (uint32_t)(x[i] >> 15) << i;
    return bits;
#endif
}

SNAG__INLINE quantum_numbers load_quantized(const uint16_t *from)
{
    quantum_numbers x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The boxes of a leaf, ready to be compared.
typedef struct leaf_quantized {
    quantum_numbers lo[3], hi[3];
} leaf_quantized;

SNAG__INLINE leaf_quantized load_leaf(const snag__quantized_leaf *boxes)
{
    leaf_quantized leaf;
    for (int axis = 0; axis < 3; axis++) {
        leaf.lo[axis] = load_quantized(boxes->lo[axis]);
        leaf.hi[axis] = load_quantized(boxes->hi[axis]);
    }
    return leaf;
}

// Which slots of a leaf overlap a box; see quantized boxes.h for why signs are right.
SNAG__INLINE uint32_t quantized_overlap(const snag__quantized_leaf *many, const uint16_t lo[3], const uint16_t hi[3])
{
    quantum_numbers apart = {0};
    for (int axis = 0; axis < 3; axis++)
        apart |= (hi[axis] - load_quantized(many->lo[axis])) | (load_quantized(many->hi[axis]) - lo[axis]);
    return sign_bits(~apart);
}

// The same for the box of a slot.
SNAG__INLINE uint32_t columns_in_quantized(const leaf_quantized *many, const snag__quantized_leaf *boxes, uint32_t lane)
{
    quantum_numbers apart = (boxes->hi[0][lane] - many->lo[0]) | (many->hi[0] - boxes->lo[0][lane]);
    apart |= (boxes->hi[1][lane] - many->lo[1]) | (many->hi[1] - boxes->lo[1][lane]);
    apart |= (boxes->hi[2][lane] - many->lo[2]) | (many->hi[2] - boxes->lo[2][lane]);
    return ~sign_bits(apart);
}
#endif

#endif
