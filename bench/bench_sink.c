// Proximities larger than memory: a pile of twisted cloths, answered through a sink with a temporary file.
// usage: bench_sink [MILLIONS OF TRIANGLES [DISTANCE IN EDGES [FOLDER]]]      bench_sink 16.4 0.6: the pile of docs/guide/scale.md
#define _DEFAULT_SOURCE
#include "snag/io.h"
#include "snag/question.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { CLOTHS = 32 };

typedef struct counting {
    snag_io_scratch *scratch;
    size_t count, blocks;
    snag_pair last;
    bool sorted;
    uint64_t written;
} counting;

static bool is_after(const snag_pair *x, const snag_pair *y)
{
    if (x->body_a != y->body_a)
        return x->body_a > y->body_a;
    if (x->kind_a != y->kind_a)
        return x->kind_a > y->kind_a;
    if (x->a != y->a)
        return x->a > y->a;
    if (x->body_b != y->body_b)
        return x->body_b > y->body_b;
    return x->b > y->b || (x->b == y->b && x->kind > y->kind);
}

static bool take(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count)
{
    counting *c = context;
    (void)contacts;
    for (size_t i = 0; i < count; i++) {
        c->sorted = c->sorted && (c->count + i == 0 || is_after(&pairs[i], &c->last));
        c->last = pairs[i];
    }
    c->count += count;
    c->blocks++;
    return true;
}

static bool store(void *context, uint64_t offset, const void *bytes, size_t size)
{
    counting *c = context;
    c->written += size;
    return snag_io_scratch_write(c->scratch, offset, bytes, size);
}

static bool fetch(void *context, uint64_t offset, void *bytes, size_t size)
{
    return snag_io_scratch_read(((counting *)context)->scratch, offset, bytes, size);
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Cloths one above the other, half an edge apart, each twisted against the one below and wavy.
static void add_cloth(snag_world *world, int index, uint32_t cells)
{
    uint32_t side = cells + 1;
    float(*x)[3] = malloc(sizeof *x * side * side);
    uint32_t *triangles = malloc(sizeof *triangles * 6 * cells * cells);
    double edge = 1.0 / cells, turn = 0.1 * index;
    if (x == NULL || triangles == NULL)
        exit(2);
    for (uint32_t i = 0; i < side * side; i++) {
        double u = i % side * edge - 0.5, v = i / side * edge - 0.5;
        double angle = turn + 0.3 * (u * u + v * v);
        x[i][0] = (float)(u * cos(angle) - v * sin(angle));
        x[i][1] = (float)(u * sin(angle) + v * cos(angle));
        x[i][2] = (float)(0.5 * edge * index + 0.2 * edge * sin(40 * u) * cos(31 * v));
    }
    for (uint32_t i = 0; i < cells * cells; i++) {
        uint32_t a = i / cells * side + i % cells, corners[6] = {a, a + 1, a + side, a + 1, a + side + 1, a + side};
        for (int k = 0; k < 6; k++)
            triangles[6 * (size_t)i + (size_t)k] = corners[k];
    }
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    def.positions = snag_positions_f32((const float *)x, (size_t)side * side);
    def.triangles = triangles;
    def.triangle_count = 2 * (size_t)cells * cells;
    if (snag_world_add(world, &def, &id) != SNAG_OK) {
        fprintf(stderr, "%s\n", snag_world_message(world));
        exit(2);
    }
    free(x);
    free(triangles);
}

int main(int count, char **arguments)
{
    double millions = count > 1 ? atof(arguments[1]) : 0.5, edges = count > 2 ? atof(arguments[2]) : 1.6;
    uint32_t cells = (uint32_t)sqrt(millions * 1e6 / 2 / CLOTHS);
    snag_world_def wd = snag_default_world_def();
    snag_world *world = NULL;
    counting c = {.sorted = true};
    snag_io_error error;
    if (cells < 2 || snag_world_create(&wd, &world) != SNAG_OK ||
        snag_io_scratch_create(count > 3 ? arguments[3] : NULL, &c.scratch, &error) != SNAG_OK)
        return 2;
    double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < CLOTHS; i++)
        add_cloth(world, i, cells);
    double built = seconds(CLOCK_MONOTONIC);
    snag_sink sink = snag_default_sink();
    sink.take = take;
    sink.write = store;
    sink.read = fetch;
    sink.memory = (size_t)1 << 30;
    sink.context = &c;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = edges / cells;
    ask.every_pair = true;
    ask.output = SNAG_OUTPUT_PAIRS;
    ask.sink = &sink;
    const snag_answer *answer;
    if (snag_world_ask(world, &ask, &answer) != SNAG_OK) {
        fprintf(stderr, "%s\n", snag_world_message(world));
        return 2;
    }
    double ended = seconds(CLOCK_MONOTONIC);
    snag_memory memory;
    struct rusage usage;
    snag_world_memory(world, &memory);
    getrusage(RUSAGE_SELF, &usage);
    double triangles = 2.0 * CLOTHS * cells * cells;
    printf("triangles %.0f  pairs %zu  blocks %zu  %s\n", triangles, c.count, c.blocks, c.sorted ? "sorted" : "NOT SORTED");
    printf("seconds   add %.1f  ask %.1f  processor %.1f\n", built - began, ended - built,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
    printf("memory    peak %.2f GB  bodies %.2f  methods %.2f  answers %.2f  bytes a triangle %.0f  file %.2f GB\n",
           (double)usage.ru_maxrss / 1e6, (double)memory.bodies / 1e9, (double)memory.methods / 1e9, (double)memory.answers / 1e9,
           (double)usage.ru_maxrss * 1e3 / triangles, (double)c.written / 1e9);
    snag_world_destroy(world);
    snag_io_scratch_destroy(c.scratch);
    return c.sorted && answer->complete ? 0 : 1;
}
