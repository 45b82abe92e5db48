// The question `distance` by brute force: the closest features of two bodies, over all pairs of elements whose boxes are no
// farther apart than the closest pair so far.
#include "method/brute.h"
#include "method/nearest.h"

#include <math.h>

enum { COLUMNS_AT_ONCE = 1024 };

// Where a task continues in the next round: a row and a block of columns.
typedef struct position {
    size_t block, row;
} position;

// The search between two bodies.
typedef struct search {
    snag__ask *ask;
    snag__near_bodies body_pair;
    const snag__box_kernels *kernels;
    const snag__side *sides[SNAG__SEARCH_KINDS];  // by element kind, per body
    const snag__nearest *known;  // the best before this round
    position at[SNAG__MAX_TASKS];  // by task
    snag__nearest found[SNAG__MAX_TASKS];
} search;

static const snag__boxes *boxes_of_rows(const search *s)
{
    return &s->sides[s->body_pair.pass.row][s->body_pair.row_body].boxes;
}

static const snag__boxes *boxes_of_columns(const search *s)
{
    return &s->sides[s->body_pair.pass.column][s->body_pair.column_body].boxes;
}

// One row against a block of columns.
static void compare_row(const search *s, uint32_t row, size_t block, size_t end, snag__nearest *best)
{
    const snag__boxes *rows = boxes_of_rows(s), *columns = boxes_of_columns(s);
    float reach = snag__nearest_reach(&s->body_pair, best), lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = nextafterf(rows->lo[axis][row] - reach, -INFINITY);
        hi[axis] = nextafterf(rows->hi[axis][row] + reach, INFINITY);
    }
    uint32_t hits[COLUMNS_AT_ONCE + 16];
    size_t count = s->kernels->overlaps(columns, block, end, lo, hi, hits);
    for (size_t h = 0; h < count; h++)
        snag__nearest_offer(&s->body_pair, row, hits[h], best);
}

// Each task takes every SNAG__MAX_TASKS-th row, for one block of columns after the other.
static void run_task(void *context, uint32_t index)
{
    search *s = context;
    snag__nearest *best = &s->found[index];
    position *at = &s->at[index];
    *best = *s->known;
    if (snag__budget_over(s->ask))
        return;
    const size_t rows = boxes_of_rows(s)->count, columns = boxes_of_columns(s)->count;
    for (; at->block < columns; at->block += COLUMNS_AT_ONCE, at->row = index) {
        size_t end = at->block + COLUMNS_AT_ONCE < columns ? at->block + COLUMNS_AT_ONCE : columns;
        while (at->row < rows) {
            compare_row(s, (uint32_t)at->row, at->block, end, best);
            at->row += SNAG__MAX_TASKS;
            if (snag__round_over(s->ask))
                return;
        }
    }
}

// The part of all rows and blocks that is done; 1 only if all are.
static double part_done(const search *s)
{
    const size_t rows = boxes_of_rows(s)->count, columns = boxes_of_columns(s)->count;
    double part = 0;
    bool end = true;
    for (uint32_t i = 0; i < SNAG__MAX_TASKS; i++) {
        end = end && s->at[i].block >= columns;
        if (s->at[i].block < columns)
            part += ((double)s->at[i].block + COLUMNS_AT_ONCE * fmin(1, (double)s->at[i].row / (double)rows)) /
                    (double)(columns + COLUMNS_AT_ONCE);
        else
            part += 1;
    }
    return end ? 1 : fmin(part / SNAG__MAX_TASKS, 0.999);
}

static bool compare_kinds(void *context, const snag__near_bodies *body_pair, snag__nearest *best)
{
    search *s = context;
    s->body_pair = *body_pair;
    for (uint32_t i = 0; i < SNAG__MAX_TASKS; i++)
        s->at[i] = (position){0, i};
    for (;;) {
        snag__nearest before = *best;
        s->known = &before;
        snag__parallel_for(s->ask->parallel, SNAG__MAX_TASKS, run_task, s);
        for (int i = 0; i < SNAG__MAX_TASKS; i++)
            snag__nearest_join(best, &s->found[i]);
        double done = part_done(s);
        if (done == 1)
            return true;
        if (!snag__nearest_go_on(s->ask, body_pair, done))
            return false;
    }
}

static snag_status search_body_pair(void *context, const snag__near_bodies *body_pair, snag__nearest *best)
{
    snag__nearest_passes(body_pair, compare_kinds, context, best);
    return SNAG_OK;
}

static bool make_boxes(snag__ask *ask, search *s)
{
    enum { KINDS = 5 };
    static const snag_element_kind kinds[KINDS] = {SNAG_VERTEX, SNAG_EDGE, SNAG_TRIANGLE, SNAG__ROD, SNAG__THIN_VERTEX};
    size_t floats = SNAG__BOX_PAD;
    for (int i = 0; i < KINDS; i++)
        floats += snag__side_floats(ask, kinds[i]);
    float *memory;
    snag__side *sides;
    const snag__room rooms[] = {
        {&ask->scratch->boxes, &memory, floats, sizeof *memory},
        {&ask->scratch->sides, &sides, KINDS * (size_t)ask->body_count + 1, sizeof *sides},
    };
    if (!snag__rooms_reserve(ask->allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    for (int i = 0; i < KINDS; i++) {
        s->sides[kinds[i]] = sides + (size_t)i * ask->body_count;
        snag__make_sides(ask, kinds[i], sides + (size_t)i * ask->body_count, &memory);
    }
    return true;
}

snag_status snag__brute_distance(snag__ask *ask)
{
    search s = {.ask = ask, .kernels = snag__box_kernels_for(ask->isa)};
    if (!make_boxes(ask, &s))
        return SNAG_ERROR_MEMORY;
    return snag__nearest_find(ask, search_body_pair, &s);
}
