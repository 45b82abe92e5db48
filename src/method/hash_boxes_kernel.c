// Boxes of elements, and which of them meet, eight at a time. See grid_boxes.h for the levels.
#include "method/hash_boxes.h"
#include "method/hash_lanes.h"

enum { GROUP = 16 };  // rows of one cell that are searched with one look at their surroundings

// ---- boxes ----

static inline d4 load_point(const double x[3])
{
    return (d4){x[0], x[1], x[2], 0};
}

static inline d4 min_d4(d4 a, d4 b)
{
    l4 less = (l4)(a < b);
    return (d4)((less & (l4)a) | (~less & (l4)b));
}

static inline d4 max_d4(d4 a, d4 b)
{
    l4 more = (l4)(a > b);
    return (d4)((more & (l4)a) | (~more & (l4)b));
}

static inline void bound_corners(const double (*x)[3], const uint32_t *corner, uint32_t count, d4 *lo, d4 *hi)
{
    for (uint32_t c = 0; c < count; c++) {
        d4 p = load_point(x[corner[c]]);
        *lo = min_d4(p, *lo);
        *hi = max_d4(p, *hi);
    }
}

// Scaled coordinates are off by 2^-50 at most, and a float by 2^-24 of itself: boxes are made larger by more than that.
static inline f4 outward(f4 x)
{
    f4 size = (f4)((i4)x & (i4){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
    return size * 0x1p-22f + 0x1p-48f;
}

static void make_boxes(const snag__box_elements *e, const snag__box_frame *frame, snag__box_item *items)
{
    const d4 origin = load_point(frame->origin);
    for (uint32_t i = e->first; i < e->last; i++) {
        snag__box_item *item = &items[i - e->first];
        if (e->used != NULL && !e->used[i]) {
            item->lo[0] = NAN;
            continue;
        }
        const uint32_t *corner = e->vertices != NULL ? e->vertices + (size_t)e->corners * i : &i;
        d4 lo = load_point(e->x_t1[corner[0]]), hi = lo;
        bound_corners(e->x_t1, corner, e->corners, &lo, &hi);
        if (e->x_t0 != NULL)
            bound_corners(e->x_t0, corner, e->corners, &lo, &hi);
        f4 low = __builtin_convertvector(lo * frame->scale - origin - frame->reach, f4);
        f4 high = __builtin_convertvector(hi * frame->scale - origin + frame->reach, f4);
        low -= outward(low);
        high += outward(high);
        for (int axis = 0; axis < 3; axis++) {
            item->lo[axis] = low[axis];
            item->hi[axis] = high[axis];
        }
    }
}

// ---- groups ----

typedef struct group {
    uint32_t first, last;  // places
    float lo[3], hi[3];
    // What meets the box of the group.
    float near_lo[3][SNAG__BOX_NEAR + 8], near_hi[3][SNAG__BOX_NEAR + 8];
    uint32_t near_place[SNAG__BOX_NEAR + 8];
    uint32_t near_count;
} group;

static inline f8 load_places(const uint32_t *from)
{
    f8 x;
    memcpy(&x, from, sizeof x);
    return x;
}

// Places fit in 32 bits but not always in 31.
static inline i8 is_behind(const uint32_t *places, uint32_t place)
{
    i8 x;
    memcpy(&x, places, sizeof x);
    return (i8)((x ^ INT32_MIN) > (int32_t)(place ^ 0x80000000u));
}

// Each row of the group against all that waits.
static void compare_near(const snag__box_search *s, group *g, snag__box_candidates *h)
{
    for (uint32_t i = g->near_count; i < g->near_count + 8; i++)
        g->near_lo[0][i] = NAN;  // meets nothing
    for (uint32_t row = g->first; row < g->last; row++) {
        const snag__box_grid *rows = s->rows;
        const float lo[3] = {rows->lo[0][row], rows->lo[1][row], rows->lo[2][row]};
        const float hi[3] = {rows->hi[0][row], rows->hi[1][row], rows->hi[2][row]};
        for (uint32_t i = 0; i < g->near_count; i += 8) {
            i8 meets = (i8)(load_f8(g->near_lo[0] + i) <= hi[0]) & (i8)(load_f8(g->near_hi[0] + i) >= lo[0]) &
                       (i8)(load_f8(g->near_lo[1] + i) <= hi[1]) & (i8)(load_f8(g->near_hi[1] + i) >= lo[1]) &
                       (i8)(load_f8(g->near_lo[2] + i) <= hi[2]) & (i8)(load_f8(g->near_hi[2] + i) >= lo[2]);
            if (s->symmetric)
                meets &= is_behind(g->near_place + i, row);
            uint32_t bits = bits_of(meets);
            keep_lanes(load_places(g->near_place + i), bits, (float *)(void *)(h->columns + h->count));
            for (int lane = 0; lane < 8; lane++)
                h->rows[h->count + (size_t)lane] = row;
            h->count += (uint32_t)__builtin_popcount(bits);
        }
        if (h->count >= SNAG__BOX_PAIRS)
            h->full(h->context, h);
    }
    g->near_count = 0;
}

// Columns at places first .. last - 1 that meet the box of the group.
static inline void collect(const snag__box_search *s, group *g, uint32_t first, uint32_t last, snag__box_candidates *h)
{
    const snag__box_grid *c = s->columns;
    for (uint32_t place = first; place < last; place += 8) {
        f8 lo[3] = {load_f8(c->lo[0] + place), load_f8(c->lo[1] + place), load_f8(c->lo[2] + place)};
        f8 hi[3] = {load_f8(c->hi[0] + place), load_f8(c->hi[1] + place), load_f8(c->hi[2] + place)};
        i8 meets = (i8)(lo[0] <= g->hi[0]) & (i8)(hi[0] >= g->lo[0]) & (i8)(lo[1] <= g->hi[1]) & (i8)(hi[1] >= g->lo[1]) &
                   (i8)(lo[2] <= g->hi[2]) & (i8)(hi[2] >= g->lo[2]);
        uint32_t bits = bits_of(meets);
        if (last - place < 8)
            bits &= (1u << (last - place)) - 1u;
        for (int axis = 0; axis < 3; axis++) {
            keep_lanes(lo[axis], bits, g->near_lo[axis] + g->near_count);
            keep_lanes(hi[axis], bits, g->near_hi[axis] + g->near_count);
        }
        const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
        keep_lanes((f8)(lane + (int32_t)place), bits, (float *)(void *)(g->near_place + g->near_count));
        g->near_count += (uint32_t)__builtin_popcount(bits);
        if (g->near_count > SNAG__BOX_NEAR - 8)
            compare_near(s, g, h);
    }
}

// Cells of one level whose boxes may meet the group's: their middles lie within half a cell of it.
static void look_up(const snag__box_search *s, group *g, const snag__box_level *level, snag__box_candidates *h)
{
    uint32_t first[3], last[3], begin = s->symmetric ? g->first + 1 : 0;
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = snag__box_cell(level, (double)g->lo[axis] - 0.5 * level->cell);
        last[axis] = snag__box_cell(level, (double)g->hi[axis] + 0.5 * level->cell);
    }
    for (uint32_t k = first[2]; k <= last[2]; k++)
        for (uint32_t j = first[1]; j <= last[1]; j++)
            for (uint32_t i = first[0]; i <= last[0]; i++) {
                const snag__grid_slot *slot = &s->columns->slots[snag__box_slot(level, i, j, k)];
                if (slot->stamp == s->columns->stamp && slot->end > begin)
                    collect(s, g, slot->start > begin ? slot->start : begin, slot->end, h);
            }
}

static void search_group(const snag__box_search *s, group *g, uint32_t level, snag__box_candidates *h)
{
    g->near_count = 0;
    for (uint32_t l = level + s->above; l < SNAG__BOX_LEVELS; l++) {
        const snag__box_level *columns = &s->columns->levels[l];
        if (columns->count > 0)
            look_up(s, g, columns, h);
    }
    compare_near(s, g, h);
}

// From g->first on, the places whose boxes have their middle in the same cell.
static void make_group(const snag__box_grid *grid, const snag__box_level *level, uint32_t last, group *g)
{
    uint32_t cell[3] = {0}, most = g->first + GROUP;
    last = last < most ? last : most;
    for (g->last = g->first; g->last < last; g->last++) {
        float lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = grid->lo[axis][g->last];
            hi[axis] = grid->hi[axis][g->last];
        }
        uint32_t at[3];
        snag__box_middle_cell(level, lo, hi, at);
        bool is_first = g->last == g->first;
        if (!is_first && (at[0] != cell[0] || at[1] != cell[1] || at[2] != cell[2]))
            break;
        for (int axis = 0; axis < 3; axis++) {
            cell[axis] = at[axis];
            g->lo[axis] = is_first || lo[axis] < g->lo[axis] ? lo[axis] : g->lo[axis];
            g->hi[axis] = is_first || hi[axis] > g->hi[axis] ? hi[axis] : g->hi[axis];
        }
    }
}

static void search_places(const snag__box_search *s, uint32_t first, uint32_t last, snag__box_candidates *h)
{
    group g;
    memset(g.lo, 0, sizeof g.lo);
    memset(g.hi, 0, sizeof g.hi);
    uint32_t level = 0;
    for (g.first = first; g.first < last; g.first = g.last) {
        const snag__box_level *levels = s->rows->levels;
        while (g.first >= levels[level].first_place + levels[level].count)
            level++;
        uint32_t end = levels[level].first_place + levels[level].count;
        make_group(s->rows, &levels[level], last < end ? last : end, &g);
        search_group(s, &g, level, h);
    }
}

extern const snag__hash_box_kernels SNAG__KERNEL(snag__hash_box_kernels);
const snag__hash_box_kernels SNAG__KERNEL(snag__hash_box_kernels) = {.boxes = make_boxes, .search = search_places};
