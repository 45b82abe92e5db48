#include "method/nearest.h"

#include "geom/geom.h"

#include <float.h>
#include <math.h>

// The comparisons of two bodies, step = 0, 1, ... until false. The last looks for triangles that intersect, and is left out
// where the bodies are known to touch.
static bool next_pass(snag__couple *couple, int step, const snag__nearest *best)
{
    bool swap = step == 1;  // vertices of the first body with triangles of the second
    couple->row_body = swap ? couple->second : couple->first;
    couple->column_body = swap ? couple->first : couple->second;
    switch (step) {
    case 0:
    case 1: couple->pass = (snag__pass){SNAG_TRIANGLE, SNAG_VERTEX}; return true;
    case 2: couple->pass = (snag__pass){SNAG_EDGE, SNAG_EDGE}; return true;
    case 3:
        couple->pass = (snag__pass){SNAG_TRIANGLE, SNAG_TRIANGLE};
        return !best->closest.found || best->closest.gap.distance > 0;
    default: return false;
    }
}

static bool is_crossing(const snag__couple *couple)
{
    return couple->pass.column == SNAG_TRIANGLE;
}

float snag__nearest_reach(const snag__couple *couple, const snag__nearest *best)
{
    if (is_crossing(couple))
        return 0;
    if (!best->closest.found)
        return INFINITY;
    double reach = best->closest.gap.distance * (1 + 1e-6);
    return reach < FLT_MAX ? nextafterf((float)reach, INFINITY) : INFINITY;
}

static bool triangles_meet(const snag__mesh *first, uint32_t a, const snag__mesh *second, uint32_t b)
{
    static const uint32_t unshared[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const double *corner[2][3];
    for (int i = 0; i < 3; i++) {
        corner[0][i] = first->x_t1[first->triangles[a][i]];
        corner[1][i] = second->x_t1[second->triangles[b][i]];
    }
    snag__meeting meeting = snag__triangles_meet(corner[0], unshared[0], corner[1], unshared[1]);
    return meeting != SNAG__APART && meeting != SNAG__DEGENERATE;
}

static bool is_lower(const snag__nearest *best, uint32_t a, uint32_t b)
{
    return !best->crossing || a < best->crossing_a || (a == best->crossing_a && b < best->crossing_b);
}

static void keep_lowest(snag__nearest *best, uint32_t a, uint32_t b)
{
    if (!is_lower(best, a, b))
        return;
    best->crossing = true;
    best->crossing_a = a;
    best->crossing_b = b;
}

void snag__nearest_offer(const snag__couple *couple, uint32_t row, uint32_t column, snag__nearest *best)
{
    const snag__mesh *rows = &couple->ask->bodies[couple->row_body]->mesh;
    const snag__mesh *columns = &couple->ask->bodies[couple->column_body]->mesh;
    switch (couple->pass.column) {
    case SNAG_EDGE: snag__closest_edge_edge(rows, row, columns, column, &best->closest); break;
    case SNAG_VERTEX:
        snag__closest_vertex_triangle(columns, column, rows, row, couple->column_body == couple->second, &best->closest);
        break;
    default:
        if (is_lower(best, row, column) && triangles_meet(rows, row, columns, column))
            keep_lowest(best, row, column);
        break;
    }
}

void snag__nearest_join(snag__nearest *best, const snag__nearest *other)
{
    snag__closest_join(&best->closest, &other->closest);
    if (other->crossing)
        keep_lowest(best, other->crossing_a, other->crossing_b);
}

// Room for a record of each pair of bodies.
static bool reserve_records(snag__ask *ask, snag__list *list)
{
    size_t couples = (size_t)ask->body_count * ask->body_count / 2 + 1;
    if (!snag__buffer_reserve(ask->allocator, &list->memory, 0, couples, sizeof *list->records))
        return false;
    list->records = list->memory.data;
    list->capacity = list->memory.bytes / sizeof *list->records;
    return true;
}

// Appends the record of what is closest, if anything is.
static void record(const snag__couple *couple, const snag__nearest *best, snag__list *list)
{
    const snag__ask *ask = couple->ask;
    uint64_t a, b;
    uint32_t kind = best->closest.kind, feature = 0;
    if (best->crossing && (!best->closest.found || best->closest.gap.distance > 0)) {
        a = snag__element_number(ask, couple->first, SNAG_TRIANGLE, best->crossing_a);
        b = snag__element_number(ask, couple->second, SNAG_TRIANGLE, best->crossing_b);
        kind = SNAG_CROSSING;
    } else if (best->closest.found) {
        const snag__mesh *first = &ask->bodies[couple->first]->mesh, *second = &ask->bodies[couple->second]->mesh;
        snag__closest_names names = snag__closest_name(first, second, &best->closest);
        uint32_t body_a = !names.edges && names.vertex_second ? couple->second : couple->first;
        uint32_t body_b = couple->first ^ couple->second ^ body_a;
        a = snag__element_number(ask, body_a, names.edges ? SNAG_EDGE : SNAG_VERTEX, names.a);
        b = snag__element_number(ask, body_b, names.edges ? SNAG_EDGE : SNAG_TRIANGLE, names.b);
        feature = names.feature;
    } else {
        return;
    }
    list->records[list->count++] = (snag__record){.key = a << 32 | b, .kind = kind, .extra = feature};
}

snag_status snag__nearest_find(snag__ask *ask, snag__nearest_compare *compare, void *context)
{
    snag__list *list = &ask->scratch->lists[0];
    if (!reserve_records(ask, list))
        return SNAG_ERROR_MEMORY;
    snag__couple couple = {.ask = ask};
    for (couple.first = 0; couple.first < ask->body_count; couple.first++)
        for (couple.second = couple.first + 1; couple.second < ask->body_count; couple.second++) {
            if (!snag__wanted(ask, couple.first, couple.second))
                continue;
            snag__nearest best = {0};
            for (int step = 0; next_pass(&couple, step, &best); step++)
                compare(context, &couple, &best);
            record(&couple, &best, list);
            if (!snag__go_on(ask, (double)(couple.first + 1) / ask->body_count))
                return SNAG_OK;
        }
    return SNAG_OK;
}
