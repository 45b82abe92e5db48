// Figures are closed and turned outward, garments are open where garments are and start free of what they cover.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "common/any_question.h"
#include "figure.h"
#include "snag/mesh.h"
#include "snag/sim.h"
#include "snag/snag.h"

static snag_world *make_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    return world;
}

static snag_body_id add(snag_world *world, const double *positions, size_t vertices, const uint32_t *triangles, size_t count)
{
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    def.positions = snag_positions_f64(positions, vertices);
    def.triangles = triangles;
    def.triangle_count = count;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static double volume_of(const snag_shape *shape)
{
    double volume = 0;
    for (size_t t = 0; t < shape->triangle_count; t++) {
        const uint32_t *c = shape->triangles + 3 * t;
        double n[3];
        snag__cross3(shape->positions + 3 * c[1], shape->positions + 3 * c[2], n);
        volume += snag__dot3(shape->positions + 3 * c[0], n) / 6;
    }
    return volume;
}

static void test_figures_are_closed_and_turned_outward(void **state)
{
    (void)state;
    for (int kind = SNAG__FORM; kind <= SNAG__WALKER; kind++) {
        snag__sim_memory memory = {0};
        snag__figure figure;
        snag_shape shape;
        assert_true(snag__figure_make(&figure, (snag__figure_kind)kind, 4000, &shape, &memory));
        snag_world *world = make_world();
        const snag_mesh_report *report;
        snag_body_id id = add(world, shape.positions, shape.vertex_count, shape.triangles, shape.triangle_count);
        assert_int_equal(snag_world_check(world, id, &report), SNAG_OK);
        assert_true(report->closed);
        assert_int_equal(report->counts[SNAG_ISSUE_FLIPPED_EDGE], 0);
        assert_int_equal(report->components, kind == SNAG__FORM ? 1 : 3);
        assert_true(shape.triangle_count > 3500 && shape.triangle_count < 4500);
        assert_true(volume_of(&shape) > 0.03 && volume_of(&shape) < 0.2);
        snag_world_destroy(world);
        snag_shape_free(&shape);
        snag__sim_free_all(&memory);
    }
}

static void test_trousers_have_three_openings_and_two_sides(void **state)
{
    (void)state;
    const uint32_t columns[] = {8, 13, 28};
    for (int i = 0; i < 3; i++) {
        snag_shape trousers;
        uint32_t waist;
        assert_true(snag__trousers_make(columns[i], 20, &trousers, &waist));
        snag_world *world = make_world();
        const snag_mesh_report *report;
        snag_body_id id = add(world, trousers.positions, trousers.vertex_count, trousers.triangles, trousers.triangle_count);
        assert_int_equal(snag_world_check(world, id, &report), SNAG_OK);
        assert_int_equal(report->boundary_edges, 2 * columns[i] + waist);
        assert_int_equal(report->issue_count, 0);
        assert_int_equal(report->components, 1);
        // A sphere with three holes: vertices - edges + triangles = 2 - 3.
        snag_body_info info;
        assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
        assert_int_equal((long)info.vertex_count - (long)info.edge_count + (long)info.triangle_count, -1);
        for (uint32_t k = 0; k < waist; k++)
            assert_true(trousers.positions[3 * (trousers.vertex_count - 1 - k) + 2] > 0.99);
        snag_world_destroy(world);
        snag_shape_free(&trousers);
    }
}

// Pairs of triangles that intersect between bodies, and of garments with themselves.
static size_t crossings(const snag_sim *sim)
{
    snag_world *world = make_world();
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        add(world, body.positions, body.vertex_count, body.triangles, body.triangle_count);
    }
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        // The legs of a figure stand in its trunk.
        count += c->body_a.index != c->body_b.index || c->body_a.index != 1;
    }
    snag_world_destroy(world);
    return count;
}

static void test_garments_start_free_and_stay_on_their_figures(void **state)
{
    (void)state;
    const char *scenes[] = {"dressed-figure", "dressed-man", "walking-figure", "body-cloth"};
    for (int s = 0; s < 4; s++) {
        snag_sim_def def = snag_default_sim_def();
        def.scene = scenes[s];
        def.threads = 1;
        snag_sim *sim = NULL;
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
        assert_int_equal(crossings(sim), 0);
        snag_sim_destroy(sim);
        def.size = 0.2;
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
        for (int i = 0; i < 30; i++)
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
        snag_sim_depth depth;
        assert_int_equal(snag_sim_measure(sim, 0.04, &depth), SNAG_OK);
        assert_true(depth.worst < 0.004);
        // Within a third of a second it has found its place and fallen no further than a few centimetres.
        snag_sim_body garment = snag_sim_body_at(sim, 1);
        double top = -1;
        for (size_t i = 0; i < garment.vertex_count; i++)
            top = fmax(top, garment.positions[3 * i + 2]);
        assert_true(top > 1.2);
        snag_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_are_closed_and_turned_outward),
        cmocka_unit_test(test_trousers_have_three_openings_and_two_sides),
        cmocka_unit_test(test_garments_start_free_and_stay_on_their_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
