// Compares regularity with the plain hierarchy and with kdop; one thread, processor time.
//
//   bench_regularity tables        Tab. 1 and 2 of the paper: search calls (A) and triangle tests (B) on a sphere and on a loop
//                                  of 1k to 1M triangles, for the classical mode, the paper's and the certified one
//   bench_regularity steps         a smooth cloth with folds, a crumpled sheet, and growing spheres: ms of a search and of a whole
//                                  step, compared with kdop and with the limit (read all triangles, write their boxes)
//   bench_regularity FOLDER...     moving scenes: a mesh file and caches NAME.pc2
//   bench_regularity directions    how many directions to sample
//   bench_regularity impacts       moves: ms of a step that asks for impacts
#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "measure.h"
#include "regularity_runs.h"
#include "surface_files.h"
#include "bound/surface_tree.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5, WAYS = 4 };

static const char *const way_names[WAYS] = {"kdop", "certified", "paper", "classical"};

static void must_be_ok(snag_status status, const char *message)
{
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_regularity: %s %s\n", snag_status_name(status), message);
        exit(2);
    }
}

static void *must(void *memory)
{
    if (memory == NULL)
        must_be_ok(SNAG_ERROR_MEMORY, "");
    return memory;
}

static any_question question_of(int way)
{
    any_question ask = regularity_question(way == 0 ? SNAG_REGULARITY_CERTIFIED : (snag_regularity_mode)(way - 1));
    if (way == 0)
        ask.method = SNAG_METHOD_KDOP;
    return ask;
}

static snag_world *make_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    must_be_ok(snag_world_create(&def, &world), "");
    return world;
}

// ---- scenes ----

static void make(regularity_shape shape, uint32_t size, const char *name, surface_scene *scene)
{
    must_be_ok(regularity_scene(shape, size, name, scene), "");
}

// ---- tables ----

static void print_counts(regularity_shape shape, uint32_t size)
{
    surface_scene scene;
    regularity_counts counts;
    make(shape, size, "", &scene);
    must_be_ok(regularity_count(&scene, &counts), "");
    surface_scene_free(&scene);
    printf("%9zu %9zu", counts.triangles, counts.colliding);
    for (int mode = 0; mode < REGULARITY_MODES; mode++) {
        double per = (double)(counts.colliding > 0 && mode != SNAG_REGULARITY_CLASSICAL ? counts.colliding : counts.triangles);
        printf(" | %9zu %9zu %7.2f %7.2f", counts.calls[mode], counts.tests[mode], (double)counts.calls[mode] / per,
               (double)counts.tests[mode] / per);
    }
    printf("\n");
}

static void print_head(const char *name)
{
    printf("\n%s\n%9s %9s", name, "triangles", "colliding");
    for (int way = 1; way < WAYS; way++)
        printf(" | %9s %9s %7s %7s", way_names[way], "tests", "calls/", "tests/");
    printf("\n");
}

static void tables(void)
{
    print_head("Tab. 1, sphere (last two columns of each: per triangle)");
    for (uint32_t n = 3; n <= 8; n++)
        print_counts(REGULARITY_SPHERE, n);
    print_head("Tab. 2, loop (last two columns: per colliding triangle; classical: per triangle)");
    for (uint32_t n = 0; n < 6; n++)
        print_counts(REGULARITY_LOOP, 25u << n);
}

// ---- times ----

typedef struct times {
    double search[WAYS], step[WAYS], limit;
    size_t contacts, calls[WAYS], tests[WAYS];
} times;

// Runs one step with each variant in turn. Asking again without a move times the search alone.
static void measure_pose(const surface_scene *scene, size_t pose, snag_world *const *worlds, snag_body_id *const *ids,
                         const any_question *asks, float (*boxes)[6], times *sum)
{
    times best = {.limit = INFINITY};
    for (int way = 0; way < WAYS; way++)
        best.search[way] = best.step[way] = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (int way = 0; way < WAYS; way++) {
            const snag_answer *answer;
            must_be_ok(surface_scene_move(scene, pose, worlds[way], ids[way]), "");
            double start = measure_cpu_ms();
            must_be_ok(any_ask(worlds[way], &asks[way], &answer), snag_world_message(worlds[way]));
            best.step[way] = fmin(best.step[way], measure_cpu_ms() - start);
            start = measure_cpu_ms();
            must_be_ok(any_ask(worlds[way], &asks[way], &answer), snag_world_message(worlds[way]));
            best.search[way] = fmin(best.search[way], measure_cpu_ms() - start);
            best.calls[way] = answer->statistics->visited;
            best.tests[way] = answer->statistics->tested;
            if (way == 0)
                best.contacts = answer->count;
            else if (way != 2 && best.contacts != answer->count)
                must_be_ok(SNAG_ERROR_MISMATCH, "contacts differ");
        }
        double start = measure_cpu_ms();
        surface_scene_write_boxes(scene, pose, boxes);
        best.limit = fmin(best.limit, measure_cpu_ms() - start);
    }
    sum->limit += best.limit;
    sum->contacts += best.contacts;
    for (int way = 0; way < WAYS; way++) {
        sum->search[way] += best.search[way];
        sum->step[way] += best.step[way];
        sum->calls[way] += best.calls[way];
        sum->tests[way] += best.tests[way];
    }
}

// Times the refit alone (boxes, normals and directions of the whole scene as one mesh) and the limit.
static void print_refit(const surface_scene *scene, uint32_t count)
{
    snag_allocator allocator = snag__default_allocator();
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(scene->poses[0][0], scene->vertex_count);
    def.triangles = scene->triangles[0];
    def.triangle_count = scene->triangle_count;
    snag__mesh mesh;
    snag__mesh_error error;
    snag__surface_tree tree;
    must_be_ok(snag__mesh_from_def(&def, &allocator, &mesh, &error), error.message);
    double start = measure_cpu_ms();
    if (!snag__surface_tree_build(&tree, &mesh, &allocator))
        must_be_ok(SNAG_ERROR_MEMORY, "");
    double build = measure_cpu_ms() - start, refit = INFINITY, limit = INFINITY;
    snag__directions directions;
    snag__directions_make(count, &directions);
    float(*boxes)[6] = must(malloc((scene->triangle_count + 1) * sizeof *boxes));
    for (int repeat = 0; repeat < 3 * REPEATS; repeat++) {
        start = measure_cpu_ms();
        snag__surface_tree_refit(&tree, &directions, &(snag__parallel){.threads = 1}, snag__isa_best());
        refit = fmin(refit, measure_cpu_ms() - start);
        start = measure_cpu_ms();
        surface_scene_write_boxes(scene, 0, boxes);
        limit = fmin(limit, measure_cpu_ms() - start);
    }
    printf("    refit alone with %u directions %.3f ms, limit %.3f: %.1fx; building the tree %.0f ms\n", count, refit, limit,
           refit / limit, build);
    free(boxes);
    snag__surface_tree_free(&allocator, &tree);
    snag__mesh_free(&mesh);
}

static times measure(const surface_scene *scene, size_t stride, uint32_t directions)
{
    snag_world *worlds[WAYS];
    snag_body_id *ids[WAYS];
    any_question asks[WAYS];
    float(*boxes)[6] = must(malloc((scene->triangle_count + 1) * sizeof *boxes));
    for (int way = 0; way < WAYS; way++) {
        worlds[way] = make_world();
        ids[way] = must(malloc((scene->body_count + 1) * sizeof *ids[way]));
        asks[way] = question_of(way);
        asks[way].directions = directions;
        must_be_ok(surface_scene_add(scene, 0, worlds[way], ids[way]), "");
        const snag_answer *answer;
        must_be_ok(any_ask(worlds[way], &asks[way], &answer), snag_world_message(worlds[way]));
    }
    times sum = {0};
    size_t poses = 0;
    for (size_t pose = 0; pose < scene->pose_count; pose += stride, poses++)
        measure_pose(scene, pose, worlds, ids, asks, boxes, &sum);
    for (int way = 0; way < WAYS; way++) {
        sum.search[way] /= (double)poses;
        sum.step[way] /= (double)poses;
        sum.calls[way] /= poses;
        sum.tests[way] /= poses;
        snag_world_destroy(worlds[way]);
        free(ids[way]);
    }
    sum.limit /= (double)poses;
    sum.contacts /= poses;
    free(boxes);
    return sum;
}

static void print_times(const surface_scene *scene, const times *t)
{
    printf("%-16s %8zu triangles %7zu contacts, limit %7.3f ms (%.1f ns a triangle)\n", scene->name, scene->triangle_count,
           t->contacts, t->limit, 1e6 * t->limit / (double)scene->triangle_count);
    for (int way = 0; way < WAYS; way++)
        printf("    %-10s step %8.3f  search %8.3f  refit %7.3f = %4.1fx limit  %9zu calls %9zu tests   step/kdop %.2f  "
               "search/classical %.3f  %.1f ns a triangle\n",
               way_names[way], t->step[way], t->search[way], t->step[way] - t->search[way],
               (t->step[way] - t->search[way]) / t->limit, t->calls[way], t->tests[way], t->step[way] / t->step[0],
               t->search[way] / t->search[3], 1e6 * t->step[way] / (double)scene->triangle_count);
    fflush(stdout);
}

static void measure_and_print(surface_scene *scene, size_t stride)
{
    times t = measure(scene, stride, 0);
    print_times(scene, &t);
    print_refit(scene, 32);
    printf("    regularity takes %.2f of the time of kdop here\n", t.step[1] / t.step[0]);
    surface_scene_free(scene);
}

static void steps(void)
{
    surface_scene scene = {0};
    make(REGULARITY_WIDE_FOLDS, 168, "wide-folds-56k", &scene);
    measure_and_print(&scene, 1);
    make(REGULARITY_NARROW_FOLDS, 168, "narrow-folds-56k", &scene);
    measure_and_print(&scene, 1);
    static const size_t sizes[] = {10000, 100000, 1000000};
    must_be_ok(surface_scene_make("sheet", 90000, &scene), "");
    measure_and_print(&scene, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        must_be_ok(surface_scene_make("sphere", sizes[i], &scene), "");
        measure_and_print(&scene, 1);
    }
}

// Runs the step from the first pose to a fraction of the way to the next one, with each variant in turn.
static void measure_move(surface_scene *scene, double part)
{
    snag_world *worlds[WAYS];
    snag_body_id *ids[WAYS];
    double best[WAYS];
    size_t contacts = 0;
    double(*to)[3] = must(surface_scene_add_pose(scene));
    for (size_t v = 0; v < scene->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            to[v][k] = scene->poses[0][v][k] + part * (scene->poses[1][v][k] - scene->poses[0][v][k]);
    for (int way = 0; way < WAYS; way++) {
        worlds[way] = make_world();
        ids[way] = must(malloc((scene->body_count + 1) * sizeof *ids[way]));
        best[way] = INFINITY;
        must_be_ok(surface_scene_add(scene, 0, worlds[way], ids[way]), "");
    }
    for (int repeat = 0; repeat <= REPEATS; repeat++)
        for (int way = 0; way < WAYS; way++) {
            any_question ask = question_of(way);
            ask.question = SNAG_IMPACTS;
            const snag_answer *answer;
            must_be_ok(surface_scene_place(scene, 0, worlds[way], ids[way]), "");
            must_be_ok(surface_scene_move(scene, scene->pose_count - 1, worlds[way], ids[way]), "");
            double start = measure_cpu_ms();
            must_be_ok(any_ask(worlds[way], &ask, &answer), snag_world_message(worlds[way]));
            // The first round builds the trees.
            best[way] = repeat > 0 ? fmin(best[way], measure_cpu_ms() - start) : INFINITY;
            if (way == 0)
                contacts = answer->count;
            else if (way != 2 && contacts != answer->count)
                must_be_ok(SNAG_ERROR_MISMATCH, "contacts differ");
        }
    printf("%-16s %8zu triangles %6zu contacts, step in ms:", scene->name, scene->triangle_count, contacts);
    for (int way = 0; way < WAYS; way++) {
        printf(" %s %.2f", way_names[way], best[way]);
        snag_world_destroy(worlds[way]);
        free(ids[way]);
    }
    printf("; certified/kdop %.2f\n", best[1] / best[0]);
    fflush(stdout);
    surface_scene_free(scene);
}

static void impacts(void)
{
    surface_scene scene = {0};
    make(REGULARITY_WIDE_FOLDS, 168, "wide-folds-56k", &scene);
    measure_move(&scene, 0.1);
    make(REGULARITY_WIDE_FOLDS, 168, "wide-folds-56k", &scene);
    measure_move(&scene, 1);
    make(REGULARITY_NARROW_FOLDS, 168, "narrow-folds-56k", &scene);
    measure_move(&scene, 0.1);
    must_be_ok(surface_scene_make("sheet", 20000, &scene), "");
    measure_move(&scene, 0.1);
    must_be_ok(surface_scene_make("sphere", 100000, &scene), "");
    measure_move(&scene, 1);
}

static void directions(void)
{
    static const uint32_t counts[] = {6, 12, 32, 62};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        surface_scene scene = {0};
        make(REGULARITY_WIDE_FOLDS, 168, "wide-folds-56k", &scene);
        times t = measure(&scene, 1, counts[i]);
        printf("%2u directions: ", counts[i]);
        print_times(&scene, &t);
        print_refit(&scene, counts[i]);
        surface_scene_free(&scene);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "tables") == 0)
        tables();
    else if (argc > 1 && strcmp(argv[1], "steps") == 0)
        steps();
    else if (argc > 1 && strcmp(argv[1], "directions") == 0)
        directions();
    else if (argc > 1 && strcmp(argv[1], "impacts") == 0)
        impacts();
    else
        for (int i = 1; i < argc; i++) {
            surface_scene scene = {0};
            char message[512] = "";
            must_be_ok(surface_scene_read_folder(argv[i], &scene, message), message);
            measure_and_print(&scene, scene.pose_count / 6 + 1);
        }
    return 0;
}
