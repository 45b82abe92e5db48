// The experiments of Volino, Magnenat Thalmann: Efficient self-collision detection on smoothly discretized surface
// animations using geometrical shape regularity, Eurographics 1994.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "../sim/posed/figure_scene.h"
#include "papers/regularity_runs.h"

enum { SIZES = 6, CERTIFIED = SNAG_REGULARITY_CERTIFIED, PAPER = SNAG_REGULARITY_PAPER, CLASSICAL = SNAG_REGULARITY_CLASSICAL };

static const char *const mode_names[REGULARITY_MODES] = {"regularity, certified", "regularity, as in the paper", "classical"};

typedef struct counted {
    regularity_counts of[SIZES];
    size_t count;
} counted;

static snag_status count_sizes(repro *r, regularity_shape shape, counted *c)
{
    snag_status status = SNAG_OK;
    c->count = r->quick ? 4 : SIZES;
    for (uint32_t i = 0; i < c->count && status == SNAG_OK; i++) {
        surface_scene scene;
        status = regularity_scene(shape, shape == REGULARITY_SPHERE ? 3 + i : 25u << i, "", &scene);
        if (status == SNAG_OK)
            status = regularity_count(&scene, &c->of[i]);
        surface_scene_free(&scene);
        repro_show(r, (double)(i + 1) / (double)c->count);
    }
    return status;
}

static void add_counts(page *p, const counted *c, const char *id, const char *caption)
{
    page_table(p, id, caption,
               "polygons|colliding|classical: calls (A)|classical: tests (B)|as in the paper: calls (A)|as in the paper: tests (B)|"
               "certified: calls (A)|certified: tests (B)");
    for (size_t i = 0; i < c->count; i++) {
        const regularity_counts *n = &c->of[i];
        static const int order[] = {CLASSICAL, PAPER, CERTIFIED};
        page_row(p);
        page_number(p, (double)n->triangles, 0);
        page_number(p, (double)n->colliding, 0);
        for (int k = 0; k < 3; k++) {
            page_number(p, (double)n->calls[order[k]], 0);
            page_number(p, (double)n->tests[order[k]], 0);
        }
    }
}

static void plot_counts(page *p, const counted *c, const char *id, const char *caption, bool over_colliding)
{
    page_plot(p, id, caption, over_colliding ? "colliding polygons" : "polygons", "calls and tests", PAGE_LOG_X | PAGE_LOG_Y);
    for (int what = 0; what < 2; what++)
        for (int mode = 0; mode < REGULARITY_MODES; mode++) {
            char name[64];
            snprintf(name, sizeof name, "%s: %s", mode_names[mode], what == 0 ? "calls" : "tests");
            page_series(p, name);
            for (size_t i = 0; i < c->count; i++)
                page_point(p, (double)(over_colliding ? c->of[i].colliding : c->of[i].triangles),
                           (double)(what == 0 ? c->of[i].calls[mode] : c->of[i].tests[mode]));
        }
}

// The exponent with which calls (or tests) grow with the number of polygons, or of colliding ones.
static double power_of(const counted *c, int mode, bool tests, bool over_colliding)
{
    double x[SIZES], y[SIZES];
    for (size_t i = 0; i < c->count; i++) {
        x[i] = (double)(over_colliding ? c->of[i].colliding : c->of[i].triangles);
        y[i] = (double)(tests ? c->of[i].tests[mode] : c->of[i].calls[mode]);
    }
    return repro_power(x, y, c->count);
}

static int sphere(repro *r)
{
    counted c;
    snag_status status = count_sizes(r, REGULARITY_SPHERE, &c);
    if (status != SNAG_OK)
        return repro_failed(r, "sphere", status);
    add_counts(r->page, &c, "table1",
               "Tab. 1: a sphere. Calls of the search (A) and tests of two polygons (B). The paper's curves in words: classical "
               "(1a) 20 calls and 6 tests a polygon, by regularity (1b) 300 calls and no test, however many polygons");
    plot_counts(r->page, &c, "table1-plot", "Tab. 1: a sphere", false);
    const regularity_counts *last = &c.of[c.count - 1];
    size_t tests = 0, least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < c.count; i++) {
        tests += c.of[i].tests[CERTIFIED];
        least = c.of[i].calls[CERTIFIED] < least ? c.of[i].calls[CERTIFIED] : least;
        most = c.of[i].calls[CERTIFIED] > most ? c.of[i].calls[CERTIFIED] : most;
    }
    double constant = power_of(&c, CERTIFIED, false, false), linear = power_of(&c, CLASSICAL, false, false);
    page_ruling flat = rule_constant_calls(constant, tests), grows = rule_linear_calls(linear);
    page_ruled(r->page, &flat, true, "Tab. 1b: on a sphere calls are constant, and no two polygons are tested",
               "While polygons grow %.0f times, calls stay between %zu and %zu (power %.2f), with %zu tests; the paper "
               "had about 300 calls and no test.",
               (double)last->triangles / (double)c.of[0].triangles, least, most, constant, tests);
    page_ruled(r->page, &grows, false, "Tab. 1a: by the classical hierarchy calls and tests are linear in the polygons",
               "Calls grow with the power %.2f; %.1f calls and %.1f tests a polygon (paper: 20 and 6; our leaves hold 16 "
               "triangles, the paper's one).",
               linear, (double)last->calls[CLASSICAL] / (double)last->triangles,
               (double)last->tests[CLASSICAL] / (double)last->triangles);
    return EXIT_CLEAN;
}

static int loop(repro *r)
{
    counted c;
    snag_status status = count_sizes(r, REGULARITY_LOOP, &c);
    if (status != SNAG_OK)
        return repro_failed(r, "loop", status);
    add_counts(r->page, &c, "table2",
               "Tab. 2: a sheet that crosses itself in a loop. Calls (A) and tests (B). The paper's curves in words: classical "
               "(2a) close to Tab. 1a, by regularity (2b) 20 calls and 3 tests a colliding polygon");
    plot_counts(r->page, &c, "table2-plot", "Tab. 2: the loop, over the polygons that collide", true);
    const regularity_counts *last = &c.of[c.count - 1];
    size_t differing = 0;
    for (size_t i = 0; i < c.count; i++)
        differing += c.of[i].contacts[CERTIFIED] != c.of[i].contacts[CLASSICAL];
    double power = power_of(&c, CERTIFIED, false, true), tests = power_of(&c, CERTIFIED, true, true);
    double colliding = (double)last->colliding;
    page_ruling linear = rule_linear_in_colliding(power, tests), complete = rule_no_contact_skipped(differing);
    page_ruled(r->page, &linear, true, "Tab. 2b: on the loop calls and tests are linear in the colliding polygons",
               "They grow with the powers %.2f and %.2f of the colliding polygons; %.1f calls and %.1f "
               "tests for each of them (paper: 20 and 3).",
               power, tests, (double)last->calls[CERTIFIED] / colliding, (double)last->tests[CERTIFIED] / colliding);
    page_ruled(r->page, &complete, false, "Regularity skips no contacts",
               "The certified and the classical mode list different contacts on %zu of %zu loops (%zu contacts on the finest).",
               differing, c.count, last->contacts[CERTIFIED]);
    double classical = power_of(&c, CLASSICAL, false, false);
    page_ruling governed = rule_linear_calls(classical);
    page_ruled(r->page, &governed, false, "Tab. 2a: the classical hierarchy is still governed by the number of all polygons",
               "Calls grow with the power %.2f of all polygons.", classical);
    return EXIT_CLEAN;
}

static int body_and_cloth(repro *r)
{
    static const struct {
        const char *name;
        double body, cloth;  // fineness: gives 17,200 and 3,800 triangles, or 111,000 and 56,400
        double update, between, classical, regularity;  // seconds
    } rows[] = {{"slight (17,200 and 3,800)", 0.57, 1, 0.4, 0.4, 0.7, 0.1},
                {"heavy (111,000 and 56,400)", 1.449, 3.83, 5.0, 6.0, 10.0, 0.5}};
    bool answered[2] = {false, false};
    double gain[2] = {0}, paper_gain[2] = {0}, printed_gain[2] = {0};
    int count = r->quick ? 1 : 2;
    page_table(
        r->page, "timing",
        "Section 3.3: a body and a cloth, detection in milliseconds (paper: seconds, on an SGI Indigo Elan). Ours: a figure and "
        "its dress; least of some steps. The method is named, and each answer says that it was the one; `auto` chooses by itself",
        "paper: body and cloth|ours: body|ours: cloth|paper, s: update|paper, s: body-cloth|paper, s: cloth-cloth, classical|"
        "paper, s: cloth-cloth, regularity|ours, ms: update|ours, ms: body-cloth|ours, ms: cloth-cloth, classical|"
        "ours, ms: as in the paper|ours, ms: certified|auto, apart: ms|auto, apart: method");
    for (int i = 0; i < count; i++) {
        regularity_times t;
        snag_status status = regularity_body_and_cloth(rows[i].body, rows[i].cloth, r->quick ? 2 : 5, &t);
        if (status != SNAG_OK)
            return repro_failed(r, "body and cloth", status);
        const double numbers[] = {rows[i].update, rows[i].between, rows[i].classical, rows[i].regularity};
        const double ours[] = {t.update_ms[CERTIFIED], t.between_ms[CERTIFIED], t.self_ms[CLASSICAL], t.self_ms[PAPER],
                               t.self_ms[CERTIFIED]};
        page_row(r->page);
        page_cell(r->page, "%s", rows[i].name);
        page_number(r->page, (double)t.body_triangles, 0);
        page_number(r->page, (double)t.cloth_triangles, 0);
        for (int k = 0; k < 4; k++)
            page_number(r->page, numbers[k], 1);
        for (int k = 0; k < 5; k++)
            page_number(r->page, ours[k], 3);
        page_number(r->page, t.auto_self_ms, 3);
        page_cell(r->page, "%s", snag_method_name(t.auto_method));
        gain[i] = t.self_ms[CLASSICAL] / t.self_ms[CERTIFIED];
        paper_gain[i] = t.self_ms[CLASSICAL] / t.self_ms[PAPER];
        answered[i] = t.answered_by_regularity;
        printed_gain[i] = rows[i].classical / rows[i].regularity;
        repro_show(r, (double)(i + 1) / count);
    }
    int last = count - 1;
    page_ruling faster = repro_full(r, rule_regularity_gain(gain[last], answered[last]));
    page_ruled(r->page, &faster, false, "Section 3.3: regularity makes self-collision of the cloth faster",
               "On the %s cloth %.1f times as fast as the classical hierarchy with the proof that nothing is missed, %.1f "
               "times without, as in the paper (which had %.0f times).",
               last == 0 ? "slightly divided" : "heavily divided", gain[last], paper_gain[last], printed_gain[last]);
    return EXIT_CLEAN;
}

// ---- Fig. 8 to 10: elements of the hierarchy that were considered --------------------------------------------------

// One panel, coloured by the level of the smallest element that was considered; neighbouring elements differ in brightness.
static int draw_looked(repro *r, const page_surface *surface, size_t vertex_count, const char *title, const char *file,
                       const regularity_looked *looked)
{
    double *values = malloc((looked->count + 1) * sizeof *values), *tints = malloc((looked->count + 1) * sizeof *tints);
    int result = values && tints ? EXIT_CLEAN : words_out_of_memory(r->w);
    enum { DEEP = 9 };  // levels of the finest surfaces drawn
    for (size_t i = 0; i < looked->count && values && tints; i++) {
        values[i] = fmin(1, (double)looked->levels[i] / DEEP);
        tints[i] = 1 - 0.1 * (looked->patches[i] % 3);
    }
    if (result == EXIT_CLEAN) {
        page_surface coloured = *surface;
        coloured.values = values;
        coloured.tints = tints;
        page_panel(r->page, title, &(page_scene){.surfaces = &coloured, .surface_count = 1});
        result = figure_write_surface(r, file, surface, vertex_count, "level", looked->levels);
    }
    free(values);
    free(tints);
    return result;
}

// What the figures count.
typedef struct looked_sizes {
    double polygons[3], elements[3], lowest[3];
} looked_sizes;

static int draw_shape(repro *r, regularity_shape shape, int figure, looked_sizes *out)
{
    static const uint32_t sizes[2][3] = {{3, 4, 5}, {25, 50, 100}};
    int result = EXIT_CLEAN;
    for (int i = 0; i < 3 && result == EXIT_CLEAN; i++) {
        surface_scene scene;
        regularity_looked looked = {0};
        snag_status status = regularity_scene(shape, sizes[shape == REGULARITY_LOOP][i], "", &scene);
        if (status == SNAG_OK)
            status = regularity_look(scene.poses[0][0], scene.vertex_count, scene.triangles[0], scene.triangle_count,
                                     SNAG_REGULARITY_CERTIFIED, &looked);
        if (status == SNAG_OK) {
            char title[80], file[60];
            const page_surface surface = {
                .positions = scene.poses[0][0], .triangles = scene.triangles[0], .triangle_count = scene.triangle_count};
            snprintf(title, sizeof title, "%zu polygons: %zu elements", scene.triangle_count, looked.patch_count);
            snprintf(file, sizeof file, "volino-figure%d-%zu", figure, scene.triangle_count);
            result = draw_looked(r, &surface, scene.vertex_count, title, file, &looked);
            out->polygons[i] = (double)scene.triangle_count;
            out->elements[i] = (double)looked.patch_count;
            out->lowest[i] = (double)looked.in_leaves / (double)scene.triangle_count;
        } else {
            result = repro_failed(r, "figures 8 and 9", status);
        }
        regularity_looked_free(&looked);
        surface_scene_free(&scene);
    }
    return result;
}

// The dress of the slight discretisation in a pose in which it moves, and the same by the hierarchy alone.
static int draw_dress(repro *r, size_t elements[2])
{
    figure_scene scene;
    if (!figure_scene_make(&scene, 0.57, 1))
        return words_out_of_memory(r->w);
    figure_scene_pose(&scene, 20);
    static const int modes[2] = {CERTIFIED, CLASSICAL};
    int result = EXIT_CLEAN;
    for (int i = 0; i < 2 && result == EXIT_CLEAN; i++) {
        regularity_looked looked;
        char title[80];
        snag_status status = regularity_look(scene.dress.positions, scene.dress.vertex_count, scene.dress.triangles,
                                             scene.dress.triangle_count, (snag_regularity_mode)modes[i], &looked);
        if (status == SNAG_OK) {
            const page_surface surface = {.positions = scene.dress.positions,
                                          .triangles = scene.dress.triangles,
                                          .triangle_count = scene.dress.triangle_count};
            elements[i] = looked.patch_count;
            snprintf(title, sizeof title, "%s: %zu elements", mode_names[modes[i]], looked.patch_count);
            result = draw_looked(r, &surface, scene.dress.vertex_count, title,
                                 i == 0 ? "volino-figure10-regularity" : "volino-figure10-classical", &looked);
        } else {
            result = repro_failed(r, "figure 10", status);
        }
        regularity_looked_free(&looked);
    }
    figure_scene_free(&scene);
    return result;
}

static int pictures(repro *r)
{
    looked_sizes sphere_sizes = {0}, loop_sizes = {0};
    size_t dress[2] = {0};
    page_picture(r->page, "figure8",
                 "Fig. 8: elements of the hierarchy that the search considers on a sphere at three discretisations, "
                 "from grey (large) to red (small). Also in figures/volino-figure8-*.vtu, field `level`");
    int result = draw_shape(r, REGULARITY_SPHERE, 8, &sphere_sizes);
    page_picture(r->page, "figure9", "Fig. 7 and 9: the same on a surface that crosses itself in a loop");
    if (result == EXIT_CLEAN)
        result = draw_shape(r, REGULARITY_LOOP, 9, &loop_sizes);
    page_picture(r->page, "figure10", "Fig. 10: the same for self-collisions of the cloth");
    if (result == EXIT_CLEAN)
        result = draw_dress(r, dress);
    if (result != EXIT_CLEAN)
        return result;
    double power = repro_power(sphere_sizes.polygons, sphere_sizes.elements, 3);
    page_ruling constant = rule_constant_elements(power), local = rule_local_elements(loop_sizes.lowest[0], loop_sizes.lowest[2]);
    page_ruled(r->page, &constant, false, "Fig. 8: on a sphere the number of elements considered does not grow with the polygons",
               "%.0f, %.0f and %.0f elements at %.0f, %.0f and %.0f polygons.", sphere_sizes.elements[0], sphere_sizes.elements[1],
               sphere_sizes.elements[2], sphere_sizes.polygons[0], sphere_sizes.polygons[1], sphere_sizes.polygons[2]);
    page_ruled(r->page, &local, false, "Fig. 9: a fine discretisation affects the search only close to the collision",
               "%.0f %%, %.0f %% and %.0f %% of the polygons are separated down to the lowest elements (up to 16 polygons) at "
               "%.0f, %.0f and "
               "%.0f polygons. On the cloth of Fig. 10 %zu elements are considered, by the hierarchy alone %zu.",
               100 * loop_sizes.lowest[0], 100 * loop_sizes.lowest[1], 100 * loop_sizes.lowest[2], loop_sizes.polygons[0],
               loop_sizes.polygons[1], loop_sizes.polygons[2], dress[0], dress[1]);
    return EXIT_CLEAN;
}

static int run(repro *r)
{
    static int (*const parts[])(repro *) = {sphere, loop, body_and_cloth, pictures};
    return repro_run_parts(r, parts, sizeof parts / sizeof *parts);
}

const repro_paper repro_volino = {
    .name = "volino",
    .title = "Volino, Magnenat Thalmann 1994: self-collision by shape regularity (regularity)",
    .machine = "Silicon Graphics Indigo Elan",
    .experiments = 4,
    .run = run,
};
