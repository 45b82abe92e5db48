// snag bench: measures questions against their lower bounds and the papers' algorithms, on generated scenes.
#define _POSIX_C_SOURCE 200809L
#include "../cli/json.h"
#include "../cli/tuning.h"
#include "machine.h"
#include "papers/measure.h"
#include "papers/tet_rig.h"
#include "lab.h"

#include <stdlib.h>
#include <string.h>

// Steps of a few milliseconds are repeated more often than those of half a second.
enum { REPEATS = 5, MOST_REPEATS = 15, WAYS = 6 };

// The variants, measured in turn: our methods, then the paper's algorithm, also with its half-space test and its one pass, plain and
// listing each pair once.
static const char *const way_names[WAYS] = {"hash", "kdop", "paper", "paper-half-spaces", "paper-one-pass", "paper-once"};
enum { WAY_HASH, WAY_KDOP, WAY_PAPER };

// The one-pass variant takes minutes for more tetrahedra than this.
#define MOST_OF_ONE_PASS 25000

typedef struct bench {
    const options *o;
    words *w;
    json json;
    any_question tuned;  // --cell and --table
    tet_rig rig;
    double ms[WAYS][MOST_REPEATS], limit_ms[MOST_REPEATS];
    size_t contacts[WAYS], method_bytes[WAYS];
} bench;

// ---- measuring -----------------------------------------------------------------------------------------------------

static double now_ms(const bench *b)
{
    return measure_ms(measure_clock(b->o->threads));
}

static bool run_method(bench *b, int way)
{
    const snag_answer *answer;
    size_t before = b->rig.bytes;
    const any_question *tuned = &b->tuned;
    if (tet_rig_ask(&b->rig, way == WAY_HASH ? SNAG_METHOD_HASH : SNAG_METHOD_KDOP, tuned->cell_size, tuned->table_size, &answer) !=
        SNAG_OK)
        return false;
    b->contacts[way] = answer->count;
    b->method_bytes[way] += b->rig.bytes - before;
    return true;
}

static bool run_paper(bench *b, int way)
{
    const paper_pair *pairs;
    return paper_hash_step(b->rig.paper, &b->rig.mesh, (paper_variant)(way - WAY_PAPER), &pairs, &b->contacts[way]);
}

static bool is_measured(const bench *b, int way)
{
    return way < WAY_PAPER + 2 || b->rig.scene.tet_count <= MOST_OF_ONE_PASS;
}

// Runs all variants of one step in turn, so that a disturbance of the machine affects all of them.
static bool measure_step(bench *b, int step)
{
    if (tet_rig_pose(&b->rig, step) != SNAG_OK)
        return false;
    int place = step < 0 ? 0 : step;
    double start = now_ms(b);
    tet_rig_write_boxes(&b->rig);
    b->limit_ms[place] = now_ms(b) - start;
    for (int way = 0; way < WAYS; way++) {
        if (!is_measured(b, way))
            continue;
        start = now_ms(b);
        if (!(way < WAY_PAPER ? run_method(b, way) : run_paper(b, way)))
            return false;
        b->ms[way][place] = now_ms(b) - start;
    }
    return true;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static int repeats_of(const bench *b)
{
    return b->rig.scene.tet_count < 100000 ? MOST_REPEATS : REPEATS;
}

static double median(const bench *b, double *values)
{
    return measure_median(values, (size_t)repeats_of(b));
}

static void print_row(bench *b, int way, double limit)
{
    double ms = median(b, b->ms[way]);
    uint32_t threads = way < WAY_PAPER ? snag_world_threads(b->rig.world) : 1;
    if (!b->o->json) {
        printf("%-6s%-19s%8u%12zu%10zu%12.3f%10.1f\n", b->rig.scene.name, way_names[way], threads, b->rig.scene.tet_count,
               b->contacts[way], ms, ms / limit);
        return;
    }
    json_flat_object(&b->json, NULL);
    json_text(&b->json, "bench", "tets");
    json_text(&b->json, "scene", b->rig.scene.name);
    json_text(&b->json, "question", snag_question_name(SNAG_PENETRATIONS));
    json_text(&b->json, "method", way_names[way]);
    json_count(&b->json, "threads", threads);
    json_count(&b->json, "elements", b->rig.scene.tet_count);
    json_count(&b->json, "contacts", b->contacts[way]);
    json_ms(&b->json, "ms", ms);
    json_ms(&b->json, "limit_ms", limit);
    json_count(&b->json, "bytes", b->method_bytes[way]);
    json_close_object(&b->json);
}

static int bench_scene(bench *b, const char *name)
{
    memset(b->method_bytes, 0, sizeof b->method_bytes);
    if (!tet_rig_open(&b->rig, name, 0, b->o->threads, 0))
        return words_out_of_memory(b->w);
    bool good = measure_step(b, -1);  // the first step builds and warms up
    for (int step = 0; step < repeats_of(b) && good; step++)
        good = measure_step(b, step);
    double limit = good ? median(b, b->limit_ms) : 0;
    for (int way = 0; way < WAYS && good; way++)
        if (is_measured(b, way))
            print_row(b, way, limit);
    fflush(stdout);
    tet_rig_close(&b->rig);
    return good ? EXIT_CLEAN : words_out_of_memory(b->w);
}

void bench_print_machine(json *j)
{
    machine m = machine_describe();
    json_flat_object(j, "machine");
    json_text(j, "snag", snag_version());
    json_text(j, "date", m.date);
    json_text(j, "processor", m.processor);
    json_count(j, "processors", m.processors);
    json_text(j, "instruction_set", m.instruction_set);
    json_text(j, "compiler", m.compiler);
    json_text(j, "system", m.system);
    json_text(j, "load", m.load);
    json_close_object(j);
}

static void print_head(bench *b)
{
    if (b->o->json)
        bench_print_machine(&b->json);
    else
        printf("%-6s%-19s%8s%12s%10s%12s%10s\n", "scene", "method", "threads", "tetrahedra", "contacts", "ms", "/ limit");
}

static const char *const scene_names[] = {"A", "B", "C", "D", "E", "M"};
enum { SCENES = sizeof scene_names / sizeof *scene_names };

static bool is_wanted(const char *list, const char *name)
{
    return !list || strchr(list, name[0]);
}

static int check_request(const options *o, words *w)
{
    if (o->inputs.count != 1 || strcmp(o->inputs.items[0], "tets") != 0)
        return words_error(
            w, "give a benchmark: snag bench surfaces, snag bench tets, snag bench sweep INPUT, or snag bench page FOLDER");
    if ((o->question_given && o->question != SNAG_PENETRATIONS) || o->method != SNAG_METHOD_AUTO || o->repeat > 0)
        return words_error(w, "--question, --method and --repeat are only for `snag bench surfaces`");
    for (const char *c = o->bench_scene; c && *c; c++)
        if (!strchr("ABCDEM,", *c))
            return words_error(w, "unknown scene \"%c\"; scenes: A, B, C, D, E and M", *c);
    return EXIT_CLEAN;
}

int verb_bench(const options *o, words *w)
{
    if (strcmp(o->inputs.items[0], "surfaces") == 0)
        return bench_surfaces(o, w);
    if (strcmp(o->inputs.items[0], "page") == 0)
        return bench_page(o, w);
    if (strcmp(o->inputs.items[0], "sweep") == 0)
        return bench_sweep(o, w);
    int result = check_request(o, w);
    if (result != EXIT_CLEAN)
        return result;
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return words_out_of_memory(w);
    b->o = o;
    b->w = w;
    b->tuned = any_default(SNAG_PENETRATIONS);
    b->tuned.method = SNAG_METHOD_HASH;
    result = tuning_take(o, &b->tuned, w);
    if (result != EXIT_CLEAN) {
        free(b);
        return result;
    }
    if (o->json) {
        json_begin(&b->json, stdout);
        json_object(&b->json, NULL);
    }
    print_head(b);
    if (o->json)
        json_array(&b->json, "rows");
    for (size_t i = 0; i < SCENES && result == EXIT_CLEAN; i++)
        if (is_wanted(o->bench_scene, scene_names[i]))
            result = bench_scene(b, scene_names[i]);
    if (o->json) {
        json_close_array(&b->json);
        json_close_object(&b->json);
        json_end(&b->json);
    }
    free(b);
    return result;
}
