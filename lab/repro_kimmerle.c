// The experiments of Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004. Its three setups are
// `kdop` (complete), `active` with `pure` (active pairs only) and `active` (combined).
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "repro_kimmerle.h"
#include "snag/sim.h"

// ---- Figure 3 ------------------------------------------------------------------------------------------------------

enum { STEPS = 20 };

// The first step that reaches a ratio, counted from 1; 0: none.
static int step_of(const double *ratios, double wanted)
{
    for (int i = 0; i < STEPS; i++)
        if (ratios[i] >= wanted)
            return i + 1;
    return 0;
}

static int say_step(char *text, size_t size, int step)
{
    return step > 0 ? snprintf(text, size, "after %d steps", step) : snprintf(text, size, "in none of %d steps", STEPS);
}

static int figure3(repro *r)
{
    enum { PAIRS = 16 };
    int seeds = r->quick ? 2 : 5;
    size_t triangles[2], all;
    double ratios[2][STEPS];
    snag_status status = torus_truth(triangles, &all);
    for (int pure = 0; pure < 2 && status == SNAG_OK; pure++) {
        status = torus_mean_ratios(pure == 1, PAIRS, seeds, all, STEPS, ratios[pure]);
        repro_show(r, 0.3 * (pure + 1));
    }
    uint32_t needed[2] = {0, 0};
    for (int pure = 0; pure < 2 && status == SNAG_OK; pure++) {
        status = torus_pairs_needed(pure == 1, 0.9, 6, seeds, all, &needed[pure]);
        repro_show(r, 0.6 + 0.2 * (pure + 1));
    }
    if (status != SNAG_OK)
        return repro_failed(r, "torus", status);
    char caption[200];
    snprintf(
        caption, sizeof caption,
        "Figure 3: fraction of the %zu contacts found, a torus and an ellipsoid at rest, %d new pairs per step, mean of %d seeds",
        all, PAIRS, seeds);
    page_plot(r->page, "figure3", caption, "step", "detection ratio", PAGE_FROM_ZERO);
    for (int pure = 0; pure < 2; pure++) {
        page_series(r->page, pure ? "active pairs alone" : "combined");
        for (int i = 0; i < STEPS; i++)
            page_point(r->page, i + 1, ratios[pure][i]);
    }
    char combined[40], alone[40];
    int first = step_of(ratios[0], 0.9), second = step_of(ratios[1], 0.9);
    say_step(combined, sizeof combined, first);
    say_step(alone, sizeof alone, second);
    page_ruling faster = repro_full(r, rule_converges_faster(first, second));
    page_ruling samples = repro_full(r, rule_samples_needed(needed[0], needed[1]));
    page_ruled(r->page, &faster, false,
               "Figure 3: with the same number of new pairs the combined method converges faster than active pairs alone",
               "Combined finds 90 %% %s, active pairs alone %s.", combined, alone);
    double most = needed[1] > 0 ? needed[1] : TORUS_MOST_PAIRS;
    page_ruled(r->page, &samples, false, "Active pairs alone need about three times as many samples, or more, for the same ratio",
               "For 90 %% in 6 steps they need %u per step, the combined method %u (powers of two): %.0f times as many.",
               (unsigned)most, needed[0], most / needed[0]);
    return EXIT_CLEAN;
}

// ---- Tables 1 and 2 ------------------------------------------------------------------------------------------------

typedef struct dressed {
    const char *id, *caption, *scene;
    int steps;
    double total[3], update[3], overlap[3];  // seconds: kdop, active pairs only, combined
} dressed;

static const dressed woman = {"table1",           "Table 1: a dressed woman (paper: avatar 53,000 faces, dress 3,800)",
                              "dressed-figure",   100,
                              {31.8, 91.5, 16.2}, {6.8, 0.9, 0.9},
                              {11.1, 0, 5.3}};
static const dressed man = {"table2",          "Table 2: a dressed man (paper: avatar 25,000 faces, shirt 4,400, trousers 4,000)",
                            "dressed-man",     50,
                            {16.5, 21.3, 5.8}, {1.9, 1.3, 1.3},
                            {4.4, 0, 2.3}};

// kdop, then the combined method and active pairs alone, each over the number of new pairs in a step. Staged: the first three, of which
// the middle numbers are in the table.
enum { SWEPT = 7, COMBINED = 1, PURE = COMBINED + SWEPT, WAYS = PURE + SWEPT };
static const uint32_t swept_pairs[2][SWEPT] = {{1, 3, 10, 30, 100, 300, 1000}, {3, 10, 30, 100, 300, 1000, 3000}};

// The ratio at which times are compared: the middle of the 40 to 80 % that the paper reports, or what both curves reach.
#define MATCHED 0.6

static void make_ways(figure_way ways[WAYS])
{
    ways[0] = (figure_way){.method = SNAG_METHOD_KDOP};
    for (int i = 0; i < SWEPT; i++) {
        ways[COMBINED + i] = (figure_way){.method = SNAG_METHOD_ACTIVE, .new_pairs = swept_pairs[0][i]};
        ways[PURE + i] = (figure_way){.method = SNAG_METHOD_ACTIVE, .new_pairs = swept_pairs[1][i], .pure = true};
    }
}

// The last is a difference of short times, so clamp it at 0.
void kimmerle_put_stages(page *p, const figure_run *run, int steps)
{
    page_number(p, 1e-3 * run->total_us / steps, 2);
    page_number(p, 1e-3 * run->update_us / steps, 2);
    page_number(p, fmax(1e-3 * run->overlap_us / steps, 0), 2);
}

static void add_dressed_rows(page *p, const dressed *d, const figure_run *runs, int steps)
{
    for (int i = 0; i < WAYS; i++) {
        int theirs = i == 0 ? 0 : i < PURE ? 2 : 1;
        page_row(p);
        if (i == 0)
            page_cell(p, "k-DOPs (kdop)");
        else
            page_cell(p, "%s, %u new a step", i < PURE ? "combined" : "active pairs alone",
                      swept_pairs[i >= PURE][i < PURE ? i - COMBINED : i - PURE]);
        page_number(p, 1e3 * d->total[theirs] / d->steps, 0);
        page_number(p, 1e3 * d->update[theirs] / d->steps, 0);
        page_number(p, 1e3 * d->overlap[theirs] / d->steps, 0);
        kimmerle_put_stages(p, &runs[i], steps);
        page_number(p, runs[i].ratio, 3);
        page_number(p, runs[i].least, 3);
        page_number(p, d->total[theirs] / d->total[0], 2);
        page_number(p, runs[i].total_us / runs[0].total_us, 2);
    }
}

// Time, as a part of kdop's, over the part found: mean or least of the steps.
static void plot_trade(page *p, const dressed *d, const figure_run *runs, bool least)
{
    char id[40], caption[240];
    snprintf(id, sizeof id, "%s-%s", d->id, least ? "least" : "mean");
    snprintf(
        caption, sizeof caption,
        "%.8s: time over the part of the contacts found, %s of all steps. The paper's points stand at 60 %%, the middle of what it "
        "reports",
        d->caption, least ? "the least" : "the mean");
    page_plot(p, id, caption, "part found", "time / time of k-DOPs", PAGE_LOG_Y);
    for (int pure = 0; pure < 2; pure++) {
        page_series(p, pure ? "active pairs alone" : "combined");
        for (int i = 0; i < SWEPT; i++) {
            const figure_run *run = &runs[(pure ? PURE : COMBINED) + i];
            page_point(p, least ? run->least : run->ratio, run->total_us / runs[0].total_us);
        }
    }
    page_series(p, "k-DOPs");
    page_point(p, 1, 1);
    page_series(p, "the paper: combined");
    page_point(p, MATCHED, d->total[2] / d->total[0]);
    page_series(p, "the paper: active pairs alone");
    page_point(p, MATCHED, d->total[1] / d->total[0]);
}

// The ratio at which the two are compared: MATCHED, or the lowest that one of the curves begins with, if that is more.
static double matched_ratio(const figure_run *runs, bool least)
{
    double first = least ? runs[COMBINED].least : runs[COMBINED].ratio, second = least ? runs[PURE].least : runs[PURE].ratio;
    return fmax(MATCHED, fmax(first, second));
}

static void judge_dressed(const repro *r, const dressed *d, const figure_run *runs)
{
    double at = matched_ratio(runs, false), combined = garment_time_at(runs + COMBINED, SWEPT, at, false),
           pure = garment_time_at(runs + PURE, SWEPT, at, false), least_at = matched_ratio(runs, true),
           least_combined = garment_time_at(runs + COMBINED, SWEPT, least_at, true),
           least_pure = garment_time_at(runs + PURE, SWEPT, least_at, true);
    char claim[160], least[200];
    snprintf(claim, sizeof claim, "Table %c: at the same detection ratio the combined method is faster than either of its parts",
             d->id[5]);
    if (isfinite(least_combined) && isfinite(least_pure))
        snprintf(least, sizeof least, "At the same least ratio of any step, %.0f %%, active pairs alone take %.2f times as long.",
                 100 * least_at, least_pure / least_combined);
    else
        snprintf(least, sizeof least, "In the worst step %s never finds %.0f %%.",
                 isfinite(least_combined) ? "active pairs alone" : "the combined method", 100 * least_at);
    page_ruling best = repro_full(r, rule_combined(runs[0].total_us / combined, pure / combined));
    page_ruled(r->page, &best, d == &woman, claim,
               "It finds %.0f %% of the contacts, mean of all steps, %.2f times as fast as kdop finds all (paper: %.2f times); "
               "active pairs "
               "alone take %.2f times as long for that (paper: %.2f times). %s",
               100 * at, runs[0].total_us / combined, d->total[0] / d->total[2], pure / combined, d->total[1] / d->total[2], least);
}

// Figure 5, at the last step.
typedef struct dressed_watch {
    repro *r;
    int last;
} dressed_watch;

static void draw_dressed(void *context, snag_sim *sim, int step)
{
    const dressed_watch *w = context;
    char title[40];
    snprintf(title, sizeof title, "step %d", step + 1);
    if (step == w->last)
        figure_panel_sim(w->r, title, sim);
}

static void show_dressed(void *context, double done)
{
    repro_show(((const dressed_watch *)context)->r, done);
}

static int dressed_table(repro *r, const dressed *d, figure_run *runs)
{
    int steps = r->quick ? 8 : d->steps;
    figure_way ways[WAYS];
    size_t triangles[2];
    make_ways(ways);
    snag_sim_def def = snag_default_sim_def();
    def.scene = d->scene;
    def.size = r->quick ? 0.05 : 1;
    def.threads = 1;
    dressed_watch watch = {r, steps - 1};
    if (d == &man)
        page_picture(r->page, "figure5", "Figure 5: the dressed man of Table 2, simulated");
    const garment_job job = {.def = &def,
                             .settle = r->quick ? 5 : 40,
                             .steps = steps,
                             .ways = ways,
                             .count = WAYS,
                             .staged = r->quick ? 1 : WAYS,
                             .watch = d == &man ? draw_dressed : NULL,
                             .progress = show_dressed,
                             .context = &watch};
    snag_status status = garment_runs(&job, runs, triangles);
    if (status != SNAG_OK)
        return repro_failed(r, d->id, status);
    char caption[300];
    snprintf(caption, sizeof caption,
             "%s; ours: simulated, a figure of %zu triangles and garments of %zu, %d steps, %.0f contacts; milliseconds a step",
             d->caption, triangles[0], triangles[1], steps, runs[0].contacts);
    page_table(r->page, d->id, caption,
               "way|paper: total|paper: update|paper: overlapping volumes|ours: total|ours: update|ours: overlapping "
               "volumes|part found: mean|part found: least|total / k-DOPs: paper|total / k-DOPs: ours");
    add_dressed_rows(r->page, d, runs, steps);
    plot_trade(r->page, d, runs, false);
    plot_trade(r->page, d, runs, true);
    judge_dressed(r, d, runs);
    return EXIT_CLEAN;
}

static int dressed_tables(repro *r)
{
    figure_run *runs = calloc(WAYS, sizeof *runs);
    if (!runs)
        return words_out_of_memory(r->w);
    int result = dressed_table(r, &woman, runs);
    if (result == EXIT_CLEAN && repro_begin(r))
        result = dressed_table(r, &man, runs);
    free(runs);
    page_words(r->page,
               "Each stage is measured in its own world with the same motion: update in a world where every pair is "
               "filtered out, so that only the hierarchy is updated; overlapping volumes, the paper's detection of "
               "colliding DOPs, as the extra time of a search that stops before the exact stage. The figure is our own; its "
               "garments are simulated, and all ways search the same steps of one simulation, without changing it. Times are of "
               "the search only, as in the paper. The paper does not print the detection ratio of its Tables 1 and 2: both ways "
               "are swept over the number of new pairs, and their times are compared where they find equally much. Contacts that "
               "were found stay found here, and their clusters grow from step to step, so that both ways find most of them "
               "whatever the number of new pairs: that is why their times are closer than the paper's.");
    return result;
}

// ---- Figure 4 ------------------------------------------------------------------------------------------------------

// Depth of a garment over time.
typedef struct depths {
    double step[64], worst[64], ratio[64];  // samples
    size_t count;
    double most, motion;  // the greatest depth, and the kinetic energy at the end
} depths;

// `done` before this run, of which it is `part`. Draws a panel if it has a name.
static snag_status run_depths(repro *r, const snag_sim_def *def, int steps, double done, double part, const char *name, depths *out)
{
    *out = (depths){.count = 0};
    snag_sim *sim = NULL;
    snag_status status = snag_sim_create(def, &sim);
    int every = steps > 40 ? steps / 40 : 1;
    double ratio = 0;
    for (int i = 1; i <= steps && status == SNAG_OK; i++) {
        status = snag_sim_step(sim);
        snag_sim_report report = status == SNAG_OK ? snag_sim_last_step(sim) : (snag_sim_report){0};
        snag_sim_depth depth;
        ratio += report.ratio / every;
        out->motion = report.kinetic;
        repro_show(r, done + part * i / steps);
        if (i % every != 0 || out->count == 64 || status != SNAG_OK)
            continue;
        status = snag_sim_measure(sim, 0.05, &depth);
        out->step[out->count] = i;
        out->worst[out->count] = depth.worst;
        out->ratio[out->count++] = ratio;
        out->most = fmax(out->most, depth.worst);
        ratio = 0;
    }
    if (status == SNAG_OK && name)
        figure_panel_sim(r, name, sim);
    snag_sim_destroy(sim);
    return status;
}

static rule_walk walk_of(const depths *d)
{
    return (rule_walk){d->most, d->motion};
}

static bool is_stable(const depths *d)
{
    const rule_walk walk = walk_of(d), still = {0, 0};
    return rule_stable(&walk, 1, still).judgement == PAGE_HOLDS;
}

static void plot_depths(page *p, const char *id, const char *caption, const char *const *names, const depths *runs, int count)
{
    page_plot(p, id, caption, "step", "deepest vertex, mm", PAGE_FROM_ZERO);
    for (int i = 0; i < count; i++) {
        page_series(p, names[i]);
        for (size_t k = 0; k < runs[i].count; k++)
            page_point(p, runs[i].step[k], 1e3 * runs[i].worst[k]);
    }
}

static void add_depths(page *p, const char *id, const char *caption, const char *const *names, const depths *runs, int count)
{
    page_table(p, id, caption, "run|deepest vertex, mm|motion at the end, J|part found|stable");
    for (int i = 0; i < count; i++) {
        double ratio = 0;
        for (size_t k = 0; k < runs[i].count; k++)
            ratio += runs[i].ratio[k] / (double)runs[i].count;
        page_row(p);
        page_cell(p, "%s", names[i]);
        page_number(p, 1e3 * runs[i].most, 2);
        page_number(p, runs[i].motion, 4);
        page_number(p, ratio, 2);
        page_cell(p, "%s", is_stable(&runs[i]) ? "yes" : "no");
    }
}

// Which contacts are answered is drawn by chance: a fifth of them with several seeds.
static int figure4(repro *r)
{
    enum { RUNS = 5, FIFTHS = 3 };  // the second to fourth
    static const double ratios[RUNS] = {1, 0.2, 0.2, 0.2, 0.1};
    static const uint64_t seeds[RUNS] = {1, 1, 2, 3, 1};
    static const char *const names[RUNS] = {"response to 100 %", "response to 20 %", "response to 20 %, seed 2",
                                            "response to 20 %, seed 3", "response to 10 %"};
    int steps = r->quick ? 10 : 200;
    depths runs[RUNS];
    rule_walk fifths[FIFTHS];
    snag_sim_def def = snag_default_sim_def();
    def.scene = "dressed-figure";
    def.size = r->quick ? 0.05 : 0.3;
    def.threads = 1;
    page_picture(r->page, "figure4-picture", "Figure 4: the dress at the end, with response to all contacts, a fifth and a tenth");
    for (int i = 0; i < RUNS; i++) {
        def.response_ratio = ratios[i];
        def.seed = seeds[i];
        snag_status status =
            run_depths(r, &def, steps, (double)i / RUNS, (double)1 / RUNS, seeds[i] == 1 ? names[i] : NULL, &runs[i]);
        if (status != SNAG_OK)
            return repro_failed(r, "dressed figure", status);
    }
    for (int i = 0; i < FIFTHS; i++)
        fifths[i] = walk_of(&runs[1 + i]);
    char caption[160];
    snprintf(caption, sizeof caption,
             "Figure 4: a dressed figure simulated for %d steps, responding to a random fraction of the contacts", steps);
    add_depths(r->page, "figure4-table", caption, names, runs, RUNS);
    plot_depths(r->page, "figure4", "Figure 4: penetration depth of the dress", names, runs, RUNS);
    page_ruling stable = repro_full(r, rule_stable(fifths, FIFTHS, walk_of(&runs[0])));
    page_ruled(
        r->page, &stable, false, "Figure 4: responding to a fifth of the contacts is enough for a stable simulation",
        "The deepest vertices are at %.2f, %.2f and %.2f mm with 20 %% and three seeds, at %.2f mm with all and at %.2f mm with "
        "10 %%.",
        1e3 * runs[1].most, 1e3 * runs[2].most, 1e3 * runs[3].most, 1e3 * runs[0].most, 1e3 * runs[4].most);
    return EXIT_CLEAN;
}

// ---- the paper -------------------------------------------------------------------------------------------------------

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {figure3, dressed_tables, kimmerle_catwalk, figure4, kimmerle_leaves, kimmerle_clusters};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_kimmerle = {
    .name = "kimmerle",
    .title = "Kimmerle, Nesme, Faure 2004: hierarchy accelerated stochastic collision detection (kdop, active)",
    .machine = "Pentium IV at 2.4 GHz",
    .experiments = 13,
    .run = run,
};
