// The experiments of Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005.
// Runs `spheres` with exact arithmetic on the CPU, and with OpenGL occlusion queries if there is a driver: with those that miss nothing,
// and with Algorithm 1 as the paper prints it.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "papers/sphere_runs.h"

static const char *const way_names[SPHERE_WAYS] = {"processor", "OpenGL, complete", "OpenGL, as printed"};

// If OpenGL is not available, adds a note that says why.
static bool has_gl(repro *r, snag_status status)
{
    if (status != SNAG_ERROR_UNSUPPORTED)
        return true;
    page_words(r->page, "Backend gl skipped: %s.",
               snag_backend_built_in(SNAG_BACKEND_GL) ? "this machine has no driver for it" : "not in this build");
    return false;
}

// ---- Table 1 -------------------------------------------------------------------------------------------------------

static const struct {
    const char *model;
    double triangles, seconds, queries;
} printed[] = {
    {"dragon", 1496, 0.0099, 13}, {"bunny", 1500, 0.0099, 9}, {"cow", 1500, 0.0099, 9}, {"lamp", 600, 0.0199, 13},
    {"dragon", 5104, 0.0199, 13}, {"bunny", 5110, 0.0099, 9}, {"cow", 5144, 0.0099, 9},
};
enum { MODELS = sizeof printed / sizeof *printed };
_Static_assert((int)MODELS == (int)SPHERE_MODELS, "a model for each row");

// What is measured of one model.
typedef struct built {
    const char *name, *like;
    size_t triangles;
    sphere_level levels[SPHERE_WAYS];
    size_t leaves, missed,
        extra;  // at SPHERE_DEPTH, of the whole tree: exact ones; missed as printed; seen too much by the complete way
} built;

static snag_status count_missed(const snag_shape *shape, bool whole, built *b)
{
    sphere_tree trees[SPHERE_WAYS] = {{0}};
    uint32_t depth = whole ? SPHERE_DEPTH : 3;
    snag_status status = SNAG_OK;
    for (int way = 0; way < SPHERE_WAYS && status == SNAG_OK; way++)
        status = sphere_whole_tree(shape, (sphere_way)way, depth, &trees[way]);
    if (status == SNAG_OK) {
        size_t all;
        b->missed = sphere_missed(&trees[SPHERE_CPU], &trees[SPHERE_PRINTED], depth, &b->leaves);
        b->extra = sphere_missed(&trees[SPHERE_GL], &trees[SPHERE_CPU], depth, &all);
    }
    for (int way = 0; way < SPHERE_WAYS; way++)
        free(trees[way].spheres);
    return status;
}

static snag_status build_model(const repro *r, size_t i, bool gl, built *b)
{
    snag_shape shape;
    *b = (built){.levels = {{0}, {.ms = NAN}, {.ms = NAN}}};
    if (!sphere_model(i, &b->name, &b->like, &shape))
        return SNAG_ERROR_MEMORY;
    b->triangles = shape.triangle_count;
    snag_status status = SNAG_OK;
    for (int way = 0; way < (gl ? SPHERE_WAYS : 1) && status == SNAG_OK; way++)
        status = sphere_level_build(&shape, (sphere_way)way, way > 0 || r->quick ? 3 : 9, &b->levels[way]);
    if (status == SNAG_OK && gl)
        status = count_missed(&shape, !r->quick, b);
    snag_shape_free(&shape);
    return status;
}

static bool finds_gl(repro *r)
{
    snag_shape shape;
    const char *name, *like;
    sphere_level level;
    snag_status status = SNAG_ERROR_UNSUPPORTED;
    if (sphere_model(3, &name, &like, &shape)) {
        status = sphere_level_build(&shape, SPHERE_GL, 1, &level);
        snag_shape_free(&shape);
    }
    return has_gl(r, status) && status == SNAG_OK;
}

static void add_model(page *p, size_t i, const built *b, bool gl)
{
    page_row(p);
    page_cell(p, "%s", printed[i].model);
    page_number(p, printed[i].triangles, 0);
    page_number(p, 1e3 * printed[i].seconds, 1);
    page_number(p, printed[i].queries, 0);
    page_cell(p, "%s (%s-like)", b->name, b->like);
    page_number(p, (double)b->triangles, 0);
    for (int way = 0; way < SPHERE_WAYS; way++) {
        page_number(p, b->levels[way].ms, 3);
        page_number(p, isnan(b->levels[way].ms) ? NAN : (double)b->levels[way].tests, 0);
    }
    page_number(p, gl ? (double)b->leaves : NAN, 0);
    page_number(p, gl ? (double)b->missed : NAN, 0);
    page_number(p, gl ? (double)b->extra : NAN, 0);
}

// Sums of all models.
typedef struct table1_sums {
    double small[SPHERE_WAYS], large[SPHERE_WAYS];  // mean ms of the models of about 1,500 and 5,100 triangles
    double least, most;  // queries as printed
    size_t leaves, missed;
} table1_sums;

static void sum_up(table1_sums *sums, size_t i, const built *b)
{
    bool is_small = b->triangles < 2000 && b->triangles > 1000;
    for (int way = 0; way < SPHERE_WAYS; way++) {
        if (is_small)
            sums->small[way] += b->levels[way].ms / 3;
        else if (b->triangles > 2000)
            sums->large[way] += b->levels[way].ms / 3;
    }
    double queries = (double)b->levels[SPHERE_PRINTED].tests;
    sums->least = i == 0 ? queries : fmin(sums->least, queries);
    sums->most = fmax(sums->most, queries);
    sums->leaves += b->leaves;
    sums->missed += b->missed;
}

static void judge_table1(const repro *r, const table1_sums *s, bool gl)
{
    const double *large = s->large, *small = s->small;
    page_ruling quick_level = rule_level_time(large[0]);
    page_ruled(r->page, &quick_level, false, "Table 1: a level is built within 30 ms",
               "Models of about 5,100 triangles take %.2f ms by exact arithmetic on the processor (paper: 10 to 20 ms with "
               "its GPU, 100 ms to a second on its processor).",
               large[0]);
    if (!gl)
        return;
    page_ruling flat = rule_queries_flat(large[SPHERE_PRINTED] / small[SPHERE_PRINTED]);
    page_ruled(
        r->page, &flat, false, "Table 1: with occlusion queries the number of triangles hardly matters",
        "3.4 times as many triangles take %.2f times as long as printed and %.2f times with the queries that miss nothing (the "
        "whole model is drawn for each query, here by software), by the processor %.2f times.",
        large[SPHERE_PRINTED] / small[SPHERE_PRINTED], large[SPHERE_GL] / small[SPHERE_GL], large[0] / small[0]);
    page_ruling queries = rule_printed_queries(s->least, s->most);
    page_ruled(r->page, &queries, false, "Table 1: a level takes 9 to 13 occlusion queries, of 24 at most",
               "Algorithm 1 as printed takes %.0f to %.0f on our models; the queries that miss nothing take 24.", s->least,
               s->most);
    page_ruling misses = rule_printed_misses(s->missed, s->leaves);
    page_ruled(
        r->page, &misses, false,
        "Section 4: if the surface cannot be seen along any axis, it is not in the box (Algorithm 1 as printed misses nothing)",
        "Of %zu boxes at depth %d that the surfaces meet, the views as printed (64 x 64 pixels) miss %zu (%.2f %%): parts thinner "
        "than a pixel, corners between the samples, and all below a box that was missed.",
        s->leaves, r->quick ? 3 : SPHERE_DEPTH, s->missed, 100 * (double)s->missed / (double)s->leaves);
}

static int table1(repro *r)
{
    bool gl = finds_gl(r);
    table1_sums sums = {.least = 0};
    page_table(
        r->page, "table1",
        "Table 1: one level of a tree. The paper's models are not public; ours are made of tubes, with as many triangles and "
        "with thin parts and concave places. Milliseconds. Boxes: those of the whole tree at depth 5 (quick: 3) that the surface "
        "meets",
        "paper: model|paper: triangles|paper: ms (GPU)|paper: queries|ours: model|ours: triangles|cpu: ms|cpu: boxes "
        "tested|gl complete: ms|gl complete: queries|gl as printed: ms|gl as printed: queries|boxes: all|boxes: missed as "
        "printed|boxes: too many by gl complete");
    for (size_t i = 0; i < MODELS; i++) {
        built b;
        snag_status status = build_model(r, i, gl, &b);
        if (status != SNAG_OK)
            return repro_failed(r, "table 1", status);
        add_model(r->page, i, &b, gl);
        sum_up(&sums, i, &b);
        repro_show(r, (double)(i + 1) / MODELS);
    }
    judge_table1(r, &sums, gl);
    return EXIT_CLEAN;
}

// ---- Figure 2 ------------------------------------------------------------------------------------------------------

static page_surface surface_of(const double *positions, const uint32_t *triangles, size_t count, int colour)
{
    return (page_surface){.positions = positions, .triangles = triangles, .triangle_count = count, .colour = colour};
}

// The spheres of a depth, and leaves above it.
static size_t pick_balls(const snag_tree_sphere *spheres, size_t count, uint32_t depth, uint32_t first_body, page_ball *balls)
{
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        const snag_tree_sphere *s = &spheres[i];
        if (s->depth != depth && !(s->leaf && s->depth < depth))
            continue;
        balls[picked] = (page_ball){.radius = s->radius, .colour = (int)(s->body.index - first_body)};
        for (int k = 0; k < 3; k++)
            balls[picked].centre[k] = s->centre[k];
        picked++;
    }
    return picked;
}

static int draw_levels(const repro *r, const snag_shape *shape, const sphere_tree *tree)
{
    static const uint32_t levels[] = {2, 4, 6};
    page_ball *balls = malloc((tree->count + 1) * sizeof *balls);
    if (!balls)
        return words_out_of_memory(r->w);
    page_picture(r->page, "figure2",
                 "Figure 2: a model and its sphere tree at levels 2, 4 and 6. The spheres down to level 4 are in "
                 "figures/rodriguez-figure2.vtu");
    const page_surface surface = surface_of(shape->positions, shape->triangles, shape->triangle_count, 0);
    page_panel(r->page, "model", &(page_scene){.surfaces = &surface, .surface_count = 1});
    for (int i = 0; i < 3; i++) {
        size_t count = pick_balls(tree->spheres, tree->count, levels[i], tree->spheres[0].body.index, balls);
        char title[60];
        snprintf(title, sizeof title, "level %u: %zu spheres", levels[i], count);
        page_panel(r->page, title, &(page_scene){.balls = balls, .ball_count = count});
    }
    free(balls);
    // Deeper ones would be a large file of what the picture shows.
    size_t count = 0;
    snag_tree_sphere *shallow = malloc((tree->count + 1) * sizeof *shallow);
    for (size_t i = 0; i < tree->count && shallow; i++)
        if (tree->spheres[i].depth <= 4)
            shallow[count++] = tree->spheres[i];
    int result = shallow ? figure_write_spheres(r, "rodriguez-figure2", shallow, count) : words_out_of_memory(r->w);
    free(shallow);
    return result;
}

static int figure2(repro *r)
{
    snag_shape shape;
    const char *name, *like;
    sphere_tree tree = {0};
    if (!sphere_model(5, &name, &like, &shape))
        return words_out_of_memory(r->w);
    snag_status status = sphere_whole_tree(&shape, SPHERE_CPU, 6, &tree);
    int result = status == SNAG_OK ? draw_levels(r, &shape, &tree) : repro_failed(r, "figure 2", status);
    free(tree.spheres);
    snag_shape_free(&shape);
    return result;
}

// ---- Figures 5 to 8 ------------------------------------------------------------------------------------------------

typedef struct drawn_frames {
    const repro *r;
    const int *frames;
    bool trees;  // else the models
    int result;
} drawn_frames;

static void draw_frame(void *context, size_t index, const snag_sim *sim, const snag_lab_results *lab)
{
    drawn_frames *d = context;
    char title[60];
    page_surface surfaces[SPHERE_BODIES];
    page_scene scene = {.surfaces = surfaces, .middle = {2.6, 0.2, 0}, .width = 4.6};
    for (size_t b = 0; b < SPHERE_BODIES; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        surfaces[b] = surface_of(body.positions, body.triangles, body.triangle_count, (int)b);
    }
    page_ball *balls = malloc((lab->sphere_count + 1) * sizeof *balls);
    size_t leaves = 0;
    for (size_t i = 0; i < lab->sphere_count && balls; i++)
        if (lab->spheres[i].leaf)
            leaves += pick_balls(&lab->spheres[i], 1, lab->spheres[i].depth, lab->spheres[0].body.index, balls + leaves);
    if (d->trees) {
        scene.surface_count = 0;
        scene.balls = balls;
        scene.ball_count = leaves;
        char name[60];
        snprintf(name, sizeof name, "rodriguez-figure%d-frame%d", index < 3 ? 6 : 8, d->frames[index]);
        if (d->result == EXIT_CLEAN)
            d->result = figure_write_spheres(d->r, name, lab->spheres, lab->sphere_count);
    } else {
        scene.surface_count = SPHERE_BODIES;
    }
    snprintf(title, sizeof title, d->trees ? "%.1f s: %zu leaves" : "%.1f s", (double)d->frames[index] / SPHERE_FRAMES, leaves);
    page_panel(d->r->page, title, &scene);
    free(balls);
}

static int figures(repro *r)
{
    static const int frames[] = {210, 300, 390, 480, 570, 660};
    enum { FRAMES = sizeof frames / sizeof *frames };
    for (int trees = 0; trees < 2; trees++) {
        drawn_frames d = {.r = r, .frames = frames, .trees = trees, .result = EXIT_CLEAN};
        page_picture(
            r->page, trees ? "figure6" : "figure5",
            trees ? "Figures 6 and 8: the trees at the same times, leaves of depth 5 at most: branches exist only where bodies "
                    "come close. All of their spheres are in figures/rodriguez-figure6-*.vtu and -figure8-*.vtu"
                  : "Figures 5 and 7: an object passes three others");
        snag_status status = sphere_frames(frames, FRAMES, draw_frame, &d);
        if (status != SNAG_OK)
            return repro_failed(r, "figures 5 to 8", status);
        if (d.result != EXIT_CLEAN)
            return d.result;
        repro_show(r, 0.5 * (trees + 1));
    }
    return EXIT_CLEAN;
}

// ---- Table 2 -------------------------------------------------------------------------------------------------------

static const double paper_fps[SPHERE_SECONDS] = {179.82, 324.35, 324.68, 309.38, 216.78, 252.75, 256.49,
                                                 255.74, 230.54, 180.82, 215.57, 320.68, 265.73, 262.48};
static const double paper_queries[SPHERE_SECONDS] = {0, 0, 0, 142, 1056, 742, 610, 690, 1056, 1596, 1192, 20, 708, 700};

static void add_seconds(page *p, const sphere_run *cpu, const sphere_run *gl, const sphere_run *as_printed)
{
    page_table(p, "table2",
               "Table 2: frames per second over 14 seconds of an object that passes three others, depth 5. The paper's frames are "
               "drawn, ours are searched only",
               "second|paper: FPS|paper: queries|cpu: FPS|cpu: boxes tested|cpu: levels made|cpu: pairs of leaves|cpu: KB of "
               "trees|gl complete: FPS|gl complete: queries|gl as printed: FPS|gl as printed: queries|gl as printed: pairs of "
               "leaves missed");
    for (int i = 0; i < SPHERE_SECONDS; i++) {
        page_row(p);
        page_number(p, i + 1, 0);
        page_number(p, paper_fps[i], 0);
        page_number(p, paper_queries[i], 0);
        page_number(p, cpu->seconds[i].fps, 0);
        page_number(p, cpu->seconds[i].tests, 0);
        page_number(p, cpu->seconds[i].levels, 0);
        page_number(p, cpu->seconds[i].contacts, 0);
        page_number(p, 1e-3 * cpu->seconds[i].bytes, 1);
        page_number(p, gl ? gl->seconds[i].fps : NAN, 0);
        page_number(p, gl ? gl->seconds[i].tests : NAN, 0);
        page_number(p, as_printed ? as_printed->seconds[i].fps : NAN, 0);
        page_number(p, as_printed ? as_printed->seconds[i].tests : NAN, 0);
        page_number(p, as_printed ? cpu->seconds[i].contacts - as_printed->seconds[i].contacts : NAN, 1);
    }
}

static void plot_seconds(page *p, const sphere_run *cpu, const sphere_run *gl, const sphere_run *as_printed)
{
    page_plot(p, "table2-plot", "Table 2: frames per second", "second", "frames per second", PAGE_LOG_Y);
    const sphere_run *runs[SPHERE_WAYS] = {cpu, gl, as_printed};
    for (int way = 0; way < SPHERE_WAYS; way++) {
        page_series(p, way_names[way]);
        for (int i = 0; i < SPHERE_SECONDS && runs[way]; i++)
            page_point(p, i + 1, runs[way]->seconds[i].fps);
    }
    page_series(p, "the paper");
    for (int i = 0; i < SPHERE_SECONDS; i++)
        page_point(p, i + 1, paper_fps[i]);
    page_plot(p, "memory", "Memory of all trees over time: branches are built on contact and deleted when unused for a while",
              "second", "KB", PAGE_FROM_ZERO);
    page_series(p, "spheres, processor");
    for (int i = 0; i < SPHERE_SECONDS; i++)
        page_point(p, i + 1, 1e-3 * cpu->seconds[i].bytes);
}

// Frames with about as many pairs of leaves, by powers of the square root of two, in which some frames make levels and some do not.
// Counts the bins in which those that make levels take longer by more than noise.
typedef struct dips {
    size_t bins, slower;
    double ratio;  // mean over the bins: time of frames that make levels over that of those that do not
} dips;

static dips compare_like_with_like(const sphere_run *run)
{
    enum { BINS = 64 };
    double ms[BINS][2] = {{0}};
    size_t count[BINS][2] = {{0}};
    dips d = {0};
    for (size_t i = 0; i < run->frame_count; i++) {
        const sphere_frame *f = &run->frames[i];
        int bin = f->contacts == 0 ? 0 : 1 + (int)(2 * log2((double)f->contacts));
        bin = bin < BINS ? bin : BINS - 1;
        ms[bin][f->made > 0] += f->ms;
        count[bin][f->made > 0]++;
    }
    enum { FEW = 3 };  // frames of each kind that make a mean worth comparing
    for (int b = 0; b < BINS; b++)
        if (count[b][0] >= FEW && count[b][1] >= FEW) {
            double ratio = ms[b][1] / (double)count[b][1] / (ms[b][0] / (double)count[b][0]);
            d.bins++;
            d.slower += ratio > RULE_NOISE;
            d.ratio += ratio;
        }
    d.ratio /= d.bins > 0 ? (double)d.bins : 1;
    return d;
}

static void judge_seconds(page *p, const sphere_run *run, const char *backend, bool headline)
{
    double fps[SPHERE_SECONDS], tests[SPHERE_SECONDS], contacts[SPHERE_SECONDS];
    dips found = compare_like_with_like(run);
    page_ruling ruling = rule_dips(found.slower, found.bins);
    for (int i = 0; i < SPHERE_SECONDS; i++) {
        fps[i] = run->seconds[i].fps;
        tests[i] = run->seconds[i].tests;
        contacts[i] = run->seconds[i].contacts;
    }
    char claim[120];
    snprintf(claim, sizeof claim, "Table 2: the frame rate dips only where levels are built (%s)", backend);
    // The correlation leaves out the paper's first second, which is slow without a query.
    page_ruled(p, &ruling, headline, claim,
               "Frames with about as many pairs of leaves, %zu groups: those that make levels take %.2f times as long in the mean, "
               "and longer in %zu groups. "
               "Frame rate and tests have the rank correlation %.2f (paper: %.2f; -1: the more tests, the slower), frame rate "
               "and pairs of leaves %.2f. Frames in contact that make levels take %.3f ms (%zu frames), those that make none "
               "%.3f ms (%zu frames)%s.",
               found.bins, found.ratio, found.slower, repro_rank_correlation(fps, tests, SPHERE_SECONDS),
               repro_rank_correlation(paper_fps + 1, paper_queries + 1, SPHERE_SECONDS - 1),
               repro_rank_correlation(fps, contacts, SPHERE_SECONDS), run->building_ms, run->building_count, run->resting_ms,
               run->resting_count,
               run->resting_count > 0 && run->resting_ms > 0.7 * run->building_ms
                   ? ": here the contact costs more than the building"
                   : "");
}

static void judge_memory(page *p, const sphere_run *run)
{
    double most = 0;
    for (int i = 0; i < SPHERE_SECONDS; i++)
        most = fmax(most, run->seconds[i].bytes);
    double first = run->seconds[0].bytes, last = run->seconds[SPHERE_SECONDS - 1].bytes;
    bool falls = false;
    for (int i = 1; i < SPHERE_SECONDS; i++)
        falls = falls || run->seconds[i].bytes < 0.9 * run->seconds[i - 1].bytes;
    page_ruling ruling = rule_memory(first, most, falls);
    page_ruled(p, &ruling, false, "Trees use memory only where and while there is contact",
               "They start with %.1f KB, peak at %.1f KB and end with %.1f KB%s.", 1e-3 * first, 1e-3 * most, 1e-3 * last,
               falls ? ", and shrink in between" : ", and never shrink");
}

// What Algorithm 1 as printed misses in the animation, frame by frame.
static void judge_missed(const repro *r, const sphere_run *exact, const sphere_run *as_printed)
{
    size_t pairs = 0, missed = 0, frames = 0, blind = 0;
    for (size_t i = 0; i < exact->frame_count; i++) {
        size_t there = exact->frames[i].contacts, seen = as_printed->frames[i].contacts;
        pairs += there;
        missed += there > seen ? there - seen : 0;
        frames += there > 0;
        blind += there > 0 && seen == 0;
    }
    page_ruling ruling = rule_printed_misses(missed, pairs);
    page_ruled(
        r->page, &ruling, false, "Section 7: collisions are detected without loss of accuracy by Algorithm 1 as printed",
        "Of %zu pairs of leaves that meet in %zu frames it misses %zu (%.2f %%); in %zu frames it sees no collision where there is "
        "one. The queries that miss nothing miss none.",
        pairs, frames, missed, pairs > 0 ? 100 * (double)missed / (double)pairs : 0, blind);
}

static int table2(repro *r)
{
    sphere_run *runs = calloc(SPHERE_WAYS, sizeof *runs);
    if (!runs)
        return words_out_of_memory(r->w);
    snag_status status = sphere_animation(SNAG_OVERLAPS, SPHERE_CPU, &runs[0], repro_show, r);
    snag_status gl = SNAG_ERROR_UNSUPPORTED;
    for (int way = 1; way < SPHERE_WAYS && status == SNAG_OK && repro_begin(r) && !r->quick; way++) {
        gl = sphere_animation(SNAG_OVERLAPS, (sphere_way)way, &runs[way], repro_show, r);
        if (gl != SNAG_OK)
            break;
    }
    if (r->quick)
        page_words(r->page, "Table 2 with OpenGL is skipped in a quick run.");
    else if (status == SNAG_OK && gl != SNAG_OK && has_gl(r, gl))
        status = gl;
    if (status == SNAG_OK) {
        const sphere_run *drawn[SPHERE_WAYS] = {&runs[0], gl == SNAG_OK ? &runs[1] : NULL, gl == SNAG_OK ? &runs[2] : NULL};
        add_seconds(r->page, drawn[0], drawn[1], drawn[2]);
        plot_seconds(r->page, drawn[0], drawn[1], drawn[2]);
        for (int way = 0; way < SPHERE_WAYS; way++)
            if (drawn[way])
                judge_seconds(r->page, drawn[way], way_names[way], way == 0);
        if (drawn[SPHERE_PRINTED])
            judge_missed(r, drawn[0], drawn[SPHERE_PRINTED]);
        judge_memory(r->page, &runs[0]);
    }
    free(runs);
    return status == SNAG_OK ? EXIT_CLEAN : repro_failed(r, "table 2", status);
}

// ---- the paper -----------------------------------------------------------------------------------------------------

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {table1, table2, figure2, figures};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_rodriguez = {
    .name = "rodriguez",
    .title = "Rodríguez, Franquesa 2005: sphere-trees built on collision (spheres)",
    .machine = "Pentium M at 1.8 GHz with an ATI Mobility Radeon 9600",
    .experiments = 6,
    .run = run,
};
