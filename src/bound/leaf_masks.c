#include "bound/leaf_masks.h"

#include "base/assert.h"
#include "base/counting_sort.h"

#include <string.h>

// Matrices of a leaf, on average: with more they take more memory than the trees do, and are looked for longer than they save.
enum { MOST_OF_A_LEAF = 32 };

bool snag__leaf_masks_fit(const snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                          const snag__neighbours *neighbours)
{
    return masks->rings == neighbours->rings && masks->rest == neighbours->rest && masks->row_builds == rows->builds &&
           masks->column_builds == columns->builds;
}

void snag__leaf_masks_note(snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                           const snag__neighbours *neighbours)
{
    masks->row_builds = rows->builds;
    masks->column_builds = columns->builds;
    masks->rings = neighbours->rings;
    masks->rest = neighbours->rest;
    masks->learnt = masks->many = false;
}

// Vertices with the slots of a leaf that are near them.
typedef struct spread {
    uint16_t *near;  // by vertex; 0: not listed
    uint32_t *vertices;
    uint32_t count;
} spread;

typedef struct learning {
    snag__leaf_masks *masks;
    const snag__bvh *rows, *columns;
    const snag_allocator *allocator;
    // Of one tree.
    const snag__rings *rings;  // NULL: none
    snag__rest_balls rest;  // if usable
    snag__csr row_slots;  // by vertex: slots of the rows
    spread steps[3];  // vertices of the leaf, those in their balls, and those in the balls of these
    uint32_t first_leaf, leaves;  // of the rows
    uint32_t *last;  // by leaf of the rows: the last matrix that was made for it
} learning;

static uint32_t leaf_count(const snag__bvh *bvh)
{
    return bvh->slot_count / SNAG__LEAF_ELEMENTS;
}

static bool reserve(snag__leaf_masks *masks, size_t more, const snag_allocator *allocator)
{
    size_t count = masks->count + more + SNAG__ADJACENT_TOGETHER;
    const snag__room rooms[] = {
        {&masks->memory[SNAG__MASKS_OTHER], &masks->other, count, sizeof *masks->other},
        {&masks->memory[SNAG__MASKS_UNWANTED], &masks->unwanted, count, sizeof *masks->unwanted},
        {&masks->memory[SNAG__MASKS_FULL], &masks->full, count, sizeof *masks->full},
    };
    return snag__rooms_grow(allocator, rooms, sizeof rooms / sizeof *rooms, masks->count);
}

static bool start(learning *l)
{
    snag__leaf_masks *masks = l->masks;
    const snag__room rooms[] = {
        {&masks->memory[SNAG__MASKS_START], &masks->start, leaf_count(l->columns) + 1u, sizeof *masks->start},
        {&masks->memory[SNAG__MASKS_KNOWN], &masks->known, l->columns->tree_count + 1u, sizeof *masks->known},
    };
    masks->count = 0;
    if (!snag__rooms_reserve(l->allocator, rooms, sizeof rooms / sizeof *rooms) || !reserve(masks, 0, l->allocator))
        return false;
    memset(masks->start, 0, (leaf_count(l->columns) + 1u) * sizeof *masks->start);
    memset(masks->known, 0, l->columns->tree_count + 1u);
    return true;
}

// Lists the slots of the rows at every vertex.
static void list_slots(learning *l, const snag__tree *tree)
{
    const uint32_t corners = l->rows->corners, end = tree->first_slot + tree->slot_count;
    uint32_t *at = l->row_slots.start;
    memset(at, 0, (tree->mesh->vertex_count + 2u) * sizeof *at);
    for (uint32_t slot = tree->first_slot; slot < end; slot++)
        for (uint32_t c = 0; snag__bvh_slot_is_used(l->rows, slot) && c < corners; c++)
            at[l->rows->vertices[(size_t)slot * corners + c] + 1]++;
    snag__sizes_to_starts(at, tree->mesh->vertex_count + 1);
    for (uint32_t slot = tree->first_slot; slot < end; slot++)
        for (uint32_t c = 0; snag__bvh_slot_is_used(l->rows, slot) && c < corners; c++)
            l->row_slots.items[at[l->rows->vertices[(size_t)slot * corners + c]]++] = slot;
    snag__cursors_to_starts(at, tree->mesh->vertex_count + 1);
}

// What is needed to learn the neighbours of one tree.
static bool start_tree(learning *l, const snag__tree *tree)
{
    const uint32_t vertices = tree->mesh->vertex_count;
    l->first_leaf = tree->first_slot / SNAG__LEAF_ELEMENTS;
    l->leaves = (tree->slot_count + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    const snag__room rooms[] = {
        {NULL, &l->row_slots.start, vertices + 2u, sizeof(uint32_t)},
        {NULL, &l->row_slots.items, (size_t)tree->slot_count * l->rows->corners + 1, sizeof(uint32_t)},
        {NULL, &l->steps[0].near, vertices + 1u, sizeof(uint16_t)},
        {NULL, &l->steps[1].near, vertices + 1u, sizeof(uint16_t)},
        {NULL, &l->steps[2].near, vertices + 1u, sizeof(uint16_t)},
        {NULL, &l->steps[0].vertices, vertices + 1u, sizeof(uint32_t)},
        {NULL, &l->steps[1].vertices, vertices + 1u, sizeof(uint32_t)},
        {NULL, &l->steps[2].vertices, vertices + 1u, sizeof(uint32_t)},
        {NULL, &l->last, l->leaves + 1u, sizeof(uint32_t)},
    };
    if (!snag__rooms_carve(l->allocator, &l->masks->memory[SNAG__MASKS_WORK], rooms, sizeof rooms / sizeof *rooms))
        return false;
    for (int i = 0; i < 3; i++) {
        l->steps[i].count = 0;
        memset(l->steps[i].near, 0, (vertices + 1u) * sizeof(uint16_t));
    }
    memset(l->last, 0xff, (l->leaves + 1u) * sizeof *l->last);
    list_slots(l, tree);
    return true;
}

static void add(spread *s, uint32_t vertex, uint32_t slots)
{
    if (s->near[vertex] == 0)
        s->vertices[s->count++] = vertex;
    s->near[vertex] |= (uint16_t)slots;
}

// From vertices to those in their balls.
static void widen(const spread *from, const snag__csr *ball, spread *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t v = from->vertices[i];
        for (uint32_t k = ball->start[v]; k < ball->start[v + 1]; k++)
            add(to, ball->items[k], from->near[v]);
    }
}

static void clear(spread *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->near[s->vertices[i]] = 0;
    s->count = 0;
}

// The matrix of a leaf of the rows and the present one of the columns, whose matrices begin at `first`.
static uint32_t matrix_of(learning *l, uint32_t row_leaf, uint32_t first)
{
    snag__leaf_masks *masks = l->masks;
    uint32_t *last = &l->last[row_leaf - l->first_leaf];
    if (*last != UINT32_MAX && *last >= first)
        return *last;
    *last = masks->count;
    masks->other[masks->count] = row_leaf;
    memset(&masks->unwanted[masks->count], 0, sizeof *masks->unwanted);
    return masks->count++;
}

// Which rows of a matrix have no column left, of those that there are.
static uint16_t full_rows(const snag__leaf_table *unwanted, uint32_t columns)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        rows |= (uint32_t)((columns & ~(uint32_t)unwanted->row[i]) == 0) << i;
    return (uint16_t)rows;
}

static uint32_t used_slots(const snag__bvh *bvh, uint32_t leaf)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        used |= (uint32_t)snag__bvh_slot_is_used(bvh, leaf * SNAG__LEAF_ELEMENTS + i) << i;
    return used;
}

// Adds neighbours by edges and by the rest pose. False without memory.
static bool learn_leaf(learning *l, uint32_t leaf)
{
    snag__leaf_masks *masks = l->masks;
    const uint32_t corners = l->columns->corners, first = masks->count, used = used_slots(l->columns, leaf);
    for (uint32_t left = used; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        for (uint32_t c = 0; c < corners; c++)
            add(&l->steps[0], l->columns->vertices[(size_t)(leaf * SNAG__LEAF_ELEMENTS + i) * corners + c], 1u << i);
    }
    if (l->rings != NULL) {
        widen(&l->steps[0], &l->rings->ball[0], &l->steps[1]);
        widen(&l->steps[1], &l->rings->ball[1], &l->steps[2]);
    }
    if (l->rest.usable)
        widen(&l->steps[0], &l->rest.ball, &l->steps[2]);
    size_t most = 1;
    const spread *near = &l->steps[2];
    for (uint32_t i = 0; i < near->count; i++)
        most += l->row_slots.start[near->vertices[i] + 1] - l->row_slots.start[near->vertices[i]];
    most = most < l->leaves ? most : l->leaves;
    if (!reserve(masks, most + 1, l->allocator))
        return false;
    if (l->rows == l->columns) {
        snag__leaf_table *itself = &masks->unwanted[matrix_of(l, leaf, first)];
        for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
            itself->row[i] = (uint16_t)((2u << i) - 1u);
    }
    for (uint32_t i = 0; i < near->count; i++) {
        uint32_t v = near->vertices[i];
        for (uint32_t k = l->row_slots.start[v]; k < l->row_slots.start[v + 1]; k++) {
            uint32_t slot = l->row_slots.items[k];
            masks->unwanted[matrix_of(l, slot / SNAG__LEAF_ELEMENTS, first)].row[slot % SNAG__LEAF_ELEMENTS] |= near->near[v];
        }
    }
    for (uint32_t i = first; i < masks->count; i++)
        masks->full[i] = full_rows(&masks->unwanted[i], used);
    for (int i = 0; i < 3; i++)
        clear(&l->steps[i]);
    return true;
}

// The tables of a tree. Masks must leave out elements that share a vertex: those that are near in the rest pose do.
static bool take_tables(learning *l, const snag__neighbours *neighbours, uint32_t tree)
{
    const double(*rest)[3] = neighbours->rest > 0 ? neighbours->rest_x[tree] : NULL;
    l->rings = neighbours->rings > 0 ? neighbours->ring_tables[tree] : NULL;
    l->rest.usable = false;
    return rest == NULL ||
           snag__rest_balls_build(&l->rest, rest, l->rows->trees[tree].mesh->vertex_count, neighbours->rest, l->allocator);
}

static bool learn_tree(learning *l, uint32_t tree)
{
    const snag__tree *columns = &l->columns->trees[tree];
    uint32_t first = columns->first_slot / SNAG__LEAF_ELEMENTS,
             end = (columns->first_slot + columns->slot_count + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    snag__leaf_masks *masks = l->masks;
    const bool wanted = l->rings != NULL || l->rest.usable;
    if (wanted && !start_tree(l, &l->rows->trees[tree]))
        return false;
    for (uint32_t leaf = first; leaf < end && !masks->many; leaf++) {
        masks->start[leaf] = masks->count;
        if (wanted && !learn_leaf(l, leaf))
            return false;
        masks->start[leaf + 1] = masks->count;
        masks->many = masks->count / MOST_OF_A_LEAF > leaf_count(l->columns);
    }
    masks->known[tree] = wanted;
    return true;
}

static bool learn_all(learning *l, const snag__neighbours *neighbours)
{
    snag__leaf_masks *masks = l->masks;
    if (!start(l))
        return false;
    for (uint32_t i = 0; i < l->columns->tree_count && !masks->many; i++)
        if (!take_tables(l, neighbours, i) || !learn_tree(l, i))
            return false;
    return true;
}

bool snag__leaf_masks_learn(snag__leaf_masks *masks, const snag__bvh *rows, const snag__bvh *columns,
                            const snag__neighbours *neighbours, const snag_allocator *allocator)
{
    learning l = {.masks = masks, .rows = rows, .columns = columns, .allocator = allocator};
    SNAG__ASSERT(rows->tree_count == columns->tree_count && snag__leaf_masks_fit(masks, rows, columns, neighbours));
    masks->learnt = masks->many = false;
    bool done = learn_all(&l, neighbours);
    snag__rest_balls_free(allocator, &l.rest);
    if (!done)
        return false;
    memset(&masks->unwanted[masks->count], 0, sizeof *masks->unwanted);
    masks->full[masks->count] = 0;
    masks->learnt = true;
    return true;
}

void snag__leaf_masks_free(const snag_allocator *allocator, snag__leaf_masks *masks)
{
    snag__buffers_free(allocator, masks->memory, SNAG__MASKS_BUFFERS);
    *masks = (snag__leaf_masks){0};
}
