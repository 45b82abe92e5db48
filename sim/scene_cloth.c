// Scenes of cloth.
#include "scene.h"

static const snag__fabric cotton = {.density = 0.15, .stretch = 120, .shear = 0.25, .bend = 3.6e-4, .damping = 2e-3};

// ---- cloth-ball ----

#define BALL_CLOTH 3.0  // side of the square
#define BALL_RADIUS 0.5
#define BALL_HEIGHT 1.15  // of the ball's middle

// Off-centre, aligned with nothing and turning slightly, so that the cloth slips to one side and folds unevenly.
static void lay_over_ball(snag__implicit *system, uint64_t random)
{
    double around = snag__scene_random(&random, 0, 6.283185307179586), off = snag__scene_random(&random, 0.4, 0.5);
    double turn = snag__scene_random(&random, 0.2, 0.6), tilt = snag__scene_random(&random, 0.05, 0.12), spin = 1;
    double c = cos(turn), s = sin(turn), ct = cos(tilt), st = sin(tilt);
    for (uint32_t i = 0; i < system->count; i++) {
        double *p = system->x[i], x = c * p[0] - s * p[1], y = s * p[0] + c * p[1];
        p[0] = x + off * cos(around);
        p[1] = ct * y + off * sin(around);
        p[2] = st * y + BALL_HEIGHT + BALL_RADIUS + 0.4;
        system->v[i][0] = -spin * p[1];
        system->v[i][1] = spin * p[0];
    }
}

// A straight edge cuts into the ball by cell^2 / (4 radius) for a diagonal; keep twice that distance. Towards the rim the cloth
// keeps a little more: where a corner folds over on the floor, its layers then lie apart, as they would with self-collision.
static void set_clearances(snag__implicit *system, const double *rest, double cell)
{
    for (size_t i = 0; i < system->count; i++) {
        double from_middle = hypot(rest[3 * i], rest[3 * i + 1]) / BALL_CLOTH;
        system->clearance[i] = 0.006 + 0.5 * cell * cell / BALL_RADIUS + 0.01 * from_middle;
    }
}

static snag_status add_ball(snag_sim *sim, double size)
{
    uint32_t cuts = 1;  // 5120 triangles at size 1
    while (cuts < 8 && (double)(20u << 2 * cuts) < 2600 * size)
        cuts++;
    snag_shape ball;
    snag_status status = snag_shape_icosphere(cuts, BALL_RADIUS, &ball);
    if (status != SNAG_OK)
        return status;
    snag_shape_transform(&ball, 1, 0, 0, BALL_HEIGHT);
    return snag__scene_add_body(sim, SNAG__STILL, "ball", &ball);
}

// A sheet of cells as the first body.
static snag_status add_sheet(snag_sim *sim, uint32_t columns, uint32_t rows, double width, double height)
{
    snag_shape sheet;
    snag_status status = snag_shape_sheet(columns, rows, width, height, &sheet);
    return status == SNAG_OK ? snag__scene_add_body(sim, SNAG__DEFORMING, "cloth", &sheet) : status;
}

static snag_status assemble(snag_sim *sim, const snag__fabric *fabric)
{
    snag_status status = snag__scene_assemble(sim);
    sim->contact.response = SNAG_SIM_RESPONSE_IMPACTS;  // layers that cross once stay tangled
    return status == SNAG_OK ? snag__scene_weave(sim, 0, fabric) : status;
}

snag_status snag__build_cloth_ball(snag_sim *sim, const snag_sim_def *def)
{
    uint32_t n = snag__scene_cells(100, 2, def->size);
    snag_status status = add_sheet(sim, n, n, BALL_CLOTH, BALL_CLOTH);
    if (status == SNAG_OK)
        status = add_ball(sim, def->size);
    if (status == SNAG_OK)
        status = assemble(sim, &cotton);
    if (status != SNAG_OK)
        return status;
    lay_over_ball(&sim->system, def->seed);
    set_clearances(&sim->system, sim->bodies[0].shape.positions, BALL_CLOTH / n);
    snag__scene_add_obstacle(sim, &(snag__obstacle){.kind = SNAG__FLOOR, .friction = 0.5});
    if (sim->model_count > 0)
        return SNAG_OK;  // the model in place of the ball is known only by its triangles
    snag__scene_add_obstacle(
        sim, &(snag__obstacle){.kind = SNAG__BALL, .centre = {0, 0, BALL_HEIGHT}, .radius = BALL_RADIUS, .friction = 0.2});
    return SNAG_OK;
}

// ---- cloth-twist ----

#define TWIST_LENGTH 1.6
#define TWIST_WIDTH 0.8
// Without self-collision a twisted sheet slips through itself at half a turn; wrung around a thin rod it cannot.
#define TWIST_ROD 0.04  // radius
#define TWIST_SECONDS 2.75  // duration of the twist
#define TWIST_TURN 9.0  // of each end, radians

typedef struct twist {
    double (*start)[3];  // of each pin
} twist;

// The ends turn about the rod in opposite directions, approach each other as the cloth shortens and contract as it narrows, so
// that the cloth is wrung without tearing.
void snag__drive_cloth_twist(snag_sim *sim, double time)
{
    const twist *state = sim->drive_state;
    double done = fmin(time / TWIST_SECONDS, 1), eased = done * done * (3 - 2 * done);
    double angle = TWIST_TURN * eased, nearer = 0.1 * TWIST_LENGTH * eased, gather = 1 - 0.8 * eased;
    for (uint32_t p = 0; p < sim->system.pin_count; p++) {
        const double *start = state->start[p];
        double side = start[0] < 0 ? -1 : 1, c = cos(side * angle), s = sin(side * angle);
        double *target = sim->system.pins[p].target;
        target[0] = start[0] - side * nearer;
        target[1] = c * (gather * start[1]) - s * start[2];
        target[2] = s * (gather * start[1]) + c * start[2];
    }
}

// Pins the first and the last column of the sheet at their positions.
static snag_status pin_ends(snag_sim *sim, uint32_t columns, uint32_t rows)
{
    snag__implicit *system = &sim->system;
    twist *state = snag__sim_new(&sim->memory, 1, sizeof *state);
    if (state != NULL)
        state->start = snag__sim_new(&sim->memory, 2 * ((size_t)rows + 1), sizeof *state->start);
    if (state == NULL || sim->memory.failed || snag__scene_pin(sim, 2 * (rows + 1)) != SNAG_OK)
        return SNAG_ERROR_MEMORY;
    for (uint32_t j = 0; j <= rows; j++) {
        for (uint32_t end = 0; end < 2; end++) {
            uint32_t p = 2 * j + end;
            system->pins[p].point = j * (columns + 1) + end * columns;
            for (int k = 0; k < 3; k++)
                state->start[p][k] = system->x[system->pins[p].point][k];
        }
    }
    sim->drive_state = state;
    return SNAG_OK;
}

snag_status snag__build_cloth_twist(snag_sim *sim, const snag_sim_def *def)
{
    uint32_t columns = snag__scene_cells(140, 2, def->size), rows = snag__scene_cells(70, 2, def->size);
    snag_status status = add_sheet(sim, columns, rows, TWIST_LENGTH, TWIST_WIDTH);
    if (status == SNAG_OK)
        status = assemble(sim, &cotton);
    if (status != SNAG_OK)
        return status;

    // One edge is closest to the rod and the other outermost, so that the layers around it lie apart. Without an initial
    // perturbation, rounding errors would decide how a flat sheet buckles.
    snag__implicit *system = &sim->system;
    uint64_t random = def->seed;
    for (uint32_t i = 0; i < system->count; i++) {
        system->clearance[i] = 0.005 + 0.03 * (system->x[i][1] / TWIST_WIDTH + 0.5);
        system->x[i][2] = TWIST_ROD + 0.04 + snag__scene_random(&random, 0, 1e-4);
    }
    snag__scene_add_obstacle(sim, &(snag__obstacle){.kind = SNAG__ROD, .radius = TWIST_ROD, .friction = 0.1});
    system->gravity = 0;
    return pin_ends(sim, columns, rows);
}
