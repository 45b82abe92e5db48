// SIMD kernels of vertex_star.h.
#include "base/assert.h"
#include "base/simd.h"
#include "bound/vertex_star.h"

typedef uint32_t lanes __attribute__((vector_size(4 * SNAG__STAR_LANES)));

static inline lanes load_lanes(const uint32_t *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The turns at eight slots; the upper 16 bits are arbitrary.
static inline lanes turns_at(const uint16_t *turns, lanes slots)
{
#if defined(__AVX2__)
    return (lanes)_mm256_i32gather_epi32((const int *)(const void *)turns, (__m256i)slots, sizeof *turns);
#else
    lanes words;
    for (int i = 0; i < SNAG__STAR_LANES; i++)
        words[i] = turns[slots[i]];
    return words;
#endif
}

// One bit for each lane that is not zero.
static inline uint32_t bits_of(lanes x)
{
#if defined(__AVX2__)
    return ~(uint32_t)_mm256_movemask_ps((__m256)(x == 0)) & 255u;
#else
    uint32_t bits = 0;
    for (int i = 0; i < SNAG__STAR_LANES; i++)
        bits |= (uint32_t)(x[i] != 0) << i;
    return bits;
#endif
}

// The lanes whose triangles go around the vertex just once, seen along some axis. If all of them face one way along an axis they go
// around in one sense, each by less than half a turn; so every turn around the vertex crosses its height once upwards and once
// downwards. The three axes are tested together, a bit each.
static inline uint32_t go_around_once(const uint16_t *turns, const snag__star_block *block, const snag__star_row *rows)
{
    lanes common = ~(lanes){0}, once = {0}, twice = {0}, thrice = {0};
    for (uint32_t i = 0; i < block->row_count; i++) {
        lanes star_row = load_lanes(rows[i].lane), turn = turns_at(turns, star_row / SNAG__STAR_ROW_SLOT);
        lanes passes = turn >> star_row % SNAG__STAR_ROW_SLOT;
        common &= turn;
        thrice |= twice & passes;
        twice |= once & passes;
        once |= passes;
    }
    lanes one_way = (common >> SNAG__TURN_FACING | common >> (SNAG__TURN_FACING + 3)) & 7;
    uint32_t closed = bits_of(one_way & twice & ~thrice), open = bits_of(one_way & ~twice);
    return (closed & block->closed) | (open & ~(uint32_t)block->closed);
}

// Marks the leaves of the vertices that have changed: few do from one step to the next.
static void note_changes(snag__vertex_stars *vertex_stars, const snag__star_block *block, uint32_t changed, uint8_t *proven)
{
    const snag__star_row *rows = vertex_stars->star_rows + block->first_row;
    for (; changed != 0; changed &= changed - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(changed);
        proven[block->vertex[lane]] = block->proven >> lane & 1;
        for (uint32_t i = 0; i < block->row_count; i++) {
            uint32_t leaf = rows[i].lane[lane] / (SNAG__STAR_ROW_SLOT * SNAG__LEAF_ELEMENTS);
            atomic_store_explicit(&vertex_stars->changed[leaf], 1, memory_order_relaxed);
        }
    }
}

static void prove(snag__vertex_stars *vertex_stars, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven)
{
    SNAG__ASSERT(first <= last && last <= vertex_stars->star_block_count);
    for (snag__star_block *block = vertex_stars->star_blocks + first; block < vertex_stars->star_blocks + last; block++) {
        uint32_t now = go_around_once(turns, block, vertex_stars->star_rows + block->first_row), changed = now ^ block->proven;
        if (changed == 0)
            continue;
        block->proven = (uint8_t)now;
        note_changes(vertex_stars, block, changed, proven);
    }
}

const snag__vertex_star_kernels SNAG__KERNEL(snag__vertex_star_kernels) = {.prove = prove};
