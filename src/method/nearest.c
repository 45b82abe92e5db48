// Closest features of pairs of bodies: see nearest.h.
#include "method/nearest.h"

#include "bound/body_pairs.h"
#include "geom/segment.h"
#include "query/filter.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Covers the rounding of distances, so that no pair as close as the best is missed.
#define ROUNDING (1 + 1e-6)

// A pass of a search; `swap`: the rows are of the second body.
typedef struct near_step {
    snag__pass pass;
    bool swap;
} near_step;

static const near_step of_surfaces[] = {
    {{SNAG_TRIANGLE, SNAG_VERTEX}, false},
    {{SNAG_TRIANGLE, SNAG_VERTEX}, true},
    {{SNAG_EDGE, SNAG_EDGE}, false},
    {{SNAG_TRIANGLE, SNAG_TRIANGLE}, false},
};

static const near_step with_thin[] = {
    {{SNAG_TRIANGLE, SNAG_VERTEX}, false},    {{SNAG_TRIANGLE, SNAG_VERTEX}, true},    {{SNAG_EDGE, SNAG_EDGE}, false},
    {{SNAG__ROD, SNAG_VERTEX}, false},        {{SNAG__ROD, SNAG_VERTEX}, true},        {{SNAG__THIN_VERTEX, SNAG_VERTEX}, false},
    {{SNAG__THIN_VERTEX, SNAG_VERTEX}, true}, {{SNAG_TRIANGLE, SNAG_TRIANGLE}, false}, {{SNAG__ROD, SNAG_TRIANGLE}, false},
    {{SNAG__ROD, SNAG_TRIANGLE}, true},
};

static int step_count(const snag__ask *ask)
{
    return (int)(ask->thin ? sizeof with_thin / sizeof *with_thin : sizeof of_surfaces / sizeof *of_surfaces);
}

static bool is_crossing(const snag__near_bodies *body_pair)
{
    return body_pair->pass.column == SNAG_TRIANGLE;
}

bool snag__nearest_pass(snag__near_bodies *body_pair, int step, const snag__nearest *best)
{
    if (step >= step_count(body_pair->ask))
        return false;
    const near_step *now = &(body_pair->ask->thin ? with_thin : of_surfaces)[step];
    body_pair->step = step;
    body_pair->pass = now->pass;
    body_pair->row_body = now->swap ? body_pair->second : body_pair->first;
    body_pair->column_body = now->swap ? body_pair->first : body_pair->second;
    return !is_crossing(body_pair) || !best->closest.found || best->closest.gap.distance > 0;
}

void snag__nearest_passes(const snag__near_bodies *body_pair, snag__nearest_compare *compare, void *context, snag__nearest *best)
{
    snag__near_bodies now = *body_pair;
    for (int step = 0; snag__nearest_pass(&now, step, best); step++)
        if (!compare(context, &now, best))
            return;
}

bool snag__nearest_go_on(snag__ask *ask, const snag__near_bodies *body_pair, double done)
{
    double all = body_pair->begins + body_pair->share * (body_pair->step + done) / step_count(ask);
    bool on = snag__go_on(ask, fmax(ask->done, all));
    snag__round_begin(ask);
    return on;
}

float snag__nearest_reach(const snag__near_bodies *body_pair, const snag__nearest *best)
{
    if (is_crossing(body_pair))
        return 0;
    double closest = best->closest.found ? best->closest.gap.distance : INFINITY;
    double reach = fmin(closest, body_pair->limit) * ROUNDING;
    return reach < FLT_MAX ? nextafterf((float)reach, INFINITY) : INFINITY;
}

// Whether the boxes of two triangles meet, in double: in float all triangles beyond its range meet.
static bool boxes_meet(const double *const a[3], const double *const b[3])
{
    for (int k = 0; k < 3; k++)
        if (fmax(fmax(a[0][k], a[1][k]), a[2][k]) < fmin(fmin(b[0][k], b[1][k]), b[2][k]) ||
            fmax(fmax(b[0][k], b[1][k]), b[2][k]) < fmin(fmin(a[0][k], a[1][k]), a[2][k]))
            return false;
    return true;
}

static bool triangles_meet(const snag__mesh *first, uint32_t a, const snag__mesh *second, uint32_t b)
{
    static const uint32_t unshared[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const double *corner[2][3];
    for (int i = 0; i < 3; i++) {
        corner[0][i] = first->x_t1[first->triangles[a][i]];
        corner[1][i] = second->x_t1[second->triangles[b][i]];
    }
    if (!boxes_meet(corner[0], corner[1]))
        return false;
    snag__meeting meeting = snag__triangles_meet(corner[0], unshared[0], corner[1], unshared[1]);
    return meeting != SNAG__APART && meeting != SNAG__DEGENERATE;
}

// Whether a rod (by its edge) and a triangle of two bodies meet.
static bool rod_meets(const snag__mesh *rods, uint32_t e, const snag__mesh *triangles, uint32_t t)
{
    const double *corner[3], *end[2];
    snag__corners_of(triangles, triangles->triangles[t], 3, corner);
    snag__corners_of(rods, rods->edges[e], 2, end);
    if (!boxes_meet((const double *const[3]){end[0], end[1], end[1]}, corner))
        return false;
    snag__meeting meeting = snag__segment_meets_triangle(end[0], end[1], corner);
    return meeting != SNAG__APART && meeting != SNAG__DEGENERATE;
}

static bool is_lower(const snag__nearest *best, uint32_t step, uint32_t a, uint32_t b)
{
    if (!best->crossing || step != best->crossing_step)
        return !best->crossing || step < best->crossing_step;
    return a < best->crossing_a || (a == best->crossing_a && b < best->crossing_b);
}

static void keep_lowest(snag__nearest *best, uint32_t step, uint32_t a, uint32_t b)
{
    if (!is_lower(best, step, a, b))
        return;
    best->crossing = true;
    best->crossing_step = step;
    best->crossing_a = a;
    best->crossing_b = b;
}

// A pair of a pass over rods or thin vertices.
static void offer_thin(const snag__near_bodies *body_pair, const snag__mesh *rows, uint32_t row, const snag__mesh *columns,
                       uint32_t column, snag__nearest *best)
{
    bool swap = body_pair->row_body == body_pair->second;
    const uint32_t step = (uint32_t)body_pair->step;
    if (body_pair->pass.row == SNAG__THIN_VERTEX) {
        uint32_t v = rows->thin->vertices[row][0];
        snag__closest_vertices(swap ? columns : rows, swap ? column : v, swap ? rows : columns, swap ? v : column, &best->closest);
        return;
    }
    uint32_t e = rows->thin->rod_edges[row];
    if (!is_crossing(body_pair))
        snag__closest_vertex_rod(columns, column, rows, e, !swap, &best->closest);
    else if (is_lower(best, step, e, column) && rod_meets(rows, e, columns, column))
        keep_lowest(best, step, e, column);
}

void snag__nearest_offer(const snag__near_bodies *body_pair, uint32_t row, uint32_t column, snag__nearest *best)
{
    const snag__mesh *rows = &body_pair->ask->bodies[body_pair->row_body]->mesh;
    const snag__mesh *columns = &body_pair->ask->bodies[body_pair->column_body]->mesh;
    SNAG__ASSERT(row < snag__element_count(rows, body_pair->pass.row));
    SNAG__ASSERT(column < snag__element_count(columns, body_pair->pass.column));
    if (body_pair->ask->filter != NULL && !snag__filter_allows(body_pair->ask->filter, body_pair->row_body, body_pair->pass.row,
                                                               row, body_pair->column_body, body_pair->pass.column, column))
        return;
    if (body_pair->pass.row >= SNAG__ROD) {
        offer_thin(body_pair, rows, row, columns, column, best);
        return;
    }
    switch (body_pair->pass.column) {
    case SNAG_EDGE: snag__closest_edge_edge(rows, row, columns, column, &best->closest); break;
    case SNAG_VERTEX:
        snag__closest_vertex_triangle(columns, column, rows, row, body_pair->column_body == body_pair->second, &best->closest);
        break;
    default:
        if (is_lower(best, (uint32_t)body_pair->step, row, column) && triangles_meet(rows, row, columns, column))
            keep_lowest(best, (uint32_t)body_pair->step, row, column);
        break;
    }
}

void snag__nearest_join(snag__nearest *best, const snag__nearest *other)
{
    snag__closest_join(&best->closest, &other->closest);
    if (other->crossing)
        keep_lowest(best, other->crossing_step, other->crossing_a, other->crossing_b);
}

// Makes room for `count` more records.
static bool reserve_records(snag__ask *ask, snag__record_list *list, size_t count)
{
    return snag__record_list_reserve(ask->answer_allocator, list, list->count + count);
}

// Appends a record of the closest features, if any were found.
static void record(const snag__near_bodies *body_pair, const snag__nearest *best, snag__record_list *list)
{
    const snag__ask *ask = body_pair->ask;
    uint64_t a, b;
    uint32_t kind = best->closest.kind, feature = 0;
    if (best->crossing && (!best->closest.found || best->closest.gap.distance > 0)) {
        const near_step *by = &(ask->thin ? with_thin : of_surfaces)[best->crossing_step];
        bool rod = by->pass.row == SNAG__ROD;
        a = snag__element_number(ask, by->swap ? body_pair->second : body_pair->first, rod ? SNAG_EDGE : SNAG_TRIANGLE,
                                 best->crossing_a);
        b = snag__element_number(ask, by->swap ? body_pair->first : body_pair->second, SNAG_TRIANGLE, best->crossing_b);
        kind = SNAG_CROSSING;
    } else if (best->closest.found) {
        const snag__mesh *first = &ask->bodies[body_pair->first]->mesh, *second = &ask->bodies[body_pair->second]->mesh;
        snag__filter_view view = snag__filter_view_of(ask->filter, body_pair->second, body_pair->first);
        snag__closest_names names = snag__closest_name(first, second, &best->closest, ask->filter != NULL ? &view.head : NULL);
        uint32_t body_a = names.kind_a == SNAG_VERTEX && names.vertex_second ? body_pair->second : body_pair->first;
        uint32_t body_b = body_pair->first ^ body_pair->second ^ body_a;
        a = snag__element_number(ask, body_a, names.kind_a, names.a);
        b = snag__element_number(ask, body_b, names.kind_b, names.b);
        feature = names.feature;
    } else {
        return;
    }
    SNAG__ASSERT(list->count < list->capacity);
    list->records[list->count++] = (snag__record){.key = a << 32 | b, .kind = kind, .extra = feature};
}

// ---- all bodies ----

static snag_status find_all(snag__ask *ask, snag__nearest_search *search, void *context)
{
    snag__record_list *list = &ask->scratch->lists[0];
    if (!reserve_records(ask, list, (size_t)ask->body_count * ask->body_count / 2 + 1))
        return SNAG_ERROR_MEMORY;
    const double body_pairs = 0.5 * ask->body_count * (ask->body_count - 1.0);
    snag__near_bodies body_pair = {.ask = ask, .limit = INFINITY, .share = 1 / body_pairs};
    double passed = 0;
    for (body_pair.first = 0; body_pair.first < ask->body_count; body_pair.first++)
        for (body_pair.second = body_pair.first + 1; body_pair.second < ask->body_count; body_pair.second++) {
            body_pair.begins = passed++ / body_pairs;
            if (!snag__wanted(ask, body_pair.first, body_pair.second))
                continue;
            snag__nearest best = {0};
            snag__round_begin(ask);
            snag_status status = search(context, &body_pair, &best);
            if (status != SNAG_OK || ask->stopped)
                return status;
            record(&body_pair, &best, list);
            if (!snag__go_on(ask, passed / body_pairs))
                return SNAG_OK;
        }
    return SNAG_OK;
}

// ---- bodies near each other ----

// A pair of bodies in the answer.
typedef struct found {
    snag__near_bodies body_pair;
    snag__nearest nearest;
} found;

// Memory kept from ask to ask.
typedef struct state {
    snag__body_pairs body_pairs;
    snag__buffer boxes, inflated, order, kept;
} state;

static state *state_of(snag__ask *ask)
{
    snag__buffer *memory = &ask->scratch->nearest;
    if (memory->data == NULL) {
        if (!snag__buffer_reserve(ask->allocator, memory, 0, 1, sizeof(state)))
            return NULL;
        memset(memory->data, 0, sizeof(state));
    }
    return memory->data;
}

void snag__nearest_free(const snag_allocator *allocator, snag__buffer *memory)
{
    state *s = memory->data;
    if (s == NULL)
        return;
    snag__body_pairs_free(allocator, &s->body_pairs);
    snag__buffer *buffers[] = {&s->boxes, &s->inflated, &s->order, &s->kept};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    snag__buffer_free(allocator, memory);
}

// The box of the vertices of a body that take part; empty if none do.
static snag__body_box box_of_body(const snag__mesh *mesh)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int axis = 0; axis < 3 && snag__proximity_has_vertex(mesh, v); axis++) {
            lo[axis] = fmin(lo[axis], mesh->x_t1[v][axis]);
            hi[axis] = fmax(hi[axis], mesh->x_t1[v][axis]);
        }
    snag__body_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = nextafterf((float)lo[axis], -INFINITY);
        box.hi[axis] = nextafterf((float)hi[axis], INFINITY);
        if (!(lo[axis] <= hi[axis]))
            return (snag__body_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    return box;
}

static bool is_empty(const snag__body_box *box)
{
    return !(box->lo[0] <= box->hi[0]);
}

// A lower bound on the distance of two boxes.
static float gap_of(const snag__body_box *a, const snag__body_box *b)
{
    double squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        double gap = fmax(0, fmax((double)a->lo[axis] - (double)b->hi[axis], (double)b->lo[axis] - (double)a->hi[axis]));
        squared += gap * gap;
    }
    return squared > 0 ? nextafterf((float)(sqrt(squared) * (1 - 1e-12)), 0) : 0;
}

static uint64_t float_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;  // sorts numbers that are not negative
}

// A guess at the distance of the closest pairs of bodies: that of neighbours along x.
static double guess_reach(const snag__body_box *boxes, uint32_t count, uint32_t closest, snag__record *order, snag__record *scratch)
{
    uint32_t bodies = 0, pairs = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_empty(&boxes[i])) {
            float x = boxes[i].lo[0];
            uint64_t bits = float_key(fabsf(x));
            order[bodies++] = (snag__record){.key = x < 0 ? UINT32_MAX - bits : UINT32_MAX + bits, .extra = i};
        }
    snag__sort_records(order, scratch, bodies);
    for (uint32_t i = 0; i + 1 < bodies; i++) {
        float gap = gap_of(&boxes[order[i].extra], &boxes[order[i + 1].extra]);
        order[pairs++] = (snag__record){.key = float_key(gap), .value = (double)gap};
    }
    snag__sort_records(order, scratch, pairs);
    return pairs == 0 ? 0 : order[closest < pairs ? closest : pairs - 1].value;
}

// Lists the pairs of bodies whose boxes are within `reach`, the nearest first, in s->order: key is the distance, kind and extra
// the bodies. Returns how many; SIZE_MAX if there is no memory. `all`: no pair is left out.
static size_t list_body_pairs(snag__ask *ask, state *s, double reach, bool *all)
{
    const uint32_t count = ask->body_count;
    if (!snag__buffer_reserve(ask->allocator, &s->inflated, 0, count + 1u, sizeof(snag__body_box)))
        return SIZE_MAX;
    const snag__body_box *boxes = s->boxes.data;
    snag__body_box *inflated = s->inflated.data;
    const float half = nextafterf((float)(reach / 2), INFINITY);
    size_t bodies = 0, body_pairs = 0;
    for (uint32_t i = 0; i < count; i++) {
        inflated[i] = boxes[i];
        bodies += !is_empty(&boxes[i]);
        for (int axis = 0; axis < 3 && !is_empty(&boxes[i]); axis++) {
            inflated[i].lo[axis] = nextafterf(boxes[i].lo[axis] - half, -INFINITY);
            inflated[i].hi[axis] = nextafterf(boxes[i].hi[axis] + half, INFINITY);
        }
    }
    if (!snag__body_pairs_find(&s->body_pairs, inflated, count, ask->allocator) ||
        !snag__buffer_reserve(ask->allocator, &s->order, 0, 2 * s->body_pairs.pair_count + 2, sizeof(snag__record)))
        return SIZE_MAX;
    *all = s->body_pairs.pair_count == bodies * (bodies + 1) / 2;
    snag__record *order = s->order.data;
    for (size_t i = 0; i < s->body_pairs.pair_count; i++) {
        snag__body_pair pair = s->body_pairs.pairs[i];
        float gap = gap_of(&boxes[pair.a], &boxes[pair.b]);
        *all &= !((double)gap > reach);
        if (pair.a != pair.b && !((double)gap > reach) && snag__wanted(ask, pair.a, pair.b))
            order[body_pairs++] =
                (snag__record){.key = float_key(gap) << 32 | pair.a, .value = (double)gap, .kind = pair.a, .extra = pair.b};
    }
    SNAG__ASSERT(body_pairs <= s->body_pairs.pair_count);
    snag__sort_records(order, order + s->body_pairs.pair_count + 1, body_pairs);
    return body_pairs;
}

static bool touches(const snag__nearest *nearest)
{
    return nearest->crossing || nearest->closest.gap.distance == 0;
}

// Pairs of bodies are ordered by distance, compared exactly, then by the first body, then by the second.
static bool comes_before(const found *a, const found *b)
{
    const snag__closest *x = &a->nearest.closest, *y = &b->nearest.closest;
    int order = touches(&a->nearest) || touches(&b->nearest) ? touches(&b->nearest) - touches(&a->nearest)
                                                             : snag__features_compare(&x->features, &x->gap, &y->features, &y->gap);
    if (order != 0)
        return order < 0;
    return a->body_pair.first != b->body_pair.first ? a->body_pair.first < b->body_pair.first
                                                    : a->body_pair.second < b->body_pair.second;
}

static bool is_within(const snag__nearest *nearest, double distance)
{
    bool exact = false;
    const snag__closest *closest = &nearest->closest;
    return nearest->crossing ||
           (closest->found && snag__features_compare_with(&closest->features, &closest->gap, distance, &exact) <= 0);
}

// Adds one to the kept pairs: at the end if there is no limit (most == SIZE_MAX), else in order and without the last ones beyond
// `most`.
static void keep(found *kept, size_t *count, size_t most, const found *one)
{
    size_t low = most == SIZE_MAX ? *count : 0, high = *count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before(&kept[middle], one))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == most)
        return;
    *count += *count < most;
    memmove(kept + low + 1, kept + low, (*count - low - 1) * sizeof *kept);
    kept[low] = *one;
}

// How far apart two bodies may be to be in the answer, given those that are kept.
static double limit_of(double reach, const found *kept, size_t count, size_t most)
{
    if (count < most)
        return reach;
    const snag__nearest *last = &kept[count - 1].nearest;
    return touches(last) ? 0 : fmin(reach, last->closest.gap.distance * ROUNDING);
}

// Searches the listed pairs of bodies and keeps those of the answer.
static snag_status search_body_pairs(snag__ask *ask, state *s, size_t body_pairs, double reach, size_t most,
                                     snag__nearest_search *search, void *context, size_t *count)
{
    const snag__record *order = s->order.data;
    found *kept = s->kept.data;
    *count = 0;
    for (size_t i = 0; i < body_pairs; i++) {
        double limit = limit_of(reach, kept, *count, most);
        if (order[i].value > limit)
            break;
        found one = {.body_pair = {.ask = ask,
                                   .first = order[i].kind,
                                   .second = order[i].extra,
                                   .limit = limit,
                                   .begins = (double)i / (double)body_pairs,
                                   .share = 1 / (double)body_pairs}};
        snag__round_begin(ask);
        snag_status status = search(context, &one.body_pair, &one.nearest);
        if (status != SNAG_OK || ask->stopped)
            return status;
        if (is_within(&one.nearest, reach))
            keep(kept, count, most, &one);
        // A search with a larger reach starts over, but progress does not go back.
        if (!snag__go_on(ask, fmax(ask->done, (double)(i + 1) / (double)body_pairs)))
            break;
    }
    return SNAG_OK;
}

static bool measure_boxes(snag__ask *ask, state *s)
{
    snag__body_box *boxes;
    snag__record *order;
    const snag__room rooms[] = {
        {&s->boxes, &boxes, ask->body_count + 1u, sizeof *boxes},
        {&s->order, &order, 2 * (size_t)ask->body_count + 2, sizeof *order},
    };
    if (!snag__rooms_reserve(ask->allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    for (uint32_t i = 0; i < ask->body_count; i++)
        boxes[i] = box_of_body(&ask->bodies[i]->mesh);
    return true;
}

// Searches for the closest pairs within a guessed reach, which grows until enough are found.
static snag_status find_near(snag__ask *ask, snag__nearest_search *search, void *context)
{
    const snag__question *def = ask->def;
    state *s = state_of(ask);
    if (s == NULL || !measure_boxes(ask, s))
        return SNAG_ERROR_MEMORY;
    const double within = def->within > 0 ? def->within : INFINITY;
    snag__record *order = s->order.data;
    double reach =
        def->closest == 0
            ? within
            : fmin(within, 2 * guess_reach(s->boxes.data, ask->body_count, def->closest, order, order + ask->body_count + 1));
    for (;;) {
        bool all;
        size_t body_pairs = list_body_pairs(ask, s, reach, &all), count;
        if (body_pairs == SIZE_MAX)
            return SNAG_ERROR_MEMORY;
        const size_t most = def->closest > 0 && def->closest < body_pairs ? def->closest : SIZE_MAX;
        if (!snag__buffer_reserve(ask->allocator, &s->kept, 0, (most < body_pairs ? most : body_pairs) + 1, sizeof(found)))
            return SNAG_ERROR_MEMORY;
        snag_status status = search_body_pairs(ask, s, body_pairs, reach, most, search, context, &count);
        if (status != SNAG_OK)
            return status;
        // Search again with a larger reach; without a limit if all pairs were listed and yet some were not found, because
        // the bodies are farther apart than their boxes.
        if (!ask->stopped && count < def->closest && reach < within && !(all && count == body_pairs)) {
            reach = fmin(within, all || reach == 0 ? INFINITY : 4 * reach);
            continue;
        }
        snag__record_list *list = &ask->scratch->lists[0];
        if (!reserve_records(ask, list, count))
            return SNAG_ERROR_MEMORY;
        const found *kept = s->kept.data;
        for (size_t i = 0; i < count; i++)
            record(&kept[i].body_pair, &kept[i].nearest, list);
        return SNAG_OK;
    }
}

snag_status snag__nearest_find(snag__ask *ask, snag__nearest_search *search, void *context)
{
    SNAG__ASSERT(ask->def->question == SNAG_DISTANCE && ask->scratch->lists[0].count == 0);
    bool all = ask->def->within == 0 && ask->def->closest == 0;
    return (all ? find_all : find_near)(ask, search, context);
}
