// Occlusion queries against exact arithmetic: no octant that a triangle meets is missed, and few others are seen.
#define _GNU_SOURCE  // setenv
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/spheres.h"
#include "snag/io.h"
#include "snag/shapes.h"

#include "base/random.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct judge {
    snag_allocator allocator;
    snag_question_def def;
    snag__ask ask;
    snag__spheres_state state;
    size_t exact, seen, missed;
} judge;

// False, with words, where there is no OpenGL to test.
static bool judge_begin(judge *j)
{
    if (snag__gpu_gl() == NULL) {
        print_message("skipped: this build has no backend gl\n");
        return false;
    }
    *j = (judge){.allocator = snag__default_allocator(), .def = snag_default_question_def(SNAG_OVERLAPS)};
    j->ask = (snag__ask){.allocator = &j->allocator, .def = &j->def, .isa = snag__isa_best()};
    snag__gpu_error error = {""};
    if (snag__gpu_gl()->open(&j->allocator, &j->state.gpu, &error) == SNAG_OK)
        return true;
    print_message("skipped: %s\n", error.message);
    return false;
}

static void judge_end(judge *j)
{
    snag__gpu_gl()->close(j->state.gpu);
    snag__buffer_free(&j->allocator, &j->state.corners);
    snag__buffer_free(&j->allocator, &j->state.octants);
}

// Looks at one node by both backends; `masks` are those of the exact one afterwards.
static uint8_t look(judge *j, const snag__sphere_geometry *geometry, const uint32_t *list, uint32_t count,
                    const snag__octants *octants, uint8_t *masks)
{
    const snag__sphere_kernels *kernels = snag__sphere_kernels_for(j->ask.isa);
    uint8_t grey = 0, seen = 0;
    kernels->box_octants(geometry->x, geometry->triangles, list, count, octants, masks);
    assert_int_equal(snag__spheres_gl_octants(&j->ask, &j->state, geometry, list, count, octants, masks, &seen), SNAG_OK);
    kernels->octants(geometry->x, geometry->triangles, list, count, octants, masks);
    for (uint32_t i = 0; i < count; i++)
        grey |= masks[i];
    j->exact += (size_t)__builtin_popcount(grey);
    j->seen += (size_t)__builtin_popcount(seen);
    j->missed += (size_t)__builtin_popcount(grey & ~seen);
    return grey;
}

static void box_of(const snag__sphere_geometry *geometry, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (uint32_t t = 0; t < geometry->triangle_count; t++)
            for (int c = 0; c < 3; c++) {
                lo[k] = fmin(lo[k], geometry->x[geometry->triangles[t][c]][k]);
                hi[k] = fmax(hi[k], geometry->x[geometry->triangles[t][c]][k]);
            }
    }
}

// A whole tree of exact levels, each looked at by both, along a random branch below some depth.
static void look_down(judge *j, const snag__sphere_geometry *geometry, uint32_t depth, uint32_t branches, snag__random *random)
{
    double lo[3], hi[3];
    uint32_t count = geometry->triangle_count;
    snag__sphere_tree tree = {0};
    uint8_t *masks = malloc(count + 1);
    box_of(geometry, lo, hi);
    snag__sphere_tree_begin(&tree, lo, hi, count, false);
    for (uint32_t branch = 0; branch < branches; branch++) {
        snag__sphere_node node = snag__sphere_root(&tree);
        for (uint32_t level = 0; level < depth && snag__sphere_can_cut(node); level++) {
            snag__sphere_level *below = node.level->below[node.child];
            if (below == NULL) {
                snag__octants octants;
                snag__sphere_cut(node, &octants);
                snag__sphere_parts parts = {snag__sphere_list(node), snag__sphere_count(node), masks, 0xff, false};
                look(j, geometry, parts.list, parts.count, &octants, masks);
                below = snag__sphere_make(&tree, node, &octants, &parts, &j->allocator);
            }
            uint32_t child = snag__random_below(random, 8);
            while ((below->grey >> child & 1) == 0)
                child = (child + 1) % 8;
            node = (snag__sphere_node){below, child};
        }
    }
    snag__sphere_tree_clear(&tree, &j->allocator);
    free(masks);
}

static void report(const judge *j, const char *what, double most)
{
    double extra = j->exact > 0 ? 100.0 * (double)(j->seen - j->exact) / (double)j->exact : 0;
    print_message("%s: %zu octants met, %zu missed, %.2f %% more seen\n", what, j->exact, j->missed, extra);
    assert_int_equal(j->missed, 0);
    assert_true(extra < most);
}

// In a process of its own, since a driver that was found once stays.
static void without_a_driver_the_ask_says_so(void **state)
{
    (void)state;
    if (snag__gpu_gl() == NULL)
        skip();
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent", 1);
        setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent/none.json", 1);
        snag_world_def def = snag_default_world_def();
        snag_world *world = NULL;
        snag_question_def ask = snag_default_question_def(SNAG_OVERLAPS);
        ask.backend = SNAG_BACKEND_GL;
        const snag_answer *answer = NULL;
        bool good = snag_world_create(&def, &world) == SNAG_OK;
        snag_shape ball;
        snag_body_id id;
        good = good && snag_shape_icosphere(2, 1, &ball) == SNAG_OK;
        for (int i = 0; i < 2 && good; i++)
            good = scene_add(world, &ball, SNAG_F64, NULL, &id) == SNAG_OK;
        good = good && snag_world_ask(world, &ask, &answer) == SNAG_ERROR_UNSUPPORTED &&
               strstr(snag_world_message(world), "OpenGL") != NULL;
        ask.backend = SNAG_BACKEND_CPU;
        good = good && snag_world_ask(world, &ask, &answer) == SNAG_OK && answer->contact_count > 0;
        snag_shape_free(&ball);
        snag_world_destroy(world);
        _exit(good ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Each triangle alone with a box, so that no other one can help out.
static void look_at_one(judge *j, const double corners[9])
{
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    snag__sphere_geometry geometry = {(const double(*)[3])(const void *)corners, triangle, 1};
    const snag__octants octants = {{-1, -1, -1}, {0, 0, 0}, {1, 1, 1}, 7};
    const double *const corner[3] = {corners, corners + 3, corners + 6};
    uint8_t mask;
    if (snag__triangle_meets_box(corner, octants.lo, octants.hi))
        look(j, &geometry, NULL, 1, &octants, &mask);
}

static void needles_sheets_and_specks_are_never_missed(void **state)
{
    (void)state;
    judge j;
    if (!judge_begin(&j))
        skip();
    snag__random random = {51};
    for (uint32_t i = 0; i < 2500; i++) {
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
        look_at_one(&j, c);
    }
    report(&j, "hard triangles", 1000);
    judge_end(&j);
}

static void levels_of_shapes_are_seen_with_few_extras(void **state)
{
    (void)state;
    judge j;
    if (!judge_begin(&j))
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
        look_down(&j, &geometry, 6, 10, &random);
        snag_shape_free(&shape);
    }
    report(&j, "shapes", 10);
    judge_end(&j);
}

// The triangles of a file as the world sees them.
static void look_at_file(judge *j, const char *path, snag__random *random)
{
    snag_io_mesh mesh;
    if (!snag_io_is_mesh(path) || snag_io_read_mesh(path, &mesh, NULL) != SNAG_OK)
        return;
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    for (size_t i = 0; i < mesh.body_count; i++) {
        snag_body_id id;
        snag_body_info info;
        assert_int_equal(snag_io_add_body(world, &mesh.bodies[i], &id), SNAG_OK);
        assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
        snag__sphere_geometry geometry = {(const double(*)[3])(const void *)mesh.bodies[i].positions,
                                          (const uint32_t(*)[3])(const void *)info.triangles, (uint32_t)info.triangle_count};
        // The large ones take time: SNAG_GL_ALL=1 looks at them too.
        if (info.triangle_count > 0 && (info.triangle_count < 4000 || getenv("SNAG_GL_ALL") != NULL))
            look_down(j, &geometry, 5, 1, random);
    }
    snag_io_mesh_free(&mesh);
    snag_world_destroy(world);
}

static void surfaces_of_the_data_are_never_missed(void **state)
{
    (void)state;
    static const char *const folders[] = {"self_int",
                                         "clean",
                                         "mesh_mesh",
                                         "tets",
                                         "sequences/wolf_poses",
                                         "sequences/Fox",
                                         "sequences/thick-cloth",
                                         "sequences/tshirt_iter2",
                                         "ccd_scenes/cloth-ball/frames",
                                         "ccd_scenes/cloth-funnel/frames",
                                         "ccd_scenes/rod-twist/frames",
                                         "blender/cloth-drape",
                                         "blender/cloth-twist",
                                         "blender/soft-pile",
                                         "blender/dressed-figure"};
    judge j;
    const char *data = getenv("SNAG_DATA");
    if (data == NULL || !judge_begin(&j))
        skip();
    snag__random random = {53};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", data, folders[i]);
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            snprintf(path, sizeof path, "%s/%s/%s", data, folders[i], entry->d_name);
            look_at_file(&j, path, &random);
        }
        if (folder != NULL)
            closedir(folder);
    }
    report(&j, "surfaces of the data", 10);
    judge_end(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_driver_the_ask_says_so),
        cmocka_unit_test(needles_sheets_and_specks_are_never_missed),
        cmocka_unit_test(levels_of_shapes_are_seen_with_few_extras),
        cmocka_unit_test(surfaces_of_the_data_are_never_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
