#include "query/clearance.h"

snag_status snag__clearance_begin(snag__clearance *c, const snag_allocator *allocator, double reach, size_t pairs)
{
    if (c->known && reach == c->reach)
        return SNAG_OK;
    // A little more room than needed: the next set of similar size allocates nothing.
    if (!snag__buffer_reserve(allocator, &c->memory, 0, pairs + pairs / 8 + 1, sizeof *c->free_until))
        return SNAG_ERROR_MEMORY;
    c->free_until = c->memory.data;
    for (size_t i = 0; i < pairs; i++)
        c->free_until[i] = 0;
    c->reach = reach;
    c->known = true;
    return SNAG_OK;
}

void snag__clearance_free(const snag_allocator *allocator, snag__clearance *c)
{
    snag__buffer_free(allocator, &c->memory);
}
