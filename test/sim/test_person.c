// The person of catwalk and stroll: one smooth closed surface that never crosses itself while it walks, and garments that start free and stay on it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "common/any_question.h"
#include "person.h"
#include "snag/mesh.h"
#include "snag/sim.h"
#include "snag/snag.h"
#include "vector.h"

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

static size_t count_intersections(snag_world *world)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    return answer->count;
}

// vertices - edges + triangles: 2 less 1 for each hole.
static void assert_surface(const snag_shape *shape, long euler)
{
    snag_world *world = make_world();
    snag_body_id id = add(world, shape->positions, shape->vertex_count, shape->triangles, shape->triangle_count);
    const snag_mesh_report *report;
    snag_body_info info;
    assert_int_equal(snag_world_check(world, id, &report), SNAG_OK);
    assert_int_equal(report->issue_count, 0);
    assert_int_equal(report->components, 1);
    assert_int_equal(report->closed, euler == 2);
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal((long)info.vertex_count - (long)info.edge_count + (long)info.triangle_count, euler);
    assert_int_equal(count_intersections(world), 0);
    snag_world_destroy(world);
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

// The largest angle between a triangle and the mean of those around one of its corners, in degrees.
static double sharpest_corner(const snag_shape *shape)
{
    double(*normals)[3] = calloc(shape->vertex_count + shape->triangle_count, sizeof *normals);
    double(*own)[3] = normals + shape->vertex_count, least = 1;
    assert_non_null(normals);
    for (size_t t = 0; t < shape->triangle_count; t++) {
        const uint32_t *c = shape->triangles + 3 * t;
        double e[3], f[3];
        snag__subtract3(shape->positions + 3 * (size_t)c[1], shape->positions + 3 * (size_t)c[0], e);
        snag__subtract3(shape->positions + 3 * (size_t)c[2], shape->positions + 3 * (size_t)c[0], f);
        snag__cross3(e, f, own[t]);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(normals[c[k]], 1 / snag__length3(own[t]), own[t]);
    }
    for (size_t i = 0; i < 3 * shape->triangle_count; i++) {
        const double *corner = normals[shape->triangles[i]];
        least = fmin(least, snag__dot3(corner, own[i / 3]) / (snag__length3(corner) * snag__length3(own[i / 3])));
    }
    free(normals);
    return acos(least) * 57.29577951308232;
}

static void test_a_person_is_one_smooth_closed_surface(void **state)
{
    (void)state;
    const double wanted[] = {3000, 12000, 48000}, largest[] = {80, 50, 31};
    for (int i = 0; i < 3; i++) {
        snag__sim_memory memory = {0};
        static snag__person person;
        snag_shape shape;
        assert_true(snag__person_make(&person, wanted[i], &shape, &memory));
        assert_true((double)shape.triangle_count > 0.75 * wanted[i] && (double)shape.triangle_count < 1.25 * wanted[i]);
        assert_surface(&shape, 2);
        assert_true(volume_of(&shape) > 0.05 && volume_of(&shape) < 0.09);
        // Fingertips are the sharpest. A crease, or a part that only stands in another, would not get smoother with more triangles.
        assert_true(sharpest_corner(&shape) < largest[i]);
        snag_shape_free(&shape);
        snag__sim_free_all(&memory);
    }
}

// Two double steps, eased in: no crossing, a foot on the ground, legs and arms that swing against each other.
static void test_a_walk_never_crosses_itself_and_stands_on_the_ground(void **state)
{
    (void)state;
    snag__sim_memory memory = {0};
    static snag__person person;
    snag_shape shape;
    assert_true(snag__person_make(&person, 7000, &shape, &memory));
    double(*x)[3] = (double(*)[3])shape.positions;
    double ahead[2] = {0, 0};
    snag_world *world = make_world();
    snag_body_id id = add(world, shape.positions, shape.vertex_count, shape.triangles, shape.triangle_count);
    for (int frame = 0; frame < 70; frame++) {
        snag__person_move(&person, 0.05 * frame);
        snag__person_skin(&person, x);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(shape.positions, shape.vertex_count)), SNAG_OK);
        assert_int_equal(count_intersections(world), 0);
        double low = 1, top = 0, left_foot = 0, left_hand = 0;
        for (size_t v = 0; v < shape.vertex_count; v++) {
            low = fmin(low, x[v][2]);
            top = fmax(top, x[v][2]);
            // It faces -y.
            if (x[v][2] < 0.12 && x[v][0] < -0.02)
                left_foot = fmax(left_foot, -x[v][1]);
            if (x[v][0] < -0.42)
                left_hand = fmax(left_hand, -x[v][1]);
        }
        assert_true(fabs(low) < 0.03);
        assert_true(top > 1.68 && top < 1.82);
        ahead[0] = fmax(ahead[0], left_foot);
        ahead[1] = fmax(ahead[1], left_hand);
    }
    assert_true(ahead[0] > 0.35 && ahead[1] > 0.15);
    snag_world_destroy(world);
    snag_shape_free(&shape);
    snag__sim_free_all(&memory);
}

static void test_garments_have_their_openings(void **state)
{
    (void)state;
    snag__sim_memory memory = {0};
    static snag__person person;
    snag_shape skin;
    assert_true(snag__person_make(&person, 5000, &skin, &memory));
    // A dress and a shirt have a neck, a hem and two arms; trousers a waist and two legs.
    const long euler[] = {-2, -2, -1};
    for (int kind = SNAG__DRESS; kind <= SNAG__TROUSERS; kind++)
        for (int size = 0; size < 3; size++) {
            snag__garment garment;
            snag_shape shape;
            double wanted = size == 0 ? 1000 : size == 1 ? 2000 : 5000;
            assert_true(snag__garment_make(&garment, (snag__garment_kind)kind, wanted, &person, &shape, &memory));
            assert_true((double)shape.triangle_count > 0.5 * wanted && (double)shape.triangle_count < 2 * wanted);
            assert_surface(&shape, euler[kind]);
            for (size_t v = 0; v < garment.grid.vertex_count; v++) {
                double x[3];
                snag__garment_stick(&garment, &person, (uint32_t)v, x);
                assert_memory_equal(x, shape.positions + 3 * v, sizeof x);
            }
            assert_int_equal(garment.waist_count > 0, kind == SNAG__TROUSERS);
            for (size_t p = 0; p < garment.waist_count; p++)
                assert_true(shape.positions[3 * (size_t)garment.waist[p] + 2] > 1.0);
            snag_shape_free(&shape);
        }
    snag_shape_free(&skin);
    snag__sim_free_all(&memory);
}

static size_t crossings(const snag_sim *sim)
{
    snag_world *world = make_world();
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        add(world, body.positions, body.vertex_count, body.triangles, body.triangle_count);
    }
    size_t count = count_intersections(world);
    snag_world_destroy(world);
    return count;
}

static void test_garments_start_free_and_stay_on(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t bodies;
    } scenes[] = {{"catwalk", 2}, {"stroll", 3}};
    for (int s = 0; s < 2; s++) {
        snag_sim_def def = snag_default_sim_def();
        def.scene = scenes[s].name;
        def.threads = 1;
        snag_sim *sim = NULL;
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
        assert_int_equal(snag_sim_body_count(sim), scenes[s].bodies);
        assert_int_equal(crossings(sim), 0);
        snag_sim_destroy(sim);
        def.size = 0.1;
        def.response = SNAG_SIM_RESPONSE_IMPACTS;
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
        for (int i = 0; i < 150; i++)
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
        assert_int_equal(crossings(sim), 0);
        // The shoulders carry the upper garment, the belt the trousers.
        for (size_t b = 1; b < snag_sim_body_count(sim); b++) {
            snag_sim_body garment = snag_sim_body_at(sim, b);
            double top = -1;
            for (size_t i = 0; i < garment.vertex_count; i++)
                top = fmax(top, garment.positions[3 * i + 2]);
            assert_true(top > (b == 1 ? 1.38 : 0.95));
        }
        snag_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_person_is_one_smooth_closed_surface),
        cmocka_unit_test(test_a_walk_never_crosses_itself_and_stands_on_the_ground),
        cmocka_unit_test(test_garments_have_their_openings),
        cmocka_unit_test(test_garments_start_free_and_stay_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
