// Closest points, rays and insides: checks arguments, brings the trees up to date and deals queries out to tasks.
#include "world/world.h"

#include "base/sort.h"
#include "probe/probe_kernel.h"

#include <math.h>
#include <string.h>

void snag__queries_free(const snag_allocator *methods, const snag_allocator *answers, snag__queries *queries)
{
    snag__probe_free(methods, &queries->probe);
    snag__buffer *scratch[] = {&queries->chosen, &queries->index_of, &queries->words,  &queries->scratch,
                               &queries->order,  &queries->boundary, &queries->counts, &queries->results};
    snag__buffer *results[] = {&queries->nested, &queries->hits, &queries->hit_start, &queries->overlaps, &queries->overlap_start};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        snag__buffer_free(methods, scratch[i]);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        snag__buffer_free(answers, results[i]);
    snag__buffers_free(methods, queries->found, SNAG__QUERY_TASKS);
    snag__buffers_free(methods, queries->rooms, SNAG__QUERY_TASKS);
}

// ---- bodies and trees ----

static snag_status fail_source(snag_world *world, const char *name, const snag__body *body)
{
    return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "%s: %s stays on disk: queries are for bodies in memory", name, body->name);
}

// Lists the living bodies for the trees, in the order of their ids.
static bool gather_bodies(snag_world *world, const snag__probe_room *room, uint32_t **index_of)
{
    snag__queries *queries = &world->queries;
    const snag__room rooms[] = {{&queries->index_of, index_of, world->entry_count + 1u, sizeof **index_of}};
    if (!snag__rooms_reserve(room->allocator, rooms, 1) || !snag__probe_reserve(&queries->probe, world->body_count, room))
        return false;
    const snag__entry *entries = world->entries.data;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->entry_count; i++) {
        (*index_of)[i] = count;
        if (entries[i].body != NULL)
            queries->probe.bodies[count++] =
                (snag__probe_body){&entries[i].body->mesh, entries[i].body->id, entries[i].body->pose, entries[i].body->topology};
    }
    SNAG__ASSERT(count == world->body_count);
    return true;
}

static snag_status check_bodies(snag_world *world, const char *name, snag__query_bodies bodies)
{
    const snag__entry *entries = world->entries.data;
    if (bodies.ids == NULL && bodies.count > 0)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the list of bodies is NULL, and its count is %zu", name, bodies.count);
    for (size_t i = 0; i < bodies.count; i++) {
        const snag__body *body = snag__world_find(world, bodies.ids[i]);
        if (body == NULL)
            return snag__fail_body(world, bodies.ids[i]);
        if (body->source != NULL)
            return fail_source(world, name, body);
    }
    for (uint32_t i = 0; i < world->entry_count && bodies.ids == NULL && world->source_count > 0; i++)
        if (entries[i].body != NULL && entries[i].body->source != NULL)
            return fail_source(world, name, entries[i].body);
    return SNAG_OK;
}

// The chosen bodies by index, ascending and each once.
static bool choose(snag_world *world, snag__query_bodies bodies, const uint32_t *index_of, snag__probe_choice *choice)
{
    snag__queries *queries = &world->queries;
    const uint32_t all = queries->probe.body_count;
    *choice = (snag__probe_choice){.count = all};
    if (bodies.ids == NULL)
        return true;
    if (!snag__buffer_reserve(&world->method_memory.allocator, &queries->chosen, 0, all + 1u, 2 * sizeof(uint32_t)))
        return false;
    uint32_t *chosen = queries->chosen.data, *marked = chosen + all;
    memset(marked, 0, all * sizeof *marked);
    for (size_t i = 0; i < bodies.count; i++)
        marked[index_of[bodies.ids[i].index - 1]] = 1;
    choice->bodies = chosen;
    choice->count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (marked[i])
            chosen[choice->count++] = i;
    return true;
}

snag_status snag__query_begin(snag_world *world, const char *name, snag__query_bodies bodies, snag__query_needs needs,
                              snag__probe_search *search)
{
    snag__probe *probe = &world->queries.probe;
    const snag__probe_room room = {&world->method_memory.allocator, &world->parallel, world->isa};
    snag_status status = check_bodies(world, name, bodies);
    if (status != SNAG_OK)
        return status;
    uint32_t *index_of;
    *search = (snag__probe_search){
        .probe = probe, .kernels = snag__probe_kernels_for(world->isa), .casts = snag__cast_kernels_for(world->isa)};
    if (!gather_bodies(world, &room, &index_of) || !choose(world, bodies, index_of, &search->choice) ||
        !snag__probe_update(probe, SNAG__PROBE_TRIANGLES, &room) || (needs.rays && !snag__probe_update_rays(probe, &room)) ||
        (needs.thin &&
         (!snag__probe_update(probe, SNAG__PROBE_RODS, &room) || !snag__probe_update(probe, SNAG__PROBE_POINTS, &room) ||
          !snag__probe_update(probe, SNAG__PROBE_CLOUDS, &room))) ||
        (needs.tets && !snag__probe_update(probe, SNAG__PROBE_TETS, &room)))
        return snag__fail_memory(world);
    return SNAG_OK;
}

// ---- checks ----

typedef struct checking {
    snag_positions points;
    const snag_ray *rays;
    size_t count, size;  // size: of a task
    size_t bad[SNAG__QUERY_TASKS];
} checking;

static bool is_finite(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static void check_some(void *context, uint32_t task)
{
    checking *c = context;
    size_t first = task * c->size, last = first + c->size < c->count ? first + c->size : c->count;
    c->bad[task] = SIZE_MAX;
    for (size_t i = first; i < last; i++) {
        double x[3];
        if (c->rays == NULL)
            snag__positions_get(c->points, i, x);
        if (c->rays != NULL ? is_finite(c->rays[i].origin) && is_finite(c->rays[i].direction) : is_finite(x))
            continue;
        c->bad[task] = i;
        return;
    }
}

// The first point or ray that is not finite; SIZE_MAX if all are.
static size_t find_not_finite(const snag_world *world, checking *c)
{
    if (c->count == 0)
        return SIZE_MAX;
    uint32_t tasks = c->count > 65536 ? SNAG__QUERY_TASKS : 1;
    c->size = (c->count + tasks - 1) / tasks;
    snag__parallel_for(&world->parallel, tasks, check_some, c);
    for (uint32_t i = 0; i < tasks; i++)
        if (c->bad[i] != SIZE_MAX)
            return c->bad[i];
    return SIZE_MAX;
}

snag_status snag__query_check_points(snag_world *world, const char *name, snag_positions points)
{
    size_t least = 3 * (points.scalar == SNAG_F64 ? sizeof(double) : sizeof(float));
    if (points.scalar != SNAG_F32 && points.scalar != SNAG_F64)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: points are floats or doubles: %d is neither", name, (int)points.scalar);
    if (points.count == 0)
        return SNAG_OK;
    if (points.data == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the points are NULL, and their count is %zu", name, points.count);
    if (points.stride < least)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: a stride of %zu bytes: a point needs %zu", name, points.stride, least);
    if (points.count > SIZE_MAX / points.stride)
        return snag__fail(world, SNAG_ERROR_SIZE, "%s: %zu points do not fit into memory", name, points.count);
    checking c = {.points = points, .count = points.count};
    size_t bad = find_not_finite(world, &c);
    if (bad != SIZE_MAX)
        return snag__fail(world, SNAG_ERROR_NOT_FINITE, "%s: point %zu is not finite", name, bad);
    return SNAG_OK;
}

snag_status snag__query_check_rays(snag_world *world, const char *name, const snag_ray *rays, size_t count, bool segments)
{
    const char *word = segments ? "segment" : "ray";
    if (rays == NULL && count > 0)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the rays are NULL, and their count is %zu", name, count);
    checking c = {.rays = rays, .count = count};
    size_t bad = find_not_finite(world, &c);
    if (bad != SIZE_MAX)
        return snag__fail(world, SNAG_ERROR_NOT_FINITE, "%s: %s %zu is not finite", name, word, bad);
    for (size_t i = 0; i < count; i++) {
        const double *o = rays[i].origin, *d = rays[i].direction;
        bool no_length = segments ? o[0] == d[0] && o[1] == d[1] && o[2] == d[2] : d[0] == 0 && d[1] == 0 && d[2] == 0;
        if (no_length)
            return snag__fail(world, SNAG_ERROR_ARGUMENT,
                              segments ? "%s: the ends of segment %zu are the same point" : "%s: the direction of ray %zu is zero",
                              name, i);
        if (!(rays[i].limit >= 0) || (segments && rays[i].limit > 1))
            return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: %s %zu has the limit %g: it must be 0 or more%s", name, word, i,
                              rays[i].limit, segments ? ", and at most 1" : "");
    }
    return SNAG_OK;
}

static snag_status check_def(snag_world *world, const char *name, const void *def, uint32_t cookie, uint32_t right)
{
    if (def == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the def is NULL", name);
    if (cookie != right)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "%s: the def was not made by snag_default_%s_def of this version: start from that", name, name);
    return SNAG_OK;
}

static snag_status check_outputs(snag_world *world, const char *name, const void *results, size_t count, const size_t *answered,
                                 bool may_stop)
{
    if (results == NULL && count > 0)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the results are NULL, for %zu queries", name, count);
    if (may_stop && answered == NULL)
        return snag__fail(
            world, SNAG_ERROR_ARGUMENT,
            "%s: with a budget or a progress callback `answered` must not be NULL: it says how many results there are", name);
    return SNAG_OK;
}

// ---- rounds and tasks ----

enum {
    QUERIES_OF_A_ROUND = 1 << 18,  // what is sorted and kept for each is some 20 bytes
    QUERIES_BETWEEN_LOOKS = 1 << 13,  // at the clock
    QUERIES_OF_A_TASK = 64,  // at least
};

size_t snag__query_next_round(snag_world *world, const snag__query_rounds *rounds)
{
    (void)world;
    size_t left = rounds->count - rounds->done;
    size_t most = rounds->budget_us > 0 || rounds->progress != NULL ? QUERIES_BETWEEN_LOOKS : QUERIES_OF_A_ROUND;
    return rounds->stopped ? 0 : left < most ? left : most;
}

void snag__query_end_round(snag_world *world, snag__query_rounds *rounds, size_t answered)
{
    rounds->done += answered;
    if (rounds->progress != NULL && !rounds->progress(rounds->context, (double)rounds->done / (double)rounds->count))
        rounds->stopped = true;
    if (rounds->budget_us > 0 && snag__clock_now(&world->clock) - rounds->started_us >= rounds->budget_us)
        rounds->stopped = true;
}

uint32_t snag__query_task_size(const snag_world *world, size_t count)
{
    // Some tasks for each thread, so that all finish together. Longer ones have more neighbours to sort together.
    size_t tasks = (size_t)world->parallel.threads * 4;
    tasks = tasks < SNAG__QUERY_TASKS ? tasks : SNAG__QUERY_TASKS;
    size_t size = (count + tasks - 1) / tasks;
    return (uint32_t)(size > QUERIES_OF_A_TASK ? size : QUERIES_OF_A_TASK);
}

// ---- sorting queries by where they are ----

// Queries of a round. Points are answered in the order of a curve through space: neighbours read the same part of the trees.
typedef struct round_of_queries {
    const snag__probe_search *search;
    const snag_closest_def *closest;
    const snag_cast_def *cast;
    snag_positions points;
    const snag_ray *rays;
    uint32_t body;
    const uint32_t *boundary;
    size_t boundary_count;
    void *results;
    uint64_t *words, *scratch;
    uint32_t *order;
    uint32_t count, size;  // size: of a task
    void (*answer)(const struct round_of_queries *round, const uint32_t *order, uint32_t count);
} round_of_queries;

// The ten bits of x, three places apart.
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

enum { CELL_BITS = 10 };

static const uint32_t *sort_points(const round_of_queries *round, uint32_t first, uint32_t count)
{
    uint64_t *words = round->words + first;
    uint32_t *order = round->order + first;
    double x[3], lo[3] = {0}, hi[3] = {0}, scale[3];
    for (uint32_t i = 0; i < count; i++) {
        snag__positions_get(round->points, first + i, x);
        for (int k = 0; k < 3; k++) {
            lo[k] = i == 0 || x[k] < lo[k] ? x[k] : lo[k];
            hi[k] = i == 0 || x[k] > hi[k] ? x[k] : hi[k];
        }
    }
    for (int k = 0; k < 3; k++)  // halved, since differences may overflow
        scale[k] = hi[k] > lo[k] ? (double)((1u << CELL_BITS) - 1) / (hi[k] / 2 - lo[k] / 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = 0;
        snag__positions_get(round->points, first + i, x);
        for (int k = 0; k < 3; k++) {
            double at = (x[k] / 2 - lo[k] / 2) * scale[k];
            key = key << 1 | spread_bits(at >= 0 && at < (double)(1u << CELL_BITS) ? (uint32_t)at : 0);
        }
        words[i] = key << 32 | (first + i);
    }
    const uint64_t *sorted = snag__sort_words(words, round->scratch + first, count, 32, 32 + 3 * CELL_BITS);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint32_t)sorted[i];
    return order;
}

// Rays stay in the caller's order: sorting them by origin and direction takes longer than it saves, on 100k and on a million triangles.
static const uint32_t *keep_order(const round_of_queries *round, uint32_t first, uint32_t count)
{
    uint32_t *order = round->order + first;
    for (uint32_t i = 0; i < count; i++)
        order[i] = first + i;
    return order;
}

static void answer_some(void *context, uint32_t task)
{
    const round_of_queries *round = context;
    snag__range range = snag__task_range(0, round->count, round->size, task);
    uint32_t count = range.last - range.first;
    round->answer(round, round->rays != NULL ? keep_order(round, range.first, count) : sort_points(round, range.first, count),
                  count);
}

static snag_status run_rounds(snag_world *world, round_of_queries *round, snag__query_rounds *rounds, size_t result_size)
{
    snag__queries *queries = &world->queries;
    rounds->started_us = snag__clock_now(&world->clock);
    for (size_t count; (count = snag__query_next_round(world, rounds)) > 0;) {
        const snag__room rooms[] = {
            {&queries->words, &round->words, count, sizeof *round->words},
            {&queries->scratch, &round->scratch, count, sizeof *round->scratch},
            {&queries->order, &round->order, count, sizeof *round->order},
        };
        if (!snag__rooms_reserve(&world->method_memory.allocator, rooms, sizeof rooms / sizeof *rooms))
            return snag__fail_memory(world);
        round->count = (uint32_t)count;
        round->size = snag__query_task_size(world, count);
        snag__parallel_for(&world->parallel, snag__task_count(round->count, round->size), answer_some, round);
        snag__query_end_round(world, rounds, count);
        round->results = (char *)round->results + count * result_size;
        if (round->rays != NULL)
            round->rays += count;
        else
            round->points.data = (const char *)round->points.data + count * round->points.stride;
    }
    return SNAG_OK;
}

// ---- closest ----

snag_closest_def snag_default_closest_def(void)
{
    return (snag_closest_def){.cookie = SNAG__COOKIE_CLOSEST, .within = INFINITY};
}

static void answer_closest(const round_of_queries *round, const uint32_t *order, uint32_t count)
{
    snag__probe_closest(round->search, round->closest, round->points, order, count, round->results);
}

static snag_status find_closest(snag_world *world, const snag_closest_def *def, snag_positions points, snag_closest *results,
                                size_t *answered)
{
    snag_status status = check_def(world, "closest", def, def != NULL ? def->cookie : 0, SNAG__COOKIE_CLOSEST);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    if (status == SNAG_OK && !(def->within >= 0))
        status = snag__fail(world, SNAG_ERROR_ARGUMENT, "closest: within is %g: it must be 0 or more", def->within);
    if (status == SNAG_OK)
        status = check_outputs(world, "closest", results, points.count, answered, def->budget_us > 0 || def->progress != NULL);
    if (status == SNAG_OK)
        status = snag__query_check_points(world, "closest", points);
    snag__probe_search search;
    if (status == SNAG_OK)
        status = snag__query_begin(world, "closest", (snag__query_bodies){def->bodies, def->body_count},
                                   (snag__query_needs){.thin = true, .tets = def->sign}, &search);
    if (status != SNAG_OK)
        return status;
    round_of_queries round = {.search = &search, .closest = def, .points = points, .results = results, .answer = answer_closest};
    snag__query_rounds rounds = {
        .name = "closest", .count = points.count, .budget_us = def->budget_us, .progress = def->progress, .context = def->context};
    status = run_rounds(world, &round, &rounds, sizeof *results);
    if (status == SNAG_OK && answered != NULL)
        *answered = rounds.done;
    return status;
}

snag_status snag_world_closest(snag_world *world, const snag_closest_def *def, snag_positions points, snag_closest *results,
                               size_t *answered)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("closest"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_closest(world, def, points, results, answered)) : status;
}

// ---- cast ----

snag_cast_def snag_default_cast_def(void)
{
    return (snag_cast_def){.cookie = SNAG__COOKIE_CAST};
}

static snag__ray ray_of(const round_of_queries *round, uint32_t i)
{
    const snag_ray *ray = &round->rays[i];
    return snag__ray_make(ray->origin, ray->direction, round->cast->segments, ray->limit);
}

static void answer_first(const round_of_queries *round, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        snag__ray ray = ray_of(round, order[i]);
        snag__probe_first_hit(round->search, &ray, (snag_hit *)round->results + order[i]);
    }
}

static void answer_any(const round_of_queries *round, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        snag__ray ray = ray_of(round, order[i]);
        ((uint8_t *)round->results)[order[i]] = snag__probe_any_hit(round->search, &ray);
    }
}

static snag_status cast_rays(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count, void *results,
                             size_t result_size, size_t *answered,
                             void (*answer)(const round_of_queries *round, const uint32_t *order, uint32_t count))
{
    snag_status status = check_def(world, "cast", def, def != NULL ? def->cookie : 0, SNAG__COOKIE_CAST);
    if (status == SNAG_OK)
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
        status = check_outputs(world, "cast", results, count, answered, def->budget_us > 0 || def->progress != NULL);
    if (status == SNAG_OK)
        status = snag__query_check_rays(world, "cast", rays, count, def->segments);
    snag__probe_search search;
    if (status == SNAG_OK)
        status = snag__query_begin(world, "cast", (snag__query_bodies){def->bodies, def->body_count},
                                   (snag__query_needs){.rays = true}, &search);
    if (status != SNAG_OK)
        return status;
    round_of_queries round = {.search = &search, .cast = def, .rays = rays, .results = results, .answer = answer};
    snag__query_rounds rounds = {
        .name = "cast", .count = count, .budget_us = def->budget_us, .progress = def->progress, .context = def->context};
    status = run_rounds(world, &round, &rounds, result_size);
    if (status == SNAG_OK && answered != NULL)
        *answered = rounds.done;
    return status;
}

snag_status snag_world_cast(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count, snag_hit *hits,
                            size_t *answered)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("cast"), &call);
    return status == SNAG_OK
               ? snag__call_end(world, &call, cast_rays(world, def, rays, count, hits, sizeof *hits, answered, answer_first))
               : status;
}

snag_status snag_world_cast_any(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count, uint8_t *any,
                                size_t *answered)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("cast_any"), &call);
    return status == SNAG_OK
               ? snag__call_end(world, &call, cast_rays(world, def, rays, count, any, sizeof *any, answered, answer_any))
               : status;
}

// ---- inside and outside ----

const char *snag_side_name(snag_side side)
{
    static const char *const names[] = {"outside", "inside", "on", "none"};
    return (unsigned)side < sizeof names / sizeof *names ? names[side] : "unknown";
}

static void answer_sides(const round_of_queries *round, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double p[3];
        snag__positions_get(round->points, order[i], p);
        ((snag_side *)round->results)[order[i]] = snag__probe_side(round->search, round->body, p);
    }
}

static void answer_winding(const round_of_queries *round, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double p[3];
        snag__positions_get(round->points, order[i], p);
        ((double *)round->results)[order[i]] =
            snag__probe_winding(round->search, round->body, p, round->boundary, round->boundary_count);
    }
}

// Lists the edges that are walked more often one way than the other.
static bool list_boundary(snag_world *world, round_of_queries *round)
{
    const snag__probe *probe = round->search->probe;
    const snag__mesh *mesh = probe->bodies[round->body].mesh;
    const snag__probe_enclosure *enclosure = snag__probe_enclosure_of(probe, round->body);
    if (enclosure == NULL)
        return true;
    if (!snag__buffer_reserve(&world->method_memory.allocator, &world->queries.boundary, 0, enclosure->unbalanced_edges + 1,
                              sizeof(uint32_t)))
        return false;
    uint32_t *boundary = world->queries.boundary.data;
    for (uint32_t e = 0; e < mesh->edge_count && enclosure->unbalanced_edges > 0; e++)
        if (snag__probe_edge_balance(mesh, e) != 0)
            boundary[round->boundary_count++] = e;
    round->boundary = boundary;
    return true;
}

static snag_status fail_open(snag_world *world, const snag__body *body, const snag__probe_enclosure *enclosure)
{
    if (enclosure == NULL)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "contains: %s has no triangles: it encloses nothing", body->name);
    return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                      "contains: %s is open (%zu edges have an odd number of triangles): it encloses nothing. "
                      "snag_world_winding tells how far it winds around points",
                      body->name, enclosure->open_edges);
}

static snag_status find_sides(snag_world *world, const char *name, snag_body_id id, snag_positions points, void *results,
                              bool winding)
{
    const snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return snag__fail_body(world, id);
    snag_status status = check_outputs(world, name, results, points.count, NULL, false);
    if (status == SNAG_OK)
        status = snag__query_check_points(world, name, points);
    snag__probe_search search;
    if (status == SNAG_OK)
        status = snag__query_begin(world, name, (snag__query_bodies){&id, 1}, (snag__query_needs){.tets = !winding}, &search);
    if (status != SNAG_OK)
        return status;
    round_of_queries round = {.search = &search,
                              .points = points,
                              .results = results,
                              // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
                              .body = search.choice.bodies[0],
                              .answer = winding ? answer_winding : answer_sides};
    if (!winding && !snag__probe_encloses(search.probe, round.body))
        return fail_open(world, body, snag__probe_enclosure_of(search.probe, round.body));
    if (winding && !list_boundary(world, &round))
        return snag__fail_memory(world);
    snag__query_rounds rounds = {.name = name, .count = points.count};
    return run_rounds(world, &round, &rounds, winding ? sizeof(double) : sizeof(snag_side));
}

snag_status snag_world_contains(snag_world *world, snag_body_id body, snag_positions points, snag_side *sides)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("contains"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_sides(world, "contains", body, points, sides, false)) : status;
}

snag_status snag_world_winding(snag_world *world, snag_body_id body, snag_positions points, double *numbers)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("winding"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_sides(world, "winding", body, points, numbers, true)) : status;
}

static snag_status find_enclosure(snag_world *world, snag_body_id id, snag_enclosure *enclosure)
{
    if (enclosure == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "enclosure: the result must not be NULL");
    snag__probe_search search;
    snag_status status = snag__query_begin(world, "enclosure", (snag__query_bodies){&id, 1}, (snag__query_needs){0}, &search);
    if (status != SNAG_OK)
        return status;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
    uint32_t body = search.choice.bodies[0];
    const snag__probe_enclosure *found = snag__probe_enclosure_of(search.probe, body);
    *enclosure = (snag_enclosure){.volume = search.probe->bodies[body].mesh->tet_count > 0,
                                  .closed = snag__probe_is_closed(search.probe, body)};
    if (found != NULL) {
        enclosure->open_edges = found->open_edges;
        enclosure->unbalanced_edges = found->unbalanced_edges;
        enclosure->oriented = found->unbalanced_edges == 0;
    }
    return SNAG_OK;
}

snag_status snag_world_enclosure(snag_world *world, snag_body_id body, snag_enclosure *enclosure)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("enclosure"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_enclosure(world, body, enclosure)) : status;
}
