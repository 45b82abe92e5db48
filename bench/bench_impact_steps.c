// Cost of an impact step on a real cloth, by output: all impacts as pairs, with all details, counted, and only the earliest.
//
//     bench_impact_steps [REPEAT]      SNAG_DATA is the data folder; frames 92 and 93 of cloth-ball
//
// Each row is the median over REPEAT (15) steps of a world that alternates between the two frames: teleport to one, move to the
// other, ask. The move and the ask are timed. `fresh`: the previous ask was about the way back, so its culprit helps little.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "measure.h"
#include "snag/io.h"
#include "snag/snag.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEAT_MAX = 1001 };

static void die(const char *what)
{
    fprintf(stderr, "bench_impact_steps: %s\n", what);
    exit(2);
}

static void read_frame(const char *name, snag_io_mesh *mesh)
{
    char path[1024];
    snag_io_error error;
    const char *folder = getenv("SNAG_DATA");
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/%s", folder ? folder : ".", name);
    if (snag_io_read_mesh(path, mesh, &error) != SNAG_OK)
        die(error.message);
}

typedef struct row {
    const char *name;
    snag_output output;
    double until;
    bool fresh;
} row;

static const row rows[] = {
    {"all, pairs", SNAG_OUTPUT_PAIRS, 1, false},  {"all, contacts", SNAG_OUTPUT_CONTACTS, 1, false},
    {"all, count", SNAG_OUTPUT_COUNT, 1, false},  {"until 0.01, pairs", SNAG_OUTPUT_PAIRS, 0.01, false},
    {"earliest", SNAG_OUTPUT_EARLIEST, 1, false}, {"earliest, fresh", SNAG_OUTPUT_EARLIEST, 1, true},
};

static void ask_or_die(snag_world *world, const row *r, const snag_answer **answer)
{
    any_question ask = any_default(SNAG_IMPACTS);
    ask.output = r->output;
    ask.until = r->until;
    ask.method = SNAG_METHOD_KDOP;
    if (any_ask(world, &ask, answer) != SNAG_OK)
        die(snag_world_message(world));
}

static void measure_row(snag_world *world, snag_body_id cloth, const snag_io_mesh *frames, uint32_t threads, const row *r,
                        int repeat)
{
    double ms[REPEAT_MAX];
    const snag_answer *answer = NULL;
    for (int i = -2; i < repeat; i++) {
        const snag_io_body *from = &frames[0].bodies[0], *to = &frames[1].bodies[0];
        if (r->fresh) {  // the way back has a different culprit
            snag_world_teleport(world, cloth, snag_positions_f64(to->positions, to->vertex_count));
            snag_world_move(world, cloth, snag_positions_f64(from->positions, from->vertex_count));
            ask_or_die(world, r, &answer);
        }
        if (snag_world_teleport(world, cloth, snag_positions_f64(from->positions, from->vertex_count)) != SNAG_OK)
            die(snag_world_message(world));
        double began = measure_ms(measure_clock(threads));
        if (snag_world_move(world, cloth, snag_positions_f64(to->positions, to->vertex_count)) != SNAG_OK)
            die(snag_world_message(world));
        ask_or_die(world, r, &answer);
        if (i >= 0)
            ms[i] = measure_ms(measure_clock(threads)) - began;
    }
    printf("%-20s %8u %10zu %12zu %10.2f %22.17g\n", r->name, threads, answer->count, answer->statistics->candidates,
           measure_median(ms, (size_t)repeat), answer->earliest);
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 15;
    if (repeat < 1 || repeat > REPEAT_MAX)
        die("usage: bench_impact_steps [REPEAT]");
    snag_io_mesh frames[2];
    read_frame("cloth_ball92.ply", &frames[0]);
    read_frame("cloth_ball93.ply", &frames[1]);
    printf("%-20s %8s %10s %12s %10s %22s\n", "row", "threads", "count", "candidates", "ms", "earliest");
    for (uint32_t threads = 1; threads <= 2; threads++) {
        snag_world_def def = snag_default_world_def();
        def.threads = threads;
        snag_world *world = NULL;
        snag_body_id cloth;
        if (snag_world_create(&def, &world) != SNAG_OK || snag_io_add_body(world, &frames[0].bodies[0], &cloth) != SNAG_OK)
            die("the world cannot be made");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            measure_row(world, cloth, frames, threads, &rows[i], repeat);
        snag_world_destroy(world);
    }
    snag_io_mesh_free(&frames[0]);
    snag_io_mesh_free(&frames[1]);
    return 0;
}
