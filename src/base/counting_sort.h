// Sorting by small integer keys, in time linear in the numbers of items and keys.
#ifndef SNAG_BASE_COUNTING_SORT_H
#define SNAG_BASE_COUNTING_SORT_H

#include <stdint.h>

// Stable counting sort. Writes the `count` items of `order` (NULL: 0, 1, 2, ...) to `sorted`, by ascending keys[item]. All keys are
// below key_count. `start` has room for key_count + 1 entries; afterwards the items of key k are sorted[start[k]] ..
// sorted[start[k + 1] - 1]. `order` and `sorted` do not overlap.
void snag__counting_sort(const uint32_t *keys, uint32_t key_count, const uint32_t *order, uint32_t count, uint32_t *start,
                         uint32_t *sorted);

// Prefix sum: start[k + 1] holds the size of list k before, its end after. start[0] becomes 0.
void snag__sizes_to_starts(uint32_t *start, uint32_t list_count);
// Restores the starts after the lists were filled through start[k]++.
void snag__cursors_to_starts(uint32_t *start, uint32_t list_count);

#endif
