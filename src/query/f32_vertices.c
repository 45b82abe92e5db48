#include "query/f32_vertices.h"

#include "base/assert.h"

#include <math.h>

enum { VERTICES_OF_A_TASK = 4096, TASKS_MAX = 64 };

// Vertices lie within 1/2 of the origin when the scale is chosen, and may go as far as 1. The scale is chosen anew when they go
// farther, or when the scene has become so small that floats lose four bits.
static const float TOO_LARGE = 1, TOO_SMALL = 0x1p-5f;

typedef struct entry {
    uint64_t body, pose;  // who, and which positions
    uint32_t vertex_count;
    size_t first;  // among all vertices
    float largest;
} entry;

static uint64_t name_of(const snag__body *body)
{
    return body->topology;
}

// Whether the entries are of the bodies of this ask; if not, they become so, and nothing is filled yet.
static bool lay_out(snag__ask *ask, snag__f32_vertices *v)
{
    size_t vertices = 0;
    bool same = v->count == ask->body_count;
    const entry *old = v->entries.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        same = same && old[i].body == name_of(ask->bodies[i]) && old[i].vertex_count == ask->bodies[i]->mesh.vertex_count;
        vertices += ask->bodies[i]->mesh.vertex_count;
    }
    if (same)
        return true;
    v->count = 0;
    if (!snag__buffer_reserve(ask->allocator, &v->entries, 0, ask->body_count + 1u, sizeof(entry)) ||
        !snag__buffer_reserve(ask->allocator, &v->memory, 0, vertices + 1, sizeof(snag__f32_vertex)))
        return false;
    entry *entries = v->entries.data;
    size_t first = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        uint32_t count = ask->bodies[i]->mesh.vertex_count;
        entries[i] = (entry){.body = name_of(ask->bodies[i]), .vertex_count = count, .first = first};
        first += count;
    }
    v->count = ask->body_count;
    v->scale = 0;
    return true;
}

// ---- the scale ----

static void choose_scale(const snag__ask *ask, snag__f32_vertices *v)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        for (uint32_t k = 0; k < mesh->vertex_count; k++)
            for (int axis = 0; axis < 3; axis++) {
                double x = mesh->x_t1[k][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
    }
    for (int axis = 0; axis < 3; axis++) {
        v->origin[axis] = lo[axis] / 2 + hi[axis] / 2;
        half = fmax(half, hi[axis] / 2 - lo[axis] / 2);
    }
    // Where doubles near their ends would be scaled, the filters in double precision are on their own.
    v->scale = half > 1e-280 && half < 1e280 ? ldexp(1, -ilogb(half) - 2) : 0;
}

// ---- filling ----

typedef struct filling {
    const snag__f32_distance_kernels *kernels;
    const snag__f32_vertices *vertices;
    const snag__mesh *mesh;
    snag__f32_vertex *to;
    size_t of_a_task;
    float largest[TASKS_MAX];
} filling;

static void fill_part(void *context, uint32_t task)
{
    filling *f = context;
    size_t first = task * f->of_a_task, last = first + f->of_a_task;
    last = last < f->mesh->vertex_count ? last : f->mesh->vertex_count;
    f->largest[task] = first < last ? f->kernels->fill((const double(*)[3])f->mesh->x_t1, first, last, f->vertices->origin,
                                                       f->vertices->scale, f->to)
                                    : 0;
}

// Fills in the bodies whose positions are new. Returns the largest coordinate of all.
static float fill_stale(const snag__ask *ask, snag__f32_vertices *v, bool all)
{
    entry *entries = v->entries.data;
    float largest = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        entry *e = &entries[i];
        if (all || e->pose != ask->bodies[i]->pose) {
            filling f = {.kernels = snag__f32_distance_kernels_for(ask->isa),
                         .vertices = v,
                         .mesh = &ask->bodies[i]->mesh,
                         .to = (snag__f32_vertex *)v->memory.data + e->first,
                         .of_a_task = VERTICES_OF_A_TASK};
            if (e->vertex_count > (size_t)TASKS_MAX * VERTICES_OF_A_TASK)
                f.of_a_task = (e->vertex_count + TASKS_MAX - 1u) / TASKS_MAX;
            uint32_t tasks = (uint32_t)((e->vertex_count + f.of_a_task - 1) / f.of_a_task);
            SNAG__ASSERT(tasks <= TASKS_MAX);
            snag__parallel_for(ask->parallel, tasks, fill_part, &f);
            e->largest = 0;
            for (uint32_t k = 0; k < tasks; k++)
                e->largest = fmaxf(e->largest, f.largest[k]);
            e->pose = ask->bodies[i]->pose;
        }
        largest = fmaxf(largest, e->largest);
    }
    return largest;
}

snag_status snag__f32_vertices_update(snag__ask *ask)
{
    snag__f32_vertices *v = &ask->scratch->f32_vertices;
    if (!lay_out(ask, v))
        return SNAG_ERROR_MEMORY;
    float largest = v->scale > 0 ? fill_stale(ask, v, false) : INFINITY;
    if (!(largest <= TOO_LARGE && largest >= TOO_SMALL)) {
        choose_scale(ask, v);
        if (!(v->scale > 0))
            return SNAG_OK;
        fill_stale(ask, v, true);
    }
    ask->f32 = v;
    return SNAG_OK;
}

const snag__f32_vertex *snag__f32_vertices_of(const snag__ask *ask, uint32_t body)
{
    const entry *entries = ask->f32->entries.data;
    return (const snag__f32_vertex *)ask->f32->memory.data + entries[body].first;
}

float snag__f32_distance(const snag__ask *ask, double distance)
{
    return nextafterf((float)(distance * ask->f32->scale), INFINITY);
}

void snag__f32_vertices_free(const snag_allocator *allocator, snag__f32_vertices *v)
{
    snag__buffer_free(allocator, &v->memory);
    snag__buffer_free(allocator, &v->entries);
}
