// One row of the speed table in a process of its own, by the public API alone: script/bench --baseline COMMIT builds this program beside
// an older library as well (0.1 or later), and runs the two in turns.
//
//     bench_rows ROW [THREADS [REPEAT [ISA [json]]]]      ISA: best (default), v4, v3, v2, scalar
//
// With `json` the row is printed for script/bench, with its stages, the limit and bytes.
//
// Rows, on frames 92 and 93 of cloth-ball in SNAG_DATA unless said:
//     every-pair    proximities within a thousandth of the diagonal, every pair, as pairs
//     merged        the same, each contact of features once, with all details
//     earliest      the earliest impact from frame 92 to 93
//     impacts       all impacts, as pairs
//     intersections pairs of triangles, in a world that is warm
//     first         intersections in a new process: from add to the answer
//     memory        bytes a triangle after intersections
//     memory-all    bytes a triangle after intersections, proximities, impacts and distance
//     tets          penetrations of the million tetrahedra of scene M
// Prints: row, threads, milliseconds (or bytes a triangle), count of the answer. Times are medians: processor time for one thread,
// wall-clock time for more.
#define _GNU_SOURCE
#include "measure.h"
#include "snag/io.h"
#include "snag/snag.h"
#include "tet_scenes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SINCE_02 (SNAG_VERSION_MAJOR > 0 || SNAG_VERSION_MINOR >= 2)

enum { REPEAT_MAX = 1001, WARM = 2, WARM_TETS = 12 };  // `hash` learns in its first ten steps

typedef struct bench {
    uint32_t threads;
    snag_isa isa;
    snag_io_mesh frames[2];
    double diagonal;
    snag_world *world;
    snag_body_id cloth;
    size_t bytes;
    // For JSON: adding or moving alone, what the world holds at the end, elements, and the pass that writes their boxes.
    double update_ms;
    size_t held;
    size_t elements;
    double limit_ms;
} bench;

// The ways to ask.
typedef enum ask_kind { EVERY_PAIR, MERGED, EARLIEST, IMPACTS, INTERSECTIONS, DISTANCE, TETS } ask_kind;

static void die(const char *what)
{
    fprintf(stderr, "bench_rows: %s\n", what);
    exit(2);
}

static void check(const bench *b, snag_status status)
{
    if (status != SNAG_OK)
        die(b->world != NULL ? snag_world_message(b->world) : snag_status_name(status));
}

// ---- the API, as it was and as it is ----

static snag_question_def question_of(const bench *b, ask_kind kind)
{
    static const snag_question questions[] = {SNAG_PROXIMITIES,   SNAG_PROXIMITIES, SNAG_IMPACTS,     SNAG_IMPACTS,
                                              SNAG_INTERSECTIONS, SNAG_DISTANCE,    SNAG_PENETRATIONS};
    snag_question_def def = snag_default_question_def(questions[kind]);
    if (kind == EVERY_PAIR || kind == MERGED)
        def.distance = 1e-3 * b->diagonal;
    def.every_pair = kind == EVERY_PAIR;
#if SINCE_02
    def.output = kind == MERGED ? SNAG_OUTPUT_CONTACTS : kind == EARLIEST ? SNAG_OUTPUT_EARLIEST : SNAG_OUTPUT_PAIRS;
    if (kind == DISTANCE)
        def.output = SNAG_OUTPUT_CONTACTS;
    def.edges = false;
#else
    def.details = kind == MERGED || kind == DISTANCE;
    def.pairs_only = kind == INTERSECTIONS || kind == TETS;
#endif
    return def;
}

static size_t ask(bench *b, ask_kind kind)
{
    snag_question_def def = question_of(b, kind);
    const snag_answer *answer = NULL;
    check(b, snag_world_ask(b->world, &def, &answer));
#if SINCE_02
    return answer->count;
#else
    return answer->contact_count;
#endif
}

static void move(bench *b, int frame)
{
    const snag_io_body *body = &b->frames[frame % 2].bodies[0];
#if SINCE_02
    check(b, snag_world_begin_step(b->world));
#endif
    check(b, snag_world_move(b->world, b->cloth, snag_positions_f64(body->positions, body->vertex_count)));
}

// ---- the world ----

static void read_frame(const char *name, snag_io_mesh *mesh)
{
    char path[1024];
    snag_io_error error;
    const char *folder = getenv("SNAG_DATA");
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/%s", folder != NULL ? folder : ".", name);
    if (snag_io_read_mesh(path, mesh, &error) != SNAG_OK)
        die(error.message);
}

static double diagonal_of(const snag_io_body *body)
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

static void make_world(bench *b, bool count_bytes)
{
    snag_world_def def = snag_default_world_def();
    def.threads = b->threads;
    def.isa = b->isa;
    if (count_bytes)
        def.allocator = measure_allocator(&b->bytes);
    check(b, snag_world_create(&def, &b->world));
}

static void add_cloth(bench *b)
{
    check(b, snag_io_add_body(b->world, &b->frames[0].bodies[0], &b->cloth));
}

// What the world holds, where it can tell.
static size_t held_by(bench *b)
{
#if SINCE_02
    snag_memory parts;
    check(b, snag_world_memory(b->world, &parts));
    return parts.total;
#else
    (void)b;
    return 0;
#endif
}

// ---- the limit: one pass that reads the elements and writes their boxes ----

static void write_boxes(const double *x, const uint32_t *corners, size_t count, size_t size, float *boxes)
{
    for (size_t e = 0; e < count; e++)
        for (size_t axis = 0; axis < 3; axis++) {
            double lo = INFINITY, hi = -INFINITY;
            for (size_t c = 0; c < size; c++) {
                double at = x[3 * (size_t)corners[size * e + c] + axis];
                lo = at < lo ? at : lo;
                hi = at > hi ? at : hi;
            }
            boxes[6 * e + axis] = (float)lo;
            boxes[6 * e + 3 + axis] = (float)hi;
        }
}

static double limit_of(const double *x, const uint32_t *corners, size_t count, size_t size)
{
    float *boxes = measure_array(6 * count, sizeof *boxes);
    double best = INFINITY;
    for (int i = 0; i < 9; i++) {
        double began = measure_cpu_ms();
        write_boxes(x, corners, count, size, boxes);
        best = fmin(best, measure_cpu_ms() - began);
    }
    free(boxes);
    return best;
}

// ---- rows ----

static double steps(bench *b, ask_kind kind, int repeat, size_t *count)
{
    double ms[REPEAT_MAX], moved[REPEAT_MAX];
    make_world(b, false);
    add_cloth(b);
    for (int i = -WARM; i < repeat; i++) {
        // Impacts are those from frame 92 to 93; the other questions are asked in frame 92.
        int last = kind == EARLIEST || kind == IMPACTS ? 1 : 0;
        move(b, !last);
        double began = measure_ms(measure_clock(b->threads));
        move(b, last);
        double then = measure_ms(measure_clock(b->threads));
        *count = ask(b, kind);
        if (i >= 0) {
            ms[i] = measure_ms(measure_clock(b->threads)) - began;
            moved[i] = then - began;
        }
    }
    b->update_ms = measure_median(moved, (size_t)repeat);
    b->held = held_by(b);
    snag_world_destroy(b->world);
    return measure_median(ms, (size_t)repeat);
}

typedef struct first_ask {
    double ms, added_ms;
    size_t count, held;
} first_ask;

static double first(bench *b, int repeat, size_t *count)
{
    double ms[REPEAT_MAX], added[REPEAT_MAX];
    for (int i = 0; i < repeat; i++) {
        int ends[2];
        if (pipe(ends) != 0)
            die("pipe");
        pid_t child = fork();
        if (child == 0) {
            first_ask result;
            make_world(b, false);
            double began = measure_ms(measure_clock(b->threads));
            add_cloth(b);
            result.added_ms = measure_ms(measure_clock(b->threads)) - began;
            result.count = ask(b, INTERSECTIONS);
            result.ms = measure_ms(measure_clock(b->threads)) - began;
            result.held = held_by(b);
            _exit(write(ends[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 2);
        }
        first_ask result;
        int status;
        close(ends[1]);
        if (child < 0 || read(ends[0], &result, sizeof result) != (ssize_t)sizeof result || waitpid(child, &status, 0) != child)
            die("a child process failed");
        close(ends[0]);
        ms[i] = result.ms;
        added[i] = result.added_ms;
        *count = result.count;
        b->held = result.held;
    }
    b->update_ms = measure_median(added, (size_t)repeat);
    return measure_median(ms, (size_t)repeat);
}

static double memory(bench *b, bool all, size_t *count)
{
    static const ask_kind kinds[] = {EVERY_PAIR, MERGED, IMPACTS, DISTANCE};
    make_world(b, true);
    add_cloth(b);
    double began = measure_cpu_ms();
    *count = ask(b, INTERSECTIONS);
    for (size_t i = 0; all && i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i] == IMPACTS)
            move(b, 1);
        ask(b, kinds[i]);
    }
    b->update_ms = measure_cpu_ms() - began;
    b->held = b->bytes;
#if SINCE_02
    // What the answer itself takes depends on what was found.
    snag_memory parts;
    check(b, snag_world_memory(b->world, &parts));
    fprintf(stderr, "bytes: bodies %zu, methods %zu, answers %zu, all %zu\n", parts.bodies, parts.methods, parts.answers,
            parts.total);
#endif
    snag_body_info info;
    check(b, snag_world_body(b->world, b->cloth, &info));
    return (double)b->bytes / (double)info.triangle_count;
}

static double tets(bench *b, int repeat, size_t *count)
{
    double ms[REPEAT_MAX], moved[REPEAT_MAX];
    tet_scene scene;
    if (!tet_scene_make("M", 0, &scene))
        die("out of memory");
    snag_body_id *ids = calloc(scene.body_count, sizeof *ids);
    make_world(b, false);
    tet_scene_pose(&scene, 0);
    check(b, tet_scene_add(&scene, b->world, ids));
    for (int i = -WARM_TETS; i < repeat; i++) {
        tet_scene_pose(&scene, i + WARM_TETS + 1);
        double began = measure_ms(measure_clock(b->threads));
        check(b, tet_scene_move(&scene, b->world, ids));
        double then = measure_ms(measure_clock(b->threads));
        *count = ask(b, TETS);
        if (i >= 0) {
            ms[i] = measure_ms(measure_clock(b->threads)) - began;
            moved[i] = then - began;
        }
    }
    b->update_ms = measure_median(moved, (size_t)repeat);
    b->held = held_by(b);
    b->elements = scene.tet_count;
    for (size_t i = 0; i < scene.body_count; i++) {
        const snag_shape *shape = &scene.bodies[i].shape;
        b->limit_ms += limit_of(shape->positions, shape->tets, shape->tet_count, 4);
    }
    tet_scene_free(&scene);
    free(ids);
    return measure_median(ms, (size_t)repeat);
}

static snag_isa isa_of(const char *name)
{
    static const snag_isa all[] = {SNAG_ISA_BEST, SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4};
    static const char *const names[] = {"best", "scalar", "v2", "v3", "v4"};
    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0)
            return all[i];
    die("the instruction set is one of scalar, v2, v3, v4, best");
    return SNAG_ISA_BEST;
}

// A row as lab/bench_rows.h reads it. Rows of memory have the time of all their asks.
static void print_json(const bench *b, const char *row, double value, size_t count)
{
    bool memory = strncmp(row, "memory", 6) == 0, tets = strcmp(row, "tets") == 0;
    const char *method = tets ? "hash" : "kdop";
    printf("{\"machine\": {}, \"rows\": [{\"bench\": \"speed\", \"scene\": \"%s\", \"question\": \"%s\", \"method\": \"%s\", "
           "\"threads\": %u, \"elements\": %zu, \"contacts\": %zu, \"ms\": %.4f, \"limit_ms\": %.5f, \"bytes\": %zu",
           tets ? "tets-M" : "cloth-ball-92", row, method, b->threads, b->elements, count, memory ? b->update_ms : value,
           b->limit_ms, b->held);
    if (!memory)
        printf(", \"update_ms\": %.4f", b->update_ms);
    puts("}]}");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        ask_kind kind;
    } rows[] = {{"every-pair", EVERY_PAIR},
                {"merged", MERGED},
                {"earliest", EARLIEST},
                {"impacts", IMPACTS},
                {"intersections", INTERSECTIONS}};
    bench b = {.threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1};
    int repeat = argc > 3 ? atoi(argv[3]) : 11;
    const char *row = argc > 1 ? argv[1] : "";
    bool json = argc > 5 && strcmp(argv[5], "json") == 0;
    if (argc > 4)
        b.isa = isa_of(argv[4]);
    if (argc < 2 || argc > 6 || (argc == 6 && !json) || repeat < 1 || repeat > REPEAT_MAX || b.threads < 1)
        die("usage: bench_rows ROW [THREADS [REPEAT [ISA [json]]]]");
    size_t count = 0;
    double value = -1;
    if (strcmp(row, "tets") == 0)
        value = tets(&b, repeat, &count);
    else {
        read_frame("cloth_ball92.ply", &b.frames[0]);
        read_frame("cloth_ball93.ply", &b.frames[1]);
        const snag_io_body *cloth = &b.frames[0].bodies[0];
        b.diagonal = diagonal_of(cloth);
        b.elements = cloth->polygon_count;
        if (json)
            b.limit_ms = limit_of(cloth->positions, cloth->polygon_vertices, cloth->polygon_count, 3);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (strcmp(row, rows[i].name) == 0)
                value = steps(&b, rows[i].kind, repeat, &count);
        if (strcmp(row, "first") == 0)
            value = first(&b, repeat, &count);
        if (strcmp(row, "memory") == 0 || strcmp(row, "memory-all") == 0)
            value = memory(&b, strcmp(row, "memory-all") == 0, &count);
    }
    if (value < 0)
        die("there is no such row: see the head of bench/bench_rows.c");
    if (json)
        print_json(&b, row, value, count);
    else
        printf("%s %u %.3f %zu\n", row, b.threads, value, count);
    return 0;
}
