#include "mesh/rest_balls.h"

#include "base/counting_sort.h"

#include <string.h>

// Vertices of a ball, on average: with more, masks of them would be too many as well.
enum { MOST_OF_A_BALL = 64 };

// Cells along an axis at most.
static const double CELLS_MOST = 0x1p20;

typedef struct grid {
    const double (*x)[3];
    uint32_t count;
    double lo[3], cell;
    double squared;  // the distance, a little less
    uint32_t buckets;  // a power of two
    uint32_t *bucket_of, *start, *sorted;  // by vertex; by bucket: its vertices in `sorted`
    int32_t (*cell_of)[3];  // by vertex
} grid;

// The longest side of the box of all vertices.
static double find_extent(grid *g)
{
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = g->x[0][axis], hi = lo;
        for (uint32_t v = 1; v < g->count; v++) {
            lo = g->x[v][axis] < lo ? g->x[v][axis] : lo;
            hi = g->x[v][axis] > hi ? g->x[v][axis] : hi;
        }
        g->lo[axis] = lo;
        longest = hi - lo > longest ? hi - lo : longest;
    }
    return longest;
}

static uint32_t bucket(const grid *g, const int32_t cell[3])
{
    uint32_t mixed = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^ (uint32_t)cell[2] * 83492791u;
    return (mixed ^ mixed >> 15) & (g->buckets - 1);
}

static bool fill_grid(grid *g, snag__buffer *work, const snag_allocator *allocator)
{
    for (g->buckets = 16; g->buckets < g->count && g->buckets < UINT32_MAX / 4;)
        g->buckets *= 2;
    const snag__room rooms[] = {
        {NULL, &g->bucket_of, g->count + 1u, sizeof *g->bucket_of},
        {NULL, &g->start, g->buckets + 2u, sizeof *g->start},
        {NULL, &g->sorted, g->count + 1u, sizeof *g->sorted},
        {NULL, &g->cell_of, g->count + 1u, sizeof *g->cell_of},
    };
    if (!snag__rooms_carve(allocator, work, rooms, sizeof rooms / sizeof *rooms))
        return false;
    for (uint32_t v = 0; v < g->count; v++) {
        for (int axis = 0; axis < 3; axis++)
            g->cell_of[v][axis] = (int32_t)((g->x[v][axis] - g->lo[axis]) / g->cell);
        g->bucket_of[v] = bucket(g, g->cell_of[v]);
    }
    snag__counting_sort(g->bucket_of, g->buckets, NULL, g->count, g->start, g->sorted);
    return true;
}

static bool are_near(const grid *g, uint32_t v, uint32_t w)
{
    double x = g->x[v][0] - g->x[w][0], y = g->x[v][1] - g->x[w][1], z = g->x[v][2] - g->x[w][2];
    return x * x + y * y + z * z <= g->squared;
}

// Adds the vertices of a cell that are near v; false without memory or where there are too many.
static bool add_cell(const grid *g, snag__rest_balls *balls, uint32_t v, const int32_t cell[3], size_t *count,
                     const snag_allocator *allocator)
{
    uint32_t b = bucket(g, cell), size = g->start[b + 1] - g->start[b];
    if (!snag__buffer_reserve(allocator, &balls->items, *count, *count + size, sizeof(uint32_t)))
        return false;
    uint32_t *items = balls->items.data;
    for (uint32_t k = g->start[b]; k < g->start[b + 1]; k++) {
        uint32_t w = g->sorted[k];
        // Other cells may have the same bucket.
        bool here = g->cell_of[w][0] == cell[0] && g->cell_of[w][1] == cell[1] && g->cell_of[w][2] == cell[2];
        if (here && are_near(g, v, w))
            items[(*count)++] = w;
    }
    return true;
}

static bool list_balls(const grid *g, snag__rest_balls *balls, const snag_allocator *allocator)
{
    uint32_t *start = balls->start.data;
    size_t count = 0;
    for (uint32_t v = 0; v < g->count; v++) {
        start[v] = (uint32_t)count;
        for (int i = 0; i < 27; i++) {
            const int32_t *own = g->cell_of[v], cell[3] = {own[0] + i % 3 - 1, own[1] + i / 3 % 3 - 1, own[2] + i / 9 - 1};
            if (!add_cell(g, balls, v, cell, &count, allocator))
                return false;
        }
        if (count / MOST_OF_A_BALL > g->count || count > UINT32_MAX)
            return true;
    }
    start[g->count] = (uint32_t)count;
    balls->ball = (snag__csr){start, balls->items.data};
    balls->usable = true;
    return true;
}

bool snag__rest_balls_build(snag__rest_balls *balls, const double (*x)[3], uint32_t vertex_count, double d,
                            const snag_allocator *allocator)
{
    balls->usable = false;
    if (vertex_count == 0)
        return true;
    grid g = {.x = x, .count = vertex_count};
    const double sure = d * (1 - 0x1p-40), extent = find_extent(&g);
    g.squared = sure * sure;
    if (!(g.squared > 0x1p-900 && g.squared < 0x1p900 && extent < 0x1p450))
        return true;
    g.cell = extent / CELLS_MOST > d ? extent / CELLS_MOST : d;
    return snag__buffer_reserve(allocator, &balls->start, 0, vertex_count + 1u, sizeof(uint32_t)) &&
           fill_grid(&g, &balls->work, allocator) && list_balls(&g, balls, allocator);
}

void snag__rest_balls_free(const snag_allocator *allocator, snag__rest_balls *balls)
{
    snag__buffer_free(allocator, &balls->start);
    snag__buffer_free(allocator, &balls->items);
    snag__buffer_free(allocator, &balls->work);
    *balls = (snag__rest_balls){0};
}
