#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "active_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "one_world.h"

// ---- torus ---------------------------------------------------------------------------------------------------------

static snag_status open_torus(snag_world **world, size_t triangles[2])
{
    snag_shape shapes[2] = {0};
    snag_status status = torus_scene_make(&shapes[0], &shapes[1]) ? one_world(world) : SNAG_ERROR_MEMORY;
    for (int i = 0; i < 2 && status == SNAG_OK; i++) {
        snag_body_id id;
        status = one_world_add(*world, &shapes[i], &id);
        triangles[i] = shapes[i].triangle_count;
    }
    snag_shape_free(&shapes[0]);
    snag_shape_free(&shapes[1]);
    return status;
}

static any_question torus_question(snag_method method)
{
    any_question def = any_default(SNAG_PROXIMITIES);
    def.method = method;
    def.distance = TORUS_DISTANCE;
    def.self = false;
    def.output = SNAG_OUTPUT_PAIRS;
    return def;
}

snag_status torus_truth(size_t triangles[2], size_t *contacts)
{
    snag_world *world = NULL;
    snag_status status = open_torus(&world, triangles);
    any_question def = torus_question(SNAG_METHOD_KDOP);
    const snag_answer *answer = NULL;
    if (status == SNAG_OK)
        status = any_ask(world, &def, &answer);
    *contacts = status == SNAG_OK ? answer->count : 0;
    snag_world_destroy(world);
    return status;
}

snag_status torus_ratios(bool pure, uint32_t pairs, uint64_t seed, size_t all, int steps, double *ratio)
{
    snag_world *world = NULL;
    size_t triangles[2];
    snag_status status = open_torus(&world, triangles);
    any_question def = torus_question(SNAG_METHOD_ACTIVE);
    def.pure = pure;
    def.new_pairs = pairs;
    def.seed = seed;
    for (int step = 0; step < steps && status == SNAG_OK; step++) {
        const snag_answer *answer = NULL;
        status = any_ask(world, &def, &answer);
        ratio[step] = status == SNAG_OK ? (double)answer->count / (double)all : 0;
    }
    snag_world_destroy(world);
    return status;
}

snag_status torus_mean_ratios(bool pure, uint32_t pairs, int seeds, size_t all, int steps, double *mean)
{
    snag_status status = SNAG_OK;
    memset(mean, 0, (size_t)steps * sizeof *mean);
    for (int seed = 1; seed <= seeds && status == SNAG_OK; seed++) {
        double ratio[TORUS_MOST_STEPS];
        status = torus_ratios(pure, pairs, (uint64_t)seed, all, steps, ratio);
        for (int k = 0; k < steps && status == SNAG_OK; k++)
            mean[k] += ratio[k] / seeds;
    }
    return status;
}

snag_status torus_pairs_needed(bool pure, double wanted, int steps, int seeds, size_t all, uint32_t *pairs)
{
    for (*pairs = 1; *pairs <= TORUS_MOST_PAIRS; *pairs *= 2) {
        int reached = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            double ratio[TORUS_MOST_STEPS];
            snag_status status = torus_ratios(pure, *pairs, (uint64_t)seed, all, steps, ratio);
            if (status != SNAG_OK)
                return status;
            reached += ratio[steps - 1] >= wanted;
        }
        if (2 * reached > seeds)
            return SNAG_OK;
    }
    *pairs = 0;
    return SNAG_OK;
}

// ---- a dressed figure ----------------------------------------------------------------------------------------------

snag_status figure_world_open(const figure_scene *scene, figure_world *w)
{
    *w = (figure_world){0};
    snag_status status = one_world(&w->world);
    if (status == SNAG_OK)
        status = one_world_add(w->world, &scene->figure, &w->figure);
    if (status == SNAG_OK)
        status = one_world_add(w->world, &scene->dress, &w->dress);
    if (status != SNAG_OK) {
        snag_world_destroy(w->world);
        w->world = NULL;
    }
    return status;
}

snag_status figure_world_move(const figure_world *w, const figure_scene *scene)
{
    snag_status status = snag_world_begin_step(w->world);
    if (status == SNAG_OK)
        status = snag_world_move(w->world, w->figure, snag_positions_f64(scene->figure.positions, scene->figure.vertex_count));
    if (status != SNAG_OK)
        return status;
    return snag_world_move(w->world, w->dress, snag_positions_f64(scene->dress.positions, scene->dress.vertex_count));
}

static bool not_the_figure_itself(void *context, snag_body_id a, snag_body_id b)
{
    uint32_t figure = *(const uint32_t *)context;
    return a.index != figure || b.index != figure;
}

any_question figure_question(figure_world *w, snag_method method)
{
    any_question def = any_default(SNAG_PROXIMITIES);
    def.method = method;
    def.distance = FIGURE_DISTANCE;
    def.filter = not_the_figure_itself;
    def.context = &w->figure.index;
    def.seed = 1;
    return def;
}

// Three worlds per variant: one answers, one rejects every pair, so that only its hierarchy is updated, and one stops at
// overlapping volumes.
typedef struct figure_runner {
    figure_world answering, updating, overlapping;
    any_question question, nothing, candidates;
} figure_runner;

static snag_status open_runner(const figure_scene *scene, const figure_way *way, figure_runner *r)
{
    snag_status status = figure_world_open(scene, &r->answering);
    if (status == SNAG_OK)
        status = figure_world_open(scene, &r->updating);
    if (status == SNAG_OK)
        status = figure_world_open(scene, &r->overlapping);
    if (status != SNAG_OK)
        return status;
    r->question = figure_question(&r->answering, way->method);
    r->question.pure = way->pure;
    r->question.new_pairs = way->new_pairs;
    r->question.target_ratio = way->target;
    r->nothing = r->question;
    r->nothing.filter = one_world_nothing;
    r->candidates = r->question;
    r->candidates.context = &r->overlapping.figure.index;
    r->candidates.candidates = true;
    r->candidates.target_ratio = 0;
    // Build the trees before timing.
    const snag_answer *answer = NULL;
    status = any_ask(r->answering.world, &r->question, &answer);
    if (status == SNAG_OK)
        status = any_ask(r->updating.world, &r->nothing, &answer);
    return status == SNAG_OK ? any_ask(r->overlapping.world, &r->candidates, &answer) : status;
}

// Moves the world and adds the time of an ask that stops before contacts.
static snag_status step_stage(figure_world *w, const figure_scene *scene, const any_question *question, double *us)
{
    const snag_answer *answer = NULL;
    snag_status status = figure_world_move(w, scene);
    double start = measure_cpu_ms();
    if (status == SNAG_OK)
        status = any_ask(w->world, question, &answer);
    *us += 1e3 * (measure_cpu_ms() - start);
    return status;
}

static snag_status step_runner(figure_runner *r, const figure_scene *scene, figure_run *run, const snag_answer **answer)
{
    double start = measure_cpu_ms();
    snag_status status = figure_world_move(&r->answering, scene);
    if (status == SNAG_OK)
        status = any_ask(r->answering.world, &r->question, answer);
    run->total_us += 1e3 * (measure_cpu_ms() - start);
    double update = 0, overlap = 0;
    if (status == SNAG_OK)
        status = step_stage(&r->updating, scene, &r->nothing, &update);
    // Use as many random pairs as the answer did.
    if (status == SNAG_OK && (*answer)->statistics->new_pairs > 0)
        r->candidates.new_pairs = (*answer)->statistics->new_pairs;
    if (status == SNAG_OK)
        status = step_stage(&r->overlapping, scene, &r->candidates, &overlap);
    run->update_us += update;
    run->overlap_us += overlap - update;
    return status;
}

void figure_run_keep(figure_run *run, int step, int steps, double all, const snag_answer *found)
{
    double ratio = all > 0 ? (double)found->count / all : 1;
    run->ratios[step] = ratio;
    run->estimates[step] = found->ratio;
    run->ratio += ratio / steps;
    run->held += (ratio >= found->ratio_low && ratio <= found->ratio_high) / (double)steps;
    run->width += (found->ratio_high - found->ratio_low) / steps;
    run->contacts += all / steps;
    if (step >= 5)
        run->least = fmin(run->least, ratio);
}

snag_status figure_runs(figure_scene *scene, int steps, const figure_way *ways, size_t count, figure_run *runs,
                        void (*progress)(void *context, double done), void *context)
{
    figure_runner *runners = calloc(count + 1, sizeof *runners);
    snag_status status = runners ? SNAG_OK : SNAG_ERROR_MEMORY;
    figure_scene_pose(scene, 0);
    memset(runs, 0, count * sizeof *runs);
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        runs[i].least = 1;
        status = open_runner(scene, &ways[i], &runners[i]);
    }
    for (int step = 0; step < steps && status == SNAG_OK; step++) {
        figure_scene_pose(scene, step + 1);
        double all = 0;
        for (size_t i = 0; i < count && status == SNAG_OK; i++) {
            const snag_answer *answer = NULL;
            status = step_runner(&runners[i], scene, &runs[i], &answer);
            if (status != SNAG_OK)
                break;
            all = i == 0 ? (double)answer->count : all;
            figure_run_keep(&runs[i], step, steps, all, answer);
        }
        if (progress)
            progress(context, (step + 1.0) / steps);
    }
    for (size_t i = 0; runners && i < count; i++) {
        snag_world_destroy(runners[i].answering.world);
        snag_world_destroy(runners[i].updating.world);
        snag_world_destroy(runners[i].overlapping.world);
    }
    free(runners);
    return status;
}
