// What filters cost: a thick cloth that does not report itself, and a million excluded pairs in a step. Prints ratios of CPU times, each
// the median of interleaved repetitions.
// usage: bench_filters [REPETITIONS]
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 101 };

static double cpu_ms(void)
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_value);
    return times[count / 2];
}

static snag_world *new_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) != SNAG_OK)
        exit(2);
    return world;
}

static snag_body_id add_sheet(snag_world *world, const snag_shape *sheet)
{
    snag_body_def def = snag_default_body_def();
    def.positions = def.rest = snag_positions_f64(sheet->positions, sheet->vertex_count);
    def.triangles = sheet->triangles;
    def.triangle_count = sheet->triangle_count;
    snag_body_id id = {0, 0};
    if (snag_world_add(world, &def, &id) != SNAG_OK)
        exit(2);
    return id;
}

typedef struct variant {
    const char *name;
    double distance;
    snag_filter filter;
    double times[MOST];
    size_t contacts;
} variant;

// One ask; returns its time.
static double ask_once(snag_world *world, variant *v)
{
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.method = SNAG_METHOD_KDOP;
    ask.output = SNAG_OUTPUT_PAIRS;
    ask.distance = v->distance;
    ask.filter = &v->filter;
    const snag_answer *answer = NULL;
    double before = cpu_ms();
    if (snag_world_ask(world, &ask, &answer) != SNAG_OK) {
        fprintf(stderr, "%s\n", snag_world_message(world));
        exit(2);
    }
    v->contacts = answer->count;
    return cpu_ms() - before;
}

static void print_variants(variant *variants, int count, int repetitions)
{
    double first = median(variants[0].times, repetitions);
    for (int i = 0; i < count; i++) {
        double ms = median(variants[i].times, repetitions);
        printf("  %-44s %8.2f ms  %6.3f  %9zu contacts\n", variants[i].name, ms, ms / first, variants[i].contacts);
    }
}

// Asks every variant in turn after each move, and prints its median time relative to the first.
static void measure(snag_world *world, snag_body_id id, const snag_shape *sheet, variant *variants, int count, int repetitions)
{
    for (int r = -2; r < repetitions; r++) {
        snag_world_begin_step(world);
        for (int i = 0; i < count; i++) {
            // Every variant begins with bounds that are stale.
            snag_world_move(world, id, snag_positions_f64(sheet->positions, sheet->vertex_count));
            double ms = ask_once(world, &variants[i]);
            if (r >= 0)
                variants[i].times[r] = ms;
        }
    }
    print_variants(variants, count, repetitions);
}

// The same of the first ask of a world.
static void measure_first(const snag_shape *sheet, variant *variants, int count, int repetitions)
{
    for (int r = 0; r < repetitions; r++)
        for (int i = 0; i < count; i++) {
            snag_world *world = new_world();
            add_sheet(world, sheet);
            variants[i].times[r] = ask_once(world, &variants[i]);
            snag_world_destroy(world);
        }
    print_variants(variants, count, repetitions);
}

static void thick_cloth(int repetitions)
{
    enum { CELLS = 300 };
    const double edge = 1.0 / CELLS;
    snag_shape sheet;
    if (snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet) != SNAG_OK)
        exit(2);
    snag_world *world = new_world();
    snag_body_id id = add_sheet(world, &sheet);
    variant variants[4];
    for (int i = 0; i < 4; i++)
        variants[i] = (variant){.filter = snag_default_filter()};
    variants[0].name = "0.70 edges, no filter: nothing is reported";
    variants[0].distance = 0.7 * edge;
    variants[1].name = "1.35 edges, exclude_rings = 2";
    variants[1].distance = 1.35 * edge;
    variants[1].filter.exclude_rings = 2;
    variants[2].name = "1.35 edges, exclude_rest = 1.35 edges";
    variants[2].distance = 1.35 * edge;
    variants[2].filter.exclude_rest = 1.35 * edge;
    variants[3].name = "1.35 edges, no filter";
    variants[3].distance = 1.35 * edge;
    printf("cloth of 300 x 300 quads at rest, proximities:\n");
    measure(world, id, &sheet, variants, 4, repetitions);
    snag_world_destroy(world);
    printf("the first ask of a world:\n");
    measure_first(&sheet, variants, 4, repetitions);
    snag_shape_free(&sheet);
}

// A cloth laid in folds, so that layers are near each other.
static void fold(snag_shape *sheet)
{
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        double *x = sheet->positions + 3 * v, along = 8 * (x[0] + 0.5), turn = floor(along);
        double within = along - turn;
        x[2] = 0.002 * along + 0.003 * sin(40 * x[1]);
        x[0] = ((int)turn % 2 == 0 ? within : 1 - within) / 8;
    }
}

static void many_pairs(int repetitions)
{
    enum { CELLS = 210, PAIRS = 1000000 };
    snag_shape sheet;
    if (snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet) != SNAG_OK)
        exit(2);
    fold(&sheet);
    snag_world *world = new_world();
    snag_body_id id = add_sheet(world, &sheet);
    // Vertices with others that are near on the sheet, and with any.
    snag_excluded_pair *pairs = calloc(PAIRS, sizeof *pairs);
    if (pairs == NULL)
        exit(2);
    uint64_t random = 1;
    for (size_t i = 0; i < PAIRS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t a = (uint32_t)((random >> 33) % sheet.vertex_count);
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t far = (uint32_t)((random >> 33) % sheet.vertex_count),
                 near = (uint32_t)((a + (random >> 33) % 2000) % sheet.vertex_count);
        pairs[i] =
            (snag_excluded_pair){id, id, {.kind = SNAG_VERTEX, .index = a}, {.kind = SNAG_VERTEX, .index = i % 2 ? near : far}};
    }
    snag_exclusion_def def = snag_default_exclusion_def();
    def.pairs = pairs;
    def.pair_count = PAIRS;
    variant variants[2] = {{.name = "no filter", .filter = snag_default_filter()},
                           {.name = "a million excluded pairs of vertices", .filter = snag_default_filter()}};
    double before = cpu_ms();
    if (snag_world_exclude(world, &def, &variants[1].filter.exclusions) != SNAG_OK)
        exit(2);
    printf("cloth of %zu triangles in folds, proximities; pairs prepared in %.0f ms:\n", sheet.triangle_count, cpu_ms() - before);
    variants[0].distance = variants[1].distance = 0.003;
    measure(world, id, &sheet, variants, 2, repetitions);
    free(pairs);
    snag_shape_free(&sheet);
    snag_world_destroy(world);
}

int main(int count, char **arguments)
{
    int repetitions = count > 1 ? atoi(arguments[1]) : 9;
    repetitions = repetitions < 1 ? 1 : repetitions > MOST ? MOST : repetitions;
    thick_cloth(repetitions);
    many_pairs(repetitions);
    return 0;
}
