// Wide kernels of fans.h.
#include "base/simd.h"
#include "bound/fans.h"

typedef uint32_t lanes __attribute__((vector_size(4 * SNAG__HUB_LANES)));

static inline lanes load_lanes(const uint32_t *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The words at eight places; the upper halves are anything.
static inline lanes words_at(const uint16_t *turns, lanes places)
{
#if defined(__AVX2__)
    return (lanes)_mm256_i32gather_epi32((const int *)(const void *)turns, (__m256i)places, sizeof *turns);
#else
    lanes words;
    for (int i = 0; i < SNAG__HUB_LANES; i++)
        words[i] = turns[places[i]];
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
    for (int i = 0; i < SNAG__HUB_LANES; i++)
        bits |= (uint32_t)(x[i] != 0) << i;
    return bits;
#endif
}

// Whose triangles are apart but for what they share. Seen along an axis that all of them face one way they go around the vertex in one
// sense, each by less than half a turn; so each turn passes the level of the vertex once upwards and once downwards. All axes
// are looked at together, one bit for each.
static inline uint32_t go_around_once(const uint16_t *turns, const snag__hubs *hubs, const snag__spokes *spokes)
{
    lanes common = ~(lanes){0}, once = {0}, twice = {0}, thrice = {0};
    for (uint32_t i = 0; i < hubs->row_count; i++) {
        lanes spoke = load_lanes(spokes[i].lane), turn = words_at(turns, spoke / SNAG__SPOKE_PLACE);
        lanes passes = turn >> spoke % SNAG__SPOKE_PLACE;
        common &= turn;
        thrice |= twice & passes;
        twice |= once & passes;
        once |= passes;
    }
    lanes one_way = (common >> SNAG__TURN_FACING | common >> (SNAG__TURN_FACING + 3)) & 7;
    uint32_t closed = bits_of(one_way & twice & ~thrice), open = bits_of(one_way & ~twice);
    return (closed & hubs->closed) | (open & ~(uint32_t)hubs->closed);
}

// Few change from one step to the next: their leaves are told.
static void note_changes(snag__fans *fans, const snag__hubs *hubs, uint32_t changed, uint8_t *proven)
{
    const snag__spokes *spokes = fans->spokes + hubs->first_row;
    for (; changed != 0; changed &= changed - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(changed);
        proven[hubs->vertex[lane]] = hubs->proven >> lane & 1;
        for (uint32_t i = 0; i < hubs->row_count; i++) {
            uint32_t leaf = spokes[i].lane[lane] / (SNAG__SPOKE_PLACE * SNAG__LEAF_ELEMENTS);
            atomic_store_explicit(&fans->changed[leaf], 1, memory_order_relaxed);
        }
    }
}

static void prove(snag__fans *fans, const uint16_t *turns, uint32_t first, uint32_t last, uint8_t *proven)
{
    for (snag__hubs *hubs = fans->hubs + first; hubs < fans->hubs + last; hubs++) {
        uint32_t now = go_around_once(turns, hubs, fans->spokes + hubs->first_row), changed = now ^ hubs->proven;
        if (changed == 0)
            continue;
        hubs->proven = (uint8_t)now;
        note_changes(fans, hubs, changed, proven);
    }
}

const snag__fan_kernels SNAG__KERNEL(snag__fan_kernels) = {.prove = prove};
