#include "bound/links.h"

#include <string.h>

// Links of a leaf of an ordinary surface, with itself.
enum { USUAL_LINKS = 10 };

// Room for so many more links, and for a whole vector of leaves to be read at the end.
static bool reserve(snag__links *links, size_t more, const snag_allocator *allocator)
{
    size_t count = links->count + more + SNAG__LINKS_TOGETHER;
    if (!snag__buffer_reserve(allocator, &links->memory[1], links->count, count, sizeof *links->other) ||
        !snag__buffer_reserve(allocator, &links->memory[2], links->count, count, sizeof *links->corner) ||
        !snag__buffer_reserve(allocator, &links->memory[3], links->count, count, sizeof *links->apart) ||
        !snag__buffer_reserve(allocator, &links->memory[4], links->count, count, sizeof *links->reverse))
        return false;
    links->other = links->memory[1].data;
    links->corner = links->memory[2].data;
    links->apart = links->memory[3].data;
    links->reverse = links->memory[4].data;
    return true;
}

bool snag__links_start(snag__links *links, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t leaves = forest->place_count / SNAG__LEAF_ELEMENTS + 1u;
    links->count = 0;
    // By leaf: who was linked to it last, and by which link.
    if (!reserve(links, USUAL_LINKS * leaves, allocator) ||
        !snag__buffer_reserve(allocator, &links->memory[0], 0, leaves + 1, sizeof *links->start) ||
        !snag__buffer_reserve(allocator, &links->scratch, 0, leaves, 2 * sizeof(uint32_t)))
        return false;
    links->start = links->memory[0].data;
    memset(links->start, 0, (leaves + 1) * sizeof *links->start);
    memset(links->scratch.data, 0xff, leaves * 2 * sizeof(uint32_t));
    return true;
}

static void clear_apart(snag__links *links, uint32_t link, bool self)
{
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        links->apart[link].row[i] = (uint16_t)(self ? (2u << i) - 1u : 0);
}

// The link of a leaf to another, a new one if there is none yet.
static uint32_t link_to(snag__links *links, uint32_t leaf, uint32_t other)
{
    uint32_t(*last)[2] = links->scratch.data;
    if (last[other][0] != leaf) {
        last[other][0] = leaf;
        last[other][1] = links->count;
        links->other[links->count] = other;
        memset(links->corner[links->count], 0, sizeof *links->corner);
        clear_apart(links, links->count++, other == leaf);
    }
    return last[other][1];
}

static void learn_place(snag__links *links, const snag__tree *tree, const uint32_t *vertices, uint32_t place,
                        const uint32_t *place_of, uint32_t most)
{
    const snag__lists *around = &tree->mesh->vertex_triangles;
    for (int c = 0; c < 3; c++) {
        uint32_t first = around->start[vertices[c]], last = around->start[vertices[c] + 1];
        for (uint32_t i = first; i < last && last - first <= most; i++) {
            uint32_t other = place_of[around->items[i]];
            uint32_t link = link_to(links, place / SNAG__LEAF_ELEMENTS, other / SNAG__LEAF_ELEMENTS);
            if (other != place)
                links->corner[link][c].row[place % SNAG__LEAF_ELEMENTS] |= (uint16_t)(1u << other % SNAG__LEAF_ELEMENTS);
        }
    }
}

// The most links that the places of a leaf can have.
static size_t links_at_most(const snag__tree *tree, const uint32_t *vertices, uint32_t places)
{
    const uint32_t *start = tree->mesh->vertex_triangles.start;
    size_t count = 1;
    for (uint32_t i = 0; i < 3 * places; i++)
        count += start[vertices[i] + 1] - start[vertices[i]];
    return count;
}

// Who shares a vertex with another has it shared: each link has its reverse, of the same tree.
static void find_reverses(snag__links *links, uint32_t first_leaf, uint32_t last_leaf)
{
    for (uint32_t leaf = first_leaf; leaf < last_leaf; leaf++)
        for (uint32_t link = links->start[leaf]; link < links->start[leaf + 1]; link++) {
            uint32_t reverse = links->start[links->other[link]];
            if (links->other[link] < leaf)
                continue;
            while (links->other[reverse] != leaf)
                reverse++;
            links->reverse[link] = reverse;
            links->reverse[reverse] = link;
        }
}

bool snag__links_learn(snag__links *links, const snag__forest *forest, const snag__tree *tree, const uint32_t *place_of,
                       uint32_t most, const snag_allocator *allocator)
{
    uint32_t end = tree->first_place + tree->place_count;
    for (uint32_t first = tree->first_place; first < end; first += SNAG__LEAF_ELEMENTS) {
        uint32_t leaf = first / SNAG__LEAF_ELEMENTS, last = end - first < SNAG__LEAF_ELEMENTS ? end : first + SNAG__LEAF_ELEMENTS;
        if (!reserve(links, links_at_most(tree, forest->vertices + 3 * (size_t)first, last - first), allocator))
            return false;
        links->start[leaf] = links->count;
        link_to(links, leaf, leaf);
        for (uint32_t place = first; place < last; place++)
            learn_place(links, tree, forest->vertices + 3 * (size_t)place, place, place_of, most);
        links->start[leaf + 1] = links->count;
    }
    clear_apart(links, links->count, false);
    find_reverses(links, tree->first_place / SNAG__LEAF_ELEMENTS, (end + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS);
    return true;
}

const snag__link_kernels *snag__link_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__link_kernels, isa)
}

void snag__links_free(const snag_allocator *allocator, snag__links *links)
{
    for (size_t i = 0; i < sizeof links->memory / sizeof *links->memory; i++)
        snag__buffer_free(allocator, &links->memory[i]);
    snag__buffer_free(allocator, &links->scratch);
    *links = (snag__links){0};
}
