// The three experiments of Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects,
// 2007, section 4, with models of the vertices and faces of its Table 1: torus 768 / 1,536, pawn 610 / 1,216, human-like
// figure 946 / 1,888, cylinder 258 / 512, tooth 1,202 / 2,400. The shapes are our own, since the paper's are not published.
#include "mass_spring.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static const snag__springs_def rubber = {.density = 2, .stiffness = 60, .bend = 0.4, .strut = 0.05, .damping = 0.02};

// ---- models ----

// Point of a closed surface at a height above the lower pole (0..1) and an angle around z.
typedef void placing(double height, double angle, double x[3]);

// A surface of rows x segments vertices and two poles: 2 * rows * segments triangles.
static snag_status closed_surface(uint32_t segments, uint32_t rows, placing *place, snag_shape *shape)
{
    const size_t vertices = (size_t)segments * rows + 2, triangles = 2 * (size_t)segments * rows;
    *shape = (snag_shape){.positions = malloc(3 * vertices * sizeof(double)),
                          .vertex_count = vertices,
                          .triangles = malloc(3 * triangles * sizeof(uint32_t)),
                          .triangle_count = triangles};
    if (shape->positions == NULL || shape->triangles == NULL) {
        snag_shape_free(shape);
        return SNAG_ERROR_MEMORY;
    }
    place(0, 0, shape->positions);
    place(1, 0, shape->positions + 3 * (vertices - 1));
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < segments; s++)
            place((double)(r + 1) / (rows + 1), 2 * PI * (double)s / segments, shape->positions + 3 * (1 + r * segments + s));
    uint32_t *next = shape->triangles;
    for (uint32_t r = 0; r + 1 < rows; r++)
        for (uint32_t s = 0; s < segments; s++) {
            uint32_t low = 1 + r * segments, high = low + segments, after = (s + 1) % segments;
            const uint32_t quad[6] = {low + s, low + after, high + after, low + s, high + after, high + s};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    for (uint32_t s = 0; s < segments; s++) {
        uint32_t after = (s + 1) % segments, top = 1 + (rows - 1) * segments;
        const uint32_t caps[6] = {0, 1 + after, 1 + s, (uint32_t)vertices - 1, top + s, top + after};
        memcpy(next, caps, sizeof caps);
        next += 6;
    }
    return SNAG_OK;
}

// A foot, a waist, a collar and a head.
static void place_pawn(double height, double angle, double x[3])
{
    double t = height, z = 0.3 * (t - 0.5);
    double radius = 0.1 * exp(-pow((t - 0.08) / 0.12, 2)) + 0.045 + 0.04 * exp(-pow((t - 0.62) / 0.03, 2)) +
                    0.055 * exp(-pow((t - 0.85) / 0.12, 2));
    radius *= sqrt(fmax(1 - pow(2 * t - 1, 16), 0));
    x[0] = radius * cos(angle);
    x[1] = radius * sin(angle);
    x[2] = z;
}

// A ball with bulges in the given directions.
static void place_star(double height, double angle, const double (*lobes)[5], int count, double body, double x[3])
{
    double polar = PI * (1 - height), radius = body;
    const double direction[3] = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
    for (int i = 0; i < count; i++) {
        double length = snag__length3(lobes[i]), along = snag__dot3(direction, lobes[i]) / length;
        radius += lobes[i][3] * exp((along - 1) / (lobes[i][4] * lobes[i][4]));
    }
    for (int k = 0; k < 3; k++)
        x[k] = radius * direction[k];
}

// A head, two arms and two legs.
static void place_figure(double height, double angle, double x[3])
{
    static const double limbs[5][5] = {{0, 0, 1, 0.14, 0.25},
                                       {1, 0, 0.35, 0.24, 0.16},
                                       {-1, 0, 0.35, 0.24, 0.16},
                                       {0.45, 0, -1, 0.3, 0.16},
                                       {-0.45, 0, -1, 0.3, 0.16}};
    place_star(height, angle, limbs, 5, 0.09, x);
}

// Four cusps on top.
static void place_tooth(double height, double angle, double x[3])
{
    static const double cusps[4][5] = {
        {0.6, 0.6, 1, 0.06, 0.2}, {-0.6, 0.6, 1, 0.06, 0.2}, {0.6, -0.6, 1, 0.06, 0.2}, {-0.6, -0.6, 1, 0.06, 0.2}};
    place_star(height, angle, cusps, 4, 0.2, x);
}

static snag_status make_torus(snag_shape *shape)
{
    return snag_shape_torus(32, 24, 0.14, 0.05, shape);
}

static snag_status make_pawn(snag_shape *shape)
{
    return closed_surface(16, 38, place_pawn, shape);
}

static snag_status make_figure(snag_shape *shape)
{
    return closed_surface(16, 59, place_figure, shape);
}

static snag_status make_tooth(snag_shape *shape)
{
    return closed_surface(40, 30, place_tooth, shape);
}

static snag_status make_cylinder(snag_shape *shape)
{
    return snag_shape_cylinder(16, 15, 0.12, 0.4, shape);
}

// ---- scenes ----

typedef struct placed_model {
    const char *name;
    snag_status (*make)(snag_shape *shape);
    double centre[3];
    double speed[3];  // m/s at the start
    bool rigid;
} placed_model;

// Adds the model, rotated about a random axis, as a mass-spring or rigid body.
static snag_status add_model(snag_sim *sim, const placed_model *model, uint64_t *random)
{
    snag_shape shape;
    snag_status status = model->make(&shape);
    if (status != SNAG_OK)
        return status;
    status = snag__scene_add_body(sim, model->rigid ? SNAG__RIGID : SNAG__DEFORMING, model->name, &shape);
    if (status != SNAG_OK)
        return status;
    const snag_shape *added = &sim->bodies[sim->body_count - 1].shape;
    double tilt = snag__scene_random(random, -0.6, 0.6), turn = snag__scene_random(random, 0, 2 * PI);
    for (size_t v = 0; v < added->vertex_count; v++) {
        double *x = added->positions + 3 * v, y[3] = {x[0], x[1], x[2]};
        double side = cos(tilt) * y[1] - sin(tilt) * y[2], up = sin(tilt) * y[1] + cos(tilt) * y[2];
        x[0] = cos(turn) * y[0] - sin(turn) * side + model->centre[0];
        x[1] = sin(turn) * y[0] + cos(turn) * side + model->centre[1];
        x[2] = up + model->centre[2];
    }
    return SNAG_OK;
}

static snag_status set_in_motion(snag_sim *sim, size_t index, const placed_model *model)
{
    snag__body *body = &sim->bodies[index];
    snag_status status = SNAG_OK;
    if (model->rigid) {
        status = snag__scene_cast(sim, index, 1);
    } else {
        snag__mass_spring *springs = snag__sim_new(&sim->memory, 1, sizeof *springs);
        if (springs == NULL ||
            !snag__mass_spring_create(springs, &body->shape, &rubber, sim->system.mass + body->first_point, &sim->memory))
            return SNAG_ERROR_MEMORY;
        snag__model held = snag__mass_spring_model(springs);
        status = snag__scene_add_model(sim, &held, body->first_point);
    }
    for (size_t v = 0; v < body->shape.vertex_count && status == SNAG_OK; v++)
        for (int k = 0; k < 3; k++)
            sim->system.v[body->first_point + v][k] = model->speed[k];
    return status;
}

static snag_status build(snag_sim *sim, const snag_sim_def *def, const placed_model *models, size_t count)
{
    uint64_t random = def->seed;
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < count && status == SNAG_OK; i++)
        status = add_model(sim, &models[i], &random);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    for (size_t i = 0; i < count && status == SNAG_OK; i++)
        status = set_in_motion(sim, i, &models[i]);
    if (status != SNAG_OK)
        return status;
    sim->system.gravity = 0;
    sim->system.drag = 0;
    sim->contact.self = false;
    sim->system.max_iterations = 60;
    return SNAG_OK;
}

// Ten toruses and pawns that drift together.
snag_status snag__build_madera_a(snag_sim *sim, const snag_sim_def *def)
{
    static const char *const names[10] = {"torus-0", "pawn-0",  "torus-1", "pawn-1",  "torus-2",
                                          "pawn-2",  "torus-3", "pawn-3",  "torus-4", "pawn-4"};
    placed_model models[10];
    for (int i = 0; i < 10; i++) {
        double angle = 2 * PI * i / 10, z = i % 2 == 0 ? 0.12 : -0.12;
        models[i] = (placed_model){names[i],
                                   i % 2 == 0 ? make_torus : make_pawn,
                                   {0.8 * cos(angle), 0.8 * sin(angle), z},
                                   {-0.04 * cos(angle), -0.04 * sin(angle), -0.02 * z},
                                   false};
    }
    return build(sim, def, models, 10);
}

// Three figures and a torus.
snag_status snag__build_madera_b(snag_sim *sim, const snag_sim_def *def)
{
    static const placed_model models[4] = {
        {"figure-0", make_figure, {0.75, 0, 0}, {-0.06, 0, 0}, false},
        {"figure-1", make_figure, {-0.38, 0.65, 0}, {0.03, -0.052, 0}, false},
        {"figure-2", make_figure, {-0.38, -0.65, 0}, {0.03, 0.052, 0}, false},
        {"torus", make_torus, {0, 0, 0.05}, {0, 0, 0}, false},
    };
    return build(sim, def, models, 4);
}

// A rigid tooth and a cylinder that deforms.
snag_status snag__build_madera_c(snag_sim *sim, const snag_sim_def *def)
{
    static const placed_model models[2] = {
        {"tooth", make_tooth, {0, 0, -0.3}, {0, 0, 0.03}, true},
        {"cylinder", make_cylinder, {0, 0, 0.3}, {0, 0, -0.03}, false},
    };
    return build(sim, def, models, 2);
}
