// The question `distance` by brute force: the closest features of each two bodies, over all pairs of elements whose boxes
// are not farther apart than the closest pair so far.
#include "method/brute.h"
#include "method/nearest.h"

#include <math.h>

enum { COLUMNS_AT_ONCE = 1024 };

// The search between two bodies.
typedef struct search {
    snag__couple couple;
    const snag__parallel *parallel;
    const snag__box_kernels *kernels;
    const snag__side *sides[SNAG_TRIANGLE + 1];  // by element kind, per body
    const snag__nearest *known;                  // the best before this pass
    snag__nearest found[SNAG__LISTS];            // by piece
} search;

// One row against a block of columns.
static void compare_row(const search *s, uint32_t row, size_t block, size_t end, snag__nearest *best)
{
    const snag__boxes *rows = &s->sides[s->couple.pass.row][s->couple.row_body].boxes;
    const snag__boxes *columns = &s->sides[s->couple.pass.column][s->couple.column_body].boxes;
    float reach = snag__nearest_reach(&s->couple, best), lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = nextafterf(rows->lo[axis][row] - reach, -INFINITY);
        hi[axis] = nextafterf(rows->hi[axis][row] + reach, INFINITY);
    }
    uint32_t hits[COLUMNS_AT_ONCE + 16];
    size_t count = s->kernels->overlaps(columns, block, end, lo, hi, hits);
    for (size_t h = 0; h < count; h++)
        snag__nearest_offer(&s->couple, row, hits[h], best);
}

static void run_piece(void *context, uint32_t index)
{
    search *s = context;
    snag__nearest *best = &s->found[index];
    *best = *s->known;
    size_t rows = s->sides[s->couple.pass.row][s->couple.row_body].boxes.count;
    size_t columns = s->sides[s->couple.pass.column][s->couple.column_body].boxes.count;
    for (size_t block = 0; block < columns; block += COLUMNS_AT_ONCE) {
        size_t end = block + COLUMNS_AT_ONCE < columns ? block + COLUMNS_AT_ONCE : columns;
        for (size_t row = index; row < rows; row += SNAG__LISTS)
            compare_row(s, (uint32_t)row, block, end, best);
    }
}

static void compare_kinds(void *context, const snag__couple *couple, snag__nearest *best)
{
    search *s = context;
    s->couple = *couple;
    snag__nearest before = *best;
    s->known = &before;
    snag__parallel_for(s->parallel, SNAG__LISTS, run_piece, s);
    for (int i = 0; i < SNAG__LISTS; i++)
        snag__nearest_join(best, &s->found[i]);
}

static snag_status search_couple(void *context, const snag__couple *couple, snag__nearest *best)
{
    snag__nearest_passes(couple, compare_kinds, context, best);
    return SNAG_OK;
}

static bool make_boxes(snag__ask *ask, search *s)
{
    enum { KINDS = SNAG_TRIANGLE + 1 };
    size_t floats = SNAG__BOX_PAD;
    for (int kind = 0; kind < KINDS; kind++)
        floats += snag__side_floats(ask, (snag_element_kind)kind);
    if (!snag__buffer_reserve(ask->allocator, &ask->scratch->boxes, 0, floats, sizeof(float)) ||
        !snag__buffer_reserve(ask->allocator, &ask->scratch->sides, 0, KINDS * (size_t)ask->body_count + 1,
                              sizeof(snag__side)))
        return false;
    float *memory = ask->scratch->boxes.data;
    snag__side *sides = ask->scratch->sides.data;
    for (int kind = 0; kind < KINDS; kind++) {
        s->sides[kind] = sides + (size_t)kind * ask->body_count;
        snag__make_sides(ask, (snag_element_kind)kind, sides + (size_t)kind * ask->body_count, &memory);
    }
    return true;
}

snag_status snag__brute_distance(snag__ask *ask)
{
    search s = {.parallel = ask->parallel, .kernels = snag__box_kernels_for(ask->isa)};
    if (!make_boxes(ask, &s))
        return SNAG_ERROR_MEMORY;
    return snag__nearest_find(ask, search_couple, &s);
}
