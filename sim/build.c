// Shared code of the scene builders: bodies, the system of their points, and their materials.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

// Grows an array by doubling to hold one more item. False: out of memory, nothing changed.
static bool grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    void *old, *grown;
    size_t wanted = *capacity > 0 ? 2 * *capacity : 8;
    memcpy(&old, items, sizeof old);
    grown = realloc(old, wanted * size);
    if (grown == NULL)
        return false;
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

uint32_t snag__scene_cells(uint32_t cells, int dimensions, double size)
{
    return (uint32_t)fmax(floor(cells * pow(size, 1.0 / dimensions) + 0.5), 8);
}

// ---- bodies and points ----

static bool has_points(const snag__body *body)
{
    return body->kind == SNAG__RIGID || body->kind == SNAG__DEFORMING;
}

snag_status snag__scene_add_body(snag_sim *sim, snag__body_kind kind, const char *name, snag_shape *shape)
{
    snag_status status = snag__scene_replace(sim, shape);
    snag__body body = {.name = name, .kind = kind, .shape = *shape};
    *shape = (snag_shape){0};
    if (status != SNAG_OK) {
        snag_shape_free(&body.shape);
        return status;
    }
    if (!grow(&sim->bodies, sim->body_count, &sim->body_capacity, sizeof *sim->bodies)) {
        snag_shape_free(&body.shape);
        return SNAG_ERROR_MEMORY;
    }
    snag__body *added = &sim->bodies[sim->body_count++];
    *added = body;
    if (has_points(added))
        return SNAG_OK;
    added->x = snag__sim_new(&sim->memory, body.shape.vertex_count, sizeof *added->x);
    added->before = snag__sim_new(&sim->memory, body.shape.vertex_count, sizeof *added->before);
    if (sim->memory.failed)
        return SNAG_ERROR_MEMORY;
    memcpy(added->x, body.shape.positions, body.shape.vertex_count * sizeof *added->x);
    memcpy(added->before, body.shape.positions, body.shape.vertex_count * sizeof *added->before);
    return SNAG_OK;
}

// The part of from..to that lies in one model, in the model's numbering; false if there is none.
typedef struct range {
    uint32_t from, to;
} range;

static bool overlap(uint32_t from, uint32_t to, uint32_t first, uint32_t count, range *own)
{
    uint32_t low = from > first ? from : first, high = to < first + count ? to : first + count;
    *own = (range){low - first, high - first};
    return low < high;
}

static void begin_parts(void *self, double h)
{
    const snag__parts *parts = self;
    for (size_t i = 0; i < parts->count; i++)
        parts->items[i].model.begin(parts->items[i].model.self, h);
}

static void prepare_parts(void *self, const double (*x)[3], uint32_t from, uint32_t to)
{
    const snag__parts *parts = self;
    range own;
    for (size_t i = 0; i < parts->count; i++) {
        const snag__part *part = &parts->items[i];
        if (overlap(from, to, part->first_element, part->model.element_count, &own))
            part->model.prepare(part->model.self, x + part->first_point, own.from, own.to);
    }
}

static void linearise_parts(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    const snag__parts *parts = self;
    range own;
    for (size_t i = 0; i < parts->count; i++) {
        uint32_t first = parts->items[i].first_point;
        const snag__model *model = &parts->items[i].model;
        if (overlap(from, to, first, model->point_count, &own))
            model->linearise(model->self, x + first, own.from, own.to, force + first, diagonal + first);
    }
}

static void multiply_parts(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const snag__parts *parts = self;
    range own;
    for (size_t i = 0; i < parts->count; i++) {
        const snag__part *part = &parts->items[i];
        if (overlap(from, to, part->first_point, part->model.point_count, &own))
            part->model.multiply(part->model.self, x + part->first_point, own.from, own.to, y + part->first_point);
    }
}

static double energy_of_parts(const void *self, const double (*x)[3])
{
    const snag__parts *parts = self;
    double sum = 0;
    for (size_t i = 0; i < parts->count; i++)
        sum += parts->items[i].model.energy(parts->items[i].model.self, x + parts->items[i].first_point);
    return sum;
}

snag_status snag__scene_assemble(snag_sim *sim)
{
    size_t points = 0, rigids = 0;
    for (size_t b = 0; b < sim->body_count; b++) {
        snag__body *body = &sim->bodies[b];
        body->first_point = (uint32_t)points;
        points += has_points(body) ? body->shape.vertex_count : 0;
        rigids += body->kind == SNAG__RIGID;
    }
    if (points > UINT32_MAX)
        return SNAG_ERROR_SIZE;
    snag__implicit *system = &sim->system;
    sim->rigids.items = snag__sim_new(&sim->memory, rigids, sizeof *sim->rigids.items);
    if (!snag__implicit_create(system, (uint32_t)points, &sim->memory))
        return SNAG_ERROR_MEMORY;
    for (size_t b = 0; b < sim->body_count; b++) {
        snag__body *body = &sim->bodies[b];
        if (!has_points(body))
            continue;
        body->x = system->x + body->first_point;
        memcpy(body->x, body->shape.positions, body->shape.vertex_count * sizeof *body->x);
    }
    system->model = (snag__model){.self = &sim->parts,
                                  .point_count = (uint32_t)points,
                                  .begin = begin_parts,
                                  .prepare = prepare_parts,
                                  .linearise = linearise_parts,
                                  .multiply = multiply_parts,
                                  .energy = energy_of_parts};
    system->obstacles = sim->obstacles;
    system->gravity = 9.81;
    system->drag = 0.3;
    system->tolerance = 1e-2;
    system->max_iterations = 200;
    sim->contact = (snag__contact_rules){
        .response = SNAG_SIM_RESPONSE_CONTACTS, .friction = 0.3, .self = true, .iterations = 8, .correction = 1};
    return SNAG_OK;
}

// ---- materials ----

snag_status snag__scene_add_model(snag_sim *sim, const snag__model *model, uint32_t first_point)
{
    snag__parts *parts = &sim->parts;
    if (!grow(&parts->items, parts->count, &parts->capacity, sizeof *parts->items))
        return SNAG_ERROR_MEMORY;
    parts->items[parts->count++] = (snag__part){*model, first_point, sim->system.model.element_count};
    sim->system.model.element_count += model->element_count;
    return SNAG_OK;
}

snag_status snag__scene_weave(snag_sim *sim, size_t body, const snag__fabric *fabric)
{
    const snag__body *sheet = &sim->bodies[body];
    snag__cloth *cloth = snag__sim_new(&sim->memory, 1, sizeof *cloth);
    if (cloth == NULL || !snag__cloth_create(cloth, &sheet->shape, fabric, sim->system.mass + sheet->first_point, &sim->memory))
        return SNAG_ERROR_MEMORY;
    snag__model model = snag__cloth_model(cloth);
    return snag__scene_add_model(sim, &model, sheet->first_point);
}

snag_status snag__scene_fill(snag_sim *sim, size_t body, const snag__material *material)
{
    snag__body *volume = &sim->bodies[body];
    snag__soft *soft = snag__sim_new(&sim->memory, 1, sizeof *soft);
    if (soft == NULL || (volume->shape.triangle_count == 0 && !snag__soft_surface(&volume->shape)) ||
        !snag__soft_create(soft, &volume->shape, material, sim->system.mass + volume->first_point, &sim->memory))
        return SNAG_ERROR_MEMORY;
    snag__model model = snag__soft_model(soft);
    return snag__scene_add_model(sim, &model, volume->first_point);
}

snag_status snag__scene_cast(snag_sim *sim, size_t body, double mass)
{
    const snag__body *cast = &sim->bodies[body];
    size_t count = cast->shape.vertex_count;
    for (size_t i = 0; i < count; i++)
        sim->system.mass[cast->first_point + i] = mass / (double)count;
    // Obstacles stop a rigid body as a whole (snag__rigid_meet), not its points one by one.
    for (size_t i = 0; i < count; i++)
        sim->system.clearance[cast->first_point + i] = -HUGE_VAL;
    bool made = snag__rigid_create(&sim->rigids.items[sim->rigids.count], cast->first_point, (uint32_t)count,
                                   (const double(*)[3])sim->system.x, sim->system.mass, &sim->memory);
    sim->rigids.count += made;
    return made ? SNAG_OK : SNAG_ERROR_MEMORY;
}

void snag__scene_add_obstacle(snag_sim *sim, const snag__obstacle *obstacle)
{
    if (sim->system.obstacle_count < SNAG__MAX_SCENE_OBSTACLES)
        sim->obstacles[sim->system.obstacle_count++] = *obstacle;
}

snag_status snag__scene_pin(snag_sim *sim, uint32_t count)
{
    sim->system.pins = snag__sim_new(&sim->memory, count, sizeof *sim->system.pins);
    sim->system.pin_count = sim->system.pins != NULL ? count : 0;
    return sim->system.pins != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
}

// ---- element size ----

// The edges of `count` elements of `corners` vertices each.
static void add_edges(const double *x, const uint32_t *elements, size_t count, size_t corners, double *sum, size_t *edges)
{
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < corners; i++)
            for (size_t j = i + 1; j < corners; j++) {
                double d[3];
                snag__subtract3(x + 3 * (size_t)elements[corners * e + i], x + 3 * (size_t)elements[corners * e + j], d);
                *sum += snag__length3(d);
                ++*edges;
            }
}

double snag__scene_mean_edge(const snag_sim *sim)
{
    double sum = 0;
    size_t edges = 0;
    for (size_t b = 0; b < sim->body_count; b++) {
        const snag_shape *shape = &sim->bodies[b].shape;
        if (sim->bodies[b].kind == SNAG__STILL || (sim->bodies[b].kind == SNAG__DRIVEN && sim->system.count > 0))
            continue;
        if (shape->tet_count > 0)
            add_edges(shape->positions, shape->tets, shape->tet_count, 4, &sum, &edges);
        else
            add_edges(shape->positions, shape->triangles, shape->triangle_count, 3, &sum, &edges);
    }
    return edges > 0 ? sum / (double)edges : 0;
}

// ---- validation ----

snag_status snag__scene_blame(snag_sim *sim, snag_status status, uint32_t point, const char *what)
{
    for (size_t b = 0; b < sim->body_count; b++) {
        const snag__body *body = &sim->bodies[b];
        if (has_points(body) && point >= body->first_point && point - body->first_point < body->shape.vertex_count)
            snprintf(sim->message, sizeof sim->message, "%s: vertex %u %s", body->name, (unsigned)(point - body->first_point),
                     what);
    }
    return status;
}

static int compare_pins(const void *a, const void *b)
{
    const snag__pin *p = *(const snag__pin *const *)a, *q = *(const snag__pin *const *)b;
    return (p->point > q->point) - (p->point < q->point);
}

static snag_status check_pins(snag_sim *sim)
{
    const snag__implicit *system = &sim->system;
    snag__sim_memory scratch = {0};
    const snag__pin **pins = snag__sim_new(&scratch, (size_t)system->pin_count + 1, sizeof *pins);
    if (pins == NULL)
        return SNAG_ERROR_MEMORY;
    for (uint32_t p = 0; p < system->pin_count; p++)
        pins[p] = &system->pins[p];
    qsort(pins, system->pin_count, sizeof *pins, compare_pins);
    snag_status status = SNAG_OK;
    uint32_t held = 0;
    for (uint32_t p = 0; p < system->pin_count && status == SNAG_OK; p++) {
        bool again = p > 0 && pins[p]->point == pins[p - 1]->point;
        held += !again;
        if (pins[p]->point >= system->count) {
            status = SNAG_ERROR_INDEX;
            snprintf(sim->message, sizeof sim->message, "pin %u: no point %u", (unsigned)p, (unsigned)pins[p]->point);
        } else if (again && !snag__same3(pins[p]->target, pins[p - 1]->target)) {
            status = snag__scene_blame(sim, SNAG_ERROR_ARGUMENT, pins[p]->point, "is pinned to two positions");
        }
    }
    if (status == SNAG_OK && held > 0 && held == system->count) {
        status = SNAG_ERROR_ARGUMENT;
        snprintf(sim->message, sizeof sim->message, "every point is pinned: nothing can move");
    }
    snag__sim_free_all(&scratch);
    return status;
}

snag_status snag__scene_check(snag_sim *sim)
{
    const snag__implicit *system = &sim->system;
    for (uint32_t i = 0; i < system->count; i++) {
        if (!(system->mass[i] > 0) || isinf(system->mass[i]))
            return snag__scene_blame(sim, SNAG_ERROR_ARGUMENT, i, "has no mass");
        if (!isfinite(snag__length3(system->x[i])))
            return snag__scene_blame(sim, SNAG_ERROR_NOT_FINITE, i, "is not finite");
    }
    return check_pins(sim);
}
