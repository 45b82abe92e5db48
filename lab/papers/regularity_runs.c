#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "regularity_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "active_runs.h"
#include "measure.h"
#include "one_world.h"

// ---- scenes --------------------------------------------------------------------------------------------------------

typedef void bend_sheet(double (*x)[3], size_t count, double phase);

// A sheet that rises, turns over and passes down through itself.
static void bend_into_loop(double (*x)[3], size_t count, double phase)
{
    for (size_t v = 0; v < count; v++) {
        double t = 1.3 * x[v][0] + 0.03 * sin(2 * x[v][1] + phase);
        x[v][0] = t * t * t - t;
        x[v][1] += 0.1 * t;
        x[v][2] = t * t;
    }
}

// A hanging cloth with overhanging folds: as in a thin sheet, its slope swings by more than a right angle to both sides. The amount
// and position vary along the folds.
static void bend(double (*x)[3], size_t count, double phase, double folds)
{
    enum { STEPS = 64 };
    for (size_t v = 0; v < count; v++) {
        double s = x[v][0], along = x[v][1], px = 0, pz = 0;
        for (int i = 0; i < STEPS; i++) {
            double at = s * (i + 0.5) / STEPS;
            double slope = (1.75 + 0.15 * sin(2 * along + phase)) * sin(folds * at + 0.3 * sin(1.5 * along + phase));
            px += s / STEPS * cos(slope);
            pz += s / STEPS * sin(slope);
        }
        x[v][0] = px;
        x[v][2] = pz + 0.02 * sin(5 * along + phase);
    }
}

static void bend_into_wide_folds(double (*x)[3], size_t count, double phase)
{
    bend(x, count, phase, 6);
}

static void bend_into_narrow_folds(double (*x)[3], size_t count, double phase)
{
    bend(x, count, phase, 15);
}

static snag_status add_shape(const snag_shape *shape, surface_scene *scene)
{
    return surface_scene_add_body(scene, shape->positions, shape->vertex_count, shape->triangles, shape->triangle_count);
}

static snag_status make_sphere(uint32_t subdivisions, surface_scene *scene)
{
    snag_shape sphere;
    snag_status status = snag_shape_icosphere(subdivisions, 1, &sphere);
    if (status == SNAG_OK)
        status = add_shape(&sphere, scene);
    snag_shape_free(&sphere);
    return status;
}

static snag_status add_poses(const double *flat, size_t vertex_count, bend_sheet *bend_into, surface_scene *scene)
{
    for (int pose = 1; pose < 4; pose++) {
        double(*x)[3] = surface_scene_add_pose(scene);
        if (!x)
            return SNAG_ERROR_MEMORY;
        memcpy(x, flat, 3 * vertex_count * sizeof *flat);
        bend_into(x, vertex_count, 0.05 * pose);
    }
    return SNAG_OK;
}

static snag_status make_sheet(uint32_t cells, bend_sheet *bend_into, surface_scene *scene)
{
    snag_shape sheet;
    snag_status status = snag_shape_sheet(cells, cells, 2, 2, &sheet);
    size_t size = 3 * sheet.vertex_count * sizeof(double);
    double *flat = status == SNAG_OK ? malloc(size) : NULL;
    if (status == SNAG_OK && !flat)
        status = SNAG_ERROR_MEMORY;
    if (status == SNAG_OK) {
        memcpy(flat, sheet.positions, size);
        bend_into((double(*)[3])sheet.positions, sheet.vertex_count, 0);
        status = add_shape(&sheet, scene);
    }
    if (status == SNAG_OK)
        status = add_poses(flat, sheet.vertex_count, bend_into, scene);
    free(flat);
    snag_shape_free(&sheet);
    return status;
}

snag_status regularity_scene(regularity_shape shape, uint32_t size, const char *name, surface_scene *scene)
{
    static bend_sheet *const bends[] = {
        [REGULARITY_LOOP] = bend_into_loop,
        [REGULARITY_WIDE_FOLDS] = bend_into_wide_folds,
        [REGULARITY_NARROW_FOLDS] = bend_into_narrow_folds,
    };
    *scene = (surface_scene){0};
    snag_status status = shape == REGULARITY_SPHERE ? make_sphere(size, scene) : make_sheet(size, bends[shape], scene);
    if (status == SNAG_OK)
        status = surface_scene_finish(scene, name);
    if (status != SNAG_OK)
        surface_scene_free(scene);
    return status;
}

// ---- counts --------------------------------------------------------------------------------------------------------

any_question regularity_question(snag_regularity_mode mode)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_REGULARITY;
    ask.regularity = mode;
    ask.forced = true;
    ask.output = SNAG_OUTPUT_PAIRS;
    return ask;
}

static snag_status count_colliding(const snag_answer *answer, size_t triangle_count, size_t *count)
{
    char *hit = calloc(triangle_count + 1, 1);
    if (!hit)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < answer->count; i++)
        hit[answer->pairs[i].a] = hit[answer->pairs[i].b] = 1;
    *count = 0;
    for (size_t i = 0; i < triangle_count; i++)
        *count += (size_t)hit[i];
    free(hit);
    return SNAG_OK;
}

static snag_status count_modes(const surface_scene *scene, snag_world *world, regularity_counts *counts)
{
    snag_body_id id[8];
    snag_status status = surface_scene_add(scene, 0, world, id);
    for (int mode = 0; mode < REGULARITY_MODES && status == SNAG_OK; mode++) {
        any_question ask = regularity_question((snag_regularity_mode)mode);
        const snag_answer *answer = NULL;
        status = any_ask(world, &ask, &answer);
        if (status != SNAG_OK)
            return status;
        counts->calls[mode] = answer->statistics->visited;
        counts->tests[mode] = answer->statistics->tested;
        counts->contacts[mode] = answer->count;
        if (mode == SNAG_REGULARITY_CERTIFIED)
            status = count_colliding(answer, scene->triangle_count, &counts->colliding);
    }
    return status;
}

snag_status regularity_count(const surface_scene *scene, regularity_counts *counts)
{
    *counts = (regularity_counts){.triangles = scene->triangle_count};
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    snag_status status = snag_world_create(&def, &world);
    if (status == SNAG_OK)
        status = count_modes(scene, world, counts);
    snag_world_destroy(world);
    return status;
}

// ---- what was looked at --------------------------------------------------------------------------------------------

static snag_status take_visits(const snag_lab_results *lab, regularity_looked *looked)
{
    size_t count = looked->count = lab->visit_count, most = 0;
    looked->levels = malloc((count + 1) * sizeof *looked->levels);
    looked->patches = malloc((count + 1) * sizeof *looked->patches);
    for (size_t i = 0; i < count; i++)
        most = lab->visits[i].patch > most ? lab->visits[i].patch : most;
    uint32_t *sizes = calloc(most + 1, sizeof *sizes);
    bool good = looked->levels && looked->patches && sizes;
    for (size_t i = 0; i < count && good; i++) {
        looked->levels[i] = (int32_t)lab->visits[i].level;
        looked->patches[i] = lab->visits[i].patch;
        looked->patch_count += sizes[lab->visits[i].patch]++ == 0;
    }
    enum { LEAF = 16 };
    for (size_t i = 0; i < count && good; i++)
        looked->in_leaves += sizes[looked->patches[i]] <= LEAF;
    free(sizes);
    return good ? SNAG_OK : SNAG_ERROR_MEMORY;
}

snag_status regularity_look(const double *positions, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                            snag_regularity_mode mode, regularity_looked *looked)
{
    *looked = (regularity_looked){0};
    snag_world *world = NULL;
    snag_body_id id;
    const snag_answer *answer = NULL;
    const snag_shape shape = {.positions = (double *)positions,
                              .vertex_count = vertex_count,
                              .triangles = (uint32_t *)triangles,
                              .triangle_count = triangle_count};
    any_question ask = regularity_question(mode);
    ask.visits = true;
    snag_status status = one_world(&world);
    if (status == SNAG_OK)
        status = one_world_add(world, &shape, &id);
    if (status == SNAG_OK)
        status = any_ask(world, &ask, &answer);
    if (status == SNAG_OK && answer->method != SNAG_METHOD_REGULARITY)
        status = SNAG_ERROR_UNSUPPORTED;
    if (status == SNAG_OK)
        status = take_visits(answer->statistics->lab, looked);
    snag_world_destroy(world);
    return status;
}

void regularity_looked_free(regularity_looked *looked)
{
    free(looked->levels);
    free(looked->patches);
    *looked = (regularity_looked){0};
}

// ---- body and cloth ------------------------------------------------------------------------------------------------

static bool only_the_dress(void *context, snag_body_id a, snag_body_id b)
{
    uint32_t dress = *(const uint32_t *)context;
    return a.index == dress && b.index == dress;
}

static snag_status time_ask(snag_world *world, const any_question *ask, double *least, size_t *contacts, bool *by_regularity)
{
    const snag_answer *answer = NULL;
    double start = measure_cpu_ms();
    snag_status status = any_ask(world, ask, &answer);
    *least = fmin(*least, measure_cpu_ms() - start);
    if (status == SNAG_OK) {
        *contacts = answer->count;
        *by_regularity = *by_regularity && answer->method == SNAG_METHOD_REGULARITY;
    }
    return status;
}

// The first question after a move updates everything; the following ones only search.
static snag_status step_mode(figure_world *w, const figure_scene *scene, int mode, regularity_times *times)
{
    any_question nothing = regularity_question((snag_regularity_mode)mode), between = nothing, self = nothing;
    nothing.filter = one_world_nothing;
    between.self = false;
    self.filter = only_the_dress;
    self.context = &w->dress.index;
    size_t none;
    snag_status status = figure_world_move(w, scene);
    if (status == SNAG_OK)
        status = time_ask(w->world, &nothing, &times->update_ms[mode], &none, &times->answered_by_regularity);
    if (status == SNAG_OK)
        status = time_ask(w->world, &between, &times->between_ms[mode], &times->between_contacts, &times->answered_by_regularity);
    if (status == SNAG_OK)
        status = time_ask(w->world, &self, &times->self_ms[mode], &times->self_contacts[mode], &times->answered_by_regularity);
    return status;
}

// What `auto` does with the cloth: it is asked step by step, so that it can learn.
static snag_status step_auto(figure_world *w, const figure_scene *scene, regularity_times *times)
{
    any_question nothing = regularity_question(SNAG_REGULARITY_CERTIFIED), self = nothing;
    nothing.method = self.method = SNAG_METHOD_AUTO;
    nothing.filter = one_world_nothing;
    self.filter = only_the_dress;
    self.context = &w->dress.index;
    const snag_answer *answer = NULL;
    snag_status status = figure_world_move(w, scene);
    if (status == SNAG_OK)
        status = any_ask(w->world, &nothing, &answer);
    double start = measure_cpu_ms();
    if (status == SNAG_OK)
        status = any_ask(w->world, &self, &answer);
    times->auto_self_ms = fmin(times->auto_self_ms, measure_cpu_ms() - start);
    if (status == SNAG_OK)
        times->auto_method = answer->method;
    return status;
}

snag_status regularity_body_and_cloth(double body_fineness, double cloth_fineness, int steps, regularity_times *times)
{
    *times = (regularity_times){.answered_by_regularity = true, .auto_self_ms = INFINITY};
    figure_scene scene;
    figure_world worlds[REGULARITY_MODES + 1] = {0};  // and one of `auto`
    snag_status status = figure_scene_make(&scene, body_fineness, cloth_fineness) ? SNAG_OK : SNAG_ERROR_MEMORY;
    times->body_triangles = scene.figure.triangle_count;
    times->cloth_triangles = scene.dress.triangle_count;
    for (int mode = 0; mode < REGULARITY_MODES && status == SNAG_OK; mode++) {
        times->update_ms[mode] = times->between_ms[mode] = times->self_ms[mode] = INFINITY;
        status = figure_world_open(&scene, &worlds[mode]);
    }
    if (status == SNAG_OK)
        status = figure_world_open(&scene, &worlds[REGULARITY_MODES]);
    for (int step = 0; step < steps && status == SNAG_OK; step++) {
        figure_scene_pose(&scene, step);
        for (int mode = 0; mode < REGULARITY_MODES && status == SNAG_OK; mode++)
            status = step_mode(&worlds[mode], &scene, mode, times);
        if (status == SNAG_OK)
            status = step_auto(&worlds[REGULARITY_MODES], &scene, times);
    }
    for (int mode = 0; mode <= REGULARITY_MODES; mode++)
        snag_world_destroy(worlds[mode].world);
    figure_scene_free(&scene);
    return status;
}
