// The experiments of the sphere-tree paper, and what it means for large scenes, one run, one thread:
//     build-bench/bench_spheres [table1|table2|gl|first|disk]...      without a word: all
// table1: one level of a tree, for models of 600, 1,500 and 5,100 triangles, by both backends
// table2: a body of 5,120 triangles on a fixed path through three others for 14 s, depth 5: frames of detection per second of
//         processor time, overlap tests and resident bytes for each second of the animation
// gl:     the first five seconds of it by occlusion queries
// first:  first contact of two bodies of 100k triangles, beside building k-DOP trees
// disk:   a million triangles on disk, touched in one corner
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "snag/io.h"
#include "snag/sim.h"
#include "snag/snag.h"
#include "snag/shapes.h"

static void check(snag_world *world, snag_status status)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "%s\n", world != NULL ? snag_world_message(world) : snag_status_name(status));
    exit(2);
}

static snag_world *make_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    check(NULL, snag_world_create(&def, &world));
    return world;
}

static snag_body_id add_shape(snag_world *world, const snag_shape *shape)
{
    snag_surface_def def = snag_default_surface_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    snag_body_id id;
    check(world, snag_world_add_surface(world, &def, &id));
    return id;
}

static const snag_answer *ask_for(snag_world *world, snag_question question, snag_method method, snag_backend backend,
                                  uint32_t depth)
{
    snag_question_def ask = snag_default_question_def(question);
    ask.method = method;
    ask.backend = backend;
    ask.depth = depth;
    ask.idle = 60;
    ask.self = false;
    ask.details = false;
    const snag_answer *answer = NULL;
    check(world, snag_world_ask(world, &ask, &answer));
    return answer;
}

static bool has_gl(void)
{
    snag_world *world = make_world();
    snag_shape ball;
    check(NULL, snag_shape_icosphere(1, 1, &ball));
    add_shape(world, &ball);
    add_shape(world, &ball);
    snag_question_def ask = snag_default_question_def(SNAG_OVERLAPS);
    const snag_answer *answer = NULL;
    ask.backend = SNAG_BACKEND_GL;
    ask.depth = 1;
    bool good = snag_world_ask(world, &ask, &answer) == SNAG_OK;
    if (!good)
        printf("no backend gl: %s\n", snag_world_message(world));
    snag_shape_free(&ball);
    snag_world_destroy(world);
    return good;
}

// ---- table 1 ----

// A world whose backend is open already: two small bodies have met, and are gone again.
static snag_world *warm_world(snag_backend backend)
{
    snag_world *world = make_world();
    snag_shape ball;
    check(NULL, snag_shape_icosphere(1, 1, &ball));
    snag_body_id ids[2] = {add_shape(world, &ball), add_shape(world, &ball)};
    ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, backend, 1);
    check(world, snag_world_remove(world, ids[0]));
    check(world, snag_world_remove(world, ids[1]));
    snag_shape_free(&ball);
    return world;
}

// One level of one body: the other one is a single point at its middle, of which there is nothing to divide.
static void one_level(const char *name, const snag_shape *shape, snag_backend backend)
{
    enum { REPEATS = 9 };
    double best = INFINITY;
    size_t tests = 0, nodes = 0;
    for (int i = 0; i < REPEATS; i++) {
        snag_world *world = warm_world(backend);
        uint32_t corners[3] = {0, 0, 0};
        snag_shape dot = {.positions = (double[]){0, 0, 0}, .vertex_count = 1, .triangles = corners, .triangle_count = 1};
        snag_body_id id = add_shape(world, shape);
        add_shape(world, &dot);
        double before = measure_cpu_ms();
        tests = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, backend, 1)->test_count;
        best = fmin(best, measure_cpu_ms() - before);
        snag_tree_info tree;
        check(world, snag_world_tree(world, id, &tree));
        nodes = tree.node_count - 1;
        snag_world_destroy(world);
    }
    printf("%-8s %9zu  %-3s  %9.4f  %6zu  %5zu\n", name, shape->triangle_count, snag_backend_name(backend), best, tests, nodes);
}

static void table1(bool gl)
{
    static const struct model {
        const char *name;
        uint32_t segments, rings;
    } models[] = {{"lamp", 20, 16}, {"ring", 30, 26}, {"ball", 51, 51}};
    printf("\ntable 1: making one level; ms of processor time, best of 9\n");
    printf("model    triangles  by          ms   tests   grey\n");
    for (size_t i = 0; i < 3; i++)
        for (int backend = 0; backend < 1 + gl; backend++) {
            snag_shape shape;
            check(NULL, snag_shape_sphere(models[i].segments, models[i].rings, 1, &shape));
            one_level(models[i].name, &shape, (snag_backend)backend);
            snag_shape_free(&shape);
        }
}

// ---- table 2 ----

static void animate(snag_backend backend, snag_question question, uint32_t seconds)
{
    enum { RATE = 60 };
    snag_sim_def def = snag_default_sim_def();
    def.scene = "rodriguez";
    snag_sim *sim = NULL;
    check(NULL, snag_sim_create(&def, &sim));
    snag_world *world = make_world();
    snag_body_id ids[8];
    size_t count = snag_sim_body_count(sim);
    for (size_t i = 0; i < count; i++) {
        snag_sim_body body = snag_sim_body_at(sim, i);
        snag_shape shape = {.positions = (double *)body.positions, .vertex_count = body.vertex_count,
                            .triangles = (uint32_t *)body.triangles, .triangle_count = body.triangle_count};
        ids[i] = add_shape(world, &shape);
    }
    printf("\ntable 2: %s by %s, depth 5\n", snag_question_name(question), snag_backend_name(backend));
    printf("second  frames/s   longest ms  contacts     tests     bytes\n");
    double total = 0, longest_of_all = 0;
    for (uint32_t second = 1; second <= seconds; second++) {
        double spent = 0, longest = 0;
        size_t contacts = 0, tests = 0, bytes = 0;
        for (int frame = 0; frame < RATE; frame++) {
            check(NULL, snag_sim_step(sim));
            double before = measure_cpu_ms();
            snag_sim_body body = snag_sim_body_at(sim, 0);
            check(world, snag_world_move(world, ids[0], snag_positions_f64(body.positions, body.vertex_count)));
            const snag_answer *answer = ask_for(world, question, SNAG_METHOD_SPHERES, backend, 5);
            double ms = measure_cpu_ms() - before;
            spent += ms;
            longest = fmax(longest, ms);
            contacts += answer->contact_count;
            tests += answer->test_count;
        }
        for (size_t i = 0; i < count; i++) {
            snag_tree_info tree;
            check(world, snag_world_tree(world, ids[i], &tree));
            bytes += tree.bytes;
        }
        total += spent;
        longest_of_all = fmax(longest_of_all, longest);
        printf("%6u  %8.0f   %10.3f  %8zu  %8zu  %8zu\n", second, 1000.0 * RATE / spent, longest, contacts / RATE, tests, bytes);
    }
    printf("   all  %8.0f   %10.3f\n", 1000.0 * RATE * seconds / total, longest_of_all);
    snag_world_destroy(world);
    snag_sim_destroy(sim);
}

// ---- first contact ----

static double first_contact(const snag_shape shapes[2], snag_method method, size_t *contacts)
{
    snag_world *world = make_world();
    add_shape(world, &shapes[0]);
    add_shape(world, &shapes[1]);
    double before = measure_cpu_ms();
    *contacts = ask_for(world, SNAG_INTERSECTIONS, method, SNAG_BACKEND_CPU, 0)->contact_count;
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
    char path[] = "/tmp/bench_spheres_XXXXXX";
    close(mkstemp(path));
    snag_shape large, small;
    check(NULL, snag_shape_sphere(708, 708, 1, &large));
    check(NULL, snag_shape_icosphere(3, 0.03, &small));
    snag_shape_transform(&small, 1, 1, 0, 0);
    snag_io_surface surface = {.positions = snag_positions_f64(large.positions, large.vertex_count),
                               .triangles = large.triangles, .triangle_count = large.triangle_count};
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
    const snag_answer *answer = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_SPHERES, SNAG_BACKEND_CPU, 0);
    double asked = measure_cpu_ms();
    snag_io_chunked_info info = snag_io_chunked_describe(file);
    snag_tree_info tree;
    check(world, snag_world_tree(world, id, &tree));
    printf("\non disk: %zu triangles, %.1f MB; opened in %.1f ms, first contact in %.1f ms, %zu contacts; %.2f %% of the file "
           "read, %zu bytes resident\n",
           info.triangle_count, 1e-6 * (double)info.file_bytes, opened - before, asked - opened, answer->contact_count,
           100.0 * (double)info.read_bytes / (double)info.file_bytes, tree.bytes);
    snag_world_destroy(world);
    unlink(path);
    snag_shape_free(&large);
    snag_shape_free(&small);
}

int main(int count, char **words)
{
    bool all = count < 2, gl = has_gl();
    enum { PARTS = 5 };
    static const char *const names[PARTS] = {"table1", "table2", "gl", "first", "disk"};
    bool wanted[PARTS];
    for (int i = 0; i < PARTS; i++) {
        wanted[i] = all;
        for (int k = 1; k < count; k++)
            wanted[i] = wanted[i] || strcmp(words[k], names[i]) == 0;
    }
    if (wanted[0])
        table1(gl);
    if (wanted[1]) {
        animate(SNAG_BACKEND_CPU, SNAG_OVERLAPS, 14);
        animate(SNAG_BACKEND_CPU, SNAG_INTERSECTIONS, 14);
    }
    if (wanted[2] && gl)
        animate(SNAG_BACKEND_GL, SNAG_OVERLAPS, 5);
    if (wanted[3])
        first();
    if (wanted[4])
        disk();
    return 0;
}
