// Golden positions: what response and simulator make of a few scenes. All calls of both are here: see golden.h.
#include "common/any_question.h"
#include "golden/golden.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "snag/response.h"
#include "snag/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- response ----

enum { BODIES = 3 };

typedef struct rig {
    snag_world *world;
    snag_response *response;
    snag_response_def def;
    size_t count;
    snag_shape shapes[BODIES];
    snag_response_body bodies[BODIES];
    double *start[BODIES], *velocities[BODIES], *inverse[BODIES];
} rig;

static void rig_open(rig *r, uint32_t threads)
{
    memset(r, 0, sizeof *r);
    r->world = scene_world(&(scene_options){.threads = threads});
    assert_non_null(r->world);
    assert_int_equal(snag_response_create(NULL, &r->response), SNAG_OK);
    r->def = snag_default_response_def();
    r->def.thickness = 0.015625;
    r->def.dt = 0.015625;
}

// Takes over the shape, rounded so that it is the same with every libm.
static void rig_add(rig *r, snag_shape shape, bool held)
{
    size_t i = r->count++, n = shape.vertex_count;
    r->shapes[i] = shape;
    for (size_t k = 0; k < 3 * n; k++)
        shape.positions[k] = nearbyint(shape.positions[k] * 0x1p24) * 0x1p-24;
    r->start[i] = malloc(3 * n * sizeof(double));
    r->velocities[i] = calloc(3 * n, sizeof(double));
    r->inverse[i] = malloc(n * sizeof(double));
    for (size_t k = 0; k < n; k++) {
        r->inverse[i][k] = 1 + 0.5 * (double)(k % 3);
        r->velocities[i][3 * k + 2] = held ? 0 : -1 + 0.25 * (double)(k % 5);
    }
    memcpy(r->start[i], shape.positions, 3 * n * sizeof(double));
    r->bodies[i] = (snag_response_body){.vertex_count = n,
                                        .positions = shape.positions,
                                        .velocities = r->velocities[i],
                                        .inverse_masses = held ? NULL : r->inverse[i],
                                        .start = r->start[i]};
    assert_int_equal(scene_add(r->world, &shape, SNAG_F64, NULL, &r->bodies[i].body), SNAG_OK);
}

static void rig_line(rig *r, const char *key, const snag_response_report *report, uint32_t threads)
{
    golden_stream stream;
    golden_begin(&stream);
    for (size_t i = 0; i < r->count; i++) {
        golden_add_doubles(&stream, r->shapes[i].positions, 3 * r->shapes[i].vertex_count);
        golden_add_doubles(&stream, r->velocities[i], 3 * r->shapes[i].vertex_count);
    }
    golden_add(&stream, report->contacts);
    golden_add(&stream, report->left_out);
    golden_add_double(&stream, report->missing);
    golden_add_double(&stream, report->remaining);
    golden_add_double(&stream, report->largest_move);
    golden_add(&stream, report->impacts);
    golden_add(&stream, report->merged);
    golden_add(&stream, report->excepted);
    golden_add_double(&stream, report->fraction);
    golden_add(&stream, report->tangled);
    golden_add(&stream, report->left);
    stream.contacts = report->contacts + report->impacts + report->tangled;
    char words[32];
    snprintf(words, sizeof words, "%u threads", threads);
    golden_line(key, &stream, words);
    golden_end(&stream);
}

static void rig_close(rig *r)
{
    snag_response_destroy(r->response);
    snag_world_destroy(r->world);
    for (size_t i = 0; i < r->count; i++) {
        snag_shape_free(&r->shapes[i]);
        free(r->start[i]);
        free(r->velocities[i]);
        free(r->inverse[i]);
    }
}

static snag_shape sheet(uint32_t cells, double height)
{
    snag_shape shape;
    assert_int_equal(snag_shape_sheet(cells, cells, 1, 1, &shape), SNAG_OK);
    snag_shape_transform(&shape, 1, 0.01 * height, 0.02 * height, height);
    return shape;
}

static snag_shape ball(double radius, double x, double z)
{
    snag_shape shape;
    assert_int_equal(snag_shape_icosphere(2, radius, &shape), SNAG_OK);
    snag_shape_transform(&shape, 1, x, 0, z);
    return shape;
}

static void apply_proximities(uint32_t threads)
{
    rig r;
    snag_response_report report;
    rig_open(&r, threads);
    rig_add(&r, sheet(16, 0.26), false);
    rig_add(&r, ball(0.25, 0, 0), true);
    rig_add(&r, sheet(12, 0.27), false);
    r.def.spread = 0.5;
    r.def.rings = 2;
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.distance = 0.03125;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(r.world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_response_apply(r.response, r.world, &r.def, r.bodies, r.count, answer, &report), SNAG_OK);
    rig_line(&r, "response apply proximities", &report, threads);
    rig_close(&r);
}

static void apply_penetrations(uint32_t threads)
{
    rig r;
    snag_response_report report;
    snag_shape blocks[2];
    rig_open(&r, threads);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snag_shape_block(4, 4, 4, 0.125, &blocks[i]), SNAG_OK);
        snag_shape_transform(&blocks[i], 1, 0.07 * i, 0.05 * i, 0.41 * i);
        rig_add(&r, blocks[i], false);
    }
    any_question ask = any_default(SNAG_PENETRATIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(r.world, &ask, &answer), SNAG_OK);
    assert_int_equal(snag_response_apply(r.response, r.world, &r.def, r.bodies, r.count, answer, &report), SNAG_OK);
    rig_line(&r, "response apply penetrations", &report, threads);
    rig_close(&r);
}

// Falls onto a ball and another sheet for a few steps, each of which starts where the last one ended.
static void advance(uint32_t threads)
{
    rig r;
    rig_open(&r, threads);
    rig_add(&r, sheet(14, 0.30), false);
    rig_add(&r, ball(0.25, 0, 0), true);
    rig_add(&r, sheet(10, 0.33), false);
    for (int step = 0; step < 6; step++) {
        snag_response_report report;
        for (size_t i = 0; i < r.count; i++) {
            size_t n = r.shapes[i].vertex_count;
            memcpy(r.start[i], r.shapes[i].positions, 3 * n * sizeof(double));
            for (size_t k = 0; k < n && r.bodies[i].inverse_masses; k++) {
                r.velocities[i][3 * k + 2] -= 0.25 * (1 + (double)(k % 7) / 8);
                for (size_t d = 0; d < 3; d++)
                    r.shapes[i].positions[3 * k + d] += r.def.dt * r.velocities[i][3 * k + d];
            }
        }
        assert_int_equal(snag_response_advance(r.response, r.world, &r.def, r.bodies, r.count, &report), SNAG_OK);
        char key[64];
        snprintf(key, sizeof key, "response advance step-%d", step);
        rig_line(&r, key, &report, threads);
    }
    rig_close(&r);
}

static void untangle(uint32_t threads)
{
    rig r;
    snag_response_report report;
    snag__random random = {111};
    rig_open(&r, threads);
    rig_add(&r, scene_crumpled_sheet(14, 0.02, &random), false);
    rig_add(&r, ball(0.2, 0.1, 0.05), false);
    assert_int_equal(snag_response_untangle(r.response, r.world, &r.def, r.bodies, r.count, &report), SNAG_OK);
    rig_line(&r, "response untangle sheet-ball", &report, threads);
    rig_close(&r);
}

void golden_responses(void)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        apply_proximities(threads);
        apply_penetrations(threads);
        advance(threads);
        untangle(threads);
    }
}

// ---- simulator ----

static void simulate(const char *name, double size, int steps, snag_sim_response response, uint32_t threads)
{
    snag_sim *sim = NULL;
    snag_sim_def def = snag_default_sim_def();
    def.scene = name;
    def.size = size;
    def.threads = threads;
    def.response = response;
    assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
    golden_stream stream;
    golden_begin(&stream);
    for (int step = 0; step < steps; step++) {
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
        stream.contacts += snag_sim_last_step(sim).contacts;
        for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
            snag_sim_body body = snag_sim_body_at(sim, b);
            golden_add_doubles(&stream, body.positions, 3 * body.vertex_count);
        }
    }
    char key[96], words[32];
    snprintf(key, sizeof key, "sim %s response-%d", name, (int)response);
    snprintf(words, sizeof words, "%u threads", threads);
    golden_line(key, &stream, words);
    golden_end(&stream);
    snag_sim_destroy(sim);
}

void golden_simulations(void)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        simulate("cloth-ball", 0.1, 16, SNAG_SIM_RESPONSE_SCENE, threads);
        simulate("cloth-ball", 0.1, 12, SNAG_SIM_RESPONSE_IMPACTS, threads);
        simulate("soft-blocks", 0.2, 10, SNAG_SIM_RESPONSE_SCENE, threads);
        simulate("dressed-figure", 0.1, 4, SNAG_SIM_RESPONSE_SCENE, threads);
    }
}
