// Sorting items by small whole numbers, in time linear in both.
#ifndef SNAG_BASE_COUNTING_SORT_H
#define SNAG_BASE_COUNTING_SORT_H

#include <stdint.h>

// Stable counting sort. Writes to `sorted` the `count` items of `order` (NULL: 0, 1, 2, ...) by ascending keys[item];
// items of equal key keep their order, so sorting by the last column first and the first column last sorts by columns.
// All keys are below key_count. `start` has room for key_count + 1 entries; afterwards the items of key k are
// sorted[start[k]] .. sorted[start[k + 1] - 1]. `order` and `sorted` do not overlap.
void snag__counting_sort(const uint32_t *keys, uint32_t key_count, const uint32_t *order, uint32_t count, uint32_t *start,
                         uint32_t *sorted);

// Turns counts into starts: start[k + 1] holds the size of list k before, its end after. start[0] becomes 0.
void snag__sizes_to_starts(uint32_t *start, uint32_t list_count);
// Undoes what filling the lists through start[k]++ did to the starts.
void snag__cursors_to_starts(uint32_t *start, uint32_t list_count);

#endif
