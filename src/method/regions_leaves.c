// Leaves that are near each other, and which of their elements are: see regions.h.
#include "method/regions.h"

#include <math.h>

// ---- leaves ----

// A leaf whose boxes are to be made.
typedef struct stale_leaf {
    uint32_t place, leaf;
} stale_leaf;

bool snag__leaves_near(const snag__region_couple *couple, const snag__region_pair *pairs, size_t pair_count, double reach,
                       size_t *count)
{
    snag__ask *ask = couple->ask;
    if (!snag__buffer_reserve(ask->allocator, &couple->state->near, *count, *count + pair_count + 1, sizeof(snag__leaf_pair)))
        return false;
    snag__leaf_pair *near = couple->state->near.data;
    const float within = snag__region_float_reach(reach);
    for (size_t i = 0; i < pair_count; i++) {
        const uint32_t leaf[2] = {pairs[i].a, pairs[i].b};
        for (int side = 0; side < 2; side++)
            snag__regions_update_leaf(couple->tree[side], leaf[side], couple->mesh[side],
                                      ask->bodies[couple->place[side]]->pose, ask->isa);
        snag__region_bound bound = snag__region_bound_of(&couple->tree[1]->bounds, leaf[1]);
        float squared[16];
        near[*count] = (snag__leaf_pair){{couple->place[0], couple->place[1]}, {leaf[0], leaf[1]}};
        *count += couple->kernels->near(&couple->tree[0]->bounds, leaf[0], 1, &bound, within, squared);
    }
    return true;
}

typedef struct boxing {
    snag__ask *ask;
    snag__region_tree *trees;
    const stale_leaf *stale;
    size_t count;
} boxing;

enum { LEAVES_OF_A_PIECE = 16 };

static void box_leaves(void *context, uint32_t piece)
{
    const boxing *b = context;
    size_t first = (size_t)piece * LEAVES_OF_A_PIECE, last = first + LEAVES_OF_A_PIECE;
    for (size_t i = first; i < last && i < b->count; i++) {
        const snag__body *body = b->ask->bodies[b->stale[i].place];
        snag__regions_box_leaf(&b->trees[b->stale[i].place].regions, b->stale[i].leaf, &body->mesh, body->pose, b->ask->isa);
    }
}

bool snag__leaves_box(snag__ask *ask, snag__region_state *state, size_t near_count)
{
    if (!snag__buffer_reserve(ask->allocator, &state->stale, 0, 2 * near_count + 1, sizeof(stale_leaf)))
        return false;
    snag__region_tree *trees = state->trees[0].data;
    const snag__leaf_pair *near = state->near.data;
    stale_leaf *stale = state->stale.data;
    size_t count = 0;
    for (size_t i = 0; i < near_count; i++)
        for (int side = 0; side < 2; side++) {
            uint32_t place = near[i].place[side], leaf = near[i].leaf[side];
            uint64_t *boxed = &trees[place].regions.boxed[leaf];
            if (*boxed == ask->bodies[place]->pose || *boxed == SNAG__BOXES_WANTED)
                continue;
            *boxed = SNAG__BOXES_WANTED;
            stale[count++] = (stale_leaf){place, leaf};
        }
    boxing b = {ask, trees, stale, count};
    snag__parallel_for(ask->parallel, (uint32_t)((count + LEAVES_OF_A_PIECE - 1) / LEAVES_OF_A_PIECE), box_leaves, &b);
    return true;
}

// ---- elements ----

static void grow(const float *const lo[3], const float *const hi[3], uint32_t i, float reach, float grown_lo[3],
                 float grown_hi[3])
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
static void compare_row(const snag__box_kernels *kernels, const snag__leaf_side *rows, uint32_t row,
                        const snag__leaf_side *columns, snag__run run, batch *b)
{
    const snag__kdops *row_boxes = &rows->tree->boxes[rows->kind], *boxes = &columns->tree->boxes[columns->kind];
    float lo[3], hi[3];
    uint32_t hits[AT_ONCE + 16];
    grow((const float *const *)row_boxes->lo, (const float *const *)row_boxes->hi, row, b->reach, lo, hi);
    size_t found = kernels->kdop_overlaps(boxes, run.first, run.first + run.count, lo, hi, hits);
    if (b->count + found > SNAG__LEAF_BATCH)
        hand_on(b);
    for (size_t i = 0; i < found; i++) {
        b->pairs[b->count][0] = rows->tree->elements[rows->kind][row];
        b->pairs[b->count++][1] = columns->tree->elements[columns->kind][hits[i]];
    }
}

void snag__leaves_compare(const snag__box_kernels *kernels, const snag__leaf_side *rows, const snag__leaf_side *columns,
                          float reach, snag__leaf_take *take, void *context)
{
    const snag__run row_run = rows->tree->regions[rows->leaf].elements[rows->kind];
    const snag__run column_run = columns->tree->regions[columns->leaf].elements[columns->kind];
    const snag__region_bounds *bounds = &columns->tree->bounds;
    batch b;
    b.count = 0;
    b.reach = reach;
    b.take = take;
    b.context = context;
    for (uint32_t row = 0; row < row_run.count; row += AT_ONCE) {
        float lo[3], hi[3];
        uint32_t hits[AT_ONCE + 16], first = row_run.first + row;
        uint32_t last = row_run.count - row < AT_ONCE ? row_run.first + row_run.count : first + AT_ONCE;
        grow((const float *const *)bounds->lo, (const float *const *)bounds->hi, columns->leaf, b.reach, lo, hi);
        size_t found = kernels->kdop_overlaps(&rows->tree->boxes[rows->kind], first, last, lo, hi, hits);
        for (uint32_t column = 0; column < column_run.count; column += AT_ONCE) {
            uint32_t left = column_run.count - column;
            for (size_t i = 0; i < found; i++)
                compare_row(kernels, rows, hits[i], columns,
                            (snag__run){column_run.first + column, left < AT_ONCE ? left : AT_ONCE}, &b);
        }
    }
    hand_on(&b);
}
