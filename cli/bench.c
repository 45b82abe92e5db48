// snag bench: what questions cost, beside their limits and the papers' own ways, on scenes made by arithmetic.
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "../bench/paper_hash.h"
#include "../bench/tet_scenes.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// Steps of a few milliseconds are measured more often than those that take half a second.
enum { REPEATS = 5, MOST_REPEATS = 15, WAYS = 5 };

// What is measured in turn: the methods, then the paper's way with its half-space test and its one pass.
static const char *const way_names[WAYS] = {"hash", "kdop", "paper", "paper-half-spaces", "paper-one-pass"};
enum { WAY_HASH, WAY_KDOP, WAY_PAPER };

// One pass over more tetrahedra than this takes minutes.
#define MOST_OF_ONE_PASS 25000

typedef struct bench {
    const options *o;
    words *w;
    json json;
    tet_scene scene;
    snag_body_id *ids;
    snag_world *world;
    size_t bytes;  // that the world holds
    double (*x)[3];  // all bodies as one mesh
    uint32_t (*tets)[4];
    float (*boxes)[6];
    paper_mesh mesh;
    paper_hash *paper;
    double ms[WAYS][MOST_REPEATS], limit_ms[MOST_REPEATS];
    size_t contacts[WAYS], method_bytes[WAYS];
} bench;

// ---- clock and memory ----------------------------------------------------------------------------------------------

// One thread is measured by the processor's clock, on which other programs have no share; more by the wall's.
static double now_ms(const bench *b)
{
    struct timespec time;
    clock_gettime(b->o->threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void *count_allocate(void *context, size_t size, size_t alignment)
{
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory)
        ((bench *)context)->bytes += size;
    return memory;
}

static void count_release(void *context, void *memory, size_t size)
{
    ((bench *)context)->bytes -= size;
    free(memory);
}

// ---- scene ---------------------------------------------------------------------------------------------------------

static void join_positions(bench *b)
{
    size_t first = 0;
    for (size_t i = 0; i < b->scene.body_count; i++) {
        const snag_shape *shape = &b->scene.bodies[i].shape;
        memcpy(b->x + first, shape->positions, 3 * shape->vertex_count * sizeof(double));
        first += shape->vertex_count;
    }
}

static void join_tets(bench *b)
{
    size_t first = 0, tet = 0;
    for (size_t i = 0; i < b->scene.body_count; i++) {
        const snag_shape *shape = &b->scene.bodies[i].shape;
        for (size_t k = 0; k < 4 * shape->tet_count; k++)
            b->tets[tet + k / 4][k % 4] = (uint32_t)first + shape->tets[k];
        first += shape->vertex_count;
        tet += shape->tet_count;
    }
}

static bool start_scene(bench *b)
{
    const tet_scene *scene = &b->scene;
    b->ids = malloc(scene->body_count * sizeof *b->ids);
    b->x = malloc(scene->vertex_count * sizeof *b->x);
    b->tets = malloc(scene->tet_count * sizeof *b->tets);
    b->boxes = malloc(scene->tet_count * sizeof *b->boxes);
    if (!b->ids || !b->x || !b->tets || !b->boxes)
        return false;
    join_positions(b);
    join_tets(b);
    b->mesh = (paper_mesh){(const double(*)[3])b->x, scene->vertex_count, (const uint32_t(*)[4])b->tets, scene->tet_count};
    b->paper = paper_hash_new(&b->mesh, 0, 0);
    snag_world_def def = snag_default_world_def();
    def.threads = b->o->threads;
    def.allocator = (snag_allocator){.allocate = count_allocate, .release = count_release, .context = b};
    return b->paper && snag_world_create(&def, &b->world) == SNAG_OK &&
           tet_scene_add(scene, b->world, b->ids) == SNAG_OK;
}

static void end_scene(bench *b)
{
    snag_world_destroy(b->world);
    paper_hash_free(b->paper);
    free(b->ids);
    free(b->x);
    free(b->tets);
    free(b->boxes);
    tet_scene_free(&b->scene);
    b->world = NULL;
    b->paper = NULL;
    b->ids = NULL;
    b->x = NULL;
    b->tets = NULL;
    b->boxes = NULL;
}

// ---- what is measured ----------------------------------------------------------------------------------------------

// The least that a step can do: read the tetrahedra and write their boxes.
static void write_boxes(bench *b)
{
    for (size_t t = 0; t < b->mesh.tet_count; t++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t *v = b->tets[t];
            double lo = b->x[v[0]][axis], hi = lo;
            for (int i = 1; i < 4; i++) {
                double x = b->x[v[i]][axis];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            b->boxes[t][axis] = (float)lo;
            b->boxes[t][3 + axis] = (float)hi;
        }
}

static bool run_method(bench *b, int way)
{
    snag_question_def ask = snag_default_question_def(SNAG_PENETRATIONS);
    ask.method = way == WAY_HASH ? SNAG_METHOD_HASH : SNAG_METHOD_KDOP;
    ask.details = false;  // the paper's way gives none
    const snag_answer *answer;
    size_t before = b->bytes;
    if (snag_world_ask(b->world, &ask, &answer) != SNAG_OK)
        return false;
    b->contacts[way] = answer->contact_count;
    b->method_bytes[way] += b->bytes - before;
    return true;
}

static bool run_paper(bench *b, int way)
{
    const paper_pair *pairs;
    return paper_hash_step(b->paper, &b->mesh, (paper_variant)(way - WAY_PAPER), &pairs, &b->contacts[way]);
}

static bool is_measured(const bench *b, int way)
{
    return way < WAY_PAPER + 2 || b->scene.tet_count <= MOST_OF_ONE_PASS;
}

// All ways of one step, one after the other, so that what disturbs the machine disturbs all.
static bool measure_step(bench *b, int step)
{
    tet_scene_pose(&b->scene, step);
    join_positions(b);
    if (tet_scene_move(&b->scene, b->world, b->ids) != SNAG_OK)
        return false;
    int place = step < 0 ? 0 : step;
    double start = now_ms(b);
    write_boxes(b);
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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int repeats_of(const bench *b)
{
    return b->scene.tet_count < 100000 ? MOST_REPEATS : REPEATS;
}

static double median(const bench *b, double *values)
{
    int count = repeats_of(b);
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

static void print_row(bench *b, int way, double limit)
{
    double ms = median(b, b->ms[way]);
    uint32_t threads = way < WAY_PAPER ? snag_world_threads(b->world) : 1;
    if (!b->o->json) {
        printf("%-6s%-19s%8u%12zu%10zu%12.3f%10.1f\n", b->scene.name, way_names[way], threads, b->scene.tet_count,
               b->contacts[way], ms, ms / limit);
        return;
    }
    json_flat_object(&b->json, NULL);
    json_text(&b->json, "bench", "tets");
    json_text(&b->json, "scene", b->scene.name);
    json_text(&b->json, "question", snag_question_name(SNAG_PENETRATIONS));
    json_text(&b->json, "method", way_names[way]);
    json_count(&b->json, "threads", threads);
    json_count(&b->json, "elements", b->scene.tet_count);
    json_count(&b->json, "contacts", b->contacts[way]);
    json_ms(&b->json, "ms", ms);
    json_ms(&b->json, "limit_ms", limit);
    json_count(&b->json, "bytes", b->method_bytes[way]);
    json_close_object(&b->json);
}

static int bench_scene(bench *b, const char *name)
{
    memset(b->method_bytes, 0, sizeof b->method_bytes);
    b->bytes = 0;
    if (!tet_scene_make(name, 0, &b->scene))
        return words_out_of_memory(b->w);
    bool good = start_scene(b) && measure_step(b, -1);  // the first step builds and warms up
    for (int step = 0; step < repeats_of(b) && good; step++)
        good = measure_step(b, step);
    double limit = good ? median(b, b->limit_ms) : 0;
    for (int way = 0; way < WAYS && good; way++)
        if (is_measured(b, way))
            print_row(b, way, limit);
    fflush(stdout);
    end_scene(b);
    return good ? EXIT_CLEAN : words_out_of_memory(b->w);
}

void bench_print_machine(json *j)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    snag_status status = snag_world_create(&def, &world);
    json_flat_object(j, "machine");
    json_text(j, "snag", snag_version());
    if (status == SNAG_OK) {
        json_count(j, "processors", snag_world_threads(world));
        json_text(j, "instruction_set", snag_isa_name(snag_world_isa(world)));
    }
    json_close_object(j);
    snag_world_destroy(world);
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
        return words_error(w, "say what to measure: snag bench tets, or snag bench surfaces");
    if ((o->question_given && o->question != SNAG_PENETRATIONS) || o->method != SNAG_METHOD_AUTO || o->repeat > 0)
        return words_error(w, "tets measures penetrations by all ways; --question, --method and --repeat are for surfaces");
    for (const char *c = o->bench_scene; c && *c; c++)
        if (!strchr("ABCDEM,", *c))
            return words_error(w, "there is no scene \"%c\"; there are A, B, C, D, E and M", *c);
    return EXIT_CLEAN;
}

int verb_bench(const options *o, words *w)
{
    if (strcmp(o->inputs.items[0], "surfaces") == 0)
        return bench_surfaces(o, w);
    int result = check_request(o, w);
    if (result != EXIT_CLEAN)
        return result;
    bench *b = calloc(1, sizeof *b);
    if (!b)
        return words_out_of_memory(w);
    b->o = o;
    b->w = w;
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
