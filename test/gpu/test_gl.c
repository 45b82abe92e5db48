// Occlusion queries against exact arithmetic: no octant that a triangle meets is missed, and few others are seen.
#define _GNU_SOURCE  // setenv
#include "common/any_question.h"
#include "helpers/gl_judge.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "snag/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Two bodies that meet, asked about by occlusion queries, which fail with words that say `why`, and then without them.
static bool asking_fails(const char *why)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    snag_shape ball;
    snag_body_id id;
    any_question ask = any_default(SNAG_OVERLAPS);
    const snag_answer *answer = NULL;
    bool good = snag_world_create(&def, &world) == SNAG_OK && snag_shape_icosphere(2, 1, &ball) == SNAG_OK;
    for (int i = 0; i < 2 && good; i++)
        good = scene_add(world, &ball, SNAG_F64, NULL, &id) == SNAG_OK;
    ask.method = SNAG_METHOD_SPHERES;
    ask.backend = SNAG_BACKEND_GL;
    for (int times = 0; times < 2; times++)
        good = good && any_ask(world, &ask, &answer) == SNAG_ERROR_UNSUPPORTED;
    print_message("%s\n", snag_world_message(world));
    good = good && strstr(snag_world_message(world), why) != NULL;
    ask.backend = SNAG_BACKEND_CPU;
    good = good && any_ask(world, &ask, &answer) == SNAG_OK && answer->count > 0;
    snag_shape_free(&ball);
    snag_world_destroy(world);
    return good;
}

static void without_the_backend_the_ask_says_so(void **state)
{
    (void)state;
    if (snag__gpu_gl() == NULL)
        assert_true(asking_fails("no backend gl"));
    assert_int_equal(snag_backend_built_in(SNAG_BACKEND_GL), snag__gpu_gl() != NULL);
    assert_true(snag_backend_built_in(SNAG_BACKEND_CPU));
}

static bool opens(const char *why)
{
    (void)why;
    gl_judge judge;
    bool good = gl_judge_begin(&judge);
    if (good)
        gl_judge_end(&judge);
    return good;
}

// In a process of its own with a setting, since a driver that was found once stays.
static bool holds_in_child(const char *name, const char *value, bool (*holds)(const char *why), const char *why)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv(name, value, 1);
        _exit(holds(why) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

// The settings are those of the library that looks for drivers, and of Mesa. Nothing before this has opened a context: a
// driver does not survive a fork.
static void without_a_driver_or_context_the_ask_says_so(void **state)
{
    (void)state;
    if (!holds_in_child("LC_ALL", "C", opens, NULL))
        skip();
    assert_true(holds_in_child("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent/none.json", asking_fails, "no driver offers"));
    assert_true(holds_in_child("MESA_GL_VERSION_OVERRIDE", "2.1", asking_fails, "no context of version 3.3"));
}

// Each triangle alone with a box, so that no other one can help out. The box is -1..1, or stretched by powers of two and shifted,
// with the triangle.
static void look_at_one(gl_judge *judge, const double corners[9], const int stretch[3], const double shift[3])
{
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    double x[3][3];
    snag__octants octants = {.cut = 7};
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++)
            x[c][k] = ldexp(corners[3 * c + k] + shift[k], stretch[k]);
        octants.lo[k] = ldexp(shift[k] - 1, stretch[k]);
        octants.mid[k] = ldexp(shift[k], stretch[k]);
        octants.hi[k] = ldexp(shift[k] + 1, stretch[k]);
    }
    snag__sphere_geometry geometry = {(const double(*)[3])x, triangle, 1};
    const double *const corner[3] = {x[0], x[1], x[2]};
    if (snag__triangle_meets_box(corner, octants.lo, octants.hi))
        gl_judge_box(judge, &geometry, &octants);
}

static void needles_sheets_and_specks_are_never_missed(void **state)
{
    (void)state;
    gl_judge judge;
    if (!gl_judge_begin(&judge))
        skip();
    snag__random random = {51};
    for (uint32_t i = 0; i < 2000; i++) {
        double at[3], c[9], size = pow(10, snag__random_range(&random, -9, 1.2));
        for (int k = 0; k < 3; k++)
            at[k] = snag__random_below(&random, 3) == 0 ? (double)snag__random_below(&random, 3) - 1
                                                        : snag__random_range(&random, -1.05, 1.05);
        for (int p = 0; p < 9; p++)
            c[p] = at[p % 3] + snag__random_range(&random, -size, size);
        int kind = (int)(i % 4), axis = (int)snag__random_below(&random, 3);
        for (int p = 0; p < 3; p++) {
            if (kind == 1)
                c[3 * p + axis] = at[axis];  // seen edge-on from two sides
            if (kind == 2)
                c[6 + p] = (c[p] + c[3 + p]) / 2 * (1 + 1e-13);  // a needle
            if (kind == 3)
                c[3 + p] = c[p] + (p == axis ? size : 0);  // an edge along an axis
        }
        int stretch[3] = {0, 0, 0};
        double shift[3] = {0, 0, 0};
        for (int k = 0; k < 3 && i % 3 == 2; k++) {
            stretch[k] = (int)snag__random_below(&random, 1200) - 600;
            shift[k] = floor(pow(10, snag__random_range(&random, 0, 12)));
        }
        look_at_one(&judge, c, stretch, shift);
    }
    gl_assert_score(&judge.score, "hard triangles", 10);
    gl_judge_end(&judge);
}

static void levels_of_shapes_are_seen_with_few_extras(void **state)
{
    (void)state;
    gl_judge judge;
    if (!gl_judge_begin(&judge))
        skip();
    snag__random random = {52};
    for (int i = 0; i < 3; i++) {
        snag_shape shape = {0};
        snag_status status = i == 0   ? snag_shape_icosphere(3, 1, &shape)
                             : i == 1 ? snag_shape_torus(40, 16, 1, 0.3, &shape)
                                      : snag_shape_sheet(24, 24, 1, 2, &shape);
        assert_int_equal(status, SNAG_OK);
        snag__sphere_geometry geometry = {(const double(*)[3])(const void *)shape.positions,
                                          (const uint32_t(*)[3])(const void *)shape.triangles, (uint32_t)shape.triangle_count};
        gl_judge_tree(&judge, &geometry, (gl_branches){1, 10, 6}, &random);
        snag_shape_free(&shape);
    }
    gl_assert_score(&judge.score, "shapes", 10);
    gl_judge_end(&judge);
}

// Wide triangles that rise slowly from a corner of the box, which alone they meet: what single precision gets wrong about their
// depth decides. The other octants on this side are as near as it can tell, and may be seen: about two for each triangle.
static void triangles_that_graze_a_corner_are_never_missed(void **state)
{
    (void)state;
    static const int stretch[3] = {0, 0, 0};
    static const double shift[3] = {0, 0, 0};
    gl_judge judge;
    if (!gl_judge_begin(&judge))
        skip();
    snag__random random = {55};
    for (uint32_t i = 0; i < 600; i++) {
        double c[9], steep = pow(10, snag__random_range(&random, -7, -2));
        double deep = steep * pow(10, snag__random_range(&random, -9, -6));
        double along[2] = {snag__random_range(&random, 0.1, 1), snag__random_range(&random, 0.1, 1)};
        double angle = snag__random_range(&random, 0, 6.28), side[3];
        uint32_t axis = snag__random_below(&random, 3);
        for (int k = 0; k < 3; k++)
            side[k] = snag__random_below(&random, 2) == 0 ? -1 : 1;
        for (int p = 0; p < 3; p++, angle += 2.09) {
            double reach = snag__random_range(&random, 3, 14), u = reach * cos(angle), v = reach * sin(angle);
            c[3 * p + (axis + 1) % 3] = side[0] * (1 + u);
            c[3 * p + (axis + 2) % 3] = side[1] * (1 + v);
            c[3 * p + axis] = side[2] * (1 - steep * (along[0] * u + along[1] * v) - deep);
        }
        look_at_one(&judge, c, stretch, shift);
    }
    gl_assert_score(&judge.score, "grazing triangles", 300);
    gl_judge_end(&judge);
}

// Boxes of so few numbers that their middle is none: what is cut there is not cut in half.
static void surfaces_a_few_roundings_wide_are_never_missed(void **state)
{
    (void)state;
    enum { TRIANGLES = 12 };
    static const double step[3] = {0x1p-52, 0x1p-52, 0x1p-53};  // between neighbours from 1 on, and below 1
    gl_judge judge;
    if (!gl_judge_begin(&judge))
        skip();
    snag__random random = {54};
    for (uint32_t i = 0; i < 28; i++) {
        double x[3 * TRIANGLES][3];
        uint32_t triangles[TRIANGLES][3], wide = 2 + i % 14;
        for (uint32_t v = 0; v < 3 * TRIANGLES; v++) {
            triangles[v / 3][v % 3] = v;
            for (int k = 0; k < 3; k++)
                x[v][k] = (k < 2 ? 1 : 0.5) + step[k] * (double)snag__random_below(&random, wide + 1);
        }
        snag__sphere_geometry geometry = {(const double(*)[3])x, (const uint32_t(*)[3])triangles, 1 + i % TRIANGLES};
        gl_judge_tree(&judge, &geometry, (gl_branches){.whole = 3}, &random);
    }
    gl_assert_score(&judge.score, "a few roundings wide", 10);
    gl_judge_end(&judge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_backend_the_ask_says_so),
        cmocka_unit_test(without_a_driver_or_context_the_ask_says_so),
        cmocka_unit_test(needles_sheets_and_specks_are_never_missed),
        cmocka_unit_test(triangles_that_graze_a_corner_are_never_missed),
        cmocka_unit_test(surfaces_a_few_roundings_wide_are_never_missed),
        cmocka_unit_test(levels_of_shapes_are_seen_with_few_extras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
