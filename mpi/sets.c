// Which parts hold an item.
#include "mpi_inside.h"

#include <stdlib.h>
#include <string.h>

bool sets_begin(snag_mpi *m, part_sets *sets, size_t items)
{
    *sets = (part_sets){.items = items};
    sets->first = mpi_take(m, items, sizeof *sets->first);
    sets->many = mpi_take(m, items, sizeof *sets->many);
    if (sets->first == NULL || sets->many == NULL)
        return false;
    memset(sets->first, 0xff, items * sizeof *sets->first);
    return true;
}

void sets_free(snag_mpi *m, part_sets *sets)
{
    mpi_free(m, sets->first);
    mpi_free(m, sets->many);
    mpi_free(m, sets->more);
    *sets = (part_sets){0};
}

void sets_add(snag_mpi *m, part_sets *sets, uint32_t item, int32_t part)
{
    if (sets->first[item] < 0)
        sets->first[item] = part;
    if (sets->first[item] == part)
        return;
    if (!mpi_grow(m, &sets->more, &sets->more_capacity, sets->more_count + 1, sizeof *sets->more)) {
        sets->failed = true;
        return;
    }
    sets->more[sets->more_count++] = (set_entry){item, part};
    sets->many[item] = 1;
}

static int compare_entries(const void *a, const void *b)
{
    const set_entry *x = a, *y = b;
    if (x->item != y->item)
        return x->item < y->item ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

void sets_sort(part_sets *sets)
{
    size_t kept = sets->more_count > 0;
    if (sets->more_count > 1)
        qsort(sets->more, sets->more_count, sizeof *sets->more, compare_entries);
    for (size_t i = 1; i < sets->more_count; i++)
        if (compare_entries(&sets->more[i], &sets->more[kept - 1]) != 0)
            sets->more[kept++] = sets->more[i];
    sets->more_count = kept;
}

const set_entry *sets_more(const part_sets *sets, uint32_t item, size_t *count)
{
    size_t low = 0, high = sets->more_count;
    *count = 0;
    if (!sets->many[item])
        return NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sets->more[middle].item < item)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + *count < sets->more_count && sets->more[low + *count].item == item)
        (*count)++;
    return sets->more + low;
}

bool sets_has(const part_sets *sets, uint32_t item, int32_t part)
{
    if (sets->first[item] == part)
        return true;
    size_t count;
    const set_entry *more = sets_more(sets, item, &count);
    for (size_t i = 0; i < count; i++)
        if (more[i].part == part)
            return true;
    return false;
}
