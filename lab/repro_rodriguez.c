// The experiments of Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005.
// Runs `spheres` with exact arithmetic on the CPU, and with OpenGL occlusion queries if there is a driver.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>

#include "papers/sphere_runs.h"

// If the backend is not available, adds a note that says why.
static bool has_backend(repro *r, snag_backend backend, snag_status status)
{
    if (status != SNAG_ERROR_UNSUPPORTED)
        return true;
    page_words(r->page, "Backend %s skipped: %s.", snag_backend_name(backend),
               snag_backend_built_in(backend) ? "this machine has no driver for it" : "not in this build");
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

static snag_status build_model(repro *r, size_t i, bool gl, size_t *triangles, const char **name, sphere_level levels[2])
{
    snag_shape shape;
    if (!sphere_model(i, name, &shape))
        return SNAG_ERROR_MEMORY;
    *triangles = shape.triangle_count;
    snag_status status = sphere_level_build(&shape, SNAG_BACKEND_CPU, r->quick ? 3 : 9, &levels[0]);
    if (status == SNAG_OK && gl)
        status = sphere_level_build(&shape, SNAG_BACKEND_GL, 3, &levels[1]);
    snag_shape_free(&shape);
    return status;
}

static bool finds_gl(repro *r)
{
    snag_shape shape;
    const char *name;
    sphere_level level;
    snag_status status = SNAG_ERROR_UNSUPPORTED;
    if (sphere_model(0, &name, &shape)) {
        status = sphere_level_build(&shape, SNAG_BACKEND_GL, 1, &level);
        snag_shape_free(&shape);
    }
    return has_backend(r, SNAG_BACKEND_GL, status) && status == SNAG_OK;
}

static int table1(repro *r)
{
    bool gl = finds_gl(r);
    double small[2] = {0}, large[2] = {0};
    page_table(
        r->page, "table1",
        "Table 1: one level of a tree. The paper's models are not available; ours are shapes with as many triangles. Milliseconds",
        "paper: model|paper: triangles|paper: ms (GPU)|paper: occlusion queries|ours: model|ours: triangles|cpu: ms|cpu: boxes "
        "tested|gl: ms|gl: occlusion queries");
    for (size_t i = 0; i < MODELS; i++) {
        size_t triangles;
        const char *name;
        sphere_level levels[2] = {{0}, {.ms = NAN}};
        snag_status status = build_model(r, i, gl, &triangles, &name, levels);
        if (status != SNAG_OK)
            return repro_failed(r, "table 1", status);
        page_row(r->page);
        page_cell(r->page, "%s", printed[i].model);
        page_number(r->page, printed[i].triangles, 0);
        page_number(r->page, 1e3 * printed[i].seconds, 1);
        page_number(r->page, printed[i].queries, 0);
        page_cell(r->page, "%s", name);
        page_number(r->page, (double)triangles, 0);
        for (int k = 0; k < 2; k++) {
            page_number(r->page, levels[k].ms, 3);
            page_number(r->page, isnan(levels[k].ms) ? NAN : (double)levels[k].tests, 0);
            if (triangles < 2000 && triangles > 1000)
                small[k] += levels[k].ms / 3;
            else if (triangles > 2000)
                large[k] += levels[k].ms / 3;
        }
        repro_show(r, (double)(i + 1) / MODELS);
    }
    page_ruling quick_level = rule_level_time(large[0]);
    page_ruled(r->page, &quick_level, false, "Table 1: a level is built within 30 ms",
               "Models of about 5,100 triangles take %.2f ms by exact arithmetic on the processor (paper: 10 to 20 ms with "
               "its GPU, 100 ms to a second on its processor).",
               large[0]);
    page_ruling flat = gl ? rule_queries_flat(large[1] / small[1]) : rule_skipped("no OpenGL");
    if (gl)
        page_ruled(r->page, &flat, false, "Table 1: with occlusion queries the number of triangles hardly matters",
                   "3.4 times as many triangles take %.2f times as long (the whole model is drawn for each query, "
                   "here by software), by the processor %.2f times.",
                   large[1] / small[1], large[0] / small[0]);
    return EXIT_CLEAN;
}

// ---- Table 2 -------------------------------------------------------------------------------------------------------

static const double paper_fps[SPHERE_SECONDS] = {179.82, 324.35, 324.68, 309.38, 216.78, 252.75, 256.49,
                                                 255.74, 230.54, 180.82, 215.57, 320.68, 265.73, 262.48};
static const double paper_queries[SPHERE_SECONDS] = {0, 0, 0, 142, 1056, 742, 610, 690, 1056, 1596, 1192, 20, 708, 700};

static void add_seconds(page *p, const sphere_run *cpu, const sphere_run *gl)
{
    page_table(p, "table2",
               "Table 2: frames per second over 14 seconds of an object that passes three others, depth 5. The paper's frames are "
               "drawn, ours are searched only",
               "second|paper: FPS|paper: queries|cpu: FPS|cpu: boxes tested|cpu: levels made|cpu: pairs of leaves|cpu: KB of "
               "trees|gl: FPS|gl: queries");
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
    }
}

static void plot_seconds(page *p, const sphere_run *cpu, const sphere_run *gl)
{
    page_plot(p, "table2-plot", "Table 2: frames per second", "second", "frames per second", PAGE_LOG_Y);
    page_series(p, "spheres, processor");
    for (int i = 0; i < SPHERE_SECONDS; i++)
        page_point(p, i + 1, cpu->seconds[i].fps);
    page_series(p, "spheres, OpenGL in software");
    for (int i = 0; i < SPHERE_SECONDS && gl; i++)
        page_point(p, i + 1, gl->seconds[i].fps);
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

static int table2(repro *r)
{
    sphere_run *runs = calloc(2, sizeof *runs);
    if (!runs)
        return words_out_of_memory(r->w);
    snag_status status = sphere_animation(SNAG_OVERLAPS, SNAG_BACKEND_CPU, &runs[0], repro_show, r);
    snag_status gl = SNAG_ERROR_UNSUPPORTED;
    if (status == SNAG_OK && repro_begin(r) && !r->quick)
        gl = sphere_animation(SNAG_OVERLAPS, SNAG_BACKEND_GL, &runs[1], repro_show, r);
    if (r->quick)
        page_words(r->page, "Table 2 with OpenGL is skipped in a quick run.");
    else if (status == SNAG_OK && gl != SNAG_OK && has_backend(r, SNAG_BACKEND_GL, gl))
        status = gl;
    if (status == SNAG_OK) {
        const sphere_run *drawn = gl == SNAG_OK ? &runs[1] : NULL;
        add_seconds(r->page, &runs[0], drawn);
        plot_seconds(r->page, &runs[0], drawn);
        judge_seconds(r->page, &runs[0], "processor", true);
        if (drawn)
            judge_seconds(r->page, drawn, "OpenGL", false);
        judge_memory(r->page, &runs[0]);
    }
    free(runs);
    return status == SNAG_OK ? EXIT_CLEAN : repro_failed(r, "table 2", status);
}

// ---- the paper -----------------------------------------------------------------------------------------------------

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {table1, table2};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_rodriguez = {
    .name = "rodriguez",
    .title = "Rodríguez, Franquesa 2005: sphere-trees built on collision (spheres)",
    .machine = "Pentium M at 1.8 GHz with an ATI Mobility Radeon 9600",
    .experiments = 3,
    .run = run,
};
