// Queries with any number of results: all hits of rays, and bodies or triangles that meet boxes and spheres.
//
// Each task writes into a buffer of its own. One that is full only counts; its task runs again when there is room, since nothing
// allocates while tasks run.
#include "world/world.h"

#include <math.h>
#include <string.h>

typedef struct list_round list_round;

// Answers query i with at most `capacity` items. Returns how many there are; those that fit must be right only if all do.
typedef size_t list_answer(const list_round *round, size_t i, void *room, void *items, size_t capacity);

struct list_round {
    const snag__probe_search *search;
    const snag_cast_def *cast;
    const snag_overlap_def *overlap;
    const snag_ray *rays;
    const snag_box *boxes;
    const snag_sphere *spheres;
    list_answer *answer;
    size_t item_size, room_size;  // of one result, and of what it needs meanwhile
    snag__buffer *found, *rooms;  // by task
    size_t capacity[SNAG__QUERY_TASKS], wanted[SNAG__QUERY_TASKS];  // items
    bool run[SNAG__QUERY_TASKS];
    size_t first;  // query of the round
    size_t *counts;  // by query of the round
    uint32_t count, size;  // size: of a task
};

static void answer_some(void *context, uint32_t task)
{
    list_round *round = context;
    if (!round->run[task])
        return;
    snag__range range = snag__task_range(0, round->count, round->size, task);
    size_t used = 0;
    for (uint32_t i = range.first; i < range.last; i++) {
        size_t left = used < round->capacity[task] ? round->capacity[task] - used : 0;
        char *items = left > 0 ? (char *)round->found[task].data + used * round->item_size : NULL;
        round->counts[i] = round->answer(round, round->first + i, round->rooms[task].data, items, left);
        used += round->counts[i];
    }
    round->wanted[task] = used;
}

static bool reserve_task(snag_world *world, list_round *round, uint32_t task, size_t items)
{
    const snag_allocator *allocator = &world->method_memory.allocator;
    if (!snag__buffer_reserve(allocator, &round->found[task], 0, items, round->item_size) ||
        !snag__buffer_reserve(allocator, &round->rooms[task], 0, items, round->room_size))
        return false;
    size_t found = round->found[task].bytes / round->item_size, rooms = round->rooms[task].bytes / round->room_size;
    round->capacity[task] = found < rooms ? found : rooms;
    return true;
}

// Runs the tasks of a round until all results have room.
static bool run_round(snag_world *world, list_round *round)
{
    uint32_t tasks = snag__task_count(round->count, round->size);
    SNAG__ASSERT(tasks <= SNAG__QUERY_TASKS);
    for (uint32_t i = 0; i < tasks; i++) {
        round->run[i] = true;
        if (!reserve_task(world, round, i, round->size))
            return false;
    }
    for (bool again = true; again;) {
        snag__parallel_for(&world->parallel, tasks, answer_some, round);
        again = false;
        for (uint32_t i = 0; i < tasks; i++) {
            round->run[i] = round->wanted[i] > round->capacity[i];
            again |= round->run[i];
            if (round->run[i] && !reserve_task(world, round, i, round->wanted[i]))
                return false;
        }
    }
    return true;
}

// Appends the results of a round to the lists.
static bool append_round(snag_world *world, const list_round *round, snag__buffer *items, snag__buffer *start, size_t *total)
{
    const snag_allocator *allocator = &world->answer_memory.allocator;
    uint32_t tasks = snag__task_count(round->count, round->size);
    size_t more = 0;
    for (uint32_t i = 0; i < tasks; i++)
        more += round->wanted[i];
    if (!snag__buffer_reserve(allocator, items, *total, *total + more + 1, round->item_size) ||
        !snag__buffer_reserve(allocator, start, round->first + 1, round->first + round->count + 1, sizeof(size_t)))
        return false;
    size_t *starts = start->data;
    starts[round->first] = *total;
    for (uint32_t i = 0; i < round->count; i++)
        starts[round->first + i + 1] = starts[round->first + i] + round->counts[i];
    for (uint32_t i = 0; i < tasks; i++) {
        if (round->wanted[i] > 0)
            memcpy((char *)items->data + *total * round->item_size, round->found[i].data, round->wanted[i] * round->item_size);
        *total += round->wanted[i];
    }
    SNAG__ASSERT(starts[round->first + round->count] == *total);
    return true;
}

static snag_status run_rounds(snag_world *world, list_round *round, snag__query_rounds *rounds, snag__buffer *items,
                              snag__buffer *start)
{
    snag__queries *queries = &world->queries;
    size_t total = 0;
    round->found = queries->found;
    round->rooms = queries->rooms;
    rounds->started_us = snag__clock_now(&world->clock);
    if (!snag__buffer_reserve(&world->answer_memory.allocator, start, 0, 1, sizeof(size_t)) ||
        !snag__buffer_reserve(&world->answer_memory.allocator, items, 0, 1, round->item_size))
        return snag__fail_memory(world);
    *(size_t *)start->data = 0;
    for (size_t count; (count = snag__query_next_round(world, rounds)) > 0;) {
        const snag__room rooms[] = {{&queries->counts, &round->counts, count, sizeof *round->counts}};
        round->first = rounds->done;
        round->count = (uint32_t)count;
        round->size = snag__query_task_size(world, count);
        if (!snag__rooms_reserve(&world->method_memory.allocator, rooms, 1) || !run_round(world, round) ||
            !append_round(world, round, items, start, &total))
            return snag__fail_memory(world);
        snag__query_end_round(world, rounds, count);
    }
    return SNAG_OK;
}

// ---- all hits ----

static size_t answer_hits(const list_round *round, size_t i, void *room, void *items, size_t capacity)
{
    const snag_ray *ray = &round->rays[i];
    snag__ray made = snag__ray_make(ray->origin, ray->direction, round->cast->segments, ray->limit);
    return snag__probe_all_hits(round->search, &made, room, items, capacity);
}

static snag_status cast_all(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count,
                            const snag_hit_lists **lists)
{
    snag__queries *queries = &world->queries;
    snag__probe_search search;
    if (def == NULL || lists == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "cast_all: def and lists must not be NULL");
    if (def->cookie != SNAG__COOKIE_CAST)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "cast_all: the def was not made by snag_default_cast_def of this version: start from that");
    snag_status status = snag__query_check_rays(world, "cast_all", rays, count, def->segments);
    if (status == SNAG_OK)
        status = snag__query_begin(world, "cast_all", (snag__query_bodies){def->bodies, def->body_count},
                                   (snag__query_needs){.rays = true}, &search);
    if (status != SNAG_OK)
        return status;
    list_round round = {.search = &search,
                        .cast = def,
                        .rays = rays,
                        .answer = answer_hits,
                        .item_size = sizeof(snag_hit),
                        .room_size = snag__probe_hit_size()};
    snag__query_rounds rounds = {
        .name = "cast_all", .count = count, .budget_us = def->budget_us, .progress = def->progress, .context = def->context};
    status = run_rounds(world, &round, &rounds, &queries->hits, &queries->hit_start);
    if (status != SNAG_OK)
        return status;
    queries->hit_lists = (snag_hit_lists){queries->hit_start.data, queries->hits.data, rounds.done};
    *lists = &queries->hit_lists;
    return SNAG_OK;
}

snag_status snag_world_cast_all(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count,
                                const snag_hit_lists **lists)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("cast_all"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, cast_all(world, def, rays, count, lists)) : status;
}

// ---- boxes and spheres ----

snag_overlap_def snag_default_overlap_def(void)
{
    return (snag_overlap_def){.cookie = SNAG__COOKIE_OVERLAP};
}

static snag__probe_shape shape_of_box(const snag_box *box)
{
    snag__probe_shape shape = {0};
    for (int k = 0; k < 3; k++) {
        shape.lo[k] = box->lo[k];
        shape.hi[k] = box->hi[k];
        shape.centre[k] = box->lo[k];  // any point of it: where it meets no triangle all are on one side
    }
    return shape;
}

static snag__probe_shape shape_of_sphere(const snag_sphere *sphere)
{
    snag__probe_shape shape = {.radius = sphere->radius, .is_ball = true};
    for (int k = 0; k < 3; k++) {
        shape.centre[k] = sphere->centre[k];
        shape.lo[k] = nextafter(sphere->centre[k] - sphere->radius, -INFINITY);
        shape.hi[k] = nextafter(sphere->centre[k] + sphere->radius, INFINITY);
    }
    return shape;
}

static size_t answer_overlaps(const list_round *round, size_t i, void *room, void *items, size_t capacity)
{
    (void)room;
    snag__probe_shape shape = round->boxes != NULL ? shape_of_box(&round->boxes[i]) : shape_of_sphere(&round->spheres[i]);
    return snag__probe_overlap(round->search, &shape, round->overlap->elements, items, capacity);
}

static bool is_finite(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static snag_status check_shapes(snag_world *world, const char *name, const snag_box *boxes, const snag_sphere *spheres,
                                size_t count)
{
    if (count > 0 && boxes == NULL && spheres == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: the list of shapes is NULL, and its count is %zu", name, count);
    for (size_t i = 0; i < count; i++) {
        if (boxes != NULL ? !is_finite(boxes[i].lo) || !is_finite(boxes[i].hi)
                          : !is_finite(spheres[i].centre) || !isfinite(spheres[i].radius))
            return snag__fail(world, SNAG_ERROR_NOT_FINITE, "%s: %s %zu is not finite", name, boxes != NULL ? "box" : "sphere", i);
        for (int k = 0; k < 3 && boxes != NULL; k++)
            if (boxes[i].lo[k] > boxes[i].hi[k])
                return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: box %zu has lo above hi along %c", name, i, "xyz"[k]);
        if (boxes == NULL && spheres[i].radius < 0)
            return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: sphere %zu has the radius %g: it must be 0 or more", name, i,
                              spheres[i].radius);
    }
    return SNAG_OK;
}

static snag_status find_overlaps(snag_world *world, const char *name, const snag_overlap_def *def, const snag_box *boxes,
                                 const snag_sphere *spheres, size_t count, const snag_overlap_lists **lists)
{
    snag__queries *queries = &world->queries;
    snag__probe_search search;
    if (def == NULL || lists == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "%s: def and lists must not be NULL", name);
    if (def->cookie != SNAG__COOKIE_OVERLAP)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "%s: the def was not made by snag_default_overlap_def of this version: start from that", name);
    snag_status status = check_shapes(world, name, boxes, spheres, count);
    if (status == SNAG_OK)
        status = snag__query_begin(world, name, (snag__query_bodies){def->bodies, def->body_count},
                                   (snag__query_needs){.tets = true}, &search);
    if (status != SNAG_OK)
        return status;
    list_round round = {.search = &search,
                        .overlap = def,
                        .boxes = boxes,
                        .spheres = spheres,
                        .answer = answer_overlaps,
                        .item_size = sizeof(snag_overlap),
                        .room_size = 1};
    snag__query_rounds rounds = {
        .name = name, .count = count, .budget_us = def->budget_us, .progress = def->progress, .context = def->context};
    status = run_rounds(world, &round, &rounds, &queries->overlaps, &queries->overlap_start);
    if (status != SNAG_OK)
        return status;
    queries->overlap_lists = (snag_overlap_lists){queries->overlap_start.data, queries->overlaps.data, rounds.done};
    *lists = &queries->overlap_lists;
    return SNAG_OK;
}

snag_status snag_world_overlap_boxes(snag_world *world, const snag_overlap_def *def, const snag_box *boxes, size_t count,
                                     const snag_overlap_lists **lists)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("overlap_boxes"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_overlaps(world, "overlap_boxes", def, boxes, NULL, count, lists))
                             : status;
}

snag_status snag_world_overlap_spheres(snag_world *world, const snag_overlap_def *def, const snag_sphere *spheres, size_t count,
                                       const snag_overlap_lists **lists)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("overlap_spheres"), &call);
    return status == SNAG_OK
               ? snag__call_end(world, &call, find_overlaps(world, "overlap_spheres", def, NULL, spheres, count, lists))
               : status;
}
