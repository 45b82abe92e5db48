// The scene of the sphere-tree paper: one body of about 5,000 triangles goes on a fixed path through three others.
// Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005, section 6.2.
// Differs: the paper's models (bunny, dragon, cow, lamp) are replaced by shapes made here, with as many triangles.
#include "scene.h"

typedef struct placed_model {
    const char *name;
    double centre[3];
} placed_model;

// By the order of bodies; the first one moves.
static const placed_model models[] = {
    {"dragon", {0, 0, 0}},
    {"bunny", {4, 1.6, 0}},
    {"lamp", {6.6, -1.2, 0.2}},
    {"cow", {9.4, 1.6, -0.2}},
};
#define MODEL_COUNT (sizeof models / sizeof *models)

// A ball with dents and bumps.
static void dent(snag_shape *shape, double depth, double waves)
{
    for (size_t v = 0; v < shape->vertex_count; v++) {
        double *x = &shape->positions[3 * v];
        double bump = 1 + depth * sin(waves * x[0]) * cos(waves * x[1] + 1) * sin(waves * x[2] + 0.5);
        for (int k = 0; k < 3; k++)
            x[k] *= bump;
    }
}

// 20 * 4^4 = 5,120 triangles; 2 * 20 * 15 = 600; 2 * 58 * 44 = 5,104.
static snag_status make_model(size_t model, snag_shape *shape)
{
    snag_status status;
    switch (model) {
    case 2: return snag_shape_sphere(20, 16, 0.5, shape);
    case 3: return snag_shape_torus(58, 44, 0.8, 0.3, shape);
    default:
        status = snag_shape_icosphere(4, 1, shape);
        if (status == SNAG_OK)
            dent(shape, model == 0 ? 0.35 : 0.2, model == 0 ? 5 : 3);
        return status;
    }
}

snag_status snag__build_rodriguez(snag_sim *sim, const snag_sim_def *def)
{
    (void)def;
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        snag_shape shape;
        snag_status status = make_model(i, &shape);
        if (status != SNAG_OK)
            return status;
        snag_shape_transform(&shape, 1, models[i].centre[0], models[i].centre[1], models[i].centre[2]);
        status = snag__scene_add_body(sim, i == 0 ? SNAG__DRIVEN : SNAG__STILL, models[i].name, &shape);
        if (status != SNAG_OK)
            return status;
    }
    return snag__scene_assemble(sim);
}

// Straight on at 0.85 a second, turning.
void snag__drive_rodriguez(snag_sim *sim, double time)
{
    snag__body *body = &sim->bodies[0];
    double c = cos(0.6 * time), s = sin(0.6 * time);
    for (size_t v = 0; v < body->shape.vertex_count; v++) {
        const double *p = &body->shape.positions[3 * v];
        body->x[v][0] = c * p[0] - s * p[1] + 0.85 * time;
        body->x[v][1] = s * p[0] + c * p[1];
        body->x[v][2] = p[2];
    }
}
