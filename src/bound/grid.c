#include "bound/grid.h"

#include <math.h>
#include <string.h>

enum { POINTS_OF_A_TASK = 8192 };
#define UNUSED UINT32_MAX

static bool reserve(snag__grid *grid, const snag__grid_def *def, size_t count, const snag_allocator *allocator)
{
    size_t padded = (count + 2 * (size_t)SNAG__GRID_PAD - 1) / SNAG__GRID_PAD * SNAG__GRID_PAD;
    size_t slots_before = grid->slot_memory.bytes;
    if (!snag__buffer_reserve(allocator, &grid->slot_memory, 0, def->table_size, sizeof *grid->slots) ||
        !snag__buffer_reserve(allocator, &grid->place_memory, 0, 4 * padded, sizeof(float)) ||
        !snag__buffer_reserve(allocator, &grid->at_memory, 0, padded, sizeof *grid->at) ||
        !snag__buffer_reserve(allocator, &grid->hash_memory, 0, count + 1, sizeof(uint32_t))) {
        // A new table that was not cleared must not be taken for one that was.
        if (grid->slot_memory.bytes != slots_before)
            snag__buffer_free(allocator, &grid->slot_memory);
        return false;
    }
    if (grid->slot_memory.bytes != slots_before || grid->stamp > UINT32_MAX - 4) {
        memset(grid->slot_memory.data, 0, grid->slot_memory.bytes);
        grid->stamp = 0;
    }
    grid->slots = grid->slot_memory.data;
    grid->at = grid->at_memory.data;
    grid->hashes = grid->hash_memory.data;
    for (int axis = 0; axis < 3; axis++)
        grid->x[axis] = (float *)grid->place_memory.data + (size_t)axis * padded;
    grid->number = (uint32_t *)(void *)((float *)grid->place_memory.data + 3 * padded);
    return true;
}

// The box of all points. A point of no element may lie anywhere and is not asked.
static void bound_points(const snag__grid_def *def, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
    for (uint32_t b = 0; b < def->body_count; b++) {
        const snag__grid_points *body = &def->bodies[b];
        for (uint32_t v = 0; v < body->count; v++) {
            if (!body->used[v])
                continue;
            for (int axis = 0; axis < 3; axis++) {
                double x = body->x[v][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
        }
    }
}

// Cells so small that their numbers would run out are raised to the smallest that do not.
static void lay_out(snag__grid *grid, const snag__grid_def *def)
{
    double lo[3], hi[3], cell = def->cell;
    bound_points(def, lo, hi);
    for (int axis = 0; axis < 3; axis++) {
        grid->origin[axis] = lo[axis] <= hi[axis] ? lo[axis] : 0;
        cell = fmax(cell, hi[axis] / (SNAG__GRID_CELLS - 1) - lo[axis] / (SNAG__GRID_CELLS - 1));
    }
    grid->inverse_cell = 1 / fmax(cell, 1e-300);
    for (int axis = 0; axis < 3; axis++)
        grid->last_cell[axis] = lo[axis] <= hi[axis] ? snag__grid_cell(grid, axis, hi[axis]) : 0;
    grid->table_size = def->table_size;
    grid->reciprocal = UINT64_MAX / def->table_size + 1;  // of 1: 0, and every remainder is 0
}

typedef struct hashing {
    const snag__grid *grid;
    const snag__grid_def *def;
    uint32_t count;
} hashing;

static void hash_points(void *context, uint32_t task)
{
    const hashing *h = context;
    uint32_t first = task * POINTS_OF_A_TASK;
    uint32_t last = h->count - first < POINTS_OF_A_TASK ? h->count : first + POINTS_OF_A_TASK;
    for (uint32_t b = 0; b < h->def->body_count; b++) {
        const snag__grid_points *body = &h->def->bodies[b];
        uint32_t from = body->first > first ? body->first : first;
        uint32_t to = body->first + body->count < last ? body->first + body->count : last;
        for (uint32_t number = from; number < to; number++) {
            const double *x = body->x[number - body->first];
            uint32_t hash = snag__grid_hash(h->grid, snag__grid_cell(h->grid, 0, x[0]), snag__grid_cell(h->grid, 1, x[1]),
                                            snag__grid_cell(h->grid, 2, x[2]));
            h->grid->hashes[number] = body->used[number - body->first] ? hash : UNUSED;
        }
    }
}

// A counting sort in which only slots that hold points are touched: first all are counted, then the first point of each
// slot makes room for all of it.
static void sort_points(snag__grid *grid, const snag__grid_def *def, uint32_t count)
{
    uint32_t counting = grid->stamp + 1, placed = grid->stamp + 2, total = 0;
    for (uint32_t number = 0; number < count; number++) {
        if (grid->hashes[number] == UNUSED)
            continue;
        snag__grid_slot *slot = &grid->slots[grid->hashes[number]];
        if (slot->stamp != counting)
            *slot = (snag__grid_slot){.stamp = counting};
        slot->end++;
    }
    for (uint32_t b = 0; b < def->body_count; b++) {
        const snag__grid_points *body = &def->bodies[b];
        for (uint32_t v = 0; v < body->count; v++) {
            uint32_t number = body->first + v;
            if (grid->hashes[number] == UNUSED)
                continue;
            snag__grid_slot *slot = &grid->slots[grid->hashes[number]];
            if (slot->stamp == counting) {
                uint32_t size = slot->end;
                *slot = (snag__grid_slot){total, total, placed};
                total += size;
            }
            uint32_t place = slot->end++;
            for (int axis = 0; axis < 3; axis++)
                grid->x[axis][place] = (float)snag__grid_coordinate(grid, axis, body->x[v][axis]);
            grid->at[place] = body->x[v];
            grid->number[place] = body->first_number + v;
        }
    }
    grid->stamp = placed;
    grid->count = total;
    for (size_t place = total; place < (size_t)total + SNAG__GRID_PAD; place++)
        for (int axis = 0; axis < 3; axis++)
            grid->x[axis][place] = NAN;  // in no box
}

bool snag__grid_fill(snag__grid *grid, const snag__grid_def *def, const snag_allocator *allocator,
                     const snag__parallel *parallel)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < def->body_count; b++)
        count += def->bodies[b].count;
    if (!reserve(grid, def, count, allocator))
        return false;
    lay_out(grid, def);
    hashing h = {grid, def, count};
    snag__parallel_for(parallel, count / POINTS_OF_A_TASK + (count % POINTS_OF_A_TASK != 0), hash_points, &h);
    sort_points(grid, def, count);
    return true;
}

void snag__grid_free(const snag_allocator *allocator, snag__grid *grid)
{
    snag__buffer *buffers[] = {&grid->slot_memory, &grid->place_memory, &grid->at_memory, &grid->hash_memory};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    *grid = (snag__grid){0};
}
