#include "mesh/rings.h"

#include "base/assert.h"
#include "mesh/thin.h"

#include <stdlib.h>
#include <string.h>

// A search outwards from one vertex after another.
typedef struct walk {
    const snag__mesh *mesh;
    uint32_t *seen;  // by vertex: the last vertex whose search came here, plus 1
    uint32_t *found;  // the ball, ring after ring
    uint32_t count;
} walk;

static void see(walk *w, const uint32_t *corners, int count, uint32_t mark)
{
    for (int i = 0; i < count; i++)
        if (w->seen[corners[i]] != mark) {
            w->seen[corners[i]] = mark;
            w->found[w->count++] = corners[i];
        }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The vertices at most `radius` edges from v, ascending.
static void find_ball(walk *w, uint32_t v, uint32_t radius)
{
    const snag__mesh *mesh = w->mesh;
    w->count = 0;
    see(w, &v, 1, v + 1);
    for (uint32_t ring = 0, first = 0; ring < radius && first < w->count; ring++) {
        uint32_t last = w->count;
        for (; first < last; first++) {
            uint32_t u = w->found[first];
            for (uint32_t k = mesh->vertex_triangles.start[u]; k < mesh->vertex_triangles.start[u + 1]; k++)
                see(w, mesh->triangles[mesh->vertex_triangles.items[k]], 3, v + 1);
            for (uint32_t k = mesh->vertex_tets.start[u]; k < mesh->vertex_tets.start[u + 1]; k++)
                see(w, mesh->tets[mesh->vertex_tets.items[k]], 4, v + 1);
            const snag__csr *rods = mesh->thin != NULL ? &mesh->thin->vertex_rods : NULL;
            for (uint32_t k = rods != NULL ? rods->start[u] : 0; rods != NULL && k < rods->start[u + 1]; k++)
                see(w, mesh->edges[rods->items[k]], 2, v + 1);
        }
    }
    qsort(w->found, w->count, sizeof *w->found, by_number);
}

static bool list_balls(snag__rings *rings, walk *w, int which, uint32_t radius, const snag_allocator *allocator)
{
    const uint32_t vertices = w->mesh->vertex_count;
    if (!snag__buffer_reserve(allocator, &rings->start[which], 0, vertices + 1u, sizeof(uint32_t)))
        return false;
    uint32_t *start = rings->start[which].data;
    size_t count = 0;
    memset(w->seen, 0, vertices * sizeof *w->seen);
    for (uint32_t v = 0; v < vertices; v++) {
        start[v] = (uint32_t)count;
        find_ball(w, v, radius);
        if (count + w->count > UINT32_MAX ||
            !snag__buffer_reserve(allocator, &rings->items[which], count, count + w->count, sizeof(uint32_t)))
            return false;
        memcpy((uint32_t *)rings->items[which].data + count, w->found, w->count * sizeof *w->found);
        count += w->count;
    }
    start[vertices] = (uint32_t)count;
    rings->ball[which] = (snag__csr){start, rings->items[which].data};
    return true;
}

bool snag__rings_build(snag__rings *rings, const snag__mesh *mesh, uint32_t n, const snag_allocator *allocator)
{
    SNAG__ASSERT(n > 0);
    rings->rings = 0;
    walk w = {.mesh = mesh};
    const snag__room rooms[] = {
        {NULL, &w.seen, mesh->vertex_count + 1u, sizeof *w.seen},
        {NULL, &w.found, mesh->vertex_count + 1u, sizeof *w.found},
    };
    if (!snag__rooms_carve(allocator, &rings->work, rooms, sizeof rooms / sizeof *rooms) ||
        !list_balls(rings, &w, 0, (n + 1) / 2, allocator))
        return false;
    rings->ball[1] = rings->ball[0];
    if (n % 2 == 1 && !list_balls(rings, &w, 1, n / 2, allocator))
        return false;
    rings->rings = n;
    return true;
}

bool snag__rings_near(const snag__rings *rings, uint32_t u, uint32_t v)
{
    SNAG__ASSERT(rings->rings > 0);
    const uint32_t *a = rings->ball[0].items + rings->ball[0].start[u], *end_a = rings->ball[0].items + rings->ball[0].start[u + 1];
    const uint32_t *b = rings->ball[1].items + rings->ball[1].start[v], *end_b = rings->ball[1].items + rings->ball[1].start[v + 1];
    while (a < end_a && b < end_b) {
        if (*a == *b)
            return true;
        if (*a < *b)
            a++;
        else
            b++;
    }
    return false;
}

void snag__rings_free(const snag_allocator *allocator, snag__rings *rings)
{
    for (int i = 0; i < 2; i++) {
        snag__buffer_free(allocator, &rings->start[i]);
        snag__buffer_free(allocator, &rings->items[i]);
    }
    snag__buffer_free(allocator, &rings->work);
    *rings = (snag__rings){0};
}
