// Editing a body of a running scene. The world is edited first; then points, elements and force model follow what it has. Masses and the
// force model are built anew from the rest shape, the same as for a new body: a tear is rare beside the substeps between two of them.
#include <stdlib.h>
#include <string.h>

#include "collider.h"

// ---- elements at vertices ----

bool snag__fans_create(snag__fans *fans, const snag_shape *shape, snag__sim_memory *memory)
{
    size_t count, corners;
    const uint32_t *elements = snag__shape_elements(shape, &count, &corners);
    fans->start = snag__sim_new(memory, shape->vertex_count + 2, sizeof *fans->start);
    fans->items = snag__sim_new(memory, count * corners + 1, sizeof *fans->items);
    if (memory->failed)
        return false;
    for (size_t i = 0; i < count * corners; i++)
        fans->start[elements[i] + 2]++;
    for (size_t v = 0; v < shape->vertex_count; v++)
        fans->start[v + 2] += fans->start[v + 1];
    for (size_t i = 0; i < count * corners; i++)
        fans->items[fans->start[elements[i] + 1]++] = (uint32_t)(i / corners);
    return true;
}

static size_t common_vertices(const uint32_t *a, const uint32_t *b, size_t corners)
{
    size_t common = 0;
    for (size_t i = 0; i < corners; i++)
        for (size_t k = 0; k < corners; k++)
            common += a[i] == b[k];
    return common;
}

// Moves the elements that hang together with items[0] to the front; returns how many. Neighbours share an edge, of a volume a face.
static size_t gather_component(uint32_t *items, size_t count, const uint32_t *elements, size_t corners)
{
    size_t done = 1;
    for (size_t from = 0; from < done; from++)
        for (size_t k = done; k < count; k++)
            if (common_vertices(elements + corners * items[from], elements + corners * items[k], corners) == corners - 1) {
                uint32_t found = items[k];
                items[k] = items[done];
                items[done++] = found;
            }
    return done;
}

// ---- what the simulator has of the body ----

// Everything that an edit replaces, made before anything is changed.
typedef struct replacement {
    snag_shape shape;
    snag__sim_memory memory;
    snag__model model;
    void *owner;  // snag__cloth or snag__soft
    double *mass;
    snag__nearest surface;
} replacement;

static bool copy_elements(const uint32_t *from, size_t count, uint32_t **to)
{
    *to = malloc((count + 1) * sizeof **to);
    if (*to != NULL && count > 0)
        memcpy(*to, from, count * sizeof **to);
    return *to != NULL;
}

// Positions of new vertices: of a split edge between those of its ends.
static void mix(const snag_edit_def *edit, const snag_edit_map *map, size_t i, const double (*x)[3], double to[3])
{
    size_t splits = edit->split_vertex_count;
    const double *a = x[map->vertex_from[i]];
    const snag_split_edge *edge = i >= splits ? &edit->split_edges[i - splits] : NULL;
    for (int k = 0; k < 3; k++)
        to[k] = edge != NULL ? (1 - edge->at) * a[k] + edge->at * x[edge->vertex[1]][k] : a[k];
}

static bool make_shape(const snag__body *body, const snag_body_info *info, const snag_edit_def *edit, const snag_edit_map *map,
                       snag_shape *made)
{
    *made = (snag_shape){.vertex_count = info->vertex_count, .triangle_count = info->triangle_count, .tet_count = info->tet_count};
    made->positions = malloc((info->vertex_count + 1) * sizeof(double[3]));
    if (made->positions == NULL || !copy_elements(info->triangles, 3 * info->triangle_count, &made->triangles) ||
        (info->tet_count > 0 && !copy_elements(info->tets, 4 * info->tet_count, &made->tets)))
        return false;
    double(*rest)[3] = (double(*)[3])made->positions;
    memcpy(rest, body->shape.positions, map->first_vertex * sizeof *rest);
    for (size_t i = 0; i < map->vertex_count; i++)
        mix(edit, map, i, (const double(*)[3])rest, rest[map->first_vertex + i]);
    return true;
}

// The rotations found so far are kept: the search for the next starts from them.
static void keep_turns(const snag__soft *old, const snag_edit_map *map, snag__soft *soft)
{
    for (size_t k = 0; k < soft->tet_count; k++) {
        size_t from = k < map->first_element ? k : map->element_from[k - map->first_element];
        memcpy(soft->tets[k].turn, old->tets[from].turn, sizeof old->tets[from].turn);
    }
}

static bool make_model(const snag_sim *sim, const snag_edit_map *map, replacement *r)
{
    r->mass = snag__sim_new(&r->memory, r->shape.vertex_count, sizeof *r->mass);
    if (sim->editing.fabric != NULL) {
        snag__cloth *cloth = r->owner = snag__sim_new(&r->memory, 1, sizeof *cloth);
        if (r->memory.failed || !snag__cloth_create(cloth, &r->shape, sim->editing.fabric, r->mass, &r->memory))
            return false;
        r->model = snag__cloth_model(cloth);
        return true;
    }
    snag__soft *soft = r->owner = snag__sim_new(&r->memory, 1, sizeof *soft);
    if (r->memory.failed || !snag__soft_create(soft, &r->shape, sim->editing.material, r->mass, &r->memory))
        return false;
    keep_turns(sim->parts.items[0].model.self, map, soft);
    r->model = snag__soft_model(soft);
    return true;
}

static bool reserve_points(snag_sim *sim, uint32_t needed)
{
    uint32_t used = sim->system.count, wanted = needed + needed / 2;
    snag__collider *c = sim->collider;
    const struct {
        void *array;
        size_t size;
    } arrays[] = {
        {&c->inverse_mass, sizeof *c->inverse_mass},
        {&c->x, sizeof *c->x},
        {&c->v, sizeof *c->v},
        {&c->touched, sizeof *c->touched},
        {&c->support, sizeof *c->support},
        {&c->planes, sizeof *c->planes},
        {&c->nearest, sizeof *c->nearest},
        {&c->out, sizeof *c->out},
        {&c->inside, sizeof *c->inside},
    };
    if (needed <= sim->editing.capacity || needed <= used)
        return true;
    bool supported = sim->system.support == c->support, planes = sim->system.planes == c->planes;
    bool done =
        wanted > needed && snag__implicit_reserve(&sim->system, wanted, &sim->memory) && snag__scene_reserve_states(sim, wanted);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && done; i++)
        done = snag__sim_grow(&sim->memory, arrays[i].array, used, wanted, arrays[i].size);
    if (supported)
        sim->system.support = c->support;
    if (planes)
        sim->system.planes = c->planes;
    for (size_t b = 0; b < sim->body_count; b++) {
        snag__body *body = &sim->bodies[b];
        if (body->kind < SNAG__RIGID)
            continue;
        body->x = sim->system.x + body->first_point;
        c->bodies[b].positions = body->x[0];
        c->bodies[b].velocities = sim->system.v[body->first_point];
        c->bodies[b].inverse_masses = c->inverse_mass + body->first_point;
        c->surfaces[b].x = (const double(*)[3])body->x;
    }
    sim->editing.capacity = done ? wanted : sim->editing.capacity;
    return done;
}

// The state of new points is that of the vertex they come from.
static void add_points(snag_sim *sim, const snag_edit_def *edit, const snag_edit_map *map)
{
    snag__implicit *system = &sim->system;
    uint32_t first = sim->bodies[sim->editing.body].first_point;
    for (size_t i = 0; i < map->vertex_count; i++) {
        size_t to = first + map->first_vertex + i, from = first + map->vertex_from[i];
        mix(edit, map, i, (const double(*)[3])system->x + first, system->x[to]);
        mix(edit, map, i, (const double(*)[3])system->v + first, system->v[to]);
        system->clearance[to] = system->clearance[from];
        system->hold[to] = SNAG__FREE;
        system->holder[to] = 0;
    }
    system->count = first + (uint32_t)(map->first_vertex + map->vertex_count);
}

static void commit(snag_sim *sim, replacement *r)
{
    snag__body *body = &sim->bodies[sim->editing.body];
    snag__collider *c = sim->collider;
    snag_shape_free(&body->shape);
    body->shape = r->shape;
    body->edits++;
    sim->parts.items[0].model = r->model;
    sim->system.model.point_count = sim->system.count;
    sim->system.model.element_count = r->model.element_count;
    snag__sim_free_all(&sim->editing.memory);
    sim->editing.memory = r->memory;
    memcpy(sim->system.mass + body->first_point, r->mass, body->shape.vertex_count * sizeof *r->mass);
    for (uint32_t i = body->first_point; i < sim->system.count; i++)
        c->inverse_mass[i] = 1 / sim->system.mass[i];
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        c->inverse_mass[sim->system.pins[p].point] = 0;
    c->bodies[sim->editing.body].vertex_count = body->shape.vertex_count;
    if (body->shape.tet_count > 0) {
        c->surfaces[sim->editing.body] = r->surface;
        c->surfaces[sim->editing.body].shape = &body->shape;
    }
}

snag_status snag__scene_edit(snag_sim *sim, const snag_edit_def *edit)
{
    snag__collider *c = sim->collider;
    const snag__body *body = &sim->bodies[sim->editing.body];
    snag_edit_map map;
    snag_body_info info;
    snag_status status = snag__collider_place(sim);
    if (status == SNAG_OK)
        status = snag_world_edit(c->world, c->bodies[sim->editing.body].body, edit, &map);
    if (status == SNAG_OK)
        status = snag_world_body(c->world, c->bodies[sim->editing.body].body, &info);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_world_message(c->world));
    replacement r = {0};
    bool made = info.vertex_count < UINT32_MAX - body->first_point && make_shape(body, &info, edit, &map, &r.shape) &&
                make_model(sim, &map, &r) && reserve_points(sim, body->first_point + (uint32_t)info.vertex_count) &&
                (info.tet_count == 0 || snag__nearest_create(&r.surface, &r.shape, (const double(*)[3])body->x, &r.memory));
    if (!made) {
        // The world has the edit already: what is seen of the scene stays as it was, but it cannot go on.
        snag_shape_free(&r.shape);
        snag__sim_free_all(&r.memory);
        sim->editing.broken = SNAG_ERROR_MEMORY;
        return snag__collider_fail(sim, SNAG_ERROR_MEMORY, "out of memory while a body was torn or cut");
    }
    add_points(sim, edit, &map);
    commit(sim, &r);
    return SNAG_OK;
}

// ---- splitting vertices ----

static snag_status split(snag_sim *sim, const snag_split_vertex *splits, size_t count)
{
    snag_edit_def edit = snag_default_edit_def();
    edit.split_vertices = splits;
    edit.split_vertex_count = count;
    sim->report.splits += count;
    return snag__scene_edit(sim, &edit);
}

static void mark_pinned(const snag_sim *sim, uint8_t *marks)
{
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        marks[sim->system.pins[p].point - sim->bodies[sim->editing.body].first_point] = 1;
}

// Parts of a body that are joined by a single vertex come apart there: a border that was torn from both sides, for instance.
static snag_status split_joints(snag_sim *sim, snag__sim_memory *memory)
{
    const snag_shape *shape = &sim->bodies[sim->editing.body].shape;
    size_t element_count, corners, count = 0;
    const uint32_t *elements = snag__shape_elements(shape, &element_count, &corners);
    snag__fans fans;
    uint8_t *pinned = snag__sim_new(memory, shape->vertex_count, sizeof *pinned);
    snag_split_vertex *splits = snag__sim_new(memory, element_count * corners, sizeof *splits);
    if (memory->failed || !snag__fans_create(&fans, shape, memory))
        return SNAG_ERROR_MEMORY;
    mark_pinned(sim, pinned);
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        uint32_t from = fans.start[v], end = fans.start[v + 1];
        while (!pinned[v] && from < end) {
            uint32_t n = (uint32_t)gather_component(fans.items + from, end - from, elements, corners);
            if (from > fans.start[v])
                splits[count++] = (snag_split_vertex){v, fans.items + from, n};
            from += n;
        }
    }
    return count > 0 ? split(sim, splits, count) : SNAG_OK;
}

// ---- opening the new borders ----

// A new border starts this part of the way towards the middle of its own elements. Too small to be seen; but sides that touch at the start
// of a step may pass through each other in it (snag_response_advance).
#define OPENING 0.05
#define OPENING_TRIALS 8

// Pairs of triangles that touch or cross.
static snag_status count_meeting(snag_sim *sim, size_t *count)
{
    const snag__collider *c = sim->collider;
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *found = NULL;
    ask.output = SNAG_OUTPUT_COUNT;
    ask.filter = &c->filter;
    snag_status status = snag__collider_place(sim);
    if (status == SNAG_OK)
        status = snag_world_ask(c->world, &ask, &found);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_world_message(c->world));
    *count = found->count;
    return SNAG_OK;
}

// For each vertex that was split: the way to the middle of its elements. Zero for all others. False without memory.
static bool find_ways(const snag_sim *sim, const uint8_t *open, double (*way)[3])
{
    const snag__body *body = &sim->bodies[sim->editing.body];
    size_t count, corners;
    const uint32_t *elements = snag__shape_elements(&body->shape, &count, &corners);
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < corners; i++)
            for (size_t k = 0; k < corners && open[elements[corners * e + i]]; k++) {
                double d[3];
                snag__subtract3(body->x[elements[corners * e + k]], body->x[elements[corners * e + i]], d);
                snag__add_scaled3(way[elements[corners * e + i]], 1, d);
            }
    snag__fans fans;
    snag__sim_memory scratch = {0};
    bool made = snag__fans_create(&fans, &body->shape, &scratch);
    if (made)
        for (size_t v = 0; v < body->shape.vertex_count; v++)
            for (int k = 0; k < 3 && fans.start[v + 1] > fans.start[v]; k++)
                way[v][k] /= (double)corners * (fans.start[v + 1] - fans.start[v]);
    snag__sim_free_all(&scratch);
    return made;
}

// Opens by less and less until nothing meets that did not meet before. If all of that meets something, the sides stay where they are.
static snag_status open_borders(snag_sim *sim, const uint8_t *open, size_t met, snag__sim_memory *memory)
{
    const snag__body *body = &sim->bodies[sim->editing.body];
    size_t count = body->shape.vertex_count, meeting = 0;
    double(*way)[3] = snag__sim_new(memory, count, sizeof *way), (*start)[3] = snag__sim_new(memory, count, sizeof *start);
    if (memory->failed)
        return SNAG_ERROR_MEMORY;
    memcpy(start, body->x, count * sizeof *start);
    if (!find_ways(sim, open, way))
        return SNAG_ERROR_MEMORY;
    double part = OPENING;
    for (int trial = 0; trial <= OPENING_TRIALS; trial++, part = trial < OPENING_TRIALS ? part / 2 : 0) {
        for (size_t v = 0; v < count; v++) {
            memcpy(body->x[v], start[v], sizeof start[v]);
            snag__add_scaled3(body->x[v], part, way[v]);
        }
        snag_status status = count_meeting(sim, &meeting);
        if (status != SNAG_OK || meeting <= met)
            return status;
    }
    return SNAG_OK;
}

snag_status snag__scene_split(snag_sim *sim, const snag_split_vertex *splits, size_t count)
{
    snag__sim_memory scratch = {0};
    const snag__body *body = &sim->bodies[sim->editing.body];
    size_t met = 0, before = body->shape.vertex_count;
    if (count == 0)
        return SNAG_OK;
    snag_status status = count_meeting(sim, &met);
    if (status == SNAG_OK)
        status = split(sim, splits, count);
    if (status == SNAG_OK)
        status = split_joints(sim, &scratch);
    uint8_t *open = status == SNAG_OK ? snag__sim_new(&scratch, body->shape.vertex_count, sizeof *open) : NULL;
    if (open != NULL) {
        // New vertices, and those that they lie on.
        const double(*rest)[3] = (const double(*)[3])body->shape.positions;
        for (size_t v = before; v < body->shape.vertex_count; v++) {
            open[v] = 1;
            for (size_t u = 0; u < before; u++)
                if (snag__same3(rest[u], rest[v]) && snag__same3(body->x[u], body->x[v]))
                    open[u] = 1;
        }
        for (uint32_t p = 0; p < sim->system.pin_count; p++)
            open[sim->system.pins[p].point - body->first_point] = 0;
        status = open_borders(sim, open, met, &scratch);
    }
    if (status == SNAG_OK && scratch.failed)
        status = SNAG_ERROR_MEMORY;
    if (status == SNAG_ERROR_MEMORY)
        sim->editing.broken = status;
    snag__sim_free_all(&scratch);
    return status;
}
