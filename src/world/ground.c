// What a set of candidates was made for, and whether that still holds.
//
// A set contains all pairs that come within a distance d + 2 m while bodies move from t0 to t1. If at some time of that move every vertex
// is within m of where a body is now, then every point of every element is: pairs within d now were within d + 2 m then, and are in the
// set. For a straight move that starts near one time of the recorded move and ends near another, the same is true all the way, since the
// difference of two straight moves is largest at an end.
#include "world/collect.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { VERTICES_OF_A_TASK = 8192 };

static size_t positions_of(const snag__ask *ask)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        count += (snag__mesh_rests(mesh) ? 1 : 2) * (size_t)mesh->vertex_count;
    }
    return count;
}

static double square_of(const double d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Finds the vertex that moves farthest. Lengths that overflow are as good as any.
static void find_farthest(const snag__ask *ask, snag__candidate_ground *ground)
{
    double farthest = 0;
    ground->far_vertex = UINT32_MAX;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        for (uint32_t v = 0; v < mesh->vertex_count && !snag__mesh_rests(mesh); v++) {
            const double *a = mesh->x_t0[v], *b = mesh->x_t1[v], d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            double square = square_of(d);
            if (square > farthest) {
                farthest = square;
                ground->far_body = i;
                ground->far_vertex = v;
            }
        }
    }
}

bool snag__ground_make(const snag_allocator *allocator, const snag__ask *ask, snag__candidate_ground *ground)
{
    size_t count = positions_of(ask);
    const snag__room rooms[] = {
        {NULL, &ground->bodies, ask->body_count + 1u, sizeof *ground->bodies},
        {NULL, &ground->x, count + 1, sizeof *ground->x},
    };
    if (!snag__rooms_carve(allocator, &ground->memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    ground->body_count = ask->body_count;
    ground->vertex_count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        bool moves = !snag__mesh_rests(mesh);
        ground->bodies[i] = (snag__candidate_body){
            .id = ask->bodies[i]->id,
            .vertex_count = mesh->vertex_count,
            .topology = ask->bodies[i]->topology,
            .moves = moves,
            .first = ground->vertex_count,
        };
        memcpy(ground->x + ground->vertex_count, mesh->x_t0, mesh->vertex_count * sizeof *ground->x);
        ground->vertex_count += mesh->vertex_count;
        if (moves)
            memcpy(ground->x + ground->vertex_count, mesh->x_t1, mesh->vertex_count * sizeof *ground->x);
        ground->vertex_count += moves ? mesh->vertex_count : 0;
    }
    SNAG__ASSERT(ground->vertex_count == count);
    find_farthest(ask, ground);
    return true;
}

void snag__ground_free(const snag_allocator *allocator, snag__candidate_ground *ground)
{
    while (ground != NULL) {
        snag__candidate_ground *next = ground->next;
        snag__buffer_free(allocator, &ground->memory);
        snag__release(allocator, ground, 1, sizeof *ground);
        ground = next;
    }
}

// ---- checking ----

// The time at which the vertex that moves farthest passes closest to x.
static double time_near(const snag__candidate_ground *ground, const double x[3])
{
    const snag__candidate_body *body = &ground->bodies[ground->far_body];
    const double *a = ground->x[body->first + ground->far_vertex];
    const double *b = ground->x[body->first + body->vertex_count + ground->far_vertex];
    double along = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        along += (x[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double t = along / square;
    return t > 0 ? fmin(t, 1) : 0;  // 0 also where lengths overflow
}

typedef struct comparing {
    const double (*now)[3], (*x_t0)[3], (*x_t1)[3];
    double t, allowed;
    uint32_t count;
    _Atomic uint32_t strays;  // the lowest vertex that strays too far
} comparing;

static void compare_some(void *context, uint32_t task)
{
    comparing *c = context;
    const snag__range range = snag__task_range(0, c->count, VERTICES_OF_A_TASK, task);
    uint32_t strays = UINT32_MAX;
    // Where squares would overflow or underflow, the largest coordinate decides: never too late.
    bool ordinary = c->allowed > 0x1p-450 && c->allowed < 0x1p450;
    double most = ordinary ? c->allowed * c->allowed : c->allowed / 1.75;
    for (uint32_t v = range.first; v < range.last; v++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = c->now[v][k] - (c->x_t0[v][k] + c->t * (c->x_t1[v][k] - c->x_t0[v][k]));
        double size = ordinary ? square_of(d) : fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
        if (!(size <= most) && v < strays)
            strays = v;
    }
    uint32_t before = atomic_load_explicit(&c->strays, memory_order_relaxed);
    while (strays < before &&
           !atomic_compare_exchange_weak_explicit(&c->strays, &before, strays, memory_order_relaxed, memory_order_relaxed))
        ;
}

// The lowest vertex of a body that is too far from its place at a time of the recorded move; UINT32_MAX: none.
static uint32_t find_stray(const snag__ask *ask, const snag__candidate_ground *ground, const snag__candidate_body *body,
                           const double (*now)[3], double t)
{
    const double(*x_t0)[3] = (const double(*)[3])ground->x + body->first;
    comparing c = {
        .now = now,
        .x_t0 = x_t0,
        .x_t1 = body->moves ? x_t0 + body->vertex_count : x_t0,
        .t = t,
        .allowed = ground->allowed,
        .count = body->vertex_count,
        .strays = UINT32_MAX,
    };
    snag__parallel_for(ask->parallel, snag__task_count(c.count, VERTICES_OF_A_TASK), compare_some, &c);
    return c.strays;
}

static snag_status check_positions(snag_world *world, const snag__ask *ask, const snag__candidate_ground *ground, bool start,
                                   double *time)
{
    double t = 0;
    if (ground->far_vertex != UINT32_MAX) {
        const snag__mesh *mesh = &ask->bodies[ground->far_body]->mesh;
        t = time_near(ground, (start ? mesh->x_t0 : mesh->x_t1)[ground->far_vertex]);
    }
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        const double(*now)[3] = (const double(*)[3])(start ? mesh->x_t0 : mesh->x_t1);
        uint32_t stray = find_stray(ask, ground, &ground->bodies[i], now, t);
        if (stray != UINT32_MAX)
            return snag__fail(world, SNAG_ERROR_STALE,
                              "the candidates no longer hold: %s: vertex %u is farther than %g from where it was at time %g of the "
                              "move they were collected for: collect again, or with a larger margin",
                              ask->bodies[i]->name, stray, ground->allowed, t);
    }
    *time = t;
    return SNAG_OK;
}

static bool is_same_id(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

static snag_status check_bodies(snag_world *world, const snag__ask *ask, const snag__candidate_ground *ground)
{
    for (uint32_t i = 0; i < ground->body_count; i++) {
        const snag__candidate_body *was = &ground->bodies[i];
        const snag__body *body = snag__world_find(world, was->id);
        if (body == NULL)
            return snag__fail(world, SNAG_ERROR_BODY, "body %u of the candidates was removed: collect again", was->id.index);
        if (body->topology != was->topology)
            return snag__fail(world, SNAG_ERROR_STALE, "the candidates no longer hold: %s was edited: collect again", body->name);
    }
    for (uint32_t i = 0; !ground->anywhere && i < ask->body_count; i++)
        if (i >= ground->body_count || !is_same_id(ground->bodies[i].id, ask->bodies[i]->id))
            return snag__fail(world, SNAG_ERROR_STALE,
                              "the candidates no longer hold: %s was added since they were collected: collect again",
                              ask->bodies[i]->name);
    return SNAG_OK;
}

snag_status snag__ground_check(snag_world *world, const snag__ask *ask, const snag_candidates *set, bool moving, double times[2])
{
    if (set->world != world->serial)
        return snag__fail(world, SNAG_ERROR_BODY, "the candidates are of another world: collect them in this one");
    for (const snag__candidate_ground *ground = set->grounds; ground != NULL; ground = ground->next) {
        snag_status status = check_bodies(world, ask, ground);
        if (status == SNAG_OK && !ground->anywhere && moving)
            status = check_positions(world, ask, ground, true, &times[0]);
        if (status == SNAG_OK && !ground->anywhere)
            status = check_positions(world, ask, ground, false, &times[1]);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}
