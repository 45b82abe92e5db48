// The experiments of the sphere-tree paper, and how the method scales to large scenes; one run, one thread:
//     build-bench/bench_spheres [table1|table2|gl|first|disk]...      default: all
//   table1: one level of a tree, for models of 600, 1,500 and 5,100 triangles, with both backends
//   table2: a body of 5,100 triangles on a fixed path through three others for 14 s, depth 5: frames of detection per second of
//           processor time, overlap tests and resident bytes, for each second of the animation
//   gl:     the same with occlusion queries
//   first:  first contact of two bodies of 100k triangles, compared with building k-DOP trees
//   disk:   a million triangles on disk, touched in one corner
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/any_question.h"
#include "measure.h"
#include "one_world.h"
#include "snag/io.h"
#include "snag/shapes.h"
#include "snag/snag.h"
#include "sphere_runs.h"
#include "temporary.h"

static void check(const snag_world *world, snag_status status)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "%s\n", world != NULL ? snag_world_message(world) : snag_status_name(status));
    exit(2);
}

static snag_world *make_world(void)
{
    snag_world *world = NULL;
    check(NULL, one_world(&world));
    return world;
}

static void add_shape(snag_world *world, const snag_shape *shape)
{
    snag_body_id id;
    check(world, one_world_add(world, shape, &id));
}

static const snag_answer *find_intersections(snag_world *world, snag_method method)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = method;
    ask.self = false;
    ask.output = SNAG_OUTPUT_PAIRS;
    const snag_answer *answer = NULL;
    check(world, any_ask(world, &ask, &answer));
    return answer;
}

// ---- table 1 ----

static const char *const way_names[SPHERE_WAYS] = {"cpu", "gl", "gl as printed"};

static void print_level(const char *name, const snag_shape *shape, sphere_way way)
{
    sphere_level level;
    snag_status status = sphere_level_build(shape, way, 9, &level);
    if (status == SNAG_ERROR_UNSUPPORTED)
        return;
    check(NULL, status);
    printf("%-14s %9zu  %-13s  %9.4f  %6zu\n", name, shape->triangle_count, way_names[way], level.ms, level.tests);
}

static void table1(void)
{
    printf("\ntable 1: making one level; ms of processor time, best of 9\n");
    printf("model          triangles  by                    ms   tests\n");
    const char *name, *like;
    snag_shape shape;
    for (size_t i = 0; sphere_model(i, &name, &like, &shape); i++) {
        for (int way = 0; way < SPHERE_WAYS; way++)
            print_level(name, &shape, (sphere_way)way);
        snag_shape_free(&shape);
    }
}

// ---- table 2 ----

static void animate(snag_question question, sphere_way way)
{
    static sphere_run run;
    printf("\ntable 2: %s by %s, depth %d\n", snag_question_name(question), way_names[way], SPHERE_DEPTH);
    snag_status status = sphere_animation(question, way, &run, NULL, NULL);
    if (status == SNAG_ERROR_UNSUPPORTED) {
        printf("there is no OpenGL\n");
        return;
    }
    check(NULL, status);
    printf("second  frames/s   longest ms  contacts     tests     bytes\n");
    double spent = 0, longest = 0;
    for (int i = 0; i < SPHERE_SECONDS; i++) {
        const sphere_second *s = &run.seconds[i];
        spent += 1 / s->fps;
        longest = fmax(longest, s->longest_ms);
        printf("%6d  %8.0f   %10.3f  %8.0f  %8.0f  %8.0f\n", i + 1, s->fps, s->longest_ms, s->contacts, s->tests, s->bytes);
    }
    printf("   all  %8.0f   %10.3f\n", SPHERE_SECONDS / spent, longest);
}

// ---- first contact ----

static double first_contact(const snag_shape shapes[2], snag_method method, size_t *contacts)
{
    snag_world *world = make_world();
    add_shape(world, &shapes[0]);
    add_shape(world, &shapes[1]);
    double before = measure_cpu_ms();
    *contacts = find_intersections(world, method)->count;
    double ms = measure_cpu_ms() - before;
    snag_world_destroy(world);
    return ms;
}

static void first(void)
{
    snag_shape shapes[2];
    for (int i = 0; i < 2; i++) {
        check(NULL, snag_shape_sphere(224, 225, 1, &shapes[i]));
        for (size_t v = 0; v < shapes[i].vertex_count; v++) {
            double *x = &shapes[i].positions[3 * v];
            double bump = 1 + 0.05 * sin(9 * x[0] + i) * cos(8 * x[1]) * sin(7 * x[2]);
            for (int k = 0; k < 3; k++)
                x[k] *= bump;
        }
        snag_shape_transform(&shapes[i], 1, 1.94 * i, 0.3 * i, 0);
    }
    double spheres = INFINITY, kdop = INFINITY;
    size_t found[2] = {0, 0};
    for (int repeat = 0; repeat < 5; repeat++) {
        spheres = fmin(spheres, first_contact(shapes, SNAG_METHOD_SPHERES, &found[0]));
        kdop = fmin(kdop, first_contact(shapes, SNAG_METHOD_KDOP, &found[1]));
    }
    printf("\nfirst contact of two bodies of %zu triangles, build and test: spheres %.2f ms, kdop %.2f ms, %.1f times; "
           "%zu and %zu contacts\n",
           shapes[0].triangle_count, spheres, kdop, kdop / spheres, found[0], found[1]);
    snag_shape_free(&shapes[0]);
    snag_shape_free(&shapes[1]);
}

// ---- on disk ----

static void disk(void)
{
    char folder[256], path[300];
    if (!temporary_folder(folder, sizeof folder)) {
        perror(folder);
        exit(2);
    }
    snprintf(path, sizeof path, "%s/sphere.snag", folder);
    snag_shape large, small;
    check(NULL, snag_shape_sphere(708, 708, 1, &large));
    check(NULL, snag_shape_icosphere(3, 0.03, &small));
    snag_shape_transform(&small, 1, 1, 0, 0);
    snag_io_surface surface = {.positions = snag_positions_f64(large.positions, large.vertex_count),
                               .triangles = large.triangles,
                               .triangle_count = large.triangle_count};
    check(NULL, snag_io_chunked_write(path, &surface, NULL, NULL));
    snag_io_chunked *file = NULL;
    double before = measure_cpu_ms();
    check(NULL, snag_io_chunked_open(path, &file, NULL));
    snag_world *world = make_world();
    snag_source_def def = snag_io_chunked_source(file);
    snag_body_id id;
    check(world, snag_world_add_source(world, &def, &id));
    add_shape(world, &small);
    double opened = measure_cpu_ms();
    const snag_answer *answer = find_intersections(world, SNAG_METHOD_SPHERES);
    double asked = measure_cpu_ms();
    snag_io_chunked_info info = snag_io_chunked_describe(file);
    snag_tree_info tree;
    check(world, snag_world_tree(world, id, &tree));
    printf("\non disk: %zu triangles, %.1f MB; opened in %.1f ms, first contact in %.1f ms, %zu contacts; %.2f %% of the file "
           "read, %zu bytes resident\n",
           info.triangle_count, 1e-6 * (double)info.file_bytes, opened - before, asked - opened, answer->count,
           100.0 * (double)info.read_bytes / (double)info.file_bytes, tree.bytes);
    snag_world_destroy(world);
    unlink(path);
    rmdir(folder);
    snag_shape_free(&large);
    snag_shape_free(&small);
}

int main(int count, char **words)
{
    bool all = count < 2;
    enum { PARTS = 5 };
    static const char *const names[PARTS] = {"table1", "table2", "gl", "first", "disk"};
    bool wanted[PARTS];
    for (int i = 0; i < PARTS; i++) {
        wanted[i] = all;
        for (int k = 1; k < count; k++)
            wanted[i] = wanted[i] || strcmp(words[k], names[i]) == 0;
    }
    if (wanted[0])
        table1();
    if (wanted[1]) {
        animate(SNAG_OVERLAPS, SPHERE_CPU);
        animate(SNAG_INTERSECTIONS, SPHERE_CPU);
    }
    if (wanted[2]) {
        animate(SNAG_OVERLAPS, SPHERE_GL);
        animate(SNAG_OVERLAPS, SPHERE_PRINTED);
    }
    if (wanted[3])
        first();
    if (wanted[4])
        disk();
    return 0;
}
