// Scenes of the benches: names, sizes, poses, and what a world makes of them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "common/any_question.h"
#include "surface_files.h"

static void names_are_taken_apart(void **state)
{
    (void)state;
    size_t count;
    assert_string_equal(surface_scene_kind(surface_scene_parse("sphere", &count)), "sphere");
    assert_int_equal(count, 0);
    assert_string_equal(surface_scene_kind(surface_scene_parse("cloth-ball-10k", &count)), "cloth-ball");
    assert_int_equal(count, 10000);
    assert_string_equal(surface_scene_kind(surface_scene_parse("cloth-twist-2M", &count)), "cloth-twist");
    assert_int_equal(count, 2000000);
    static const char *const wrong[] = {"",           "sphere-", "sphere-k",   "sphere-10",  "sphere-0k",
                                        "sphere--1k", "spheres", "sphere-1G",  "sphere10k",  "sphere-10kk",
                                        "cloth",      "-10k",    "sphere-+1k", "sphere- 1k", "sphere-1001M"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(surface_scene_parse(wrong[i], &count) == SIZE_MAX);
}

static void every_kind_is_made_in_about_its_size_and_moves(void **state)
{
    (void)state;
    for (size_t kind = 0; surface_scene_kind(kind); kind++) {
        surface_scene scene;
        assert_int_equal(surface_scene_make(surface_scene_kind(kind), 2000, &scene), SNAG_OK);
        assert_in_range(scene.triangle_count, 1500, 2500);
        assert_true(scene.pose_count >= 2);
        assert_true(scene.distance > 0);
        size_t triangles = 0, vertices = 0;
        for (size_t i = 0; i < scene.body_count; i++) {
            triangles += scene.bodies[i].triangle_count;
            vertices += scene.bodies[i].vertex_count;
        }
        assert_int_equal(triangles, scene.triangle_count);
        assert_int_equal(vertices, scene.vertex_count);
        for (size_t t = 0; t < 3 * scene.triangle_count; t++)
            assert_true(scene.triangles[t / 3][t % 3] < scene.vertex_count);
        for (size_t pose = 1; pose < scene.pose_count; pose++)
            assert_int_not_equal(memcmp(scene.poses[pose], scene.poses[pose - 1], scene.vertex_count * sizeof **scene.poses), 0);
        surface_scene_free(&scene);
    }
}

static void what_is_not_known_leaves_the_scene_zero(void **state)
{
    (void)state;
    surface_scene scene, zero;
    memset(&zero, 0, sizeof zero);
    assert_int_equal(surface_scene_make("dress", 1000, &scene), SNAG_ERROR_ARGUMENT);
    assert_memory_equal(&scene, &zero, sizeof zero);
    assert_int_equal(surface_scene_make("sheet", 0, &scene), SNAG_ERROR_ARGUMENT);
    assert_memory_equal(&scene, &zero, sizeof zero);
    const char *const paths[] = {"there/is/no/such.obj"};
    char message[512] = "";
    assert_int_not_equal(surface_scene_read(paths, 1, &scene, message), SNAG_OK);
    assert_memory_equal(&scene, &zero, sizeof zero);
    assert_non_null(strstr(message, "such.obj"));
}

// The last pose is the one that was given; the one before it lies close by.
static void a_single_pose_is_reached_from_one_beside_it(void **state)
{
    (void)state;
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    surface_scene scene;
    memset(&scene, 0, sizeof scene);
    assert_int_equal(surface_scene_add_body(&scene, x, 4, triangles, 2), SNAG_OK);
    assert_int_equal(surface_scene_finish(&scene, "corner"), SNAG_OK);
    assert_int_equal(scene.pose_count, 2);
    assert_memory_equal(scene.poses[1], x, sizeof x);
    double most = 0;
    for (int i = 0; i < 12; i++)
        most = fmax(most, fabs(scene.poses[0][i / 3][i % 3] - x[i]));
    assert_true(most > 0 && most < 0.01);
    surface_scene_free(&scene);
}

static void bodies_of_a_world_are_those_of_the_scene_and_move_with_it(void **state)
{
    (void)state;
    static const double floor_x[] = {0, 0, 0, 4, 0, 0, 0, 4, 0}, wall_x[] = {1, 1, 1, 1.5, 1, 1, 1, 1.5, 3};
    static const uint32_t triangle[] = {0, 1, 2};
    surface_scene scene;
    memset(&scene, 0, sizeof scene);
    assert_int_equal(surface_scene_add_body(&scene, floor_x, 3, triangle, 1), SNAG_OK);
    assert_int_equal(surface_scene_add_body(&scene, wall_x, 3, triangle, 1), SNAG_OK);
    double(*pose)[3] = surface_scene_add_pose(&scene);
    assert_non_null(pose);
    for (int i = 3; i < 6; i++)
        pose[i][2] -= 2;
    assert_int_equal(surface_scene_finish(&scene, "falls"), SNAG_OK);

    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    snag_body_id ids[2];
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    assert_int_equal(surface_scene_add(&scene, 0, world, ids), SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    static const size_t expected[] = {0, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        const snag_answer *answer;
        if (i == 1)
            assert_int_equal(surface_scene_move(&scene, 1, world, ids), SNAG_OK);
        if (i == 2)
            assert_int_equal(surface_scene_place(&scene, 0, world, ids), SNAG_OK);
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, expected[i]);
    }
    snag_world_destroy(world);

    float boxes[2][6];
    surface_scene_write_boxes(&scene, 1, boxes);
    static const float box_of_wall[6] = {1, 1, -1, 1.5f, 1.5f, 1};
    assert_memory_equal(boxes[1], box_of_wall, sizeof box_of_wall);
    surface_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(every_kind_is_made_in_about_its_size_and_moves),
        cmocka_unit_test(what_is_not_known_leaves_the_scene_zero),
        cmocka_unit_test(a_single_pose_is_reached_from_one_beside_it),
        cmocka_unit_test(bodies_of_a_world_are_those_of_the_scene_and_move_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
