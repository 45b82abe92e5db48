// The table of scenes, and the stepping of any scene: frames are divided into substeps, and a substep that explodes is halved.
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snag__scene scenes[] = {
    {"cloth-ball", "a square cloth falls over a ball, drapes to the floor and folds over itself", SNAG__FRAME, 6, 300,
     snag__build_cloth_ball, NULL, SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"cloth-twist", "a cloth is wrung around a thin rod, its two ends turning in opposite directions", SNAG__FRAME, 6, 300,
     snag__build_cloth_twist, snag__drive_cloth_twist, SNAG_SIM_TAKES_NONE, NULL, 0},
    {"soft-blocks", "soft tetrahedral blocks fall onto each other and press into each other a little", SNAG__FRAME, 5, 120,
     snag__build_soft_blocks, NULL, SNAG_SIM_TAKES_TETS, NULL, 0},
    {"soft-pile", "24 soft blocks of many sizes fall into a heap and come to rest", SNAG__FRAME, 12, 240, snag__build_soft_pile,
     NULL, SNAG_SIM_TAKES_TETS, NULL, 0},
    {"dressed-figure", "Kimmerle's dressed woman: a figure of 53k triangles sways in a dress of 3.8k; 100 steps per second", 0.01,
     1, 400, snag__build_dressed_figure, snag__drive_figure, SNAG_SIM_TAKES_DRESSED, NULL, 0},
    {"dressed-man", "Kimmerle's dressed man: 25k triangles sway in a shirt of 4.4k and trousers of 4k; 100 steps per second", 0.01,
     1, 200, snag__build_dressed_man, snag__drive_figure, SNAG_SIM_TAKES_DRESSED, NULL, 0},
    {"walking-figure", "Kimmerle's catwalk: a figure of 53k triangles walks in a dress of 3.8k; 100 steps per second", 0.01, 1,
     1600, snag__build_walking_figure, snag__drive_figure, SNAG_SIM_TAKES_DRESSED, NULL, 0},
    {"catwalk", "a person walks in a dress; 100 steps per second", 0.01, 1, 400, snag__build_catwalk, snag__drive_person,
     SNAG_SIM_TAKES_NONE, NULL, 0},
    {"stroll", "a person walks in a shirt and trousers; 100 steps per second", 0.01, 1, 400, snag__build_stroll, snag__drive_person,
     SNAG_SIM_TAKES_NONE, NULL, 0},
    {"torus-ellipsoid", "Kimmerle's still life: a rigid ellipsoid falls onto a torus and comes to rest", SNAG__FRAME, 8, 96,
     snag__build_torus, NULL, SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"sphere", "Volino's sphere: a surface that swells and shrinks (prescribed motion)", SNAG__FRAME, 1, 48, snag__build_sphere,
     snag__drive_sphere, SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"loop", "Volino's loop: a strip of cloth is bent to a loop until it meets itself", SNAG__FRAME, 6, 72, snag__build_loop,
     snag__drive_loop, SNAG_SIM_TAKES_NONE, NULL, 0},
    {"body-cloth", "Volino's body and cloth: 17k and 3.8k triangles; 100 steps per second", 0.01, 1, 200, snag__build_body_cloth,
     snag__drive_figure, SNAG_SIM_TAKES_DRESSED, NULL, 0},
    {"body-cloth-fine", "Volino's body and cloth, finer: 111k and 56k triangles; 100 steps per second", 0.01, 2, 50,
     snag__build_body_cloth_fine, snag__drive_figure, SNAG_SIM_TAKES_DRESSED, NULL, 0},
    {"teschner-a", "setup A of the spatial hashing paper: 100 tetrahedral bars fall into a heap", SNAG__FRAME, 8, 72,
     snag__build_teschner_a, NULL, SNAG_SIM_TAKES_TETS, NULL, 0},
    {"teschner-b", "setup B: 8 tetrahedral plates fall onto each other", SNAG__FRAME, 8, 96, snag__build_teschner_b, NULL,
     SNAG_SIM_TAKES_TETS, NULL, 0},
    {"teschner-c", "setup C: 20 tetrahedral plates fall onto each other and come to rest", SNAG__FRAME, 8, 144,
     snag__build_teschner_c, NULL, SNAG_SIM_TAKES_TETS, NULL, 0},
    {"teschner-d", "setup D: two vessels that wind around each other are pressed together", SNAG__FRAME, 8, 72,
     snag__build_teschner_d, snag__drive_teschner_d, SNAG_SIM_TAKES_NONE, NULL, 0},
    {"teschner-e", "setup E: 100 tetrahedral plates fall onto each other", SNAG__FRAME, 8, 96, snag__build_teschner_e, NULL,
     SNAG_SIM_TAKES_TETS, NULL, 0},
    {"teschner-m", "5 blocks with a million tetrahedra in total fall onto each other", SNAG__FRAME, 4, 12, snag__build_teschner_m,
     NULL, SNAG_SIM_TAKES_TETS, NULL, 0},
    {"rodriguez", "the scene of the sphere-tree paper: a body moves on a fixed path through three others", 1.0 / 60, 1, 840,
     snag__build_rodriguez, snag__drive_rodriguez, SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"madera-a", "the distance hierarchy's first experiment: ten toruses and pawns of springs drift together", SNAG__FRAME, 4, 300,
     snag__build_madera_a, NULL, SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"madera-b", "its second: three figures and a torus of springs", SNAG__FRAME, 4, 200, snag__build_madera_b, NULL,
     SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"madera-c", "its third: a rigid tooth against a cylinder of springs", SNAG__FRAME, 4, 100, snag__build_madera_c, NULL,
     SNAG_SIM_TAKES_SURFACES, NULL, 0},
    {"cloth-rip", "a cloth is pulled down over a peg until it rips; 100 steps per second", 0.01, 2, 240, snag__build_cloth_rip,
     snag__drive_cloth_rip, SNAG_SIM_TAKES_NONE, snag__change_cloth_rip, 1.6},
    {"block-cut", "a blade cuts a taut block of tetrahedra in two; 100 steps per second", 0.01, 2, 240, snag__build_block_cut,
     snag__drive_block_cut, SNAG_SIM_TAKES_NONE, snag__change_block_cut, 0},
};
#define SCENE_COUNT (sizeof scenes / sizeof *scenes)

// Twenty million triangles; anything larger just fills the memory.
#define MAX_SIZE 1000

// A substep is halved at most this many times.
#define MAX_HALVINGS 8

snag_sim_def snag_default_sim_def(void)
{
    return (snag_sim_def){.cookie = SNAG_COOKIE(16), .scene = scenes[0].name, .size = 1, .seed = 1, .response_ratio = 1};
}

const char *snag_sim_scene_name(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].name : NULL;
}

const char *snag_sim_scene_words(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].words : NULL;
}

uint32_t snag_sim_scene_steps(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].steps : 0;
}

snag_sim_takes snag_sim_scene_takes(size_t index)
{
    return index < SCENE_COUNT ? scenes[index].takes : SNAG_SIM_TAKES_NONE;
}

bool snag_sim_scene_edits(size_t index)
{
    return index < SCENE_COUNT && scenes[index].change != NULL;
}

// ---- saved states ----

typedef struct snag__kept_state {
    double time;
    double (*x)[3];
    double (*v)[3];
    uint8_t *hold, *holder;
} kept_state;

static bool reserve(kept_state *kept, uint32_t count, snag__sim_memory *memory)
{
    // What is kept is written anew before it is used.
    return snag__sim_grow(memory, &kept->x, 0, count, sizeof *kept->x) &&
           snag__sim_grow(memory, &kept->v, 0, count, sizeof *kept->v) &&
           snag__sim_grow(memory, &kept->hold, 0, count, sizeof *kept->hold) &&
           snag__sim_grow(memory, &kept->holder, 0, count, sizeof *kept->holder);
}

static kept_state *kept_state_create(snag_sim *sim)
{
    kept_state *kept = snag__sim_new(&sim->memory, 1, sizeof *kept);
    return kept != NULL && reserve(kept, sim->system.count, &sim->memory) ? kept : NULL;
}

bool snag__scene_reserve_states(snag_sim *sim, uint32_t count)
{
    return reserve(sim->frame_start, count, &sim->memory) && reserve(sim->substep_start, count, &sim->memory);
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

static snag_status check_def(const snag_sim_def *def)
{
    if (def == NULL || def->cookie != SNAG_COOKIE(16) || find_scene(def->scene) == NULL || !(def->size > 0) || isinf(def->size) ||
        !(def->step_seconds >= 0) || isinf(def->step_seconds) || !(def->response_ratio >= 0 && def->response_ratio <= 1) ||
        (unsigned)def->response > SNAG_SIM_RESPONSE_HALF_SPACES || (unsigned)def->method >= SNAG_METHOD_COUNT ||
        (def->model_count > 0 && def->models == NULL) || !(def->tear == 0 || (def->tear > 1 && isfinite(def->tear))))
        return SNAG_ERROR_ARGUMENT;
    if (def->model_count > 0 && find_scene(def->scene)->takes == SNAG_SIM_TAKES_NONE)
        return SNAG_ERROR_UNSUPPORTED;
    if (def->tear != 0 && find_scene(def->scene)->tear == 0)
        return SNAG_ERROR_UNSUPPORTED;
    return def->size > MAX_SIZE ? SNAG_ERROR_SIZE : SNAG_OK;
}

static snag_status build(snag_sim *sim, const snag_sim_def *def)
{
    sim->models = def->models;
    sim->model_count = def->model_count;
    sim->tear = def->tear > 0 ? def->tear : sim->scene->tear;
    sim->seed = def->seed;
    snag_status status = sim->scene->build(sim, def);
    sim->models = NULL;  // owned by the caller
    // The distance of the fastest point in one of the scene's own steps.
    sim->system.furthest = SNAG__SPEED_LIMIT * sim->scene->frame;
    if (status == SNAG_OK && sim->scene->drive != NULL)
        sim->scene->drive(sim, 0);
    if (status == SNAG_OK)
        status = snag__scene_check(sim);
    if (status != SNAG_OK)
        return status;
    sim->mean_edge = snag__scene_mean_edge(sim);
    sim->frame_start = kept_state_create(sim);
    sim->substep_start = kept_state_create(sim);
    status = snag__collider_create(sim, def);
    return sim->memory.failed ? SNAG_ERROR_MEMORY : status;
}

snag_status snag_sim_create(const snag_sim_def *def, snag_sim **sim)
{
    if (sim == NULL)
        return SNAG_ERROR_ARGUMENT;
    *sim = NULL;
    snag_status status = check_def(def);
    if (def != NULL && def->message != NULL && def->message_size > 0)
        snprintf(def->message, def->message_size, "%s",
                 status == SNAG_ERROR_UNSUPPORTED && def->tear != 0 && find_scene(def->scene)->tear == 0
                     ? "it has no cloth that tears, so it takes no stretch to tear at"
                     : "");
    if (status != SNAG_OK)
        return status;
    snag_sim *made = calloc(1, sizeof *made);
    if (made == NULL)
        return SNAG_ERROR_MEMORY;
    made->scene = find_scene(def->scene);
    made->adaptive = def->adaptive;
    made->frame = def->step_seconds > 0 ? def->step_seconds : made->scene->frame;
    status = build(made, def);
    if (status != SNAG_OK) {
        if (def->message != NULL && def->message_size > 0)
            snprintf(def->message, def->message_size, "%s", made->message);
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
    snag__collider_destroy(sim->collider);
    snag__sim_free_all(&sim->editing.memory);
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
        snag__rigid *rigid = &sim->rigids.items[r];
        snag__rigid_velocities(rigid, (const double(*)[3])system->x, system->mass, system->v);
        snag__rigid_positions(rigid, system->mass, system->x);
        snag__rigid_meet(rigid, system->obstacles, system->obstacle_count, system->mass, system->x, system->v);
    }
}

// SNAG_ERROR_NOT_FINITE if the substep has exploded.
static snag_status substep(snag_sim *sim, double h)
{
    double began = snag__sim_seconds();
    drive(sim, sim->time + h);
    bool sane = snag__implicit_step(&sim->system, h);
    if (sane)
        keep_shapes(sim);
    sim->report.solve_ms += 1e3 * (snag__sim_seconds() - began);
    if (!sane)
        return SNAG_ERROR_NOT_FINITE;
    snag_status status = snag__collide(sim, h, (const double(*)[3])sim->substep_start->x);
    if (status == SNAG_OK && !snag__implicit_is_sane(&sim->system))
        status = SNAG_ERROR_NOT_FINITE;
    if (status != SNAG_OK)
        return status;
    sim->time += h;
    sim->report.substeps++;
    return SNAG_OK;
}

// Restore driven bodies too.
static void take_back(snag_sim *sim, const kept_state *kept)
{
    go_back(sim, kept);
    snag__collider_forget(sim->collider, sim->system.count);
    if (sim->scene->drive != NULL)
        sim->scene->drive(sim, sim->time);
}

// Much that runs out of memory has no words for it: the message is then still that of an earlier step, or empty.
static snag_status say_memory(snag_sim *sim, snag_status status)
{
    char words[80];
    int length = snprintf(words, sizeof words, "step %llu: ", (unsigned long long)sim->step + 1);
    if (status == SNAG_ERROR_MEMORY && strncmp(sim->message, words, (size_t)length) != 0)
        snprintf(sim->message, sizeof sim->message, "%sout of memory", words);
    return status;
}

static snag_status give_up(snag_sim *sim, snag_status status)
{
    take_back(sim, sim->frame_start);
    if (status != SNAG_ERROR_NOT_FINITE)
        return say_memory(sim, status);
    char what[80];
    snprintf(what, sizeof what, "explodes in step %llu, even with the shortest substeps", (unsigned long long)sim->step + 1);
    return snag__scene_blame(sim, status, sim->system.exploded, what);
}

static double highest_speed(const snag_sim *sim)
{
    double highest = 0;
    for (uint32_t i = 0; i < sim->system.count; i++)
        highest = fmax(highest, snag__dot3(sim->system.v[i], sim->system.v[i]));
    return sqrt(highest);
}

// Number of substeps to start a frame with. A point at rest may fall, so its speed at the end of the frame counts.
static uint32_t parts_of_frame(const snag_sim *sim)
{
    uint32_t usual = sim->scene->substeps;
    if (!sim->adaptive || !(sim->mean_edge > 0))
        return usual;
    double speed = highest_speed(sim) + sim->system.gravity * sim->frame;
    double parts = ceil(sim->frame * speed / (0.5 * sim->mean_edge));
    return (uint32_t)fmin(fmax(parts, 1), 8 * usual);
}

static void measure_energy(snag_sim *sim)
{
    const snag__implicit *system = &sim->system;
    for (uint32_t i = 0; i < system->count; i++) {
        sim->report.kinetic += system->mass[i] * snag__dot3(system->v[i], system->v[i]) / 2;
        sim->report.height += system->mass[i] * system->gravity * system->x[i][2];
    }
    if (system->model.energy != NULL)
        sim->report.elastic = system->model.energy(system->model.self, (const double(*)[3])system->x);
}

static void finish_report(snag_sim *sim, double began)
{
    sim->report.step = ++sim->step;
    sim->report.time = sim->time;
    sim->report.ratio = sim->report.ratio / sim->report.substeps;
    measure_energy(sim);
    sim->report.step_ms = 1e3 * (snag__sim_seconds() - began);
}

// Tears or cuts after a step that succeeded, so that no step has to be taken back across an edit.
static snag_status change(snag_sim *sim)
{
    if (sim->scene->change == NULL)
        return SNAG_OK;
    const uint64_t *edits = &sim->bodies[sim->editing.body].edits, before = *edits;
    snag_status status = sim->scene->change(sim);
    // Where a first edit of several is done there is no way back.
    if (status != SNAG_OK && *edits != before)
        sim->editing.broken = status;
    if (status == SNAG_OK || sim->editing.broken != SNAG_OK)
        return say_memory(sim, status);
    return give_up(sim, status);
}

// Time is counted in ticks of the shortest possible step, so that halved steps fill the frame exactly.
snag_status snag_sim_step(snag_sim *sim)
{
    if (sim == NULL)
        return SNAG_ERROR_ARGUMENT;
    if (sim->editing.broken != SNAG_OK)
        return sim->editing.broken;
    const uint32_t whole = 1u << MAX_HALVINGS;
    uint32_t ticks = whole, left = whole * parts_of_frame(sim);
    double tick = sim->frame / left, began = snag__sim_seconds();
    sim->report = (snag_sim_report){.fraction = 1};
    keep(sim, sim->frame_start);
    while (left > 0) {
        keep(sim, sim->substep_start);
        snag_status status = substep(sim, tick * ticks);
        if (status == SNAG_OK) {
            left -= ticks;
        } else if (status == SNAG_ERROR_NOT_FINITE && ticks > 1) {
            take_back(sim, sim->substep_start);
            ticks /= 2;
            sim->report.cuts++;
        } else {
            return give_up(sim, status);
        }
    }
    snag_status status = change(sim);
    if (status == SNAG_OK)
        finish_report(sim, began);
    return status;
}

const char *snag_sim_message(const snag_sim *sim)
{
    return sim == NULL ? "" : sim->message;
}

snag_sim_report snag_sim_last_step(const snag_sim *sim)
{
    return sim == NULL ? (snag_sim_report){0} : sim->report;
}

double snag_sim_thickness(const snag_sim *sim)
{
    return sim == NULL ? 0 : sim->contact.thickness;
}

double snag_sim_mean_edge(const snag_sim *sim)
{
    return sim == NULL ? 0 : sim->mean_edge;
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
        .edits = body->edits,
    };
}
