#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "sphere_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "one_world.h"

static any_question question_of(snag_question question, sphere_way way, uint32_t depth)
{
    any_question ask = any_default(question);
    ask.method = SNAG_METHOD_SPHERES;
    ask.self = false;
    ask.depth = depth;
    ask.backend = way == SPHERE_CPU ? SNAG_BACKEND_CPU : SNAG_BACKEND_GL;
    ask.spheres = way == SPHERE_PRINTED ? SNAG_SPHERES_PAPER : SNAG_SPHERES_COMPLETE;
    return ask;
}

// ---- one level -----------------------------------------------------------------------------------------------------

// Adds a small triangle at x.
static snag_status add_probe(snag_world *world, double x)
{
    const double positions[9] = {x, 0, 0, x + 0.01, 0, 0, x, 0.01, 0};
    uint32_t triangle[3] = {0, 1, 2};
    const snag_shape probe = {.positions = (double *)positions, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    snag_body_id id;
    return one_world_add(world, &probe, &id);
}

// First two probes meet far away: this creates everything that is kept (such as an OpenGL context) before timing, and shows the
// cost of a probe by itself. Then a model meets a probe.
static snag_status build_once(const snag_shape *model, sphere_way way, sphere_level *level)
{
    snag_world *world = NULL;
    snag_body_id id;
    const snag_answer *answer = NULL;
    any_question ask = question_of(SNAG_OVERLAPS, way, 1);
    snag_status status = one_world(&world);
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = add_probe(world, 1000);
    if (status == SNAG_OK)
        status = any_ask(world, &ask, &answer);
    size_t of_probe = status == SNAG_OK ? answer->statistics->tested / 2 : 0;
    if (status == SNAG_OK)
        status = one_world_add(world, model, &id);
    if (status == SNAG_OK)
        status = add_probe(world, 0);
    double start = measure_cpu_ms();
    if (status == SNAG_OK)
        status = any_ask(world, &ask, &answer);
    if (status == SNAG_OK) {
        level->ms = fmin(level->ms, measure_cpu_ms() - start);
        level->tests = answer->statistics->tested - (answer->statistics->tested > of_probe ? of_probe : 0);
    }
    snag_world_destroy(world);
    return status;
}

snag_status sphere_level_build(const snag_shape *model, sphere_way way, int repeats, sphere_level *level)
{
    *level = (sphere_level){.ms = INFINITY};
    snag_status status = SNAG_OK;
    for (int i = 0; i < repeats && status == SNAG_OK; i++)
        status = build_once(model, way, level);
    return status;
}

// ---- a whole tree --------------------------------------------------------------------------------------------------

// The model meets a copy of itself, so that all of its tree is needed.
static snag_status ask_whole(snag_world *world, const snag_shape *model, any_question *ask, sphere_tree *tree)
{
    snag_body_id ids[2];
    const snag_answer *answer = NULL;
    snag_status status = SNAG_OK;
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = one_world_add(world, model, &ids[i]);
    if (status == SNAG_OK)
        status = any_ask(world, ask, &answer);
    if (status != SNAG_OK)
        return status;
    const snag_lab_results *lab = answer->statistics->lab;
    tree->tests = answer->statistics->tested / 2;
    tree->spheres = malloc((lab->sphere_count + 1) * sizeof *tree->spheres);
    if (!tree->spheres)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < lab->sphere_count; i++)
        if (lab->spheres[i].body.index == ids[0].index)
            tree->spheres[tree->count++] = lab->spheres[i];
    return SNAG_OK;
}

snag_status sphere_whole_tree(const snag_shape *model, sphere_way way, uint32_t depth, sphere_tree *tree)
{
    snag_world *world = NULL;
    any_question ask = question_of(SNAG_OVERLAPS, way, depth);
    ask.candidates = ask.trees = true;
    *tree = (sphere_tree){0};
    snag_status status = one_world(&world);
    if (status == SNAG_OK)
        status = ask_whole(world, model, &ask, tree);
    snag_world_destroy(world);
    return status;
}

static bool same_centre(const snag_tree_sphere *a, const snag_tree_sphere *b)
{
    return a->centre[0] == b->centre[0] && a->centre[1] == b->centre[1] && a->centre[2] == b->centre[2];
}

// Trees list their spheres in the same order, parents first: a merge by place, with what one lacks skipped.
size_t sphere_missed(const sphere_tree *exact, const sphere_tree *other, uint32_t depth, size_t *all)
{
    size_t missed = 0, next = 0;
    *all = 0;
    for (size_t i = 0; i < exact->count; i++) {
        const snag_tree_sphere *s = &exact->spheres[i];
        size_t at = next;
        while (at < other->count && !same_centre(&other->spheres[at], s))
            at++;
        bool found = at < other->count;
        next = found ? at + 1 : next;
        *all += s->depth == depth;
        missed += s->depth == depth && !found;
    }
    return missed;
}

// ---- animation -----------------------------------------------------------------------------------------------------

typedef struct stage {
    snag_sim *sim;
    snag_world *world;
    snag_body_id ids[SPHERE_BODIES];  // the first one moves
    uint64_t levels;  // built so far by all trees
    size_t bytes;
} stage;

static snag_status look_at_trees(stage *s)
{
    s->levels = 0;
    s->bytes = 0;
    for (int i = 0; i < SPHERE_BODIES; i++) {
        snag_tree_info info;
        snag_status status = snag_world_tree(s->world, s->ids[i], &info);
        if (status != SNAG_OK)
            return status;
        s->levels += info.levels_made;
        s->bytes += info.bytes;
    }
    return SNAG_OK;
}

static snag_status step(stage *s, const any_question *ask, double *ms, const snag_answer **answer)
{
    snag_status status = snag_sim_step(s->sim);
    snag_sim_body body = snag_sim_body_at(s->sim, 0);
    double start = measure_cpu_ms();
    if (status == SNAG_OK)
        status = snag_world_begin_step(s->world);
    if (status == SNAG_OK)
        status = snag_world_move(s->world, s->ids[0], snag_positions_f64(body.positions, body.vertex_count));
    if (status == SNAG_OK)
        status = any_ask(s->world, ask, answer);
    *ms = measure_cpu_ms() - start;
    return status;
}

static void keep_frame(sphere_run *run, double ms, uint64_t made, size_t contacts)
{
    run->frames[run->frame_count++] = (sphere_frame){ms, contacts, made};
    if (made > 0) {
        run->building_ms += ms;
        run->building_count++;
    } else if (contacts > 0) {
        run->resting_ms += ms;
        run->resting_count++;
    }
}

static snag_status run_second(stage *s, const any_question *ask, int second, sphere_run *run)
{
    sphere_second *out = &run->seconds[second];
    double total = 0;
    for (int frame = 0; frame < SPHERE_FRAMES; frame++) {
        const snag_answer *answer = NULL;
        uint64_t before = s->levels;
        double ms;
        snag_status status = step(s, ask, &ms, &answer);
        if (status == SNAG_OK)
            status = look_at_trees(s);
        if (status != SNAG_OK)
            return status;
        // A tree that starts over counts from 0 again.
        uint64_t made = s->levels > before ? s->levels - before : 0;
        total += ms;
        out->longest_ms = fmax(out->longest_ms, ms);
        out->tests += (double)answer->statistics->tested;
        out->contacts += (double)answer->count / SPHERE_FRAMES;
        out->levels += (double)made;
        keep_frame(run, ms, made, answer->count);
    }
    out->fps = 1000 * SPHERE_FRAMES / total;
    out->bytes = (double)s->bytes;
    return SNAG_OK;
}

// Those with about 5,000 triangles, and the lamp: the second row of Table 1.
static bool make_models(snag_shape shapes[SPHERE_BODIES], snag_sim_model models[SPHERE_BODIES])
{
    static const size_t numbers[SPHERE_BODIES] = {4, 5, 3, 6};
    for (int i = 0; i < SPHERE_BODIES; i++) {
        const char *name, *like;
        if (!sphere_model(numbers[i], &name, &like, &shapes[i]))
            return false;
        models[i] = (snag_sim_model){.name = name,
                                     .positions = shapes[i].positions,
                                     .vertex_count = shapes[i].vertex_count,
                                     .triangles = shapes[i].triangles,
                                     .triangle_count = shapes[i].triangle_count};
    }
    return true;
}

static snag_status open_stage(stage *s, const any_question *ask, sphere_run *run)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = "rodriguez";
    def.threads = 1;
    snag_shape shapes[SPHERE_BODIES] = {{0}};
    snag_sim_model models[SPHERE_BODIES];
    bool made = make_models(shapes, models);
    def.models = models;
    def.model_count = SPHERE_BODIES;
    snag_status status = made ? snag_sim_create(&def, &s->sim) : SNAG_ERROR_MEMORY;
    for (int i = 0; i < SPHERE_BODIES; i++)
        snag_shape_free(&shapes[i]);
    if (status == SNAG_OK)
        status = one_world(&s->world);
    for (size_t i = 0; i < SPHERE_BODIES && status == SNAG_OK; i++) {
        snag_sim_body body = snag_sim_body_at(s->sim, i);
        run->triangles[i] = body.triangle_count;
        status = one_world_add_body(s->world, &body, &s->ids[i]);
    }
    const snag_answer *answer = NULL;
    if (status == SNAG_OK)
        status = any_ask(s->world, ask, &answer);
    return status == SNAG_OK ? look_at_trees(s) : status;
}

snag_status sphere_animation(snag_question question, sphere_way way, sphere_run *run, void (*progress)(void *context, double done),
                             void *context)
{
    memset(run, 0, sizeof *run);
    stage s = {.world = NULL};
    any_question ask = question_of(question, way, SPHERE_DEPTH);
    snag_status status = open_stage(&s, &ask, run);
    for (int second = 0; second < SPHERE_SECONDS && status == SNAG_OK; second++) {
        status = run_second(&s, &ask, second, run);
        if (progress)
            progress(context, (second + 1.0) / SPHERE_SECONDS);
    }
    run->building_ms /= run->building_count > 0 ? (double)run->building_count : 1;
    run->resting_ms /= run->resting_count > 0 ? (double)run->resting_count : 1;
    snag_world_destroy(s.world);
    snag_sim_destroy(s.sim);
    return status;
}

snag_status sphere_frames(const int *frames, size_t count,
                          void (*show)(void *context, size_t index, const snag_sim *sim, const snag_lab_results *trees),
                          void *context)
{
    stage s = {.world = NULL};
    sphere_run *unused = calloc(1, sizeof *unused);
    any_question ask = question_of(SNAG_OVERLAPS, SPHERE_CPU, SPHERE_DEPTH);
    snag_status status = unused ? open_stage(&s, &ask, unused) : SNAG_ERROR_MEMORY;
    free(unused);
    size_t next = 0;
    for (int frame = 1; next < count && status == SNAG_OK; frame++) {
        const snag_answer *answer = NULL;
        double ms;
        ask.trees = frame == frames[next];
        status = step(&s, &ask, &ms, &answer);
        if (status == SNAG_OK && ask.trees)
            show(context, next++, s.sim, answer->statistics->lab);
    }
    snag_world_destroy(s.world);
    snag_sim_destroy(s.sim);
    return status;
}
