// Cost of a proximity step on a real cloth, by output: every pair as pairs, merged features with all details, counts.
//
//     bench_proximities [REPEAT]      SNAG_DATA is the data folder; frames 92 and 93 of cloth-ball
//
// Each row is the median over REPEAT (15) steps of a world that alternates between the two frames: move and ask. The limit is one
// pass that reads the triangles and writes their boxes. Distance: a thousandth of the scene's diagonal.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "measure.h"
#include "snag/io.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT_MAX = 1001 };

static void die(const char *what)
{
    fprintf(stderr, "bench_proximities: %s\n", what);
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

static double diagonal(const snag_io_body *body)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    for (size_t i = 0; i < body->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], body->positions[3 * i + k]);
            hi[k] = fmax(hi[k], body->positions[3 * i + k]);
        }
    for (int k = 0; k < 3; k++)
        sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    return sqrt(sum);
}

// Reads all triangles and writes their boxes, as floats.
static double limit_ms(const snag_io_mesh *mesh, const snag_body_info *info, float *boxes)
{
    const double *x = mesh->bodies[0].positions;
    double began = measure_cpu_ms();
    for (size_t t = 0; t < info->triangle_count; t++) {
        const uint32_t *v = info->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            double a = x[3 * v[0] + k], b = x[3 * v[1] + k], c = x[3 * v[2] + k];
            boxes[6 * t + k] = (float)fmin(a, fmin(b, c));
            boxes[6 * t + 3 + k] = (float)fmax(a, fmax(b, c));
        }
    }
    return measure_cpu_ms() - began;
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 15;
    if (repeat < 1 || repeat > REPEAT_MAX)
        die("usage: bench_proximities [REPEAT]");
    snag_io_mesh frames[2];
    read_frame("cloth_ball92.ply", &frames[0]);
    read_frame("cloth_ball93.ply", &frames[1]);
    double distance = 1e-3 * diagonal(&frames[0].bodies[0]);
    static const struct {
        const char *name;
        bool every_pair;
        snag_output output;
    } rows[] = {{"every pair, pairs", true, SNAG_OUTPUT_PAIRS},
                {"every pair, contacts", true, SNAG_OUTPUT_CONTACTS},
                {"every pair, count", true, SNAG_OUTPUT_COUNT},
                {"merged, pairs", false, SNAG_OUTPUT_PAIRS},
                {"merged, contacts", false, SNAG_OUTPUT_CONTACTS}};
    printf("%-24s %8s %12s %12s %10s\n", "row", "threads", "count", "candidates", "ms");
    for (uint32_t threads = 1; threads <= 2; threads++) {
        snag_world_def def = snag_default_world_def();
        def.threads = threads;
        snag_world *world = NULL;
        snag_body_id cloth;
        if (snag_world_create(&def, &world) != SNAG_OK || snag_io_add_body(world, &frames[0].bodies[0], &cloth) != SNAG_OK)
            die("the world cannot be made");
        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
            double ms[REPEAT_MAX];
            const snag_answer *answer = NULL;
            for (int i = -2; i < repeat; i++) {
                any_question ask = any_default(SNAG_PROXIMITIES);
                ask.distance = distance;
                ask.every_pair = rows[row].every_pair;
                ask.output = rows[row].output;
                const snag_io_body *body = &frames[(i + 2) % 2].bodies[0];
                double began = measure_ms(measure_clock(threads));
                if (snag_world_move(world, cloth, snag_positions_f64(body->positions, body->vertex_count)) != SNAG_OK ||
                    any_ask(world, &ask, &answer) != SNAG_OK)
                    die(snag_world_message(world));
                if (i >= 0)
                    ms[i] = measure_ms(measure_clock(threads)) - began;
            }
            printf("%-24s %8u %12zu %12zu %10.2f\n", rows[row].name, threads, answer->count, answer->statistics->candidates,
                   measure_median(ms, (size_t)repeat));
        }
        if (threads == 1) {
            snag_body_info info;
            snag_world_body(world, cloth, &info);
            float *boxes = malloc((6 * info.triangle_count + 1) * sizeof *boxes);
            double ms[REPEAT_MAX];
            for (int i = 0; i < repeat; i++)
                ms[i] = limit_ms(&frames[0], &info, boxes);
            printf("%-24s %8u %12zu %12s %10.2f\n", "limit pass", 1u, info.triangle_count, "", measure_median(ms, (size_t)repeat));
            free(boxes);
        }
        snag_world_destroy(world);
    }
    snag_io_mesh_free(&frames[0]);
    snag_io_mesh_free(&frames[1]);
    return 0;
}
