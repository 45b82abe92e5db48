// Scenes of dressed figures.
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, section 6 (a woman, a man, a
// catwalk); Volino, Magnenat-Thalmann: Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity, 1994, section 3.3 (a body with cloth, in two resolutions).
#include <string.h>

#include "figure.h"
#include "scene.h"

static const snag__fabric jersey = {.density = 0.2, .stretch = 150, .shear = 0.3, .bend = 1e-5, .damping = 3e-3, .warp = 2};

// State of the drive: the figure is the scene's first body; pins move with its trunk.
typedef struct dressing {
    snag__figure figure;
    double (*pin_rest)[3];
} dressing;

// Gravity ramps up over half a second, so that a garment settles instead of dropping.
double snag__scene_weight_at(double time)
{
    double s = fmin(2 * time, 1);
    return 9.81 * s * s * (3 - 2 * s);
}

void snag__drive_figure(snag_sim *sim, double time)
{
    const dressing *state = sim->drive_state;
    sim->system.gravity = snag__scene_weight_at(time);
    snag__figure_pose(&state->figure, time, sim->bodies[0].x);
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        snag__figure_carry(state->figure.kind, time, state->pin_rest[p], sim->system.pins[p].target);
}

static snag_status add_figure(snag_sim *sim, const char *name, snag__figure_kind kind, double triangles)
{
    dressing *state = snag__sim_new(&sim->memory, 1, sizeof *state);
    snag_shape shape;
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    if (!snag__figure_make(&state->figure, kind, triangles, &shape, &sim->memory)) {
        snag_shape_free(&shape);
        return SNAG_ERROR_MEMORY;
    }
    sim->drive_state = state;
    return snag__scene_add_body(sim, SNAG__DRIVEN, name, &shape);
}

// A garment as a tube of about the given number of triangles, twice as many columns as rows.
static snag_status add_tube(snag_sim *sim, const char *name, double triangles, snag__tube tube)
{
    tube.rows = (uint32_t)fmax(round(sqrt(triangles / 4)), 6);
    tube.columns = 2 * tube.rows;
    snag_shape shape;
    if (!snag__tube_make(&tube, &shape)) {
        snag_shape_free(&shape);
        return SNAG_ERROR_MEMORY;
    }
    return snag__scene_add_body(sim, SNAG__DEFORMING, name, &shape);
}

// Garments are all bodies but the first. The seed perturbs them slightly, so that folds differ.
snag_status snag__scene_dress(snag_sim *sim, uint64_t seed)
{
    snag_status status = snag__scene_assemble(sim);
    for (size_t b = 1; b < sim->body_count && status == SNAG_OK; b++)
        status = snag__scene_weave(sim, b, &jersey);
    if (status != SNAG_OK)
        return status;
    for (uint32_t i = 0; i < sim->system.count; i++)
        for (int k = 0; k < 3; k++)
            sim->system.v[i][k] = snag__scene_random(&seed, -0.02, 0.02);
    sim->contact.thickness = 0.004;
    sim->contact.reach = 0.006;
    sim->contact.iterations = 10;
    sim->contact.friction = 0.4;
    sim->system.drag = 1;
    return SNAG_OK;
}

// Pin p holds a vertex of a garment to the trunk.
static void pin_to_trunk(snag_sim *sim, const snag__body *garment, size_t v, uint32_t p)
{
    const dressing *state = sim->drive_state;
    sim->system.pins[p].point = garment->first_point + (uint32_t)v;
    memcpy(state->pin_rest[p], garment->shape.positions + 3 * v, sizeof state->pin_rest[p]);
}

// ---- figures of files ----

#define HELD 0.04  // fraction of a garment's height below its upper hem that moves with the trunk: straps or a belt

// Counts the vertices of a garment's upper hem, and lists them if an array is given.
static uint32_t find_hem(const snag__body *garment, uint32_t *vertices)
{
    const snag_shape *shape = &garment->shape;
    double box[2][3];
    uint32_t count = 0;
    snag__shape_box(shape->positions, shape->vertex_count, box);
    for (size_t v = 0; v < shape->vertex_count; v++)
        if (shape->positions[3 * v + 2] > box[1][2] - HELD * (box[1][2] - box[0][2])) {
            if (vertices != NULL)
                vertices[count] = (uint32_t)v;
            count++;
        }
    return count;
}

static snag_status hold_hems(snag_sim *sim)
{
    uint32_t count = 0, done = 0;
    for (size_t b = 1; b < sim->body_count; b++)
        count += find_hem(&sim->bodies[b], NULL);
    dressing *state = sim->drive_state;
    uint32_t *vertices = snag__sim_new(&sim->memory, count, sizeof *vertices);
    state->pin_rest = snag__sim_new(&sim->memory, count, sizeof *state->pin_rest);
    if (vertices == NULL || state->pin_rest == NULL || snag__scene_pin(sim, count) != SNAG_OK)
        return SNAG_ERROR_MEMORY;
    for (size_t b = 1; b < sim->body_count; b++) {
        const snag__body *garment = &sim->bodies[b];
        uint32_t hem = find_hem(garment, vertices);
        for (uint32_t i = 0; i < hem; i++, done++)
            pin_to_trunk(sim, garment, vertices[i], done);
    }
    return SNAG_OK;
}

// Garments from files fit only the figure from files: both come from files or neither.
static snag_status build_from_models(snag_sim *sim, const snag_sim_def *def, snag__figure_kind kind)
{
    dressing *state = snag__sim_new(&sim->memory, 1, sizeof *state);
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = snag__scene_add_dressed(sim, snag__figure_height(kind));
    if (status != SNAG_OK)
        return status;
    const snag_shape *figure = &sim->bodies[0].shape;
    state->figure =
        (snag__figure){.kind = kind, .vertex_count = figure->vertex_count, .rest = (const double(*)[3])figure->positions};
    sim->drive_state = state;
    status = snag__scene_dress(sim, def->seed);
    return status == SNAG_OK ? hold_hems(sim) : status;
}

// ---- the form ----

#define GAP 0.0065  // between skin and cloth at the start

// Tight above the hips, in folds below.
static double form_dress(double angle, double z)
{
    double below = fmax(0, 0.72 - z) / 0.37;
    return snag__figure_radius(SNAG__FORM, z) + GAP + 0.05 * fmax(0, z - 1.2) + below * below * 0.07 * (1.05 + sin(8 * angle));
}

static snag_status build_form(snag_sim *sim, const snag_sim_def *def, double body, double cloth)
{
    if (sim->model_count > 0)
        return build_from_models(sim, def, SNAG__FORM);
    snag_status status = add_figure(sim, "figure", SNAG__FORM, def->size * body);
    if (status == SNAG_OK)
        status = add_tube(sim, "dress", def->size * cloth, (snag__tube){.bottom = 0.35, .top = 1.3, .radius = form_dress});
    return status == SNAG_OK ? snag__scene_dress(sim, def->seed) : status;
}

snag_status snag__build_dressed_figure(snag_sim *sim, const snag_sim_def *def)
{
    return build_form(sim, def, 53000, 3844);
}

snag_status snag__build_body_cloth(snag_sim *sim, const snag_sim_def *def)
{
    return build_form(sim, def, 17200, 3844);
}

snag_status snag__build_body_cloth_fine(snag_sim *sim, const snag_sim_def *def)
{
    snag_status status = build_form(sim, def, 111000, 56400);
    if (sim->model_count > 0)
        return status;
    // Its edges are a quarter as long.
    sim->contact.thickness = 0.0015;
    sim->contact.reach = 0.0025;
    return status;
}

// ---- the catwalk ----

// Along the trunk down to the hips, then straight and a little wider to the hem, with room for the legs.
static double walking_dress(double angle, double z)
{
    const double hips = 0.92;
    double skirt = snag__figure_radius(SNAG__WALKER, hips) + GAP + 0.16 * (hips - z) + 0.02 * fmax(0, hips - z) * sin(8 * angle);
    return z < hips ? skirt : snag__figure_radius(SNAG__WALKER, z) + GAP + 0.05 * fmax(0, z - 1.22);
}

snag_status snag__build_walking_figure(snag_sim *sim, const snag_sim_def *def)
{
    if (sim->model_count > 0)
        return build_from_models(sim, def, SNAG__WALKER);
    snag_status status = add_figure(sim, "figure", SNAG__WALKER, def->size * 53000);
    if (status == SNAG_OK)
        status = add_tube(sim, "dress", def->size * 3844, (snag__tube){.bottom = 0.45, .top = 1.31, .radius = walking_dress});
    return status == SNAG_OK ? snag__scene_dress(sim, def->seed) : status;
}

// ---- the man ----

static double shirt(double angle, double z)
{
    double below = fmax(0, 1.0 - z);
    double over = z < 1.04 ? 0.016 : 0;  // it hangs over the trousers
    return snag__figure_radius(SNAG__MAN, fmax(z, 0.93)) + GAP + over + 0.05 * below * (1 + sin(6 * angle)) +
           0.05 * fmax(0, z - 1.3);
}

// The waistband is a belt: it moves with the trunk.
static snag_status pin_waist(snag_sim *sim, size_t body, uint32_t waist)
{
    dressing *state = sim->drive_state;
    const snag__body *trousers = &sim->bodies[body];
    state->pin_rest = snag__sim_new(&sim->memory, waist, sizeof *state->pin_rest);
    if (state->pin_rest == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = snag__scene_pin(sim, waist);
    for (uint32_t p = 0; p < waist && status == SNAG_OK; p++)
        pin_to_trunk(sim, trousers, trousers->shape.vertex_count - waist + p, p);
    return status;
}

snag_status snag__build_dressed_man(snag_sim *sim, const snag_sim_def *def)
{
    if (sim->model_count > 0)
        return build_from_models(sim, def, SNAG__MAN);
    double fineness = sqrt(def->size);
    uint32_t waist = 0, columns = (uint32_t)fmin(fmax(round(28 * fineness), 8), 200);
    uint32_t rows = (uint32_t)fmax(round(28 * fineness), 6);
    snag_shape trousers;
    snag_status status = add_figure(sim, "man", SNAG__MAN, def->size * 25000);
    if (status == SNAG_OK)
        status = add_tube(sim, "shirt", def->size * 4400, (snag__tube){.bottom = 0.85, .top = 1.4, .radius = shirt});
    if (status != SNAG_OK)
        return status;
    if (!snag__trousers_make(columns, rows, &trousers, &waist)) {
        snag_shape_free(&trousers);
        return SNAG_ERROR_MEMORY;
    }
    status = snag__scene_add_body(sim, SNAG__DEFORMING, "trousers", &trousers);
    if (status == SNAG_OK)
        status = snag__scene_dress(sim, def->seed);
    return status == SNAG_OK ? pin_waist(sim, 2, waist) : status;
}
