// The scene of the sphere-tree paper: one body of about 5,000 triangles moves on a fixed path through three others.
// Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005, section 6.2.
// Differs: the paper's models (bunny, dragon, cow, lamp) are replaced by our own shapes with as many triangles, and called what they are.
#include "scene.h"

typedef struct placed_model {
    const char *name;
    double centre[3];
} placed_model;

// By the order of bodies; the first one moves.
static const placed_model models[] = {
    {"knobbly-ball", {0, 0, 0}},
    {"dented-ball", {2, 0.8, 0}},
    {"small-ball", {3.3, -0.6, 0.1}},
    {"torus", {4.7, 0.8, -0.1}},
};
#define MODEL_COUNT (sizeof models / sizeof *models)

// A ball with dents and bumps, rotated about z.
static void dent(snag_shape *shape, double depth, double waves, double turn)
{
    double c = cos(turn), s = sin(turn);
    for (size_t v = 0; v < shape->vertex_count; v++) {
        double *x = &shape->positions[3 * v];
        double bump = 1 + depth * sin(waves * x[0]) * cos(waves * x[1] + 1) * sin(waves * x[2] + 0.5);
        const double p[3] = {bump * x[0], bump * x[1], bump * x[2]};
        x[0] = c * p[0] - s * p[1];
        x[1] = s * p[0] + c * p[1];
        x[2] = p[2];
    }
}

// At size 1: 2 * 51 * 50 = 5,100 triangles; 2 * 20 * 15 = 600; 2 * 58 * 44 = 5,104. The seed rotates the dented ones.
static snag_status make_model(size_t model, double size, uint64_t *random, snag_shape *shape)
{
    uint32_t around = snag__scene_cells(51, 2, size);
    switch (model) {
    case 2: return snag_shape_sphere(snag__scene_cells(20, 2, size), snag__scene_cells(16, 2, size), 0.25, shape);
    case 3: return snag_shape_torus(snag__scene_cells(58, 2, size), snag__scene_cells(44, 2, size), 0.4, 0.15, shape);
    default: break;
    }
    snag_status status = snag_shape_sphere(around, around, 0.5, shape);
    if (status == SNAG_OK)
        dent(shape, model == 0 ? 0.35 : 0.2, model == 0 ? 10 : 6, snag__scene_random(random, 0, 1));
    return status;
}

snag_status snag__build_rodriguez(snag_sim *sim, const snag_sim_def *def)
{
    uint64_t random = def->seed;
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        snag_shape shape;
        snag_status status = make_model(i, def->size, &random, &shape);
        if (status != SNAG_OK)
            return status;
        snag_shape_transform(&shape, 1, models[i].centre[0], models[i].centre[1], models[i].centre[2]);
        status = snag__scene_add_body(sim, i == 0 ? SNAG__DRIVEN : SNAG__STILL, models[i].name, &shape);
        if (status != SNAG_OK)
            return status;
    }
    return snag__scene_assemble(sim);
}

// Moves straight at 0.425 per second, rotating.
void snag__drive_rodriguez(snag_sim *sim, double time)
{
    snag__body *body = &sim->bodies[0];
    double c = cos(0.6 * time), s = sin(0.6 * time);
    for (size_t v = 0; v < body->shape.vertex_count; v++) {
        const double *p = &body->shape.positions[3 * v];
        body->x[v][0] = c * p[0] - s * p[1] + 0.425 * time;
        body->x[v][1] = s * p[0] + c * p[1];
        body->x[v][2] = p[2];
    }
}
