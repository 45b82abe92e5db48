// The question `distance` by brute force: the closest features of each two bodies, over all pairs of elements whose boxes
// are not farther apart than the closest pair so far.
//
// The closest points of two surfaces lie on a vertex and a triangle or on two edges, unless the surfaces pass through each
// other: then the distance is 0, and the first intersecting pair of triangles stands for it.
#include "geom/geom.h"
#include "mesh/proximity.h"
#include "method/brute.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COLUMNS_AT_ONCE = 1024 };

// The kinds whose boxes are needed, and where they stand in `sides`.
enum { VERTICES, EDGES, TRIANGLES, KINDS };

// What one piece has found.
typedef struct nearest {
    snag__closest closest;
    bool crossing;
    uint32_t crossing_a, crossing_b;  // the lowest intersecting triangles
} nearest;

// The search between two bodies, first < second.
typedef struct couple {
    snag__ask *ask;
    const snag__box_kernels *kernels;
    const snag__side *sides[KINDS];  // per body
    uint32_t first, second;
    int rows, columns;            // kinds of this pass
    uint32_t row_body, column_body;
    const nearest *known;         // the best before this pass
    nearest found[SNAG__LISTS];   // by piece
} couple;

// A little more than the distance so far, so that rounding hides no pair that is as close.
static float reach_of(const nearest *n)
{
    if (!n->closest.found)
        return INFINITY;
    double reach = n->closest.gap.distance * (1 + 1e-6);
    return reach < FLT_MAX ? nextafterf((float)reach, INFINITY) : INFINITY;
}

static void offer(const couple *c, uint32_t row, uint32_t column, nearest *best)
{
    const snag__mesh *row_mesh = &c->ask->bodies[c->row_body]->mesh, *column_mesh = &c->ask->bodies[c->column_body]->mesh;
    switch (c->rows) {
    case EDGES: snag__closest_edge_edge(row_mesh, row, column_mesh, column, &best->closest); break;
    default:
        snag__closest_vertex_triangle(column_mesh, column, row_mesh, row, c->column_body == c->second, &best->closest);
        break;
    }
}

static bool triangles_meet(const couple *c, uint32_t a, uint32_t b)
{
    static const uint32_t unshared[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const uint32_t numbers[2] = {a, b}, bodies[2] = {c->row_body, c->column_body};
    const double *corner[2][3];
    for (int side = 0; side < 2; side++) {
        const snag__mesh *mesh = &c->ask->bodies[bodies[side]]->mesh;
        for (int i = 0; i < 3; i++)
            corner[side][i] = mesh->x_t1[mesh->triangles[numbers[side]][i]];
    }
    snag__meeting meeting = snag__triangles_meet(corner[0], unshared[0], corner[1], unshared[1]);
    return meeting != SNAG__APART && meeting != SNAG__DEGENERATE;
}

static void keep_lowest(nearest *best, uint32_t a, uint32_t b)
{
    if (best->crossing && (best->crossing_a < a || (best->crossing_a == a && best->crossing_b <= b)))
        return;
    best->crossing = true;
    best->crossing_a = a;
    best->crossing_b = b;
}

// One row against a block of columns.
static void compare_row(const couple *c, uint32_t row, size_t block, size_t end, nearest *best)
{
    const snag__boxes *rows = &c->sides[c->rows][c->row_body].boxes;
    const snag__boxes *columns = &c->sides[c->columns][c->column_body].boxes;
    bool crossing = c->columns == TRIANGLES;
    float reach = crossing ? 0 : reach_of(best), lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = nextafterf(rows->lo[axis][row] - reach, -INFINITY);
        hi[axis] = nextafterf(rows->hi[axis][row] + reach, INFINITY);
    }
    uint32_t hits[COLUMNS_AT_ONCE + 16];
    size_t count = c->kernels->overlaps(columns, block, end, lo, hi, hits);
    for (size_t h = 0; h < count; h++) {
        if (!crossing)
            offer(c, row, hits[h], best);
        else if (triangles_meet(c, row, hits[h]))
            keep_lowest(best, row, hits[h]);
    }
}

static void run_piece(void *context, uint32_t index)
{
    couple *c = context;
    nearest *best = &c->found[index];
    *best = *c->known;
    size_t rows = c->sides[c->rows][c->row_body].boxes.count, columns = c->sides[c->columns][c->column_body].boxes.count;
    for (size_t block = 0; block < columns; block += COLUMNS_AT_ONCE) {
        size_t end = block + COLUMNS_AT_ONCE < columns ? block + COLUMNS_AT_ONCE : columns;
        for (size_t row = index; row < rows; row += SNAG__LISTS)
            compare_row(c, (uint32_t)row, block, end, best);
    }
}

static void run_kinds(couple *c, int rows, uint32_t row_body, int columns, uint32_t column_body, nearest *best)
{
    c->rows = rows;
    c->columns = columns;
    c->row_body = row_body;
    c->column_body = column_body;
    nearest before = *best;
    c->known = &before;
    snag__parallel_for(c->ask->parallel, SNAG__LISTS, run_piece, c);
    for (int i = 0; i < SNAG__LISTS; i++) {
        snag__closest_join(&best->closest, &c->found[i].closest);
        if (c->found[i].crossing)
            keep_lowest(best, c->found[i].crossing_a, c->found[i].crossing_b);
    }
}

// The record of what is closest. Its list has room: it is made for one record of each pair of bodies.
static void record(const couple *c, const nearest *best, snag__list *list)
{
    snag__ask *ask = c->ask;
    uint64_t a, b;
    uint32_t kind = best->closest.kind, feature = 0;
    if (best->crossing && (!best->closest.found || best->closest.gap.distance > 0)) {
        a = snag__element_number(ask, c->first, SNAG_TRIANGLE, best->crossing_a);
        b = snag__element_number(ask, c->second, SNAG_TRIANGLE, best->crossing_b);
        kind = SNAG_CROSSING;
    } else if (best->closest.found) {
        const snag__mesh *first = &ask->bodies[c->first]->mesh, *second = &ask->bodies[c->second]->mesh;
        snag__closest_names names = snag__closest_name(first, second, &best->closest);
        uint32_t body_a = !names.edges && names.vertex_second ? c->second : c->first, body_b = c->first ^ c->second ^ body_a;
        a = snag__element_number(ask, body_a, names.edges ? SNAG_EDGE : SNAG_VERTEX, names.a);
        b = snag__element_number(ask, body_b, names.edges ? SNAG_EDGE : SNAG_TRIANGLE, names.b);
        feature = names.feature;
    } else {
        return;
    }
    list->records[list->count++] = (snag__record){.key = a << 32 | b, .kind = kind, .extra = feature};
}

static snag_status make_boxes(couple *c, snag__list *list)
{
    static const snag_element_kind kinds[KINDS] = {SNAG_VERTEX, SNAG_EDGE, SNAG_TRIANGLE};
    snag__ask *ask = c->ask;
    size_t floats = SNAG__BOX_PAD, couples = (size_t)ask->body_count * ask->body_count / 2 + 1;
    for (int k = 0; k < KINDS; k++)
        floats += snag__side_floats(ask, kinds[k]);
    if (!snag__buffer_reserve(ask->allocator, &ask->scratch->boxes, 0, floats, sizeof(float)) ||
        !snag__buffer_reserve(ask->allocator, &ask->scratch->sides, 0, KINDS * (size_t)ask->body_count + 1,
                              sizeof(snag__side)) ||
        !snag__buffer_reserve(ask->allocator, &list->memory, 0, couples, sizeof *list->records))
        return SNAG_ERROR_MEMORY;
    list->records = list->memory.data;
    list->capacity = list->memory.bytes / sizeof *list->records;
    float *memory = ask->scratch->boxes.data;
    snag__side *sides = ask->scratch->sides.data;
    for (int k = 0; k < KINDS; k++) {
        c->sides[k] = sides + (size_t)k * ask->body_count;
        snag__make_sides(ask, kinds[k], sides + (size_t)k * ask->body_count, &memory);
    }
    return SNAG_OK;
}

snag_status snag__brute_distance(snag__ask *ask)
{
    couple c = {.ask = ask, .kernels = snag__box_kernels_for(ask->isa)};
    snag__list *list = &ask->scratch->lists[0];
    snag_status status = make_boxes(&c, list);
    if (status != SNAG_OK)
        return status;
    for (c.first = 0; c.first < ask->body_count; c.first++)
        for (c.second = c.first + 1; c.second < ask->body_count; c.second++) {
            if (!snag__wanted(ask, c.first, c.second))
                continue;
            nearest best = {0};
            run_kinds(&c, TRIANGLES, c.first, VERTICES, c.second, &best);
            run_kinds(&c, TRIANGLES, c.second, VERTICES, c.first, &best);
            run_kinds(&c, EDGES, c.first, EDGES, c.second, &best);
            run_kinds(&c, TRIANGLES, c.first, TRIANGLES, c.second, &best);
            record(&c, &best, list);
            if (!snag__go_on(ask, (double)(c.first + 1) / ask->body_count))
                return SNAG_OK;
        }
    return SNAG_OK;
}
