// The experiments of Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects, 2007.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <string.h>

#include "figures.h"
#include "papers/region_runs.h"

// ---- Table 1 -------------------------------------------------------------------------------------------------------

// Finds the first body of this name in the scenes of the experiments.
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
        double vertices, faces, edges;
    } models[] = {{"torus", "torus", 768, 1536, 2304},
                  {"pawn", "pawn", 610, 1216, 1824},
                  {"human", "figure", 946, 1888, 40},
                  {"cylinder", "cylinder", 258, 512, 768},
                  {"tooth", "tooth", 1202, 2400, 3600}};
    page_table(
        r->page, "table1",
        "Table 1: the models. The paper's meshes are not public; ours are our own, all closed. The 40 edges of its human must be "
        "a typo in the paper",
        "model|vertices: paper|vertices: ours|faces: paper|faces: ours|edges: paper|edges: ours");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        size_t counts[2] = {0, 0};
        bool found = find_model(models[i].ours, counts);
        page_row(r->page);
        page_cell(r->page, "%s", models[i].name);
        page_number(r->page, models[i].vertices, 0);
        page_number(r->page, found ? (double)counts[0] : NAN, 0);
        page_number(r->page, models[i].faces, 0);
        page_number(r->page, found ? (double)counts[1] : NAN, 0);
        page_number(r->page, models[i].edges, 0);
        page_number(r->page, found ? 1.5 * (double)counts[1] : NAN, 0);
    }
    return EXIT_CLEAN;
}

// ---- the experiments -----------------------------------------------------------------------------------------------

// The paper's numbers for its sets: collisions reported, milliseconds per step, nodes of levels 1 to 3.
static const struct {
    const char *table, *figure, *words;
    const char *said[REGION_RUNS], *ms[REGION_RUNS];
    double nodes[3];  // of set 3
} printed[REGION_EXPERIMENTS] = {
    {"2",
     "9",
     "ten tori and pawns, 300 steps",
     {"too few", "too few", "all: best", "too many", "too many"},
     {"30 to 37", "30 to 37", "", "30 to 45", "30 to 45"},
     {76, 288, 151}},
    {"3",
     "10",
     "three humans and a torus, 200 steps",
     {"", "as many as 3", "all: best", "", ""},
     {"", "30", "25", "", ""},
     {NAN, NAN, NAN}},
    {"4",
     "11",
     "a tooth and a cylinder, 100 steps",
     {"almost 199", "almost 199", "199: best", "almost 199", "almost 199"},
     {"", "", "24", "", ""},
     {NAN, NAN, NAN}},
};

static double nodes_of(const region_tally *t)
{
    double sum = 0;
    for (int level = 1; level < SNAG_REGION_LEVELS; level++)
        sum += (double)t->opened[level];
    return sum;
}

// Number of nodes at level 1, at level 2, or deeper.
static double nodes_at(const region_tally *t, int level)
{
    return level < 3 ? (double)t->opened[level] : nodes_of(t) - (double)t->opened[1] - (double)t->opened[2];
}

static void put_epsilons(page *p, size_t experiment, int run)
{
    const double(*e)[REGION_EPSILONS] = region_experiments[experiment].epsilon[run];
    for (int level = 0; level < REGION_EPSILONS; level++) {
        if (region_experiments[experiment].kinds)
            page_cell(p, "%g, %g", e[0][level], e[1][level]);
        else
            page_cell(p, "%g", e[0][level]);
    }
}

static void put_nodes(page *p, const region_tally *t, size_t steps)
{
    for (int level = 1; level <= 3; level++)
        page_number(p, nodes_at(t, level) / (double)steps, 1);
    page_number(p, t->ms / (double)steps, 3);
}

static void put_collisions(page *p, const region_tally *t)
{
    double all = (double)(t->collisions + t->lost);
    page_number(p, (double)t->collisions, 0);
    page_number(p, all > 0 ? 100 * (double)t->collisions / all : NAN, 2);
    page_number(p, (double)t->pairs, 0);
    page_number(p, (double)t->missed, 0);
    page_number(p, (double)t->too_many, 0);
}

static void put_blanks(page *p, int count)
{
    for (int i = 0; i < count; i++)
        page_cell(p, "%s", "");
}

static void add_sets(page *p, size_t experiment, const region_result *result)
{
    char id[16], caption[320];
    snprintf(id, sizeof id, "table%s", printed[experiment].table);
    snprintf(caption, sizeof caption, "Table %s: %s; ours: %zu bodies, %zu steps, %zu of them tested; some bodies collide in %zu",
             printed[experiment].table, printed[experiment].words, result->bodies, result->steps, result->asked, result->touching);
    page_table(p, id, caption,
               "set|epsilon: level 1|epsilon: level 2|epsilon: level 3|paper: collisions|paper: ms a step|paper: nodes, levels "
               "1, 2, 3|collisions: reported|collisions: % of all|pairs of bodies: found|pairs of bodies: missed|pairs of "
               "bodies: too many|nodes expanded a step: level 1|nodes expanded a step: level 2|nodes expanded a step: deeper|ms "
               "a step");
    for (int i = 0; i < REGION_RUNS; i++) {
        const double *nodes = printed[experiment].nodes;
        page_row(p);
        page_cell(p, "%d", i + 1);
        put_epsilons(p, experiment, i);
        page_cell(p, "%s", printed[experiment].said[i]);
        page_cell(p, "%s", printed[experiment].ms[i]);
        if (i == 2 && !isnan(nodes[0]))
            page_cell(p, "%g, %g, %g", nodes[0], nodes[1], nodes[2]);
        else
            put_blanks(p, 1);
        put_collisions(p, &result->runs[i]);
        put_nodes(p, &result->runs[i], result->asked);
    }
    page_row(p);
    page_cell(p, "every two leaves");
    put_blanks(p, 6);
    put_collisions(p, &result->all);
    put_blanks(p, 4);
    page_row(p);
    page_cell(p, "exact bounds");
    put_blanks(p, 6 + 2);
    page_number(p, (double)result->exact.pairs, 0);
    page_number(p, (double)result->exact.missed, 0);
    put_blanks(p, 1);
    put_nodes(p, &result->exact, result->asked);
}

static void set_name(char name[16], int run)
{
    snprintf(name, 16, "set %d", run + 1);
}

static void plot_sets(page *p, size_t experiment, const region_result *result)
{
    static const char *const levels[] = {"level 1", "level 2", "deeper"};
    char id[16], caption[200], name[16];
    snprintf(id, sizeof id, "figure%s", printed[experiment].figure);
    snprintf(caption, sizeof caption,
             "Figure %s: collisions found by each set of epsilons over all steps, and all collisions at its last epsilon",
             printed[experiment].figure);
    page_bars(p, id, caption, "collisions", PAGE_FROM_ZERO);
    for (int all = 0; all < 2; all++) {
        page_series(p, all ? "all there are" : "reported");
        for (int i = 0; i < REGION_RUNS; i++) {
            const region_tally *t = &result->runs[i];
            set_name(name, i);
            page_bar(p, name, (double)(t->collisions + (all ? t->lost : 0)));
        }
    }
    snprintf(id, sizeof id, "nodes%s", printed[experiment].figure);
    snprintf(caption, sizeof caption, "Table %s: nodes expanded per step by each set", printed[experiment].table);
    page_bars(p, id, caption, "pairs of regions a step", PAGE_FROM_ZERO);
    for (int level = 1; level <= 3; level++) {
        page_series(p, levels[level - 1]);
        for (int i = 0; i < REGION_RUNS; i++) {
            set_name(name, i);
            page_bar(p, name, nodes_at(&result->runs[i], level) / (double)result->asked);
        }
    }
}

static rule_sets sets_of(const region_result *result)
{
    rule_sets sets = {.touching = result->touching};
    _Static_assert((int)RULE_SETS == (int)REGION_RUNS, "one rule for all sets");
    for (int i = 0; i < REGION_RUNS; i++) {
        sets.missed[i] = (double)result->runs[i].missed;
        sets.too_many[i] = (double)result->runs[i].too_many;
        sets.nodes[i] = nodes_of(&result->runs[i]);
    }
    return sets;
}

static void name_sets(const region_result *result, bool missing, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; i < REGION_RUNS; i++) {
        const region_tally *t = &result->runs[i];
        size_t wrong = missing ? t->missed : t->too_many;
        if (wrong > 0 && length < size)
            length += (size_t)snprintf(text + length, size - length, "%sset %d by %zu", length > 0 ? ", " : "", i + 1, wrong);
    }
    if (length == 0)
        snprintf(text, size, "none");
}

// Whether some set finds all pairs and adds none, and is a choice: not the largest.
static page_judgement judge_sets(const repro *r, size_t experiment, const region_result *result)
{
    page *p = r->page;
    rule_sets sets = sets_of(result);
    int best = rule_best_set(&sets);
    const region_tally *t = &result->runs[best];
    double steps = (double)result->asked;
    page_ruling ruling = rule_has_best_set(&sets);
    if (result->touching > 0)
        ruling = repro_full(r, ruling);
    char claim[160], missing[160], adding[160];
    snprintf(claim, sizeof claim,
             "Table %s: there is a best set of epsilons, which finds all collisions of bodies with the fewest nodes",
             printed[experiment].table);
    name_sets(result, true, missing, sizeof missing);
    name_sets(result, false, adding, sizeof adding);
    if (result->touching == 0)
        page_ruled(p, &ruling, false, claim,
                   "No two bodies come within the contact distance of %g m in these %zu steps: nothing to find.", result->contact,
                   result->steps);
    else
        page_ruled(p, &ruling, false, claim,
                   "Two bodies collide %zu times, counted once a step. The best set is %d (paper: 3): it misses %zu of them "
                   "and adds %zu, with %.0f nodes a step. Too few: %s. Too many: %s. Exact bounds, which need no epsilons, "
                   "expand %.0f nodes.",
                   result->all.pairs, best + 1, t->missed, t->too_many, nodes_of(t) / steps, missing, adding,
                   nodes_of(&result->exact) / steps);
    return ruling.judgement;
}

// Figures 9 to 11 count the collisions that each set reports. In the first experiment the paper finds too few with the small sets and too
// many with the large ones, in the second as many with sets 2 and 3, in the third almost the same with all.
static void judge_figure(const repro *r, size_t experiment, const region_result *result)
{
    static const char *const claims[REGION_EXPERIMENTS] = {
        "Figure 9: sets 1 and 2 report fewer collisions than set 3, sets 4 and 5 more",
        "Figure 10: sets 2 and 3 report the same collisions, and set 3 expands a lot fewer nodes",
        "Figure 11: all sets report almost the same number of collisions"};
    double collisions[REGION_RUNS], nodes[REGION_RUNS];
    for (int i = 0; i < REGION_RUNS; i++) {
        collisions[i] = (double)result->runs[i].collisions;
        nodes[i] = nodes_of(&result->runs[i]);
    }
    page_ruling ruling = experiment == 0   ? rule_too_few_too_many(collisions)
                         : experiment == 1 ? rule_same_with_fewer_nodes(collisions + 1, nodes + 1)
                                           : rule_equal_collisions(collisions, REGION_RUNS);
    if (ruling.judgement != PAGE_SKIPPED)
        ruling = repro_full(r, ruling);
    double steps = (double)result->asked;
    page_ruled(r->page, &ruling, false, claims[experiment],
               "The five sets report %.0f, %.0f, %.0f, %.0f and %.0f pairs of leaves, each at its own epsilon of level 3, and "
               "expand %.0f, "
               "%.0f, %.0f, %.0f and %.0f nodes a step.",
               collisions[0], collisions[1], collisions[2], collisions[3], collisions[4], nodes[0] / steps, nodes[1] / steps,
               nodes[2] / steps, nodes[3] / steps, nodes[4] / steps);
}

// Gives the length of our epsilons, and the result of equation 6 for our models in the units of the table.
static void explain_unit(page *p, size_t experiment, const region_result *result)
{
    const double(*best)[REGION_EPSILONS] = region_experiments[experiment].epsilon[2];
    char other[200] = "";
    if (region_experiments[experiment].kinds)
        snprintf(other, sizeof other,
                 " For a human and the torus they give %.1f and %.1f (set 3: %g and %g), since our torus is smaller beside the "
                 "humans than the paper's.",
                 result->radii[1][0] / result->unit, result->radii[1][1] / result->unit, best[1][0], best[1][1]);
    page_words(p,
               "A unit of Table %s is %.4f m. Equations 3 and 6 then give epsilons of %.1f and %.1f for levels 1 and 2 (set 3: %g "
               "and %g).%s",
               printed[experiment].table, result->unit, result->radii[0][0] / result->unit, result->radii[0][1] / result->unit,
               best[0][0], best[0][1], other);
}

// Section 2 leaves the exact contact to a routine that tells six types; here they are those of the closest features, by exact bounds.
static void add_types(page *p, const size_t types[REGION_EXPERIMENTS][CONTACT_TYPES])
{
    page_table(p, "types",
               "The six contact types of [ESHD05], to which section 1 refers: the closest features of two bodies that collide, "
               "counted once "
               "a step",
               "type|first experiment|second|third");
    for (int type = 0; type < CONTACT_TYPES; type++) {
        page_row(p);
        page_cell(p, "%s", contact_type_name((contact_type)type));
        for (int i = 0; i < REGION_EXPERIMENTS; i++)
            page_number(p, (double)types[i][type], 0);
    }
}

// Figure 8, and the other two experiments beside it.
static int draw_scenes(repro *r)
{
    static const struct {
        const char *title;
        int step;
    } drawn[REGION_EXPERIMENTS] = {{"first, step 180", 180}, {"second (Figure 8), step 90", 90}, {"third, step 40", 40}};
    page_picture(r->page, "figure8", "Figure 8: three humans and a torus; beside it the scenes of the other experiments");
    for (size_t i = 0; i < REGION_EXPERIMENTS; i++) {
        snag_sim_def def = snag_default_sim_def();
        snag_sim *sim = NULL;
        def.scene = region_experiments[i].scene;
        def.threads = 1;
        snag_status status = snag_sim_create(&def, &sim);
        for (int step = 0; step < drawn[i].step && status == SNAG_OK; step++)
            status = snag_sim_step(sim);
        if (status == SNAG_OK)
            figure_panel_sim(r, drawn[i].title, sim);
        snag_sim_destroy(sim);
        if (status != SNAG_OK)
            return repro_failed(r, region_experiments[i].scene, status);
        repro_show(r, (double)(i + 1) / REGION_EXPERIMENTS);
    }
    return EXIT_CLEAN;
}

// Summary of all experiments.
typedef struct outcome {
    int counts[3];  // number of each judgement
    double least_part;  // fraction of the colliding leaf pairs that the best set reports
    size_t types[REGION_EXPERIMENTS][CONTACT_TYPES];
} outcome;

static int run_experiment(repro *r, size_t experiment, outcome *o)
{
    region_result result;
    snag_status status = region_epsilons(experiment, r->quick, &result, repro_show, r);
    if (status != SNAG_OK)
        return repro_failed(r, region_experiments[experiment].scene, status);
    add_sets(r->page, experiment, &result);
    explain_unit(r->page, experiment, &result);
    plot_sets(r->page, experiment, &result);
    o->counts[judge_sets(r, experiment, &result)]++;
    judge_figure(r, experiment, &result);
    for (int type = 0; type < CONTACT_TYPES; type++)
        o->types[experiment][type] = result.exact.types[type];
    rule_sets sets = sets_of(&result);
    const region_tally *best = &result.runs[rule_best_set(&sets)];
    double all = (double)(best->collisions + best->lost);
    if (all > 0)
        o->least_part = fmin(o->least_part, (double)best->collisions / all);
    return EXIT_CLEAN;
}

static int experiments(repro *r)
{
    outcome o = {.least_part = 1};
    for (size_t i = 0; i < REGION_EXPERIMENTS; i++) {
        if (i > 0 && !repro_begin(r))
            return EXIT_CLEAN;
        int result = run_experiment(r, i, &o);
        if (result != EXIT_CLEAN)
            return result;
    }
    add_types(r->page, (const size_t(*)[CONTACT_TYPES])o.types);
    int judged = o.counts[PAGE_HOLDS] + o.counts[PAGE_FAILS];
    page_ruling leaves = judged == 0 ? rule_experiments(0, 0) : rule_reports_leaves(o.least_part);
    page_ruling exists = rule_experiments(o.counts[PAGE_HOLDS], judged);
    leaves = repro_full(r, leaves);
    exists = repro_full(r, exists);
    page_ruled(r->page, &leaves, false, "The best set also reports every two leaves that collide, which Figures 9 to 11 count",
               "Of those at its last epsilon it reports %.1f %% in the worst experiment: epsilons from equation 6 leave out the "
               "distance of the vertices themselves.",
               100 * o.least_part);
    page_ruled(r->page, &exists, true,
               "In each experiment a best set of epsilons finds all collisions of bodies with the fewest nodes",
               "Such a set exists in %d of the %d experiments in which bodies collide. It depends on the scene, and it does "
               "not report all colliding pairs of leaves (%.1f %% at worst); exact bounds, the method's own rule, need no "
               "epsilons and miss nothing.",
               o.counts[PAGE_HOLDS], judged, 100 * o.least_part);
    return EXIT_CLEAN;
}

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {table1, experiments, draw_scenes};
    page_words(r->page, "Each set of epsilons is run with the method regions and the paper's rule: two regions are expanded "
                        "if their centre vertices are closer than the epsilon of their level, and two expanded leaves collide if "
                        "two of their vertices are closer than the last epsilon. The paper does not print the size of its models, "
                        "but says that its epsilons come from equations 3 and 6. We therefore choose the unit of a table so that "
                        "the first epsilon of its set 3, which the paper calls optimal, is the value of these equations for our "
                        "models at the start. The percentage of all collisions compares with all pairs of leaves at the set's own "
                        "last epsilon; pairs of bodies are compared with those that collide at the last epsilon of set 3, step by "
                        "step. Nodes are pairs of regions; the paper's third level is vertices.");
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_madera = {
    .name = "madera",
    .title = "Madera, Day, Laycock 2007: a hierarchy of distances (regions)",
    .machine = "Pentium 4 at 3 GHz",
    .experiments = 5,
    .run = run,
};
