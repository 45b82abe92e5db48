// Wide kernels of vertex stars.h.
#include "base/simd.h"
#include "bound/vertex_star.h"

typedef uint32_t lanes __attribute__((vector_size(4 * SNAG__STAR_LANES)));

static inline lanes load_lanes(const uint32_t *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The words at eight slots; the upper halves are anything.
static inline lanes words_at(const uint16_t *turns, lanes slots)
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

// Lanes that are not zero, a bit each.
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

// Whose triangles are apart but for what they share. Seen along an axis that all of them face one way they go around the vertex in one
// sense, each by less than half a turn; so each turn passes the level of the vertex once upwards and once downwards. All axes
// are looked at together, one bit for each.
static inline uint32_t go_around_once(const uint16_t *turns, const snag__star_block *star_blocks, const snag__star_row *star_rows)
{
    lanes common = ~(lanes){0}, once = {0}, twice = {0}, thrice = {0};
    for (uint32_t i = 0; i < star_blocks->row_count; i++) {
        lanes star_row = load_lanes(star_rows[i].lane), turn = words_at(turns, star_row / SNAG__STAR_ROW_SLOT);
        lanes passes = turn >> star_row % SNAG__STAR_ROW_SLOT;
        common &= turn;
        thrice |= twice & passes;
        twice |= once & passes;
        once |= passes;
    }
    lanes one_way = (common >> SNAG__TURN_FACING | common >> (SNAG__TURN_FACING + 3)) & 7;
    uint32_t closed = bits_of(one_way & twice & ~thrice), open = bits_of(one_way & ~twice);
    return (closed & star_blocks->closed) | (open & ~(uint32_t)star_blocks->closed);
}

// Few change from one step to the next: their leaves are told.
static void note_changes(snag__vertex_stars *vertex_stars, const snag__star_block *star_blocks, uint32_t changed, uint8_t *proven)
{
    const snag__star_row *star_rows = vertex_stars->star_rows + star_blocks->first_row;
    for (; changed != 0; changed &= changed - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(changed);
        proven[star_blocks->vertex[lane]] = star_blocks->proven >> lane & 1;
        for (uint32_t i = 0; i < star_blocks->row_count; i++) {
            uint32_t leaf = star_rows[i].lane[lane] / (SNAG__STAR_ROW_SLOT * SNAG__LEAF_ELEMENTS);
            atomic_store_explicit(&vertex_stars->changed[leaf], 1, memory_order_relaxed);
        }
    }
}

static void prove(snag__vertex_stars *vertex_stars, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven)
{
    for (snag__star_block *star_blocks = vertex_stars->star_blocks + first; star_blocks < vertex_stars->star_blocks + last;
         star_blocks++) {
        uint32_t now = go_around_once(turns, star_blocks, vertex_stars->star_rows + star_blocks->first_row),
                 changed = now ^ star_blocks->proven;
        if (changed == 0)
            continue;
        star_blocks->proven = (uint8_t)now;
        note_changes(vertex_stars, star_blocks, changed, proven);
    }
}

const snag__vertex_star_kernels SNAG__KERNEL(snag__vertex_star_kernels) = {.prove = prove};
