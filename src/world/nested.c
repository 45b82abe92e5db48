// Bodies that lie wholly inside others: snag_world_nested.
//
// A lies inside B if every vertex of A does, and no edge of either meets a triangle of the other. Two surfaces that meet have an edge of one
// that meets a triangle of the other, so that nothing else has to be tested.
#include "world/world.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { ITEMS_OF_A_TASK = 256 };

typedef struct pair_test {
    snag__probe_search of_a, of_b;  // searches in one body alone
    uint32_t a, b;
    const snag__mesh *rows;  // whose vertices or edges are tested
    const snag__probe_search *against;
    atomic_bool apart;  // no longer "inside": other tasks need not go on
    snag_closest *depths;  // by vertex
} pair_test;

static void test_vertices(void *context, uint32_t task)
{
    pair_test *t = context;
    snag__range range = snag__task_range(0, t->rows->vertex_count, ITEMS_OF_A_TASK, task);
    for (uint32_t v = range.first; v < range.last && !atomic_load(&t->apart); v++)
        if (t->rows->vertex_used[v] && snag__probe_side(t->against, t->b, t->rows->x_t1[v]) != SNAG_SIDE_INSIDE)
            atomic_store(&t->apart, true);
}

static void test_edges(void *context, uint32_t task)
{
    pair_test *t = context;
    snag__range range = snag__task_range(0, t->rows->edge_count, ITEMS_OF_A_TASK, task);
    for (uint32_t e = range.first; e < range.last && !atomic_load(&t->apart); e++) {
        const double *from = t->rows->x_t1[t->rows->edges[e][0]], *to = t->rows->x_t1[t->rows->edges[e][1]];
        if (from[0] == to[0] && from[1] == to[1] && from[2] == to[2])
            continue;  // a point: its vertex was tested
        snag__ray ray = snag__ray_make(from, to, true, 1);
        if (snag__probe_any_hit(t->against, &ray))
            atomic_store(&t->apart, true);
    }
}

static void measure_depths(void *context, uint32_t task)
{
    pair_test *t = context;
    snag__range range = snag__task_range(0, t->rows->vertex_count, ITEMS_OF_A_TASK, task);
    const snag_closest_def def = snag_default_closest_def();
    snag_positions points = snag_positions_f64(&t->rows->x_t1[0][0], t->rows->vertex_count);
    for (uint32_t v = range.first; v < range.last; v++)
        if (t->rows->vertex_used[v])
            snag__probe_closest(t->against, &def, points, &v, 1, t->depths);
}

static bool run(snag_world *world, pair_test *t, const snag__mesh *rows, const snag__probe_search *against, uint32_t count,
                snag__task *task)
{
    t->rows = rows;
    t->against = against;
    snag__parallel_for(&world->parallel, snag__task_count(count, ITEMS_OF_A_TASK), task, t);
    return !atomic_load(&t->apart);
}

static bool is_inside(snag_world *world, pair_test *t)
{
    const snag__probe *probe = t->of_a.probe;
    const snag__mesh *a = probe->bodies[t->a].mesh, *b = probe->bodies[t->b].mesh;
    return run(world, t, a, &t->of_b, a->vertex_count, test_vertices) && run(world, t, a, &t->of_b, a->edge_count, test_edges) &&
           run(world, t, b, &t->of_a, b->edge_count, test_edges);
}

static void measure(snag_world *world, pair_test *t, snag_nested *nested)
{
    const snag__probe *probe = t->of_a.probe;
    const snag__mesh *a = probe->bodies[t->a].mesh;
    run(world, t, a, &t->of_b, a->vertex_count, measure_depths);
    *nested = (snag_nested){.inner = probe->bodies[t->a].id, .outer = probe->bodies[t->b].id, .gap = INFINITY, .depth = -1};
    for (uint32_t v = 0; v < a->vertex_count; v++) {
        if (!a->vertex_used[v])
            continue;
        double distance = t->depths[v].distance;
        nested->gap = distance < nested->gap ? distance : nested->gap;
        if (distance > nested->depth) {
            nested->depth = distance;
            nested->deepest = v;
        }
    }
}

// ---- boxes first: most worlds have no body in the box of another that encloses anything, and then need no trees ----

typedef struct body_box {
    snag__body *body;
    double lo[3], hi[3];
    bool any;
} body_box;

static body_box box_of(snag__body *body)
{
    const snag__mesh *mesh = &body->mesh;
    body_box box = {body, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false};
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->vertex_used[v]) {
            box.any = true;
            for (int k = 0; k < 3; k++) {
                box.lo[k] = mesh->x_t1[v][k] < box.lo[k] ? mesh->x_t1[v][k] : box.lo[k];
                box.hi[k] = mesh->x_t1[v][k] > box.hi[k] ? mesh->x_t1[v][k] : box.hi[k];
            }
        }
    return box;
}

static bool is_within(const body_box *a, const body_box *b)
{
    for (int k = 0; k < 3; k++)
        if (!(a->lo[k] > b->lo[k] && a->hi[k] < b->hi[k]))
            return false;
    return a->any && b->any;
}

static bool encloses(snag__body *body)
{
    if (body->encloses_topology != body->topology) {
        const snag__mesh *mesh = &body->mesh;
        body->encloses = mesh->tet_count > 0 || (mesh->triangle_count > 0 && snag__probe_enclosure_by(mesh).open_edges == 0);
        body->encloses_topology = body->topology;
    }
    return body->encloses;
}

// Whether the box of any body lies within that of another which encloses something. False without memory too.
static bool any_box_is_within(snag_world *world, body_box **out, bool *no_memory)
{
    const snag__entry *entries = world->entries.data;
    body_box *boxes;
    const snag__room rooms[] = {{&world->queries.counts, &boxes, world->body_count + 1u, sizeof *boxes}};
    *no_memory = !snag__rooms_reserve(&world->method_memory.allocator, rooms, 1);
    if (*no_memory)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->entry_count; i++)
        if (entries[i].body != NULL)
            boxes[count++] = box_of(entries[i].body);
    *out = boxes;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            if (a != b && is_within(&boxes[a], &boxes[b]) && encloses(boxes[b].body))
                return true;
    return false;
}

static snag_status find_nested(snag_world *world, const snag_nested **nested, size_t *count)
{
    if (nested == NULL || count == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "nested: the results must not be NULL");
    snag__queries *queries = &world->queries;
    bool no_memory = false;
    body_box *boxes = NULL;
    *nested = queries->nested.data;
    *count = 0;
    if (!any_box_is_within(world, &boxes, &no_memory) && (no_memory || world->source_count == 0))
        return no_memory ? snag__fail_memory(world) : SNAG_OK;
    snag__probe_search search;
    snag_status status =
        snag__query_begin(world, "nested", (snag__query_bodies){0}, (snag__query_needs){.thin = true, .tets = true}, &search);
    if (status != SNAG_OK)
        return status;
    const snag__probe *probe = search.probe;
    size_t found = 0;
    for (uint32_t a = 0; a < probe->body_count; a++)
        for (uint32_t b = 0; b < probe->body_count; b++) {
            if (a == b || !is_within(&boxes[a], &boxes[b]) || !snag__probe_encloses(probe, b))
                continue;
            pair_test t = {.of_a = search, .of_b = search, .a = a, .b = b};
            t.of_a.choice = (snag__probe_choice){&t.a, 1};
            t.of_b.choice = (snag__probe_choice){&t.b, 1};
            const snag__room rooms[] = {{&queries->results, &t.depths, probe->bodies[a].mesh->vertex_count + 1u, sizeof *t.depths}};
            if (!is_inside(world, &t))
                continue;
            if (!snag__rooms_reserve(&world->method_memory.allocator, rooms, 1) ||
                !snag__buffer_reserve(&world->answer_memory.allocator, &queries->nested, found, found + 1, sizeof **nested))
                return snag__fail_memory(world);
            measure(world, &t, (snag_nested *)queries->nested.data + found++);
        }
    *nested = queries->nested.data;
    *count = found;
    return SNAG_OK;
}

snag_status snag_world_nested(snag_world *world, const snag_nested **nested, size_t *count)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("nested"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, find_nested(world, nested, count)) : status;
}
