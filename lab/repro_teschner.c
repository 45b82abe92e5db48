// The experiments of Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of
// Deformable Objects, VMV 2003. papers/paper_hash.c is the paper's algorithm as published; `hash` is ours.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "papers/measure.h"
#include "papers/tet_rig.h"

// Tables 1 and 2.
typedef struct setup {
    const char *name;
    double objects, tets, vertices;
    double ave, min, max, dev;
} setup;

static const setup setups[] = {
    {"A", 100, 1000, 1200, 4.3, 4.1, 6.5, 0.24},         {"B", 8, 4000, 1936, 12.6, 11.3, 15.0, 0.59},
    {"C", 20, 10000, 4840, 30.4, 28.9, 34.4, 1.25},      {"D", 2, 20514, 5898, 70.0, 68.5, 72.1, 0.86},
    {"E", 100, 50000, 24200, 172.5, 170.5, 174.6, 1.08},
};
enum { SETUPS = sizeof setups / sizeof *setups, MOST_STEPS = 1000, MOST_POINTS = 128 };

// ---- timing --------------------------------------------------------------------------------------------------------

static bool time_hash(tet_rig *rig, double cell, uint32_t table, double *ms, const snag_answer **answer)
{
    double start = measure_cpu_ms();
    snag_status status = tet_rig_ask(rig, SNAG_METHOD_HASH, cell, table, answer);
    *ms = measure_cpu_ms() - start;
    return status == SNAG_OK;
}

typedef struct pair_list {
    const paper_pair *pairs;
    size_t count;
} pair_list;

static bool time_paper(const tet_rig *rig, paper_hash *way, paper_variant variant, double *ms, pair_list *found)
{
    double start = measure_cpu_ms();
    bool good = paper_hash_step(way, &rig->mesh, variant, &found->pairs, &found->count);
    *ms = measure_cpu_ms() - start;
    return good;
}

static bool open_rig(tet_rig *rig, const char *name, size_t tets, size_t bodies)
{
    const snag_answer *answer;
    pair_list found;
    double ms;
    if (!tet_rig_open(rig, name, tets, 1, bodies))
        return false;
    // The first answer builds the data structures.
    if (time_hash(rig, 0, 0, &ms, &answer) && time_paper(rig, rig->paper, PAPER_BARYCENTRIC, &ms, &found))
        return true;
    tet_rig_close(rig);
    return false;
}

// ---- Tables 1 and 2 ------------------------------------------------------------------------------------------------

typedef struct stepped {
    double objects, tets, vertices, contacts;
    repro_spread hash, paper;
    size_t differing;  // steps in which the two found different pairs
} stepped;

static bool run_steps(repro *r, const setup *s, int steps, double part, stepped *out)
{
    tet_rig rig;
    double *ms = malloc((size_t)2 * MOST_STEPS * sizeof *ms);
    if (!ms || !open_rig(&rig, s->name, 0, 0)) {
        free(ms);
        return false;
    }
    *out = (stepped){
        .objects = (double)rig.scene.body_count, .tets = (double)rig.scene.tet_count, .vertices = (double)rig.scene.vertex_count};
    bool good = true;
    for (int step = 0; step < steps && good; step++) {
        const snag_answer *ours;
        pair_list theirs;
        good = tet_rig_pose(&rig, step) == SNAG_OK && time_hash(&rig, 0, 0, &ms[step], &ours) &&
               time_paper(&rig, rig.paper, PAPER_BARYCENTRIC, &ms[MOST_STEPS + step], &theirs);
        if (!good)
            break;
        out->differing += !tet_rig_agree(&rig, ours, theirs.pairs, theirs.count);
        out->contacts += (double)ours->count / steps;
        repro_show(r, part + (double)step / steps / SETUPS);
    }
    out->hash = repro_spread_of(ms, (size_t)steps);
    out->paper = repro_spread_of(ms + MOST_STEPS, (size_t)steps);
    tet_rig_close(&rig);
    free(ms);
    return good;
}

static void put_spread(page *p, const repro_spread *s)
{
    page_number(p, s->mean, 2);
    page_number(p, s->least, 2);
    page_number(p, s->most, 2);
    page_number(p, s->deviation, 2);
}

static void add_setup_tables(page *p, const stepped *run, int steps)
{
    page_table(
        p, "table1",
        "Table 1: the setups. The paper's meshes are not public; ours have exactly as many tetrahedra and vertices, bend and "
        "collide",
        "setup|objects: paper|objects: ours|tetrahedra: paper|tetrahedra: ours|vertices: paper|vertices: ours|contacts in a step");
    for (int i = 0; i < SETUPS; i++) {
        const double pairs[3][2] = {
            {setups[i].objects, run[i].objects}, {setups[i].tets, run[i].tets}, {setups[i].vertices, run[i].vertices}};
        page_row(p);
        page_cell(p, "%s", setups[i].name);
        for (int k = 0; k < 6; k++)
            page_number(p, pairs[k / 2][k % 2], 0);
        page_number(p, run[i].contacts, 0);
    }
    char caption[160];
    snprintf(caption, sizeof caption, "Table 2: milliseconds of a step over %d steps (the paper: 1,000)", steps);
    page_table(
        p, "table2", caption,
        "setup|paper: ave|paper: min|paper: max|paper: dev|its way here: ave|its way here: min|its way here: max|its way here: dev|"
        "hash: ave|hash: min|hash: max|hash: dev|ave / hash: paper|ave / hash: its way");
    for (int i = 0; i < SETUPS; i++) {
        const repro_spread printed = {setups[i].ave, setups[i].min, setups[i].max, setups[i].dev};
        page_row(p);
        page_cell(p, "%s", setups[i].name);
        put_spread(p, &printed);
        put_spread(p, &run[i].paper);
        put_spread(p, &run[i].hash);
        page_number(p, setups[i].ave / run[i].hash.mean, 1);
        page_number(p, run[i].paper.mean / run[i].hash.mean, 1);
    }
}

static void plot_setups(page *p, const stepped *run)
{
    static const char *const names[] = {"hash", "its way here", "the paper's table"};
    page_plot(p, "table2-plot", "Table 2 over the number of primitives (vertices and tetrahedra)", "primitives", "ms a step",
              PAGE_LOG_X | PAGE_LOG_Y);
    for (int series = 0; series < 3; series++) {
        page_series(p, names[series]);
        for (int i = 0; i < SETUPS; i++) {
            bool is_theirs = series == 2;
            page_point(p, is_theirs ? setups[i].tets + setups[i].vertices : run[i].tets + run[i].vertices,
                       is_theirs     ? setups[i].ave
                       : series == 1 ? run[i].paper.mean
                                     : run[i].hash.mean);
        }
    }
}

// Figures 7 to 10. The middle of the run: bodies have bent and met.
static int draw_setups(repro *r)
{
    static const struct {
        const char *setup, *figure;
    } drawn[] = {{"A", "Figure 7: setup A"}, {"B", "Figure 8: setup B"}, {"D", "Figures 9 and 10: setup D"}};
    int result = EXIT_CLEAN;
    page_picture(r->page, "figure7", "Figures 7 to 10: setups of Table 1 at step 500, the faces of their tetrahedra");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn && result == EXIT_CLEAN; i++) {
        tet_scene scene;
        if (!tet_scene_make(drawn[i].setup, 0, &scene))
            return words_out_of_memory(r->w);
        tet_scene_pose(&scene, 500);
        const snag_shape **shapes = malloc((scene.body_count + 1) * sizeof *shapes);
        for (size_t b = 0; b < scene.body_count && shapes; b++)
            shapes[b] = &scene.bodies[b].shape;
        result = shapes ? figure_panel_tets(r, drawn[i].figure, shapes, scene.body_count) : words_out_of_memory(r->w);
        free(shapes);
        tet_scene_free(&scene);
    }
    return result;
}

static int tables(repro *r)
{
    int steps = r->quick ? 12 : MOST_STEPS;
    stepped run[SETUPS];
    size_t differing = 0;
    for (int i = 0; i < SETUPS; i++) {
        if (!run_steps(r, &setups[i], steps, (double)i / SETUPS, &run[i]))
            return words_out_of_memory(r->w);
        differing += run[i].differing;
    }
    add_setup_tables(r->page, run, steps);
    plot_setups(r->page, run);
    page_ruling same = rule_same_pairs(differing);
    page_ruled(r->page, &same, false, "hash finds exactly the pairs of the paper's algorithm in every step",
               "%d steps of each setup were compared; %zu differ.", steps, differing);
    double hertz = 1000 / run[3].hash.mean;
    page_ruling rate = rule_rate(hertz);
    page_ruled(r->page, &rate, false, "20k tetrahedra are checked at 15 Hz or more",
               "Setup D runs at %.0f Hz with hash and at %.0f Hz with the paper's algorithm; the paper had %.0f Hz.", hertz,
               1000 / run[3].paper.mean, 1000 / setups[3].ave);
    return draw_setups(r);
}

// ---- growth --------------------------------------------------------------------------------------------------------

static int growth(repro *r)
{
    static const size_t sizes[] = {10000, 30000, 100000, 300000, 1000000};
    size_t count = r->quick ? 3 : 5;
    double primitives[8], ms[2][8], printed[2][SETUPS];
    page_table(r->page, "growth",
               "Growth: five bending blocks of tetrahedra at increasing resolution; minimum milliseconds over some steps",
               "tetrahedra|vertices|its way here: ms|its way here: ns a primitive|hash: ms|hash: ns a primitive|its way / hash");
    for (size_t i = 0; i < count; i++) {
        tet_rig rig;
        if (!open_rig(&rig, NULL, sizes[i], 0))
            return words_out_of_memory(r->w);
        ms[0][i] = ms[1][i] = INFINITY;
        primitives[i] = (double)(rig.scene.tet_count + rig.scene.vertex_count);
        for (int step = 0; step < 7; step++) {
            double way, hash;
            const snag_answer *answer;
            pair_list found;
            if (tet_rig_pose(&rig, step) != SNAG_OK || !time_hash(&rig, 0, 0, &hash, &answer) ||
                !time_paper(&rig, rig.paper, PAPER_BARYCENTRIC, &way, &found)) {
                tet_rig_close(&rig);
                return words_out_of_memory(r->w);
            }
            ms[0][i] = fmin(ms[0][i], way);
            ms[1][i] = fmin(ms[1][i], hash);
        }
        page_row(r->page);
        page_number(r->page, (double)rig.scene.tet_count, 0);
        page_number(r->page, (double)rig.scene.vertex_count, 0);
        for (int way = 0; way < 2; way++) {
            page_number(r->page, ms[way][i], 2);
            page_number(r->page, 1e6 * ms[way][i] / primitives[i], 1);
        }
        page_number(r->page, ms[0][i] / ms[1][i], 1);
        tet_rig_close(&rig);
        repro_show(r, (double)(i + 1) / (double)count);
    }
    page_plot(r->page, "growth-plot", "Growth: time over the number of primitives", "primitives", "ms a step",
              PAGE_LOG_X | PAGE_LOG_Y);
    for (int way = 1; way >= 0; way--) {
        page_series(r->page, way == 0 ? "its way here" : "hash");
        for (size_t i = 0; i < count; i++)
            page_point(r->page, primitives[i], ms[way][i]);
    }
    for (int i = 0; i < SETUPS; i++) {
        printed[0][i] = setups[i].tets + setups[i].vertices;
        printed[1][i] = setups[i].ave;
    }
    double ours = repro_power(primitives, ms[1], count), way = repro_power(primitives, ms[0], count);
    page_ruling linear = repro_full(r, rule_linear_time(ours));
    page_ruled(r->page, &linear, true, "Time is linear in the number of primitives",
               "From %.0f to %.0f primitives the time of hash grows with the power %.2f, that of the paper's algorithm with %.2f; "
               "the paper's own table gives %.2f (1 is linear).",
               primitives[0], primitives[count - 1], ours, way, repro_power(printed[0], printed[1], SETUPS));
    return EXIT_CLEAN;
}

// ---- Figures 3 to 6 ------------------------------------------------------------------------------------------------

typedef struct sweep {
    double x[MOST_POINTS], way[MOST_POINTS], hash[MOST_POINTS];
    size_t count;
} sweep;

// Times both algorithms for one table size or cell size.
static bool time_point(tet_rig *rig, double cell, uint32_t table, int repeats, double *way, double *hash)
{
    paper_hash *paper = paper_hash_new(&rig->mesh, cell, table);
    bool good = paper != NULL;
    *way = *hash = INFINITY;
    for (int i = 0; i < repeats && good; i++) {
        double paper_ms, hash_ms;
        pair_list found;
        const snag_answer *answer;
        good = time_paper(rig, paper, PAPER_BARYCENTRIC, &paper_ms, &found) && time_hash(rig, cell, table, &hash_ms, &answer);
        if (!good)
            break;
        *way = fmin(*way, paper_ms);
        *hash = fmin(*hash, hash_ms);
    }
    paper_hash_free(paper);
    return good;
}

static void plot_sweep(page *p, const char *id, const char *caption, const char *label, const sweep *s, unsigned flags)
{
    page_plot(p, id, caption, label, "ms a step", flags);
    page_series(p, "hash");
    for (size_t i = 0; i < s->count; i++)
        page_point(p, s->x[i], s->hash[i]);
    page_series(p, "its way here");
    for (size_t i = 0; i < s->count; i++)
        page_point(p, s->x[i], s->way[i]);
}

static size_t best_of(const double *ms, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = ms[i] < ms[best] ? i : best;
    return best;
}

static double span_of(const double *ms, size_t count)
{
    repro_spread s = repro_spread_of(ms, count);
    return s.most / s.least;
}

static int sweep_tables(repro *r, const char *name, const char *figure, double part, sweep *s)
{
    tet_rig rig;
    if (!open_rig(&rig, name, 0, 0))
        return words_out_of_memory(r->w);
    uint32_t step = r->quick ? 1000 : 100, last = 9999;
    s->count = 0;
    for (uint32_t table = 99; table <= last && s->count < MOST_POINTS; table += step) {
        s->x[s->count] = table;
        if (!time_point(&rig, 0, table, r->quick ? 3 : 7, &s->way[s->count], &s->hash[s->count])) {
            tet_rig_close(&rig);
            return words_out_of_memory(r->w);
        }
        s->count++;
        repro_show(r, part + 0.5 * table / last);
    }
    size_t best = best_of(s->way, s->count);
    double flat = 1;
    for (size_t i = 0; i < s->count; i++)
        if (s->x[i] >= (double)rig.scene.vertex_count)
            flat = fmax(flat, s->way[i] / s->way[best]);
    char caption[200], claim[200], id[16];
    snprintf(id, sizeof id, "figure%s", figure);
    snprintf(caption, sizeof caption, "Figure %s: time over the size of the table, setup %s (%zu vertices), cells of the mean edge",
             figure, name, rig.scene.vertex_count);
    plot_sweep(r->page, id, caption, "size of the hash table", s, PAGE_FROM_ZERO);
    snprintf(claim, sizeof claim,
             "Figure %s: a larger table is faster, and beyond the number of primitives its size hardly matters", figure);
    page_ruling size = repro_full(r, rule_table_size(s->x, s->way, s->count, (double)rig.scene.vertex_count));
    page_ruled(
        r->page, &size, false, claim,
        "The paper's algorithm takes %.2f times as long with a table of 99 as with the best one (%.0f); from as many slots as "
        "there are "
        "vertices on it stays within %.0f %% of the best. hash counts its cells before it fills them: %.2f times as long at worst.",
        s->way[0] / s->way[best], s->x[best], 100 * (flat - 1), span_of(s->hash, s->count));
    tet_rig_close(&rig);
    return EXIT_CLEAN;
}

static int sweep_cells(repro *r, const char *name, const char *figure, uint32_t table, double part, sweep *s)
{
    static const double factors[] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 5};
    enum { FACTORS = sizeof factors / sizeof *factors };
    tet_rig rig;
    if (!open_rig(&rig, name, 0, 0))
        return words_out_of_memory(r->w);
    double edge = tet_rig_mean_edge(&rig);
    s->count = 0;
    for (int i = 0; i < FACTORS; i += r->quick ? 2 : 1) {
        s->x[s->count] = factors[i];
        if (!time_point(&rig, factors[i] * edge, table, r->quick ? 2 : 5, &s->way[s->count], &s->hash[s->count])) {
            tet_rig_close(&rig);
            return words_out_of_memory(r->w);
        }
        s->count++;
        repro_show(r, part + 0.5 * i / FACTORS);
    }
    tet_rig_close(&rig);
    size_t best = best_of(s->way, s->count), hash_best = best_of(s->hash, s->count);
    double at_edge = NAN;
    for (size_t i = 0; i < s->count; i++)
        if (fabs(s->x[i] - 1) < 0.11)
            at_edge = isnan(at_edge) ? s->way[i] : fmin(at_edge, s->way[i]);
    char caption[200], claim[120], id[16];
    snprintf(id, sizeof id, "figure%s", figure);
    snprintf(caption, sizeof caption, "Figure %s: time over the size of a cell, setup %s, a table of %u", figure, name, table);
    plot_sweep(r->page, id, caption, "side of a cell, in mean edges", s, PAGE_LOG_X | PAGE_FROM_ZERO);
    snprintf(claim, sizeof claim, "Figure %s: cells as large as the mean edge are best", figure);
    page_ruling size = repro_full(r, rule_cell_size(s->x[best]));
    page_ruled(
        r->page, &size, false, claim,
        "The paper's algorithm is fastest with cells of %.2f mean edges, and %.0f %% slower with cells of one. "
        "hash, "
        "which looks cells up for whole blocks of tetrahedra, is fastest at %.2f; it keeps cells between a quarter and three times "
        "of its own choice.",
        s->x[best], 100 * (at_edge / s->way[best] - 1), s->x[hash_best]);
    return EXIT_CLEAN;
}

static int figures(repro *r)
{
    sweep tables_of[2] = {{.count = 0}}, cells_of[2] = {{.count = 0}};
    int result = sweep_tables(r, "D", "3", 0, &tables_of[0]);
    if (result == EXIT_CLEAN)
        result = sweep_tables(r, "A", "4", 0.5, &tables_of[1]);
    if (result == EXIT_CLEAN && !repro_begin(r))
        return EXIT_CLEAN;
    if (result == EXIT_CLEAN)
        result = sweep_cells(r, "D", "5", 9973, 0, &cells_of[0]);
    if (result == EXIT_CLEAN)
        result = sweep_cells(r, "A", "6", 4999, 0.5, &cells_of[1]);
    if (result != EXIT_CLEAN)
        return result;
    double tables_span = span_of(tables_of[0].way, tables_of[0].count), cells_span = span_of(cells_of[0].way, cells_of[0].count);
    page_ruling cells = repro_full(r, rule_cells_over_tables(cells_span, tables_span));
    page_ruled(r->page, &cells, false, "The size of a cell matters more than the size of the table",
               "Setup D, the paper's algorithm: of cells of 0.3 to 5 mean edges the slowest takes %.1f times the time of the best, "
               "of tables of 99 to 9,999 slots %.1f times; the paper does not print the range of its cells.",
               cells_span, tables_span);
    return EXIT_CLEAN;
}

// ---- section 4.4 and 7: two tests, two passes ------------------------------------------------------------------------

// One setup: least milliseconds of each variant, and in how many steps a variant found other pairs than the first.
static bool time_variants(const repro *r, const char *name, double ms[PAPER_VARIANTS], size_t *differing, double *listed)
{
    tet_rig rig;
    bool good = open_rig(&rig, name, 0, 0);
    for (int variant = 0; variant < PAPER_VARIANTS; variant++)
        ms[variant] = INFINITY;
    for (int step = 0; step < (r->quick ? 3 : 9) && good; step++) {
        const snag_answer *answer;
        double taken;
        good = tet_rig_pose(&rig, step) == SNAG_OK && time_hash(&rig, 0, 0, &taken, &answer);
        for (int variant = 0; variant < PAPER_VARIANTS && good; variant++) {
            pair_list found;
            good = time_paper(&rig, rig.paper, (paper_variant)variant, &taken, &found);
            if (!good)
                break;
            ms[variant] = fmin(ms[variant], taken);
            *differing += !tet_rig_agree(&rig, answer, found.pairs, found.count);
            if (variant == PAPER_ONE_PASS)
                *listed = answer->count > 0 ? (double)found.count / (double)answer->count : 1;
        }
    }
    tet_rig_close(&rig);
    return good;
}

static int variants(repro *r)
{
    static const char *const claims[] = {"Section 4.4: the barycentric test is slightly faster than half-spaces of oriented faces",
                                         "Section 7: two passes are faster than one over the tetrahedra alone",
                                         "The same beside one pass that tests and lists each pair once"};
    // One pass over many tetrahedra takes long: skip setup E, and in a quick run C and D too.
    int last = r->quick ? 2 : 4;
    enum { OTHERS = PAPER_VARIANTS - 1 };
    double least[OTHERS], most[OTHERS] = {0}, log_sum[OTHERS] = {0};
    size_t differing = 0;
    page_table(
        r->page, "variants", "Sections 4.4 and 7: variants of the paper's algorithm, minimum milliseconds over some steps",
        "setup|barycentric, two passes|half-spaces|one pass|one pass, each pair once|half-spaces / barycentric|one pass / two|one "
        "pass, once / two|pairs listed by one pass, for each contact");
    for (int i = 0; i < last; i++) {
        double ms[PAPER_VARIANTS], listed = 0;
        if (!time_variants(r, setups[i].name, ms, &differing, &listed))
            return words_out_of_memory(r->w);
        page_row(r->page);
        page_cell(r->page, "%s", setups[i].name);
        for (int variant = 0; variant < PAPER_VARIANTS; variant++)
            page_number(r->page, ms[variant], 3);
        for (int k = 0; k < OTHERS; k++) {
            double ratio = ms[k + 1] / ms[0];
            page_number(r->page, ratio, 2);
            least[k] = i == 0 ? ratio : fmin(least[k], ratio);
            most[k] = fmax(most[k], ratio);
            log_sum[k] += log(ratio) / last;
        }
        page_number(r->page, listed, 1);
        repro_show(r, (double)(i + 1) / last);
    }
    for (int k = 0; k < OTHERS; k++) {
        page_ruling faster = repro_full(r, rule_faster_variant(exp(log_sum[k])));
        page_ruled(r->page, &faster, false, claims[k],
                   "The other takes %.2f times as long in the mean, %.2f to %.2f times over the setups%s.", exp(log_sum[k]),
                   least[k], most[k], fabs(log_sum[k]) < log(RULE_NOISE) ? ": no difference" : "");
    }
    page_ruling same = rule_same_pairs(differing);
    page_ruled(r->page, &same, false, "All variants find the same pairs as hash", "In %zu steps of a variant they differ.",
               differing);
    return EXIT_CLEAN;
}

// ---- number of objects -----------------------------------------------------------------------------------------------

enum { GROUPS = 6 };

static bool time_groups(repro *r, tet_rig rigs[GROUPS], double ms[GROUPS], size_t contacts[GROUPS])
{
    int repeats = r->quick ? 5 : 25;
    for (int step = 0; step < repeats; step++)
        for (int i = 0; i < GROUPS; i++) {
            double taken;
            const snag_answer *answer;
            if (tet_rig_pose(&rigs[i], step % 5) != SNAG_OK || !time_hash(&rigs[i], 0, 0, &taken, &answer))
                return false;
            ms[i] = fmin(ms[i], taken);
            contacts[i] = answer->count;
            repro_show(r, (double)step / repeats);
        }
    return true;
}

static int objects(repro *r)
{
    static const size_t many[GROUPS] = {1, 4, 10, 20, 50, 100}, few[GROUPS] = {1, 2, 4, 5, 10, 20};
    const size_t *counts = r->quick ? few : many;
    tet_rig rigs[GROUPS];
    double ms[GROUPS];
    size_t contacts[GROUPS] = {0};
    memset(rigs, 0, sizeof rigs);
    bool good = true, same = true;
    for (int i = 0; i < GROUPS; i++)
        ms[i] = INFINITY;
    for (int i = 0; i < GROUPS && good; i++)
        good = open_rig(&rigs[i], r->quick ? "C" : "E", 0, counts[i]);
    good = good && time_groups(r, rigs, ms, contacts);
    size_t tets = rigs[0].scene.tet_count;
    for (int i = 0; i < GROUPS; i++) {
        same = same && contacts[i] == contacts[0];
        tet_rig_close(&rigs[i]);
    }
    if (!good)
        return words_out_of_memory(r->w);
    char caption[160];
    snprintf(caption, sizeof caption,
             "Number of objects: the same %zu tetrahedra at the same positions, divided among more and more objects", tets);
    page_table(r->page, "objects", caption, "objects|hash, least ms of a step|contacts");
    for (int i = 0; i < GROUPS; i++) {
        page_row(r->page);
        page_number(r->page, (double)counts[i], 0);
        page_number(r->page, ms[i], 3);
        page_number(r->page, (double)contacts[i], 0);
    }
    page_plot(r->page, "objects-plot", "Number of objects: time at constant primitives", "objects", "ms a step",
              PAGE_LOG_X | PAGE_FROM_ZERO);
    page_series(r->page, "hash");
    for (int i = 0; i < GROUPS; i++)
        page_point(r->page, (double)counts[i], ms[i]);
    double span = span_of(ms, GROUPS);
    page_ruling free_of_objects = repro_full(r, rule_objects(span, same));
    page_ruled(r->page, &free_of_objects, false, "Time does not depend on the number of objects",
               "From %zu to %zu objects it varies by %.0f %%, and %s. The paper's algorithm does not "
               "distinguish objects.",
               counts[0], counts[GROUPS - 1], 100 * (span - 1), same ? "the contacts are the same" : "the contacts differ");
    return EXIT_CLEAN;
}

// ---- the paper -------------------------------------------------------------------------------------------------------

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {tables, growth, figures, variants, objects};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_teschner = {
    .name = "teschner",
    .title = "Teschner, Heidelberger, Müller, Pomeranets, Gross 2003: optimized spatial hashing (hash)",
    .machine = "Pentium 4 at 1.8 GHz",
    .experiments = 6,
    .run = run,
};
