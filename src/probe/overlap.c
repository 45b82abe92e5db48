// Boxes and balls against bodies.
#include "geom/box_triangle.h"
#include "geom/distance.h"
#include "probe/probe_kernel.h"

#include <math.h>

typedef struct shape_query {
    const snag__probe_search *search;
    const snag__probe_shape *shape;
    bool elements;
    uint32_t lowest;  // triangle of this body that meets the shape
    snag_overlap *items;
    size_t capacity, count, first;  // of this body
} shape_query;

static bool meets(const snag__probe_shape *shape, const double *const triangle[3])
{
    if (!shape->is_ball)
        return snag__box_meets_triangle(shape->lo, shape->hi, triangle);
    snag__distance distance;
    return !snag__vertex_triangle_is_farther(shape->centre, triangle, shape->radius) &&
           snag__vertex_triangle_within(shape->centre, triangle, shape->radius, &distance);
}

static void append(shape_query *q, snag_body_id body, uint32_t triangle)
{
    if (q->count++ < q->capacity)
        q->items[q->count - 1] = (snag_overlap){body, triangle};
}

static bool test_triangle(void *context, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    shape_query *q = context;
    uint32_t triangle = set->bvh.elements[slot];
    if (!q->elements && triangle >= q->lowest)
        return true;
    snag__probe_element element = snag__probe_element_at(&set->bvh, tree, slot);
    if (!meets(q->shape, element.x))
        return true;
    q->lowest = triangle < q->lowest ? triangle : q->lowest;
    if (q->elements)
        append(q, q->search->probe->bodies[set->body_of[tree]].id, triangle);
    return true;
}

// By triangle: leaves give them in the order of the tree.
static void sort_items(snag_overlap *items, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < count; i++) {
            snag_overlap one = items[i];
            size_t k = i;
            for (; k >= gap && items[k - gap].triangle > one.triangle; k -= gap)
                items[k] = items[k - gap];
            items[k] = one;
        }
}

static void search_body(shape_query *q, uint32_t body)
{
    const snag__probe *probe = q->search->probe;
    const snag__probe_set *set = &probe->sets[SNAG__PROBE_TRIANGLES];
    const snag__probe_shape *shape = q->shape;
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = snag__float_below(shape->lo[k]);
        hi[k] = snag__float_above(shape->hi[k]);
    }
    q->first = q->count;
    q->lowest = SNAG_NO_TRIANGLE;
    if (set->tree_of[body] != UINT32_MAX)
        q->search->kernels->meet_box(set, set->tree_of[body], lo, hi, test_triangle, q);
    if (q->elements && q->count <= q->capacity)
        sort_items(q->items + q->first, q->count - q->first);
    if (q->lowest != SNAG_NO_TRIANGLE) {
        if (!q->elements)
            append(q, probe->bodies[body].id, q->lowest);
        return;
    }
    // It meets no triangle: all of it is on one side.
    if (snag__probe_encloses(probe, body) && snag__probe_side(q->search, body, shape->centre) != SNAG_SIDE_OUTSIDE)
        append(q, probe->bodies[body].id, SNAG_NO_TRIANGLE);
}

size_t snag__probe_overlap(const snag__probe_search *search, const snag__probe_shape *shape, bool elements, snag_overlap *items,
                           size_t capacity)
{
    shape_query q = {.search = search, .shape = shape, .elements = elements, .items = items, .capacity = capacity};
    for (uint32_t i = 0; i < search->choice.count; i++)
        search_body(&q, snag__probe_chosen(&search->choice, i));
    return q.count;
}
