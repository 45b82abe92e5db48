#include "bound/grid.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_OF_A_TASK = 8192, SAMPLES = 64 };
#define UNUSED UINT32_MAX
// Smaller cells have no finite inverse.
static const double CELL_MIN = 1e-300;

static bool reserve(snag__grid *grid, const snag__grid_def *def, size_t count, const snag_allocator *allocator)
{
    size_t padded = (count + 2 * (size_t)SNAG__GRID_PAD - 1) / SNAG__GRID_PAD * SNAG__GRID_PAD;
    size_t slots_before = grid->slot_memory.bytes;
    const snag__room table = {&grid->slot_memory, &grid->slots, def->table_size, sizeof *grid->slots};
    const snag__room rooms[] = {
        {NULL, &grid->x[0], padded, sizeof *grid->x[0]},      {NULL, &grid->x[1], padded, sizeof *grid->x[1]},
        {NULL, &grid->x[2], padded, sizeof *grid->x[2]},      {NULL, &grid->at, padded, sizeof *grid->at},
        {NULL, &grid->number, padded, sizeof *grid->number},  {NULL, &grid->places, count + 1, sizeof *grid->places},
        {NULL, &grid->point, count + 1, sizeof *grid->point},
    };
    if (!snag__rooms_carve(allocator, &grid->place_memory, rooms, sizeof rooms / sizeof *rooms) ||
        !snag__rooms_reserve(allocator, &table, 1))
        return false;
    if (grid->slot_memory.bytes != slots_before || grid->stamp > UINT32_MAX - 4) {
        memset(grid->slots, 0, grid->slot_memory.bytes);
        grid->stamp = 0;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median of a sample along each axis: near most points, whatever the outliers.
static void find_middle(const snag__grid_def *def, uint32_t count, double middle[3])
{
    double sample[3][SAMPLES];
    size_t sampled = 0;
    uint32_t step = count / SAMPLES + 1, next = 0;
    for (uint32_t b = 0; b < def->body_count; b++) {
        const snag__grid_points *body = &def->bodies[b];
        for (; next - body->first < body->count && sampled < SAMPLES; next += step) {
            uint32_t v = next - body->first;
            for (int axis = 0; axis < 3; axis++)
                sample[axis][sampled] = body->x[v][axis];
            sampled += body->used[v];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        qsort(sample[axis], sampled, sizeof sample[axis][0], by_value);
        middle[axis] = sampled > 0 ? sample[axis][sampled / 2] : 0;
    }
}

static void lay_out(snag__grid *grid, const snag__grid_def *def, uint32_t count)
{
    find_middle(def, count, grid->middle);
    grid->inverse_cell = 1 / fmax(def->cell, CELL_MIN);
    grid->table_size = def->table_size;
    grid->reciprocal = UINT64_MAX / def->table_size + 1;  // 0 for a table of 1, whose remainders are all 0
}

typedef struct filling {
    const snag__grid *grid;
    const snag__grid_def *def;
    uint32_t count;
} filling;

// The points first .. last - 1 of a body that belong to a task.
typedef struct part {
    const snag__grid_points *body;
    uint32_t first, last;
} part;

static part part_of(const filling *f, uint32_t task, uint32_t b)
{
    const snag__grid_points *body = &f->def->bodies[b];
    snag__range points = snag__task_range(0, f->count, POINTS_OF_A_TASK, task);
    uint32_t from = body->first > points.first ? body->first : points.first;
    uint32_t to = body->first + body->count < points.last ? body->first + body->count : points.last;
    return from < to ? (part){body, from - body->first, to - body->first} : (part){body, 0, 0};
}

static void hash_points(void *context, uint32_t task)
{
    const filling *f = context;
    const snag__grid *grid = f->grid;
    for (uint32_t b = 0; b < f->def->body_count; b++) {
        part p = part_of(f, task, b);
        for (uint32_t v = p.first; v < p.last; v++) {
            float *x = grid->point[p.body->first + v];
            for (int axis = 0; axis < 3; axis++)
                x[axis] = snag__grid_coordinate(grid, axis, p.body->x[v][axis]);
            x[3] = 0;
            uint32_t hash = snag__grid_hash(grid, snag__grid_cell(x[0]), snag__grid_cell(x[1]), snag__grid_cell(x[2]));
            grid->places[p.body->first + v] = p.body->used[v] ? hash : UNUSED;
        }
    }
}

// A counting sort that touches only slots in use: counts all points, then the first point of each slot makes room for the others.
// Hashes become places.
static void choose_places(snag__grid *grid, uint32_t count)
{
    uint32_t counting = grid->stamp + 1, placed = grid->stamp + 2, total = 0;
    for (uint32_t number = 0; number < count; number++) {
        if (grid->places[number] == UNUSED)
            continue;
        snag__grid_slot *slot = &grid->slots[grid->places[number]];
        if (slot->stamp != counting)
            *slot = (snag__grid_slot){.stamp = counting};
        slot->end++;
    }
    for (uint32_t number = 0; number < count; number++) {
        if (grid->places[number] == UNUSED)
            continue;
        snag__grid_slot *slot = &grid->slots[grid->places[number]];
        if (slot->stamp == counting) {
            uint32_t size = slot->end;
            *slot = (snag__grid_slot){total, total, placed};
            total += size;
        }
        grid->places[number] = slot->end++;
    }
    grid->stamp = placed;
    grid->count = total;
}

static void place_points(void *context, uint32_t task)
{
    const filling *f = context;
    const snag__grid *grid = f->grid;
    for (uint32_t b = 0; b < f->def->body_count; b++) {
        part p = part_of(f, task, b);
        for (uint32_t v = p.first; v < p.last; v++) {
            uint32_t place = grid->places[p.body->first + v];
            if (place == UNUSED)
                continue;
            for (int axis = 0; axis < 3; axis++)
                grid->x[axis][place] = grid->point[p.body->first + v][axis];
            grid->at[place] = p.body->x[v];
            grid->number[place] = p.body->first_number + v;
        }
    }
}

bool snag__grid_fill(snag__grid *grid, const snag__grid_def *def, const snag_allocator *allocator, const snag__parallel *parallel)
{
    SNAG__ASSERT(def->table_size >= 1 && def->cell > 0 && isfinite(def->cell) && grid->stamp % 2 == 0);
    uint32_t count = 0;
    for (uint32_t b = 0; b < def->body_count; b++) {
        SNAG__ASSERT(def->bodies[b].first == count && "the bodies' points must follow each other");
        count += def->bodies[b].count;
    }
    if (!reserve(grid, def, count, allocator))
        return false;
    lay_out(grid, def, count);
    filling f = {grid, def, count};
    uint32_t tasks = snag__task_count(count, POINTS_OF_A_TASK);
    snag__parallel_for(parallel, tasks, hash_points, &f);
    choose_places(grid, count);
    snag__parallel_for(parallel, tasks, place_points, &f);
    for (size_t place = grid->count; place < (size_t)grid->count + SNAG__GRID_PAD; place++)
        for (int axis = 0; axis < 3; axis++)
            grid->x[axis][place] = NAN;  // in no box
    return true;
}

void snag__grid_free(const snag_allocator *allocator, snag__grid *grid)
{
    snag__buffer_free(allocator, &grid->slot_memory);
    snag__buffer_free(allocator, &grid->place_memory);
    *grid = (snag__grid){0};
}
