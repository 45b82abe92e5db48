// Scenes of single shapes.
// Kimmerle, Nesme, Faure 2004, Fig. 3 (torus and ellipsoid); Volino, Magnenat-Thalmann 1994, section 3 (sphere, loop).
#include <string.h>

#include "scene.h"

// ---- torus and ellipsoid ----

// The ellipsoid falls across the tube on one side of the torus, and may roll.
snag_status snag__build_torus(snag_sim *sim, const snag_sim_def *def)
{
    double fineness = sqrt(def->size);
    uint32_t n = (uint32_t)fmax(round(48 * fineness), 8);
    uint64_t random = def->seed;
    snag_shape torus, ellipsoid;
    snag_status status = snag_shape_torus(5 * n / 2, n, 1.0, 0.4, &torus);
    if (status == SNAG_OK)
        status = snag__scene_add_body(sim, SNAG__STILL, "torus", &torus);
    if (status == SNAG_OK)
        status = snag_shape_sphere(2 * n, 4 * n / 3, 1, &ellipsoid);
    if (status != SNAG_OK)
        return status;
    // Over the hole, resting on the ring, where it can neither roll off nor fall through.
    double aside = snag__scene_random(&random, -0.1, 0.1);
    for (size_t v = 0; v < ellipsoid.vertex_count; v++) {
        double *x = &ellipsoid.positions[3 * v];
        x[0] = 1.1 * x[0] + aside;
        x[1] = 0.75 * x[1] + 0.1;
        x[2] = 0.4 * x[2] + 0.9;
    }
    status = snag__scene_add_body(sim, SNAG__RIGID, "ellipsoid", &ellipsoid);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    if (status == SNAG_OK)
        status = snag__scene_cast(sim, 1, 20);
    if (status == SNAG_OK)
        snag__scene_add_obstacle(sim, &(snag__obstacle){.kind = SNAG__FLOOR, .centre = {0, 0, -0.4}, .friction = 0.4});
    sim->contact.friction = 0.4;
    return status;
}

// ---- sphere ----

void snag__drive_sphere(snag_sim *sim, double time)
{
    snag__body *sphere = &sim->bodies[0];
    const double *phase = sim->drive_state;
    for (size_t i = 0; i < sphere->shape.vertex_count; i++) {
        const double *rest = sphere->shape.positions + 3 * i;
        double swell = 1 + 0.05 * sin(3 * rest[2] + 9.6 * time + *phase) + 0.1 * sin(2 * time);
        for (int k = 0; k < 3; k++)
            sphere->x[i][k] = swell * rest[k];
    }
}

snag_status snag__build_sphere(snag_sim *sim, const snag_sim_def *def)
{
    uint32_t n = (uint32_t)fmax(round(71 * sqrt(def->size)), 4);  // 20,000 triangles at size 1
    uint64_t random = def->seed;
    double *phase = snag__sim_new(&sim->memory, 1, sizeof *phase);
    snag_shape sphere;
    if (phase == NULL)
        return SNAG_ERROR_MEMORY;
    *phase = snag__scene_random(&random, 0, 6.28);
    sim->drive_state = phase;
    snag_status status = snag_shape_sphere(2 * n, n + 1, 1, &sphere);
    if (status == SNAG_OK)
        status = snag__scene_add_body(sim, SNAG__DRIVEN, "sphere", &sphere);
    return status == SNAG_OK ? snag__scene_assemble(sim) : status;
}

// ---- loop ----

#define STRIP_LENGTH 1.6
#define STRIP_WIDTH 0.5
#define LOOP_SECONDS 2.0  // until the ends meet

// Both ends are lifted and brought together; the strip hangs between them as a loop that touches itself at the neck.
void snag__drive_loop(snag_sim *sim, double time)
{
    double done = fmin(time / LOOP_SECONDS, 1), eased = done * done * (3 - 2 * done);
    const snag__body *strip = &sim->bodies[0];
    for (uint32_t p = 0; p < sim->system.pin_count; p++) {
        const double *rest = strip->shape.positions + 3 * (size_t)sim->system.pins[p].point;
        double side = rest[0] < 0 ? -1 : 1, *target = sim->system.pins[p].target;
        // The ends turn upright as they approach, and stop two thicknesses apart.
        double apart = (1 - eased) * STRIP_LENGTH / 2 + eased * 1.1 * sim->contact.thickness;
        double in = STRIP_LENGTH / 2 - fabs(rest[0]), angle = 1.5707963267948966 * eased;
        target[0] = side * (apart - in * cos(angle));
        target[1] = rest[1];
        target[2] = -in * sin(angle);
    }
}

snag_status snag__build_loop(snag_sim *sim, const snag_sim_def *def)
{
    static const snag__fabric ribbon = {.density = 0.2, .stretch = 120, .shear = 0.3, .bend = 5e-4, .damping = 4e-3};
    uint32_t columns = snag__scene_cells(128, 2, def->size), rows = snag__scene_cells(40, 2, def->size);
    snag_shape strip;
    snag_status status = snag_shape_sheet(columns, rows, STRIP_LENGTH, STRIP_WIDTH, &strip);
    if (status == SNAG_OK)
        status = snag__scene_add_body(sim, SNAG__DEFORMING, "strip", &strip);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    if (status == SNAG_OK)
        status = snag__scene_weave(sim, 0, &ribbon);
    // Two columns at each end, so that the ends have a direction.
    if (status == SNAG_OK)
        status = snag__scene_pin(sim, 4 * (rows + 1));
    if (status != SNAG_OK)
        return status;
    for (uint32_t p = 0; p < sim->system.pin_count; p++) {
        uint32_t column = p % 4 < 2 ? p % 4 : columns - p % 4 + 2;
        sim->system.pins[p].point = p / 4 * (columns + 1) + column;
    }
    uint64_t random = def->seed;
    for (uint32_t i = 0; i < sim->system.count; i++)
        sim->system.v[i][2] = snag__scene_random(&random, -0.02, 0);
    sim->contact.response = SNAG_SIM_RESPONSE_IMPACTS;
    sim->contact.thickness = 0.15 * STRIP_LENGTH / columns;
    return SNAG_OK;
}
