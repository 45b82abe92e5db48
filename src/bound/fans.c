#include "bound/fans.h"

#include <string.h>

// More places than this have no number that is a spoke: then no fan is known.
static const uint32_t PLACES_WITH_SPOKES = UINT32_MAX / SNAG__SPOKE_PLACE - 1;

// Among so many vertices those with the same number of triangles are put together.
enum { WINDOW = 256 };

// Whether the triangles at a vertex form a fan.
typedef enum fan_kind { FAN_NONE, FAN_OPEN, FAN_CLOSED } fan_kind;

// The other corners of a triangle at a vertex, in their order.
typedef struct rim {
    uint32_t next, last;
} rim;

// Whether triangles at a vertex, each of which follows on another by a common edge, form one fan.
static fan_kind fan_of(const rim *rims, uint32_t count)
{
    uint32_t follower[SNAG__SPOKES_MAX], first = UINT32_MAX;
    uint32_t starts = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = 0, same = 0;
        follower[i] = UINT32_MAX;
        for (uint32_t j = 0; j < count; j++) {
            before += rims[j].last == rims[i].next;
            same += rims[j].next == rims[i].next;
            if (rims[j].next == rims[i].last)
                follower[i] = j;
        }
        if (before > 1 || same > 1)
            return FAN_NONE;
        if (before == 0) {
            starts++;
            first = i;
        }
    }
    if (starts > 1)
        return FAN_NONE;
    uint32_t i = starts == 1 ? first : 0, walked = 0;
    do {
        walked++;
        i = follower[i];
    } while (i != UINT32_MAX && i != (starts == 1 ? first : 0) && walked <= count);
    if (walked != count)
        return FAN_NONE;
    return starts == 1 ? FAN_OPEN : FAN_CLOSED;
}

static uint32_t corner_of(const uint32_t triangle[3], uint32_t v)
{
    return triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2;
}

// Vertices that are found and not yet put side by side.
typedef struct window {
    uint32_t vertex[WINDOW];
    uint8_t spoke_count[WINDOW], closed[WINDOW];
    uint32_t count;
} window;

// What the hubs of one tree are learnt from.
typedef struct lesson {
    snag__fans *fans;
    const snag__mesh *mesh;
    const uint32_t *place_of;  // by triangle
    uint32_t nowhere;          // the place behind the last
    const snag_allocator *allocator;
    window found;
} lesson;

// Puts a vertex into the window, if its triangles form a fan.
static void add_vertex(lesson *l, uint32_t v)
{
    const snag__mesh *mesh = l->mesh;
    const uint32_t *items = mesh->vertex_triangles.items + mesh->vertex_triangles.start[v];
    uint32_t count = mesh->vertex_triangles.start[v + 1] - mesh->vertex_triangles.start[v];
    if (count == 0 || count > SNAG__SPOKES_MAX)
        return;
    rim rims[SNAG__SPOKES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *triangle = mesh->triangles[items[i]];
        uint32_t c = corner_of(triangle, v);
        rims[i] = (rim){triangle[(c + 1) % 3], triangle[(c + 2) % 3]};
    }
    fan_kind fan = fan_of(rims, count);
    if (fan == FAN_NONE)
        return;
    window *w = &l->found;
    w->vertex[w->count] = v;
    w->spoke_count[w->count] = (uint8_t)count;
    w->closed[w->count++] = fan == FAN_CLOSED;
}

// Those with the fewest triangles first; else in their order.
static void order_window(const window *w, uint32_t order[WINDOW])
{
    uint32_t start[SNAG__SPOKES_MAX + 2] = {0};
    for (uint32_t i = 0; i < w->count; i++)
        start[w->spoke_count[i] + 1]++;
    for (uint32_t i = 1; i < SNAG__SPOKES_MAX + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < w->count; i++)
        order[start[w->spoke_count[i]]++] = i;
}

static void fill_lane(const lesson *l, uint32_t v, snag__spokes *rows, uint32_t row_count, uint32_t lane)
{
    const snag__lists *around = &l->mesh->vertex_triangles;
    const uint32_t *items = around->items + around->start[v];
    uint32_t count = around->start[v + 1] - around->start[v];
    for (uint32_t i = 0; i < row_count; i++)
        rows[i].lane[lane] = i < count ? SNAG__SPOKE_PLACE * l->place_of[items[i]] + 3 * corner_of(l->mesh->triangles[items[i]], v)
                                       : SNAG__SPOKE_PLACE * l->nowhere;
}

// The next hubs: up to eight of the window. Lanes without a vertex repeat the last one, which then is proven more than once.
static bool add_hubs(lesson *l, const uint32_t *which, uint32_t count)
{
    snag__fans *fans = l->fans;
    const window *w = &l->found;
    uint32_t rows = w->spoke_count[which[count - 1]];
    if (!snag__buffer_reserve(l->allocator, &fans->memory[0], fans->hub_count, fans->hub_count + 1u, sizeof *fans->hubs) ||
        !snag__buffer_reserve(l->allocator, &fans->memory[1], fans->row_count, fans->row_count + rows, sizeof *fans->spokes))
        return false;
    fans->hubs = fans->memory[0].data;
    fans->spokes = fans->memory[1].data;
    snag__hubs *hubs = &fans->hubs[fans->hub_count++];
    *hubs = (snag__hubs){.first_row = fans->row_count, .row_count = (uint16_t)rows};
    for (uint32_t lane = 0; lane < SNAG__HUB_LANES; lane++) {
        uint32_t i = which[lane < count ? lane : count - 1];
        hubs->vertex[lane] = w->vertex[i];
        hubs->closed |= (uint8_t)(w->closed[i] << lane);
        fill_lane(l, w->vertex[i], fans->spokes + hubs->first_row, rows, lane);
    }
    fans->row_count += rows;
    return true;
}

static bool empty_window(lesson *l)
{
    uint32_t order[WINDOW], count = l->found.count;
    order_window(&l->found, order);
    for (uint32_t i = 0; i < count; i += SNAG__HUB_LANES)
        if (!add_hubs(l, order + i, count - i < SNAG__HUB_LANES ? count - i : SNAG__HUB_LANES))
            return false;
    l->found.count = 0;
    return true;
}

bool snag__fans_start(snag__fans *fans, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t vertices = 0, leaves = forest->place_count / SNAG__LEAF_ELEMENTS + 1u;  // one for the place behind the last
    for (uint32_t i = 0; i < forest->tree_count; i++)
        vertices += forest->trees[i].mesh->vertex_count;
    if (!snag__buffer_reserve(allocator, &fans->memory[2], 0, vertices + 1, sizeof *fans->proven) ||
        !snag__buffer_reserve(allocator, &fans->memory[3], 0, leaves, sizeof *fans->changed))
        return false;
    fans->proven = fans->memory[2].data;
    fans->changed = fans->memory[3].data;
    fans->hub_count = fans->row_count = 0;
    memset(fans->proven, 0, vertices);
    for (size_t i = 0; i < leaves; i++)
        atomic_init(&fans->changed[i], 0);
    return true;
}

bool snag__fans_learn(snag__fans *fans, const snag__forest *forest, const snag__tree *tree, const uint32_t *place_of,
                      const snag_allocator *allocator)
{
    if (forest->place_count > PLACES_WITH_SPOKES)
        return true;
    lesson l = {fans, tree->mesh, place_of, forest->place_count, allocator, {.count = 0}};
    uint8_t *seen = fans->proven + tree->first_vertex;
    for (uint32_t place = tree->first_place; place < tree->first_place + tree->place_count; place++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t v = forest->vertices[3 * (size_t)place + c];
            if (!seen[v])
                add_vertex(&l, v);
            seen[v] = 1;
            if (l.found.count == WINDOW && !empty_window(&l))
                return false;
        }
    memset(seen, 0, tree->mesh->vertex_count);
    return empty_window(&l);
}

void snag__fans_free(const snag_allocator *allocator, snag__fans *fans)
{
    for (size_t i = 0; i < sizeof fans->memory / sizeof *fans->memory; i++)
        snag__buffer_free(allocator, &fans->memory[i]);
    *fans = (snag__fans){0};
}

const snag__fan_kernels *snag__fan_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__fan_kernels, isa)
}
