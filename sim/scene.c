// The table of scenes, and how any of them runs: frames cut into substeps, and substeps cut again where one explodes.
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snag__scene scenes[] = {
    {"cloth-ball", "a square cloth falls over a ball, drapes to the floor and folds onto itself", SNAG__FRAME, 6, 300,
     snag__build_cloth_ball, NULL},
    {"cloth-twist", "a cloth is wrung around a thin rod: its two ends turn against each other", SNAG__FRAME, 6, 300,
     snag__build_cloth_twist, snag__drive_cloth_twist},
    {"soft-blocks", "soft blocks of tetrahedra fall onto each other and press into each other a little", SNAG__FRAME, 5,
     120, snag__build_soft_blocks, NULL},
};
#define SCENE_COUNT (sizeof scenes / sizeof *scenes)

// Twenty million triangles: what is larger fills the memory of a machine without being a scene any more.
#define MAX_SIZE 1000

// A substep is cut in half at most so many times.
#define MAX_HALVINGS 8

snag_sim_def snag_default_sim_def(void)
{
    return (snag_sim_def){.scene = scenes[0].name, .size = 1, .seed = 1};
}

const char *snag_sim_scene_name(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].name : NULL;
}

const char *snag_sim_scene_words(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].words : NULL;
}

// ---- keeping a state to go back to ----

typedef struct snag__kept_state {
    double time;
    double (*x)[3];
    double (*v)[3];
    uint8_t *hold, *holder;
} kept_state;

static kept_state *kept_state_create(snag_sim *sim)
{
    size_t count = sim->system.count;
    kept_state *kept = snag__sim_new(&sim->memory, 1, sizeof *kept);
    if (kept == NULL)
        return NULL;
    kept->x = snag__sim_new(&sim->memory, count, sizeof *kept->x);
    kept->v = snag__sim_new(&sim->memory, count, sizeof *kept->v);
    kept->hold = snag__sim_new(&sim->memory, count, sizeof *kept->hold);
    kept->holder = snag__sim_new(&sim->memory, count, sizeof *kept->holder);
    return kept;
}

static void keep(const snag_sim *sim, kept_state *kept)
{
    const snag__implicit *system = &sim->system;
    kept->time = sim->time;
    memcpy(kept->x, system->x, system->count * sizeof *kept->x);
    memcpy(kept->v, system->v, system->count * sizeof *kept->v);
    memcpy(kept->hold, system->hold, system->count * sizeof *kept->hold);
    memcpy(kept->holder, system->holder, system->count * sizeof *kept->holder);
}

static void go_back(snag_sim *sim, const kept_state *kept)
{
    snag__implicit *system = &sim->system;
    sim->time = kept->time;
    memcpy(system->x, kept->x, system->count * sizeof *kept->x);
    memcpy(system->v, kept->v, system->count * sizeof *kept->v);
    memcpy(system->hold, kept->hold, system->count * sizeof *kept->hold);
    memcpy(system->holder, kept->holder, system->count * sizeof *kept->holder);
}

// ---- running ----

static const snag__scene *find_scene(const char *name)
{
    for (size_t i = 0; name != NULL && i < SCENE_COUNT; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    return NULL;
}

snag_status snag_sim_create(const snag_sim_def *def, snag_sim **sim)
{
    if (sim == NULL)
        return SNAG_ERROR_ARGUMENT;
    *sim = NULL;
    const snag__scene *scene = def != NULL ? find_scene(def->scene) : NULL;
    if (scene == NULL || !(def->size > 0) || isinf(def->size))
        return SNAG_ERROR_ARGUMENT;
    if (def->size > MAX_SIZE)
        return SNAG_ERROR_SIZE;
    snag_sim *made = calloc(1, sizeof *made);
    if (made == NULL)
        return SNAG_ERROR_MEMORY;
    made->scene = scene;
    snag_status status = scene->build(made, def);
    if (status == SNAG_OK && scene->drive != NULL)
        scene->drive(made, 0);
    if (status == SNAG_OK)
        status = snag__scene_check(made);
    if (status == SNAG_OK) {
        made->frame_start = kept_state_create(made);
        made->substep_start = kept_state_create(made);
        status = made->memory.failed ? SNAG_ERROR_MEMORY : SNAG_OK;
    }
    if (status != SNAG_OK) {
        snag_sim_destroy(made);
        return status;
    }
    *sim = made;
    return SNAG_OK;
}

void snag_sim_destroy(snag_sim *sim)
{
    if (sim == NULL)
        return;
    for (size_t i = 0; i < sim->body_count; i++)
        snag_shape_free(&sim->bodies[i].shape);
    free(sim->bodies);
    free(sim->parts.items);
    snag__sim_free_all(&sim->memory);
    free(sim);
}

static void drive(snag_sim *sim, double time)
{
    if (sim->scene->drive == NULL)
        return;
    for (size_t b = 0; b < sim->body_count; b++) {
        snag__body *body = &sim->bodies[b];
        if (body->kind == SNAG__DRIVEN)
            memcpy(body->before, body->x, body->shape.vertex_count * sizeof *body->x);
    }
    sim->scene->drive(sim, time);
}

static void keep_shapes(snag_sim *sim)
{
    snag__implicit *system = &sim->system;
    for (size_t r = 0; r < sim->rigids.count; r++) {
        snag__rigid_velocities(&sim->rigids.items[r], (const double(*)[3])system->x, system->mass, system->v);
        snag__rigid_positions(&sim->rigids.items[r], system->mass, system->x);
    }
}

static bool substep(snag_sim *sim, double h)
{
    drive(sim, sim->time + h);
    if (!snag__implicit_step(&sim->system, h))
        return false;
    keep_shapes(sim);
    sim->time += h;
    return true;
}

// What is driven goes back too.
static void take_back(snag_sim *sim, const kept_state *kept)
{
    go_back(sim, kept);
    if (sim->scene->drive != NULL)
        sim->scene->drive(sim, sim->time);
}

static snag_status give_up(snag_sim *sim)
{
    char what[80];
    snprintf(what, sizeof what, "explodes in step %llu, however short its parts are", (unsigned long long)sim->step + 1);
    take_back(sim, sim->frame_start);
    return snag__scene_blame(sim, SNAG_ERROR_NOT_FINITE, sim->system.exploded, what);
}

// Time is counted in ticks, the shortest step there is, so that halved steps fill the frame exactly.
snag_status snag_sim_step(snag_sim *sim)
{
    if (sim == NULL)
        return SNAG_ERROR_ARGUMENT;
    const uint32_t whole = 1u << MAX_HALVINGS;
    uint32_t ticks = whole, left = whole * sim->scene->substeps;
    double tick = sim->scene->frame / left;
    keep(sim, sim->frame_start);
    while (left > 0) {
        keep(sim, sim->substep_start);
        if (substep(sim, tick * ticks)) {
            left -= ticks;
        } else if (ticks > 1) {
            take_back(sim, sim->substep_start);
            ticks /= 2;
        } else {
            return give_up(sim);
        }
    }
    sim->step++;
    return SNAG_OK;
}

size_t snag_sim_body_count(const snag_sim *sim)
{
    return sim == NULL ? 0 : sim->body_count;
}

snag_sim_body snag_sim_body_at(const snag_sim *sim, size_t index)
{
    if (sim == NULL || index >= sim->body_count)
        return (snag_sim_body){0};
    const snag__body *body = &sim->bodies[index];
    return (snag_sim_body){
        .name = body->name,
        .positions = body->x[0],
        .vertex_count = body->shape.vertex_count,
        .triangles = body->shape.triangles,
        .triangle_count = body->shape.triangle_count,
        .tets = body->shape.tets,
        .tet_count = body->shape.tet_count,
        .moves = body->kind != SNAG__STILL,
    };
}
