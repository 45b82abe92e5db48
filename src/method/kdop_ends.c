// Both ends of every edge in single precision, in the order of a BVH's slots: see kdop.h.
#include "method/kdop.h"

#include "query/f32_vertices.h"

#include <string.h>

enum { SLOTS_OF_A_TASK = 4096 };

typedef struct filling {
    const snag__ask *ask;
    const snag__bvh *edges;
    snag__f32_vertex *ends;
} filling;

static void fill_part(void *context, uint32_t task)
{
    const filling *f = context;
    const snag__bvh *edges = f->edges;
    uint32_t slot = task * SLOTS_OF_A_TASK, left = edges->slot_count - slot,
             last = slot + (left < SLOTS_OF_A_TASK ? left : SLOTS_OF_A_TASK), tree = 0;
    while (slot < last) {
        while (tree + 1 < edges->tree_count && slot >= edges->trees[tree + 1].first_slot)
            tree++;
        bool is_last = tree + 1 == edges->tree_count || edges->trees[tree + 1].first_slot > last;
        const snag__f32_vertex *vertices = snag__f32_vertices_of(f->ask, tree);
        for (uint32_t end = is_last ? last : edges->trees[tree + 1].first_slot; slot < end; slot++) {
            if (!snag__bvh_slot_is_used(edges, slot))
                continue;
            memcpy(&f->ends[2 * (size_t)slot], &vertices[edges->vertices[2 * (size_t)slot]], sizeof *f->ends);
            memcpy(&f->ends[2 * (size_t)slot + 1], &vertices[edges->vertices[2 * (size_t)slot + 1]], sizeof *f->ends);
        }
    }
}

// Memory of the last answer that is large enough; NULL: there is none.
static void *find_room(const snag__scratch *scratch, size_t slots)
{
    const snag__buffer *rooms[] = {&scratch->sorted, &scratch->answer};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (rooms[i]->bytes / sizeof(snag__f32_vertex[2]) >= slots)
            return rooms[i]->data;
    return NULL;
}

const snag__f32_vertex *snag__kdop_ends(const snag__ask *ask, const snag__bvh *edges)
{
    filling f = {ask, edges, find_room(ask->scratch, edges->slot_count)};
    if (ask->f32 == NULL || f.ends == NULL || edges->slot_count == 0)
        return NULL;
    snag__parallel_for(ask->parallel, (edges->slot_count + SLOTS_OF_A_TASK - 1) / SLOTS_OF_A_TASK, fill_part, &f);
    return f.ends;
}
