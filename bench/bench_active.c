// The method `active` beside the figures of its paper: Kimmerle, Nesme, Faure, Hierarchy Accelerated Stochastic Collision
// Detection, VMV 2004.
//   bench_active torus    Fig. 3: detection ratio by step, pure and combined; pairs that each needs
//   bench_active figure   Tables 1 and 3: 100 steps of a dressed figure, against kdop; ratio over time
//   bench_active budget   1,000 steps within 200, 500 and 2,000 microseconds; how often the stated interval holds
// Times are of the thread's processor, except for budgets, which are kept on the wall.
#define _GNU_SOURCE
#include "figure_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static void insist(snag_status status, const snag_world *world)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "bench_active: %s (%s)\n", snag_status_name(status), snag_world_message(world));
    exit(2);
}

static snag_world *new_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    insist(snag_world_create(&def, &world), NULL);
    return world;
}

static snag_body_id add(snag_world *world, const snag_shape *shape)
{
    snag_surface_def def = snag_default_surface_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    snag_body_id id;
    insist(snag_world_add_surface(world, &def, &id), world);
    return id;
}

static const snag_answer *ask(snag_world *world, const snag_question_def *def)
{
    const snag_answer *answer = NULL;
    insist(snag_world_ask(world, def, &answer), world);
    return answer;
}

// ---- Fig. 3 --------------------------------------------------------------------------------------------------------

enum { TORUS_STEPS = 31, SEEDS = 5 };

static snag_world *torus_world(void)
{
    snag_shape torus, ellipsoid;
    if (!torus_scene_make(&torus, &ellipsoid))
        exit(2);
    snag_world *world = new_world();
    add(world, &torus);
    add(world, &ellipsoid);
    printf("torus of %zu triangles, ellipsoid of %zu\n", torus.triangle_count, ellipsoid.triangle_count);
    snag_shape_free(&torus);
    snag_shape_free(&ellipsoid);
    return world;
}

static snag_question_def torus_question(bool pure, uint32_t pairs, uint64_t seed)
{
    snag_question_def def = snag_default_question_def(SNAG_PROXIMITIES);
    def.method = SNAG_METHOD_ACTIVE;
    def.distance = TORUS_DISTANCE;
    def.self = false;
    def.details = false;
    def.pure = pure;
    def.new_pairs = pairs;
    def.seed = seed;
    return def;
}

// The ratio after each step, from nothing.
static void torus_ratios(bool pure, uint32_t pairs, uint64_t seed, size_t all, int steps, double *ratio)
{
    snag_shape torus, ellipsoid;
    if (!torus_scene_make(&torus, &ellipsoid))
        exit(2);
    snag_world *world = new_world();
    add(world, &torus);
    add(world, &ellipsoid);
    snag_question_def def = torus_question(pure, pairs, seed);
    for (int step = 0; step < steps; step++)
        ratio[step] = (double)ask(world, &def)->contact_count / (double)all;
    snag_world_destroy(world);
    snag_shape_free(&torus);
    snag_shape_free(&ellipsoid);
}

// The fewest pairs a step (a power of two) with which most seeds find this ratio within so many steps; 0: more than 4096.
static uint32_t pairs_needed(bool pure, double wanted, int steps, size_t all)
{
    for (uint32_t pairs = 1; pairs <= 4096; pairs *= 2) {
        int reached = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            double ratio[TORUS_STEPS];
            torus_ratios(pure, pairs, seed, all, steps, ratio);
            reached += ratio[steps - 1] >= wanted;
        }
        if (2 * reached > SEEDS)
            return pairs;
    }
    return 0;
}

static void run_torus(void)
{
    snag_world *world = torus_world();
    snag_question_def def = torus_question(false, 0, 1);
    def.method = SNAG_METHOD_KDOP;
    size_t all = ask(world, &def)->contact_count;
    snag_world_destroy(world);
    printf("%zu contacts\n\nratio after step, with so many new pairs a step:\n%-10s%6s", all, "way", "pairs");
    static const int shown[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30};
    enum { SHOWN = sizeof shown / sizeof *shown };
    for (int i = 0; i < SHOWN; i++)
        printf("%7d", shown[i]);
    for (uint32_t pairs = 4; pairs <= 256; pairs *= 4)
        for (int pure = 1; pure >= 0; pure--) {
            double mean[TORUS_STEPS] = {0}, ratio[TORUS_STEPS];
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                torus_ratios(pure, pairs, seed, all, TORUS_STEPS, ratio);
                for (int k = 0; k < TORUS_STEPS; k++)
                    mean[k] += ratio[k] / SEEDS;
            }
            printf("\n%-10s%6u", pure ? "pure" : "combined", pairs);
            for (int i = 0; i < SHOWN; i++)
                printf("%7.3f", mean[shown[i] - 1]);
        }
    printf("\n\nfewest new pairs a step to find a ratio within so many steps (most of %d seeds):\n", SEEDS);
    printf("%8s%8s%10s%10s%10s\n", "ratio", "steps", "pure", "combined", "factor");
    static const double wanted[] = {0.5, 0.9, 0.99};
    for (int i = 0; i < 3; i++)
        for (int steps = 5; steps <= 7; steps++) {
            uint32_t pure = pairs_needed(true, wanted[i], steps, all);
            uint32_t combined = pairs_needed(false, wanted[i], steps, all);
            printf("%8.2f%8d%10u%10u%9s%.1f\n", wanted[i], steps, pure, combined, pure == 0 ? "over " : "",
                   (pure == 0 ? 4096.0 : pure) / combined);
        }
}

// ---- a dressed figure ----------------------------------------------------------------------------------------------

typedef struct figure_world {
    snag_world *world;
    snag_body_id figure, dress;
} figure_world;

static figure_world open_figure(const figure_scene *scene)
{
    figure_world w = {.world = new_world()};
    w.figure = add(w.world, &scene->figure);
    w.dress = add(w.world, &scene->dress);
    return w;
}

static void move_figure(const figure_world *w, const figure_scene *scene)
{
    insist(snag_world_move(w->world, w->figure, snag_positions_f64(scene->figure.positions, scene->figure.vertex_count)),
           w->world);
    insist(snag_world_move(w->world, w->dress, snag_positions_f64(scene->dress.positions, scene->dress.vertex_count)),
           w->world);
}

// The figure is stiff: only the dress is asked about itself.
static bool not_the_figure_itself(void *context, snag_body_id a, snag_body_id b)
{
    uint32_t figure = *(const uint32_t *)context;
    return a.index != figure || b.index != figure;
}

static snag_question_def figure_question(const figure_world *w, snag_method method)
{
    snag_question_def def = snag_default_question_def(SNAG_PROXIMITIES);
    def.method = method;
    def.distance = FIGURE_DISTANCE;
    def.filter = not_the_figure_itself;
    def.context = (void *)(uintptr_t)&w->figure.index;
    def.seed = 1;
    return def;
}

enum { FIGURE_STEPS = 100 };

// What 100 steps by `active` gave, beside those by `kdop` that took turns with them.
typedef struct figure_run {
    double kdop_us, active_us, ratio, least, held, width, contacts;
    double ratios[FIGURE_STEPS];
} figure_run;

static double step_us(const figure_world *w, const figure_scene *scene, const snag_question_def *def, snag_answer *answer)
{
    double before = clock_us(CLOCK_THREAD_CPUTIME_ID);
    move_figure(w, scene);
    *answer = *ask(w->world, def);
    return clock_us(CLOCK_THREAD_CPUTIME_ID) - before;
}

static figure_run run_figure_with(figure_scene *scene, double target)
{
    figure_run run = {.least = 1};
    figure_scene_pose(scene, 0);
    figure_world kdop = open_figure(scene), active = open_figure(scene);
    snag_question_def all = figure_question(&kdop, SNAG_METHOD_KDOP), part = figure_question(&active, SNAG_METHOD_ACTIVE);
    part.target_ratio = target;
    // Trees are built before the clock runs, for both.
    ask(kdop.world, &all);
    ask(active.world, &part);
    for (int step = 0; step < FIGURE_STEPS; step++) {
        snag_answer complete, found;
        figure_scene_pose(scene, step + 1);
        run.kdop_us += step_us(&kdop, scene, &all, &complete);
        run.active_us += step_us(&active, scene, &part, &found);
        double ratio = (double)found.contact_count / (double)complete.contact_count;
        run.ratios[step] = ratio;
        run.ratio += ratio / FIGURE_STEPS;
        run.held += (ratio >= found.ratio_low && ratio <= found.ratio_high) / (double)FIGURE_STEPS;
        run.width += (found.ratio_high - found.ratio_low) / FIGURE_STEPS;
        run.contacts += (double)complete.contact_count / FIGURE_STEPS;
        if (step >= 5)
            run.least = fmin(run.least, ratio);
    }
    snag_world_destroy(kdop.world);
    snag_world_destroy(active.world);
    return run;
}

static void run_figure(void)
{
    enum { RUNS = 4 };
    static const double targets[RUNS] = {0, 0.9, 0.75, 0.7};
    static figure_run runs[RUNS];
    figure_scene scene;
    if (!figure_scene_make(&scene, 1))
        exit(2);
    printf("figure of %zu triangles, dress of %zu, distance %g; step: move and ask, one thread\n",
           scene.figure.triangle_count, scene.dress.triangle_count, FIGURE_DISTANCE);
    for (int i = 0; i < RUNS; i++)
        runs[i] = run_figure_with(&scene, targets[i]);
    printf("%.0f contacts on average\n\nratio over time:\n%-12s", runs[0].contacts, "target");
    static const int shown[] = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    enum { SHOWN = sizeof shown / sizeof *shown };
    for (int k = 0; k < SHOWN; k++)
        printf("%6d", shown[k]);
    for (int i = 0; i < RUNS; i++) {
        printf("\n%-12.2f", targets[i]);
        for (int k = 0; k < SHOWN; k++)
            printf("%6.2f", runs[i].ratios[shown[k] - 1]);
    }
    printf("\n\n%-12s%12s%12s%10s%10s%18s%15s%10s\n", "target", "kdop ms", "active ms", "factor", "ratio",
           "least from 6 on", "interval held", "width");
    for (int i = 0; i < RUNS; i++)
        printf("%-12.2f%12.1f%12.1f%10.2f%10.3f%18.3f%15.2f%10.3f\n", targets[i], 1e-3 * runs[i].kdop_us,
               1e-3 * runs[i].active_us, runs[i].kdop_us / runs[i].active_us, runs[i].ratio, runs[i].least, runs[i].held,
               runs[i].width);
    figure_scene_free(&scene);
}

// ---- budgets -------------------------------------------------------------------------------------------------------

// A loop of fixed work that touches no memory: takes longer only where the machine is away.
static double control_us(void)
{
    double before = clock_us(CLOCK_MONOTONIC);
    volatile uint64_t x = 1;
    for (int i = 0; i < 4000; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return clock_us(CLOCK_MONOTONIC) - before;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void run_budget(double fineness, uint64_t budget, int compare_every)
{
    enum { STEPS = 1000 };
    figure_scene scene;
    if (!figure_scene_make(&scene, fineness))
        exit(2);
    figure_world w = open_figure(&scene), truth = open_figure(&scene);
    snag_question_def def = figure_question(&w, SNAG_METHOD_ACTIVE), all = figure_question(&truth, SNAG_METHOD_KDOP);
    all.details = false;
    ask(w.world, &def);  // trees are built before the clock runs
    def.budget_us = budget;
    static double taken[STEPS], away[STEPS], control[STEPS], sorted[STEPS];
    double ratio = 0, held = 0, width = 0, mean = 0;
    int compared = 0;
    for (int step = 0; step < STEPS; step++) {
        figure_scene_pose(&scene, step + 1);
        move_figure(&w, &scene);
        double wall = clock_us(CLOCK_MONOTONIC), processor = clock_us(CLOCK_THREAD_CPUTIME_ID);
        snag_answer answer = *ask(w.world, &def);
        processor = clock_us(CLOCK_THREAD_CPUTIME_ID) - processor;
        taken[step] = clock_us(CLOCK_MONOTONIC) - wall;
        away[step] = taken[step] - processor;
        control[step] = control_us();
        mean += taken[step] / STEPS;
        if (step % compare_every != 0)
            continue;
        move_figure(&truth, &scene);
        double contacts = (double)ask(truth.world, &all)->contact_count;
        double found = contacts > 0 ? (double)answer.contact_count / contacts : 1;
        ratio += found;
        held += found >= answer.ratio_low && found <= answer.ratio_high;
        width += answer.ratio_high - answer.ratio_low;
        compared++;
    }
    memcpy(sorted, control, sizeof sorted);
    qsort(sorted, STEPS, sizeof *sorted, by_size);
    double usual = sorted[STEPS / 2];
    int stalled = 0, over = 0, over_all = 0;
    for (int step = 0; step < STEPS; step++) {
        bool stall = away[step] > 0.05 * (double)budget || control[step] > 1.5 * usual;
        bool late = taken[step] > 1.2 * (double)budget;
        stalled += stall;
        over_all += late;
        over += late && !stall;
    }
    memcpy(sorted, taken, sizeof sorted);
    qsort(sorted, STEPS, sizeof *sorted, by_size);
    printf("%10zu%10llu%10.0f%10.0f%10.0f%10d%10.1f%%%9.2f%%%9.3f%10.3f%9.3f\n",
           scene.figure.triangle_count + scene.dress.triangle_count, (unsigned long long)budget, mean, sorted[STEPS / 2],
           sorted[STEPS * 99 / 100], stalled, 100.0 * over_all / STEPS, 100.0 * over / (STEPS - stalled), ratio / compared,
           held / compared, width / compared);
    snag_world_destroy(w.world);
    snag_world_destroy(truth.world);
    figure_scene_free(&scene);
}

static void run_budgets(void)
{
    static const uint64_t budgets[] = {200, 500, 2000};
    printf("a dressed figure, 1,000 steps; over: later than the budget by more than 20 %%, of all steps and of those in\n"
           "which the machine did not stall (the thread was not away for 5 %% of the budget, and a loop of fixed work right\n"
           "after the step took no more than 1.5 times as long as usual)\n\n");
    printf("%10s%10s%10s%10s%10s%10s%11s%10s%9s%10s%9s\n", "triangles", "budget", "mean", "median", "99 %", "stalled",
           "over, all", "over", "ratio", "held", "width");
    fflush(stdout);
    for (int i = 0; i < 6; i++) {
        run_budget(i < 3 ? 0.3 : 1, budgets[i % 3], i < 3 ? 1 : 5);
        fflush(stdout);
    }
}

int main(int count, char **arguments)
{
    const char *which = count > 1 ? arguments[1] : "all";
    bool all = strcmp(which, "all") == 0;
    if (all || strcmp(which, "torus") == 0)
        run_torus();
    if (all || strcmp(which, "figure") == 0)
        run_figure();
    if (all || strcmp(which, "budget") == 0)
        run_budgets();
    return 0;
}
