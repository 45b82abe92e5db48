// Sets of candidates. A question that comes with one is answered by testing its pairs, in the order of the lists: see snag/candidates.h.
#include "query/candidates.h"

#include "mesh/thin.h"
#include "query/impacts.h"
#include "query/kind.h"

#include <math.h>
#include <string.h>

snag_element_kind snag__candidate_side(snag_candidate_kind kind, bool b)
{
    static const snag_element_kind sides[SNAG_CANDIDATE_KIND_COUNT][2] = {
        [SNAG_CANDIDATE_VERTEX_TRIANGLE] = {SNAG_VERTEX, SNAG_TRIANGLE},
        [SNAG_CANDIDATE_EDGE_EDGE] = {SNAG_EDGE, SNAG_EDGE},
        [SNAG_CANDIDATE_VERTEX_EDGE] = {SNAG_VERTEX, SNAG_EDGE},
        [SNAG_CANDIDATE_VERTEX_VERTEX] = {SNAG_VERTEX, SNAG_VERTEX},
    };
    return sides[kind][b];
}

int snag__candidate_order(const snag_candidate *x, const snag_candidate *y)
{
    const uint32_t *p = &x->body_a, *q = &y->body_a;
    for (int i = 0; i < 4; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

_Static_assert(sizeof(snag_candidate) == 16, "four numbers in the order of their significance");

// ---- from records ----

// One element by its number, as long as its neighbours in the order are of the same body and kind.
typedef struct range {
    uint32_t first, end;  // element numbers
    uint32_t slot;
    snag_element_kind kind;
} range;

static range range_of(const snag__ask *ask, uint32_t number)
{
    uint32_t body = snag__body_of(ask, number), first = ask->first_element[body];
    const snag__mesh *mesh = &ask->bodies[body]->mesh;
    int kind = SNAG_VERTEX;
    while (number - first >= snag__element_count(mesh, (snag_element_kind)kind))
        first += snag__element_count(mesh, (snag_element_kind)kind++);
    SNAG__ASSERT(kind <= SNAG_TRIANGLE);
    return (range){first, first + snag__element_count(mesh, (snag_element_kind)kind), ask->bodies[body]->id.index,
                   (snag_element_kind)kind};
}

static inline bool is_in(const range *r, uint32_t number)
{
    return number - r->first < r->end - r->first;
}

// Pairs of one body and kind on the side of a stand together in the order of keys, but their bodies on the side of b alternate: a stable
// sort by these, one byte at a time.
static void sort_by_other_body(snag_candidate *items, snag_candidate *spare, size_t count)
{
    bool sorted = true;
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        sorted = sorted && (i == 0 || items[i - 1].body_b <= items[i].body_b);
        most = items[i].body_b > most ? items[i].body_b : most;
    }
    for (int shift = 0; !sorted && shift < 32 && most >> shift != 0; shift += 8) {
        size_t at[257] = {0};
        for (size_t i = 0; i < count; i++)
            at[(items[i].body_b >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            at[i + 1] += at[i];
        for (size_t i = 0; i < count; i++)
            spare[at[items[i].body_b >> shift & 255]++] = items[i];
        memcpy(items, spare, count * sizeof *items);
    }
}

static int kind_of(const range *a, const range *b)
{
    if (a->kind == SNAG_EDGE)
        return SNAG_CANDIDATE_EDGE_EDGE;
    return b->kind == SNAG_TRIANGLE ? SNAG_CANDIDATE_VERTEX_TRIANGLE
           : b->kind == SNAG_EDGE   ? SNAG_CANDIDATE_VERTEX_EDGE
                                    : SNAG_CANDIDATE_VERTEX_VERTEX;
}

static void count_kinds(const snag__ask *ask, const snag__record *records, size_t count, size_t counts[SNAG_CANDIDATE_KIND_COUNT])
{
    range a = {0}, b = {.kind = SNAG_TRIANGLE};  // the only kind beside vertices if nothing is thin
    for (size_t i = 0; i < count; i++) {
        uint32_t number_a = (uint32_t)(records[i].key >> 32), number_b = (uint32_t)records[i].key;
        if (!is_in(&a, number_a))
            a = range_of(ask, number_a);
        if (ask->thin && !is_in(&b, number_b))
            b = range_of(ask, number_b);
        counts[kind_of(&a, &b)]++;
    }
}

// A little more room than needed: the next set of similar size allocates nothing.
bool snag__candidates_reserve(const snag_allocator *allocator, snag__candidate_lists *lists, size_t count)
{
    if (!snag__buffer_reserve(allocator, &lists->memory, 0, count + count / 8 + 1, sizeof *lists->items))
        return false;
    lists->items = lists->memory.data;
    return true;
}

bool snag__candidates_take(const snag_allocator *allocator, const snag__ask *ask, const snag__record *records, size_t count,
                           snag_candidate *spare, snag__candidate_lists *lists)
{
    size_t counts[SNAG_CANDIDATE_KIND_COUNT] = {0}, at[SNAG_CANDIDATE_KIND_COUNT], segment[SNAG_CANDIDATE_KIND_COUNT];
    if (!snag__candidates_reserve(allocator, lists, count))
        return false;
    count_kinds(ask, records, count, counts);
    for (int k = 0; k < SNAG_CANDIDATE_KIND_COUNT; k++)
        lists->start[k + 1] = (segment[k] = at[k] = lists->start[k]) + counts[k];
    range a = {0}, b = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t number_a = (uint32_t)(records[i].key >> 32), number_b = (uint32_t)records[i].key;
        bool next = !is_in(&a, number_a);
        if (next)
            a = range_of(ask, number_a);
        if (!is_in(&b, number_b))
            b = range_of(ask, number_b);
        for (int k = 0; k < SNAG_CANDIDATE_KIND_COUNT && next; k++) {
            sort_by_other_body(lists->items + segment[k], spare, at[k] - segment[k]);
            segment[k] = at[k];
        }
        int kind = kind_of(&a, &b);
        lists->items[at[kind]++] = (snag_candidate){a.slot, b.slot, number_a - a.first, number_b - b.first};
    }
    for (int k = 0; k < SNAG_CANDIDATE_KIND_COUNT; k++)
        sort_by_other_body(lists->items + segment[k], spare, at[k] - segment[k]);
    return snag__candidates_find_runs(allocator, lists);
}

static bool begins_run(const snag__candidate_lists *lists, int kind, size_t i)
{
    const snag_candidate *item = &lists->items[i];
    return i == lists->start[kind] || item[0].body_a != item[-1].body_a || item[0].body_b != item[-1].body_b;
}

bool snag__candidates_find_runs(const snag_allocator *allocator, snag__candidate_lists *lists)
{
    size_t count = 0;
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        for (size_t i = lists->start[kind]; i < lists->start[kind + 1]; i++)
            count += begins_run(lists, kind, i);
    if (!snag__buffer_reserve(allocator, &lists->run_memory, 0, count + count / 8 + 1, sizeof *lists->runs))
        return false;
    lists->runs = lists->run_memory.data;
    count = 0;
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
        lists->run_start[kind] = count;
        for (size_t i = lists->start[kind]; i < lists->start[kind + 1]; i++)
            if (begins_run(lists, kind, i))
                lists->runs[count++] = (snag__candidate_run){lists->items[i].body_a, lists->items[i].body_b, i};
    }
    lists->run_start[SNAG_CANDIDATE_KIND_COUNT] = count;
    return true;
}

// ---- answering ----

enum { ITEMS_OF_A_TASK = 4096 };

// What the tasks of an ask share. `index` has the place in ask->bodies for each side of each run; UINT32_MAX: not wanted.
typedef struct search {
    snag__ask *ask;
    const snag__candidate_lists *lists;
    const uint32_t (*index)[2];
    snag__clearance *clearance;  // NULL: nothing is known of pairs
    double more;  // impacts: see clearance.h
    size_t round, rounds;
} search;

static int kind_at(const snag__candidate_lists *lists, size_t item)
{
    int kind = 0;
    while (item >= lists->start[kind + 1])
        kind++;
    return kind;
}

// The run that a pair is in.
static size_t run_at(const snag__candidate_lists *lists, size_t item)
{
    size_t low = 0, high = lists->run_start[SNAG_CANDIDATE_KIND_COUNT];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lists->runs[middle].first <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Where a number stands in an ascending list, whose entries are `step` numbers apart. False: nowhere.
static bool find_number(const uint32_t *list, uint32_t step, uint32_t count, uint32_t number, uint32_t *index)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[(size_t)step * middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return low < count && list[(size_t)step * low] == number;
}

// An element of a mesh among those that searches know: see mesh/thin.h. False if it is none of them.
static bool find_thin(const snag__mesh *mesh, snag_element_kind kind, uint32_t number, uint32_t *index)
{
    *index = number;
    if (kind == SNAG_VERTEX)
        return mesh->vertex_used[number];
    const snag__thin *thin = mesh->thin;
    if (thin == NULL)
        return false;
    if (kind == SNAG__ROD)
        return find_number(thin->rod_edges, 1, thin->rod_count, number, index);
    bool lone = kind == SNAG__POINT;
    return find_number((const uint32_t *)(lone ? thin->points : thin->vertices), 2, lone ? thin->point_count : thin->vertex_count,
                       number, index);
}

// Pairs with rods and points: `pass` says which of them the question looks at. `b_gives_rows`: its elements are the rows.
static void test_thin(const search *s, snag__record_list *list, snag__pass pass, bool b_gives_rows, uint32_t a, uint32_t b,
                      size_t first, size_t last)
{
    uint32_t pairs[SNAG__BLOCK][2];
    uint32_t i = b_gives_rows ? b : a, j = b_gives_rows ? a : b;
    const snag__mesh *rows = &s->ask->bodies[i]->mesh, *columns = &s->ask->bodies[j]->mesh;
    size_t count = 0;
    for (; first < last; first++) {
        const snag_candidate *item = &s->lists->items[first];
        if (find_thin(rows, pass.row, b_gives_rows ? item->b : item->a, &pairs[count][0]) &&
            find_thin(columns, pass.column, b_gives_rows ? item->a : item->b, &pairs[count][1]))
            count++;
        if (count == SNAG__BLOCK || (count > 0 && first + 1 == last)) {
            snag__narrow_phase(s->ask, list, &pass, i, j, (const uint32_t(*)[2])pairs, count);
            count = 0;
        }
    }
}

static void test_thin_run(const search *s, snag__record_list *list, int kind, uint32_t a, uint32_t b, size_t first, size_t last)
{
    bool merged = s->ask->def->question == SNAG_PROXIMITIES && !s->ask->def->every_pair;
    if (kind == SNAG_CANDIDATE_VERTEX_EDGE) {
        test_thin(s, list, (snag__pass){SNAG__ROD, merged ? SNAG_VERTEX : SNAG__POINT}, true, a, b, first, last);
        return;
    }
    snag__pass pass = {merged ? SNAG__THIN_VERTEX : SNAG__POINT, merged ? SNAG_VERTEX : SNAG__POINT};
    test_thin(s, list, pass, false, a, b, first, last);
    if (merged)
        // Either may be the thin one; if both are, the rule drops the pair in this order.
        test_thin(s, list, pass, true, a, b, first, last);
}

// Pairs are filtered a little beyond the time that matters now, which in the next ask may be a rounding later.
#define BEYOND (1 + 0x1p-10)

// The pairs of a block that may meet in the part of the move that matters, in their order.
static size_t sift_by_time(const search *s, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                           size_t first, size_t count, uint32_t (*kept)[2])
{
    const double *times = s->ask->set_times, span = snag__impact_span(s->ask), ahead = fmin(1, span * BEYOND);
    const float end = (float)(times[1] * span) * (1 + 0x1p-20f), reached = (float)(times[1] * ahead) * (1 - 0x1p-21f);
    float *free_until = s->clearance->free_until + first;
    uint32_t open[SNAG__BLOCK][2], open_at[SNAG__BLOCK], still[SNAG__BLOCK][2];
    size_t open_count = 0;
    for (size_t k = 0; k < count; k++)
        if (free_until[k] < end || end == 0) {
            memcpy(open[open_count], pairs[k], sizeof *open);
            open_at[open_count++] = (uint32_t)k;
        }
    if (open_count == 0)
        return 0;
    size_t left = snag__impact_filter_wide(s->ask, pass, i, j, (const uint32_t(*)[2])open, open_count, s->more, ahead, still);
    // What was dropped is what is missing.
    for (size_t k = 0, at = 0; k < open_count; k++) {
        bool is_left = at < left && still[at][0] == open[k][0] && still[at][1] == open[k][1];
        at += is_left;
        if (!is_left && reached > free_until[open_at[k]])
            free_until[open_at[k]] = reached;
    }
    memcpy(kept, still, left * sizeof *kept);
    return left;
}

// Pairs of one run go to the exact test in blocks. Triangles and the first edges are rows.
static void test_run(const search *s, snag__record_list *list, size_t run, int kind, size_t first, size_t last)
{
    uint32_t pairs[SNAG__BLOCK][2], near[SNAG__BLOCK][2];
    bool edges = kind == SNAG_CANDIDATE_EDGE_EDGE;
    const snag__pass pass = {snag__candidate_side(kind, true), snag__candidate_side(kind, false)};
    uint32_t a = s->index[run][0], b = s->index[run][1], i = edges ? a : b, j = edges ? b : a;
    if (a == UINT32_MAX)
        return;
    if (kind >= SNAG_CANDIDATE_VERTEX_EDGE) {
        test_thin_run(s, list, kind, a, b, first, last);
        return;
    }
    while (first < last) {
        size_t count = last - first < SNAG__BLOCK ? last - first : SNAG__BLOCK;
        for (size_t k = 0; k < count; k++) {
            pairs[k][0] = edges ? s->lists->items[first + k].a : s->lists->items[first + k].b;
            pairs[k][1] = edges ? s->lists->items[first + k].b : s->lists->items[first + k].a;
        }
        size_t left = count;
        if (s->clearance != NULL) {
            left = sift_by_time(s, &pass, i, j, (const uint32_t(*)[2])pairs, first, count, near);
            list->pair_count += count - left;
        }
        snag__narrow_phase(s->ask, list, &pass, i, j, (const uint32_t(*)[2])(s->clearance != NULL ? near : pairs), left);
        first += count;
    }
}

// Every task has a part of the lists to itself, of which it takes a piece in each round: what the tasks find is then in the order of the
// lists, task by task.
static size_t part_of(const search *s, size_t piece)
{
    size_t all = s->lists->start[SNAG_CANDIDATE_KIND_COUNT], pieces = s->rounds * SNAG__MAX_TASKS;
    return all / pieces * piece + all % pieces * piece / pieces;
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    const search *s = context;
    const snag__candidate_lists *lists = s->lists;
    size_t first = part_of(s, (size_t)index * s->rounds + s->round), last = part_of(s, (size_t)index * s->rounds + s->round + 1);
    if (first >= last)
        return;
    for (size_t run = run_at(lists, first); first < last; run++) {
        bool final = run + 1 == lists->run_start[SNAG_CANDIDATE_KIND_COUNT];
        size_t end = final || lists->runs[run + 1].first > last ? last : lists->runs[run + 1].first;
        test_run(s, list, run, kind_at(lists, first), first, end);
        first = end;
    }
}

// Where the bodies of the runs stand in ask->bodies, if they are wanted. Filters are called by this thread.
static uint32_t (*find_bodies(snag__ask *ask, const snag__candidate_lists *lists))[2]
{
    size_t runs = lists->run_start[SNAG_CANDIDATE_KIND_COUNT];
    uint32_t slots = ask->body_count > 0 ? ask->bodies[ask->body_count - 1]->id.index : 0, *place, (*index)[2];
    const snag__room rooms[] = {
        {&ask->scratch->sides, &place, slots + 1u, sizeof *place},
        {&ask->scratch->boxes, &index, runs + 1, sizeof *index},
    };
    if (!snag__rooms_reserve(ask->allocator, rooms, sizeof rooms / sizeof *rooms))
        return NULL;
    for (uint32_t i = 0; i < ask->body_count; i++)
        place[ask->bodies[i]->id.index] = i;
    for (size_t run = 0; run < runs; run++) {
        index[run][0] = place[lists->runs[run].body_a];
        index[run][1] = place[lists->runs[run].body_b];
        if (!snag__wanted(ask, index[run][0], index[run][1]))
            index[run][0] = UINT32_MAX;
    }
    return index;
}

// Whether the ask is about a part of the move that the set was made for, from its start on.
static bool is_along(const snag__ask *ask, const snag_candidates *set)
{
    const snag__candidate_ground *ground = set->grounds;
    return set->collected && ground->next == NULL && !ground->anywhere && ground->narrow && ask->set_times[0] == 0 &&
           ask->set_times[1] > 0;
}

// What earlier asks to the set tell of this one. Nothing if radii add to the separation.
static snag_status recall(search *s)
{
    const snag__ask *ask = s->ask;
    // A set is used by one thread at a time, and this is no part of what it tells.
    snag_candidates *set = (snag_candidates *)ask->def->set;
    if (ask->def->question != SNAG_IMPACTS || !ask->f32_impacts || ask->thick || !is_along(ask, set))
        return SNAG_OK;
    s->more = 4 * set->grounds->allowed * (1 + 0x1p-20);
    s->clearance = &set->clearance;
    double reach = ask->def->separation > 0 ? ask->def->separation + ask->def->tolerance : 0;
    return snag__clearance_begin(s->clearance, &set->allocator, reach, set->lists.start[SNAG_CANDIDATE_KIND_COUNT]);
}

// The bodies of the set are in the world: see snag__candidates_fit.
static snag_status find(snag__ask *ask)
{
    const snag__candidate_lists *lists = &ask->def->set->lists;
    search s = {.ask = ask, .lists = lists, .index = (const uint32_t(*)[2])find_bodies(ask, lists)};
    if (s.index == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = recall(&s);
    s.rounds = lists->start[SNAG_CANDIDATE_KIND_COUNT] / ((size_t)ITEMS_OF_A_TASK * SNAG__MAX_TASKS) + 1;
    for (; s.round < s.rounds && status == SNAG_OK; s.round++) {
        status = snag__run_tasks(ask, SNAG__MAX_TASKS, run_task, &s);
        if (status == SNAG_OK && !snag__go_on(ask, (double)(s.round + 1) / (double)s.rounds))
            break;
    }
    return status;
}

const snag__method snag__from_candidates = {
    .method = SNAG_METHOD_BRUTE,  // every pair of the set is tested
    .questions = 1u << SNAG_PROXIMITIES | 1u << SNAG_IMPACTS,
    .many_candidates = true,
    .nearly_ordered = true,
    .find = find,
};
