#include "bound/grid_boxes.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

enum { ITEMS_OF_A_TASK = 4096 };

// With fewer slots, too many cells would share one.
enum { MOST_BOXES_OF_A_SLOT = 8 };

// The largest cells of the first level: all coordinates lie in -1 .. 1.
static const double CELL_MAX = 4;

bool snag__box_grid_start(snag__box_grid *grid, uint32_t count, const snag_allocator *allocator)
{
    size_t padded = ((size_t)count + 2 * (size_t)SNAG__BOX_LANES_PAD - 1) / SNAG__BOX_LANES_PAD * SNAG__BOX_LANES_PAD;
    snag__room rooms[8] = {{NULL, &grid->items, (size_t)count + 1, sizeof *grid->items},
                           {NULL, &grid->number, padded, sizeof *grid->number}};
    for (int axis = 0; axis < 3; axis++) {
        rooms[2 + axis] = (snag__room){NULL, &grid->lo[axis], padded, sizeof *grid->lo[axis]};
        rooms[5 + axis] = (snag__room){NULL, &grid->hi[axis], padded, sizeof *grid->hi[axis]};
    }
    if (!snag__rooms_carve(allocator, &grid->item_memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    grid->count = count;
    return true;
}

static bool reserve_slots(snag__box_grid *grid, size_t slots, const snag_allocator *allocator)
{
    size_t before = grid->slot_memory.bytes;
    const snag__room table = {&grid->slot_memory, &grid->slots, slots, sizeof *grid->slots};
    if (!snag__rooms_reserve(allocator, &table, 1))
        return false;
    if (grid->slot_memory.bytes != before || grid->stamp > UINT32_MAX - 4) {
        memset(grid->slots, 0, grid->slot_memory.bytes);
        grid->stamp = 0;
    }
    return true;
}

// ---- levels ----

static uint32_t level_of(const snag__box_grid *grid, const snag__box_item *item)
{
    if (isnan(item->lo[0]))
        return SNAG__BOX_LEVELS;
    double extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        double side = (double)item->hi[axis] - (double)item->lo[axis];
        extent = side <= extent ? extent : side;  // NaN stays
    }
    uint32_t level = 0;
    while (level < SNAG__BOX_LEVELS - 1 && !(extent <= grid->levels[level].cell))
        level++;
    return level;
}

static void choose_levels(void *context, uint32_t task)
{
    snag__box_grid *grid = context;
    snag__range items = snag__task_range(0, grid->count, ITEMS_OF_A_TASK, task);
    for (uint32_t i = items.first; i < items.last; i++)
        grid->items[i].level = level_of(grid, &grid->items[i]);
}

static void size_cells(snag__box_grid *grid, double cell)
{
    double size = fmin(fmax(cell, SNAG__BOX_SMALLEST_CELL), CELL_MAX);
    for (int l = 0; l < SNAG__BOX_LEVELS; l++, size *= 2) {
        snag__box_level *level = &grid->levels[l];
        bool last = l == SNAG__BOX_LEVELS - 1;
        *level = (snag__box_level){.cell = last ? INFINITY : size, .inverse_cell = last ? 0 : 1 / size};
        level->last_cell = (uint32_t)(2 * level->inverse_cell);
    }
}

// Gives each level slots in proportion to its boxes. Returns their number.
static size_t share_slots(snag__box_grid *grid, uint32_t table_size)
{
    double slots_of_a_box = grid->count > 0 ? (double)table_size / grid->count : 1;
    slots_of_a_box = fmax(slots_of_a_box, 1.0 / MOST_BOXES_OF_A_SLOT);
    for (uint32_t i = 0; i < grid->count; i++)
        if (grid->items[i].level < SNAG__BOX_LEVELS)
            grid->levels[grid->items[i].level].count++;
    size_t places = 0, slots = 0;
    for (int l = 0; l < SNAG__BOX_LEVELS; l++) {
        snag__box_level *level = &grid->levels[l];
        level->first_place = (uint32_t)places;
        level->first_slot = (uint32_t)slots;
        level->slot_count = (uint32_t)fmin(level->count * slots_of_a_box, UINT32_MAX / SNAG__BOX_LEVELS) + 1;
        level->reciprocal = UINT64_MAX / level->slot_count + 1;  // 0 for a single slot, whose remainders are all 0
        places += level->count;
        slots += level->slot_count;
    }
    return slots;
}

// ---- places ----

static void hash_items(void *context, uint32_t task)
{
    const snag__box_grid *grid = context;
    snag__range items = snag__task_range(0, grid->count, ITEMS_OF_A_TASK, task);
    for (uint32_t i = items.first; i < items.last; i++) {
        snag__box_item *item = &grid->items[i];
        if (item->level >= SNAG__BOX_LEVELS)
            continue;
        uint32_t cell[3];
        snag__box_middle_cell(&grid->levels[item->level], item->lo, item->hi, cell);
        item->slot = snag__box_slot(&grid->levels[item->level], cell[0], cell[1], cell[2]);
    }
}

// A counting sort that touches only slots in use: counts all boxes, then the first box of each slot makes room for the others.
static void sort_items(snag__box_grid *grid)
{
    uint32_t counting = grid->stamp + 1, placed = grid->stamp + 2, next[SNAG__BOX_LEVELS];
    for (int l = 0; l < SNAG__BOX_LEVELS; l++)
        next[l] = grid->levels[l].first_place;
    for (uint32_t i = 0; i < grid->count; i++) {
        if (grid->items[i].level >= SNAG__BOX_LEVELS)
            continue;
        snag__grid_slot *slot = &grid->slots[grid->items[i].slot];
        if (slot->stamp != counting)
            *slot = (snag__grid_slot){.stamp = counting};
        slot->end++;
    }
    for (uint32_t i = 0; i < grid->count; i++) {
        const snag__box_item *item = &grid->items[i];
        if (item->level >= SNAG__BOX_LEVELS)
            continue;
        snag__grid_slot *slot = &grid->slots[item->slot];
        if (slot->stamp == counting) {
            uint32_t size = slot->end, start = next[item->level];
            *slot = (snag__grid_slot){start, start, placed};
            next[item->level] += size;
        }
        uint32_t place = slot->end++;
        for (int axis = 0; axis < 3; axis++) {
            grid->lo[axis][place] = item->lo[axis];
            grid->hi[axis][place] = item->hi[axis];
        }
        grid->number[place] = i;
    }
    grid->stamp = placed;
    const snag__box_level *last = &grid->levels[SNAG__BOX_LEVELS - 1];
    grid->place_count = last->first_place + last->count;
    for (size_t place = grid->place_count; place < (size_t)grid->place_count + SNAG__BOX_LANES_PAD; place++) {
        for (int axis = 0; axis < 3; axis++)
            grid->lo[axis][place] = grid->hi[axis][place] = NAN;  // overlaps nothing
        grid->number[place] = 0;
    }
}

bool snag__box_grid_fill(snag__box_grid *grid, double cell, uint32_t table_size, const snag_allocator *allocator,
                         const snag__parallel *parallel)
{
    SNAG__ASSERT(grid->items != NULL && grid->stamp % 2 == 0);
    uint32_t tasks = snag__task_count(grid->count, ITEMS_OF_A_TASK);
    size_cells(grid, cell);
    snag__parallel_for(parallel, tasks, choose_levels, grid);
    if (!reserve_slots(grid, share_slots(grid, table_size), allocator))
        return false;
    snag__parallel_for(parallel, tasks, hash_items, grid);
    sort_items(grid);
    SNAG__ASSERT(grid->place_count <= grid->count);
    return true;
}

void snag__box_grid_free(const snag_allocator *allocator, snag__box_grid *grid)
{
    snag__buffer_free(allocator, &grid->item_memory);
    snag__buffer_free(allocator, &grid->slot_memory);
    *grid = (snag__box_grid){0};
}
