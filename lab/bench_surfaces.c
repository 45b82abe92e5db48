// snag bench surfaces: measures every question about surfaces with every method that answers it, against the lower bound.
//
// A scene is replayed: all bodies start in the first pose and are moved from pose to pose. A move and its question are timed
// together. The methods take turns, each in its own world, and must agree on the contacts before a time is printed. If `auto`
// switches between methods, it has its own world too.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/any_question.h"
#include "papers/measure.h"
#include "bench_scene.h"
#include "../cli/json.h"
#include "../cli/progress.h"
#include "../cli/tuning.h"
#include "lab.h"

// Without --repeat a scene is replayed until all methods together have taken this long, at most this many times.
#define ENOUGH_MS 3000
#define REPEATS 5

// `auto` reconsiders its choice after 32 asks about the same bodies (impacts: 8): see docs/design/auto.md. Measure after
// that.
#define ASKS_OF_AUTO 33

// Brute force over more pairs than this takes a second or more per pose.
#define MOST_BRUTE_PAIRS 1e9

static const snag_question questions[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_IMPACTS, SNAG_DISTANCE, SNAG_OVERLAPS};
enum { QUESTIONS = sizeof questions / sizeof *questions };

// One method and its progress through a scene.
typedef struct runner {
    snag_method method;
    snag_world *world;
    snag_body_id *ids;
    size_t bytes;
    size_t contacts;  // in the last pose
    uint64_t contacts_hash;  // over all poses of the first replay
    size_t answered[SNAG_METHOD_COUNT];  // number of steps answered by each method
    double *ms;
    size_t time_count, time_capacity;
} runner;

typedef struct bench {
    const options *o;
    words *w;
    json json;
    progress progress;
    size_t done, parts;  // scenes times questions
    surface_scene scene;
    float (*boxes)[6];
    double *limit_ms;
    size_t limit_count, limit_capacity;
    runner runners[SNAG_METHOD_COUNT];
    size_t runner_count;
    bool begun;  // the table head has been printed
    bool differs;
} bench;

// ---- methods -------------------------------------------------------------------------------------------------------

static bool is_wanted(const bench *b, snag_question question)
{
    return !b->o->question_given || b->o->question == question;
}

// Number of pairs `brute` tests: a closed surface has half as many vertices as triangles, and three edges per two triangles.
static double brute_pairs(const bench *b, snag_question question)
{
    double triangles = (double)b->scene.triangle_count;
    return question == SNAG_INTERSECTIONS ? triangles * triangles / 2 : 1.625 * triangles * triangles;
}

static const char *part_name(const bench *b, snag_question question)
{
    static char name[128];
    snprintf(name, sizeof name, "%s, %s", b->scene.name, snag_question_name(question));
    return name;
}

static bool takes_part(const bench *b, snag_method method, snag_question question)
{
    if (b->o->method != SNAG_METHOD_AUTO && b->o->method != method)
        return false;
    if (method == SNAG_METHOD_AUTO)
        return question == SNAG_INTERSECTIONS || question == SNAG_IMPACTS;
    // Some scenes have only one body, so a method must find self-contacts.
    if (!snag_method_finds_self(method, question))
        return false;
    // Always run `brute` if it was requested by name.
    if (method == SNAG_METHOD_BRUTE && b->o->method != method && brute_pairs(b, question) > MOST_BRUTE_PAIRS) {
        words_note(b->w, "%s: brute is left out: it would test %.1e pairs (run it with --method brute)", part_name(b, question),
                   brute_pairs(b, question));
        return false;
    }
    return true;
}

// ---- one method ----------------------------------------------------------------------------------------------------

static snag_status ask(bench *b, runner *r, snag_question question, const snag_answer **answer)
{
    any_question def = any_default(question);
    def.method = r->method;
    def.distance = b->o->distance >= 0 ? b->o->distance : b->scene.distance;
    if (tuning_take_own(b->o, &def, b->w) != EXIT_CLEAN)
        return SNAG_ERROR_ARGUMENT;
    return any_ask(r->world, &def, answer);
}

static void hash_contacts(runner *r, const snag_answer *answer)
{
    uint64_t hash = r->contacts_hash;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        const uint32_t words_of[] = {c->body_a.index, (uint32_t)c->a.kind, c->a.index,
                                     c->body_b.index, (uint32_t)c->b.kind, c->b.index};
        for (size_t k = 0; k < sizeof words_of / sizeof *words_of; k++)
            hash = (hash ^ words_of[k]) * 0x100000001b3u;  // FNV-1a, by words
    }
    r->contacts_hash = hash ^ answer->count;
}

static bool keep_time(double **times, size_t *count, size_t *capacity, double ms)
{
    if (!words_grow((void **)times, capacity, *count + 1, sizeof **times))
        return false;
    (*times)[(*count)++] = ms;
    return true;
}

// Puts all bodies into the first pose. The first time, this builds the method's data structures.
static snag_status rewind_scene(bench *b, runner *r, snag_question question)
{
    const snag_answer *answer;
    snag_status status = surface_scene_place(&b->scene, 0, r->world, r->ids);
    return status == SNAG_OK ? ask(b, r, question, &answer) : status;
}

static snag_status step(bench *b, runner *r, snag_question question, size_t pose, bool first)
{
    clockid_t clock = measure_clock(snag_world_threads(r->world));
    const snag_answer *answer = NULL;
    double start = measure_ms(clock);
    snag_status status = surface_scene_move(&b->scene, pose, r->world, r->ids);
    if (status == SNAG_OK)
        status = ask(b, r, question, &answer);
    double ms = measure_ms(clock) - start;
    if (status != SNAG_OK)
        return status;
    if (!keep_time(&r->ms, &r->time_count, &r->time_capacity, ms))
        return SNAG_ERROR_MEMORY;
    if (first)
        hash_contacts(r, answer);
    r->contacts = answer->count;
    r->answered[answer->method]++;
    return SNAG_OK;
}

static void runner_free(runner *r)
{
    snag_world_destroy(r->world);
    free(r->ids);
    free(r->ms);
    memset(r, 0, sizeof *r);
}

static int say_failure(bench *b, const runner *r, snag_status status)
{
    if (status == SNAG_ERROR_MEMORY)
        return words_out_of_memory(b->w);
    return words_error(b->w, "%s: %s: %s", b->scene.name, snag_method_name(r->method),
                       r->world ? snag_world_message(r->world) : snag_status_name(status));
}

// Starts a method; if it cannot answer for this scene, it is left out with a note.
static int add_runner(bench *b, snag_method method, snag_question question)
{
    runner *r = &b->runners[b->runner_count];
    *r = (runner){.method = method, .contacts_hash = 0xcbf29ce484222325u};
    r->ids = malloc(b->scene.body_count * sizeof *r->ids);
    snag_world_def def = snag_default_world_def();
    def.threads = b->o->threads;
    def.allocator = measure_allocator(&r->bytes);
    snag_status status = r->ids ? snag_world_create(&def, &r->world) : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK)
        status = surface_scene_add(&b->scene, 0, r->world, r->ids);
    for (int i = 0; i < (method == SNAG_METHOD_AUTO ? ASKS_OF_AUTO : 1) && status == SNAG_OK; i++)
        status = rewind_scene(b, r, question);
    if (status == SNAG_OK) {
        b->runner_count++;
        return EXIT_CLEAN;
    }
    int result = EXIT_CLEAN;
    if (status == SNAG_ERROR_UNSUPPORTED)
        words_note(b->w, "%s: %s is left out: %s", part_name(b, question), snag_method_name(method), snag_world_message(r->world));
    else
        result = say_failure(b, r, status);
    runner_free(r);
    return result;
}

// ---- measuring -----------------------------------------------------------------------------------------------------

// Warm the cache with the previous pose, so that the limit is not measured with a cold cache.
static bool measure_limit(bench *b, size_t pose)
{
    surface_scene_write_boxes(&b->scene, pose - 1, b->boxes);
    double start = measure_ms(CLOCK_PROCESS_CPUTIME_ID);
    surface_scene_write_boxes(&b->scene, pose, b->boxes);
    double ms = measure_ms(CLOCK_PROCESS_CPUTIME_ID) - start;
    return keep_time(&b->limit_ms, &b->limit_count, &b->limit_capacity, ms);
}

static int replay(bench *b, snag_question question, bool first, double part, double share)
{
    for (size_t i = 0; i < b->runner_count; i++) {
        snag_status status = rewind_scene(b, &b->runners[i], question);
        if (status != SNAG_OK)
            return say_failure(b, &b->runners[i], status);
    }
    for (size_t pose = 1; pose < b->scene.pose_count; pose++) {
        if (!measure_limit(b, pose))
            return words_out_of_memory(b->w);
        for (size_t i = 0; i < b->runner_count; i++) {
            snag_status status = step(b, &b->runners[i], question, pose, first);
            if (status != SNAG_OK)
                return say_failure(b, &b->runners[i], status);
            if (progress_interrupted())
                return words_error(b->w, "interrupted; the rows above are complete");
        }
        progress_show(&b->progress, b->done, part + share * (double)pose / (double)b->scene.pose_count);
    }
    return EXIT_CLEAN;
}

static int replay_often(bench *b, snag_question question)
{
    size_t repeats = b->o->repeat > 0 ? b->o->repeat : REPEATS;
    double start = measure_ms(CLOCK_MONOTONIC);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < repeats && result == EXIT_CLEAN; i++) {
        result = replay(b, question, i == 0, (double)i / (double)repeats, 1.0 / (double)repeats);
        if (b->o->repeat == 0 && measure_ms(CLOCK_MONOTONIC) - start > ENOUGH_MS)
            break;
    }
    return result;
}

// Compares with the first complete method. `active` finds only a fraction by design.
static void compare(bench *b, snag_question question)
{
    const runner *first = NULL;
    for (size_t i = 0; i < b->runner_count; i++) {
        const runner *r = &b->runners[i];
        if (r->method == SNAG_METHOD_ACTIVE)
            continue;
        if (!first)
            first = r;
        else if (r->contacts_hash != first->contacts_hash) {
            words_error(b->w, "%s: %s and %s find different contacts; this is a bug, so no time is printed", part_name(b, question),
                        snag_method_name(first->method), snag_method_name(r->method));
            b->differs = true;
        }
    }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void print_row(bench *b, runner *r, snag_question question, double limit)
{
    double ms = measure_median(r->ms, r->time_count);
    uint32_t threads = snag_world_threads(r->world);
    if (!b->o->json) {
        words_clear_bar(b->w);
        words_put(stdout, b->scene.name, 20);
        printf("%-15s%-12s%8u%11zu%10zu%11.3f%9.1f%9.1f\n", snag_question_name(question), snag_method_name(r->method), threads,
               b->scene.triangle_count, r->contacts, ms, limit > 0 ? ms / limit : 0, 1e-6 * (double)r->bytes);
        return;
    }
    json_flat_object(&b->json, NULL);
    json_text(&b->json, "bench", "surfaces");
    json_text(&b->json, "scene", b->scene.name);
    json_text(&b->json, "question", snag_question_name(question));
    json_text(&b->json, "method", snag_method_name(r->method));
    json_count(&b->json, "threads", threads);
    json_count(&b->json, "elements", b->scene.triangle_count);
    json_count(&b->json, "contacts", r->contacts);
    json_ms(&b->json, "ms", ms);
    json_ms(&b->json, "limit_ms", limit);
    json_count(&b->json, "bytes", r->bytes);
    json_close_object(&b->json);
}

static double median_ms(runner *r)
{
    return measure_median(r->ms, r->time_count);
}

// The methods that answered for `auto`, as "kdop" or "kdop and regularity".
static void name_answerers(const runner *r, char *text, size_t size)
{
    text[0] = 0;
    for (int m = 0; m < SNAG_METHOD_COUNT; m++)
        if (r->answered[m] > 0) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used > 0 ? " and " : "", snag_method_name((snag_method)m));
        }
}

// Prints the method that `auto` chose, and its time relative to the best of the others.
static void print_choice(bench *b, snag_question question)
{
    runner *chosen = NULL, *other = NULL;
    for (size_t i = 0; i < b->runner_count; i++) {
        runner *r = &b->runners[i];
        if (r->method == SNAG_METHOD_AUTO || (chosen == NULL && r->method == snag_method_auto(question)))
            chosen = r;
    }
    for (size_t i = 0; i < b->runner_count && chosen != NULL; i++) {
        runner *r = &b->runners[i];
        if (r != chosen && r->method != SNAG_METHOD_ACTIVE && (other == NULL || median_ms(r) < median_ms(other)))
            other = r;
    }
    if (chosen == NULL || other == NULL || b->o->json)
        return;
    char names[64];
    name_answerers(chosen, names, sizeof names);
    words_clear_bar(b->w);
    printf("    auto chose %s; the best other method is %s, at %.2f times its time\n", names, snag_method_name(other->method),
           median_ms(other) / median_ms(chosen));
}

static void print_rows(bench *b, snag_question question)
{
    bool differed = b->differs;
    compare(b, question);
    if (b->differs != differed)
        return;
    double limit = measure_median(b->limit_ms, b->limit_count);
    for (size_t i = 0; i < b->runner_count; i++)
        print_row(b, &b->runners[i], question, limit);
    print_choice(b, question);
    fflush(stdout);
}

// ---- scenes --------------------------------------------------------------------------------------------------------

static int bench_question(bench *b, snag_question question)
{
    if (question == SNAG_DISTANCE && b->scene.body_count < 2) {
        if (b->o->question_given)
            words_note(b->w, "%s: distance is left out: there is only one body", b->scene.name);
        return EXIT_CLEAN;
    }
    int result = EXIT_CLEAN;
    b->runner_count = b->limit_count = 0;
    // `auto`, the first method, comes last.
    for (int i = 1; i <= SNAG_METHOD_COUNT && result == EXIT_CLEAN; i++) {
        snag_method method = (snag_method)(i % SNAG_METHOD_COUNT);
        if (takes_part(b, method, question))
            result = add_runner(b, method, question);
    }
    if (result == EXIT_CLEAN && b->runner_count > 0) {
        result = replay_often(b, question);
        if (result == EXIT_CLEAN)
            print_rows(b, question);
    }
    for (size_t i = 0; i < b->runner_count; i++)
        runner_free(&b->runners[i]);
    return result;
}

static void print_head(bench *b)
{
    if (b->begun)
        return;
    b->begun = true;
    if (b->o->json) {
        json_begin(&b->json, stdout);
        json_object(&b->json, NULL);
        bench_print_machine(&b->json);
        json_array(&b->json, "rows");
    } else
        printf("%-20s%-15s%-12s%8s%11s%10s%11s%9s%9s\n", "scene", "question", "method", "threads", "triangles", "contacts", "ms",
               "/ limit", "MB");
}

static void print_end(bench *b)
{
    if (!b->begun || !b->o->json)
        return;
    json_close_array(&b->json);
    json_close_object(&b->json);
    json_end(&b->json);
}

static int bench_one_scene(bench *b, const bench_scene *chosen)
{
    progress_show(&b->progress, b->done, 0);
    int result = bench_scene_open(b->o, chosen, b->w, &b->scene);
    if (result != EXIT_CLEAN)
        return result;
    print_head(b);
    b->boxes = malloc(b->scene.triangle_count * sizeof *b->boxes);
    if (!b->boxes)
        result = words_out_of_memory(b->w);
    for (size_t i = 0; i < QUESTIONS && result == EXIT_CLEAN; i++)
        if (is_wanted(b, questions[i])) {
            result = bench_question(b, questions[i]);
            b->done++;
        }
    free(b->boxes);
    b->boxes = NULL;
    surface_scene_free(&b->scene);
    return result;
}

static int check_request(const options *o, words *w)
{
    if (o->question_given && o->question == SNAG_PENETRATIONS)
        return words_error(w, "for penetrations use: snag bench tets");
    if (o->sweep || o->bench_out)
        return words_error(w, "--sweep and --out are for: snag bench sweep");
    for (int m = 1; m < SNAG_METHOD_COUNT; m++) {
        any_question tuned = any_default(m == SNAG_METHOD_REGIONS ? SNAG_DISTANCE : SNAG_INTERSECTIONS);
        tuned.method = (snag_method)m;
        if (tuning_take_own(o, &tuned, w) != EXIT_CLEAN)
            return EXIT_ERROR;
    }
    snag_method method = o->method;
    if (o->question_given && !snag_method_answers(method, o->question))
        return words_error(w, "method %s does not answer %s (`snag info` lists the methods for each question)",
                           snag_method_name(method), snag_question_name(o->question));
    for (size_t i = 0; i < QUESTIONS; i++)
        if (snag_method_answers(method, questions[i]))
            return EXIT_CLEAN;
    return words_error(w, "method %s answers no question about surfaces (`snag info` lists the methods for each question)",
                       snag_method_name(method));
}

int bench_surfaces(const options *o, words *w)
{
    bench_scene scenes[BENCH_SCENES];
    size_t scene_count = 0, question_count = 0;
    int result = check_request(o, w);
    if (result == EXIT_CLEAN)
        result = bench_scene_list(o, w, scenes, &scene_count);
    if (result != EXIT_CLEAN)
        return result;
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return words_out_of_memory(w);
    b->o = o;
    b->w = w;
    for (size_t i = 0; i < QUESTIONS; i++)
        question_count += is_wanted(b, questions[i]);
    progress_catch_interrupt();
    progress_begin(&b->progress, w, "part", scene_count * question_count);
    for (size_t i = 0; i < scene_count && result == EXIT_CLEAN; i++)
        result = bench_one_scene(b, &scenes[i]);
    progress_end(&b->progress);
    print_end(b);
    if (b->differs)
        result = EXIT_ERROR;
    free(b->limit_ms);
    free(b);
    return result;
}
