// Brute force: every element against every other, filtered by boxes and tested exactly. No tree and no grid, so that little can
// go wrong: the other methods are compared with this one.
#include "method/brute.h"

#include <math.h>

// The boxes of 1024 columns stay in the first-level cache while the rows are compared with them.
enum { COLUMNS_AT_ONCE = 1024, PAIRS_AT_ONCE = 2048 };
// Box tests of one task: about a quarter of a millisecond, so that a search stops soon after its budget.
#define TESTS_OF_A_TASK 1e6

// A pass over all pairs of bodies, and its progress.
typedef struct search {
    snag__ask *ask;
    snag__pass pass;
    const snag__box_kernels *kernels;
    snag__side *rows, *columns;  // per body; the same array in a symmetric pass
    uint32_t i, j, row;  // the next task starts at this row of body i, against the columns of body j
    double tests_done, tests_all;
} search;

typedef struct task {
    uint32_t i, j, first_row, last_row;
} task;

typedef struct round_of_tasks {
    const search *search;
    task tasks[SNAG__MAX_TASKS];
    uint32_t count;
} round_of_tasks;

static bool is_symmetric(const snag__pass *pass)
{
    return pass->row == pass->column;
}

// ---- boxes ----

static void boxes_of(const snag__ask *ask, const snag__box_kernels *kernels, uint32_t body, snag_element_kind kind,
                     snag__boxes *boxes)
{
    const snag__mesh *mesh = &ask->bodies[body]->mesh;
    const double(*x_t0)[3] = ask->kind->swept ? (const double(*)[3])mesh->x_t0 : NULL;
    const double(*x_t1)[3] = (const double(*)[3])mesh->x_t1;
    double reach = snag__body_reach(ask, body);
    size_t count = boxes->count;
    snag__elements all = snag__mesh_elements(mesh, kind);
    switch (all.corners) {
    case 1: kernels->from_vertices(x_t0, x_t1, 0, count, reach, boxes); break;
    case 2: kernels->from_edges(x_t0, x_t1, (const uint32_t(*)[2])all.vertices, 0, count, reach, boxes); break;
    case 3: kernels->from_triangles(x_t0, x_t1, (const uint32_t(*)[3])all.vertices, 0, count, reach, boxes); break;
    case 4: kernels->from_tets(x_t0, x_t1, (const uint32_t(*)[4])all.vertices, 0, count, reach, boxes); break;
    default: SNAG__ASSERT(!"leaves have no boxes here"); break;
    }
    snag__boxes_pad(boxes);
}

static void bound_side(snag__side *all)
{
    for (int axis = 0; axis < 3; axis++) {
        all->lo[axis] = INFINITY;
        all->hi[axis] = -INFINITY;
        for (size_t k = 0; k < all->boxes.count; k++) {
            all->lo[axis] = fminf(all->lo[axis], all->boxes.lo[axis][k]);
            all->hi[axis] = fmaxf(all->hi[axis], all->boxes.hi[axis][k]);
        }
    }
}

void snag__make_sides(const snag__ask *ask, snag_element_kind kind, snag__side *sides, float **memory)
{
    const snag__box_kernels *kernels = snag__box_kernels_for(ask->isa);
    for (uint32_t body = 0; body < ask->body_count; body++) {
        const snag__mesh *mesh = &ask->bodies[body]->mesh;
        snag__boxes *boxes = &sides[body].boxes;
        boxes->count = snag__element_count(mesh, kind);
        for (int axis = 0; axis < 3; axis++) {
            boxes->lo[axis] = *memory;
            boxes->hi[axis] = *memory + snag__box_padded(boxes->count);
            *memory += 2 * snag__box_padded(boxes->count);
        }
        boxes_of(ask, kernels, body, kind, boxes);
        bound_side(&sides[body]);
    }
}

size_t snag__side_floats(const snag__ask *ask, snag_element_kind kind)
{
    size_t floats = 0;
    for (uint32_t body = 0; body < ask->body_count; body++)
        floats += 6 * snag__box_padded(snag__element_count(&ask->bodies[body]->mesh, kind));
    return floats;
}

static snag_status make_all_boxes(search *s)
{
    snag__ask *ask = s->ask;
    bool symmetric = is_symmetric(&s->pass);
    size_t floats = snag__side_floats(ask, s->pass.row) + (symmetric ? 0 : snag__side_floats(ask, s->pass.column));
    size_t sides = symmetric ? ask->body_count : 2 * (size_t)ask->body_count;
    float *memory;
    const snag__room rooms[] = {
        {&ask->scratch->boxes, &memory, floats + SNAG__BOX_PAD, sizeof *memory},
        {&ask->scratch->sides, &s->rows, sides + 1, sizeof *s->rows},
    };
    if (!snag__rooms_reserve(ask->allocator, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;
    s->columns = s->rows;
    const float *end = memory + floats;
    snag__make_sides(ask, s->pass.row, s->rows, &memory);
    if (!symmetric) {
        s->columns = s->rows + ask->body_count;
        snag__make_sides(ask, s->pass.column, s->columns, &memory);
    }
    SNAG__ASSERT(memory == end);
    return SNAG_OK;
}

// ---- pairs ----

static bool sides_overlap(const snag__side *a, const snag__side *b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis]))
            return false;
    return true;
}

// Compares the rows of one task with all columns, block by block. In a symmetric pass of a body with itself only with the columns
// behind the row, so that each pair comes once and no element meets itself.
static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    const round_of_tasks *round = context;
    const search *s = round->search;
    const task *p = &round->tasks[index];
    const snag__boxes *rows = &s->rows[p->i].boxes, *columns = &s->columns[p->j].boxes;
    SNAG__ASSERT(p->i < s->ask->body_count && p->j < s->ask->body_count);
    SNAG__ASSERT(p->first_row <= p->last_row && p->last_row <= rows->count);
    bool triangle_half = p->i == p->j && is_symmetric(&s->pass);
    uint32_t hits[COLUMNS_AT_ONCE + 16], pairs[PAIRS_AT_ONCE + COLUMNS_AT_ONCE][2];
    size_t pair_count = 0;

    for (size_t block = 0; block < columns->count; block += COLUMNS_AT_ONCE) {
        size_t end = block + COLUMNS_AT_ONCE < columns->count ? block + COLUMNS_AT_ONCE : columns->count;
        for (uint32_t row = p->first_row; row < p->last_row; row++) {
            size_t first = triangle_half && row >= block ? (size_t)row + 1 : block;
            if (first >= end)
                continue;
            const float lo[3] = {rows->lo[0][row], rows->lo[1][row], rows->lo[2][row]};
            const float hi[3] = {rows->hi[0][row], rows->hi[1][row], rows->hi[2][row]};
            size_t hit_count = s->kernels->overlaps(columns, first, end, lo, hi, hits);
            SNAG__ASSERT(hit_count <= end - first);
            for (size_t h = 0; h < hit_count; h++) {
                pairs[pair_count][0] = row;
                pairs[pair_count++][1] = hits[h];
            }
            if (pair_count >= PAIRS_AT_ONCE) {
                snag__narrow_phase(s->ask, list, &s->pass, p->i, p->j, (const uint32_t(*)[2])pairs, pair_count);
                pair_count = 0;
            }
        }
    }
    snag__narrow_phase(s->ask, list, &s->pass, p->i, p->j, (const uint32_t(*)[2])pairs, pair_count);
}

// ---- tasks ----

// The next pair of bodies in the order of the search: in a symmetric pass j starts at i, else at 0.
static void next_bodies(search *s)
{
    s->row = 0;
    if (++s->j >= s->ask->body_count) {
        s->i++;
        s->j = is_symmetric(&s->pass) ? s->i : 0;
    }
}

static double tests_of(const search *s, uint32_t i, uint32_t j)
{
    return (double)s->rows[i].boxes.count * (double)s->columns[j].boxes.count;
}

// Fills a round with the next tasks, at most one for each list.
static void next_round(search *s, round_of_tasks *round)
{
    round->count = 0;
    while (s->i < s->ask->body_count && round->count < SNAG__MAX_TASKS) {
        size_t rows = s->rows[s->i].boxes.count, columns = s->columns[s->j].boxes.count;
        if (s->row == 0 &&
            (rows == 0 || columns == 0 || !sides_overlap(&s->rows[s->i], &s->columns[s->j]) || !snag__wanted(s->ask, s->i, s->j))) {
            s->tests_done += tests_of(s, s->i, s->j);
            next_bodies(s);
            continue;
        }
        double rows_wanted = ceil(TESTS_OF_A_TASK / (double)columns);
        uint32_t last = rows_wanted < (double)(rows - s->row) ? s->row + (uint32_t)rows_wanted : (uint32_t)rows;
        round->tasks[round->count++] = (task){s->i, s->j, s->row, last};
        s->tests_done += (double)(last - s->row) * (double)columns;
        s->row = last;
        if (last == rows)
            next_bodies(s);
    }
}

static snag_status run_pass(search *s, double done_before, double share)
{
    snag_status status = make_all_boxes(s);
    if (status != SNAG_OK)
        return status;
    for (uint32_t i = 0; i < s->ask->body_count; i++)
        for (uint32_t j = is_symmetric(&s->pass) ? i : 0; j < s->ask->body_count; j++)
            s->tests_all += tests_of(s, i, j);

    round_of_tasks round = {.search = s};
    for (;;) {
        next_round(s, &round);
        if (round.count == 0)
            return SNAG_OK;
        status = snag__run_tasks(s->ask, round.count, run_task, &round);
        if (status != SNAG_OK || !snag__go_on(s->ask, done_before + share * s->tests_done / s->tests_all))
            return status;
    }
}

static snag_status find(snag__ask *ask)
{
    if (ask->def->question == SNAG_DISTANCE)
        return snag__brute_distance(ask);
    snag__pass passes[SNAG__MAX_PASSES];
    int pass_count = ask->kind->passes(ask, passes);
    for (int i = 0; i < pass_count && !ask->stopped; i++) {
        search s = {.ask = ask, .pass = passes[i], .kernels = snag__box_kernels_for(ask->isa)};
        snag_status status = run_pass(&s, (double)i / pass_count, 1.0 / pass_count);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

const snag__method snag__brute = {
    .method = SNAG_METHOD_BRUTE,
    .questions =
        1u << SNAG_INTERSECTIONS | 1u << SNAG_PROXIMITIES | 1u << SNAG_PENETRATIONS | 1u << SNAG_IMPACTS | 1u << SNAG_DISTANCE,
    .many_candidates = true,
    .thin = true,
    .find = find,
};
