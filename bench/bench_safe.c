// Safe motion beside its alternatives.
//
//     bench_safe [REPEAT [FRAMES]]     SNAG_DATA is the data folder
//
// First the cost of one bound of all vertices on frame 92 of cloth-ball, beside an ask for proximities (every pair, as pairs) at the same
// distance: medians over REPEAT (5) of processor time on one thread, in turn. Then the twisted cloth over FRAMES (300) frames with
// each response: frames a second of processor time, crossings, the least and the mean part of a substep that driven vertices made, and the
// largest distance by which a vertex was held back.
#define _GNU_SOURCE
#include "measure.h"
#include "snag/io.h"
#include "snag/sim.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT_MAX = 101 };

static void die(const char *what)
{
    fprintf(stderr, "bench_safe: %s\n", what);
    exit(2);
}

static void measure_bounds(int repeat)
{
    char path[1024];
    snag_io_mesh mesh;
    snag_io_error error;
    const char *folder = getenv("SNAG_DATA");
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/cloth_ball92.ply", folder ? folder : ".");
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK) {
        printf("bounds: %s\n", error.message);
        return;
    }
    const snag_io_body *cloth = &mesh.bodies[0];
    snag_world_def world_def = snag_default_world_def();
    snag_world *world = NULL;
    snag_response *response = NULL;
    snag_body_id id;
    world_def.threads = 1;
    if (snag_world_create(&world_def, &world) != SNAG_OK || snag_io_add_body(world, cloth, &id) != SNAG_OK ||
        snag_response_create(NULL, &response) != SNAG_OK)
        die("the world cannot be made");
    double *masses = malloc(cloth->vertex_count * sizeof *masses), *bounds = malloc(cloth->vertex_count * sizeof *bounds);
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, asks[REPEAT_MAX], times[REPEAT_MAX];
    for (size_t i = 0; i < 3 * cloth->vertex_count; i++) {
        masses[i / 3] = 1;
        lo[i % 3] = fmin(lo[i % 3], cloth->positions[i]);
        hi[i % 3] = fmax(hi[i % 3], cloth->positions[i]);
    }
    snag_response_def def = snag_default_response_def();
    def.reach = 0.001 * sqrt(pow(hi[0] - lo[0], 2) + pow(hi[1] - lo[1], 2) + pow(hi[2] - lo[2], 2));
    snag_response_body body = {
        .body = id, .vertex_count = cloth->vertex_count, .positions = cloth->positions, .inverse_masses = masses, .bounds = bounds};
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = def.reach;
    ask.every_pair = true;
    ask.output = SNAG_OUTPUT_PAIRS;
    size_t count = 0;
    for (int i = -2; i < repeat; i++) {
        const snag_answer *answer = NULL;
        double began = measure_ms(measure_clock(1));
        if (snag_world_ask(world, &ask, &answer) != SNAG_OK)
            die(snag_world_message(world));
        double middle = measure_ms(measure_clock(1));
        count = answer->count;
        if (snag_response_bounds(response, world, &def, &body, 1) != SNAG_OK)
            die(snag_response_message(response));
        if (i >= 0) {
            asks[i] = middle - began;
            times[i] = measure_ms(measure_clock(1)) - middle;
        }
    }
    double a = measure_median(asks, (size_t)repeat), b = measure_median(times, (size_t)repeat);
    printf("proximities, every pair: %zu pairs in %.1f ms; bounds of %zu vertices: %.1f ms, ratio %.2f\n", count, a,
           cloth->vertex_count, b, b / a);
    free(masses);
    free(bounds);
    snag_response_destroy(response);
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
}

static void run_twist(snag_sim_response response, const char *name, int frames)
{
    snag_sim_def def = snag_default_sim_def();
    snag_sim *sim = NULL;
    def.scene = "cloth-twist";
    def.size = 0.1;
    def.response = response;
    def.threads = 1;
    if (snag_sim_create(&def, &sim) != SNAG_OK)
        die("the scene cannot be made");
    size_t crossing = 0;
    double least = 1, sum = 0, missing = 0, ms = 0;
    for (int i = 0; i < frames; i++) {
        double began = measure_ms(measure_clock(1));
        if (snag_sim_step(sim) != SNAG_OK)
            die(snag_sim_message(sim));
        ms += measure_ms(measure_clock(1)) - began;
        snag_sim_report report = snag_sim_last_step(sim);
        snag_sim_depth depth;
        least = fmin(least, report.fraction);
        sum += report.fraction;
        missing = fmax(missing, report.missing);
        if (snag_sim_measure(sim, snag_sim_mean_edge(sim), &depth) != SNAG_OK)
            die(snag_sim_message(sim));
        crossing += depth.crossing;
    }
    printf("%-12s %8d %10.1f %10zu %8.3f %8.3f %12.4g\n", name, frames, 1e3 * frames / ms, crossing, least, sum / frames, missing);
    fflush(stdout);
    snag_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 5, frames = argc > 2 ? atoi(argv[2]) : 300;
    if (repeat < 1 || repeat > REPEAT_MAX || frames < 0)
        die("usage: bench_safe [REPEAT [FRAMES]]");
    measure_bounds(repeat);
    if (frames == 0)
        return 0;
    printf("%-12s %8s %10s %10s %8s %8s %12s\n", "cloth-twist", "frames", "frames/s", "crossings", "least", "mean", "held back");
    run_twist(SNAG_SIM_RESPONSE_IMPACTS, "impacts", frames);
    run_twist(SNAG_SIM_RESPONSE_HALF_SPACES, "half-spaces", frames);
    run_twist(SNAG_SIM_RESPONSE_BOUNDS, "bounds", frames);
    return 0;
}
