// Spatial hashing of triangles, edges and vertices: the questions about surfaces, and edges in tetrahedra.
// Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
// Objects, VMV 2003, section 7: "could handle other object primitives as well by simply replacing the intersection test".
// Differs: each element is stored once, by the middle of its box, in a cell of its own size (bound/grid_boxes.h). All elements of a
// cell search their surroundings together; of two elements the smaller one finds the larger.
#include "method/hash_boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SNAG__DECLARE_KERNELS(snag__hash_box_kernels, snag__hash_box_kernels);

const snag__hash_box_kernels *snag__hash_box_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__hash_box_kernels, isa)
}

enum {
    ROWS_OF_A_TASK = 512,
    ELEMENTS_OF_A_TASK = 4096,
    SAMPLES = 256,  // elements whose size is measured to choose the size of cells
};

// The cell size in sizes of an element, as measured (see docs/design/hash.md), and limits for a cell size that the user gives,
// relative to the best: see hash.c.
static const double CELL_IN_ELEMENTS = 2, LARGEST_CELL = 3, SMALLEST_CELL = 0.25;

void snag__hash_boxes_free(const snag_allocator *allocator, snag__hash_boxes *boxes)
{
    snag__box_grid_free(allocator, &boxes->rows);
    snag__box_grid_free(allocator, &boxes->columns);
    snag__buffer_free(allocator, &boxes->first_row);
    snag__buffer_free(allocator, &boxes->first_column);
    snag__buffer_free(allocator, &boxes->wanted);
}

// ---- boxes ----

static void bound_points(const double (*x)[3], const uint8_t *used, uint32_t count, double lo[3], double hi[3])
{
    for (uint32_t v = 0; v < count; v++)
        for (int axis = 0; axis < 3 && used[v]; axis++) {
            lo[axis] = x[v][axis] < lo[axis] ? x[v][axis] : lo[axis];
            hi[axis] = x[v][axis] > hi[axis] ? x[v][axis] : hi[axis];
        }
}

// Coordinates with the middle of the scene at 0, scaled by a power of two into -1 .. 1.
static snag__box_frame frame_of(const snag__ask *ask)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0, middle[3];
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        bound_points((const double(*)[3])mesh->x_t1, mesh->vertex_used, mesh->vertex_count, lo, hi);
        if (ask->kind->swept)
            bound_points((const double(*)[3])mesh->x_t0, mesh->vertex_used, mesh->vertex_count, lo, hi);
    }
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = lo[axis] <= hi[axis] ? lo[axis] / 2 + hi[axis] / 2 : 0;
        if (lo[axis] <= hi[axis])
            half = fmax(half, fmax(hi[axis] - middle[axis], middle[axis] - lo[axis]));
    }
    int exponent = 0;
    frexp(half, &exponent);
    snag__box_frame frame = {.scale = ldexp(1, exponent < -1000 ? 1000 : -exponent)};
    for (int axis = 0; axis < 3; axis++)
        frame.origin[axis] = middle[axis] * frame.scale;
    frame.reach = snag__reach(ask) * frame.scale;
    return frame;
}

// Computing the boxes of one kind of elements of all bodies for a grid.
typedef struct boxing {
    const snag__ask *ask;
    const snag__hash_box_kernels *kernels;
    snag__box_frame frame;
    snag_element_kind kind;
    const uint32_t *first;  // per body
    snag__box_grid *grid;
} boxing;

static snag__box_elements elements_of(const snag__ask *ask, const snag__mesh *mesh, snag_element_kind kind)
{
    snag__elements all = snag__mesh_elements(mesh, kind);
    SNAG__ASSERT(all.corners > 0);
    return (snag__box_elements){
        .x_t0 = ask->kind->swept ? (const double(*)[3])mesh->x_t0 : NULL,
        .x_t1 = (const double(*)[3])mesh->x_t1,
        .vertices = all.vertices,
        .used = kind == SNAG_VERTEX ? mesh->vertex_used : NULL,
        .corners = all.corners,
    };
}

static void box_task(void *context, uint32_t task)
{
    const boxing *b = context;
    uint32_t first = task * ELEMENTS_OF_A_TASK, left = b->grid->count - first;
    uint32_t last = first + (left < ELEMENTS_OF_A_TASK ? left : ELEMENTS_OF_A_TASK);
    for (uint32_t i = 0; i < b->ask->body_count; i++) {
        uint32_t from = b->first[i] > first ? b->first[i] : first, to = b->first[i + 1] < last ? b->first[i + 1] : last;
        if (from >= to)
            continue;
        snag__box_elements e = elements_of(b->ask, &b->ask->bodies[i]->mesh, b->kind);
        e.first = from - b->first[i];
        e.last = to - b->first[i];
        snag__box_frame frame = b->frame;
        frame.reach = snag__body_reach(b->ask, i) * frame.scale;
        b->kernels->boxes(&e, &frame, b->grid->items + from);
    }
}

static snag_status make_boxes(boxing *b, snag__buffer *first_memory)
{
    const snag__ask *ask = b->ask;
    if (!snag__buffer_reserve(ask->allocator, first_memory, 0, ask->body_count + 1u, sizeof(uint32_t)))
        return SNAG_ERROR_MEMORY;
    uint32_t *first = first_memory->data, count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        first[i] = count;
        count += snag__element_count(&ask->bodies[i]->mesh, b->kind);
    }
    first[ask->body_count] = count;
    b->first = first;
    if (!snag__box_grid_start(b->grid, count, ask->allocator))
        return SNAG_ERROR_MEMORY;
    snag__parallel_for(ask->parallel, count / ELEMENTS_OF_A_TASK + (count % ELEMENTS_OF_A_TASK != 0), box_task, b);
    return SNAG_OK;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median of a sample, which a few much larger or smaller elements do not affect.
static double typical_size(const snag__box_grid *grid)
{
    double sizes[SAMPLES];
    size_t count = 0;
    for (uint32_t i = 0; i < grid->count && count < SAMPLES; i += grid->count / SAMPLES + 1) {
        sizes[count] = 0;
        if (isnan(grid->items[i].lo[0]))
            continue;  // takes no part: the rest of it was not written
        for (int axis = 0; axis < 3; axis++)
            sizes[count] = fmax(sizes[count], (double)grid->items[i].hi[axis] - (double)grid->items[i].lo[axis]);
        count += sizes[count] > 0 && isfinite(sizes[count]);
    }
    qsort(sizes, count, sizeof *sizes, by_value);
    return count > 0 ? sizes[count / 2] : 1;
}

// ---- tasks ----

typedef struct search {
    snag__ask *ask;
    const snag__hash_box_kernels *kernels;
    const snag__pass *pass;
    const uint32_t *first_row, *first_column;  // per body
    const uint8_t *wanted;  // per pair of bodies; NULL: by self and between
    snag__box_search boxes;
    bool swapped;  // the search runs from the columns to the rows
    uint32_t first_index;
} search;

// Where a task passes its pairs to.
typedef struct delivery {
    const search *search;
    snag__record_list *list;
    uint32_t pairs[SNAG__BOX_PAIRS + SNAG__BOX_NEAR + 8][2];
    snag__record records[2][SNAG__BOX_PAIRS + SNAG__BOX_NEAR + 8];
} delivery;

// The body of an element. `hint` is the body of the last element, which is mostly the same.
static uint32_t body_of(const uint32_t *first, uint32_t body_count, uint32_t number, uint32_t hint)
{
    SNAG__ASSERT(hint < body_count && number < first[body_count]);
    if (number - first[hint] < first[hint + 1] - first[hint])
        return hint;
    uint32_t low = 0, high = body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_wanted(const search *s, uint32_t i, uint32_t j)
{
    if (s->wanted != NULL)
        return s->wanted[(size_t)i * s->ask->body_count + j];
    if (s->ask->picks_bodies)
        return snag__wanted(s->ask, i, j);
    return i == j ? s->ask->def->self : s->ask->def->between;
}

// Passes pairs to the exact test by element, those of one pair of bodies together.
static void deliver(void *context, snag__box_candidates *candidates)
{
    delivery *d = context;
    const search *s = d->search;
    uint32_t bodies = s->ask->body_count, i = 0, j = 0;
    size_t count = 0;
    bool mixed = false;
    SNAG__ASSERT(candidates->count <= SNAG__BOX_PAIRS + SNAG__BOX_NEAR);
    for (size_t k = 0; k < candidates->count; k++) {
        uint32_t row = s->boxes.rows->number[candidates->rows[k]], column = s->boxes.columns->number[candidates->columns[k]];
        if (s->swapped || (s->boxes.symmetric && column < row)) {
            uint32_t swap = row;
            row = column;
            column = swap;
        }
        i = body_of(s->first_row, bodies, row, i);
        j = body_of(s->first_column, bodies, column, j);
        if (!is_wanted(s, i, j))
            continue;
        d->records[0][count] = (snag__record){.key = (uint64_t)i << 32 | j, .kind = row, .extra = column};
        mixed = mixed || d->records[0][count].key != d->records[0][0].key;
        count++;
    }
    candidates->count = 0;
    if (mixed)
        snag__sort_records(d->records[0], d->records[1], count);
    for (size_t k = 0; k < count;) {
        uint64_t key = d->records[0][k].key;
        size_t n = 0;
        i = (uint32_t)(key >> 32);
        j = (uint32_t)key;
        for (; k < count && d->records[0][k].key == key; k++, n++) {
            d->pairs[n][0] = d->records[0][k].kind - s->first_row[i];
            d->pairs[n][1] = d->records[0][k].extra - s->first_column[j];
        }
        snag__narrow_phase(s->ask, d->list, s->pass, i, j, (const uint32_t(*)[2])d->pairs, n);
    }
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    const search *s = context;
    delivery d;
    snag__box_candidates candidates;
    d.search = s;
    d.list = list;
    candidates.count = 0;
    candidates.full = deliver;
    candidates.context = &d;
    uint32_t first = s->first_index + index * ROWS_OF_A_TASK, left = s->boxes.rows->place_count - first;
    uint32_t last = first + (left < ROWS_OF_A_TASK ? left : ROWS_OF_A_TASK);
    s->kernels->search(&s->boxes, first, last, &candidates);
    deliver(&d, &candidates);
}

static snag_status run_search(search *s, double done, double share)
{
    uint32_t count = s->boxes.rows->place_count, round = SNAG__MAX_TASKS * ROWS_OF_A_TASK;
    for (s->first_index = 0; s->first_index < count;) {
        uint32_t left = count - s->first_index, now = left < round ? left : round;
        uint32_t tasks = (now + ROWS_OF_A_TASK - 1) / ROWS_OF_A_TASK;
        snag_status status = snag__run_tasks(s->ask, tasks, run_task, s);
        s->first_index += now;
        if (status != SNAG_OK || !snag__go_on(s->ask, done + share * s->first_index / count))
            return status;
    }
    return SNAG_OK;
}

// ---- passes ----

// A table of the pairs of bodies that the user's filter wants, made on the calling thread before tasks run. NULL: no filter.
static snag_status ask_filter(snag__ask *ask, snag__hash_boxes *boxes, bool symmetric, const uint8_t **wanted)
{
    size_t count = ask->body_count;
    *wanted = NULL;
    if (ask->def->filter == NULL || count == 0)
        return SNAG_OK;
    if (!snag__buffer_reserve(ask->allocator, &boxes->wanted, 0, count, count))
        return SNAG_ERROR_MEMORY;
    uint8_t *table = boxes->wanted.data;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = symmetric ? i : 0; j < count; j++)
            table[i * count + j] = snag__wanted(ask, i, j);
    *wanted = table;
    return SNAG_OK;
}

static snag_status fill_grids(snag__ask *ask, snag__hash_boxes *boxes, const snag__pass *pass)
{
    bool symmetric = pass->row == pass->column;
    boxing rows = {.ask = ask,
                   .kernels = snag__hash_box_kernels_for(ask->isa),
                   .frame = frame_of(ask),
                   .kind = pass->row,
                   .grid = &boxes->rows};
    boxing columns = rows;
    columns.kind = pass->column;
    columns.grid = &boxes->columns;
    snag_status status = make_boxes(&rows, &boxes->first_row);
    if (status == SNAG_OK && !symmetric)
        status = make_boxes(&columns, &boxes->first_column);
    if (status != SNAG_OK)
        return status;
    const snag__question *def = ask->def;
    double best = CELL_IN_ELEMENTS * typical_size(&boxes->rows), cell = def->cell_size * rows.frame.scale;
    cell = cell > 0 ? fmax(fmin(cell, LARGEST_CELL * best), SMALLEST_CELL * best) : best;
    uint32_t table = def->table_size;
    if (!snag__box_grid_fill(&boxes->rows, cell, table > 0 ? table : boxes->rows.count, ask->allocator, ask->parallel) ||
        (!symmetric &&
         !snag__box_grid_fill(&boxes->columns, cell, table > 0 ? table : boxes->columns.count, ask->allocator, ask->parallel)))
        return SNAG_ERROR_MEMORY;
    return SNAG_OK;
}

snag_status snag__hash_boxes_pass(snag__ask *ask, snag__hash_boxes *boxes, const snag__pass *pass, double done, double share)
{
    bool symmetric = pass->row == pass->column;
    search s = {.ask = ask, .kernels = snag__hash_box_kernels_for(ask->isa), .pass = pass};
    snag_status status = fill_grids(ask, boxes, pass);
    if (status == SNAG_OK)
        status = ask_filter(ask, boxes, symmetric, &s.wanted);
    if (status != SNAG_OK)
        return status;
    s.first_row = boxes->first_row.data;
    s.first_column = symmetric ? s.first_row : boxes->first_column.data;
    if (symmetric) {
        s.boxes = (snag__box_search){&boxes->rows, &boxes->rows, true, false};
        return run_search(&s, done, share);
    }
    // First rows search columns of their size and larger, then columns search larger rows.
    s.boxes = (snag__box_search){&boxes->rows, &boxes->columns, false, false};
    status = run_search(&s, done, share / 2);
    if (status != SNAG_OK || ask->stopped)
        return status;
    s.boxes = (snag__box_search){&boxes->columns, &boxes->rows, false, true};
    s.swapped = true;
    return run_search(&s, done + share / 2, share / 2);
}
