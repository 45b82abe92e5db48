// Response and tracking with rods, points and radii.
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <string.h>

// Two crossed rods and a particle above them, all of one radius; the lower rod is held.
typedef struct yarns {
    snag_world *world;
    snag_body_id id[3];
    double x[3][2][3], start[3][2][3], v[3][2][3];
    snag_response_body bodies[3];
} yarns;

static const double free_masses[2] = {1, 1};

static void make(yarns *y, double gap, double radius)
{
    const double x[3][2][3] = {{{-1, 0, 0}, {1, 0, 0}}, {{0, -1, gap}, {0, 1, gap}}, {{0, 0, 2 * gap}, {0, 0, 0}}};
    memset(y, 0, sizeof *y);
    y->world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < 3; i++) {
        size_t count = i < 2 ? 2 : 1;
        snag_body_def def = snag_default_body_def();
        memcpy(y->x[i], x[i], sizeof x[i]);
        memcpy(y->start[i], x[i], sizeof x[i]);
        def.positions = snag_positions_f64(&x[i][0][0], count);
        def.edges = (const uint32_t[]){0, 1};
        def.edge_count = i < 2;
        def.points = (const uint32_t[]){0};
        def.point_count = i == 2;
        def.radius = radius;
        assert_int_equal(snag_world_add(y->world, &def, &y->id[i]), SNAG_OK);
        y->bodies[i] = (snag_response_body){.body = y->id[i],
                                            .vertex_count = count,
                                            .positions = &y->x[i][0][0],
                                            .velocities = &y->v[i][0][0],
                                            .inverse_masses = i == 0 ? NULL : free_masses,
                                            .start = &y->start[i][0][0]};
    }
}

static void contacts_are_pushed_to_the_radii(void **state)
{
    (void)state;
    yarns y;
    make(&y, 0.1, 0.1);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(y.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 3);  // both rods, and the particle with each
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    snag_response_report report;
    def.thickness = 0;
    def.iterations = 200;
    assert_int_equal(snag_response_apply(response, y.world, &def, y.bodies, 3, answer, &report), SNAG_OK);
    assert_int_equal(report.contacts, 3);
    assert_true(fabs(report.missing - 0.1) < 1e-12);
    assert_true(y.x[0][0][2] == 0 && fabs(y.x[1][0][2] - 0.2) < 1e-6 && y.x[2][0][2] - y.x[1][0][2] > 0.2 - 1e-6);
    snag_response_destroy(response);
    snag_world_destroy(y.world);
}

static void advance_keeps_rods_and_particles_apart(void **state)
{
    (void)state;
    yarns y;
    make(&y, 0.5, 0.05);
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def def = snag_default_response_def();
    def.thickness = 1e-3;
    def.dt = 1;
    // The upper rod falls through the lower one, and the particle through both.
    for (int v = 0; v < 2; v++) {
        y.x[1][v][2] -= 2;
        y.v[1][v][2] = -2;
    }
    y.x[2][0][2] -= 4;
    y.v[2][0][2] = -4;
    snag_response_report report;
    assert_int_equal(snag_response_advance(response, y.world, &def, y.bodies, 3, &report), SNAG_OK);
    assert_true(report.impacts > 0 && report.fraction == 1);
    assert_true(y.x[1][0][2] > 0 && y.x[2][0][2] > y.x[1][0][2]);
    snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    ask.ignore_radius = true;
    assert_int_equal(snag_world_ask(y.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 0);
    snag_response_destroy(response);
    snag_world_destroy(y.world);
}

static void contacts_keep_their_ids(void **state)
{
    (void)state;
    yarns y;
    make(&y, 0.1, 0.1);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.track = true;
    const snag_answer *answer = NULL;
    uint64_t ids[3];
    assert_int_equal(snag_world_ask(y.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 3);
    for (int i = 0; i < 3; i++)
        ids[i] = answer->contacts[i].id;
    for (int v = 0; v < 2; v++)
        y.x[1][v][0] += 0.01;
    assert_int_equal(snag_world_move(y.world, y.id[1], snag_positions_f64(&y.x[1][0][0], 2)), SNAG_OK);
    assert_int_equal(snag_world_ask(y.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(answer->contacts[i].id == ids[i] && answer->contacts[i].phase == SNAG_PHASE_PERSIST);
    y.x[2][0][2] = 5;
    assert_int_equal(snag_world_move(y.world, y.id[2], snag_positions_f64(&y.x[2][0][0], 1)), SNAG_OK);
    assert_int_equal(snag_world_ask(y.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 1);
    assert_int_equal(answer->ended_count, 2);
    snag_world_destroy(y.world);
}

// Rods that pass through triangles are counted with the triangles that do; untangling never makes it worse.
static void untangling_counts_rods_and_leaves_their_memory_alone(void **state)
{
    (void)state;
    // Two triangles through each other, and a yarn of three rods through both; edge numbers are beyond those of triangles.
    const double x[][3] = {{0, 0, 0},     {2, 0, 0},  {0, 2, 0},     {0.5, 0.5, -1}, {0.6, 0.5, 1},
                           {1.5, 0.5, 1}, {0, 0, -1}, {0.4, 0.4, 1}, {1, 0.3, -1},   {1.2, 0.3, 1}};
    const uint32_t triangles[] = {0, 1, 2, 3, 4, 5}, rods[] = {6, 7, 7, 8, 8, 9};
    double positions[10][3], masses[10];
    memcpy(positions, x, sizeof x);
    for (int i = 0; i < 10; i++)
        masses[i] = 1;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], 10);
    def.triangles = triangles;
    def.triangle_count = 2;
    def.edges = rods;
    def.edge_count = 3;
    snag_response_body body = {.vertex_count = 10, .positions = &positions[0][0], .inverse_masses = masses, .start = &x[0][0]};
    assert_int_equal(snag_world_add(world, &def, &body.body), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    const size_t before = answer->count;
    assert_true(before >= 4);
    snag_response *response = NULL;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    snag_response_def how = snag_default_response_def();
    snag_response_report report;
    assert_int_equal(snag_response_untangle(response, world, &how, &body, 1, &report), SNAG_OK);
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(report.tangled, before);
    assert_int_equal(report.left, answer->count);
    assert_true(report.left <= before);
    snag_response_destroy(response);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_pushed_to_the_radii),
        cmocka_unit_test(advance_keeps_rods_and_particles_apart),
        cmocka_unit_test(contacts_keep_their_ids),
        cmocka_unit_test(untangling_counts_rods_and_leaves_their_memory_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
