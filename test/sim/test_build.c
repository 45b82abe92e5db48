// Building scenes: bodies and points find each other, and scenes that cannot run are refused in words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static const snag__fabric fabric = {.density = 0.2, .stretch = 50, .shear = 0.3, .bend = 1e-4, .damping = 1e-3};

// A ball that stands still, a sheet, a driven ball and a rigid one.
static snag_sim *start(void)
{
    snag_sim *sim = calloc(1, sizeof *sim);
    snag_shape ball, sheet, driven, rigid;
    assert_int_equal(snag_shape_icosphere(1, 0.3, &ball), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(0, 0.3, &driven), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(0, 0.2, &rigid), SNAG_OK);
    assert_int_equal(snag_shape_sheet(3, 3, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(snag__scene_add_body(sim, SNAG__STILL, "ball", &ball), SNAG_OK);
    assert_int_equal(snag__scene_add_body(sim, SNAG__DEFORMING, "sheet", &sheet), SNAG_OK);
    assert_int_equal(snag__scene_add_body(sim, SNAG__DRIVEN, "driven", &driven), SNAG_OK);
    assert_int_equal(snag__scene_add_body(sim, SNAG__RIGID, "rigid", &rigid), SNAG_OK);
    assert_null(ball.positions);
    assert_int_equal(snag__scene_assemble(sim), SNAG_OK);
    assert_int_equal(snag__scene_weave(sim, 1, &fabric), SNAG_OK);
    assert_int_equal(snag__scene_cast(sim, 3, 2.5), SNAG_OK);
    return sim;
}

static void test_points_belong_to_the_bodies_that_move_by_themselves(void **state)
{
    (void)state;
    snag_sim *sim = start();
    assert_int_equal(sim->system.count, 16 + 12);
    assert_int_equal(snag__scene_check(sim), SNAG_OK);
    assert_ptr_equal(snag_sim_body_at(sim, 1).positions, sim->system.x[0]);
    assert_ptr_equal(snag_sim_body_at(sim, 3).positions, sim->system.x[16]);
    assert_false(snag_sim_body_at(sim, 0).moves);
    assert_true(snag_sim_body_at(sim, 2).moves);
    double mass[2] = {0};
    for (uint32_t i = 0; i < 28; i++)
        mass[i >= 16] += sim->system.mass[i];
    assert_true(fabs(mass[0] - 0.2) < 1e-12 && fabs(mass[1] - 2.5) < 1e-12);
    snag_sim_destroy(sim);
}

static void test_a_point_without_mass_is_refused_by_name(void **state)
{
    (void)state;
    snag_sim *sim = start();
    sim->system.mass[16 + 5] = 0;
    assert_int_equal(snag__scene_check(sim), SNAG_ERROR_ARGUMENT);
    assert_string_equal(sim->message, "rigid: vertex 5 has no mass");
    sim->system.mass[16 + 5] = 1;
    sim->system.x[3][1] = NAN;
    assert_int_equal(snag__scene_check(sim), SNAG_ERROR_NOT_FINITE);
    assert_string_equal(sim->message, "sheet: vertex 3 is not finite");
    snag_sim_destroy(sim);
}

static void test_contradictory_pins_are_refused(void **state)
{
    (void)state;
    snag_sim *sim = start();
    assert_int_equal(snag__scene_pin(sim, 3), SNAG_OK);
    for (uint32_t p = 0; p < 3; p++)
        sim->system.pins[p] = (snag__pin){.point = p == 1 ? 9 : 7, .target = {0, 1, 2}};
    assert_int_equal(snag__scene_check(sim), SNAG_OK);  // twice to the same place says nothing new
    sim->system.pins[2].target[1] = 1.5;
    assert_int_equal(snag__scene_check(sim), SNAG_ERROR_ARGUMENT);
    assert_string_equal(sim->message, "sheet: vertex 7 is pinned to two positions");
    sim->system.pins[2].point = 28;
    assert_int_equal(snag__scene_check(sim), SNAG_ERROR_INDEX);
    snag_sim_destroy(sim);
}

static void test_a_scene_in_which_everything_is_pinned_is_refused(void **state)
{
    (void)state;
    snag_sim *sim = start();
    assert_int_equal(snag__scene_pin(sim, 28), SNAG_OK);
    for (uint32_t p = 0; p < 28; p++)
        sim->system.pins[p].point = p;
    assert_int_equal(snag__scene_check(sim), SNAG_ERROR_ARGUMENT);
    assert_true(strstr(sim->message, "pinned") != NULL);
    sim->system.pins[4].point = 5;
    assert_int_equal(snag__scene_check(sim), SNAG_OK);
    snag_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_belong_to_the_bodies_that_move_by_themselves),
        cmocka_unit_test(test_a_point_without_mass_is_refused_by_name),
        cmocka_unit_test(test_contradictory_pins_are_refused),
        cmocka_unit_test(test_a_scene_in_which_everything_is_pinned_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
