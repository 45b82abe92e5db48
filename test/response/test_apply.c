// Response to proximities and penetrations: what physics says of it, what is refused, and that it is repeatable.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a dart above a table: one vertex over the inside of one triangle ----

typedef struct scene {
    snag_world *world;
    snag_response *response;
    snag_response_body bodies[2];  // dart, table
    double dart[4][3], dart_v[4][3], dart_inverse[4];
    double table[3][3], table_v[3][3], table_inverse[3];
} scene;

static const uint32_t dart_triangles[] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
static const uint32_t table_triangles[] = {0, 1, 2};

static snag_body_id add(snag_world *world, const double *x, size_t count, const uint32_t *triangles, size_t triangle_count)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(x, count);
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static void scene_open(scene *s, double height)
{
    memset(s, 0, sizeof *s);
    const double dart[4][3] = {{0, 0, height}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}};
    const double table[3][3] = {{-4, -3, 0}, {4, -3, 0}, {0, 5, 0}};
    memcpy(s->dart, dart, sizeof dart);
    memcpy(s->table, table, sizeof table);
    for (int i = 0; i < 4; i++)
        s->dart_inverse[i] = 1 / (1.0 + i);
    for (int i = 0; i < 3; i++)
        s->table_inverse[i] = 1 / (5.0 - i);
    snag_world_def def = snag_default_world_def();
    assert_int_equal(snag_world_create(&def, &s->world), SNAG_OK);
    assert_int_equal(snag_response_create(NULL, &s->response), SNAG_OK);
    s->bodies[0] = (snag_response_body){.body = add(s->world, s->dart[0], 4, dart_triangles, 4),
                                        .vertex_count = 4,
                                        .positions = s->dart[0],
                                        .velocities = s->dart_v[0],
                                        .inverse_masses = s->dart_inverse};
    s->bodies[1] = (snag_response_body){.body = add(s->world, s->table[0], 3, table_triangles, 1),
                                        .vertex_count = 3,
                                        .positions = s->table[0],
                                        .velocities = s->table_v[0],
                                        .inverse_masses = s->table_inverse};
}

static void scene_close(scene *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
}

static const snag_answer *ask_close(snag_world *world, double distance)
{
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.distance = distance;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    return answer;
}

static snag_status apply(scene *s, const snag_response_def *def, snag_response_report *report)
{
    return snag_response_apply(s->response, s->world, def, s->bodies, 2, ask_close(s->world, 0.1), report);
}

static void momentum(const scene *s, double p[3])
{
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (int i = 0; i < 4; i++)
            p[k] += s->dart_v[i][k] / s->dart_inverse[i];
        for (int i = 0; i < 3; i++)
            p[k] += s->table_v[i][k] / s->table_inverse[i];
    }
}

static double energy(const scene *s)
{
    double e = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            e += 0.5 * s->dart_v[i][k] * s->dart_v[i][k] / s->dart_inverse[i];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e += 0.5 * s->table_v[i][k] * s->table_v[i][k] / s->table_inverse[i];
    return e;
}

// The velocity of the tip relative to the point of the table below it.
static void relative_velocity(const scene *s, double out[3])
{
    // (0, 0) = w0 (-4, -3) + w1 (4, -3) + w2 (0, 5): w0 = w1 = 5/16, w2 = 6/16.
    const double w[3] = {5.0 / 16, 5.0 / 16, 6.0 / 16};
    for (int k = 0; k < 3; k++)
        out[k] = s->dart_v[0][k] - w[0] * s->table_v[0][k] - w[1] * s->table_v[1][k] - w[2] * s->table_v[2][k];
}

static void an_approach_is_stopped_without_bounce_and_momentum_is_kept(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    s.dart_v[0][0] = 0.5, s.dart_v[0][2] = -3;
    s.table_v[1][2] = 0.25;
    double before[3], after[3], relative[3], e = energy(&s);
    momentum(&s, before);
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    def.friction = 0;
    snag_response_report report;
    assert_int_equal(apply(&s, &def, &report), SNAG_OK);
    momentum(&s, after);
    relative_velocity(&s, relative);
    assert_int_equal(report.contacts, 1);
    assert_true(fabs(relative[2]) < 1e-12);
    assert_true(s.dart_v[0][0] == 0.5);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(before[k] - after[k]) < 1e-12);
    assert_true(energy(&s) < e);
    scene_close(&s);
}

static void the_thickness_is_restored_by_mass(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    double centre = 0, mass = 0;
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    snag_response_report report;
    assert_int_equal(apply(&s, &def, &report), SNAG_OK);
    assert_true(fabs(report.missing - 0.006) < 1e-12 && fabs(report.remaining) < 1e-12);
    assert_true(fabs(s.dart[0][2] - (5 * s.table[0][2] + 5 * s.table[1][2] + 6 * s.table[2][2]) / 16 - 0.01) < 1e-12);
    // The centre of mass stays: every other vertex is where it was.
    centre += (s.dart[0][2] - 0.004) / s.dart_inverse[0];
    for (int i = 0; i < 3; i++)
        centre += s.table[i][2] / s.table_inverse[i], mass += 1 / s.table_inverse[i];
    assert_true(fabs(centre) < 1e-12 * mass);
    assert_true(s.dart_v[0][2] == 0);
    scene_close(&s);
}

static void half_a_correction_makes_up_for_half(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    def.correction = 0.5;
    snag_response_report report;
    assert_int_equal(apply(&s, &def, &report), SNAG_OK);
    assert_true(fabs(report.remaining - 0.003) < 1e-12);
    scene_close(&s);
}

// Coulomb: with an impulse of 1 along the normal, up to `friction` sideways; slower than that sticks.
static void friction_sticks_below_the_cone_and_slides_on_it(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        scene s;
        scene_open(&s, 0.004);
        s.bodies[1].inverse_masses = NULL;  // the table is held
        double slide = fast ? 2 : 0.2;
        s.dart_v[0][0] = slide, s.dart_v[0][2] = -1;
        snag_response_def def = snag_default_response_def();
        def.thickness = 0.01;
        def.friction = 0.3;
        assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
        assert_true(fabs(s.dart_v[0][2]) < 1e-12);
        assert_true(fabs(s.dart_v[0][0] - (fast ? slide - 0.3 : 0)) < 1e-12);
        scene_close(&s);
    }
}

static void what_parts_is_left_alone_and_what_is_far_may_come_as_close_as_the_thickness(void **state)
{
    (void)state;
    scene s;
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    scene_open(&s, 0.004);
    s.dart_v[0][2] = 2;
    assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
    assert_true(s.dart_v[0][2] == 2);
    scene_close(&s);

    scene_open(&s, 0.05);
    s.bodies[1].inverse_masses = NULL;
    s.dart_v[0][2] = -100;
    assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
    assert_true(s.dart_v[0][2] == -100 && s.dart[0][2] == 0.05);
    def.dt = 0.01;
    assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
    assert_true(fabs(s.dart_v[0][2] + 4) < 1e-12 && s.dart[0][2] == 0.05);
    scene_close(&s);
}

static void held_vertices_are_never_written(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    double table[3][3];
    memcpy(table, s.table, sizeof table);
    s.bodies[1].inverse_masses = NULL;
    s.table_v[0][2] = s.table_v[1][2] = s.table_v[2][2] = 7;  // it rises
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
    assert_memory_equal(table, s.table, sizeof table);
    assert_true(s.table_v[1][2] == 7);
    assert_true(fabs(s.dart_v[0][2] - 7) < 1e-12);
    scene_close(&s);
}

static void neighbours_get_a_part_ring_by_ring(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    s.bodies[1].inverse_masses = NULL;
    s.dart_inverse[3] = 0;
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    def.spread = 0.5;
    assert_int_equal(apply(&s, &def, NULL), SNAG_OK);
    assert_true(fabs(s.dart[0][2] - 0.01) < 1e-12);
    assert_true(fabs(s.dart[1][2] - 2.003) < 1e-12 && fabs(s.dart[2][2] - 2.003) < 1e-12);
    assert_true(s.dart[3][2] == 2);
    scene_close(&s);
}

// ---- what is refused ----

typedef struct refusal {
    const char *what;
    snag_status status;
    void (*spoil)(scene *s, snag_response_def *def);
} refusal;

static void spoil_mass_zero(scene *s, snag_response_def *def)
{
    (void)def, s->dart_inverse[2] = INFINITY;
}
static void spoil_mass_nan(scene *s, snag_response_def *def)
{
    (void)def, s->dart_inverse[2] = NAN;
}
static void spoil_mass_negative(scene *s, snag_response_def *def)
{
    (void)def, s->table_inverse[0] = -1;
}
static void spoil_position(scene *s, snag_response_def *def)
{
    (void)def, s->dart[1][1] = NAN;
}
static void spoil_velocity(scene *s, snag_response_def *def)
{
    (void)def, s->table_v[1][1] = INFINITY;
}
static void spoil_held(scene *s, snag_response_def *def)
{
    (void)def;
    s->bodies[0].inverse_masses = s->bodies[1].inverse_masses = NULL;
}
static void spoil_count(scene *s, snag_response_def *def)
{
    (void)def, s->bodies[0].vertex_count = 3;
}
static void spoil_twice(scene *s, snag_response_def *def)
{
    (void)def, s->bodies[1] = s->bodies[0];
}
static void spoil_body(scene *s, snag_response_def *def)
{
    (void)def, s->bodies[1].body.generation++;
}
static void spoil_positions(scene *s, snag_response_def *def)
{
    (void)def, s->bodies[1].positions = NULL;
}
static void spoil_thickness(scene *s, snag_response_def *def)
{
    (void)s, def->thickness = NAN;
}
static void spoil_friction(scene *s, snag_response_def *def)
{
    (void)s, def->friction = -1;
}
static void spoil_ratio(scene *s, snag_response_def *def)
{
    (void)s, def->ratio = 1.5;
}
static void spoil_iterations(scene *s, snag_response_def *def)
{
    (void)s, def->iterations = 0;
}

static const refusal refusals[] = {
    {"a mass of zero", SNAG_ERROR_NOT_FINITE, spoil_mass_zero},
    {"a mass that is no number", SNAG_ERROR_NOT_FINITE, spoil_mass_nan},
    {"a negative mass", SNAG_ERROR_ARGUMENT, spoil_mass_negative},
    {"a position", SNAG_ERROR_NOT_FINITE, spoil_position},
    {"a velocity", SNAG_ERROR_NOT_FINITE, spoil_velocity},
    {"everything held", SNAG_ERROR_ARGUMENT, spoil_held},
    {"a wrong number of vertices", SNAG_ERROR_MISMATCH, spoil_count},
    {"a body listed twice", SNAG_ERROR_ARGUMENT, spoil_twice},
    {"a body that is gone", SNAG_ERROR_BODY, spoil_body},
    {"no positions", SNAG_ERROR_ARGUMENT, spoil_positions},
    {"thickness", SNAG_ERROR_ARGUMENT, spoil_thickness},
    {"friction", SNAG_ERROR_ARGUMENT, spoil_friction},
    {"ratio", SNAG_ERROR_ARGUMENT, spoil_ratio},
    {"iterations", SNAG_ERROR_ARGUMENT, spoil_iterations},
};

static void bad_input_gets_a_status_and_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        scene s;
        scene_open(&s, 0.004);
        s.dart_v[0][2] = -1;
        snag_response_def def = snag_default_response_def();
        refusals[i].spoil(&s, &def);
        scene copy = s;
        snag_status status = apply(&s, &def, NULL);
        if (status != refusals[i].status)
            fail_msg("%s: status %s", refusals[i].what, snag_status_name(status));
        assert_true(snag_response_message(s.response)[0] != 0);
        assert_memory_equal(copy.dart, s.dart, sizeof s.dart);
        assert_memory_equal(copy.dart_v, s.dart_v, sizeof s.dart_v);
        assert_memory_equal(copy.table, s.table, sizeof s.table);
        scene_close(&s);
    }
}

static void answers_that_do_not_fit_get_a_status(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 0.004);
    snag_response_def def = snag_default_response_def();
    snag_answer answer = *ask_close(s.world, 0.1);
    snag_contact contact = answer.contacts[0];
    answer.contacts = &contact;
    // A body that is not listed.
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 1, &answer, NULL), SNAG_ERROR_BODY);
    // An element that does not exist, weights that were not computed, a distance that is none.
    contact.b.index = 1;
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 2, &answer, NULL), SNAG_ERROR_INDEX);
    contact.b.index = 0;
    contact.value = NAN;
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 2, &answer, NULL), SNAG_ERROR_NOT_FINITE);
    contact.weight[0] = contact.weight[1] = contact.weight[2] = 0;
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 2, &answer, NULL), SNAG_ERROR_ARGUMENT);
    answer.question = SNAG_INTERSECTIONS;
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 2, &answer, NULL), SNAG_ERROR_UNSUPPORTED);
    assert_int_equal(snag_response_apply(NULL, s.world, &def, s.bodies, 2, &answer, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_apply(s.response, s.world, &def, s.bodies, 2, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_apply(s.response, s.world, NULL, s.bodies, 2, &answer, NULL), SNAG_ERROR_UNSUPPORTED);
    scene_close(&s);
}

// ---- sheets and blocks ----

typedef struct layers {
    snag_world *world;
    snag_shape sheet[2];
    double *v[2], *inverse[2];
    snag_response_body bodies[2];
} layers;

static double *filled(size_t count, double value)
{
    double *array = malloc(count * sizeof *array);
    assert_non_null(array);
    for (size_t i = 0; i < count; i++)
        array[i] = value;
    return array;
}

// Two sheets one above the other that approach.
static void layers_open(layers *l, uint32_t threads)
{
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    assert_int_equal(snag_world_create(&def, &l->world), SNAG_OK);
    for (int i = 0; i < 2; i++) {
        snag_shape *s = &l->sheet[i];
        assert_int_equal(snag_shape_sheet(20, 20 + (uint32_t)i, 1, 1, s), SNAG_OK);
        snag_shape_transform(s, 1, 0.01 * i, 0, 0.004 * i);
        l->v[i] = filled(3 * s->vertex_count, i ? -0.5 : 0.25);
        l->inverse[i] = filled(s->vertex_count, i ? 2 : 1);
        l->bodies[i] = (snag_response_body){.body = add(l->world, s->positions, s->vertex_count, s->triangles, s->triangle_count),
                                            .vertex_count = s->vertex_count,
                                            .positions = s->positions,
                                            .velocities = l->v[i],
                                            .inverse_masses = l->inverse[i]};
    }
}

static void layers_close(layers *l)
{
    snag_world_destroy(l->world);
    for (int i = 0; i < 2; i++) {
        snag_shape_free(&l->sheet[i]);
        free(l->v[i]);
        free(l->inverse[i]);
    }
}

static void the_same_bytes_for_any_number_of_threads_and_the_thickness_between_layers(void **state)
{
    (void)state;
    layers one, two;
    layers_open(&one, 1);
    layers_open(&two, 2);
    snag_response *response;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.01;
    def.spread = 0.5;
    def.iterations = 30;
    snag_response_report report;
    assert_int_equal(snag_response_apply(response, one.world, &def, one.bodies, 2, ask_close(one.world, 0.01), &report), SNAG_OK);
    assert_true(report.contacts > 400);
    assert_true(report.remaining < 0.05 * report.missing);
    assert_int_equal(snag_response_apply(response, two.world, &def, two.bodies, 2, ask_close(two.world, 0.01), NULL), SNAG_OK);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(one.sheet[i].positions, two.sheet[i].positions, 24 * one.sheet[i].vertex_count);
        assert_memory_equal(one.v[i], two.v[i], 24 * one.sheet[i].vertex_count);
    }
    snag_response_destroy(response);
    layers_close(&one);
    layers_close(&two);
}

static void a_ratio_responds_to_its_part_by_seed(void **state)
{
    (void)state;
    size_t counts[3];
    double height[3];
    for (int run = 0; run < 3; run++) {
        layers l;
        layers_open(&l, 1);
        snag_response *response;
        assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
        snag_response_def def = snag_default_response_def();
        def.thickness = 0.01;
        def.ratio = 0.2;
        def.seed = run < 2 ? 7 : 8;
        snag_response_report report;
        assert_int_equal(snag_response_apply(response, l.world, &def, l.bodies, 2, ask_close(l.world, 0.01), &report), SNAG_OK);
        counts[run] = report.contacts;
        double part = (double)report.contacts / (double)(report.contacts + report.left_out);
        assert_true(part > 0.15 && part < 0.25);
        height[run] = 0;
        for (size_t i = 0; i < l.sheet[1].vertex_count; i++)
            height[run] += (double)i * l.sheet[1].positions[3 * i + 2];
        snag_response_destroy(response);
        layers_close(&l);
    }
    assert_true(counts[0] == counts[1] && height[0] == height[1]);
    assert_true(height[0] != height[2]);
}

// A block sunk into another: after a few rounds of ask and apply hardly any depth is left.
static void penetrations_are_pushed_out_by_depth_and_direction(void **state)
{
    (void)state;
    snag_world *world;
    snag_world_def world_def = snag_default_world_def();
    assert_int_equal(snag_world_create(&world_def, &world), SNAG_OK);
    snag_shape block[2];
    double *inverse[2], *v[2];
    snag_response_body bodies[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snag_shape_block(5, 5, 3, 0.1, &block[i]), SNAG_OK);
        snag_shape_transform(&block[i], 1, 0.02 * i, 0.03 * i, 0.27 * i);
        inverse[i] = filled(block[i].vertex_count, 1);
        v[i] = filled(3 * block[i].vertex_count, i ? -1 : 1);
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(block[i].positions, block[i].vertex_count);
        def.tets = block[i].tets;
        def.tet_count = block[i].tet_count;
        bodies[i] = (snag_response_body){.vertex_count = block[i].vertex_count,
                                         .positions = block[i].positions,
                                         .velocities = v[i],
                                         .inverse_masses = inverse[i]};
        assert_int_equal(snag_world_add(world, &def, &bodies[i].body), SNAG_OK);
    }
    snag_response *response;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    snag_response_report report = {0};
    double first = 0;
    for (int round = 0; round < 12; round++) {
        any_question ask = any_default(SNAG_PENETRATIONS);
        const snag_answer *answer;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(snag_response_apply(response, world, &def, bodies, 2, answer, &report), SNAG_OK);
        if (round == 0) {
            first = report.missing;
            assert_true(report.contacts > 20 && first > 0.029 && first < 0.06);
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(
                snag_world_teleport(world, bodies[i].body, snag_positions_f64(bodies[i].positions, bodies[i].vertex_count)),
                SNAG_OK);
    }
    assert_true(report.missing < 0.01 * first);
    snag_response_destroy(response);
    snag_world_destroy(world);
    for (int i = 0; i < 2; i++) {
        snag_shape_free(&block[i]);
        free(inverse[i]);
        free(v[i]);
    }
}

// ---- memory ----

typedef struct cycle_context {
    layers *layers;
    const snag_answer *answer;
} cycle_context;

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    cycle_context *c = context;
    snag_response *response = NULL;
    snag_status status = snag_response_create(allocator, &response);
    snag_response_def def = snag_default_response_def();
    def.spread = 0.5;
    if (status == SNAG_OK)
        status = snag_response_apply(response, c->layers->world, &def, c->layers->bodies, 2, c->answer, NULL);
    snag_response_destroy(response);
    return status;
}

static void failing_memory_is_a_status(void **state)
{
    (void)state;
    layers l;
    layers_open(&l, 1);
    cycle_context context = {.layers = &l, .answer = ask_close(l.world, 0.01)};
    assert_true(failing_allocator_sweep(cycle, &context) >= 8);
    layers_close(&l);
}

static void nothing_is_allocated_after_the_first_call(void **state)
{
    (void)state;
    layers l;
    layers_open(&l, 1);
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_response *response;
    assert_int_equal(snag_response_create(&allocator, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    const snag_answer *answer = ask_close(l.world, 0.01);
    assert_int_equal(snag_response_apply(response, l.world, &def, l.bodies, 2, answer, NULL), SNAG_OK);
    size_t calls = memory.calls;
    for (int i = 0; i < 3; i++)
        assert_int_equal(snag_response_apply(response, l.world, &def, l.bodies, 2, answer, NULL), SNAG_OK);
    assert_int_equal(memory.calls, calls);
    snag_response_destroy(response);
    failing_allocator_assert_clean(&memory);
    layers_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_approach_is_stopped_without_bounce_and_momentum_is_kept),
        cmocka_unit_test(the_thickness_is_restored_by_mass),
        cmocka_unit_test(half_a_correction_makes_up_for_half),
        cmocka_unit_test(friction_sticks_below_the_cone_and_slides_on_it),
        cmocka_unit_test(what_parts_is_left_alone_and_what_is_far_may_come_as_close_as_the_thickness),
        cmocka_unit_test(held_vertices_are_never_written),
        cmocka_unit_test(neighbours_get_a_part_ring_by_ring),
        cmocka_unit_test(bad_input_gets_a_status_and_changes_nothing),
        cmocka_unit_test(answers_that_do_not_fit_get_a_status),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads_and_the_thickness_between_layers),
        cmocka_unit_test(a_ratio_responds_to_its_part_by_seed),
        cmocka_unit_test(penetrations_are_pushed_out_by_depth_and_direction),
        cmocka_unit_test(failing_memory_is_a_status),
        cmocka_unit_test(nothing_is_allocated_after_the_first_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
