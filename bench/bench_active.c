// Compares the method `active` with the figures of its paper: Kimmerle, Nesme, Faure, Hierarchy Accelerated Stochastic Collision
// Detection, VMV 2004.
//   bench_active torus    Fig. 3: detection ratio per step, pure and combined, and the number of pairs that each needs
//   bench_active figure   Tables 1 and 3: 100 steps of a dressed figure, compared with kdop; detection ratio over time
//   bench_active budget   1,000 steps within 200, 500 and 2,000 microseconds; how often the reported interval holds
// Times are processor time of the thread; budgets are wall-clock time.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "active_runs.h"

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
    fprintf(stderr, "bench_active: %s (%s)\n", snag_status_name(status), world ? snag_world_message(world) : "");
    exit(2);
}

static const snag_answer *ask(snag_world *world, const any_question *def)
{
    const snag_answer *answer = NULL;
    insist(any_ask(world, def, &answer), world);
    return answer;
}

// ---- Fig. 3 --------------------------------------------------------------------------------------------------------

enum { TORUS_STEPS = 31, SEEDS = 5 };

static void run_torus(void)
{
    size_t all, triangles[2];
    insist(torus_truth(triangles, &all), NULL);
    printf("torus of %zu triangles, ellipsoid of %zu\n", triangles[0], triangles[1]);
    printf("%zu contacts\n\nratio after step, with so many new pairs a step:\n%-10s%6s", all, "way", "pairs");
    static const int shown[] = {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30};
    enum { SHOWN = sizeof shown / sizeof *shown };
    for (int i = 0; i < SHOWN; i++)
        printf("%7d", shown[i]);
    for (uint32_t pairs = 4; pairs <= 256; pairs *= 4)
        for (int pure = 1; pure >= 0; pure--) {
            double mean[TORUS_STEPS];
            insist(torus_mean_ratios(pure, pairs, SEEDS, all, TORUS_STEPS, mean), NULL);
            printf("\n%-10s%6u", pure ? "pure" : "combined", pairs);
            for (int i = 0; i < SHOWN; i++)
                printf("%7.3f", mean[shown[i] - 1]);
        }
    printf("\n\nfewest new pairs a step to find a ratio within so many steps (most of %d seeds):\n", SEEDS);
    printf("%8s%8s%10s%10s%10s\n", "ratio", "steps", "pure", "combined", "factor");
    static const double wanted[] = {0.5, 0.9, 0.99};
    for (int i = 0; i < 3; i++)
        for (int steps = 5; steps <= 7; steps++) {
            uint32_t pure, combined;
            insist(torus_pairs_needed(true, wanted[i], steps, SEEDS, all, &pure), NULL);
            insist(torus_pairs_needed(false, wanted[i], steps, SEEDS, all, &combined), NULL);
            printf("%8.2f%8d%10u%10u%9s%.1f\n", wanted[i], steps, pure, combined, pure == 0 ? "over " : "",
                   (pure == 0 ? (double)TORUS_MOST_PAIRS : pure) / combined);
        }
}

// ---- a dressed figure ----------------------------------------------------------------------------------------------

static void run_figure(void)
{
    enum { RUNS = 7, STEPS = 100 };
    static const figure_way ways[RUNS] = {{.method = SNAG_METHOD_KDOP},
                                          {.method = SNAG_METHOD_ACTIVE},
                                          {.method = SNAG_METHOD_ACTIVE, .target = 0.9},
                                          {.method = SNAG_METHOD_ACTIVE, .target = 0.75},
                                          {.method = SNAG_METHOD_ACTIVE, .target = 0.7},
                                          {.method = SNAG_METHOD_ACTIVE, .target = 0.65},
                                          {.method = SNAG_METHOD_ACTIVE, .target = 0.62}};
    static figure_run runs[RUNS];
    figure_scene scene;
    if (!figure_scene_make(&scene, 1, 1))
        exit(2);
    printf("figure of %zu triangles, dress of %zu, distance %g; step: move and ask, one thread\n", scene.figure.triangle_count,
           scene.dress.triangle_count, FIGURE_DISTANCE);
    insist(figure_runs(&scene, STEPS, ways, RUNS, runs, NULL, NULL), NULL);
    printf("%.0f contacts on average\n\nratio over time:\n%-12s", runs[0].contacts, "target");
    static const int shown[] = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    enum { SHOWN = sizeof shown / sizeof *shown };
    for (int k = 0; k < SHOWN; k++)
        printf("%6d", shown[k]);
    for (int i = 1; i < RUNS; i++) {
        printf("\n%-12.2f", ways[i].target);
        for (int k = 0; k < SHOWN; k++)
            printf("%6.2f", runs[i].ratios[shown[k] - 1]);
    }
    printf("\n\n%-12s%12s%12s%10s%10s%18s%15s%10s\n", "target", "kdop ms", "active ms", "factor", "ratio", "least from 6 on",
           "interval held", "width");
    for (int i = 1; i < RUNS; i++)
        printf("%-12.2f%12.1f%12.1f%10.2f%10.3f%18.3f%15.2f%10.3f\n", ways[i].target, 1e-3 * runs[0].total_us,
               1e-3 * runs[i].total_us, runs[0].total_us / runs[i].total_us, runs[i].ratio, runs[i].least, runs[i].held,
               runs[i].width);
    figure_scene_free(&scene);
}

// ---- budgets -------------------------------------------------------------------------------------------------------

// A loop of fixed work that touches no memory: it takes longer only if the thread is descheduled.
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
    if (!figure_scene_make(&scene, fineness, fineness))
        exit(2);
    figure_world w, truth;
    insist(figure_world_open(&scene, &w), NULL);
    insist(figure_world_open(&scene, &truth), NULL);
    any_question def = figure_question(&w, SNAG_METHOD_ACTIVE), all = figure_question(&truth, SNAG_METHOD_KDOP);
    all.output = SNAG_OUTPUT_PAIRS;
    ask(w.world, &def);  // build the trees before timing
    def.budget_us = budget;
    static double taken[STEPS], away[STEPS], control[STEPS], sorted[STEPS];
    double ratio = 0, held = 0, width = 0, mean = 0;
    int compared = 0;
    for (int step = 0; step < STEPS; step++) {
        figure_scene_pose(&scene, step + 1);
        insist(figure_world_move(&w, &scene), w.world);
        double wall = clock_us(CLOCK_MONOTONIC), processor = clock_us(CLOCK_THREAD_CPUTIME_ID);
        snag_answer answer = *ask(w.world, &def);
        processor = clock_us(CLOCK_THREAD_CPUTIME_ID) - processor;
        taken[step] = clock_us(CLOCK_MONOTONIC) - wall;
        away[step] = taken[step] - processor;
        control[step] = control_us();
        mean += taken[step] / STEPS;
        if (step % compare_every != 0)
            continue;
        insist(figure_world_move(&truth, &scene), truth.world);
        double contacts = (double)ask(truth.world, &all)->count;
        double found = contacts > 0 ? (double)answer.count / contacts : 1;
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
    printf("%10s%10s%10s%10s%10s%10s%11s%10s%9s%10s%9s\n", "triangles", "budget", "mean", "median", "99 %", "stalled", "over, all",
           "over", "ratio", "held", "width");
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
