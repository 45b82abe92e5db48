// Cost of a line search on a real cloth: 20 positions on the way from one frame to the next, each asked in full and from one set of
// candidates, whose collection is counted.
//
//     bench_candidates [REPEAT]        SNAG_DATA is the data folder; frames 92 and 93 of cloth-ball
//
// Proximities are asked for within 1e-3 or 1e-4 of the diagonal. A short step is a twentieth of the way, as a solver makes that is close to
// its solution. Times are medians over REPEAT (5) line searches, full and from the set in turn, of processor time on one thread. The last column is
// the time from the set, collection included, as a part of the time in full.
#define _GNU_SOURCE
#include "measure.h"
#include "snag/io.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEAT_MAX = 101, POSITIONS = 20 };

static void die(const char *what)
{
    fprintf(stderr, "bench_candidates: %s\n", what);
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
    snag_question question;
    snag_output output;
    bool every_pair;
    double part;  // of the move between the frames that the line search starts with
    double distance;  // of proximities, as a part of the diagonal
} row;

static const row rows[] = {
    {"proximities", SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS, false, 1, 1e-3},
    {"proximities, every pair", SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS, true, 1, 1e-3},
    {"proximities, short step", SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS, false, 0.05, 1e-3},
    {"proximities, 1e-4", SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS, false, 1, 1e-4},
    {"proximities, 1e-4, short", SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS, false, 0.05, 1e-4},
    {"impacts, count", SNAG_IMPACTS, SNAG_OUTPUT_COUNT, false, 1, 0},
    {"impacts, earliest", SNAG_IMPACTS, SNAG_OUTPUT_EARLIEST, false, 1, 0},
    {"impacts, count, short", SNAG_IMPACTS, SNAG_OUTPUT_COUNT, false, 0.05, 0},
    {"impacts, earliest, short", SNAG_IMPACTS, SNAG_OUTPUT_EARLIEST, false, 0.05, 0},
};

typedef struct scene {
    snag_world *world;
    snag_body_id cloth;
    const double *from, *to;
    double *x;
    size_t count;  // vertices
    double diagonal;
    snag_candidates *set;
} scene;

static void check(const scene *s, snag_status status)
{
    if (status != SNAG_OK)
        die(snag_world_message(s->world));
}

static void move_to(scene *s, double part)
{
    for (size_t i = 0; i < 3 * s->count; i++)
        s->x[i] = s->from[i] + part * (s->to[i] - s->from[i]);
    check(s, snag_world_move(s->world, s->cloth, snag_positions_f64(s->x, s->count)));
}

// Asks at 20 positions, each 0.85 as far as the one before. Moves are not timed. Adds up the counts, to compare.
static double search(scene *s, const row *r, bool from_set, double *sum, size_t *candidates)
{
    snag_question_def ask = snag_default_question_def(r->question);
    ask.output = r->output;
    ask.every_pair = r->every_pair;
    ask.distance = r->question == SNAG_PROXIMITIES ? r->distance * s->diagonal : 0;
    double ms = 0, part = r->part;
    *sum = 0;
    if (from_set) {
        snag_collect_def def = snag_default_collect_def();
        def.distance = r->question == SNAG_PROXIMITIES ? ask.distance : ask.tolerance;
        move_to(s, part);
        double began = measure_ms(measure_clock(1));
        check(s, snag_world_collect(s->world, &def, &s->set));
        ms += measure_ms(measure_clock(1)) - began;
        ask.candidates = s->set;
        *candidates = snag_candidates_count(s->set);
    }
    for (int i = 0; i < POSITIONS; i++, part *= 0.85) {
        const snag_answer *answer = NULL;
        move_to(s, part);
        double began = measure_ms(measure_clock(1));
        check(s, snag_world_ask(s->world, &ask, &answer));
        ms += measure_ms(measure_clock(1)) - began;
        *sum += (double)answer->count + answer->earliest;
    }
    return ms;
}

static void measure_row(scene *s, const row *r, int repeat)
{
    double full[REPEAT_MAX], from_set[REPEAT_MAX], sums[2];
    size_t candidates = 0;
    for (int i = -1; i < repeat; i++) {
        double a = search(s, r, false, &sums[0], &candidates), b = search(s, r, true, &sums[1], &candidates);
        if (sums[0] != sums[1])
            die("the answers differ");
        if (i >= 0) {
            full[i] = a;
            from_set[i] = b;
        }
    }
    double a = measure_median(full, (size_t)repeat), b = measure_median(from_set, (size_t)repeat);
    printf("%-26s %12zu %12.0f %12.1f %12.1f %10.3f\n", r->name, candidates, sums[0], a, b, b / a);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 5;
    if (repeat < 1 || repeat > REPEAT_MAX)
        die("usage: bench_candidates [REPEAT]");
    snag_io_mesh frames[2];
    read_frame("cloth_ball92.ply", &frames[0]);
    read_frame("cloth_ball93.ply", &frames[1]);
    const snag_io_body *from = &frames[0].bodies[0], *to = &frames[1].bodies[0];
    scene s = {.from = from->positions, .to = to->positions, .count = from->vertex_count};
    s.x = malloc(3 * s.count * sizeof *s.x);
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    if (s.x == NULL || snag_world_create(&def, &s.world) != SNAG_OK || snag_io_add_body(s.world, from, &s.cloth) != SNAG_OK)
        die("the world cannot be made");
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * s.count; i++) {
        lo[i % 3] = fmin(lo[i % 3], s.from[i]);
        hi[i % 3] = fmax(hi[i % 3], s.from[i]);
    }
    s.diagonal = sqrt(pow(hi[0] - lo[0], 2) + pow(hi[1] - lo[1], 2) + pow(hi[2] - lo[2], 2));
    printf("%-26s %12s %12s %12s %12s %10s\n", "20 positions", "candidates", "sum", "full ms", "set ms", "ratio");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure_row(&s, &rows[i], repeat);
    snag_candidates_destroy(s.set);
    snag_world_destroy(s.world);
    snag_io_mesh_free(&frames[0]);
    snag_io_mesh_free(&frames[1]);
    free(s.x);
    return 0;
}
