#include "query/f32_paths.h"

#include <math.h>

enum { VERTICES_OF_A_TASK = 4096, TASKS_MAX = 64 };

// Vertices lie within 1/2 of the origin when the scale is chosen, and may go as far as 1. The scale is chosen anew when they go
// farther, or when the scene has become so small that floats lose four bits.
static const float TOO_LARGE = 1, TOO_SMALL = 0x1p-5f;

// What the coordinates of some vertices are.
typedef struct extent {
    float scaled;  // the largest, scaled
    double largest, smallest;  // in magnitude, as they are; zeros apart
} extent;

typedef struct entry {
    uint64_t body, motion;  // who, and which positions
    uint32_t vertex_count;
    size_t first;  // among all vertices
    extent extent;
} entry;

static uint64_t name_of(const snag__body *body)
{
    return body->topology;
}

static extent wider(extent a, extent b)
{
    return (extent){fmaxf(a.scaled, b.scaled), fmax(a.largest, b.largest), fmin(a.smallest, b.smallest)};
}

static const extent nothing = {0, 0, INFINITY};

// The entries become those of the bodies of this ask. If they were of others, nothing is filled yet.
static bool lay_out(snag__ask *ask, snag__f32_paths *p)
{
    size_t vertices = 0;
    bool same = p->count == ask->body_count;
    const entry *old = p->entries.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        same = same && old[i].body == name_of(ask->bodies[i]) && old[i].vertex_count == ask->bodies[i]->mesh.vertex_count;
        vertices += ask->bodies[i]->mesh.vertex_count;
    }
    if (same)
        return true;
    p->count = 0;
    p->scale = 0;
    if (!snag__buffer_reserve(ask->allocator, &p->entries, 0, ask->body_count + 1u, sizeof(entry)) ||
        !snag__buffer_reserve(ask->allocator, &p->memory, 0, vertices + 1, sizeof(snag__f32_path)))
        return false;
    entry *entries = p->entries.data;
    size_t first = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        uint32_t count = ask->bodies[i]->mesh.vertex_count;
        entries[i] = (entry){.body = name_of(ask->bodies[i]), .vertex_count = count, .first = first, .extent = nothing};
        first += count;
    }
    p->count = ask->body_count;
    return true;
}

static void choose_scale(const snag__ask *ask, snag__f32_paths *p)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        for (uint32_t k = 0; k < 2 * mesh->vertex_count; k++)
            for (int axis = 0; axis < 3; axis++) {
                double x = (k % 2 == 0 ? mesh->x_t0 : mesh->x_t1)[k / 2][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
    }
    for (int axis = 0; axis < 3; axis++) {
        p->origin[axis] = lo[axis] / 2 + hi[axis] / 2;
        half = fmax(half, hi[axis] / 2 - lo[axis] / 2);
    }
    // Where doubles near their ends would be scaled, the filters in double precision are on their own.
    p->usable = half > 1e-280 && half < 1e280;
    p->scale = p->usable ? ldexp(1, -ilogb(half) - 2) : 0x1p-900;
}

typedef struct filling {
    const snag__f32_paths *paths;
    const snag__mesh *mesh;
    snag__f32_path *to;
    size_t of_a_task;
    extent found[TASKS_MAX];
} filling;

static extent fill_end(const filling *f, int end, size_t first, size_t last)
{
    const double(*x)[3] = end == 0 ? (const double(*)[3])f->mesh->x_t0 : (const double(*)[3])f->mesh->x_t1;
    double scale = f->paths->scale, largest[3] = {0, 0, 0}, smallest[3] = {INFINITY, INFINITY, INFINITY};
    float scaled[3] = {0, 0, 0};
    for (size_t i = first; i < last; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double size = fabs(x[i][axis]), nonzero = size > 0 ? size : INFINITY;
            float coordinate = (float)((x[i][axis] - f->paths->origin[axis]) * scale), most = fabsf(coordinate);
            f->to[i].end[end].x[axis] = coordinate;
            scaled[axis] = most > scaled[axis] ? most : scaled[axis];
            largest[axis] = size > largest[axis] ? size : largest[axis];
            smallest[axis] = nonzero < smallest[axis] ? nonzero : smallest[axis];
        }
        f->to[i].end[end].number = (uint32_t)i;
    }
    extent all = nothing;
    for (int axis = 0; axis < 3; axis++)
        all = wider(all, (extent){scaled[axis], largest[axis], smallest[axis]});
    return all;
}

static void fill_part(void *context, uint32_t task)
{
    filling *f = context;
    size_t first = task * f->of_a_task, last = first + f->of_a_task;
    last = last < f->mesh->vertex_count ? last : f->mesh->vertex_count;
    f->found[task] = first < last ? wider(fill_end(f, 0, first, last), fill_end(f, 1, first, last)) : nothing;
}

// Fills in the bodies whose positions are new.
static void fill_stale(const snag__ask *ask, snag__f32_paths *p, bool all)
{
    entry *entries = p->entries.data;
    extent widest = nothing;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        entry *e = &entries[i];
        if (all || e->motion != ask->bodies[i]->motion) {
            filling f = {.paths = p,
                         .mesh = &ask->bodies[i]->mesh,
                         .to = (snag__f32_path *)p->memory.data + e->first,
                         .of_a_task = VERTICES_OF_A_TASK};
            if (e->vertex_count > (size_t)TASKS_MAX * VERTICES_OF_A_TASK)
                f.of_a_task = (e->vertex_count + TASKS_MAX - 1u) / TASKS_MAX;
            uint32_t tasks = (uint32_t)((e->vertex_count + f.of_a_task - 1) / f.of_a_task);
            snag__parallel_for(ask->parallel, tasks, fill_part, &f);
            e->extent = nothing;
            for (uint32_t k = 0; k < tasks; k++)
                e->extent = wider(e->extent, f.found[k]);
            e->motion = ask->bodies[i]->motion;
        }
        widest = wider(widest, e->extent);
    }
    p->scaled = widest.scaled;
    p->largest = widest.largest;
    p->smallest = widest.smallest;
}

snag_status snag__f32_paths_update(snag__ask *ask)
{
    snag__f32_paths *p = &ask->scratch->f32_paths;
    if (!lay_out(ask, p))
        return SNAG_ERROR_MEMORY;
    if (p->scale > 0)
        fill_stale(ask, p, false);
    if (!(p->scale > 0) || !p->usable || !(p->scaled <= TOO_LARGE && p->scaled >= TOO_SMALL)) {
        choose_scale(ask, p);
        fill_stale(ask, p, true);
    }
    ask->paths = p;
    return SNAG_OK;
}

bool snag__f32_paths_usable(const snag__ask *ask)
{
    return ask->paths != NULL && ask->paths->usable;
}

const snag__f32_path *snag__f32_paths_of(const snag__ask *ask, uint32_t body)
{
    const entry *entries = ask->paths->entries.data;
    return (const snag__f32_path *)ask->paths->memory.data + entries[body].first;
}

float snag__f32_paths_distance(const snag__ask *ask, double distance)
{
    return nextafterf((float)(distance * ask->paths->scale), INFINITY);
}

double snag__f32_paths_largest(const snag__ask *ask)
{
    return ask->paths->largest;
}

double snag__f32_paths_smallest(const snag__ask *ask)
{
    return ask->paths->smallest;
}

void snag__f32_paths_free(const snag_allocator *allocator, snag__f32_paths *p)
{
    snag__buffer_free(allocator, &p->memory);
    snag__buffer_free(allocator, &p->entries);
}
