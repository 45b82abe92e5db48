// What the response is worth and what it costs:
//     build/bench_response untangle [COUNT [CELLS]]
// frees COUNT (100) random tangles, half of them two layers, half of them folds, of CELLS x CELLS (20 x 20) quads a
// sheet, and prints how many are free in the end, judged by `brute`.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    ask.details = false;
    const snag_answer *answer = NULL;
    if (snag_world_ask(world, &ask, &answer) != SNAG_OK)
        die(snag_world_message(world));
    return answer->contact_count;
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
        snag_surface_def def = snag_default_surface_def();
        def.positions = snag_positions_f64(s->positions, s->vertex_count);
        def.triangles = s->triangles;
        def.triangle_count = s->triangle_count;
        bodies[i] =
            (snag_response_body){.vertex_count = s->vertex_count, .positions = s->positions, .inverse_masses = inverse};
        if (snag_world_add_surface(world, &def, &bodies[i].body) != SNAG_OK)
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
        printf("%-10s: %zu of %zu freed; %.0f pairs, %.1f asks, %.1f ms, largest move %.2f edges on average\n",
               names[kind], sum.count, sum.tangles, (double)sum.pairs / n, (double)sum.asks / n, sum.ms / n,
               sum.move / n * cells);
        all += sum.count;
    }
    printf("all       : %zu of %u freed\n", all, count / 2 * 2);
    snag_response_destroy(response);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "untangle") == 0) {
        unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100,
                      cells = argc > 3 ? strtoul(argv[3], NULL, 10) : 20;
        if (count < 2 || count > 1000000 || cells < 2 || cells > 1000)
            die("COUNT is 2 to 1000000, CELLS 2 to 1000");
        bench_untangle((uint32_t)count, (uint32_t)cells);
        return 0;
    }
    die("usage: bench_response untangle [COUNT [CELLS]]");
}
