// Quality of the collision response:
//     build/bench_response untangle [COUNT [CELLS]]
// frees COUNT (100) random tangles, half of them two layers, half of them folds, with CELLS x CELLS (20 x 20) quads per sheet.
// Prints how many are free at the end, as judged by `brute`.
//     build/bench_response twist [STEPS [CELLS]]
// wrings a cloth of CELLS x CELLS (24 x 24) quads for STEPS (300) steps and prints how many steps did not end free.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/any_question.h"
#include "measure.h"
#include "snag/snag.h"
#include "tangles.h"

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(2);
}

// ---- untangle ----

typedef struct freed {
    size_t count, tangles, pairs, asks;
    double move, ms;
} freed;

static size_t count_intersections(snag_world *world)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    ask.output = SNAG_OUTPUT_PAIRS;
    const snag_answer *answer = NULL;
    if (any_ask(world, &ask, &answer) != SNAG_OK)
        die(snag_world_message(world));
    return answer->count;
}

static void free_tangle(snag_response *response, tangle_kind kind, uint32_t cells, uint64_t seed, freed *sum)
{
    tangle t = tangle_make(kind, cells, seed);
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = 1;
    snag_world *world = NULL;
    if (snag_world_create(&world_def, &world) != SNAG_OK)
        die("no world");
    snag_response_body bodies[2];
    size_t most = (cells + (size_t)1) * (cells + (size_t)1);
    double *inverse = measure_array(most, sizeof *inverse);
    for (size_t i = 0; i < most; i++)
        inverse[i] = 1;
    for (size_t i = 0; i < t.count; i++) {
        const snag_shape *s = &t.shapes[i];
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(s->positions, s->vertex_count);
        def.triangles = s->triangles;
        def.triangle_count = s->triangle_count;
        bodies[i] = (snag_response_body){.vertex_count = s->vertex_count, .positions = s->positions, .inverse_masses = inverse};
        if (snag_world_add(world, &def, &bodies[i].body) != SNAG_OK)
            die(snag_world_message(world));
    }
    snag_response_def def = snag_default_response_def();
    snag_response_report report;
    double before = measure_cpu_ms();
    if (snag_response_untangle(response, world, &def, bodies, t.count, &report) != SNAG_OK)
        die(snag_response_message(response));
    sum->ms += measure_cpu_ms() - before;
    size_t left = count_intersections(world);
    if (left > 0)
        printf("  seed %u: %zu of %zu pairs are left\n", (unsigned)seed, left, report.tangled);
    sum->count += left == 0;
    sum->tangles++;
    sum->pairs += report.tangled;
    sum->asks += report.asks;
    sum->move += report.largest_move;
    free(inverse);
    tangle_free(&t);
    snag_world_destroy(world);
}

static void bench_untangle(uint32_t count, uint32_t cells)
{
    static const char *const names[] = {"two layers", "folds"};
    snag_response *response = NULL;
    size_t all = 0;
    if (snag_response_create(NULL, &response) != SNAG_OK)
        die("no memory");
    for (int kind = 0; kind < 2; kind++) {
        freed sum = {0};
        for (uint32_t seed = 1; seed <= count / 2; seed++)
            free_tangle(response, (tangle_kind)kind, cells, seed, &sum);
        double n = (double)sum.tangles;
        printf("%-10s: %zu of %zu freed; %.0f pairs, %.1f asks, %.1f ms, largest move %.2f edges on average\n", names[kind],
               sum.count, sum.tangles, (double)sum.pairs / n, (double)sum.asks / n, sum.ms / n, sum.move / n * cells);
        all += sum.count;
    }
    printf("all       : %zu of %u freed\n", all, count / 2 * 2);
    snag_response_destroy(response);
}

// ---- twist ----

// A cloth that keeps its edge lengths by repeated sweeps over all edges: violent enough, and little code.
typedef struct wrung {
    snag_shape cloth;
    snag_body_info info;
    snag_world *world;
    double *start, *v, *inverse, *length;
    uint32_t cells;
} wrung;

enum { SWEEPS = 20 };
static const double wrung_dt = 0.01, wrung_speed = 3, wrung_approach = 0.02;

static void wrung_open(wrung *w, uint32_t cells, snag_response_body *body)
{
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = 1;
    snag_body_def def = snag_default_body_def();
    if (snag_shape_sheet(cells, cells, 1, 1, &w->cloth) != SNAG_OK || snag_world_create(&world_def, &w->world) != SNAG_OK)
        die("no memory");
    def.positions = snag_positions_f64(w->cloth.positions, w->cloth.vertex_count);
    def.triangles = w->cloth.triangles;
    def.triangle_count = w->cloth.triangle_count;
    if (snag_world_add(w->world, &def, &body->body) != SNAG_OK || snag_world_body(w->world, body->body, &w->info) != SNAG_OK)
        die(snag_world_message(w->world));
    size_t n = w->cloth.vertex_count;
    w->cells = cells;
    w->start = measure_array(3 * n, sizeof(double));
    w->v = measure_array(3 * n, sizeof(double));
    w->inverse = measure_array(n, sizeof(double));
    w->length = measure_array(w->info.edge_count, sizeof(double));
    memset(w->v, 0, 3 * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        w->inverse[i] = i % (cells + 1) == 0 || i % (cells + 1) == cells ? 0 : 1;
    for (size_t e = 0; e < w->info.edge_count; e++) {
        const double *p = &w->cloth.positions[3 * (size_t)w->info.edges[2 * e]];
        const double *q = &w->cloth.positions[3 * (size_t)w->info.edges[2 * e + 1]];
        w->length[e] = hypot(p[0] - q[0], p[1] - q[1]);
    }
    snag_body_id id = body->body;
    *body = (snag_response_body){id, n, w->cloth.positions, w->v, w->inverse, w->start};
}

static void wrung_close(wrung *w)
{
    snag_world_destroy(w->world);
    snag_shape_free(&w->cloth);
    free(w->start);
    free(w->v);
    free(w->inverse);
    free(w->length);
}

// Rotates the held borders about x and brings them closer; the other vertices fall.
static void wrung_move(wrung *w)
{
    for (size_t i = 0; i < w->cloth.vertex_count; i++) {
        double *x = &w->cloth.positions[3 * i], *v = &w->v[3 * i];
        if (w->inverse[i] == 0) {
            double side = i % (w->cells + 1) == 0 ? 1 : -1, turn = side * wrung_speed * wrung_dt, y = x[1], z = x[2];
            x[0] += side * wrung_approach * wrung_dt;
            x[1] = cos(turn) * y - sin(turn) * z;
            x[2] = sin(turn) * y + cos(turn) * z;
            continue;
        }
        v[2] -= 9.81 * wrung_dt;
        for (int k = 0; k < 3; k++)
            x[k] += wrung_dt * v[k];
    }
}

static void wrung_keep_lengths(wrung *w)
{
    for (size_t i = 0; i < SWEEPS * w->info.edge_count; i++) {
        size_t e = i % w->info.edge_count;
        uint32_t a = w->info.edges[2 * e], b = w->info.edges[2 * e + 1];
        double *p = &w->cloth.positions[3 * (size_t)a], *q = &w->cloth.positions[3 * (size_t)b],
               give = w->inverse[a] + w->inverse[b];
        double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, now = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double part = give > 0 && now > 0 ? (now - w->length[e]) / now / give : 0;
        for (int k = 0; k < 3; k++) {
            p[k] += w->inverse[a] * part * d[k];
            q[k] -= w->inverse[b] * part * d[k];
        }
    }
}

static void bench_twist(uint32_t steps, uint32_t cells)
{
    wrung w = {0};
    snag_response_body body = {0};
    snag_response *response = NULL;
    wrung_open(&w, cells, &body);
    if (snag_response_create(NULL, &response) != SNAG_OK)
        die("no memory");
    snag_response_def def = snag_default_response_def();
    def.thickness = 0.12 / cells;
    def.dt = wrung_dt;
    size_t impacts = 0, asks = 0, merged = 0, cut = 0, tangled = 0;
    double ms = 0, search = 0;
    for (uint32_t step = 0; step < steps; step++) {
        size_t n = w.cloth.vertex_count;
        memcpy(w.start, w.cloth.positions, 3 * n * sizeof(double));
        wrung_move(&w);
        wrung_keep_lengths(&w);
        for (size_t k = 0; k < 3 * n; k++)
            w.v[k] = (w.cloth.positions[k] - w.start[k]) / wrung_dt;
        snag_response_report report;
        double before = measure_ms(CLOCK_MONOTONIC);
        if (snag_response_advance(response, w.world, &def, &body, 1, &report) != SNAG_OK)
            die(snag_response_message(response));
        ms += measure_ms(CLOCK_MONOTONIC) - before;
        search += 1e-3 * (double)report.search_us;
        impacts += report.impacts;
        asks += report.asks;
        merged += report.merged > 0;
        cut += report.fraction < 1;
        tangled += count_intersections(w.world) > 0;
    }
    printf("twist: %u steps of %zu triangles, %.1f turns: %zu not free, %zu with zones, %zu cut\n", steps, w.cloth.triangle_count,
           2 * wrung_speed * wrung_dt * steps / 6.2831853, tangled, merged, cut);
    printf("       a step: %.1f impacts, %.2f searches for them, %.2f ms, of which searching %.2f\n", (double)impacts / steps,
           (double)asks / steps, ms / steps, search / steps);
    snag_response_destroy(response);
    wrung_close(&w);
}

static uint32_t number(int argc, char **argv, int i, uint32_t otherwise, uint32_t most)
{
    unsigned long value = argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
    if (value < 2 || value > most)
        die("numbers are 2 to 1000000, cells 2 to 1000");
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "untangle") == 0)
        bench_untangle(number(argc, argv, 2, 100, 1000000), number(argc, argv, 3, 20, 1000));
    else if (argc >= 2 && strcmp(argv[1], "twist") == 0)
        bench_twist(number(argc, argv, 2, 300, 1000000), number(argc, argv, 3, 24, 1000));
    else
        die("usage: bench_response untangle [COUNT [CELLS]] | twist [STEPS [CELLS]]");
    return 0;
}
