// A frame of a report: positions on a grid, and contacts.
#include "report_frame.h"

#include "common/coordinate.h"
#include "snag/lab.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Grid steps along the diagonal of a body's box: a millionth is finer than a screen can show, and the contacts keep the exact
// results.
#define GRID_STEPS 1048576.0

// Positions this far outside the box of their last key frame start a new key frame with a larger grid.
#define FARTHEST_STEP 1073741824.0

enum { BODY_RESTS = 0, BODY_KEY = 1, BODY_MOVED = 2 };

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

report_range report_empty_range(void)
{
    report_range range = {.value = {INFINITY, -INFINITY}, .time = {INFINITY, -INFINITY}};
    for (int k = 0; k < 3; k++) {
        range.low[k] = INFINITY;
        range.high[k] = -INFINITY;
    }
    return range;
}

// ---- positions -----------------------------------------------------------------------------------------------------

static void measure(snag_positions positions, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (size_t i = 0; i < positions.count; i++) {
            double x = coordinate_at(positions, i, k);
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    }
}

static void choose_grid(report_track *track, const double low[3], const double high[3])
{
    double half[3];  // halved, so that the largest numbers do not overflow
    for (int k = 0; k < 3; k++) {
        track->origin[k] = track->vertex_count ? 0.5 * low[k] + 0.5 * high[k] : 0;
        half[k] = track->vertex_count ? 0.5 * high[k] - 0.5 * low[k] : 0;
    }
    double step = hypot(hypot(half[0], half[1]), half[2]) / (0.5 * GRID_STEPS);
    track->step = step < DBL_MIN ? 1 : isfinite(step) ? step : DBL_MAX / GRID_STEPS;
}

static uint32_t step_of(const report_track *track, double x, int axis)
{
    return (uint32_t)(int32_t)lrint((x - track->origin[axis]) / track->step);
}

static bool on_the_grid(const report_track *track, const double low[3], const double high[3])
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(low[k] - track->origin[k]) / track->step < FARTHEST_STEP &&
              fabs(high[k] - track->origin[k]) / track->step < FARTHEST_STEP))
            return false;
    return true;
}

// Zigzag coding: small numbers of either sign become small unsigned numbers.
static uint32_t fold(uint32_t difference)
{
    return difference << 1 ^ (difference >> 31 ? UINT32_MAX : 0);
}

// Differences from the last frame, then from the previous vertex, since neighbours move alike. Returns whether anything moved.
static bool take_differences(report_track *track, snag_positions positions, uint32_t *differences)
{
    bool moved = false;
    for (int k = 0; k < 3; k++) {
        uint32_t before = 0;
        uint32_t *last = track->steps + (size_t)k * track->vertex_count;
        uint32_t *made = differences + (size_t)k * track->vertex_count;
        for (size_t i = 0; i < track->vertex_count; i++) {
            uint32_t now = step_of(track, coordinate_at(positions, i, k), k), change = now - last[i];
            last[i] = now;
            moved = moved || change != 0;
            made[i] = fold(change - before);
            before = change;
        }
    }
    return moved;
}

void report_positions(report_block *block, report_track *track, snag_positions positions, bool key, uint32_t *scratch,
                      report_range *range)
{
    double low[3], high[3];
    measure(positions, low, high);
    for (int k = 0; k < 3; k++) {
        range->low[k] = fmin(range->low[k], low[k]);
        range->high[k] = fmax(range->high[k], high[k]);
    }
    key = key || (track->vertex_count && !on_the_grid(track, low, high));
    if (key) {
        choose_grid(track, low, high);
        memset(track->steps, 0, 3 * track->vertex_count * sizeof *track->steps);
    }
    bool moved = take_differences(track, positions, scratch);
    block_u8(block, key ? BODY_KEY : moved ? BODY_MOVED : BODY_RESTS);
    for (int k = 0; key && k < 3; k++)
        block_f64(block, track->origin[k]);
    if (key)
        block_f64(block, track->step);
    if (key || moved)
        block_column32(block, scratch, 3 * track->vertex_count);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// Importance of a contact: smaller is more important.
static double urgency(snag_question question, const snag_contact *contact)
{
    if (contacts_is_intersection(question, contact))
        return contact->kind == SNAG_CROSSING ? 0 : contact->kind == SNAG_COPLANAR ? 1 : 2;
    switch (question) {
    case SNAG_IMPACTS: return contact->t;
    case SNAG_PENETRATIONS:
    case SNAG_OVERLAPS: return -contact->value;
    default: return contact->value;
    }
}

typedef struct ranked_line {
    double urgency;
    const contact_line *line;
} ranked_line;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_line *x = a, *y = b;
    if (x->urgency != y->urgency)
        return x->urgency < y->urgency ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

// The lines in list order, or the most important first if there are too many for details.
static ranked_line *rank_lines(const contact_list *list)
{
    ranked_line *ranked = malloc((list->count + 1) * sizeof *ranked);
    for (size_t i = 0; ranked && i < list->count; i++)
        ranked[i] = (ranked_line){urgency(list->question, list->lines[i].contact), &list->lines[i]};
    if (ranked && list->count > REPORT_DETAILED)
        qsort(ranked, list->count, sizeof *ranked, compare_ranked);
    return ranked;
}

// Element a (side 0) or b of a line, by its index in the body.
static const snag_element *side_of(const contact_line *line, int side)
{
    return (side == 1) != line->swapped ? &line->contact->b : &line->contact->a;
}

enum { PART_BODY, PART_INDEX, PART_OTHER_END, PART_COUNT };

static uint32_t part_of(const contact_line *line, int side, int part)
{
    const snag_element *element = side_of(line, side);
    bool edge = element->kind == SNAG_EDGE;
    switch (part) {
    case PART_BODY: return side ? line->body_b : line->body_a;
    case PART_INDEX: return edge ? element->vertex[0] : element->index;
    default: return edge ? element->vertex[1] : 0;
    }
}

static void put_elements(report_block *block, const ranked_line *ranked, size_t count, uint32_t *column)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            block_u8(block, (uint8_t)side_of(ranked[i].line, side)->kind);
        for (int part = 0; part < PART_COUNT; part++) {
            uint32_t before = 0;
            for (size_t i = 0; i < count; i++) {
                uint32_t now = part_of(ranked[i].line, side, part);
                column[i] = fold(now - before);
                before = now;
            }
            block_column32(block, column, count);
        }
    }
    for (size_t i = 0; i < count; i++)
        block_u8(block, (uint8_t)ranked[i].line->contact->kind);
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t now = (uint32_t)ranked[i].line->place;
        column[i] = fold(now - before);
        before = now;
    }
    block_column32(block, column, count);
}

// The numbers of a contact: value, time, point on a, point on b, normal; for overlaps also the radii of the two spheres.
enum {
    DETAIL_VALUE,
    DETAIL_TIME,
    DETAIL_A,
    DETAIL_B = DETAIL_A + 3,
    DETAIL_NORMAL = DETAIL_B + 3,
    DETAIL_RADII = DETAIL_NORMAL + 3,
    DETAIL_COUNT = DETAIL_RADII + 2
};

// Never -0, as in the other outputs.
static double detail_of(const contact_line *line, int detail)
{
    const snag_contact *contact = line->contact;
    const double *a = line->swapped ? contact->point_b : contact->point_a;
    const double *b = line->swapped ? contact->point_a : contact->point_b;
    if (detail == DETAIL_VALUE)
        return contact->value;
    if (detail == DETAIL_TIME)
        return contact->t;
    if (detail < DETAIL_NORMAL)
        return 0.0 + (detail < DETAIL_B ? a[detail - DETAIL_A] : b[detail - DETAIL_B]);
    if (detail >= DETAIL_RADII)
        return contact->weight[(detail == DETAIL_RADII) == line->swapped];
    double along = contact->normal[detail - DETAIL_NORMAL];
    return line->swapped ? 0.0 - along : 0.0 + along;
}

static uint32_t float_bits(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

typedef struct contact_columns {
    ranked_line *ranked;
    uint32_t *whole;
    double *numbers;
} contact_columns;

static void put_details(report_block *block, const contact_columns *columns, size_t count, int details, report_range *range)
{
    bool exact = count <= REPORT_EXACT;
    block_u8(block, exact);
    for (int detail = 0; detail < details; detail++) {
        for (size_t i = 0; i < count; i++) {
            columns->numbers[i] = detail_of(columns->ranked[i].line, detail);
            columns->whole[i] = float_bits(columns->numbers[i]);
            if (detail <= DETAIL_TIME)
                widen(detail == DETAIL_TIME ? range->time : range->value, columns->numbers[i]);
        }
        if (exact || detail <= DETAIL_TIME)
            block_column64(block, columns->numbers, count);
        else
            block_column32(block, columns->whole, count);
    }
}

bool report_contacts(report_block *block, const contact_list *list, report_range *range)
{
    size_t detailed = list->count < REPORT_DETAILED ? list->count : REPORT_DETAILED;
    contact_columns columns = {
        .ranked = rank_lines(list),
        .whole = malloc((list->count + 1) * sizeof *columns.whole),
        .numbers = malloc((list->count + 1) * sizeof *columns.numbers),
    };
    bool put = columns.ranked && columns.whole && columns.numbers;
    if (put) {
        block_u32(block, (uint32_t)list->count);
        block_u32(block, (uint32_t)detailed);
        put_elements(block, columns.ranked, list->count, columns.whole);
        put_details(block, &columns, detailed, list->question == SNAG_OVERLAPS ? DETAIL_COUNT : DETAIL_RADII, range);
    }
    free(columns.ranked);
    free(columns.whole);
    free(columns.numbers);
    return put;
}

// ---- lines between regions -----------------------------------------------------------------------------------------

bool report_lines(report_block *block, const snag_answer *answer)
{
    size_t count = answer->statistics->lab->line_count;
    uint32_t *column = malloc((count + 1) * sizeof *column);
    if (!column)
        return false;
    block_u32(block, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        block_u8(block, (uint8_t)answer->statistics->lab->lines[i].level);
    for (int k = 0; k < 6; k++) {
        for (size_t i = 0; i < count; i++) {
            const snag_region_line *line = &answer->statistics->lab->lines[i];
            column[i] = float_bits(k < 3 ? line->from[k] : line->to[k - 3]);
        }
        block_column32(block, column, count);
    }
    free(column);
    return true;
}
