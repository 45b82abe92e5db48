// Requirements on the simulator, as experiments that print their results. Exits with 1 if a requirement fails.
//
//   bench_sim scenes [SIZE] [SCENE]
//                                runs every scene, or one, to its end: finite, bounded energy, the same bytes on 1 and 2 threads,
//                                and the fraction of a step spent on detection
//   bench_sim crossings [SIZE] [FRAMES] [SCENE]
//                                cloth over ball and twisted cloth, or one of them, with impacts: intersecting triangle pairs in
//                                each of 300 frames, counted by brute; the same with proximities alone
//   bench_sim ratios [SIZE]      the dressed figure, responding to a random 100, 20 and 10 % of its contacts: worst and mean depth
//                                over time
//   bench_sim active [SIZE]      the walking figure for 1,600 steps with `active`, 100 and 50 new pairs per step: fraction of the
//                                contacts found, and depth, over time
//   bench_sim settle [SIZE] [SEEDS] [SCENE]
//                                the soft pile and Teschner's setup C, or one of them, come to rest: depth as a fraction of the
//                                mean edge, for seeds 1 to 5
//   bench_sim shares [SIZE]      where the time of a step goes, one thread: detection takes at most half
//
// SIZE scales the scenes (1: as designed). Runs are deterministic; only times differ.
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "sim_hash.h"
#include "snag/sim.h"
#include "snag/snag.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int failures;

static void judge(bool holds, const char *what)
{
    printf("  %s: %s\n", holds ? "holds" : "DOES NOT HOLD", what);
    failures += !holds;
}

static snag_sim *make(snag_sim_def def)
{
    snag_sim *sim = NULL;
    snag_status status = snag_sim_create(&def, &sim);
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_sim: %s: %s\n", def.scene, snag_status_name(status));
        exit(2);
    }
    return sim;
}

static snag_sim_def def_of(const char *scene, double size)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = scene;
    def.size = size;
    def.threads = 1;
    return def;
}

static void step(snag_sim *sim, const char *scene)
{
    snag_status status = snag_sim_step(sim);
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_sim: %s: %s (%s)\n", scene, snag_sim_message(sim), snag_status_name(status));
        exit(1);
    }
}

static bool is_finite(const snag_sim *sim)
{
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        for (size_t i = 0; i < 3 * body.vertex_count; i++)
            if (!isfinite(body.positions[i]))
                return false;
    }
    return true;
}

// ---- all scenes ----------------------------------------------------------------------------------------------------

static double energy_of(const snag_sim_report *step)
{
    return step->kinetic + step->height + step->elastic;
}

// Kinetic plus elastic energy stays below the initial energy or, in a driven scene, below one joule: garments and vessels are
// light. A wrung cloth stores the work of its ends as long as they turn, so only its kinetic energy counts.
static bool energy_bounded(const char *scene, const snag_sim_report *first, const snag_sim_report *now)
{
    double deformation = strcmp(scene, "cloth-twist") == 0 ? 0 : now->elastic;
    return now->kinetic + deformation < fmax(1.05 * energy_of(first), 1);
}

static void run_scene(size_t index, double size)
{
    const char *name = snag_sim_scene_name(index);
    uint64_t hashes[2];
    double shares[2] = {0};
    bool finite = true, bounded = true;
    snag_sim_report first = {0}, last = {0};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        snag_sim_def def = def_of(name, size);
        def.threads = threads;
        snag_sim *sim = make(def);
        for (uint32_t i = 0; i < snag_sim_scene_steps(index); i++) {
            step(sim, name);
            last = snag_sim_last_step(sim);
            if (i == 0)
                first = last;
            bounded = bounded && energy_bounded(name, &first, &last);
            if (threads == 1) {
                shares[0] += last.detect_ms;
                shares[1] += last.step_ms;
            }
        }
        finite = finite && is_finite(sim);
        hashes[threads - 1] = sim_hash(sim);
        snag_sim_destroy(sim);
    }
    printf("%-16s %5u %12.4g %12.4g %8.1f %%  %016llx\n", name, (unsigned)snag_sim_scene_steps(index), energy_of(&first),
           energy_of(&last), 100 * shares[0] / fmax(shares[1], 1e-9), (unsigned long long)hashes[0]);
    fflush(stdout);
    if (!finite || !bounded || hashes[0] != hashes[1])
        judge(false, !finite ? "finite" : !bounded ? "energy bounded" : "the same bytes on 1 and 2 threads");
}

static void bench_scenes(double size, const char *only)
{
    printf(
        "every scene to its end at size %g: energy (J, motion, height and deformation) first and last, detection's part, bytes\n",
        size);
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        if (only == NULL || strcmp(only, snag_sim_scene_name(i)) == 0)
            run_scene(i, size);
    judge(failures == 0, "every scene ends without NaN, energy bounded, the same bytes on 1 and 2 threads");
}

// ---- crossings -----------------------------------------------------------------------------------------------------

typedef struct judge_world {
    snag_world *world;
    snag_body_id ids[8];
} judge_world;

static judge_world open_judge(const snag_sim *sim)
{
    judge_world j = {0};
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    if (snag_world_create(&def, &j.world) != SNAG_OK)
        exit(2);
    for (size_t b = 0; b < snag_sim_body_count(sim) && b < 8; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        snag_body_def surface = snag_default_body_def();
        surface.positions = snag_positions_f64(body.positions, body.vertex_count);
        surface.triangles = body.triangles;
        surface.triangle_count = body.triangle_count;
        if (snag_world_add(j.world, &surface, &j.ids[b]) != SNAG_OK)
            exit(2);
    }
    return j;
}

static size_t count_crossings(const judge_world *j, const snag_sim *sim, snag_method method)
{
    for (size_t b = 0; b < snag_sim_body_count(sim) && b < 8; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        if (snag_world_teleport(j->world, j->ids[b], snag_positions_f64(body.positions, body.vertex_count)) != SNAG_OK)
            exit(2);
    }
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    ask.method = method;
    ask.output = SNAG_OUTPUT_PAIRS;
    if (any_ask(j->world, &ask, &answer) != SNAG_OK)
        exit(2);
    return answer->count;
}

// Up to this many triangles brute judges every frame; above, kdop does, and brute every thirtieth.
#define BRUTE_TRIANGLES 40000

static void run_crossings(const char *scene, double size, int frames, snag_sim_response response)
{
    snag_sim_def def = def_of(scene, size);
    def.response = response;
    snag_sim *sim = make(def);
    size_t triangles = 0, with = 0, most = 0, brute = 0;
    for (size_t b = 0; b < snag_sim_body_count(sim); b++)
        triangles += snag_sim_body_at(sim, b).triangle_count;
    judge_world j = open_judge(sim);
    double began = measure_ms(CLOCK_MONOTONIC), merged = 0;
    for (int frame = 0; frame <= frames; frame++) {
        if (frame > 0)
            step(sim, scene);
        bool by_brute = triangles <= BRUTE_TRIANGLES || frame % 30 == 0;
        size_t count = count_crossings(&j, sim, by_brute ? SNAG_METHOD_BRUTE : SNAG_METHOD_KDOP);
        brute += by_brute;
        with += count > 0;
        most = count > most ? count : most;
        merged += (double)snag_sim_last_step(sim).merged;
    }
    printf("%-12s %-9s %zu triangles, %d frames: %zu frames with crossings, at most %zu pairs; %zu frames by brute, the others by "
           "kdop; %.0f vertices merged; %.0f ms a frame\n",
           scene, response == SNAG_SIM_RESPONSE_IMPACTS ? "impacts" : "contacts", triangles, frames, with, most, brute, merged,
           (measure_ms(CLOCK_MONOTONIC) - began) / frames);
    fflush(stdout);
    if (response == SNAG_SIM_RESPONSE_IMPACTS)
        judge(with == 0, "no pair of triangles intersects in any frame");
    snag_world_destroy(j.world);
    snag_sim_destroy(sim);
}

static void bench_crossings(double size, int frames, const char *only)
{
    static const char *const scenes[] = {"cloth-ball", "cloth-twist"};
    static const snag_sim_response responses[] = {SNAG_SIM_RESPONSE_IMPACTS, SNAG_SIM_RESPONSE_CONTACTS};
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 2; i++)
            if (only == NULL || strcmp(only, scenes[i]) == 0)
                run_crossings(scenes[i], size, frames, responses[r]);
}

// ---- depth over time -----------------------------------------------------------------------------------------------

// Pairs of intersecting triangles of different bodies.
static size_t between_bodies(const snag_sim *sim)
{
    judge_world j = open_judge(sim);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    ask.self = false;
    ask.output = SNAG_OUTPUT_PAIRS;
    if (any_ask(j.world, &ask, &answer) != SNAG_OK)
        exit(2);
    size_t count = answer->count;
    snag_world_destroy(j.world);
    return count;
}

typedef struct depth_run {
    double worst, mean;  // of the samples; the mean is over all vertices of the garment
    double ratio;
    double last_kinetic;
} depth_run;

// Runs a scene and prints a line every `every` steps.
static depth_run run_depths(snag_sim_def def, uint32_t steps, uint32_t every)
{
    depth_run run = {0};
    snag_sim *sim = make(def);
    double ratio = 0, detect = 0, all = 0, samples = 0;
    for (uint32_t i = 1; i <= steps; i++) {
        step(sim, def.scene);
        snag_sim_report report = snag_sim_last_step(sim);
        ratio += report.ratio;
        detect += report.detect_ms;
        all += report.step_ms;
        if (i % every != 0)
            continue;
        snag_sim_depth depth;
        if (snag_sim_measure(sim, 0.05, &depth) != SNAG_OK)
            exit(2);
        printf("%6u %9zu %11.2f %11.2f %10zu %9.2f %10.4f %8.2f %9.2f %8.0f %%\n", (unsigned)i, depth.inside, 1e3 * depth.worst,
               1e3 * depth.mean, between_bodies(sim), 1e3 * report.missing, report.kinetic, ratio / every, all / every,
               100 * detect / all);
        fflush(stdout);
        run.worst = fmax(run.worst, depth.worst);
        run.mean += depth.mean;
        run.ratio += ratio / every;
        samples++;
        ratio = detect = all = 0;
        run.last_kinetic = report.kinetic;
    }
    if (samples > 0) {
        run.mean /= samples;
        run.ratio /= samples;
    }
    snag_sim_destroy(sim);
    return run;
}

static void print_depth_head(void)
{
    printf("  step    inside   worst, mm    mean, mm  crossings  missing, mm  motion, J    ratio  ms a step  detection\n");
}

// Every part of the figure is thicker than this: a garment that is deeper has failed.
#define LOST_DEPTH 0.03
// For a dress that moves with its figure; one that explodes exceeds this within a few steps.
#define MOST_MOTION 1.0

static void bench_ratios(double size)
{
    static const double ratios[] = {1, 0.2, 0.1};
    for (int i = 0; i < 3; i++) {
        snag_sim_def def = def_of("dressed-figure", size);
        def.response_ratio = ratios[i];
        printf("dressed figure, size %g, response to %g %% of the contacts\n", size, 100 * ratios[i]);
        print_depth_head();
        depth_run run = run_depths(def, 400, 40);
        printf("  worst %.2f mm, mean of those inside %.2f mm\n", 1e3 * run.worst, 1e3 * run.mean);
        if (ratios[i] >= 0.2)
            judge(run.worst < LOST_DEPTH && run.last_kinetic < MOST_MOTION, "stable");
    }
}

static void bench_active(double size)
{
    static const uint32_t pairs[] = {100, 50};
    for (int i = 0; i < 2; i++) {
        snag_sim_def def = def_of("walking-figure", size);
        def.method = SNAG_METHOD_ACTIVE;
        def.new_pairs = pairs[i];
        printf("walking figure, size %g, active with %u new pairs a step\n", size, (unsigned)pairs[i]);
        print_depth_head();
        depth_run run = run_depths(def, 1600, 100);
        printf("  mean ratio %.2f, worst %.2f mm\n", run.ratio, 1e3 * run.worst);
        judge(run.worst < LOST_DEPTH && run.last_kinetic < MOST_MOTION, "stable for 1,600 steps");
    }
}

// ---- settling ------------------------------------------------------------------------------------------------------

static void run_settle(size_t scene_index, double size, uint64_t seed)
{
    const char *scene = snag_sim_scene_name(scene_index);
    uint32_t steps = snag_sim_scene_steps(scene_index);
    snag_sim_def def = def_of(scene, size);
    def.seed = seed;
    snag_sim *sim = make(def);
    double edge = snag_sim_mean_edge(sim), tail = 0;
    printf("%s, size %g, seed %llu\n  step    inside   worst, %% of the mean edge   mean, %%   motion, J\n", scene, size,
           (unsigned long long)seed);
    for (uint32_t i = 1; i <= steps; i++) {
        step(sim, scene);
        // Measure every step of the last tenth: a deep step in between means that the scene is not at rest.
        bool last_tenth = i > steps - steps / 10;
        if (i % (steps / 8) != 0 && !last_tenth)
            continue;
        snag_sim_depth depth;
        if (snag_sim_measure(sim, edge, &depth) != SNAG_OK)
            exit(2);
        if (i % (steps / 8) == 0)
            printf("%6u %9zu %25.3f %9.3f %11.4g\n", (unsigned)i, depth.inside, 100 * depth.worst / edge, 100 * depth.mean / edge,
                   snag_sim_last_step(sim).kinetic);
        fflush(stdout);
        if (last_tenth)
            tail = fmax(tail, depth.worst / edge);
    }
    printf("  worst of the last tenth of the run: %.3f %%\n", 100 * tail);
    judge(tail < 0.02, "below 2 % of the mean edge");
    snag_sim_destroy(sim);
}

static void bench_settle(double size, uint64_t seeds, const char *only)
{
    static const char *const scenes[] = {"soft-pile", "teschner-c"};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; snag_sim_scene_name(i); i++)
            for (uint64_t seed = 1; seed <= seeds && strcmp(scenes[s], snag_sim_scene_name(i)) == 0; seed++)
                if (only == NULL || strcmp(only, scenes[s]) == 0)
                    run_settle(i, size, seed);
}

// ---- where the time goes -------------------------------------------------------------------------------------------

static void bench_shares(double size)
{
    static const char *const scenes[] = {"cloth-ball",     "cloth-twist", "loop",        "dressed-figure", "dressed-man",
                                         "walking-figure", "body-cloth",  "soft-blocks", "soft-pile",      "teschner-a",
                                         "teschner-b",     "teschner-c",  "teschner-d"};
    printf("scene              ms a step   solver detection  response, %%\n");
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        snag_sim_def def = def_of(scenes[s], size);
        def.response = SNAG_SIM_RESPONSE_CONTACTS;
        snag_sim *sim = make(def);
        double solve = 0, detect = 0, respond = 0, all = 0;
        const uint32_t steps = 60;
        for (uint32_t i = 0; i < steps; i++) {
            step(sim, scenes[s]);
            snag_sim_report r = snag_sim_last_step(sim);
            solve += r.solve_ms;
            detect += r.detect_ms;
            respond += r.respond_ms;
            all += r.step_ms;
        }
        printf("%-16s %11.2f %8.0f %9.0f %9.0f\n", scenes[s], all / steps, 100 * solve / all, 100 * detect / all,
               100 * respond / all);
        fflush(stdout);
        if (detect > 0.5 * all)
            judge(false, "detection is at most half of a step");
        snag_sim_destroy(sim);
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    double size = count > 2 ? strtod(arguments[2], NULL) : 0;
    if (strcmp(what, "scenes") == 0) {
        bench_scenes(size > 0 ? size : 0.05, count > 3 ? arguments[3] : NULL);
    } else if (strcmp(what, "crossings") == 0) {
        bench_crossings(size > 0 ? size : 0.2, count > 3 ? (int)strtol(arguments[3], NULL, 10) : 300,
                        count > 4 ? arguments[4] : NULL);
    } else if (strcmp(what, "ratios") == 0) {
        bench_ratios(size > 0 ? size : 1);
    } else if (strcmp(what, "active") == 0) {
        bench_active(size > 0 ? size : 1);
    } else if (strcmp(what, "settle") == 0) {
        bench_settle(size > 0 ? size : 1, count > 3 ? strtoull(arguments[3], NULL, 10) : 5, count > 4 ? arguments[4] : NULL);
    } else if (strcmp(what, "shares") == 0) {
        bench_shares(size > 0 ? size : 1);
    } else {
        fputs("bench_sim scenes|crossings|ratios|active|settle|shares [SIZE]\n", stderr);
        return 2;
    }
    return failures > 0;
}
