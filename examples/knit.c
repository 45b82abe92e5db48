// A thick knit: rows of yarn as rods with a radius. The loops are drawn too tight, so that the yarns overlap; a few steps of response push
// them apart until each touches its neighbours and none cuts into another.
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS = 4,
    LOOPS = 6,
    PER_LOOP = 24,
    PER_ROW = LOOPS * PER_LOOP + 1,
    VERTICES = ROWS * PER_ROW,
    EDGES = VERTICES - ROWS,
    STEPS = 60
};
static const double radius = 0.14, pi = 3.14159265358979323846;

// The usual curve of a knitted loop: forth and back along the row, up and down to the rows beside, in front and behind.
static void draw(double (*x)[3], uint32_t (*edges)[2])
{
    uint32_t edge = 0;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t i = 0; i < PER_ROW; i++) {
            uint32_t v = row * PER_ROW + i;
            double t = 2 * pi * i / PER_LOOP;
            x[v][0] = t / pi + 0.35 * sin(2 * t);
            x[v][1] = 0.9 * row - 0.75 * cos(t);
            x[v][2] = 0.16 * cos(2 * t);
            if (i > 0) {
                edges[edge][0] = v - 1;
                edges[edge++][1] = v;
            }
        }
}

// By how much the yarns overlap at most.
static double overlap(const snag_answer *answer)
{
    double most = 0;
    for (size_t i = 0; i < answer->count; i++)
        most = fmax(most, 2 * radius - answer->contacts[i].value);
    return most;
}

int main(void)
{
    static double x[VERTICES][3], v[VERTICES][3], inverse_mass[VERTICES];
    static uint32_t edges[EDGES][2];
    draw(x, edges);
    for (uint32_t i = 0; i < VERTICES; i++)
        inverse_mass[i] = 1;

    snag_world_def world_def = snag_default_world_def();
    snag_world *world = NULL;
    snag_response *response = NULL;
    snag_status status = snag_world_create(&world_def, &world);
    if (status == SNAG_OK)
        status = snag_response_create(NULL, &response);

    snag_body_def def = snag_default_body_def();
    def.name = "knit";
    def.positions = snag_positions_f64(&x[0][0], VERTICES);
    def.edges = &edges[0][0];
    def.edge_count = EDGES;
    def.radius = radius;
    snag_body_id knit;
    if (status == SNAG_OK)
        status = snag_world_add(world, &def, &knit);

    // Edges are shorter than the yarn is thick: neighbours along it are no contacts.
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = 6;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.filter = &filter;
    snag_response_def push = snag_default_response_def();
    push.thickness = 0;  // the radii are enough
    push.spread = 0.5;
    push.rings = 3;
    snag_response_body body = {
        .vertex_count = VERTICES, .positions = &x[0][0], .velocities = &v[0][0], .inverse_masses = inverse_mass};
    double before = 0, after = 0;
    for (int step = 0; step <= STEPS && status == SNAG_OK; step++) {
        const snag_answer *answer = NULL;
        status = snag_world_ask(world, &ask, &answer);
        if (status != SNAG_OK)
            break;
        after = overlap(answer);
        before = step == 0 ? after : before;
        if (step % 20 == 0)
            printf("step %2d: %4zu contacts, overlap %.4f of %.2f\n", step, answer->count, after, 2 * radius);
        body.body = knit;
        memset(v, 0, sizeof v);
        if (snag_response_apply(response, world, &push, &body, 1, answer, NULL) != SNAG_OK) {
            fprintf(stderr, "%s\n", snag_response_message(response));
            return 1;
        }
        status = snag_world_teleport(world, knit, snag_positions_f64(&x[0][0], VERTICES));
    }
    if (status != SNAG_OK)
        fprintf(stderr, "%s\n", snag_world_message(world));
    snag_response_destroy(response);
    snag_world_destroy(world);
    return status == SNAG_OK && before > 0.02 && after < before / 10 ? 0 : 1;
}
