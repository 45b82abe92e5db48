#include "base/counting_sort.h"

#include <string.h>

void snag__sizes_to_starts(uint32_t *start, uint32_t list_count)
{
    start[0] = 0;
    for (uint32_t k = 0; k < list_count; k++)
        start[k + 1] += start[k];
}

void snag__cursors_to_starts(uint32_t *start, uint32_t list_count)
{
    // Each cursor has come to where the next list starts.
    memmove(start + 1, start, (size_t)list_count * sizeof *start);
    start[0] = 0;
}

void snag__counting_sort(const uint32_t *keys, uint32_t key_count, const uint32_t *order, uint32_t count, uint32_t *start,
                         uint32_t *sorted)
{
    memset(start, 0, ((size_t)key_count + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[keys[order != NULL ? order[i] : i] + 1]++;
    snag__sizes_to_starts(start, key_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = order != NULL ? order[i] : i;
        sorted[start[keys[item]]++] = item;
    }
    snag__cursors_to_starts(start, key_count);
}
