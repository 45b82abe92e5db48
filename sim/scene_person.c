// Scenes of a dressed person that walks on the spot: in a dress, and in shirt and trousers.
// The scenes of Kimmerle and Volino (scene_figure.c) keep their plain figures, whose numbers of triangles and contacts are compared with the papers'.
#include <string.h>

#include "person.h"
#include "scene.h"

// State of the drive: the person is the scene's first body; pins are vertices of its trousers.
typedef struct outfit {
    snag__person person;
    snag__garment garments[2];
} outfit;

void snag__drive_person(snag_sim *sim, double time)
{
    outfit *state = sim->drive_state;
    const snag__garment *trousers = &state->garments[1];
    sim->system.gravity = snag__scene_weight_at(time);
    snag__person_move(&state->person, time);
    snag__person_skin(&state->person, sim->bodies[0].x);
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        snag__garment_stick(trousers, &state->person, trousers->waist[p], sim->system.pins[p].target);
}

static snag_status add_person(snag_sim *sim, double triangles)
{
    outfit *state = snag__sim_new(&sim->memory, 1, sizeof *state);
    snag_shape shape;
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    if (!snag__person_make(&state->person, triangles, &shape, &sim->memory)) {
        snag_shape_free(&shape);
        return SNAG_ERROR_MEMORY;
    }
    sim->drive_state = state;
    return snag__scene_add_body(sim, SNAG__DRIVEN, "person", &shape);
}

static snag_status add_garment(snag_sim *sim, size_t which, snag__garment_kind kind, const char *name, double triangles)
{
    outfit *state = sim->drive_state;
    snag_shape shape;
    if (!snag__garment_make(&state->garments[which], kind, triangles, &state->person, &shape, &sim->memory)) {
        snag_shape_free(&shape);
        return SNAG_ERROR_MEMORY;
    }
    return snag__scene_add_body(sim, SNAG__DEFORMING, name, &shape);
}

snag_status snag__build_catwalk(snag_sim *sim, const snag_sim_def *def)
{
    snag_status status = add_person(sim, def->size * 20000);
    if (status == SNAG_OK)
        status = add_garment(sim, 0, SNAG__DRESS, "dress", def->size * 4500);
    return status == SNAG_OK ? snag__scene_dress(sim, def->seed) : status;
}

// The waistband is a belt: it moves with the skin below it.
static snag_status fasten_belt(snag_sim *sim)
{
    const outfit *state = sim->drive_state;
    const snag__garment *trousers = &state->garments[1];
    snag_status status = snag__scene_pin(sim, (uint32_t)trousers->waist_count);
    for (size_t p = 0; p < trousers->waist_count && status == SNAG_OK; p++)
        sim->system.pins[p].point = sim->bodies[2].first_point + trousers->waist[p];
    return status;
}

snag_status snag__build_stroll(snag_sim *sim, const snag_sim_def *def)
{
    snag_status status = add_person(sim, def->size * 20000);
    if (status == SNAG_OK)
        status = add_garment(sim, 0, SNAG__SHIRT, "shirt", def->size * 3500);
    if (status == SNAG_OK)
        status = add_garment(sim, 1, SNAG__TROUSERS, "trousers", def->size * 4500);
    if (status == SNAG_OK)
        status = snag__scene_dress(sim, def->seed);
    return status == SNAG_OK ? fasten_belt(sim) : status;
}
