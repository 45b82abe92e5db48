#include "query/exclusion_hints.h"

#include "base/counting_sort.h"

#include <string.h>

// 64 bits for so many partners: one of a hundred others then seems to be a partner.
enum { PARTNERS_OF_A_WORD = 4 };

static void add(snag__exclusion_hints *hints, uint32_t item, uint32_t partner)
{
    uint32_t first = hints->start[item], size = hints->start[item + 1] - first;
    snag__item_hash hash = snag__hash_item(partner);
    hints->words[first + (uint32_t)((uint64_t)hash.high * size >> 32)] |= hash.bits;
}

bool snag__exclusion_hints_make(snag__exclusion_hints *hints, const snag__csr *partners, uint32_t items,
                                const snag_allocator *allocator)
{
    size_t pairs = partners->start[items + 1];
    // Every item has at least one word, so that none need be asked for its size.
    const snag__room rooms[] = {
        {NULL, &hints->start, items + 2u, sizeof *hints->start},
        {NULL, &hints->words, pairs / PARTNERS_OF_A_WORD + items + 2u, sizeof *hints->words},
    };
    if (!snag__rooms_carve(allocator, &hints->memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    memset(hints->start, 0, (items + 2u) * sizeof *hints->start);
    for (uint32_t item = 1; item <= items; item++)
        for (uint32_t k = partners->start[item]; k < partners->start[item + 1]; k++) {
            hints->start[item + 1]++;
        }
    for (uint32_t item = 0; item <= items; item++)
        hints->start[item + 1] = hints->start[item + 1] / PARTNERS_OF_A_WORD + 1;
    snag__sizes_to_starts(hints->start, items + 1);
    memset(hints->words, 0, hints->start[items + 1] * sizeof *hints->words);
    for (uint32_t item = 1; item <= items; item++)
        for (uint32_t k = partners->start[item]; k < partners->start[item + 1]; k++) {
            add(hints, item, partners->items[k]);
        }
    return true;
}

void snag__exclusion_hints_free(const snag_allocator *allocator, snag__exclusion_hints *hints)
{
    snag__buffer_free(allocator, &hints->memory);
    *hints = (snag__exclusion_hints){0};
}
