// Leaves that are near each other, and which of their elements are: see regions.h.
#include "method/regions.h"

#include <math.h>

// ---- leaves ----

// Heights h and g of two sides whose slopes are opposite: they are h + g apart at least, and this is far beyond rounding.
static bool is_beyond(float h, float g, float reach)
{
    return h + g > reach * (1 + 0x1p-16f);
}

static snag__region_slope slope_of_side(const snag__region_slope *slope, int side)
{
    snag__region_slope own = *slope;
    for (int axis = 0; axis < 3 && side == 1; axis++)
        own.direction[axis] = -own.direction[axis];
    return own;
}

// The height of a leaf's lowest point, measured once in a search.
static float leaf_height(const snag__region_bodies *body_pair, int side, uint32_t leaf, const snag__region_slope *slopes)
{
    snag__regions *tree = body_pair->tree[side];
    if (tree->leaf_heights_stamp[leaf] == body_pair->state->stamp)
        return tree->leaf_heights[leaf];
    enum { AT_ONCE = 64 };
    const snag__run cover = tree->regions[leaf].cover;
    float lowest = INFINITY, heights[AT_ONCE];
    for (uint32_t i = 0; i < cover.count; i += AT_ONCE) {
        uint32_t count = cover.count - i < AT_ONCE ? cover.count - i : AT_ONCE;
        body_pair->kernels->heights((const double(*)[3])body_pair->mesh[side]->x_t1, tree->cover + cover.first + i, 1, 0, count,
                                    &slopes[side], heights);
        for (uint32_t k = 0; k < count; k++)
            lowest = heights[k] < lowest ? heights[k] : lowest;
    }
    tree->leaf_heights_stamp[leaf] = body_pair->state->stamp;
    return tree->leaf_heights[leaf] = lowest;
}

bool snag__leaves_near(const snag__region_bodies *body_pair, const snag__region_pair *pairs, size_t pair_count, double reach,
                       const snag__region_slope *slope, size_t *count)
{
    snag__ask *ask = body_pair->ask;
    if (!snag__buffer_reserve(ask->allocator, &body_pair->state->near, *count, *count + pair_count + 1, sizeof(snag__leaf_pair)))
        return false;
    snag__region_slope slopes[2] = {{{0}, {0}}, {{0}, {0}}};
    for (int side = 0; side < 2 && slope != NULL; side++)
        slopes[side] = slope_of_side(slope, side);
    snag__leaf_pair *near = body_pair->state->near.data;
    const float within = snag__region_float_reach(reach);
    body_pair->state->stamp++;
    for (size_t i = 0; i < pair_count; i++) {
        const uint32_t leaf[2] = {pairs[i].a, pairs[i].b};
        for (int side = 0; side < 2; side++)
            snag__regions_update_leaf(body_pair->tree[side], leaf[side], body_pair->mesh[side],
                                      ask->bodies[body_pair->place[side]]->pose, ask->isa);
        snag__region_bound bound = snag__region_bound_of(&body_pair->tree[1]->bounds, leaf[1]);
        float squared[16];
        if (!body_pair->kernels->near(&body_pair->tree[0]->bounds, leaf[0], 1, &bound, within, squared))
            continue;
        if (slope != NULL &&
            is_beyond(leaf_height(body_pair, 0, leaf[0], slopes), leaf_height(body_pair, 1, leaf[1], slopes), within))
            continue;
        near[(*count)++] = (snag__leaf_pair){{body_pair->place[0], body_pair->place[1]}, {leaf[0], leaf[1]}};
    }
    return true;
}

// A leaf whose boxes and heights are to be made.
typedef struct stale_leaf {
    uint32_t place, leaf;
    int side;
} stale_leaf;

typedef struct boxing {
    snag__ask *ask;
    snag__region_tree *trees;
    const stale_leaf *stale;
    size_t count;
    const snag__region_slope *slope;
} boxing;

enum { LEAVES_OF_A_TASK = 16 };

static void raise_leaf(const boxing *b, const stale_leaf *stale)
{
    const snag__region_kernels *kernels = snag__region_kernels_for(b->ask->isa);
    const snag__region_slope slope = slope_of_side(b->slope, stale->side);
    const snag__regions *tree = &b->trees[stale->place].regions;
    for (int kind = 0; kind < SNAG__REGION_KINDS; kind++) {
        snag__run run = tree->regions[stale->leaf].elements[kind];
        kernels->heights((const double(*)[3])b->ask->bodies[stale->place]->mesh.x_t1, tree->corners[kind], (uint32_t)kind + 1,
                         run.first, run.count, &slope, tree->heights[kind]);
    }
}

static void box_leaves(void *context, uint32_t task)
{
    const boxing *b = context;
    size_t first = (size_t)task * LEAVES_OF_A_TASK, last = first + LEAVES_OF_A_TASK;
    for (size_t i = first; i < last && i < b->count; i++) {
        const stale_leaf *stale = &b->stale[i];
        const snag__body *body = b->ask->bodies[stale->place];
        snag__regions_box_leaf(&b->trees[stale->place].regions, stale->leaf, &body->mesh, body->pose, b->ask->isa);
        if (b->slope != NULL)
            raise_leaf(b, stale);
    }
}

bool snag__leaves_box(snag__ask *ask, snag__region_state *state, size_t near_count, const snag__region_slope *slope)
{
    if (!snag__buffer_reserve(ask->allocator, &state->stale, 0, 2 * near_count + 1, sizeof(stale_leaf)))
        return false;
    snag__region_tree *trees = state->trees[0].data;
    const snag__leaf_pair *near = state->near.data;
    stale_leaf *stale = state->stale.data;
    size_t count = 0;
    state->stamp++;
    for (size_t i = 0; i < near_count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t place = near[i].place[side], leaf = near[i].leaf[side];
            uint64_t *stamp = &trees[place].regions.heights_stamp[leaf];
            if (*stamp == state->stamp)
                continue;
            *stamp = state->stamp;
            stale[count++] = (stale_leaf){place, leaf, side};
        }
    boxing b = {ask, trees, stale, count, slope};
    snag__parallel_for(ask->parallel, (uint32_t)((count + LEAVES_OF_A_TASK - 1) / LEAVES_OF_A_TASK), box_leaves, &b);
    return true;
}

// ---- elements ----

static void grow(const float *const lo[3], const float *const hi[3], uint32_t i, float reach, float grown_lo[3], float grown_hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        grown_lo[axis] = nextafterf(lo[axis][i] - reach, -INFINITY);
        grown_hi[axis] = nextafterf(hi[axis][i] + reach, INFINITY);
    }
}

enum { AT_ONCE = 256 };

// Pairs that wait to be taken.
typedef struct batch {
    uint32_t pairs[SNAG__LEAF_BATCH][2];
    size_t count;
    float reach;
    bool sloped;
    snag__leaf_take *take;
    void *context;
} batch;

static void hand_on(batch *b)
{
    if (b->count > 0)
        b->reach = b->take(b->context, (const uint32_t(*)[2])b->pairs, b->count);
    b->count = 0;
}

// One row against a run of columns.
static void compare_row(const snag__box_kernels *kernels, const snag__leaf_side *rows, uint32_t row, const snag__leaf_side *columns,
                        snag__run run, batch *b)
{
    const snag__kdops *row_boxes = &rows->tree->boxes[rows->kind], *boxes = &columns->tree->boxes[columns->kind];
    float lo[3], hi[3];
    uint32_t hits[AT_ONCE + 16];
    grow((const float *const *)row_boxes->lo, (const float *const *)row_boxes->hi, row, b->reach, lo, hi);
    size_t found = kernels->kdop_overlaps(boxes, run.first, run.first + run.count, lo, hi, hits);
    if (b->count + found > SNAG__LEAF_BATCH)
        hand_on(b);
    const float height = rows->tree->heights[rows->kind][row], *heights = columns->tree->heights[columns->kind];
    for (size_t i = 0; i < found; i++) {
        b->pairs[b->count][0] = rows->tree->elements[rows->kind][row];
        b->pairs[b->count][1] = columns->tree->elements[columns->kind][hits[i]];
        b->count += !b->sloped || !is_beyond(height, heights[hits[i]], b->reach);
    }
}

// Of some rows, those that may be near the other leaf as a whole. Returns how many.
static size_t keep_low(const snag__leaf_side *rows, const snag__leaf_side *columns, float reach, uint32_t *hits, size_t count)
{
    const float *heights = rows->tree->heights[rows->kind], other = columns->tree->leaf_heights[columns->leaf];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        hits[kept] = hits[i];
        kept += !is_beyond(heights[hits[i]], other, reach);
    }
    return kept;
}

void snag__leaves_compare(const snag__box_kernels *kernels, const snag__leaf_side *rows, const snag__leaf_side *columns,
                          bool sloped, float reach, snag__leaf_take *take, void *context)
{
    const snag__run row_run = rows->tree->regions[rows->leaf].elements[rows->kind];
    const snag__run column_run = columns->tree->regions[columns->leaf].elements[columns->kind];
    const snag__region_bounds *bounds = &columns->tree->bounds;
    batch b;
    b.count = 0;
    b.reach = reach;
    b.sloped = sloped;
    b.take = take;
    b.context = context;
    for (uint32_t row = 0; row < row_run.count; row += AT_ONCE) {
        float lo[3], hi[3];
        uint32_t hits[AT_ONCE + 16], first = row_run.first + row;
        uint32_t last = row_run.count - row < AT_ONCE ? row_run.first + row_run.count : first + AT_ONCE;
        grow((const float *const *)bounds->lo, (const float *const *)bounds->hi, columns->leaf, b.reach, lo, hi);
        size_t found = kernels->kdop_overlaps(&rows->tree->boxes[rows->kind], first, last, lo, hi, hits);
        if (sloped)
            found = keep_low(rows, columns, b.reach, hits, found);
        for (uint32_t column = 0; column < column_run.count; column += AT_ONCE) {
            uint32_t left = column_run.count - column;
            for (size_t i = 0; i < found; i++)
                compare_row(kernels, rows, hits[i], columns,
                            (snag__run){column_run.first + column, left < AT_ONCE ? left : AT_ONCE}, &b);
        }
    }
    hand_on(&b);
}
