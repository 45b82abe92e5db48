// Measures the cost of depth and direction: penetrations of overlapping blocks, once as contacts and once as pairs. Prints ms per
// question (best of five) and microseconds per contact.
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 5 };

static void must_be_ok(snag_status status)
{
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_depth: %s\n", snag_status_name(status));
        exit(2);
    }
}

static double ask(snag_world *world, snag_output output, size_t *contacts)
{
    any_question def = any_default(SNAG_PENETRATIONS);
    def.output = output;
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const snag_answer *answer = NULL;
        double start = measure_cpu_ms();
        must_be_ok(any_ask(world, &def, &answer));
        best = fmin(best, measure_cpu_ms() - start);
        *contacts = answer->count;
    }
    return best;
}

// Two blocks of cells x cells x cells. One is shifted into the other by `part` of its width and rotated slightly off the grid.
static void measure(uint32_t cells, double part)
{
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = 1;
    snag_world *world = NULL;
    must_be_ok(snag_world_create(&world_def, &world));
    for (int i = 0; i < 2; i++) {
        snag_shape block;
        must_be_ok(snag_shape_block(cells, cells, cells, 1.0 / cells, &block));
        snag_body_def def = snag_default_body_def();
        snag_shape_transform(&block, 1, i * (1 - part), i * 0.37 / cells, i * 0.23 / cells);
        def.positions = snag_positions_f64(block.positions, block.vertex_count);
        def.tets = block.tets;
        def.tet_count = block.tet_count;
        snag_body_id id;
        must_be_ok(snag_world_add(world, &def, &id));
        snag_shape_free(&block);
    }
    size_t contacts = 0;
    double without = ask(world, SNAG_OUTPUT_PAIRS, &contacts), with = ask(world, SNAG_OUTPUT_CONTACTS, &contacts);
    printf("%10u tets, overlap %4.2f: %8zu contacts, without %8.2f ms, with %8.2f ms, %6.2f us a contact\n",
           2 * 5 * cells * cells * cells, part, contacts, without, with, 1e3 * (with - without) / (double)contacts);
    snag_world_destroy(world);
}

int main(void)
{
    measure(16, 0.1);
    measure(16, 0.5);
    measure(32, 0.1);
    measure(32, 0.5);
    return 0;
}
