// Time of a `kdop` step, one run:
//     build-bench/bench_kdop [MESH [QUESTION]]
// on a mesh (default: frame 92 of cloth-ball in SNAG_DATA), for every k and arity, on one thread and two. A step moves the body (to
// the same position, so that every step does the same work), updates, searches and tests exactly. The output is pairs. "limit" is
// one pass that reads the triangles and writes their boxes.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/any_question.h"
#include "measure.h"
#include "snag/io.h"
#include "snag/snag.h"

enum { REPEATS = 15 };

typedef struct measured {
    double wall, processor;  // milliseconds, best of all repeats
    size_t contacts, pairs, exact;
} measured;

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static void check(snag_world *world, snag_status status)
{
    if (status != SNAG_OK)
        die(world != NULL ? snag_world_message(world) : snag_status_name(status));
}

static snag_world *world_of(const snag_io_body *body, uint32_t threads, snag_body_id *id)
{
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    snag_world *world = NULL;
    check(NULL, snag_world_create(&def, &world));
    snag_body_def surface = snag_default_body_def();
    surface.positions = snag_positions_f64(body->positions, body->vertex_count);
    if (body->polygon_sizes == NULL) {
        surface.triangles = body->polygon_vertices;
        surface.triangle_count = body->polygon_count;
    } else {
        surface.polygon_sizes = body->polygon_sizes;
        surface.polygon_vertices = body->polygon_vertices;
        surface.polygon_count = body->polygon_count;
    }
    check(world, snag_world_add(world, &surface, id));
    return world;
}

// Best of several steps.
static measured measure(const snag_io_body *body, any_question question, uint32_t threads)
{
    snag_body_id id;
    snag_world *world = world_of(body, threads, &id);
    measured best = {.wall = INFINITY, .processor = INFINITY};
    for (int i = 0; i < REPEATS + 2; i++) {
        const snag_answer *answer = NULL;
        double wall = measure_ms(CLOCK_MONOTONIC), processor = measure_cpu_ms();
        check(world, snag_world_begin_step(world));
        check(world, snag_world_move(world, id, snag_positions_f64(body->positions, body->vertex_count)));
        check(world, any_ask(world, &question, &answer));
        wall = measure_ms(CLOCK_MONOTONIC) - wall;
        processor = measure_cpu_ms() - processor;
        if (i < 2)
            continue;
        best.wall = fmin(best.wall, wall);
        best.processor = fmin(best.processor, processor);
        best.contacts = answer->count;
        best.pairs = answer->statistics->candidates;
        best.exact = answer->statistics->exact;
    }
    snag_world_destroy(world);
    return best;
}

// The lower bound: one pass that reads the triangles and writes their boxes.
static double limit(const snag_io_body *body)
{
    if (body->polygon_sizes != NULL)
        return NAN;
    const double *x = body->positions;
    float *boxes = malloc(body->polygon_count * 6 * sizeof *boxes);
    double best = INFINITY;
    for (int i = 0; i < REPEATS && boxes != NULL; i++) {
        double start = measure_cpu_ms();
        for (size_t t = 0; t < body->polygon_count; t++) {
            const uint32_t *v = body->polygon_vertices + 3 * t;
            for (int axis = 0; axis < 3; axis++) {
                double a = x[3 * v[0] + axis], b = x[3 * v[1] + axis], c = x[3 * v[2] + axis];
                boxes[6 * t + axis] = (float)(a < b ? (a < c ? a : c) : (b < c ? b : c));
                boxes[6 * t + 3 + axis] = (float)(a > b ? (a > c ? a : c) : (b > c ? b : c));
            }
        }
        best = fmin(best, measure_cpu_ms() - start);
    }
    free(boxes);
    return best;
}

static void print_row(const char *what, uint32_t threads, const measured *m)
{
    printf("%-16s %u thread%s %8.2f ms, processor %8.2f ms, %zu pairs, %zu exact, %zu contacts\n", what, threads,
           threads == 1 ? " " : "s", m->wall, m->processor, m->pairs, m->exact, m->contacts);
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *data = getenv("SNAG_DATA");
    if (argc < 2 && data == NULL)
        die("usage: bench_kdop MESH [QUESTION]    (or set SNAG_DATA)");
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/cloth_ball92.ply", data != NULL ? data : "");
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(argc > 1 ? argv[1] : path, &mesh, &error) != SNAG_OK)
        die(error.message);
    snag_question kind = SNAG_INTERSECTIONS;
    if (argc > 2 && !snag_question_from_name(argv[2], &kind))
        die("no such question");
    any_question question = any_default(kind);
    question.method = SNAG_METHOD_KDOP;
    question.output = SNAG_OUTPUT_PAIRS;

    const snag_io_body *body = &mesh.bodies[0];
    printf("limit: %.2f ms\n", limit(body));
    for (uint32_t threads = 1; threads <= 2; threads++) {
        measured m = measure(body, question, threads);
        print_row("best", threads, &m);
    }
    static const uint32_t ks[] = {6, 14, 18, 26}, arities[] = {2, 4, 8};
    for (int k = 0; k < 4; k++)
        for (int arity = 0; arity < 3; arity++) {
            question.k = ks[k];
            question.arity = arities[arity];
            measured m = measure(body, question, 1);
            char what[32];
            snprintf(what, sizeof what, "k %u, arity %u", ks[k], arities[arity]);
            print_row(what, 1, &m);
        }
    snag_io_mesh_free(&mesh);
    return 0;
}
