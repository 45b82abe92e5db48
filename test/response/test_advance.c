// Steps without a crossing: start free, end free, judged by brute intersections, whatever the motion.
#include "common/any_question.h"
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BODIES = 3 };

// A few bodies with all that the response wants to know of them.
typedef struct scene {
    snag_world *world;
    snag_response *response;
    size_t count;
    snag_shape shapes[MAX_BODIES];
    double *start[MAX_BODIES], *v[MAX_BODIES], *inverse[MAX_BODIES];
    snag_response_body bodies[MAX_BODIES];
    snag_response_def def;
} scene;

static void scene_open(scene *s, uint32_t threads)
{
    memset(s, 0, sizeof *s);
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    assert_int_equal(snag_world_create(&def, &s->world), SNAG_OK);
    assert_int_equal(snag_response_create(NULL, &s->response), SNAG_OK);
    s->def = snag_default_response_def();
    s->def.thickness = 0.01;
    s->def.dt = 0.02;
}

// Takes over the shape. A held body is an obstacle.
static void scene_add(scene *s, snag_shape shape, bool held)
{
    size_t i = s->count++, n = shape.vertex_count;
    s->shapes[i] = shape;
    s->start[i] = malloc(24 * n);
    s->v[i] = calloc(n, 24);
    s->inverse[i] = malloc(8 * n);
    assert_true(s->start[i] && s->v[i] && s->inverse[i]);
    memcpy(s->start[i], shape.positions, 24 * n);
    for (size_t k = 0; k < n; k++)
        s->inverse[i][k] = 1 + 0.5 * (double)(k % 3);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, n);
    def.triangles = shape.triangles;
    def.triangle_count = shape.triangle_count;
    s->bodies[i] = (snag_response_body){.vertex_count = n,
                                        .positions = shape.positions,
                                        .velocities = s->v[i],
                                        .inverse_masses = held ? NULL : s->inverse[i],
                                        .start = s->start[i]};
    assert_int_equal(snag_world_add(s->world, &def, &s->bodies[i].body), SNAG_OK);
}

static void scene_close(scene *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
    for (size_t i = 0; i < s->count; i++) {
        snag_shape_free(&s->shapes[i]);
        free(s->start[i]);
        free(s->v[i]);
        free(s->inverse[i]);
    }
}

// The world as it stands, by the oracle.
static size_t intersections(scene *s)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    return answer->count;
}

// What was the end becomes the start of the next step.
static void scene_begin_step(scene *s)
{
    for (size_t i = 0; i < s->count; i++)
        memcpy(s->start[i], s->shapes[i].positions, 24 * s->shapes[i].vertex_count);
}

static snag_response_report advance(scene *s)
{
    snag_response_report report;
    snag_status status = snag_response_advance(s->response, s->world, &s->def, s->bodies, s->count, &report);
    if (status != SNAG_OK)
        fail_msg("%s", snag_response_message(s->response));
    return report;
}

static snag_shape sheet(uint32_t cells, double size, double height)
{
    snag_shape shape;
    assert_int_equal(snag_shape_sheet(cells, cells, size, size, &shape), SNAG_OK);
    snag_shape_transform(&shape, 1, 0, 0, height);
    return shape;
}

// ---- violent motions ----

// A smooth random field that throws a cloth about, with noise of every vertex on top.
typedef struct storm {
    double direction[3][3], wave[3][3], phase[3];
    double noise;
} storm;

static storm storm_make(snag__random *random, double strength, double noise)
{
    storm st = {.noise = noise};
    for (int w = 0; w < 3; w++) {
        st.phase[w] = snag__random_range(random, 0, 6.28);
        for (int k = 0; k < 3; k++) {
            st.direction[w][k] = snag__random_range(random, -strength, strength);
            st.wave[w][k] = snag__random_range(random, -5, 5);
        }
    }
    return st;
}

static void storm_move(const storm *st, snag__random *random, const double x[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = st->noise * snag__random_range(random, -1, 1);
    for (int w = 0; w < 3; w++) {
        double phase = st->phase[w];
        for (int k = 0; k < 3; k++)
            phase += st->wave[w][k] * x[k];
        for (int k = 0; k < 3; k++)
            out[k] += sin(phase) * st->direction[w][k];
    }
}

// Moves every free vertex by its velocity and a storm, held bodies by `push` along z.
static void scene_blow(scene *s, snag__random *random, double strength, double noise, double push)
{
    scene_begin_step(s);
    for (size_t i = 0; i < s->count; i++) {
        storm st = storm_make(random, strength, noise);
        double *x = s->shapes[i].positions;
        for (size_t k = 0; k < s->shapes[i].vertex_count; k++) {
            double move[3] = {0, 0, push};
            if (s->bodies[i].inverse_masses != NULL && s->inverse[i][k] > 0) {
                storm_move(&st, random, &x[3 * k], move);
                for (int a = 0; a < 3; a++) {
                    s->v[i][3 * k + (size_t)a] = 0.5 * s->v[i][3 * k + (size_t)a] + move[a] / s->def.dt;
                    x[3 * k + (size_t)a] += s->def.dt * s->v[i][3 * k + (size_t)a];
                }
            } else if (s->bodies[i].inverse_masses == NULL) {
                x[3 * k + 2] += push;
            }
        }
    }
}

typedef struct tally {
    size_t steps, impacts, merged, cut, asks;
} tally;

static void tally_add(tally *t, const snag_response_report *report)
{
    t->steps++;
    t->impacts += report->impacts;
    t->merged += report->merged > 0;
    t->cut += report->fraction < 1;
    t->asks += report->asks;
}

// Blows at a scene for a few steps, each of which must end free.
static void blow_steps(scene *s, uint64_t seed, int steps, double strength, double noise, double push, tally *t)
{
    snag__random random = {seed};
    assert_int_equal(intersections(s), 0);
    for (int step = 0; step < steps; step++) {
        scene_blow(s, &random, strength, noise, push);
        snag_response_report report = advance(s);
        tally_add(t, &report);
        size_t crossings = intersections(s);
        if (crossings > 0)
            fail_msg("seed %u, step %d: %u pairs intersect", (unsigned)seed, step, (unsigned)crossings);
    }
}

static void print_tally(const tally *t)
{
    print_message("%zu steps, %zu impacts, %zu with zones, %zu cut, %.1f asks each\n", t->steps, t->impacts, t->merged, t->cut,
                  (double)t->asks / (double)t->steps);
}

// SNAG_MANY=n runs n times as many.
static uint64_t seeds(uint64_t count)
{
    const char *many = getenv("SNAG_MANY");
    return many != NULL ? count * strtoul(many, NULL, 10) : count;
}

static void a_crumpled_sheet_stays_free_of_itself(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= seeds(12); seed++) {
        scene s;
        scene_open(&s, 1);
        scene_add(&s, sheet(7, 1, 0), false);
        blow_steps(&s, seed, 4, 0.5, 0.1 * (double)(seed % 4), 0, &t);
        scene_close(&s);
    }
    print_tally(&t);
    assert_true(t.cut == 0 && t.impacts > 0);
}

static void layers_thrown_through_each_other_stay_free(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= seeds(8); seed++) {
        scene s;
        scene_open(&s, 1);
        for (int i = 0; i < 3; i++)
            scene_add(&s, sheet(5, 1, 0.05 * i), false);
        blow_steps(&s, seed, 4, 0.4, 0.05 * (double)(seed % 4), 0, &t);
        scene_close(&s);
    }
    print_tally(&t);
    assert_true(t.cut == 0 && t.impacts > 0);
}

// A cloth that is pinned at two corners, and below it a ball.
static void open_ball(scene *s)
{
    scene_open(s, 1);
    scene_add(s, sheet(8, 1, 0), false);
    s->inverse[0][0] = s->inverse[0][8] = 0;
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(1, 0.2, &ball), SNAG_OK);
    snag_shape_transform(&ball, 1, 0, 0, -0.3);
    scene_add(s, ball, true);
}

static void a_pinned_cloth_and_a_ball_that_pushes_it_stay_free(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= seeds(8); seed++) {
        scene s;
        open_ball(&s);
        blow_steps(&s, seed, 5, 0.2, 0.02, 0.15, &t);
        scene_close(&s);
    }
    print_tally(&t);
}

// Without any rounds of impulses everything that collides is merged at once.
static void zones_alone_keep_a_step_free(void **state)
{
    (void)state;
    tally t = {0};
    for (uint64_t seed = 1; seed <= seeds(12); seed++) {
        scene s;
        if (seed % 2)
            open_ball(&s);
        else {
            scene_open(&s, 1);
            for (int i = 0; i < 2; i++)
                scene_add(&s, sheet(6, 1, 0.05 * i), false);
        }
        s.def.rounds = 0;
        s.def.thickness = 0;
        blow_steps(&s, seed, 4, 0.2, 0.05, 0.1, &t);
        scene_close(&s);
    }
    print_tally(&t);
    assert_true(t.merged > t.steps / 2);
}

// Coordinates on a coarse grid: features meet in vertices, along edges and in planes, and many touch from the start.
static void motions_on_a_grid_make_no_new_intersection(void **state)
{
    (void)state;
    snag__random random = {11};
    size_t free_at_start = 0, touched = 0;
    for (uint64_t i = 0; i < seeds(150); i++) {
        scene s;
        scene_open(&s, 1);
        s.def.thickness = i % 3 ? 0.0625 : 0;
        s.def.rounds = (uint32_t)(i % 4);
        for (int b = 0; b < 2; b++)
            scene_add(&s, sheet(2, 1, 0.125 * b), false);
        scene_begin_step(&s);
        for (size_t b = 0; b < 2; b++)
            for (size_t k = 0; k < 3 * s.shapes[b].vertex_count; k++) {
                s.start[b][k] += 0.125 * (double)snag__random_below(&random, 2);
                s.shapes[b].positions[k] = s.start[b][k] + 0.125 * (double)snag__random_below(&random, 7) - 0.375;
                s.inverse[b][k / 3] = snag__random_below(&random, 20) == 0 ? 0 : 1;
            }
        for (size_t b = 0; b < 2; b++)
            assert_int_equal(
                snag_world_teleport(s.world, s.bodies[b].body, snag_positions_f64(s.start[b], s.bodies[b].vertex_count)), SNAG_OK);
        size_t before = intersections(&s);
        snag_response_report report = advance(&s);
        touched += report.excepted > 0;
        free_at_start += before == 0;
        if (before == 0) {
            assert_int_equal(report.excepted, 0);
            assert_int_equal(intersections(&s), 0);
        }
        scene_close(&s);
    }
    assert_true(free_at_start > 10 && touched > 10);
}

// ---- what has no way out ----

// Two balls that are to pass through each other with a cloth between them.
static void a_cloth_that_is_pinched_cuts_the_step_and_stays_free(void **state)
{
    (void)state;
    scene s;
    open_ball(&s);
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(1, 0.2, &ball), SNAG_OK);
    snag_shape_transform(&ball, 1, 0.01, 0.02, 0.3);
    scene_add(&s, ball, true);
    scene_begin_step(&s);
    snag_shape_transform(&s.shapes[1], 1, 0, 0, 0.3);
    snag_shape_transform(&s.shapes[2], 1, 0, 0, -0.3);
    snag_response_report report = advance(&s);
    assert_true(report.fraction > 0.2 && report.fraction < 1);
    assert_int_equal(intersections(&s), 0);
    // The balls did not get where they were to be.
    double lowest = 1;
    for (size_t i = 0; i < s.shapes[2].vertex_count; i++)
        lowest = fmin(lowest, s.shapes[2].positions[3 * i + 2]);
    assert_true(lowest > -0.2 + 1e-6);
    scene_close(&s);
}

// A vertex that lies in a triangle at the start can be freed by nobody, but others go on.
static void what_touches_at_the_start_is_excepted_and_holds_up_nobody(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    scene_add(&s, sheet(4, 1, 0), false);
    snag_shape dart = sheet(1, 0.1, 0);
    memcpy(&dart.positions[0], (double[3]){0.01, 0.02, 0}, 24);
    for (size_t i = 1; i < 4; i++)
        dart.positions[3 * i + 2] = 0.1 * (double)i;
    scene_add(&s, dart, false);
    scene_begin_step(&s);
    for (size_t i = 0; i < s.shapes[0].vertex_count; i++)
        s.shapes[0].positions[3 * i] += 0.3;
    for (size_t i = 0; i < 4; i++)
        s.shapes[1].positions[3 * i] += 0.3;
    snag_response_report report = advance(&s);
    assert_true(report.excepted > 0);
    assert_true(report.fraction == 1);
    assert_true(fabs(s.shapes[0].positions[0] - s.start[0][0]) > 0.1);
    scene_close(&s);
}

// ---- physics ----

static void momentum(const scene *s, double p[3])
{
    memset(p, 0, 3 * sizeof *p);
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < 3 * s->shapes[i].vertex_count; k++)
            p[k % 3] += s->v[i][k] / s->inverse[i][k / 3];
}

static void two_free_sheets_keep_their_momentum(void **state)
{
    (void)state;
    for (uint32_t rounds = 0; rounds <= 10; rounds += 10) {
        scene s;
        scene_open(&s, 1);
        for (int i = 0; i < 2; i++)
            scene_add(&s, sheet(5, 1, 0.1 * i), false);
        s.def.rounds = rounds;
        snag__random random = {3};
        scene_blow(&s, &random, 0.3, 0.02, 0);
        double before[3], after[3];
        momentum(&s, before);
        snag_response_report report = advance(&s);
        assert_true(report.impacts > 0);
        momentum(&s, after);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(before[k] - after[k]) < 1e-9 * (1 + fabs(before[k])));
        scene_close(&s);
    }
}

// A fast sheet that meets a resting one of the same mass: both go on together, at half the speed.
static void an_impact_is_inelastic(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    for (int i = 0; i < 2; i++) {
        scene_add(&s, sheet(4, 1, 0.1 * i), false);
        for (size_t k = 0; k < s.shapes[i].vertex_count; k++)
            s.inverse[i][k] = 1;
    }
    for (int step = 0; step < 12; step++) {
        scene_begin_step(&s);
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < s.shapes[i].vertex_count; k++) {
                if (step == 0)
                    s.v[i][3 * k + 2] = i == 1 ? -20 : 0;
                s.shapes[i].positions[3 * k + 2] += s.def.dt * s.v[i][3 * k + 2];
            }
        advance(&s);
    }
    double mean[2] = {0};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < s.shapes[i].vertex_count; k++)
            mean[i] += s.v[i][3 * k + 2] / (double)s.shapes[i].vertex_count;
    assert_true(fabs(mean[0] + 10) < 0.5 && fabs(mean[1] + 10) < 0.5);
    assert_int_equal(intersections(&s), 0);
    scene_close(&s);
}

static void a_step_without_contact_is_left_alone(void **state)
{
    (void)state;
    scene s;
    open_ball(&s);
    scene_begin_step(&s);
    for (size_t k = 0; k < 3 * s.shapes[0].vertex_count; k++)
        s.v[0][k] = 0.125 * (double)(k % 5);
    for (size_t k = 0; k < s.shapes[0].vertex_count; k++)
        s.shapes[0].positions[3 * k + 2] += 0.1;
    double wanted[300], v[300];
    memcpy(wanted, s.shapes[0].positions, 24 * s.shapes[0].vertex_count);
    memcpy(v, s.v[0], 24 * s.shapes[0].vertex_count);
    snag_response_report report = advance(&s);
    assert_true(report.impacts == 0 && report.fraction == 1 && report.asks == 1);
    for (size_t k = 0; k < 3 * s.shapes[0].vertex_count; k++)
        assert_true(fabs(wanted[k] - s.shapes[0].positions[k]) < 1e-15);
    assert_memory_equal(v, s.v[0], 24 * s.shapes[0].vertex_count);
    scene_close(&s);
}

// ---- repeatable, refused, without memory ----

static void the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    scene s[2];
    for (uint32_t i = 0; i < 2; i++) {
        tally t = {0};
        open_ball(&s[i]);
        snag_world_destroy(s[i].world);
        snag_world_def def = snag_default_world_def();
        def.threads = 1 + i;
        assert_int_equal(snag_world_create(&def, &s[i].world), SNAG_OK);
        for (size_t b = 0; b < s[i].count; b++) {
            snag_body_def surface = snag_default_body_def();
            surface.positions = snag_positions_f64(s[i].shapes[b].positions, s[i].shapes[b].vertex_count);
            surface.triangles = s[i].shapes[b].triangles;
            surface.triangle_count = s[i].shapes[b].triangle_count;
            assert_int_equal(snag_world_add(s[i].world, &surface, &s[i].bodies[b].body), SNAG_OK);
        }
        blow_steps(&s[i], 77, 3, 0.3, 0.1, 0.1, &t);
    }
    assert_memory_equal(s[0].shapes[0].positions, s[1].shapes[0].positions, 24 * s[0].shapes[0].vertex_count);
    assert_memory_equal(s[0].v[0], s[1].v[0], 24 * s[0].shapes[0].vertex_count);
    scene_close(&s[0]);
    scene_close(&s[1]);
}

static void bad_input_gets_a_status(void **state)
{
    (void)state;
    scene s;
    open_ball(&s);
    snag_response_def def = s.def;
    def.dt = 0;
    assert_int_equal(snag_response_advance(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.bodies[0].start = NULL;
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.bodies[0].start = s.start[0];
    s.start[0][7] = NAN;
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_NOT_FINITE);
    assert_non_null(strstr(snag_response_message(s.response), "vertex 2"));
    s.start[0][7] = 1e308;
    s.shapes[0].positions[7] = -1e308;
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_response_advance(s.response, NULL, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    def = s.def;
    def.method = SNAG_METHOD_SPHERES;
    memcpy(s.shapes[0].positions, s.start[0], 24);
    s.start[0][7] = s.shapes[0].positions[7] = 0;
    assert_int_equal(snag_response_advance(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_UNSUPPORTED);
    scene_close(&s);
}

// The same violent step again and again, from the same start.
static snag_status repeat_step(const snag_allocator *allocator, void *context)
{
    scene *s = context;
    size_t bytes = 24 * s->shapes[0].vertex_count;
    double wanted[300], v[300];
    memcpy(wanted, s->shapes[0].positions, bytes);
    memcpy(v, s->v[0], bytes);
    snag_response *response = NULL;
    snag_status status = snag_response_create(allocator, &response);
    if (status == SNAG_OK)
        status = snag_response_advance(response, s->world, &s->def, s->bodies, s->count, NULL);
    if (status != SNAG_OK) {
        assert_memory_equal(wanted, s->shapes[0].positions, bytes);
        assert_memory_equal(v, s->v[0], bytes);
    }
    memcpy(s->shapes[0].positions, wanted, bytes);
    memcpy(s->v[0], v, bytes);
    snag_response_destroy(response);
    return status;
}

static void failing_memory_is_a_status_and_changes_nothing(void **state)
{
    (void)state;
    scene s;
    open_ball(&s);
    snag__random random = {5};
    s.def.rounds = 1;
    scene_blow(&s, &random, 0.3, 0.1, 0.1);
    assert_true(failing_allocator_sweep(repeat_step, &s) > 10);
    scene_close(&s);
}

static void nothing_is_allocated_after_the_first_steps(void **state)
{
    (void)state;
    scene s;
    open_ball(&s);
    snag__random random = {5};
    scene_blow(&s, &random, 0.3, 0.1, 0.1);
    size_t bytes = 24 * s.shapes[0].vertex_count;
    double wanted[300], v[300];
    memcpy(wanted, s.shapes[0].positions, bytes);
    memcpy(v, s.v[0], bytes);
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_response *response;
    assert_int_equal(snag_response_create(&allocator, &response), SNAG_OK);
    size_t calls = 0;
    for (int i = 0; i < 3; i++) {
        memcpy(s.shapes[0].positions, wanted, bytes);
        memcpy(s.v[0], v, bytes);
        assert_int_equal(snag_response_advance(response, s.world, &s.def, s.bodies, s.count, NULL), SNAG_OK);
        assert_true(i == 0 || memory.calls == calls);
        calls = memory.calls;
    }
    snag_response_destroy(response);
    failing_allocator_assert_clean(&memory);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crumpled_sheet_stays_free_of_itself),
        cmocka_unit_test(layers_thrown_through_each_other_stay_free),
        cmocka_unit_test(a_pinned_cloth_and_a_ball_that_pushes_it_stay_free),
        cmocka_unit_test(zones_alone_keep_a_step_free),
        cmocka_unit_test(motions_on_a_grid_make_no_new_intersection),
        cmocka_unit_test(a_cloth_that_is_pinched_cuts_the_step_and_stays_free),
        cmocka_unit_test(what_touches_at_the_start_is_excepted_and_holds_up_nobody),
        cmocka_unit_test(two_free_sheets_keep_their_momentum),
        cmocka_unit_test(an_impact_is_inelastic),
        cmocka_unit_test(a_step_without_contact_is_left_alone),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(bad_input_gets_a_status),
        cmocka_unit_test(failing_memory_is_a_status_and_changes_nothing),
        cmocka_unit_test(nothing_is_allocated_after_the_first_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
