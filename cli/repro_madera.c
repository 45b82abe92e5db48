// The experiments of Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects, 2007.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <string.h>

#include "../bench/region_runs.h"
#include "snag/sim.h"

// ---- Table 1 -------------------------------------------------------------------------------------------------------

// The first body of a name in the scenes of the experiments.
static bool find_model(const char *name, size_t counts[2])
{
    bool found = false;
    for (size_t i = 0; i < REGION_EXPERIMENTS && !found; i++) {
        snag_sim_def def = snag_default_sim_def();
        snag_sim *sim = NULL;
        def.scene = region_experiments[i].scene;
        if (snag_sim_create(&def, &sim) != SNAG_OK)
            return false;
        for (size_t b = 0; b < snag_sim_body_count(sim) && !found; b++) {
            snag_sim_body body = snag_sim_body_at(sim, b);
            found = strncmp(body.name, name, strlen(name)) == 0;
            counts[0] = body.vertex_count;
            counts[1] = body.triangle_count;
        }
        snag_sim_destroy(sim);
    }
    return found;
}

static int table1(repro *r)
{
    static const struct {
        const char *name, *ours;
        double vertices, faces;
    } models[] = {{"torus", "torus", 768, 1536}, {"pawn", "pawn", 610, 1216}, {"human", "figure", 946, 1888}, {"cylinder", "cylinder", 258, 512},
                  {"tooth", "tooth", 1202, 2400}};
    page_table(r->page, "table1", "Table 1: the models. The paper's meshes are not public; ours are of our own making",
               "model|vertices: paper|vertices: ours|faces: paper|faces: ours");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        size_t counts[2] = {0, 0};
        bool found = find_model(models[i].ours, counts);
        page_row(r->page);
        page_cell(r->page, "%s", models[i].name);
        page_number(r->page, models[i].vertices, 0);
        page_number(r->page, found ? (double)counts[0] : NAN, 0);
        page_number(r->page, models[i].faces, 0);
        page_number(r->page, found ? (double)counts[1] : NAN, 0);
    }
    return EXIT_CLEAN;
}

// ---- the experiments -----------------------------------------------------------------------------------------------

static const struct {
    const char *table, *figure, *words;
} printed[REGION_EXPERIMENTS] = {
    {"2", "9", "ten tori and pawns (paper: 300 steps, 30 to 45 ms a step; set 3 is best, with 76, 288 and 151 nodes on levels 1 to 3)"},
    {"3", "10", "three humans and a torus (paper: 200 steps, 25 ms a step with set 3, 30 with set 2; set 3 is best)"},
    {"4", "11", "a tooth and a cylinder (paper: 100 steps, 24 ms a step; set 3 is best, with 199 collisions)"},
};

static double nodes_of(const region_tally *t)
{
    double sum = 0;
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        sum += (double)t->opened[level];
    return sum;
}

static void put_epsilons(page *p, size_t experiment, int run)
{
    const double(*e)[REGION_EPSILONS] = region_experiments[experiment].epsilon[run];
    for (int level = 0; level < REGION_EPSILONS; level++) {
        if (e[0][level] != e[1][level] || experiment == 1)
            page_cell(p, "%g, %g", e[0][level], e[1][level]);
        else
            page_cell(p, "%g", e[0][level]);
    }
}

static void add_sets(page *p, size_t experiment, const region_result *result)
{
    char id[16], caption[240];
    snprintf(id, sizeof id, "table%s", printed[experiment].table);
    snprintf(caption, sizeof caption, "Table %s: %s; ours: %zu bodies, %zu steps", printed[experiment].table, printed[experiment].words, result->bodies,
             result->steps);
    page_table(p, id, caption,
               "set|epsilon: level 1|epsilon: level 2|epsilon: level 3|collisions|pairs of bodies: found|pairs of bodies: missed|pairs of bodies: too many|"
               "nodes opened a step: whole|nodes opened a step: level 1|nodes opened a step: level 2|nodes opened a step: deeper|ms a step");
    double steps = (double)result->steps;
    for (int i = 0; i <= REGION_RUNS; i++) {
        const region_tally *t = i < REGION_RUNS ? &result->runs[i] : &result->exact;
        page_row(p);
        if (i < REGION_RUNS) {
            page_cell(p, "%d", i + 1);
            put_epsilons(p, experiment, i);
        } else {
            page_cell(p, "exact bounds");
            for (int level = 0; level < REGION_EPSILONS; level++)
                page_cell(p, "%s", "");
        }
        page_number(p, (double)t->collisions, 0);
        page_number(p, (double)t->pairs, 0);
        page_number(p, (double)t->missed, 0);
        page_number(p, (double)t->too_many, 0);
        for (int level = 0; level < 3; level++)
            page_number(p, (double)t->opened[level] / steps, 1);
        page_number(p, (nodes_of(t) - (double)t->opened[0] - (double)t->opened[1] - (double)t->opened[2]) / steps, 1);
        page_number(p, t->ms / steps, 3);
    }
}

static void plot_sets(page *p, size_t experiment, const region_result *result)
{
    char id[16], caption[120];
    snprintf(id, sizeof id, "figure%s", printed[experiment].figure);
    snprintf(caption, sizeof caption, "Figure %s: collisions that each set of epsilons reports, over all steps", printed[experiment].figure);
    page_bars(p, id, caption, "collisions", PAGE_FROM_ZERO);
    page_series(p, "collisions");
    for (int i = 0; i < REGION_RUNS; i++) {
        char name[16];
        snprintf(name, sizeof name, "set %d", i + 1);
        page_bar(p, name, (double)result->runs[i].collisions);
    }
}

// The set with the fewest mistakes, and of those with the fewest nodes.
static int best_set(const region_result *result)
{
    int best = 0;
    for (int i = 1; i < REGION_RUNS; i++) {
        const region_tally *t = &result->runs[i], *b = &result->runs[best];
        size_t wrong = t->missed + t->too_many, least = b->missed + b->too_many;
        if (wrong < least || (wrong == least && nodes_of(t) < nodes_of(b)))
            best = i;
    }
    return best;
}

// Whether there is a set that finds all and adds none.
static page_judgement judge_sets(page *p, size_t experiment, const region_result *result)
{
    int best = best_set(result);
    const region_tally *t = &result->runs[best];
    double steps = (double)result->steps;
    page_judgement judgement = result->exact.pairs == 0 ? PAGE_SKIPPED : repro_judge(t->missed + t->too_many == 0);
    char claim[160];
    snprintf(claim, sizeof claim, "Table %s: there is a best set of epsilons, which finds all collisions with the fewest nodes", printed[experiment].table);
    if (judgement == PAGE_SKIPPED)
        page_verdict(p, judgement, false, claim, "No two bodies come within the contact distance of %g m in these %zu steps, and no set reports any: there is nothing to find.",
                     result->contact, result->steps);
    else
        page_verdict(p, judgement, false, claim,
                     "Of %zu pairs of bodies within the contact distance, over %zu steps, the best set is %d (paper: 3): it misses %zu and adds %zu, with %.0f pairs of "
                     "regions a step. Exact bounds, which cannot miss any, open %.0f.",
                     result->exact.pairs, result->steps, best + 1, t->missed, t->too_many, nodes_of(t) / steps, nodes_of(&result->exact) / steps);
    return judgement;
}

static int run_experiment(repro *r, size_t experiment, page_judgement *judgement)
{
    region_result result;
    snag_status status = region_epsilons(experiment, r->quick ? 40 : SIZE_MAX, &result, repro_show, r);
    if (status != SNAG_OK)
        return repro_failed(r, region_experiments[experiment].scene, status);
    add_sets(r->page, experiment, &result);
    plot_sets(r->page, experiment, &result);
    *judgement = judge_sets(r->page, experiment, &result);
    return EXIT_CLEAN;
}

static int experiments(repro *r)
{
    int counts[3] = {0};
    for (size_t i = 0; i < REGION_EXPERIMENTS; i++) {
        page_judgement judgement = PAGE_SKIPPED;
        if (i > 0 && !repro_begin(r))
            return EXIT_CLEAN;
        int result = run_experiment(r, i, &judgement);
        if (result != EXIT_CLEAN)
            return result;
        counts[judgement]++;
    }
    int judged = counts[PAGE_HOLDS] + counts[PAGE_FAILS];
    page_verdict(r->page, judged == 0 ? PAGE_SKIPPED : repro_judge(counts[PAGE_FAILS] == 0), true,
                 "In each experiment a best set of epsilons finds all collisions with the fewest nodes",
                 "There is such a set in %d of the %d experiments in which bodies collide. The paper's rule compares single vertices of regions, and what its epsilons leave "
                 "out depends on the size of the regions; exact bounds, the method's own rule, find all in every experiment.",
                 counts[PAGE_HOLDS], judged);
    return EXIT_CLEAN;
}

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {table1, experiments};
    page_words(r->page, "Each set of epsilons is run by `regions` with the paper's rule: regions are opened where their middle vertices are nearer than the epsilon of their "
                        "level. What counts as missed or too many is judged by exact distances, at the last epsilon of the paper's best set. A unit of the paper's "
                        "epsilons is a centimetre here; how large its models are is not printed.");
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_madera = {
    .name = "madera",
    .title = "Madera, Day, Laycock 2007: a hierarchy of distances (regions)",
    .machine = "Pentium 4 at 3 GHz",
    .experiments = 4,
    .run = run,
};
