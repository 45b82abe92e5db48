// How deformation degrades kdop's trees: times the steps of a motion in a world that follows it, and at some poses in a world with
// new trees.
//
//   bench_rebuild [QUESTION | threads=2 | until=0.8 | steps=200 | rest=100]... SCENE...
//
// A scene is a folder (a mesh file and caches NAME.pc2), a mesh file or a built-in scene (sheet-100k). The motion from the first
// pose to the last is played in `steps`, up to the fraction `until`; then the scene rests there. Each line has the mean of 20
// steps, which includes building trees, and then the medians of some steps at the same pose: the following world and the one with
// new trees, in turn. (Those steps also age the trees.)
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "snag/snag.h"
#include "surface_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OF_A_LINE = 20, TURNS = 11 };

typedef struct request {
    any_question ask;
    uint32_t threads;
    double until;
    size_t steps, rest;
} request;

typedef struct runner {
    snag_world *world;
    snag_body_id *ids;
} runner;

static void must_be_ok(snag_status status, const char *message)
{
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_wear: %s %s\n", snag_status_name(status), message);
        exit(2);
    }
}

static runner start(const surface_scene *scene, const request *r, size_t pose)
{
    runner run;
    snag_world_def def = snag_default_world_def();
    def.threads = r->threads;
    run.ids = measure_array(scene->body_count, sizeof *run.ids);
    must_be_ok(snag_world_create(&def, &run.world), "");
    must_be_ok(surface_scene_add(scene, pose, run.world, run.ids), "");
    return run;
}

static void end(const runner *run)
{
    snag_world_destroy(run->world);
    free(run->ids);
}

// Milliseconds of an ask after a move to a pose.
static double step(const surface_scene *scene, const request *r, const runner *run, size_t pose)
{
    const snag_answer *answer;
    clockid_t clock = measure_clock(r->threads);
    must_be_ok(surface_scene_move(scene, pose, run->world, run->ids), "");
    double begun = measure_ms(clock);
    must_be_ok(any_ask(run->world, &r->ask, &answer), snag_world_message(run->world));
    return measure_ms(clock) - begun;
}

// Adds a scratch pose that `go_to` overwrites.
static size_t add_pose(surface_scene *scene)
{
    if (surface_scene_add_pose(scene) == NULL)
        must_be_ok(SNAG_ERROR_MEMORY, "");
    return scene->pose_count - 1;
}

// Writes the pose at fraction `way` of the motion through poses 0 .. last.
static void go_to(const surface_scene *scene, size_t last, double way, size_t pose)
{
    double at = way * (double)last;
    size_t before = (size_t)at < last ? (size_t)at : last - 1;
    double part = at - (double)before;
    for (size_t v = 0; v < scene->vertex_count; v++)
        for (int axis = 0; axis < 3; axis++)
            scene->poses[pose][v][axis] = (1 - part) * scene->poses[before][v][axis] + part * scene->poses[before + 1][v][axis];
}

static void compare(const surface_scene *scene, const request *r, const runner *along, size_t pose, double medians[2])
{
    runner fresh = start(scene, r, pose);
    double ms[2][TURNS];
    for (int i = -1; i < TURNS; i++) {  // the first one builds the trees
        double along_ms = step(scene, r, along, pose), fresh_ms = step(scene, r, &fresh, pose);
        if (i >= 0) {
            ms[0][i] = along_ms;
            ms[1][i] = fresh_ms;
        }
    }
    for (int i = 0; i < 2; i++)
        medians[i] = measure_median(ms[i], TURNS);
    end(&fresh);
}

static void measure(surface_scene *scene, const request *r)
{
    size_t last = scene->pose_count - 1, pose = add_pose(scene);
    go_to(scene, last, 0, pose);
    runner along = start(scene, r, pose);
    printf("%s: %zu triangles, %s, %u thread(s)\n", scene->name, scene->triangle_count, snag_question_name(r->ask.question),
           r->threads);
    printf("    step    way      mean     along  new trees   (ms)\n");
    double sum = 0, all = 0;
    for (size_t i = 0; i < r->steps + r->rest; i++) {
        double way = r->until * (double)(i < r->steps ? i : r->steps) / (double)r->steps;
        go_to(scene, last, way, pose);
        double ms = step(scene, r, &along, pose), medians[2];
        sum += ms;
        all += ms;
        if (i % OF_A_LINE == OF_A_LINE - 1) {
            compare(scene, r, &along, pose, medians);
            printf("    %4zu  %5.2f  %8.2f  %8.2f   %8.2f\n", i + 1, way, sum / OF_A_LINE, medians[0], medians[1]);
            fflush(stdout);
            sum = 0;
        }
    }
    printf("    all together %.0f ms\n", all);
    end(&along);
}

static bool take_option(const char *text, request *r)
{
    snag_question question;
    if (snag_question_from_name(text, &question)) {
        any_question ask = any_default(question);
        ask.method = r->ask.method;
        ask.output = r->ask.output;
        r->ask = ask;
    } else if (strncmp(text, "threads=", 8) == 0) {
        r->threads = (uint32_t)strtoul(text + 8, NULL, 10);
    } else if (strncmp(text, "until=", 6) == 0) {
        r->until = strtod(text + 6, NULL);
    } else if (strncmp(text, "steps=", 6) == 0) {
        r->steps = strtoul(text + 6, NULL, 10);
    } else if (strncmp(text, "rest=", 5) == 0) {
        r->rest = strtoul(text + 5, NULL, 10);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    request r = {.ask = any_default(SNAG_INTERSECTIONS), .threads = 1, .until = 0.8, .steps = 200, .rest = 100};
    r.ask.method = SNAG_METHOD_KDOP;
    r.ask.output = SNAG_OUTPUT_PAIRS;
    int scenes = 0;
    for (int i = 1; i < argc; i++) {
        if (take_option(argv[i], &r))
            continue;
        if (!(r.until > 0 && r.until <= 1) || r.steps == 0) {
            fputs("bench_wear: `until` is above 0 and at most 1, `steps` at least 1\n", stderr);
            return 2;
        }
        surface_scene scene;
        char message[512] = "";
        must_be_ok(surface_scene_open(argv[i], &scene, message), message);
        r.ask.distance = r.ask.question == SNAG_PROXIMITIES ? scene.distance : 0;
        measure(&scene, &r);
        surface_scene_free(&scene);
        scenes++;
    }
    if (scenes == 0) {
        fputs("usage: bench_wear [QUESTION | threads=2 | until=0.8 | steps=200 | rest=100]... SCENE...\n"
              "e.g. bench_wear sheet-100k; bench_wear proximities until=1 FOLDER\n",
              stderr);
        return 2;
    }
    return 0;
}
