// Measures `auto` from its first ask on: the total cost of a short simulation with `auto`, kdop and regularity. Each method has its
// own world, and they take turns step by step.
//
//   bench_auto [impacts | between | pairs | threads=2 | steps=64]... SCENE...
//
// A scene is a folder (a mesh file and caches NAME.pc2), a mesh file, a built-in scene (sheet-100k), or wide-folds or narrow-folds.
// The poses are played back and forth. Prints the time of the first ask, the time of all steps so far relative to kdop, the number
// of asks each method answered, and the bytes in use at the end.
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "regularity_runs.h"
#include "snag/snag.h"
#include "surface_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAYS = 3 };
static const snag_method ways[WAYS] = {SNAG_METHOD_KDOP, SNAG_METHOD_REGULARITY, SNAG_METHOD_AUTO};

typedef struct request {
    any_question ask;
    uint32_t threads;
    size_t steps;
} request;

typedef struct runner {
    snag_world *world;
    snag_body_id *ids;
    size_t bytes, contacts;
    double first_ms, ms, last_ms;  // of the first ask, of all asks, of the second half
    size_t answered[SNAG_METHOD_COUNT];
} runner;

static void must_be_ok(snag_status status, const char *message)
{
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_auto: %s %s\n", snag_status_name(status), message);
        exit(2);
    }
}

static void open_scene(const char *name, surface_scene *scene)
{
    char message[512] = "";
    if (strcmp(name, "wide-folds") == 0)
        must_be_ok(regularity_scene(REGULARITY_WIDE_FOLDS, 168, name, scene), "");
    else if (strcmp(name, "narrow-folds") == 0)
        must_be_ok(regularity_scene(REGULARITY_NARROW_FOLDS, 168, name, scene), "");
    else
        must_be_ok(surface_scene_open(name, scene, message), message);
}

static void start(const surface_scene *scene, const request *r, runner *run)
{
    snag_world_def def = snag_default_world_def();
    def.threads = r->threads;
    def.allocator = measure_allocator(&run->bytes);
    run->ids = measure_array(scene->body_count, sizeof *run->ids);
    must_be_ok(snag_world_create(&def, &run->world), "");
    must_be_ok(surface_scene_add(scene, 0, run->world, run->ids), "");
}

static void step(const surface_scene *scene, const request *r, size_t number, snag_method method, runner *run)
{
    // Back and forth: 0, 1, .. n - 1, n - 2, .. 1, 0, ...
    size_t turn = 2 * (scene->pose_count - 1), pose = number % turn;
    pose = pose < scene->pose_count ? pose : turn - pose;
    clockid_t clock = measure_clock(r->threads);
    any_question ask = r->ask;
    ask.method = method;
    const snag_answer *answer;
    if (number > 0)
        must_be_ok(surface_scene_move(scene, pose, run->world, run->ids), "");
    double begun = measure_ms(clock);
    must_be_ok(any_ask(run->world, &ask, &answer), snag_world_message(run->world));
    double ms = measure_ms(clock) - begun;
    run->ms += ms;
    run->first_ms = number == 0 ? ms : run->first_ms;
    run->last_ms += number >= r->steps / 2 ? ms : 0;
    run->contacts = answer->count;
    run->answered[answer->method]++;
}

static void measure(const surface_scene *scene, const request *r)
{
    runner runs[WAYS] = {0};
    printf("%s: %zu triangles, %zu bodies, %s, %u thread(s)\n", scene->name, scene->triangle_count, scene->body_count,
           snag_question_name(r->ask.question), r->threads);
    for (int way = 0; way < WAYS; way++)
        start(scene, r, &runs[way]);
    printf("    all so far, of kdop's (%s, %s):", snag_method_name(ways[1]), snag_method_name(ways[2]));
    size_t next = 1;
    for (size_t i = 0; i < r->steps; i++) {
        for (int k = 0; k < WAYS; k++) {
            int way = i % 2 == 0 ? k : WAYS - 1 - k;
            step(scene, r, i, ways[way], &runs[way]);
        }
        for (int way = 1; way < WAYS; way++)
            if (runs[way].contacts != runs[0].contacts)
                must_be_ok(SNAG_ERROR_MISMATCH, "contacts differ");
        if (i + 1 == next || i + 1 == r->steps) {
            printf(" %zu: %.2f %.2f", i + 1, runs[1].ms / runs[0].ms, runs[2].ms / runs[0].ms);
            next *= 2;
        }
    }
    printf("\n");
    size_t later = r->steps - r->steps / 2;
    for (int way = 0; way < WAYS; way++) {
        runner *run = &runs[way];
        printf("    %-10s first %8.2f ms  mean %8.2f  later half %8.2f = %.2f of kdop  %5.0f bytes a triangle  by",
               snag_method_name(ways[way]), run->first_ms, run->ms / (double)r->steps, run->last_ms / (double)later,
               run->last_ms / runs[0].last_ms, (double)run->bytes / (double)scene->triangle_count);
        for (int m = 0; m < SNAG_METHOD_COUNT; m++)
            if (run->answered[m] > 0)
                printf(" %s %zu", snag_method_name((snag_method)m), run->answered[m]);
        printf("\n");
        snag_world_destroy(run->world);
        free(run->ids);
    }
    fflush(stdout);
}

static bool take_option(const char *text, request *r)
{
    if (strcmp(text, "impacts") == 0)
        r->ask.question = SNAG_IMPACTS;
    else if (strcmp(text, "between") == 0)
        r->ask.self = false;
    else if (strcmp(text, "pairs") == 0)
        r->ask.output = SNAG_OUTPUT_PAIRS;
    else if (strncmp(text, "threads=", 8) == 0)
        r->threads = (uint32_t)strtoul(text + 8, NULL, 10);
    else if (strncmp(text, "steps=", 6) == 0)
        r->steps = strtoul(text + 6, NULL, 10);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_auto [impacts | between | pairs | threads=2 | steps=64]... SCENE...\n"
                        "e.g. bench_auto steps=400 sphere-100k wide-folds\n");
        return 2;
    }
    request r = {.ask = any_default(SNAG_INTERSECTIONS), .threads = 1, .steps = 64};
    for (int i = 1; i < argc; i++) {
        if (take_option(argv[i], &r))
            continue;
        surface_scene scene = {0};
        open_scene(argv[i], &scene);
        measure(&scene, &r);
        surface_scene_free(&scene);
    }
    return 0;
}
