// A step loop: a sheet falls onto a slope. Every step goes as far as it can without an impact, then asks what is close and pushes it
// apart. docs/guide/embedding.md explains it piece by piece.
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 16, VERTICES = (N + 1) * (N + 1), TRIANGLES = 2 * N * N, STEPS = 60 };
static const double THICKNESS = 0.02, DT = 1.0 / 60;

typedef struct simulation {
    snag_world *world;
    snag_body_id sheet, slope;
    double x[VERTICES][3], wanted[VERTICES][3], v[VERTICES][3];
    size_t began, ended, cut;  // contacts, contacts, steps
} simulation;

static void write_log(void *context, snag_log_level level, const char *message)
{
    (void)context;
    if (level >= SNAG_LOG_WARNING)
        fprintf(stderr, "snag: %s\n", message);
}

static snag_status create_world(simulation *app)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 2;
    def.log.write = write_log;
    return snag_world_create(&def, &app->world);
}

static snag_status add_sheet(simulation *app)
{
    uint32_t triangles[TRIANGLES][3], count = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        double s = (double)(i % (N + 1)) / N, t = (double)(i / (N + 1)) / N;
        memcpy(app->x[i], (const double[3]){s, t, 0.5 + 0.05 * sin(9 * s)}, sizeof app->x[i]);
        if (i % (N + 1) == N || i / (N + 1) == N)
            continue;
        memcpy(triangles[count++], (const uint32_t[3]){i, i + 1, i + N + 2}, sizeof *triangles);
        memcpy(triangles[count++], (const uint32_t[3]){i, i + N + 2, i + N + 1}, sizeof *triangles);
    }
    snag_body_def def = snag_default_body_def();
    def.name = "sheet";
    def.user = app;
    def.positions = snag_positions_f64(&app->x[0][0], VERTICES);
    def.triangles = &triangles[0][0];
    def.triangle_count = count;
    return snag_world_add(app->world, &def, &app->sheet);
}

static snag_status add_slope(simulation *app)
{
    const float x[4][3] = {{-2, -2, 0}, {3, -2, 0.3f}, {3, 3, 0.3f}, {-2, 3, 0}};
    const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    snag_body_def def = snag_default_body_def();
    def.name = "slope";
    def.positions = snag_positions_f32(&x[0][0], 4);
    def.triangles = &triangles[0][0];
    def.triangle_count = 2;
    return snag_world_add(app->world, &def, &app->slope);
}

// The slope never collides with itself: nobody needs to look.
static bool look_at_bodies(void *context, snag_body_id a, snag_body_id b)
{
    const simulation *app = context;
    return !(a.index == app->slope.index && b.index == app->slope.index);
}

static void move_freely(simulation *app)
{
    for (int i = 0; i < VERTICES; i++) {
        app->v[i][2] -= 9.81 * DT;
        for (int axis = 0; axis < 3; axis++)
            app->wanted[i][axis] = app->x[i][axis] + DT * app->v[i][axis];
    }
}

// Moves the sheet to where it wants to be, or 0.9 of the way to the first impact.
static snag_status advance(simulation *app, const snag_filter *filter)
{
    snag_status status = snag_world_move(app->world, app->sheet, snag_positions_f64(&app->wanted[0][0], VERTICES));
    snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
    ask.output = SNAG_OUTPUT_EARLIEST;
    ask.filter = filter;
    const snag_answer *answer = NULL;
    if (status == SNAG_OK)
        status = snag_world_ask(app->world, &ask, &answer);
    if (status != SNAG_OK)
        return status;
    double part = answer->count > 0 ? 0.9 * answer->earliest : 1;
    app->cut += part < 1;
    for (int i = 0; i < VERTICES; i++)
        for (int axis = 0; axis < 3; axis++)
            app->x[i][axis] += part * (app->wanted[i][axis] - app->x[i][axis]);
    return snag_world_move(app->world, app->sheet, snag_positions_f64(&app->x[0][0], VERTICES));
}

// What is closer than the thickness must not approach. The normal points from b to a.
static void push_apart(simulation *app, const snag_contact *c)
{
    if (c->a.kind != SNAG_VERTEX || c->body_a.index != app->sheet.index)
        return;
    double *v = app->v[c->a.index];
    double speed = v[0] * c->normal[0] + v[1] * c->normal[1] + v[2] * c->normal[2];
    double away = (THICKNESS - c->value) / DT / 4;
    for (int axis = 0; speed < away && axis < 3; axis++)
        v[axis] += (away - speed) * c->normal[axis];
}

static snag_status respond(simulation *app, const snag_filter *filter)
{
    snag_kdop_options options = snag_default_kdop_options();
    options.lazy = THICKNESS / 4;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = THICKNESS;
    ask.filter = filter;
    ask.track = true;
    ask.method = SNAG_METHOD_KDOP;
    ask.options = &options.head;
    ask.budget_us = 1000000;
    const snag_answer *answer = NULL;
    snag_status status = snag_world_ask(app->world, &ask, &answer);
    if (status != SNAG_OK)
        return status;
    if (!answer->complete)
        fprintf(stderr, "step: %g of the contacts were looked for\n", answer->covered);
    for (size_t i = 0; i < answer->count; i++) {
        push_apart(app, &answer->contacts[i]);
        app->began += answer->contacts[i].phase == SNAG_PHASE_BEGIN;
    }
    app->ended += answer->ended_count;
    return SNAG_OK;
}

static snag_status step(simulation *app)
{
    snag_filter filter = snag_default_filter();
    filter.bodies = look_at_bodies;
    filter.context = app;
    snag_status status = snag_world_begin_step(app->world);  // where bodies are now is t0
    move_freely(app);
    if (status == SNAG_OK)
        status = advance(app, &filter);
    if (status == SNAG_OK)
        status = respond(app, &filter);
    return status;
}

// How many triangles intersect, and which ones first.
static snag_status check(simulation *app, size_t *count)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.output = SNAG_OUTPUT_PAIRS;
    const snag_answer *answer = NULL;
    snag_status status = snag_world_ask(app->world, &ask, &answer);
    if (status != SNAG_OK)
        return status;
    *count = answer->count;
    for (size_t i = 0; i < answer->count && i < 3; i++)
        printf("body %u triangle %u, body %u triangle %u\n", answer->pairs[i].body_a, answer->pairs[i].a, answer->pairs[i].body_b,
               answer->pairs[i].b);
    return SNAG_OK;
}

int main(void)
{
    static simulation app;
    size_t intersections = 1;
    snag_memory memory = {0};
    snag_status status = create_world(&app);
    if (status == SNAG_OK)
        status = add_slope(&app);
    if (status == SNAG_OK)
        status = add_sheet(&app);
    for (int i = 0; i < STEPS && status == SNAG_OK; i++)
        status = step(&app);
    if (status == SNAG_OK)
        status = check(&app, &intersections);
    if (status == SNAG_OK)
        status = snag_world_memory(app.world, &memory);
    if (status != SNAG_OK)
        fprintf(stderr, "%s: %s\n", snag_status_name(status), snag_world_message(app.world));
    else
        printf("%zu contacts began and %zu ended, %zu of %d steps were cut, %zu triangles intersect, %zu KB are held\n", app.began,
               app.ended, app.cut, (int)STEPS, intersections, memory.total / 1024);
    snag_world_destroy(app.world);
    return status != SNAG_OK ? 2 : intersections > 0;
}
