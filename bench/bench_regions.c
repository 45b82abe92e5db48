// Cost of regions, and the effect of epsilons.
//
//     bench_regions pairs             two deforming bodies of 50k triangles at several gaps: regions, kdop and FCL in one run
//     bench_regions epsilons [quick]  the three experiments of section 4 with the epsilons of Tables 2 to 4
//     bench_regions crowd             time over the number of near pairs, up to 1,000 bodies
//
// Times are processor time of one thread: the move and the question, median of interleaved steps. For FCL: the refit (of box trees,
// since its other bounds are wrong after a refit) and the distance.
#define _POSIX_C_SOURCE 200809L

#include "common/any_question.h"
#include "measure.h"
#include "region_runs.h"
#include "snag/snag.h"
#ifdef SNAG_PEER_FCL
#include "peers/peer.h"
#endif

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void must(snag_status status, const char *what)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "bench_regions: %s: %s\n", what, snag_status_name(status));
    exit(2);
}

static snag_world *make_world(void)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world;
    def.threads = 1;
    must(snag_world_create(&def, &world), "world");
    return world;
}

static snag_body_id add_body(snag_world *world, const double *positions, size_t vertices, const uint32_t *triangles,
                             size_t triangle_count)
{
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    def.positions = snag_positions_f64(positions, vertices);
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    must(snag_world_add(world, &def, &id), "body");
    return id;
}

static const snag_answer *ask(snag_world *world, const any_question *question)
{
    const snag_answer *answer;
    must(any_ask(world, question, &answer), snag_world_message(world));
    return answer;
}

// ---- two bodies ----

enum { STEPS = 24, WAYS = 3 };

typedef struct pair_scene {
    snag_shape shapes[2];
    double (*x)[3];  // of both bodies, one after the other
    size_t vertices;
} pair_scene;

static size_t first_of(const pair_scene *s, int body)
{
    return body == 0 ? 0 : s->shapes[0].vertex_count;
}

// Waves travel over both bodies; `motion` is roughly how far a vertex moves per step, as a fraction of the radius.
static void pose(const pair_scene *s, double gap, double motion, int step)
{
    for (int body = 0; body < 2; body++)
        for (size_t v = 0; v < s->shapes[body].vertex_count; v++) {
            const double *rest = s->shapes[body].positions + 3 * v;
            double *x = s->x[first_of(s, body) + v], wave = 1 + 0.02 * sin(5 * rest[2] + 3 * rest[1] + 50 * motion * step);
            for (int k = 0; k < 3; k++)
                x[k] = wave * rest[k];
            x[0] += body == 0 ? 0 : 2.04 + gap;
        }
}

static void compare_pair(const char *name, pair_scene *s, double gap, double motion)
{
    static const snag_method methods[2] = {SNAG_METHOD_REGIONS, SNAG_METHOD_KDOP};
    double times[WAYS][STEPS];
    snag_world *worlds[2];
    snag_body_id ids[2][2];
    size_t opened[SNAG_REGION_LEVELS] = {0}, leaves = 0, kept = 0;
    pose(s, gap, motion, 0);
    for (int way = 0; way < 2; way++) {
        worlds[way] = make_world();
        for (int body = 0; body < 2; body++)
            ids[way][body] = add_body(worlds[way], s->x[first_of(s, body)], s->shapes[body].vertex_count, s->shapes[body].triangles,
                                      s->shapes[body].triangle_count);
    }
#ifdef SNAG_PEER_FCL
    uint32_t(*triangles)[3] = measure_array(s->shapes[0].triangle_count + s->shapes[1].triangle_count, sizeof *triangles);
    surface_body bodies[2];
    size_t first_triangle = 0;
    for (int body = 0; body < 2; body++) {
        const snag_shape *shape = &s->shapes[body];
        bodies[body] = (surface_body){first_of(s, body), shape->vertex_count, first_triangle, shape->triangle_count};
        for (size_t i = 0; i < 3 * shape->triangle_count; i++)
            triangles[first_triangle + i / 3][i % 3] = shape->triangles[i] + (uint32_t)first_of(s, body);
        first_triangle += shape->triangle_count;
    }
    const peer_mesh mesh = {.positions = (const double(*)[3])s->x,
                            .vertex_count = s->vertices,
                            .triangles = (const uint32_t(*)[3])triangles,
                            .triangle_count = first_triangle,
                            .bodies = bodies,
                            .body_count = 2};
    void *fcl = peer_fcl_distance.create(&mesh, 1);
#endif
    double distance = 0, worst = 0;
    for (int step = -4; step < STEPS; step++) {  // the first steps build and warm up
        pose(s, gap, motion, step + 4);
        for (int way = 0; way < 2; way++) {
            any_question question = any_default(SNAG_DISTANCE);
            question.method = methods[way];
            double start = measure_cpu_ms();
            must(snag_world_begin_step(worlds[way]), "begin_step");
            for (int body = 0; body < 2; body++)
                must(snag_world_move(worlds[way], ids[way][body],
                                     snag_positions_f64(s->x[first_of(s, body)], s->shapes[body].vertex_count)),
                     "move");
            const snag_answer *answer = ask(worlds[way], &question);
            double ms = measure_cpu_ms() - start;
            if (step >= 0)
                times[way][step] = ms;
            if (way == 0) {
                distance = answer->contacts[0].value;
                leaves += answer->statistics->region_contacts;
                kept += answer->statistics->regions_opened[0] == 0;
                for (int level = 0; level < SNAG_REGION_LEVELS; level++)
                    opened[level] += answer->statistics->regions_opened[level];
            }
            worst = fmax(worst, fabs(answer->contacts[0].value - distance));
        }
#ifdef SNAG_PEER_FCL
        double start = measure_cpu_ms();
        peer_fcl_distance.update(fcl);
        double found = peer_fcl_distance.search(fcl).distance;
        if (step >= 0)
            times[2][step] = measure_cpu_ms() - start;
        worst = fmax(worst, fabs(found - distance));
#endif
    }
    double ms[WAYS] = {measure_median(times[0], STEPS), measure_median(times[1], STEPS), 0};
#ifdef SNAG_PEER_FCL
    ms[2] = measure_median(times[2], STEPS);
    peer_fcl_distance.destroy(fcl);
    free(triangles);
#endif
    printf("%-8s %8.0e %8.0e %10.6f %9.3f %9.3f %9.3f %7.1f %7.1f   %5zu %4zu  ", name, gap, motion, distance, ms[0], ms[1], ms[2],
           ms[1] / ms[0], ms[2] / ms[0], leaves / (STEPS + 4), kept);
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        printf(" %zu", opened[level] / (STEPS + 4 - kept > 0 ? STEPS + 4 - kept : 1));
    printf("%s\n", worst > 1e-9 ? "  DIFFERENT" : "");
    for (int way = 0; way < 2; way++)
        snag_world_destroy(worlds[way]);
}

static void bench_pairs(void)
{
    static const double gaps[] = {1, 0.1, 0.001}, motions[] = {1e-4, 1e-3, 1e-2};
    printf("two bodies of 50k triangles; ms of a step; ratios to regions; leaves compared, steps whose lists still held (of %d), "
           "and pairs looked into by level in the others\n",
           STEPS + 4);
    printf("%-8s %8s %8s %10s %9s %9s %9s %7s %7s\n", "bodies", "gap", "motion", "distance", "regions", "kdop", "fcl", "kdop/",
           "fcl/");
    for (int kind = 0; kind < 2; kind++) {
        pair_scene s;
        for (int body = 0; body < 2; body++)
            must(kind == 0 ? snag_shape_sphere(160, 157, 1, &s.shapes[body])
                           : snag_shape_torus(224, 112, 0.7, 0.3, &s.shapes[body]),
                 "shape");
        s.vertices = s.shapes[0].vertex_count + s.shapes[1].vertex_count;
        s.x = measure_array(s.vertices, sizeof *s.x);
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
            for (size_t m = 0; m < sizeof motions / sizeof *motions; m++)
                compare_pair(kind == 0 ? "spheres" : "toruses", &s, gaps[g], motions[m]);
        for (int body = 0; body < 2; body++)
            snag_shape_free(&s.shapes[body]);
        free(s.x);
    }
}

// ---- epsilons ----

static void print_tally(const char *name, const region_tally *t, size_t steps)
{
    printf("%-10s %10zu %8zu %8zu %8zu %8zu %9.3f  ", name, t->collisions, t->lost, t->pairs, t->missed, t->too_many,
           t->ms / (double)steps);
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        printf(" %zu", t->opened[level] / steps);
    printf("\n");
}

static void bench_epsilons(bool quick)
{
    for (size_t i = 0; i < REGION_EXPERIMENTS; i++) {
        region_result result;
        must(region_epsilons(i, quick, &result, NULL, NULL), region_experiments[i].scene);
        printf("%s: %zu bodies, %zu steps, %zu of %zu with collisions at %g; a unit is %g\n", region_experiments[i].scene,
               result.bodies, result.steps, result.touching, result.asked, result.contact, result.unit);
        printf("%-10s %10s %8s %8s %8s %8s %9s   opened by level, per step\n", "run", "leaves", "lost", "pairs", "missed",
               "too many", "ms");
        for (int run = 0; run < REGION_RUNS; run++) {
            char name[32];
            snprintf(name, sizeof name, "paper %d", run + 1);
            print_tally(name, &result.runs[run], result.asked);
        }
        print_tally("all", &result.all, result.asked);
        print_tally("exact", &result.exact, result.asked);
    }
}

// ---- many bodies ----

static void bench_body_pairs(void)
{
    printf("%8s %10s %10s %12s %14s\n", "bodies", "pairs", "ms", "us a body", "us a near pair");
    for (int side = 4; side <= 10; side += 2) {
        snag_world *world = make_world();
        const int count = side * side * side;
        snag_shape *shapes = measure_array((size_t)count, sizeof *shapes);
        snag_body_id *ids = measure_array((size_t)count, sizeof *ids);
        for (int i = 0; i < count; i++) {
            must(snag_shape_icosphere(2, 0.48, &shapes[i]), "ball");
            snag_shape_transform(&shapes[i], 1, i % side, i / side % side, i / side / side);
            ids[i] = add_body(world, shapes[i].positions, shapes[i].vertex_count, shapes[i].triangles, shapes[i].triangle_count);
        }
        any_question question = any_default(SNAG_DISTANCE);
        question.method = SNAG_METHOD_REGIONS;
        question.within = 0.1;
        double times[9];
        size_t pairs = 0;
        for (int step = -2; step < 9; step++) {
            must(snag_world_begin_step(world), "begin_step");
            for (int i = 0; i < count; i++) {
                snag_shape_transform(&shapes[i], 1, 0.0004 * ((i * 7 + step + 2) % 3 - 1), 0, 0);
                must(snag_world_move(world, ids[i], snag_positions_f64(shapes[i].positions, shapes[i].vertex_count)), "move");
            }
            double start = measure_cpu_ms();
            pairs = ask(world, &question)->count;
            if (step >= 0)
                times[step] = measure_cpu_ms() - start;
        }
        double ms = measure_median(times, 9);
        printf("%8d %10zu %10.2f %12.2f %14.2f\n", count, pairs, ms, 1e3 * ms / count, 1e3 * ms / (double)pairs);
        for (int i = 0; i < count; i++)
            snag_shape_free(&shapes[i]);
        free(shapes);
        free(ids);
        snag_world_destroy(world);
    }
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "pairs") == 0)
        bench_pairs();
    else if (strcmp(what, "epsilons") == 0)
        bench_epsilons(count > 2 && strcmp(words[2], "quick") == 0);
    else if (strcmp(what, "crowd") == 0)
        bench_body_pairs();
    else {
        fprintf(stderr, "bench_regions pairs|epsilons [quick]|crowd\n");
        return 2;
    }
    return 0;
}
