#include "bound/leaf_adjacency.h"

#include "base/assert.h"

#include <string.h>

// More tables than a leaf of an ordinary surface has on average.
enum { USUAL_ADJACENCY = 12 };

// Makes room for `more` tables.
static bool reserve(snag__leaf_adjacency *adjacency, size_t more, const snag_allocator *allocator)
{
    size_t count = adjacency->count + more + SNAG__ADJACENT_TOGETHER;
    snag__buffer *memory = adjacency->memory;
    const snag__room rooms[] = {
        {&memory[SNAG__ADJACENCY_OTHER], &adjacency->other, count, sizeof *adjacency->other},
        {&memory[SNAG__ADJACENCY_REVERSE], &adjacency->reverse, count, sizeof *adjacency->reverse},
        {&memory[SNAG__ADJACENCY_CORNER], &adjacency->corner, count, sizeof *adjacency->corner},
        {&memory[SNAG__ADJACENCY_APART], &adjacency->apart, count, sizeof *adjacency->apart},
    };
    return snag__rooms_grow(allocator, rooms, sizeof rooms / sizeof *rooms, adjacency->count);
}

bool snag__leaf_adjacency_start(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag_allocator *allocator)
{
    SNAG__ASSERT(bvh->kind == SNAG_TRIANGLE && bvh->slot_count % SNAG__LEAF_ELEMENTS == 0);
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS + 1u;
    adjacency->count = 0;
    const snag__room rooms[] = {
        {&adjacency->memory[SNAG__ADJACENCY_START], &adjacency->start, leaves + 1, sizeof *adjacency->start},
        {&adjacency->memory[SNAG__ADJACENCY_LAST], &adjacency->last, leaves, sizeof *adjacency->last},
    };
    if (!reserve(adjacency, USUAL_ADJACENCY * leaves, allocator) ||
        !snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    memset(adjacency->start, 0, (leaves + 1) * sizeof *adjacency->start);
    memset(adjacency->last, 0xff, leaves * sizeof *adjacency->last);
    return true;
}

static void clear_apart(snag__leaf_adjacency *adjacency, uint32_t adjacent, bool self)
{
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        adjacency->apart[adjacent].row[i] = (uint16_t)(self ? (2u << i) - 1u : 0);
}

// The table from a leaf to another; adds it if there is none yet.
static uint32_t adjacent_to(snag__leaf_adjacency *adjacency, uint32_t leaf, uint32_t other)
{
    uint32_t(*last)[2] = adjacency->last;
    if (last[other][0] != leaf) {
        last[other][0] = leaf;
        last[other][1] = adjacency->count;
        adjacency->other[adjacency->count] = other;
        memset(adjacency->corner[adjacency->count], 0, sizeof *adjacency->corner);
        clear_apart(adjacency, adjacency->count++, other == leaf);
    }
    return last[other][1];
}

static void learn_slot(snag__leaf_adjacency *adjacency, const snag__tree *tree, const uint32_t *vertices, uint32_t slot,
                       const uint32_t *slot_of, uint32_t most)
{
    const snag__csr *around = &tree->mesh->vertex_triangles;
    // A hole, left by an edit, is in no list of triangles around a vertex: its neighbours do not know it either.
    if (vertices[0] == vertices[1] && vertices[1] == vertices[2])
        return;
    for (int c = 0; c < 3; c++) {
        uint32_t first = around->start[vertices[c]], last = around->start[vertices[c] + 1];
        for (uint32_t i = first; i < last && last - first <= most; i++) {
            uint32_t other = slot_of[around->items[i]];
            uint32_t adjacent = adjacent_to(adjacency, slot / SNAG__LEAF_ELEMENTS, other / SNAG__LEAF_ELEMENTS);
            if (other != slot)
                adjacency->corner[adjacent][c].row[slot % SNAG__LEAF_ELEMENTS] |= (uint16_t)(1u << other % SNAG__LEAF_ELEMENTS);
        }
    }
}

// The most tables that the slots of a leaf can need.
static size_t adjacency_at_most(const snag__tree *tree, const uint32_t *vertices, uint32_t slots)
{
    const uint32_t *start = tree->mesh->vertex_triangles.start;
    size_t count = 1;
    for (uint32_t i = 0; i < 3 * slots; i++)
        count += start[vertices[i] + 1] - start[vertices[i]];
    return count;
}

// Adjacency is symmetric: each table has a reverse, in the same tree.
static void find_reverses(snag__leaf_adjacency *adjacency, uint32_t first_leaf, uint32_t last_leaf)
{
    for (uint32_t leaf = first_leaf; leaf < last_leaf; leaf++)
        for (uint32_t adjacent = adjacency->start[leaf]; adjacent < adjacency->start[leaf + 1]; adjacent++) {
            uint32_t reverse = adjacency->start[adjacency->other[adjacent]];
            if (adjacency->other[adjacent] < leaf)
                continue;
            while (adjacency->other[reverse] != leaf)
                reverse++;
            SNAG__ASSERT(reverse < adjacency->start[adjacency->other[adjacent] + 1]);
            adjacency->reverse[adjacent] = reverse;
            adjacency->reverse[reverse] = adjacent;
        }
}

bool snag__leaf_adjacency_learn(snag__leaf_adjacency *adjacency, const snag__bvh *bvh, const snag__tree *tree,
                                const uint32_t *slot_of, uint32_t most, const snag_allocator *allocator)
{
    uint32_t end = tree->first_slot + tree->slot_count;
    SNAG__ASSERT(tree->first_slot % SNAG__LEAF_ELEMENTS == 0 && end <= bvh->slot_count && most > 0);
    for (uint32_t first = tree->first_slot; first < end; first += SNAG__LEAF_ELEMENTS) {
        uint32_t leaf = first / SNAG__LEAF_ELEMENTS, last = end - first < SNAG__LEAF_ELEMENTS ? end : first + SNAG__LEAF_ELEMENTS;
        if (!reserve(adjacency, adjacency_at_most(tree, bvh->vertices + 3 * (size_t)first, last - first), allocator))
            return false;
        adjacency->start[leaf] = adjacency->count;
        adjacent_to(adjacency, leaf, leaf);
        for (uint32_t slot = first; slot < last && snag__bvh_slot_is_used(bvh, slot); slot++)
            learn_slot(adjacency, tree, bvh->vertices + 3 * (size_t)slot, slot, slot_of, most);
        adjacency->start[leaf + 1] = adjacency->count;
    }
    clear_apart(adjacency, adjacency->count, false);
    find_reverses(adjacency, tree->first_slot / SNAG__LEAF_ELEMENTS, (end + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS);
    return true;
}

// All copies are made before anything is given back: an ask that fails here has changed nothing, and the next one finds the tables as large as it left them.
bool snag__leaf_adjacency_fit(snag__leaf_adjacency *adjacency, const snag_allocator *allocator)
{
    size_t count = adjacency->count + SNAG__ADJACENT_TOGETHER;
    snag__buffer *memory = adjacency->memory, smaller[SNAG__ADJACENCY_BUFFERS] = {0};
    const struct {
        int buffer;
        size_t bytes;
    } tables[] = {
        {SNAG__ADJACENCY_OTHER, count * sizeof *adjacency->other},
        {SNAG__ADJACENCY_REVERSE, count * sizeof *adjacency->reverse},
        {SNAG__ADJACENCY_CORNER, count * sizeof *adjacency->corner},
        {SNAG__ADJACENCY_APART, count * sizeof *adjacency->apart},
    };
    enum { TABLES = sizeof tables / sizeof *tables };
    bool fits = true;
    for (int i = 0; i < TABLES && fits; i++)
        if (tables[i].bytes + tables[i].bytes / 8 < memory[tables[i].buffer].bytes)
            fits = snag__buffer_reserve(allocator, &smaller[tables[i].buffer], 0, tables[i].bytes, 1);
    for (int i = 0; i < TABLES; i++) {
        snag__buffer *table = &memory[tables[i].buffer], *copy = &smaller[tables[i].buffer];
        if (!fits) {
            snag__buffer_free(allocator, copy);
        } else if (copy->data != NULL) {
            memcpy(copy->data, table->data, tables[i].bytes);
            snag__buffer_free(allocator, table);
            *table = *copy;
        }
    }
    adjacency->other = memory[SNAG__ADJACENCY_OTHER].data;
    adjacency->reverse = memory[SNAG__ADJACENCY_REVERSE].data;
    adjacency->corner = memory[SNAG__ADJACENCY_CORNER].data;
    adjacency->apart = memory[SNAG__ADJACENCY_APART].data;
    return fits;
}

const snag__leaf_adjacency_kernels *snag__leaf_adjacency_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__leaf_adjacency_kernels, isa)
}

void snag__leaf_adjacency_free(const snag_allocator *allocator, snag__leaf_adjacency *adjacency)
{
    snag__buffers_free(allocator, adjacency->memory, SNAG__ADJACENCY_BUFFERS);
    *adjacency = (snag__leaf_adjacency){0};
}
