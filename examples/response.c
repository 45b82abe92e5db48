// Drops a cloth onto a ball. The cloth is the simplest there is: vertices that fall, and edges that keep their length.
// snag_response_advance makes every step free of crossings.
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = 24, STEPS = 150, SWEEPS = 20, VERTICES = (CELLS + 1) * (CELLS + 1), EDGES = 3 * CELLS * CELLS + 2 * CELLS };
static const double dt = 1.0 / 100;

// Moves both ends of each edge until the edges have their lengths again.
static void keep_lengths(double *x, const uint32_t *edges, const double *length, size_t edge_count)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t e = 0; e < edge_count; e++) {
            double *p = &x[3 * (size_t)edges[2 * e]], *q = &x[3 * (size_t)edges[2 * e + 1]];
            double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            double now = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), part = 0.5 * (now - length[e]) / now;
            for (int k = 0; k < 3; k++)
                p[k] += part * d[k], q[k] -= part * d[k];
        }
    }
}

static double distance(const double *p, const double *q)
{
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

static snag_status add(snag_world *world, const snag_shape *shape, snag_body_id *body)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles, def.triangle_count = shape->triangle_count;
    return snag_world_add(world, &def, body);
}

int main(void)
{
    snag_shape cloth, ball;
    snag_world *world = NULL;
    snag_response *response = NULL;
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = 1;  // meshes as small as these need no more
    snag_response_body bodies[2] = {0};
    snag_body_info info;
    if (snag_shape_sheet(CELLS, CELLS, 1, 1, &cloth) || snag_shape_icosphere(3, 0.25, &ball))
        return 2;
    snag_shape_transform(&cloth, 1, 0.02, 0.01, 0.3);
    if (snag_world_create(&world_def, &world) || snag_response_create(NULL, &response) || add(world, &cloth, &bodies[0].body) ||
        add(world, &ball, &bodies[1].body) || snag_world_body(world, bodies[0].body, &info))
        return 2;

    // What the response works on: the cloth's own arrays, and a ball that is held, since it has no inverse masses.
    static double start[3 * VERTICES], v[3 * VERTICES], inverse[VERTICES], length[EDGES];
    size_t n = cloth.vertex_count;
    for (size_t i = 0; i < n; i++)
        inverse[i] = 1;
    for (size_t e = 0; e < info.edge_count; e++)
        length[e] = distance(&cloth.positions[3 * (size_t)info.edges[2 * e]], &cloth.positions[3 * (size_t)info.edges[2 * e + 1]]);
    bodies[0] = (snag_response_body){.body = bodies[0].body,
                                     .vertex_count = n,
                                     .positions = cloth.positions,
                                     .velocities = v,
                                     .inverse_masses = inverse,
                                     .start = start};
    bodies[1] = (snag_response_body){
        .body = bodies[1].body, .vertex_count = ball.vertex_count, .positions = ball.positions, .start = ball.positions};
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.005;
    def.dt = dt;

    size_t impacts = 0;
    for (int step = 0; step < STEPS; step++) {
        memcpy(start, cloth.positions, sizeof start);
        for (size_t i = 0; i < n; i++) {
            v[3 * i + 2] -= 9.81 * dt;
            for (size_t k = 0; k < 3; k++)
                cloth.positions[3 * i + k] += dt * v[3 * i + k];
        }
        keep_lengths(cloth.positions, info.edges, length, info.edge_count);
        for (size_t k = 0; k < 3 * n; k++)
            v[k] = 0.998 * (cloth.positions[k] - start[k]) / dt;

        snag_response_report report;
        if (snag_response_advance(response, world, &def, bodies, 2, &report)) {
            fprintf(stderr, "step %d: %s\n", step, snag_response_message(response));
            return 2;
        }
        impacts += report.impacts;
    }

    snag_question_def question = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer;
    if (snag_world_ask(world, &question, &answer))
        return 2;
    double lowest = 1;
    for (size_t i = 0; i < n; i++)
        lowest = fmin(lowest, cloth.positions[3 * i + 2]);
    printf("%d steps, %zu impacts, %zu pairs intersect; the cloth hangs down to %.2f\n", STEPS, impacts, answer->count, lowest);
    size_t left = answer->count;
    snag_response_destroy(response);
    snag_world_destroy(world);
    snag_shape_free(&cloth);
    snag_shape_free(&ball);
    return left == 0 ? 0 : 1;
}
