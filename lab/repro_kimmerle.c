// The experiments of Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004. Its three setups are
// `kdop` (complete), `active` with `pure` (active pairs only) and `active` (combined).
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>

#include "papers/garment_runs.h"
#include "repro_kimmerle_plain.h"
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

// Times of one step: total, update, overlapping volumes. The last is a difference of short times, so clamp it at 0.
static void put_stages(page *p, const figure_run *run, int steps)
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
        put_stages(p, &runs[i], steps);
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
    const garment_job job = {.def = &def,
                             .settle = r->quick ? 5 : 40,
                             .steps = steps,
                             .ways = ways,
                             .count = WAYS,
                             .staged = r->quick ? 1 : WAYS,
                             .progress = repro_show,
                             .context = r};
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

// ---- Table 3 and the ratio over time -------------------------------------------------------------------------------

enum { WALKS = 5 };

static const char *const walk_names[WALKS] = {"k-DOPs (kdop)", "100 new pairs a step", "50 new pairs a step", "aiming at 60 %",
                                              "aiming at 40 %"};
static const figure_way walks[WALKS] = {
    {.method = SNAG_METHOD_KDOP},
    {.method = SNAG_METHOD_ACTIVE, .new_pairs = 100},
    {.method = SNAG_METHOD_ACTIVE, .new_pairs = 50},
    {.method = SNAG_METHOD_ACTIVE, .target = 0.6},
    {.method = SNAG_METHOD_ACTIVE, .target = 0.4},
};
// Seconds for 1,600 steps; only the first three variants are in the paper.
static const double walk_total[WALKS] = {395, 198, 165, NAN, NAN}, walk_update[WALKS] = {73, 35, 35, NAN, NAN},
                    walk_overlap[WALKS] = {110, 61, 61, NAN, NAN};

static void plot_ratios(page *p, const figure_run *runs, int steps)
{
    page_plot(
        p, "ratio-over-time",
        "The part of all contacts found over time (paper, Figure 6: 40 to 80 % with 100 new pairs a step, 20 to 70 % with 50)",
        "step", "ratio", PAGE_FROM_ZERO);
    for (int i = 1; i < WALKS; i++) {
        page_series(p, walk_names[i]);
        for (int k = 0; k<steps; k += steps> 400 ? 4 : 1)
            page_point(p, k + 1, runs[i].ratios[k]);
    }
}

static void add_walk_rows(page *p, const figure_run *runs, int steps)
{
    for (int i = 0; i < WALKS; i++) {
        const double printed[3] = {walk_total[i], walk_update[i], walk_overlap[i]};
        page_row(p);
        page_cell(p, "%s", walk_names[i]);
        for (int k = 0; k < 3; k++)
            page_number(p, 1e3 * printed[k] / 1600, 0);
        put_stages(p, &runs[i], steps);
        page_number(p, runs[i].ratio, 3);
        page_number(p, runs[i].least, 3);
        page_number(p, walk_total[0] / walk_total[i], 2);
        page_number(p, runs[0].total_us / runs[i].total_us, 2);
    }
}

static void judge_walk(const repro *r, const figure_run *runs)
{
    page *p = r->page;
    double speed[WALKS];
    for (int i = 0; i < WALKS; i++)
        speed[i] = runs[0].total_us / runs[i].total_us;
    const double found[WALKS] = {1, runs[1].ratio, runs[2].ratio, runs[3].ratio, runs[4].ratio};
    page_ruling fewer = repro_full(r, rule_fewer_pairs(found + 1, speed + 1)),
                trade = repro_full(r, rule_trade(found + 3, speed + 3));
    page_ruled(
        p, &fewer, false, "Table 3: fewer pairs find fewer contacts, and either number is faster than k-DOPs",
        "100 and 50 new pairs a step find %.0f and %.0f %%, %.2f and %.2f times as fast as kdop finds all (paper: %.2f and %.2f "
        "times, with 40 to 80 %% and 20 to 70 %%). Clusters grow around found contacts, so the number of new pairs matters "
        "less here.",
        100 * runs[1].ratio, 100 * runs[2].ratio, speed[1], speed[2], walk_total[0] / walk_total[1], walk_total[0] / walk_total[2]);
    page_ruled(p, &trade, false, "Accuracy can be traded for time (paper: a factor of two without much loss)",
               "Aiming at 60 and 40 %% of the contacts finds %.0f and %.0f %% and is %.2f and %.2f times as fast as kdop.",
               100 * runs[3].ratio, 100 * runs[4].ratio, speed[3], speed[4]);
}

static int catwalk(repro *r)
{
    int steps = r->quick ? 30 : FIGURE_MOST_STEPS;
    double fineness = r->quick ? 0.35 : 1;
    figure_scene scene = {0};
    figure_run *runs = calloc(WALKS, sizeof *runs);
    snag_status status = runs && figure_scene_make(&scene, fineness, fineness) ? SNAG_OK : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK)
        status = figure_runs(&scene, steps, walks, WALKS, runs, repro_show, r);
    figure_scene_free(&scene);
    if (status != SNAG_OK) {
        free(runs);
        return repro_failed(r, "catwalk", status);
    }
    char caption[200];
    snprintf(caption, sizeof caption,
             "Table 3: a catwalk of 1,600 steps; ours: the dressed figure of Table 1, %d steps; milliseconds a step", steps);
    page_table(r->page, "table3", caption,
               "way|paper: total|paper: update|paper: overlapping volumes|ours: total|ours: update|ours: overlapping "
               "volumes|part found: mean|part found: least|speed-up: paper|speed-up: ours");
    add_walk_rows(r->page, runs, steps);
    plot_ratios(r->page, runs, steps);
    judge_walk(r, runs);
    free(runs);
    return EXIT_CLEAN;
}

// ---- Figure 4 and the walking figure, simulated --------------------------------------------------------------------

// Depth of a garment over time.
typedef struct depths {
    double step[64], worst[64], ratio[64];  // samples
    size_t count;
    double most, motion;  // the greatest depth, and the kinetic energy at the end
} depths;

static snag_status run_depths(repro *r, const snag_sim_def *def, int steps, double part, double share, depths *out)
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
        repro_show(r, part + share * i / steps);
        if (i % every != 0 || out->count == 64 || status != SNAG_OK)
            continue;
        status = snag_sim_measure(sim, 0.05, &depth);
        out->step[out->count] = i;
        out->worst[out->count] = depth.worst;
        out->ratio[out->count++] = ratio;
        out->most = fmax(out->most, depth.worst);
        ratio = 0;
    }
    snag_sim_destroy(sim);
    return status;
}

static bool is_stable(const depths *d)
{
    return rule_stable(d->most, d->motion).judgement == PAGE_HOLDS;
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

static int figure4(repro *r)
{
    static const double ratios[3] = {1, 0.2, 0.1};
    static const char *const names[3] = {"response to 100 %", "response to 20 %", "response to 10 %"};
    int steps = r->quick ? 10 : 200;
    depths runs[3];
    snag_sim_def def = snag_default_sim_def();
    def.scene = "dressed-figure";
    def.size = r->quick ? 0.05 : 0.3;
    def.threads = 1;
    for (int i = 0; i < 3; i++) {
        def.response_ratio = ratios[i];
        snag_status status = run_depths(r, &def, steps, i / 3.0, 1 / 3.0, &runs[i]);
        if (status != SNAG_OK)
            return repro_failed(r, "dressed figure", status);
    }
    char caption[160];
    snprintf(caption, sizeof caption,
             "Figure 4: a dressed figure simulated for %d steps, responding to a random fraction of the contacts", steps);
    add_depths(r->page, "figure4-table", caption, names, runs, 3);
    plot_depths(r->page, "figure4", "Figure 4: penetration depth of the dress", names, runs, 3);
    page_ruling stable = repro_full(r, rule_stable(runs[1].most, runs[1].motion));
    page_ruled(r->page, &stable, false, "Figure 4: responding to a fifth of the contacts is enough for a stable simulation",
               "The deepest vertex is at %.2f mm with 20 %%, at %.2f mm with all and at %.2f mm with 10 %%.", 1e3 * runs[1].most,
               1e3 * runs[0].most, 1e3 * runs[2].most);
    return EXIT_CLEAN;
}

// The depth of the garment during a walk, measured now and then.
typedef struct walk_watch {
    repro *r;
    depths *out;
    double part;
    snag_status status;
} walk_watch;

static void watch_walk(void *context, snag_sim *sim, int step)
{
    walk_watch *w = context;
    enum { EVERY = 40 };
    w->out->motion = snag_sim_last_step(sim).kinetic;
    if (step % EVERY != EVERY - 1 || w->out->count == 64)
        return;
    snag_sim_depth depth;
    w->status = snag_sim_measure(sim, 0.05, &depth);
    if (w->status != SNAG_OK)
        return;
    w->out->step[w->out->count] = step + 1;
    w->out->worst[w->out->count++] = depth.worst;
    w->out->most = fmax(w->out->most, depth.worst);
}

static void show_walk(void *context, double done)
{
    const walk_watch *w = context;
    repro_show(w->r, w->part + done / 2);
}

static void plot_walks(page *p, const figure_run *const runs[2], int steps)
{
    static const char *const names[2][2] = {{"100 new pairs: true", "100 new pairs: estimate"},
                                            {"50 new pairs: true", "50 new pairs: estimate"}};
    page_plot(p, "figure6",
              "Figure 6: part of all contacts found while the figure walks, simulated with these pairs: counted beside a complete "
              "search, "
              "and as the method estimates it. Means of 8 steps",
              "step", "ratio", PAGE_FROM_ZERO);
    enum { MEAN = 8 };
    for (int i = 0; i < 2; i++)
        for (int estimate = 0; estimate < 2; estimate++) {
            page_series(p, names[i][estimate]);
            for (int k = 0; k + MEAN <= steps; k += MEAN) {
                double sum = 0;
                for (int s = k; s < k + MEAN; s++)
                    sum += estimate ? runs[i]->estimates[s] : runs[i]->ratios[s];
                page_point(p, k + MEAN / 2.0, sum / MEAN);
            }
        }
}

// The mean distance of the estimate from the truth.
static double estimate_error(const figure_run *run, int steps)
{
    double sum = 0;
    for (int i = 0; i < steps; i++)
        sum += fabs(run->estimates[i] - run->ratios[i]) / steps;
    return sum;
}

static int judge_walks(const repro *r, const figure_run *const runs[2], const depths depth[2], int steps)
{
    page_table(r->page, "figure6-table", "Figure 6: a walking figure simulated with active pairs (paper: 1,600 steps, stable)",
               "run|steps|part found: mean|part found: least|estimate: mean error|estimate: interval holds|deepest vertex, mm");
    for (int i = 0; i < 2; i++) {
        page_row(r->page);
        page_cell(r->page, i == 0 ? "100 new pairs a step" : "50 new pairs a step");
        page_number(r->page, steps, 0);
        page_number(r->page, runs[i]->ratio, 3);
        page_number(r->page, runs[i]->least, 3);
        page_number(r->page, estimate_error(runs[i], steps), 3);
        page_number(r->page, runs[i]->held, 2);
        page_number(r->page, 1e3 * depth[i].most, 2);
    }
    page_ruling stable =
        repro_full(r, rule_both(rule_stable(depth[0].most, depth[0].motion), rule_stable(depth[1].most, depth[1].motion)));
    page_ruled(r->page, &stable, false, "Figure 6: the walk stays stable with 100 and with 50 new pairs a step",
               "The deepest vertices are at %.2f and %.2f mm over %d steps.", 1e3 * depth[0].most, 1e3 * depth[1].most, steps);
    page_ruling range = repro_full(r, rule_walk_ratios(runs[0]->ratio, runs[1]->ratio));
    page_ruled(r->page, &range, false, "Figure 6: 100 new pairs find 40 to 80 % of the contacts, 50 find 20 to 70 %",
               "In the mean they find %.0f %% and %.0f %%, at least %.0f %% and %.0f %%, counted beside a complete search; the "
               "method's own "
               "estimate is off by %.0f and %.0f %% in the mean.",
               100 * runs[0]->ratio, 100 * runs[1]->ratio, 100 * runs[0]->least, 100 * runs[1]->least,
               100 * estimate_error(runs[0], steps), 100 * estimate_error(runs[1], steps));
    return EXIT_CLEAN;
}

static int walking(repro *r)
{
    static const uint32_t pairs[2] = {100, 50};
    int steps = r->quick ? 10 : FIGURE_MOST_STEPS;
    depths depth[2] = {{.count = 0}, {.count = 0}};
    figure_run *runs = calloc(4, sizeof *runs);
    if (!runs)
        return words_out_of_memory(r->w);
    snag_sim_def def = snag_default_sim_def();
    def.scene = "walking-figure";
    def.size = r->quick ? 0.05 : 0.2;
    def.threads = 1;
    def.method = SNAG_METHOD_ACTIVE;
    snag_status status = SNAG_OK;
    for (int i = 0; i < 2 && status == SNAG_OK; i++) {
        const figure_way ways[2] = {{.method = SNAG_METHOD_KDOP}, {.method = SNAG_METHOD_ACTIVE, .new_pairs = pairs[i]}};
        walk_watch watch = {.r = r, .out = &depth[i], .part = i / 2.0};
        size_t triangles[2];
        def.new_pairs = pairs[i];
        const garment_job job = {
            .def = &def, .steps = steps, .ways = ways, .count = 2, .watch = watch_walk, .progress = show_walk, .context = &watch};
        status = garment_runs(&job, runs + 2 * i, triangles);
        status = status == SNAG_OK ? watch.status : status;
    }
    const figure_run *const found[2] = {&runs[1], &runs[3]};
    int result = status == SNAG_OK ? judge_walks(r, found, depth, steps) : repro_failed(r, "walking figure", status);
    if (result == EXIT_CLEAN)
        plot_walks(r->page, found, steps);
    free(runs);
    return result;
}

// ---- the paper -------------------------------------------------------------------------------------------------------

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {figure3, dressed_tables, catwalk, figure4, walking, kimmerle_leaves, kimmerle_clusters};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_kimmerle = {
    .name = "kimmerle",
    .title = "Kimmerle, Nesme, Faure 2004: hierarchy accelerated stochastic collision detection (kdop, active)",
    .machine = "Pentium IV at 2.4 GHz",
    .experiments = 8,
    .run = run,
};
