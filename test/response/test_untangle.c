// Untangling: what starts tangled ends free, judged by brute intersections; what is free is left alone.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"
#include "tangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    snag_world *world;
    snag_response *response;
    tangle tangle;
    double *inverse[2];
    snag_response_body bodies[2];
} scene;

// Takes over the shapes.
static void scene_open(scene *s, tangle t, uint32_t threads)
{
    memset(s, 0, sizeof *s);
    s->tangle = t;
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = threads;
    assert_int_equal(snag_world_create(&world_def, &s->world), SNAG_OK);
    assert_int_equal(snag_response_create(NULL, &s->response), SNAG_OK);
    for (size_t i = 0; i < t.count; i++) {
        const snag_shape *shape = &t.shapes[i];
        s->inverse[i] = malloc(shape->vertex_count * sizeof(double));
        assert_non_null(s->inverse[i]);
        for (size_t v = 0; v < shape->vertex_count; v++)
            s->inverse[i][v] = 1;
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
        def.triangles = shape->triangles;
        def.triangle_count = shape->triangle_count;
        s->bodies[i] = (snag_response_body){
            .vertex_count = shape->vertex_count, .positions = shape->positions, .inverse_masses = s->inverse[i]};
        assert_int_equal(snag_world_add(s->world, &def, &s->bodies[i].body), SNAG_OK);
    }
}

static void scene_close(scene *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
    for (size_t i = 0; i < s->tangle.count; i++)
        free(s->inverse[i]);
    tangle_free(&s->tangle);
}

// By the oracle, of the user's positions.
static size_t intersections(scene *s)
{
    for (size_t i = 0; i < s->tangle.count; i++)
        assert_int_equal(
            snag_world_teleport(s->world, s->bodies[i].body, snag_positions_f64(s->bodies[i].positions, s->bodies[i].vertex_count)),
            SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    return answer->count;
}

static snag_response_report untangle(scene *s)
{
    snag_response_def def = snag_default_response_def();
    snag_response_report report;
    snag_status status = snag_response_untangle(s->response, s->world, &def, s->bodies, s->tangle.count, &report);
    if (status != SNAG_OK)
        fail_msg("%s", snag_response_message(s->response));
    return report;
}

static void tangled_layers_and_folds_get_free(void **state)
{
    (void)state;
    size_t freed = 0, count = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        scene s;
        scene_open(&s, tangle_make(seed % 2 ? TANGLE_LAYERS : TANGLE_FOLD, 14, seed), 1);
        size_t before = intersections(&s);
        snag_response_report report = untangle(&s);
        size_t after = intersections(&s);
        assert_int_equal(report.tangled, before);
        assert_int_equal(report.left, after);
        count += before > 0;
        freed += before > 0 && after == 0;
        // A few edges of 1/14 at most.
        assert_true(report.largest_move < 0.5);
        scene_close(&s);
    }
    assert_true(count >= 12);
    assert_true((double)freed >= 0.95 * (double)count);
}

static void what_is_free_is_left_alone(void **state)
{
    (void)state;
    tangle t = {.count = 1};
    assert_int_equal(snag_shape_icosphere(2, 1, &t.shapes[0]), SNAG_OK);
    scene s;
    scene_open(&s, t, 1);
    size_t bytes = 24 * t.shapes[0].vertex_count;
    double *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, t.shapes[0].positions, bytes);
    snag_response_report report = untangle(&s);
    assert_true(report.tangled == 0 && report.left == 0 && report.asks == 1 && report.largest_move == 0);
    assert_memory_equal(before, t.shapes[0].positions, bytes);
    free(before);
    scene_close(&s);
}

// A cloth that cuts the top of a ball off is pushed up, and the ball, which is held, stays.
static void a_cloth_inside_a_closed_body_goes_out(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        tangle t = {.count = 2};
        assert_int_equal(snag_shape_sheet(12, 12, 2.2, 2.2, &t.shapes[0]), SNAG_OK);
        assert_int_equal(snag_shape_icosphere(2, 1, &t.shapes[1]), SNAG_OK);
        snag_shape_transform(&t.shapes[0], 1, 0.013, 0.017, 0.8);
        scene s;
        scene_open(&s, t, 1);
        size_t bytes = 24 * t.shapes[1].vertex_count;
        double *ball = malloc(bytes), lowest = 2;
        assert_non_null(ball);
        memcpy(ball, t.shapes[1].positions, bytes);
        if (held)
            s.bodies[1].inverse_masses = NULL;
        assert_true(intersections(&s) > 0);
        snag_response_report report = untangle(&s);
        assert_int_equal(report.left, 0);
        assert_int_equal(intersections(&s), 0);
        if (held)
            assert_memory_equal(ball, t.shapes[1].positions, bytes);
        // The middle of the cloth went up, over the ball, not down with the rest.
        for (size_t v = 0; v < t.shapes[0].vertex_count; v++) {
            const double *x = &t.shapes[0].positions[3 * v];
            if (fabs(x[0]) < 0.2 && fabs(x[1]) < 0.2)
                lowest = fmin(lowest, x[2]);
        }
        assert_true(lowest > (held ? 0.9 : 0.8));
        free(ball);
        scene_close(&s);
    }
}

// Two sheets in one plane do not even cross; shaken, they do, and then come apart.
static void sheets_in_one_plane_come_apart(void **state)
{
    (void)state;
    tangle t = {.count = 2};
    for (int i = 0; i < 2; i++)
        assert_int_equal(snag_shape_sheet(5, 5, 1, 1, &t.shapes[i]), SNAG_OK);
    scene s;
    scene_open(&s, t, 1);
    assert_true(intersections(&s) > 100);
    snag_response_report report = untangle(&s);
    assert_int_equal(report.left, 0);
    assert_int_equal(intersections(&s), 0);
    scene_close(&s);
}

// A sheet bent over once, whose upper half sinks through the lower one towards its end: the end comes up again. To free
// it the other way would turn the fold inside out.
static void a_fold_stays_folded(void **state)
{
    (void)state;
    enum { CELLS = 16 };
    tangle t = {.count = 1};
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &t.shapes[0]), SNAG_OK);
    for (size_t v = 0; v < t.shapes[0].vertex_count; v++) {
        double *x = &t.shapes[0].positions[3 * v], s = x[0];
        const double radius = 0.06, bend = 3.14159265 * radius / 2;
        x[1] += 0.01 * s;
        if (s < -bend) {
            x[0] = s + bend, x[2] = 0;
        } else if (s < bend) {
            x[0] = radius * sin((s + bend) / radius), x[2] = radius * (1 - cos((s + bend) / radius));
        } else {
            x[0] = bend - s, x[2] = 2 * radius - 0.6 * (s - bend);
        }
    }
    scene s;
    scene_open(&s, t, 1);
    assert_true(intersections(&s) > 10);
    snag_response_report report = untangle(&s);
    assert_int_equal(report.left, 0);
    assert_int_equal(intersections(&s), 0);
    // The last column of the upper half against the first of the lower one, which lie on each other.
    for (size_t row = 2; row + 2 < CELLS; row++) {
        const double *low = &t.shapes[0].positions[3 * (row * (CELLS + 1))];
        assert_true(low[3 * CELLS + 2] > low[2] - 0.02);
    }
    scene_close(&s);
}

static void the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        scene s[2];
        for (uint32_t i = 0; i < 2; i++) {
            scene_open(&s[i], tangle_make((tangle_kind)kind, 12, 5), 1 + i);
            untangle(&s[i]);
        }
        for (size_t b = 0; b < s[0].tangle.count; b++)
            assert_memory_equal(s[0].bodies[b].positions, s[1].bodies[b].positions, 24 * s[0].bodies[b].vertex_count);
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
}

static void bad_input_gets_a_status_and_changes_nothing(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, tangle_make(TANGLE_LAYERS, 6, 3), 1);
    snag_response_def def = snag_default_response_def();
    double first = s.bodies[0].positions[0];
    s.inverse[0][3] = -1;
    assert_int_equal(snag_response_untangle(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.inverse[0][3] = 1;
    s.bodies[1].positions[5] = NAN;
    assert_int_equal(snag_response_untangle(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_NOT_FINITE);
    s.bodies[1].positions[5] = 0;
    s.bodies[0].inverse_masses = s.bodies[1].inverse_masses = NULL;
    assert_int_equal(snag_response_untangle(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.bodies[0].inverse_masses = s.inverse[0];
    def.method = SNAG_METHOD_ACTIVE;
    assert_int_equal(snag_response_untangle(s.response, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_response_message(s.response), "active"));
    assert_int_equal(snag_response_untangle(s.response, NULL, &def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_untangle(NULL, s.world, &def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_true(s.bodies[0].positions[0] == first);
    scene_close(&s);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    scene *s = context;
    size_t bytes = 24 * s->bodies[0].vertex_count;
    double before[300];
    memcpy(before, s->bodies[0].positions, bytes);
    snag_response *response = NULL;
    snag_status status = snag_response_create(allocator, &response);
    snag_response_def def = snag_default_response_def();
    if (status == SNAG_OK)
        status = snag_response_untangle(response, s->world, &def, s->bodies, 1, NULL);
    if (status != SNAG_OK)
        assert_memory_equal(before, s->bodies[0].positions, bytes);
    memcpy(s->bodies[0].positions, before, bytes);
    snag_response_destroy(response);
    return status;
}

static void failing_memory_is_a_status_and_changes_nothing(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, tangle_make(TANGLE_FOLD, 8, 5), 1);
    assert_true(intersections(&s) > 0);
    assert_true(failing_allocator_sweep(cycle, &s) > 5);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangled_layers_and_folds_get_free),
        cmocka_unit_test(what_is_free_is_left_alone),
        cmocka_unit_test(a_cloth_inside_a_closed_body_goes_out),
        cmocka_unit_test(sheets_in_one_plane_come_apart),
        cmocka_unit_test(a_fold_stays_folded),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(bad_input_gets_a_status_and_changes_nothing),
        cmocka_unit_test(failing_memory_is_a_status_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
